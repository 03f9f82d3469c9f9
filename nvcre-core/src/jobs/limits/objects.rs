//! The dependencies as objects: identity, names, labels, and what they must not collide with (03 §6.2, §6.4; 00 D57).

use crate::api::WorkflowSpec;
use crate::check::{is_dns1123_label, is_dns1123_subdomain, pod_parts};
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment};
use crate::jobs::differences::dependency_path;
use crate::jobs::names::record_name;
use crate::jobs::references::{at, kind_of, name_of};
use crate::schema::{self, Mode};
use serde_json::Value;
use std::collections::BTreeMap;

/// Checks the dependencies, and that the checkpoint's claim is one of them.
pub(super) fn check(spec: &WorkflowSpec, run: &str, findings: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<(&str, &str, &str), &str> = BTreeMap::new();
    for (index, object) in spec.dependencies.iter().enumerate() {
        let path = FieldPath::parse("spec.dependencies").index(index);
        let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (kind_of(object), name_of(object));
        if kind.is_empty() || name.is_empty() || version.is_empty() {
            let message = "a dependency has no apiVersion, kind or metadata.name; all three are wanted";
            findings.push(
                Diagnostic::at(Code::InvalidDependency, path, message).with_help("complete the object in the override"),
            );
            continue;
        }
        // Versions of one group are views on the same object.
        let group = version.rsplit_once('/').map_or("", |(group, _)| group);
        if let Some(first) = seen.insert((group, kind, name), version) {
            let message = format!(
                "two dependencies are {kind} {name} ({first} and {version}), and the cluster has one object of this name"
            );
            findings.push(
                Diagnostic::at(Code::InvalidDependency, dependency_path(object), message)
                    .with_help("give one of them another name"),
            );
        }
        if kind == "ConfigMap" && group.is_empty() && is_record(run, name) {
            let message = format!("the ConfigMap {name} is the record of the run itself, which would be overwritten");
            findings.push(
                Diagnostic::at(Code::NamesCollide, dependency_path(object).key("metadata").key("name"), message)
                    .with_help("give the ConfigMap another name"),
            );
        }
        names(object, findings);
        shape(object, findings);
    }
    checkpoint(spec, findings);
}

/// True for the run record and its parts (10 §2).
fn is_record(run: &str, name: &str) -> bool {
    let record = record_name(run);
    let part =
        |rest: &str| rest.strip_prefix('-').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    name.strip_prefix(record.as_str()).is_some_and(|rest| rest.is_empty() || part(rest))
}

/// Names, labels and annotations of an object.
fn names(object: &Value, findings: &mut Vec<Diagnostic>) {
    let path = dependency_path(object).key("metadata");
    let (kind, name) = (kind_of(object), name_of(object));
    // Roles and their bindings may be called almost anything.
    let fine = match kind {
        "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding" => !name.contains(['/', '%']),
        "Namespace" => is_dns1123_label(name),
        "Service" => is_dns1123_label(name) && !name.starts_with(|c: char| c.is_ascii_digit()),
        _ => is_dns1123_subdomain(name),
    };
    if !fine {
        let message = format!(
            "{name:?} is no name of a {kind}: lower-case letters, digits, '-' and '.' are allowed, with a letter or digit at both ends"
        );
        findings.push(
            Diagnostic::at(Code::BadName, path.key("name"), message)
                .with_help("rename the object and what refers to it"),
        );
    }
    if let Some(namespace) = at(object, &["metadata", "namespace"]).and_then(Value::as_str)
        && !namespace.is_empty()
        && !is_dns1123_label(namespace)
    {
        let message =
            format!("{namespace:?} is no name of a namespace: lower-case letters, digits and '-' are allowed");
        findings.push(
            Diagnostic::at(Code::BadName, path.key("namespace"), message)
                .with_help("remove it: the namespace is that of the run"),
        );
    }
    pod_parts::metadata(object.get("metadata"), &path, findings);
}

/// Fields that are missing after merges, or that merges turned into something else.
fn shape(object: &Value, findings: &mut Vec<Diagnostic>) {
    let mut found = Vec::new();
    schema::check_manifest(object, Mode::STRICT, &mut found);
    let base = dependency_path(object);
    for mut finding in found.into_iter().filter(|d| matches!(d.code, Code::MissingField | Code::WrongType)) {
        let path = finding.path.take().unwrap_or_default();
        findings.push(finding.with_path(base.join(&by_name(object, &path))));
    }
}

/// A path whose list elements are told by name where they have one, as overrides merge them.
fn by_name(object: &Value, path: &FieldPath) -> FieldPath {
    let mut value = Some(object);
    let mut out = FieldPath::root();
    for segment in &path.0 {
        value = match segment {
            Segment::Key(key) => value.and_then(|v| v.get(&**key)),
            Segment::Index(index) => value.and_then(|v| v.get(index)),
            Segment::Named(_) | Segment::Keyed(..) => None,
        };
        let name = value.and_then(|v| v.get("name")).and_then(Value::as_str).filter(|n| !n.is_empty());
        out = match (segment, name) {
            (Segment::Index(_), Some(name)) => out.named(name),
            _ => out.with(segment.clone()),
        };
    }
    out
}

/// The claim of a checkpoint (03 §6.2).
fn checkpoint(spec: &WorkflowSpec, findings: &mut Vec<Diagnostic>) {
    let Some(checkpoint) = &spec.job_template.spec.checkpoint else { return };
    let claim = |d: &Value| kind_of(d) == "PersistentVolumeClaim" && name_of(d) == checkpoint.pvc_name;
    if !spec.dependencies.iter().any(claim) {
        let message = format!(
            "checkpoint names the claim {}, and no PersistentVolumeClaim of that name is among the dependencies",
            checkpoint.pvc_name
        );
        findings.push(
            Diagnostic::at(Code::CheckpointPVCMissing, "spec.jobTemplate.spec.checkpoint.pvcName", message)
                .with_help("name a claim of the dependencies, or add one of this name"),
        );
    }
}
