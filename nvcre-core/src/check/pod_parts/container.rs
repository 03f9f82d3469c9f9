//! Image, environment, mounts and resources of a container.

use super::{list, mount, object_name, resources, text, unique, unique_mounts};
use crate::api::Value;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

/// Longest image that Trainer takes in `trainer.image`.
const LONGEST_IMAGE: usize = 500;

/// An image: there are no blanks in it.
pub(crate) fn image_text(image: &str, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    if let Some(bad) = image.chars().find(|c| c.is_whitespace() || c.is_control()) {
        let message = format!("the image {image:?} holds {bad:?}; an image has no blanks and no control characters");
        out.push(Diagnostic::at(Code::BadImage, path, message).with_help("write it as docker pull takes it"));
    }
}

/// The image of the trainer, of which Trainer takes 500 characters.
pub(crate) fn trainer_image(image: &str, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    image_text(image, path, out);
    let length = image.chars().count();
    if length > LONGEST_IMAGE {
        let message = format!("the image has {length} characters; Kubeflow Trainer takes at most {LONGEST_IMAGE}");
        let help = "use a shorter registry path, or a tag for a digest";
        out.push(Diagnostic::at(Code::BadImage, path, message).with_help(help));
    }
}

/// The sources of a variable. `name` and `value` are those of the variable.
pub(crate) fn env_source(name: &str, value: &str, source: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let path = path.key("valueFrom");
    if !value.is_empty() {
        let message = format!("a variable has a value or a valueFrom, and {name} has both");
        let help = "remove value or valueFrom; an override that sets a value writes `valueFrom: null` beside it";
        out.push(Diagnostic::at(Code::EnvSource, &path, message).with_help(help));
    }
    let sources: Vec<(&String, &Value)> =
        source.as_object().into_iter().flatten().filter(|(_, v)| !v.is_null()).collect();
    let [(kind, source)] = sources.as_slice() else {
        let message = format!(
            "valueFrom of {name} holds exactly one of configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef and fileKeyRef; here it holds {}",
            sources.len()
        );
        out.push(Diagnostic::at(Code::EnvSource, &path, message).with_help("keep exactly one of them"));
        return;
    };
    let path = path.key(kind.as_str());
    if matches!(kind.as_str(), "configMapKeyRef" | "secretKeyRef") {
        object_name(text(source, "name"), &format!("{kind} of {name}"), path.key("name"), out);
        let key = text(source, "key");
        let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if key.is_empty() || key.len() > 253 || !key.chars().all(fine) {
            let message = format!("{kind} of {name} has the key {key:?}; letters, digits, '-', '_' and '.' are wanted");
            out.push(
                Diagnostic::at(Code::BadReference, path.key("key"), message)
                    .with_help("name a key of the object, as kubectl describe shows it"),
            );
        }
    }
}

/// What the rules of a container need to know of its pod.
pub(crate) struct Container<'a> {
    /// Names of the volumes of the pod; `None` when they are not known.
    pub volumes: Option<&'a [String]>,
    /// Nobody else gives it an image.
    pub needs_image: bool,
    /// The path of an element of a list.
    pub at: &'a dyn Fn(&FieldPath, usize, &Value) -> FieldPath,
}

impl Container<'_> {
    /// Everything of a container but its name.
    pub fn check(&self, container: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
        let name = text(container, "name");
        match text(container, "image") {
            "" if self.needs_image => {
                let message = format!("the container {name:?} has no image");
                let help = "name the image that it runs";
                out.push(Diagnostic::at(Code::EmptyField, path.key("image"), message).with_help(help));
            }
            given => image_text(given, &path.key("image"), out),
        }
        self.env(container, path, out);
        let mounts = list(container, "volumeMounts");
        let mounts_path = path.key("volumeMounts");
        unique_mounts(mounts, &mounts_path, self.at, out);
        for (index, item) in mounts.iter().enumerate() {
            mount(item, &(self.at)(&mounts_path, index, item), self.volumes, out);
        }
        for (key, keys, what) in
            [("ports", &["containerPort", "protocol"][..], "port"), ("volumeDevices", &["devicePath"], "device path")]
        {
            unique(list(container, key), &path.key(key), keys, what, self.at, out);
        }
        let named: Vec<Value> =
            list(container, "ports").iter().filter(|p| !text(p, "name").is_empty()).cloned().collect();
        unique(&named, &path.key("ports"), &["name"], "port name", self.at, out);
        if let Some(given) = container.get("resources") {
            let path = path.key("resources");
            resources(given, &path, out);
            unique(list(given, "claims"), &path.key("claims"), &["name"], "claim", self.at, out);
        }
    }

    /// The variables of a container.
    pub fn env(&self, container: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
        let path = path.key("env");
        let env = list(container, "env");
        unique(env, &path, &["name"], "variable", self.at, out);
        for (index, variable) in env.iter().enumerate() {
            let path = || (self.at)(&path, index, variable);
            let name = text(variable, "name");
            if !is_env_name(name) {
                env_name(name, &path().key("name"), out);
            }
            if let Some(source) = variable.get("valueFrom").filter(|s| !s.is_null()) {
                env_source(name, text(variable, "value"), source, &path(), out);
            }
        }
    }
}

fn is_env_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b != b'=' && matches!(b, b' '..=b'~'))
}

/// The name of a variable; false when it is none.
pub(crate) fn env_name(name: &str, path: &FieldPath, out: &mut Vec<Diagnostic>) -> bool {
    let fine = is_env_name(name);
    if !fine {
        let message = format!("{name:?} is no name of a variable: printable ASCII without '=' is wanted");
        let help = "write a name such as NCCL_DEBUG";
        out.push(Diagnostic::at(Code::BadEnvName, path, message).with_help(help));
    }
    fine
}
