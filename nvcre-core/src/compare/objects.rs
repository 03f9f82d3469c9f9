//! Objects of Kubernetes: which of two lists are the same, and what differs in them.

use super::change::{ChangeKind, ValueChange};
use super::difference::{ObjectChange, ObjectScope};
use super::values::values;
use crate::diagnostic::FieldPath;
use serde_json::Value;
use std::collections::BTreeMap;

/// Kind, namespace and name of an object.
pub(super) fn identity(object: &Value) -> (&str, &str, &str) {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    (text("/kind"), text("/metadata/namespace"), text("/metadata/name"))
}

/// What differs between two lists of objects. Objects are the same by kind, namespace and name; of what is left, the only
/// one of a kind is the same under another name.
pub(super) fn compare(a: &[&Value], b: &[&Value], scope: ObjectScope) -> Vec<ObjectChange> {
    let mut new: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, object) in b.iter().enumerate().rev() {
        new.entry(identity(object)).or_default().push(place);
    }
    let mut pairs: Vec<Option<usize>> =
        a.iter().map(|object| new.get_mut(&identity(object)).and_then(Vec::pop)).collect();
    let mut rest: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for ((kind, ..), places) in new {
        rest.entry(kind).or_default().extend(places);
    }
    let mut alone: BTreeMap<&str, usize> = BTreeMap::new();
    for (object, _) in a.iter().zip(&pairs).filter(|(_, to)| to.is_none()) {
        *alone.entry(identity(object).0).or_default() += 1;
    }
    for place in 0..a.len() {
        let Some(object) = a.get(place).filter(|_| pairs.get(place) == Some(&None)) else { continue };
        let kind = identity(object).0;
        if let Some([only]) = rest.get(kind).map(Vec::as_slice)
            && alone.get(kind) == Some(&1)
            && let Some(slot) = pairs.get_mut(place)
        {
            *slot = Some(*only);
            rest.remove(kind);
        }
    }
    let change = |object: &Value, change, changes| {
        let (kind, _, name) = identity(object);
        ObjectChange { kind: kind.to_owned(), name: name.to_owned(), scope, change, changes }
    };
    let whole = |object: &Value, kind, old: bool| {
        let value = Some(object.clone());
        let (old, new) = if old { (value, None) } else { (None, value) };
        change(object, kind, vec![ValueChange::new(FieldPath::root(), kind, old, new)])
    };
    let mut out = Vec::new();
    for (object, to) in a.iter().zip(&pairs) {
        match to.and_then(|to| b.get(to)) {
            None => out.push(whole(object, ChangeKind::Removed, true)),
            Some(other) => {
                let changes = values(object, other);
                if !changes.is_empty() {
                    out.push(change(object, ChangeKind::Changed, changes));
                }
            }
        }
    }
    let mut added: Vec<usize> = rest.into_values().flatten().collect();
    added.sort_unstable();
    out.extend(added.into_iter().filter_map(|place| b.get(place)).map(|o| whole(o, ChangeKind::Added, false)));
    out
}
