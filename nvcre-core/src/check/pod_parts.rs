//! What Kubernetes refuses in the parts of a pod, as JSON: the same rules for the parts that a run adds and for every
//! pod template of the result (00 D25).

use super::{
    Quantity, is_dns1123_label, is_dns1123_subdomain, is_extended_resource, label_key_problem, label_value_problem,
};
use crate::api::Value;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use std::collections::{BTreeMap, BTreeSet};

/// Longest image that Trainer takes in `trainer.image`.
const LONGEST_IMAGE: usize = 500;

/// A path without doubled slashes, `.` and `..`, from the root: how a container sees it.
pub(crate) fn clean_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The text at a key; empty when there is none.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list at a key; empty when there is none.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The path of an element: by its name where it has one, as overrides merge it, else by its index.
pub(crate) fn element(list: &FieldPath, index: usize, item: &Value) -> FieldPath {
    match text(item, "name") {
        "" => list.index(index),
        name => list.named(name),
    }
}

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

/// Two elements with the same keys in a list that the API keys by them. An absent protocol is TCP.
pub(crate) fn unique(
    items: &[Value],
    path: &FieldPath,
    keys: &[&str],
    what: &str,
    at: &dyn Fn(&FieldPath, usize, &Value) -> FieldPath,
    out: &mut Vec<Diagnostic>,
) {
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let of = |key: &&str| match item.get(*key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => if *key == "protocol" { "TCP" } else { "" }.to_owned(),
            Some(other) => other.to_string(),
        };
        let key: Vec<String> = keys.iter().map(of).collect();
        if key.iter().all(String::is_empty) || seen.insert(key.clone()) {
            continue;
        }
        let message = format!("the {what} {:?} stands twice; each may stand once", key.join("/"));
        let field = keys.first().copied().unwrap_or_default();
        out.push(
            Diagnostic::at(Code::DuplicateName, at(path, index, item).key(field), message)
                .with_help("remove one of the two, or give it another name"),
        );
    }
}

/// A name that must be a DNS label and unique among `seen`.
pub(crate) fn unique_name(what: &str, name: &str, path: FieldPath, seen: &mut Vec<String>, out: &mut Vec<Diagnostic>) {
    if name.is_empty() {
        let message = format!("a {what} has an empty name; every {what} has one of its own");
        out.push(Diagnostic::at(Code::EmptyField, path, message).with_help(format!("name the {what}")));
    } else if !is_dns1123_label(name) {
        let message = format!(
            "{name:?} is no name of a {what}: lower-case letters, digits and '-' are allowed, with a letter or digit at both ends"
        );
        out.push(Diagnostic::at(Code::BadName, path, message).with_help("use at most 63 of these characters"));
    } else if seen.iter().any(|s| s == name) {
        let message = format!("the {what} name {name:?} stands twice in a pod");
        out.push(Diagnostic::at(Code::DuplicateName, path, message).with_help("give each its own name"));
    } else {
        seen.push(name.to_owned());
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

/// The name of another object, as a part of a pod refers to it.
pub(crate) fn object_name(name: &str, what: &str, path: FieldPath, out: &mut Vec<Diagnostic>) {
    if !is_dns1123_subdomain(name) {
        let message = format!(
            "{what} names {name:?}, which no object can be called: lower-case letters, digits, '-' and '.' are wanted"
        );
        out.push(Diagnostic::at(Code::BadReference, path, message).with_help("name an object as kubectl get shows it"));
    }
}

/// One source, and what it says.
pub(crate) fn volume_source(volume: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let name = text(volume, "name");
    let sources: Vec<(&String, &Value)> =
        volume.as_object().into_iter().flatten().filter(|(key, v)| *key != "name" && !v.is_null()).collect();
    let [(kind, source)] = sources.as_slice() else {
        let found = match sources.as_slice() {
            [] => "none".to_owned(),
            some => some.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>().join(" and "),
        };
        let message = format!("the volume {name:?} has {found}; a volume has exactly one source");
        out.push(
            Diagnostic::at(Code::VolumeSource, path, message)
                .with_help("give it one of emptyDir, configMap, secret, persistentVolumeClaim, hostPath, …"),
        );
        return;
    };
    let path = path.key(kind.as_str());
    let what = format!("the volume {name:?}");
    match kind.as_str() {
        "configMap" => object_name(text(source, "name"), &what, path.key("name"), out),
        "secret" => object_name(text(source, "secretName"), &what, path.key("secretName"), out),
        "persistentVolumeClaim" => object_name(text(source, "claimName"), &what, path.key("claimName"), out),
        "hostPath" => {
            let host = text(source, "path");
            if host.is_empty() || host.split('/').any(|part| part == "..") {
                let message = format!("{what} has the host path {host:?}; a path without '..' is wanted");
                out.push(
                    Diagnostic::at(Code::VolumeSource, path.key("path"), message).with_help("write an absolute path"),
                );
            }
        }
        "emptyDir" => {
            if let Some(limit) = quantity(source.get("sizeLimit")).filter(|q| *q < Quantity::from_whole(0)) {
                let message = format!("{what} has the size limit {limit}; 0 or more is wanted");
                out.push(
                    Diagnostic::at(Code::VolumeSource, path.key("sizeLimit"), message)
                        .with_help("write for example 64Gi, or leave it out"),
                );
            }
        }
        _ => {}
    }
}

/// Path and volume of a mount; `volumes` are those of the pod.
pub(crate) fn mount(mount: &Value, path: &FieldPath, volumes: Option<&[String]>, out: &mut Vec<Diagnostic>) {
    let at = text(mount, "mountPath");
    let name = text(mount, "name");
    if at.is_empty() || at.contains(':') {
        let message = format!("the volume {name:?} is mounted at {at:?}; a path without ':' is wanted");
        out.push(
            Diagnostic::at(Code::MountPath, path.key("mountPath"), message)
                .with_help("write an absolute path such as /data"),
        );
    }
    for key in ["subPath", "subPathExpr"] {
        let sub = text(mount, key);
        if sub.starts_with('/') || sub.split('/').any(|part| part == "..") {
            let message =
                format!("the mount of {name:?} has the {key} {sub:?}; a relative path without '..' is wanted");
            out.push(
                Diagnostic::at(Code::MountPath, path.key(key), message)
                    .with_help("name a folder or file inside of the volume"),
            );
        }
    }
    if !text(mount, "subPath").is_empty() && !text(mount, "subPathExpr").is_empty() {
        let message = format!("the mount of {name:?} has subPath and subPathExpr; one of them is wanted");
        out.push(Diagnostic::at(Code::MountPath, path.key("subPathExpr"), message).with_help("remove one of them"));
    }
    if name.is_empty() {
        let message = format!("the mount at {at:?} names no volume");
        out.push(Diagnostic::at(Code::EmptyField, path.key("name"), message).with_help("name a volume of the pod"));
    } else if let Some(volumes) = volumes.filter(|volumes| !volumes.iter().any(|v| v == name)) {
        let message = format!("the pod has no volume {name:?} that could be mounted at {at:?}");
        let near = super::nearest(name, volumes.iter().map(String::as_str));
        let help = near.map_or_else(
            || format!("add a volume {name:?} beside the mount"),
            |near| format!("did you mean `{near}`?"),
        );
        out.push(Diagnostic::at(Code::UnknownVolume, path.key("name"), message).with_help(help));
    }
}

/// Two mounts at one path of a container.
pub(crate) fn unique_mounts(
    mounts: &[Value],
    path: &FieldPath,
    at: &dyn Fn(&FieldPath, usize, &Value) -> FieldPath,
    out: &mut Vec<Diagnostic>,
) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (index, mount) in mounts.iter().enumerate() {
        let target = text(mount, "mountPath");
        if !target.is_empty() && !seen.insert(clean_path(target)) {
            let message = format!("mount path {target:?} stands twice; a path is mounted once");
            out.push(
                Diagnostic::at(Code::DuplicateName, at(path, index, mount).key("mountPath"), message)
                    .with_help("remove one of the mounts"),
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
            let path = (self.at)(&path, index, variable);
            let name = text(variable, "name");
            env_name(name, &path.key("name"), out);
            if let Some(source) = variable.get("valueFrom").filter(|s| !s.is_null()) {
                env_source(name, text(variable, "value"), source, &path, out);
            }
        }
    }
}

/// The name of a variable; false when it is none.
pub(crate) fn env_name(name: &str, path: &FieldPath, out: &mut Vec<Diagnostic>) -> bool {
    let fine = !name.is_empty() && name.chars().all(|c| c != '=' && (' '..='~').contains(&c));
    if !fine {
        let message = format!("{name:?} is no name of a variable: printable ASCII without '=' is wanted");
        let help = "write a name such as NCCL_DEBUG";
        out.push(Diagnostic::at(Code::BadEnvName, path, message).with_help(help));
    }
    fine
}

fn quantity(value: Option<&Value>) -> Option<Quantity> {
    match value? {
        Value::String(text) => Quantity::parse(text),
        Value::Number(number) => Quantity::parse(&number.to_string()),
        _ => None,
    }
}

/// Why no container can ask for a resource of this name; `None` when one can.
fn resource_name_problem(name: &str) -> Option<&'static str> {
    let standard = matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    match name.split_once('/') {
        None if standard => None,
        None => Some("only cpu, memory, ephemeral-storage and hugepages-… have no domain before a slash"),
        Some((domain, _)) if domain.ends_with("kubernetes.io") => label_key_problem(name).map(|_| "it is no name"),
        Some(_) if name.starts_with("requests.") => Some("names that begin with requests. are those of quotas"),
        Some(_) if is_extended_resource(name) => None,
        Some(_) => Some("a domain, a slash and a name of letters, digits, '-', '_' and '.' are wanted"),
    }
}

/// Requests and limits of a container.
pub(crate) fn resources(resources: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let mut sides: BTreeMap<(&str, &str), Quantity> = BTreeMap::new();
    for side in ["limits", "requests"] {
        let entries = resources.get(side).and_then(Value::as_object).into_iter().flatten();
        for (name, value) in entries.filter(|(_, value)| !value.is_null()) {
            let path = path.key(side).key(name);
            if let Some(problem) = resource_name_problem(name) {
                let message = format!("no container can ask for {name:?}: {problem}");
                out.push(
                    Diagnostic::at(Code::ContainerResource, path, message)
                        .with_help("name a resource as kubectl describe node shows it"),
                );
                continue;
            }
            let Some(amount) = quantity(Some(value)) else { continue };
            let found = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let whole = never_shared(name);
            if amount < Quantity::from_whole(0) || whole && amount.whole().is_none() {
                let wanted = if whole { "a whole number, 0 or more," } else { "0 or more" };
                let message = format!("{side} of {name} is {found}; {wanted} is wanted");
                out.push(Diagnostic::at(Code::ContainerResource, path, message).with_help("correct the amount"));
                continue;
            }
            sides.insert((name, side), amount);
        }
    }
    for ((name, _), request) in sides.iter().filter(|((_, side), _)| *side == "requests") {
        let limit = sides.get(&(*name, "limits"));
        let broken =
            resources.get("limits").and_then(|l| l.get(*name)).is_some_and(|v| !v.is_null()) && limit.is_none();
        let message = match limit {
            _ if broken => continue,
            None if never_shared(name) => {
                format!(
                    "{name} is requested without a limit, and a resource of this kind has a limit that equals the request"
                )
            }
            Some(limit) if never_shared(name) && limit != request => {
                format!(
                    "{name} is requested {request} times and limited to {limit}; for a resource of this kind both are equal"
                )
            }
            Some(limit) if limit < request => {
                format!("the request of {name} is above its limit; it is at most the limit")
            }
            _ => continue,
        };
        out.push(
            Diagnostic::at(Code::ContainerResource, path.key("requests").key(*name), message)
                .with_help(format!("write the same amount of {name} under limits and requests")),
        );
    }
}

/// True for resources of which every container has its own: extended ones and huge pages.
fn never_shared(name: &str) -> bool {
    name.starts_with("hugepages-") || name.split_once('/').is_some_and(|(domain, _)| !domain.ends_with("kubernetes.io"))
}

/// A toleration.
pub(crate) fn toleration(toleration: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
    let (value, effect) = (text(toleration, "value"), text(toleration, "effect"));
    let mut wrong = |field: &str, message: String, help: &'static str| {
        out.push(Diagnostic::at(Code::BadToleration, path.key(field), message).with_help(help));
    };
    if !matches!(operator, "" | "Equal" | "Exists") {
        let message = format!("a toleration has the operator {operator:?}; it is Equal or Exists");
        wrong("operator", message, "write Exists, or Equal with a value");
    }
    if !matches!(effect, "" | "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
        let message =
            format!("a toleration has the effect {effect:?}; it is NoSchedule, PreferNoSchedule or NoExecute");
        wrong("effect", message, "write one of the three, or leave it out for all of them");
    }
    if key.is_empty() && operator != "Exists" {
        let message = "a toleration without a key has the operator Exists, and this one has another".to_owned();
        wrong("operator", message, "write `operator: Exists`, or name the key of the taint");
    } else if let Some(problem) = label_key_problem(key).filter(|_| !key.is_empty()) {
        wrong(
            "key",
            format!("{key:?} is no key of a taint: {problem}"),
            "name the key as kubectl describe node shows it",
        );
    }
    if operator == "Exists" && !value.is_empty() {
        let message = format!("a toleration with the operator Exists has no value, and this one has {value:?}");
        wrong("value", message, "remove the value, or write `operator: Equal`");
    }
    let seconds = toleration.get("tolerationSeconds").is_some_and(|s| !s.is_null());
    if seconds && effect != "NoExecute" {
        let message = "tolerationSeconds only goes with the effect NoExecute".to_owned();
        wrong("tolerationSeconds", message, "remove it, or write `effect: NoExecute`");
    }
}

/// Labels: keys and values.
pub(crate) fn labels(map: Option<&Value>, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    for (key, value) in map.and_then(Value::as_object).into_iter().flatten().filter(|(_, v)| !v.is_null()) {
        let value = value.as_str().unwrap_or_default();
        if let Some(problem) = label_key_problem(key).or_else(|| label_value_problem(value)) {
            let message = format!("{key:?} with value {value:?} is no label: {problem}");
            out.push(Diagnostic::at(Code::BadLabel, path.key(key), message).with_help(
                "use a key such as team or example.org/team, and a value of letters, digits, '-', '_' and '.'",
            ));
        }
    }
}

/// Labels and annotations of a `metadata`.
pub(crate) fn metadata(metadata: Option<&Value>, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let Some(metadata) = metadata else { return };
    labels(metadata.get("labels"), &path.key("labels"), out);
    let annotations = metadata.get("annotations").and_then(Value::as_object);
    for key in annotations.into_iter().flat_map(|map| map.keys()) {
        if let Some(problem) = label_key_problem(&key.to_lowercase()) {
            let message = format!("{key:?} is no key of an annotation: {problem}");
            out.push(
                Diagnostic::at(Code::BadLabel, path.key("annotations").key(key), message)
                    .with_help("use a key such as note or example.org/note"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn codes(check: impl FnOnce(&mut Vec<Diagnostic>)) -> Vec<Code> {
        let mut out = Vec::new();
        check(&mut out);
        assert!(out.iter().all(|d| d.help.is_some() && d.path.is_some()), "{out:?}");
        out.into_iter().map(|d| d.code).collect()
    }

    #[test]
    fn paths_as_a_container_sees_them() {
        for path in ["/dev/shm", "//dev//shm", "/dev/shm/", "/dev/./shm", "/x/../dev/shm", "dev/shm"] {
            assert_eq!(clean_path(path), "/dev/shm", "{path}");
        }
        assert_eq!(clean_path("/"), "/");
    }

    #[test]
    fn resources_of_a_container() {
        let root = FieldPath::root();
        let of = |value: Value| codes(|out| resources(&value, &root, out));
        for good in [
            json!({"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": 8}}),
            json!({"limits": {"nvidia.com/gpu": "8", "memory": "2Gi"}, "requests": {"cpu": "500m", "memory": "1Gi"}}),
            json!({"limits": {"nvidia.com/gpu": null}}),
            json!({}),
        ] {
            assert_eq!(of(good.clone()), [], "{good}");
        }
        for bad in [
            json!({"limits": {"nvidia.com/gpu": "1.5"}, "requests": {"nvidia.com/gpu": "1.5"}}),
            json!({"limits": {"nvidia.com/gpu": "-1"}}),
            json!({"limits": {"cpu": "-500m"}}),
            json!({"limits": {"gpu": "1"}}),
            json!({"limits": {"Bad Domain/gpu": "1"}}),
            json!({"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}),
            json!({"requests": {"nvidia.com/gpu": "4"}}),
            json!({"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "4"}}),
        ] {
            let found = of(bad.clone());
            assert!(!found.is_empty() && found.iter().all(|c| *c == Code::ContainerResource), "{bad}: {found:?}");
        }
    }

    #[test]
    fn tolerations() {
        let of = |value: Value| codes(|out| toleration(&value, &FieldPath::root(), out)).len();
        for good in [
            json!({"operator": "Exists"}),
            json!({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}),
            json!({"key": "a", "value": "b"}),
        ] {
            assert_eq!(of(good.clone()), 0, "{good}");
        }
        for bad in [
            json!({"key": "a", "operator": "exists"}),
            json!({"key": "a", "effect": "NoRun"}),
            json!({"operator": "Equal"}),
            json!({"key": "a", "operator": "Exists", "value": "b"}),
            json!({"key": "a b"}),
            json!({"key": "a", "tolerationSeconds": 5}),
        ] {
            assert_eq!(of(bad.clone()), 1, "{bad}");
        }
    }

    #[test]
    fn volumes_and_mounts() {
        let of = |value: Value| codes(|out| volume_source(&value, &FieldPath::root(), out));
        assert_eq!(of(json!({"name": "a", "emptyDir": {}, "hostPath": null})), []);
        for bad in [
            json!({"name": "a"}),
            json!({"name": "a", "emptyDir": {}, "hostPath": {"path": "/a"}}),
            json!({"name": "a", "hostPath": {"path": "/a/../b"}}),
            json!({"name": "a", "emptyDir": {"sizeLimit": "-1Gi"}}),
        ] {
            assert_eq!(of(bad.clone()), [Code::VolumeSource], "{bad}");
        }
        assert_eq!(of(json!({"name": "a", "secret": {"secretName": "Bad_Name"}})), [Code::BadReference]);
        let of = |value: Value| codes(|out| mount(&value, &FieldPath::root(), Some(&["a".into()]), out));
        assert_eq!(of(json!({"name": "a", "mountPath": "/a", "subPath": "b"})), []);
        assert_eq!(of(json!({"name": "a", "mountPath": ""})), [Code::MountPath]);
        assert_eq!(of(json!({"name": "a", "mountPath": "/a:b"})), [Code::MountPath]);
        assert_eq!(of(json!({"name": "a", "mountPath": "/a", "subPath": "../b"})), [Code::MountPath]);
        assert_eq!(of(json!({"name": "", "mountPath": "/a"})), [Code::EmptyField]);
        assert_eq!(of(json!({"name": "b", "mountPath": "/a"})), [Code::UnknownVolume]);
    }
}
