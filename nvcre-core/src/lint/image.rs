//! Images and pull policies.

use super::Input;
use crate::api::Value;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

/// An image taken apart: tag and digest, each when it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reference<'a> {
    tag: Option<&'a str>,
    digest: Option<&'a str>,
}

impl<'a> Reference<'a> {
    fn parse(image: &'a str) -> Self {
        let (name, digest) = match image.split_once('@') {
            Some((name, digest)) => (name, Some(digest)),
            None => (image, None),
        };
        // A colon before the last slash is that of a port.
        let last = name.rsplit('/').next().unwrap_or(name);
        Self { tag: last.split_once(':').map(|(_, tag)| tag), digest }
    }

    /// True when the same text may mean another image tomorrow.
    fn moves(self) -> bool {
        self.digest.is_none() && self.tag.is_none_or(|tag| tag == "latest")
    }
}

/// Why a digest cannot be one.
fn digest_problem(digest: &str) -> Option<String> {
    let Some((algorithm, hex)) = digest.split_once(':') else {
        return Some("it has no algorithm, such as sha256:".to_owned());
    };
    let wanted = match algorithm {
        "sha256" => 64,
        "sha512" => 128,
        _ => return None,
    };
    if hex.len() != wanted {
        return Some(format!("{algorithm} has {wanted} hexadecimal digits, and these are {}", hex.chars().count()));
    }
    let fine = hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    (!fine).then(|| format!("{algorithm} is written with the digits 0 to 9 and a to f"))
}

pub(super) fn lint(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let spec = &input.run.spec;
    let mut seen: Vec<(&str, FieldPath)> = vec![(&spec.image, "spec.image".into())];
    for (at, container) in spec.init_containers.iter().enumerate() {
        if let Some(image) = container.get("image").and_then(Value::as_str) {
            seen.push((image, FieldPath::parse("spec.initContainers").index(at).key("image")));
        }
    }
    let containers = input.containers();
    for (path, container) in &containers {
        if let Some(image) = container.get("image").and_then(Value::as_str)
            && !seen.iter().any(|(known, _)| *known == image)
        {
            seen.push((image, path.key("image")));
        }
    }
    for (image, path) in seen.iter().filter(|(image, _)| !image.is_empty()) {
        reference(image, path, out);
    }
    policies(spec, &seen, &containers, out);
}

fn reference(image: &str, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let reference = Reference::parse(image);
    if let Some(digest) = reference.digest
        && let Some(problem) = digest_problem(digest)
    {
        let message = format!("no image has the digest {digest:?}: {problem}, so that the pods never start");
        let help = "copy the digest from the registry, for example with crane digest IMAGE";
        out.push(Diagnostic::at(Code::BadDigest, path, message).with_help(help));
    }
    if reference.moves() {
        let what = match reference.tag {
            Some(tag) => format!("has the tag {tag}"),
            None => "has no tag, which means latest".to_owned(),
        };
        let message = format!(
            "the image {image:?} {what}: nodes may run different builds of it, and the next run may measure another one"
        );
        let help = "name a version or a digest, for example nvcr.io/nvidia/pytorch:26.01-py3";
        out.push(Diagnostic::at(Code::ImageUntagged, path, message).with_help(help));
    }
}

/// Pull policies: those of the run's init containers, and those that overrides bring.
fn policies(
    spec: &crate::api::WorkloadRunSpec,
    seen: &[(&str, FieldPath)],
    containers: &[(FieldPath, &Value)],
    out: &mut Vec<Diagnostic>,
) {
    let own: Vec<&Value> = spec.init_containers.iter().collect();
    let base = FieldPath::parse("spec.initContainers");
    let mut all: Vec<(FieldPath, &Value)> = own.iter().enumerate().map(|(at, c)| (base.index(at), *c)).collect();
    all.extend(containers.iter().filter(|(_, c)| !own.contains(c)).map(|(path, c)| (path.clone(), *c)));
    for (path, container) in all {
        let text = |key: &str| container.get(key).and_then(Value::as_str);
        let (Some(policy), Some(image)) = (text("imagePullPolicy"), text("image")) else { continue };
        let path = path.key("imagePullPolicy");
        let reference = Reference::parse(image);
        let at = seen.iter().find(|(known, _)| *known == image).map_or_else(|| path.clone(), |(_, path)| path.clone());
        match policy {
            "IfNotPresent" | "Never" if reference.moves() => {
                let message = format!(
                    "imagePullPolicy {policy} keeps what a node pulled before under {image:?}, a tag that moves: nodes run different images"
                );
                out.push(
                    Diagnostic::at(Code::StaleImage, path, message)
                        .with_related(at, "the image")
                        .with_help("name a version or a digest, or use imagePullPolicy: Always"),
                );
            }
            "Always" if reference.digest.is_some() => {
                let message = "imagePullPolicy Always asks the registry at every start for an image that its digest fixes: without the registry no pod starts";
                out.push(
                    Diagnostic::at(Code::PullAlwaysDigest, path, message)
                        .with_related(at, "the image")
                        .with_help("leave imagePullPolicy out, or use IfNotPresent"),
                );
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_taken_apart() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for (image, tag, moves) in [
            ("nccl", None, true),
            ("registry.example:5000/nccl", None, true),
            ("registry.example:5000/nccl:1.2", Some("1.2"), false),
            ("nccl:latest", Some("latest"), true),
            (&format!("nccl@{digest}"), None, false),
            (&format!("nccl:latest@{digest}"), Some("latest"), false),
        ] {
            let reference = Reference::parse(image);
            assert_eq!((reference.tag, reference.moves()), (tag, moves), "{image}");
        }
        assert_eq!(digest_problem(&digest), None);
        assert_eq!(digest_problem("blake3:1"), None, "not known here");
        for bad in ["abc", "sha256:abc", &format!("sha256:{}", "A".repeat(64)), &format!("sha256:{}", "g".repeat(64))] {
            assert!(digest_problem(bad).is_some(), "{bad}");
        }
    }
}
