//! What Kubernetes refuses in the parts of a pod, as JSON: the same rules for the parts that a run adds and for every
//! pod template of the result (00 D25).

mod container;
mod resources;
mod volume;

pub(crate) use container::{Container, env_name, env_source, trainer_image};
pub(crate) use resources::{resources, toleration};
pub(crate) use volume::{clean_path, mount, unique_mounts, volume_source};

use super::{is_dns1123_label, is_dns1123_subdomain, label_key_problem, label_value_problem};
use crate::api::Value;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use std::borrow::Cow;
use std::collections::BTreeSet;

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

/// Two elements with the same keys in a list that the API keys by them. An absent protocol is TCP.
pub(crate) fn unique(
    items: &[Value],
    path: &FieldPath,
    keys: &[&str],
    what: &str,
    at: &dyn Fn(&FieldPath, usize, &Value) -> FieldPath,
    out: &mut Vec<Diagnostic>,
) {
    if items.len() < 2 {
        return;
    }
    let mut seen: BTreeSet<Vec<Cow<'_, str>>> = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let of = |key: &&str| match item.get(*key) {
            Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
            Some(Value::Null) | None => if *key == "protocol" { "TCP" } else { "" }.into(),
            Some(other) => other.to_string().into(),
        };
        let key: Vec<Cow<'_, str>> = keys.iter().map(of).collect();
        if key.iter().all(|text| text.is_empty()) {
            continue;
        }
        let Some(key) = seen.replace(key) else { continue };
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

/// The name of another object, as a part of a pod refers to it.
pub(crate) fn object_name(name: &str, what: &str, path: FieldPath, out: &mut Vec<Diagnostic>) {
    if !is_dns1123_subdomain(name) {
        let message = format!(
            "{what} names {name:?}, which no object can be called: lower-case letters, digits, '-' and '.' are wanted"
        );
        out.push(Diagnostic::at(Code::BadReference, path, message).with_help("name an object as kubectl get shows it"));
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
