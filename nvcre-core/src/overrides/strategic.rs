//! Strategic merge of the job template (04 §4.1): maps recursively, lists replaced whole except the two of the
//! metadata that carry a merge tag, `null` deletes.

use super::merge::inserted;
use super::track::Tracker;
use crate::diagnostic::FieldPath;
use crate::trace::Recorder;
use serde_json::{Map, Value};

const DIRECTIVE: &str = "$patch";

/// Merges `patch` into the job template, in place. Directives other than [`directive_problems`] lets through are not
/// looked at: the caller refuses them first.
pub(super) fn merge<R: Recorder>(base: &mut Map<String, Value>, patch: &Map<String, Value>, t: &mut Tracker<'_, R>) {
    let filled = !base.is_empty();
    merge_map(base, patch, Place::Root, t);
    if filled && base.is_empty() {
        t.emptied();
    }
}

/// Where in the job template a map is; only there do lists merge.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    Metadata,
    Below,
}

fn merge_map<R: Recorder>(
    base: &mut Map<String, Value>,
    patch: &Map<String, Value>,
    place: Place,
    t: &mut Tracker<'_, R>,
) {
    if directive(patch) == Some("replace") {
        let mut old = Value::Object(std::mem::take(base));
        t.replace(&mut old, without_directives(patch));
        if let Value::Object(new) = old {
            *base = new;
        }
        return;
    }
    for (key, new) in patch {
        let below = if place == Place::Root && key == "metadata" { Place::Metadata } else { Place::Below };
        t.at(key, |t| {
            let deletes = new.is_null() || new.as_object().is_some_and(|m| directive(m) == Some("delete"));
            match (base.get_mut(key), new) {
                (None, _) if deletes => {}
                (Some(old), _) if deletes => {
                    t.difference(Some(old), None);
                    base.remove(key);
                }
                (None, new) => {
                    let new = stripped(new);
                    t.difference(None, Some(&new));
                    base.insert(key.clone(), new);
                }
                (Some(Value::Object(old)), Value::Object(new)) => {
                    let filled = !old.is_empty();
                    merge_map(old, new, below, t);
                    if filled && old.is_empty() && directive(new).is_none() {
                        t.emptied();
                    }
                }
                (Some(old), Value::Array(new)) if place == Place::Metadata && key == "finalizers" => {
                    let merged = union(old, new);
                    t.replace(old, merged);
                }
                (Some(old), Value::Array(new)) if place == Place::Metadata && key == "ownerReferences" => {
                    let merged = by_uid(old, new);
                    t.replace(old, merged);
                }
                (Some(old), new) => t.replace(old, stripped(new)),
            }
        });
    }
}

/// Union of strings: the base's, then the new ones.
fn union(old: &Value, new: &[Value]) -> Value {
    let mut out: Vec<Value> = old.as_array().cloned().unwrap_or_default();
    for item in new {
        if !out.contains(item) {
            out.push(item.clone());
        }
    }
    Value::Array(out)
}

/// Owner references of the same `uid` are merged, new ones go to the end.
fn by_uid(old: &Value, new: &[Value]) -> Value {
    let uid = |v: &Value| v.get("uid").and_then(Value::as_str).map(str::to_owned);
    let mut out: Vec<Value> = old.as_array().cloned().unwrap_or_default();
    for item in new {
        let same = uid(item).and_then(|u| out.iter_mut().find(|o| uid(o).as_ref() == Some(&u)));
        match (same, item) {
            (Some(Value::Object(owner)), Value::Object(item)) => {
                for (key, value) in item {
                    match value {
                        Value::Null => drop(owner.remove(key)),
                        value => drop(owner.insert(key.clone(), value.clone())),
                    }
                }
            }
            _ => out.push(inserted(item)),
        }
    }
    Value::Array(out)
}

fn directive(map: &Map<String, Value>) -> Option<&str> {
    map.get(DIRECTIVE).and_then(Value::as_str)
}

/// A value as it is inserted: no nulls, no directives.
fn stripped(value: &Value) -> Value {
    match value {
        Value::Object(map) => without_directives(map),
        other => inserted(other),
    }
}

fn without_directives(map: &Map<String, Value>) -> Value {
    let deleted = |v: &Value| v.is_null() || v.as_object().is_some_and(|m| directive(m) == Some("delete"));
    let kept = map.iter().filter(|(key, value)| *key != DIRECTIVE && !deleted(value));
    Value::Object(kept.map(|(key, value)| (key.clone(), stripped(value))).collect())
}

/// Keys beginning with `$` that are not understood, each with its path in the patch and the reason: only `$patch` with
/// `replace` or `delete` on an object that is no list element is (04 §4.1).
pub(super) fn directive_problems(patch: &Value) -> Vec<(FieldPath, String)> {
    let mut out = Vec::new();
    scan(patch, &FieldPath::root(), true, false, &mut out);
    out
}

fn scan(value: &Value, path: &FieldPath, root: bool, in_list: bool, out: &mut Vec<(FieldPath, String)>) {
    match value {
        _ if !has_directive(value) => {}
        Value::Object(map) => {
            for (key, value) in map {
                let at = path.key(key);
                if let Some(problem) = problem(key, value, root, in_list) {
                    out.push((at, problem));
                } else {
                    scan(value, &at, false, in_list, out);
                }
            }
        }
        Value::Array(list) => {
            for (at, element) in list.iter().enumerate() {
                scan(element, &path.index(at), false, true, out);
            }
        }
        _ => {}
    }
}

/// Tells before any path is made.
fn has_directive(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| key.starts_with('$') || has_directive(value)),
        Value::Array(list) => list.iter().any(has_directive),
        _ => false,
    }
}

fn problem(key: &str, value: &Value, root: bool, in_list: bool) -> Option<String> {
    if !key.starts_with('$') {
        return None;
    }
    if key != DIRECTIVE {
        return Some(format!("the directive {key:?} is not supported"));
    }
    match value.as_str() {
        _ if in_list => Some("\"$patch\" inside a list is not supported: lists are replaced whole".to_owned()),
        Some("delete") if root => Some("\"$patch: delete\" would delete the whole job template".to_owned()),
        Some("replace" | "delete") => None,
        _ => Some(format!("\"$patch: {value}\" is not supported, only \"replace\" and \"delete\" are")),
    }
}
