//! The layers that set a field of the Workflow, first to last.
//!
//! The trace holds what overrides changed, leaf by leaf. What a field was before is found by undoing these changes from
//! the end, and where that came from by [`field_origin`].

use super::Explainer;
use super::model::Link;
use crate::diagnostic::{FieldPath, Segment};
use crate::lookup::{self, value_at};
use crate::trace::{Change, Origin, Subject};
use crate::workflow::{FieldOrigin, field_origin};
use serde_json::{Map, Value, json};

/// One state of a value: who made it so, and what it is then.
struct State {
    origin: Origin,
    value: Option<Value>,
}

impl Explainer<'_> {
    /// A link of a chain.
    pub(super) fn link(&self, origin: Origin, value: Option<Value>, replaced: Option<Value>) -> Link {
        Link { place: self.place(&origin), origin, value, replaced }
    }

    /// The layers of a field of the Workflow. The path is one of [`Explainer::canonical`].
    pub(super) fn field_chain(&self, path: &FieldPath) -> Vec<Link> {
        let value = value_at(&self.workflow, path).cloned();
        let (base, states) = self.states(path, value);
        let mut out = match &base {
            Some(base) => self.base_chain(path, base),
            None => Vec::new(),
        };
        let mut before = base;
        for state in states {
            let value = state.value.clone();
            out.push(self.link(state.origin, state.value, before));
            before = value;
        }
        out
    }

    /// What a field was before any override, and what each of them made of it.
    fn states(&self, path: &FieldPath, value: Option<Value>) -> (Option<Value>, Vec<State>) {
        let mut now = value;
        let mut states: Vec<State> = Vec::new();
        for (changed, change) in self.changes_about(path).rev() {
            if states.last().is_none_or(|s| s.origin != change.origin) {
                states.push(State { origin: change.origin.clone(), value: now.clone() });
            }
            match changed.0.get(path.0.len()..) {
                // Something below: undo it there.
                Some(rest) if !rest.is_empty() => undo(&mut now, rest, change.old.clone()),
                // The field itself, or a whole that holds it.
                _ => {
                    let inner = FieldPath(path.0.get(changed.0.len()..).unwrap_or_default().to_vec());
                    now = change.old.as_ref().and_then(|old| value_at(old, &inner)).cloned();
                }
            }
        }
        states.reverse();
        (now, states)
    }

    /// The changes of fields that are this one, hold it, or are below it.
    fn changes_about<'s>(
        &'s self,
        path: &'s FieldPath,
    ) -> impl DoubleEndedIterator<Item = (&'s FieldPath, &'s Change)> {
        self.trace.changes.iter().filter_map(move |change| match &change.subject {
            Subject::Field { path: changed } if related(changed, path) => Some((changed, change)),
            _ => None,
        })
    }

    /// Where a field of the base Workflow comes from. The last link has the value that the field has there.
    fn base_chain(&self, path: &FieldPath, base: &Value) -> Vec<Link> {
        let mut links = match field_origin(path, &self.rendering.run, self.rendering.facts.framework) {
            FieldOrigin::Run(field) => vec![self.link(self.run_origin(&field), None, None)],
            FieldOrigin::Value(name) => self.value_chain(name),
            FieldOrigin::Env(name) => self.env_chain(&name),
            FieldOrigin::Gang(field) => {
                let given = value_at(&self.run, &field).is_some_and(|v| v.as_str().is_some_and(|t| !t.is_empty()));
                let origin = if given { self.run_origin(&field) } else { Origin::Default { source: "02 §6".into() } };
                vec![self.link(origin, None, None)]
            }
            FieldOrigin::Command => self.command_origins(path),
            FieldOrigin::Default(source) => vec![self.link(Origin::Default { source: source.into() }, None, None)],
        };
        if let Some(last) = links.last_mut() {
            last.value = Some(base.clone());
        }
        links
    }

    /// The layers of a resolved value.
    pub(super) fn value_chain(&self, name: &str) -> Vec<Link> {
        self.subject_chain(|subject| matches!(subject, Subject::Value { name: own } if own == name))
    }

    /// The layers of a variable of the merged environment, before overrides change the containers.
    pub(super) fn env_chain(&self, name: &str) -> Vec<Link> {
        self.subject_chain(|subject| matches!(subject, Subject::Env { name: own } if own == name))
    }

    /// The links of all changes of one subject, each replacing the one before.
    pub(super) fn subject_chain(&self, is: impl Fn(&Subject) -> bool) -> Vec<Link> {
        let mut before = None;
        let changes = self.trace.changes.iter().filter(|c| is(&c.subject));
        let links = changes.map(|change| {
            let replaced = std::mem::replace(&mut before, change.new.clone());
            self.link(self.origin_of(change), change.new.clone(), replaced)
        });
        links.collect()
    }

    /// The path as the trace writes it: elements of lists by name where all have one, dependencies by kind and name.
    /// With the number of steps that are there.
    pub(super) fn canonical(&self, path: &FieldPath) -> (FieldPath, usize) {
        let mut out = FieldPath::root();
        let mut value = Some(&self.workflow);
        let mut there = 0;
        for segment in &path.0 {
            let segment = match value {
                Some(Value::Array(list)) => name_of(list, segment),
                _ => segment.clone(),
            };
            value = value.and_then(|v| lookup::step(v, &segment));
            there += usize::from(value.is_some());
            out = out.with(segment);
        }
        (out, there)
    }
}

/// One path holds the other, or they are equal.
fn related(a: &FieldPath, b: &FieldPath) -> bool {
    a.0.iter().zip(&b.0).all(|(a, b)| a == b)
}

/// The step to an element of a list, by name where that is clear; a key is taken for a name or a number.
fn name_of(list: &[Value], segment: &Segment) -> Segment {
    let asked = match segment {
        Segment::Key(key) => match lookup::find(list, &Segment::Named(key.clone())) {
            Some(_) => Segment::Named(key.clone()),
            None => key.parse().map_or_else(|_| segment.clone(), Segment::Index),
        },
        segment => segment.clone(),
    };
    let Some(place) = lookup::find(list, &asked) else { return asked };
    match lookup::names(list).and_then(|names| names.into_iter().nth(place)) {
        Some(name) => Segment::Named(name.into()),
        None => Segment::Index(place),
    }
}

/// Puts an old value back at a path below a value.
fn undo(value: &mut Option<Value>, path: &[Segment], old: Option<Value>) {
    let Some((first, rest)) = path.split_first() else {
        *value = old;
        return;
    };
    let empty = match first {
        Segment::Key(_) => Value::Object(Map::new()),
        Segment::Named(_) | Segment::Keyed(..) | Segment::Index(_) => Value::Array(Vec::new()),
    };
    let slot = value.get_or_insert(empty);
    match (first, slot) {
        (Segment::Key(key), Value::Object(map)) => {
            let mut inner = map.remove(&**key);
            undo(&mut inner, rest, old);
            // What only held the value is gone with it.
            if let Some(inner) = inner.filter(|v| rest.is_empty() || !is_empty(v)) {
                map.insert(key.to_string(), inner);
            }
        }
        (Segment::Named(name), Value::Array(list)) => {
            let at = lookup::find(list, first);
            let mut inner = at.map(|at| list.remove(at)).or_else(|| Some(json!({ "name": &**name })));
            undo(&mut inner, rest, old);
            let named_only = |v: &Value| v.as_object().is_some_and(|m| m.len() <= usize::from(m.contains_key("name")));
            if let Some(inner) = inner.filter(|v| !named_only(v)) {
                list.insert(at.unwrap_or(list.len()), inner);
            }
        }
        (Segment::Index(index), Value::Array(list)) => {
            if let Some(slot) = list.get_mut(*index) {
                let mut inner = Some(slot.take());
                undo(&mut inner, rest, old);
                *slot = inner.unwrap_or_default();
            }
        }
        _ => {}
    }
    if value.as_ref().is_some_and(is_empty) {
        *value = None;
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}
