//! What an override changed, for the trace and for `noOp`, found while merging: nothing is compared afterwards and,
//! with the empty recorder, nothing is cloned.
//!
//! The trace speaks of leaves: scalars, empty maps, and lists that cannot be addressed by name. Maps and lists whose
//! elements all carry a different `name` are descended into (`env[name=FOO].value`), so that every single variable,
//! container and volume can be asked for.

use super::layer::Layer;
use super::merge::{element_name, is_named};
use crate::diagnostic::{FieldPath, Segment};
use crate::trace::{Change, Origin, Recorder, Subject};
use serde_json::Value;
use std::collections::BTreeMap;

/// Collects the changes of one override.
pub(super) struct Tracker<'a, R> {
    recorder: &'a mut R,
    layer: &'a Layer,
    path: Vec<Segment>,
    muted: bool,
    /// True as soon as something changed.
    pub changed: bool,
}

impl<'a, R: Recorder> Tracker<'a, R> {
    pub fn new(recorder: &'a mut R, layer: &'a Layer) -> Self {
        Self { recorder, layer, path: Vec::new(), muted: false, changed: false }
    }

    /// Works below one more step of the path.
    pub fn within<T>(&mut self, segment: impl FnOnce() -> Segment, work: impl FnOnce(&mut Self) -> T) -> T {
        if !R::ON {
            return work(self);
        }
        self.path.push(segment());
        let out = work(self);
        self.path.pop();
        out
    }

    /// Works below the key of a map.
    pub fn at<T>(&mut self, key: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        self.within(|| Segment::Key(key.into()), work)
    }

    /// Works below a whole path.
    pub fn below<T>(&mut self, path: impl FnOnce() -> FieldPath, work: impl FnOnce(&mut Self) -> T) -> T {
        if !R::ON {
            return work(self);
        }
        let before = self.path.len();
        self.path.extend(path().0);
        let out = work(self);
        self.path.truncate(before);
        out
    }

    /// True when changes are kept right now.
    pub fn records(&self) -> bool {
        R::ON && !self.muted
    }

    /// Works without recording; the caller compares old and new by itself. `noOp` is still found.
    pub fn muted<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.muted, true);
        let out = work(self);
        self.muted = before;
        out
    }

    /// Replaces a value.
    pub fn replace(&mut self, slot: &mut Value, new: Value) {
        if *slot != new {
            self.difference(Some(slot), Some(&new));
            *slot = new;
        }
    }

    /// The value at the current path went from `old` to `new`. Both present and equal: nothing changed.
    pub fn difference(&mut self, old: Option<&Value>, new: Option<&Value>) {
        if old == new {
            return;
        }
        self.changed = true;
        if self.records() {
            self.leaves(old, new);
        }
    }

    /// A map lost its last key, which leaves an empty map: a leaf of its own.
    pub fn emptied(&mut self) {
        if self.records() {
            self.leaf(None, Some(&Value::Object(serde_json::Map::new())));
        }
    }

    fn leaves(&mut self, old: Option<&Value>, new: Option<&Value>) {
        if old == new {
            return;
        }
        match (old, new) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                for key in old.keys().chain(new.keys().filter(|k| !old.contains_key(*k))) {
                    self.at(key, |t| t.leaves(old.get(key), new.get(key)));
                }
                if new.is_empty() {
                    self.emptied();
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if by_name(old) && by_name(new) => {
                let (old_names, new_names) = (index(old), index(new));
                for (name, element) in old.iter().filter_map(named) {
                    let other = new_names.get(name).copied();
                    self.within(|| Segment::Named(name.into()), |t| t.leaves(Some(element), other));
                }
                for (name, element) in new.iter().filter_map(named).filter(|(n, _)| !old_names.contains_key(n)) {
                    self.within(|| Segment::Named(name.into()), |t| t.leaves(None, Some(element)));
                }
            }
            (Some(old), Some(new)) if is_leaf(old) && is_leaf(new) => self.leaf(Some(old), Some(new)),
            (old, new) => {
                self.each_leaf(old, |t, leaf| t.leaf(Some(leaf), None));
                self.each_leaf(new, |t, leaf| t.leaf(None, Some(leaf)));
            }
        }
    }

    /// Every leaf of one side.
    fn each_leaf(&mut self, value: Option<&Value>, record: fn(&mut Self, &Value)) {
        match value {
            None => {}
            Some(Value::Object(map)) if !map.is_empty() => {
                for (key, value) in map {
                    self.at(key, |t| t.each_leaf(Some(value), record));
                }
            }
            Some(Value::Array(list)) if by_name(list) => {
                for (name, element) in list.iter().filter_map(named) {
                    self.within(|| Segment::Named(name.into()), |t| t.each_leaf(Some(element), record));
                }
            }
            Some(leaf) => record(self, leaf),
        }
    }

    fn leaf(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let (path, layer) = (&self.path, self.layer);
        self.recorder.record(|| Change {
            subject: Subject::Field { path: FieldPath(path.clone()) },
            origin: origin(layer, path),
            old: old.cloned(),
            new: new.cloned(),
        });
    }
}

/// The layer, or the field of the run whose value the entry carries (04 §7).
fn origin(layer: &Layer, path: &[Segment]) -> Origin {
    let variable = path.windows(2).rev().find_map(|pair| match pair {
        [Segment::Key(list), Segment::Named(name)] if &**list == "env" => Some(name),
        _ => None,
    });
    match variable.and_then(|name| layer.substituted.get(&**name)) {
        Some(path) => Origin::Run { path: path.clone() },
        None => layer.origin.clone(),
    }
}

fn named(element: &Value) -> Option<(&str, &Value)> {
    element_name(element).map(|name| (name, element))
}

fn index(list: &[Value]) -> BTreeMap<&str, &Value> {
    list.iter().filter_map(named).collect()
}

/// Every element has a name of its own, so that a path can name it.
pub(super) fn by_name(list: &[Value]) -> bool {
    is_named(list) && index(list).len() == list.len()
}

fn is_leaf(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(list) => !by_name(list),
        _ => true,
    }
}
