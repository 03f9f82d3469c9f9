//! Merging of dependencies (04 §5): maps recursively, lists by `name`, everything else replaced, `null` deletes.

use super::track::{Tracker, by_name};
use crate::diagnostic::Segment;
use crate::trace::Recorder;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Key below which maps that a deletion emptied go away (00 D53).
const RESOURCES: &str = "resources";

/// Merges an override object into a base object, in place (04 §5.2).
pub(super) fn merge_object<R: Recorder>(
    base: &mut Map<String, Value>,
    patch: &Map<String, Value>,
    t: &mut Tracker<'_, R>,
) {
    merge_map(base, patch, false, t);
}

/// An object as it is inserted: without nulls, which delete where something is and mean nothing elsewhere (04 §5.2,
/// a deliberate difference).
pub(super) fn inserted(value: &Value) -> Value {
    cleaned(value, false)
}

/// `under` says that one of the keys above is `resources`.
fn merge_map<R: Recorder>(
    base: &mut Map<String, Value>,
    patch: &Map<String, Value>,
    under: bool,
    t: &mut Tracker<'_, R>,
) {
    for (key, new) in patch {
        let below = under || key == RESOURCES;
        t.at(key, |t| match (base.get_mut(key), new) {
            (None, Value::Null) => {}
            (Some(old), Value::Null) => {
                t.difference(Some(old), None);
                base.remove(key);
            }
            (None, new) => {
                let new = cleaned(new, below);
                // `limits: {x: null}` where there are no limits asks for nothing.
                if !(under && vanished(&new, patch.get(key))) {
                    t.difference(None, Some(&new));
                    base.insert(key.clone(), new);
                }
            }
            (Some(Value::Object(old)), Value::Object(new)) => {
                let filled = !old.is_empty();
                merge_map(old, new, below, t);
                match filled && old.is_empty() {
                    true if under => drop(base.remove(key)),
                    true => t.emptied(),
                    false => {}
                }
            }
            (Some(Value::Array(old)), Value::Array(new)) if is_named(old) && is_named(new) => {
                merge_list(old, new, below, t);
            }
            (Some(old), new) => t.replace(old, cleaned(new, below)),
        });
    }
}

/// True when dropping nulls left nothing of a map that held some.
fn vanished(cleaned: &Value, written: Option<&Value>) -> bool {
    let empty = |v: &Value| v.as_object().is_some_and(Map::is_empty);
    empty(cleaned) && !written.is_some_and(empty)
}

/// Two named lists (04 §5.3): base order is kept, elements of the same name are merged, new ones go to the end.
///
/// Names that occur twice (04 §5.3, a deliberate difference): every base element stays and the last one of the name is
/// merged; of equal names in the override the last one counts.
fn merge_list<R: Recorder>(base: &mut Vec<Value>, patch: &[Value], under: bool, t: &mut Tracker<'_, R>) {
    if t.records() && !by_name(base) {
        // Paths by name would be ambiguous: the list is one leaf of the trace.
        let before = Value::Array(base.clone());
        t.muted(|t| merge_elements(base, patch, under, t));
        t.difference(Some(&before), Some(&Value::Array(base.clone())));
    } else {
        merge_elements(base, patch, under, t);
    }
}

fn merge_elements<R: Recorder>(base: &mut Vec<Value>, patch: &[Value], under: bool, t: &mut Tracker<'_, R>) {
    let last: BTreeMap<&str, usize> =
        patch.iter().enumerate().filter_map(|(at, e)| element_name(e).map(|n| (n, at))).collect();
    let mut open = last.clone();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (at, element) in base.iter().enumerate().rev() {
        pairs.extend(element_name(element).and_then(|n| open.remove(n)).map(|patch_at| (at, patch_at)));
    }
    for (at, patch_at) in pairs.into_iter().rev() {
        if let (Some(Value::Object(old)), Some(Value::Object(new))) = (base.get_mut(at), patch.get(patch_at)) {
            let name = new.get("name").and_then(Value::as_str).unwrap_or_default();
            t.within(|| Segment::Named(name.into()), |t| merge_map(old, new, under, t));
        }
    }
    for (at, element) in patch.iter().enumerate() {
        let Some(name) = element_name(element) else { continue };
        if open.contains_key(name) && last.get(name) == Some(&at) {
            let new = cleaned(element, under);
            t.within(|| Segment::Named(name.into()), |t| t.difference(None, Some(&new)));
            base.push(new);
        }
    }
}

/// A list is named when it is not empty and every element is an object with a non-empty string `name` (04 §5.3).
pub(super) fn is_named(list: &[Value]) -> bool {
    !list.is_empty() && list.iter().all(|e| element_name(e).is_some())
}

/// The name of a list element.
pub(super) fn element_name(element: &Value) -> Option<&str> {
    element.as_object()?.get("name")?.as_str().filter(|n| !n.is_empty())
}

fn cleaned(value: &Value, under: bool) -> Value {
    match value {
        Value::Object(map) => {
            let keep = |(key, value): (&String, &Value)| {
                if value.is_null() {
                    return None;
                }
                let new = cleaned(value, under || key == RESOURCES);
                (!(under && vanished(&new, Some(value)))).then(|| (key.clone(), new))
            };
            Value::Object(map.iter().filter_map(keep).collect())
        }
        Value::Array(list) => Value::Array(list.iter().filter(|e| !e.is_null()).map(|e| cleaned(e, under)).collect()),
        scalar => scalar.clone(),
    }
}
