//! Making B of A.

use super::change::{ChangeKind, ValueChange};
use crate::diagnostic::{FieldPath, Segment};
use crate::lookup::find;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Changes that were not made for a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the changes belong to another value: nothing is at {path}")]
pub struct ApplyError {
    /// The field that a change speaks of and the value does not have.
    pub path: FieldPath,
}

/// Makes B of A: with all changes that [`super::values`] gave for the two, in any order.
///
/// # Errors
/// [`ApplyError`] when a field is not there; the value may be changed in part then.
pub fn apply(value: &mut Value, changes: &[ValueChange]) -> Result<(), ApplyError> {
    let changes: Vec<&ValueChange> = changes.iter().collect();
    at(value, 0, &changes)
}

/// Changes at and below one value, the first `depth` steps of whose paths lead to it.
fn at(value: &mut Value, depth: usize, changes: &[&ValueChange]) -> Result<(), ApplyError> {
    if let Some(whole) = changes.iter().find(|c| c.path.0.len() <= depth) {
        *value = whole.new.clone().unwrap_or_default();
        return Ok(());
    }
    let mut by_step: BTreeMap<&Segment, Vec<&ValueChange>> = BTreeMap::new();
    let mut elements = Vec::new();
    for change in changes {
        let Some(step) = change.path.0.get(depth) else { continue };
        // What is removed, added or moved here; everything else is below.
        if change.kind != ChangeKind::Changed && change.path.0.len() == depth + 1 {
            elements.push((step, *change));
        } else {
            by_step.entry(step).or_default().push(change);
        }
    }
    match value {
        Value::Object(map) => keys(map, &elements)?,
        Value::Array(list) => places(list, &elements)?,
        _ => {}
    }
    for (step, changes) in by_step {
        let below = match (&mut *value, step) {
            (Value::Object(map), Segment::Key(key)) => map.get_mut(&**key),
            (Value::Array(list), step) => find(list, step).and_then(|place| list.get_mut(place)),
            _ => None,
        };
        let Some(below) = below else { return Err(nothing(&changes)) };
        at(below, depth + 1, &changes)?;
    }
    Ok(())
}

fn nothing(changes: &[&ValueChange]) -> ApplyError {
    ApplyError { path: changes.first().map(|c| c.path.clone()).unwrap_or_default() }
}

fn keys(map: &mut Map<String, Value>, changes: &[(&Segment, &ValueChange)]) -> Result<(), ApplyError> {
    for (step, change) in changes {
        let Segment::Key(key) = step else { return Err(nothing(&[change])) };
        match change.kind {
            ChangeKind::Removed => drop(map.remove(&**key)),
            _ => drop(map.insert(key.to_string(), change.new.clone().unwrap_or_default())),
        }
    }
    Ok(())
}

/// Takes out what was removed and moved, then puts in what was added and moved, by rising place.
fn places(list: &mut Vec<Value>, changes: &[(&Segment, &ValueChange)]) -> Result<(), ApplyError> {
    let mut out: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    let mut into: BTreeMap<usize, Value> = BTreeMap::new();
    for (step, change) in changes {
        if change.kind == ChangeKind::Added {
            into.insert(change.to.unwrap_or(usize::MAX), change.new.clone().unwrap_or_default());
        } else {
            let place = find(list, step).ok_or_else(|| nothing(&[change]))?;
            out.insert(place, change.to.filter(|_| change.kind == ChangeKind::Moved));
        }
    }
    let mut place = 0;
    list.retain_mut(|element| {
        let leaves = out.get(&place).copied();
        place += 1;
        if let Some(Some(to)) = leaves {
            into.insert(to, std::mem::take(element));
        }
        leaves.is_none()
    });
    for (place, element) in into {
        list.insert(place.min(list.len()), element);
    }
    Ok(())
}
