//! The difference of two values.

use super::change::{ChangeKind, ValueChange, WordChange};
use super::list::{Matched, matched};
use super::words;
use crate::diagnostic::{FieldPath, Segment};
use serde_json::{Map, Value};

/// Every difference between two values: fields by path, elements of lists by name where all have one (`name`, kind and
/// `metadata.name`, or the key by which Kubernetes merges them), else in sequence. Command lines and texts of several
/// lines also say what differs in them. Nothing for equal values.
///
/// ```
/// use nvcre_core::compare::values;
/// use serde_json::json;
/// let a = json!({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]});
/// let b = json!({"env": [{"name": "B", "value": "3"}]});
/// let changes = values(&a, &b);
/// let paths: Vec<String> = changes.iter().map(|c| c.path.to_string()).collect();
/// assert_eq!(paths, ["env[name=A]", "env[name=B].value"]);
/// let mut made = a;
/// nvcre_core::compare::apply(&mut made, &changes).unwrap();
/// assert_eq!(made, b);
/// ```
pub fn values(a: &Value, b: &Value) -> Vec<ValueChange> {
    let mut walk = Walk { here: FieldPath::root(), out: Vec::new() };
    walk.value(a, b);
    walk.out
}

struct Walk {
    here: FieldPath,
    out: Vec<ValueChange>,
}

impl Walk {
    fn value(&mut self, a: &Value, b: &Value) {
        match (a, b) {
            _ if a == b => {}
            (Value::Object(a), Value::Object(b)) => self.map(a, b),
            (Value::Array(a), Value::Array(b)) => self.list(a, b),
            (Value::String(old), Value::String(new)) if old.contains('\n') || new.contains('\n') => {
                let words = words::texts(old, new);
                self.change(ChangeKind::Changed, Some(a), Some(b), words);
            }
            _ => self.change(ChangeKind::Changed, Some(a), Some(b), Vec::new()),
        }
    }

    fn change(&mut self, kind: ChangeKind, old: Option<&Value>, new: Option<&Value>, words: Vec<WordChange>) {
        let change = ValueChange::new(self.here.clone(), kind, old.cloned(), new.cloned());
        self.out.push(ValueChange { words, ..change });
    }

    fn within(&mut self, step: Segment, work: impl FnOnce(&mut Self)) {
        self.here.0.push(step);
        work(self);
        self.here.0.pop();
    }

    fn map(&mut self, a: &Map<String, Value>, b: &Map<String, Value>) {
        let mut lines = words::command_lines(a, b);
        let only_b = b.keys().filter(|key| !a.contains_key(*key));
        let mut keys: Vec<&String> = a.keys().chain(only_b).collect();
        keys.sort_unstable();
        for key in keys {
            let (old, new) = (a.get(key), b.get(key));
            if old == new {
                continue;
            }
            self.within(Segment::Key(key.as_str().into()), |walk| match (old, new) {
                _ if lines.holds(key) => {
                    let kind = match (old, new) {
                        (None, _) => ChangeKind::Added,
                        (_, None) => ChangeKind::Removed,
                        _ => ChangeKind::Changed,
                    };
                    let words = lines.take(key);
                    walk.change(kind, old, new, words);
                }
                (Some(old), Some(new)) => walk.value(old, new),
                (old, None) => walk.change(ChangeKind::Removed, old, None, Vec::new()),
                (None, new) => walk.change(ChangeKind::Added, None, new, Vec::new()),
            });
        }
    }

    fn list(&mut self, a: &[Value], b: &[Value]) {
        let Matched { removed, added, both, moved } = matched(a, b);
        for (step, place) in removed {
            self.element(step, ChangeKind::Removed, Some(place), None, a.get(place), None);
        }
        for (step, from, to) in moved {
            self.element(step, ChangeKind::Moved, Some(from), Some(to), None, None);
        }
        for (step, place) in added {
            self.element(step, ChangeKind::Added, None, Some(place), None, b.get(place));
        }
        for (step, from, to) in both {
            if let (Some(old), Some(new)) = (a.get(from), b.get(to)) {
                self.within(step, |walk| walk.value(old, new));
            }
        }
    }

    fn element(
        &mut self,
        step: Segment,
        kind: ChangeKind,
        from: Option<usize>,
        to: Option<usize>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) {
        let change = ValueChange::new(self.here.with(step), kind, old.cloned(), new.cloned());
        self.out.push(ValueChange { from, to, ..change });
    }
}
