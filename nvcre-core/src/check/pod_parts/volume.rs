//! Volumes and mounts.

use super::{object_name, resources::quantity, text};
use crate::api::Value;
use crate::check::{Quantity, nearest};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use std::collections::BTreeSet;

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

/// One source, and what it says.
pub(crate) fn volume_source(volume: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let name = text(volume, "name");
    let sources: Vec<(&String, &Value)> =
        volume.as_object().into_iter().flatten().filter(|(key, v)| *key != "name" && !v.is_null()).collect();
    let [(kind, source)] = sources.as_slice() else {
        let found = match sources.as_slice() {
            [] => "no source".to_owned(),
            some => some.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>().join(" and "),
        };
        let message = format!("the volume {name:?} names {found}; a volume has exactly one source");
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
        let near = nearest(name, volumes.iter().map(String::as_str));
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
