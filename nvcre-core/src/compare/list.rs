//! Which elements of two lists belong together.

use crate::diagnostic::Segment;
use crate::lookup::{key_text, named, reference};
use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeMap;

/// The fields that tell the elements of a list apart, where there is no `name`. As Kubernetes merges them.
const KEYS: [&str; 4] = ["mountPath", "containerPort", "devicePath", "manager"];

/// How the elements of a list are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// By `name`.
    Name,
    /// By kind and `metadata.name`.
    Object,
    /// By another field.
    Key(&'static str),
}

impl Identity {
    const ALL: [Self; 6] =
        [Self::Name, Self::Object, Self::Key(KEYS[0]), Self::Key(KEYS[1]), Self::Key(KEYS[2]), Self::Key(KEYS[3])];

    fn of(self, element: &Value) -> Option<Segment> {
        match self {
            Self::Name => named(element).map(|name| Segment::Named(name.into())),
            Self::Object => reference(element).map(|reference| Segment::Named(reference.into())),
            Self::Key(field) => Some(Segment::Keyed(field.into(), key_text(element.get(field)?)?.into())),
        }
    }

    /// The elements of a list by this; `None` when one has none or two have the same.
    fn all(self, list: &[Value]) -> Option<BTreeMap<Segment, usize>> {
        let mut out = BTreeMap::new();
        for (place, element) in list.iter().enumerate() {
            if out.insert(self.of(element)?, place).is_some() {
                return None;
            }
        }
        Some(out)
    }
}

/// What became of the elements of a list.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// Step and place of elements that only A has.
    pub removed: Vec<(Segment, usize)>,
    /// Step and place of elements that only B has.
    pub added: Vec<(Segment, usize)>,
    /// Step, place in A, place in B, of elements that both have.
    pub both: Vec<(Segment, usize, usize)>,
    /// Step, place in A, place in B, of elements in another order.
    pub moved: Vec<(Segment, usize, usize)>,
}

/// Matches the elements of two lists: by name where all of both have one, else in sequence.
pub(super) fn matched(a: &[Value], b: &[Value]) -> Matched {
    let named = Identity::ALL.into_iter().find_map(|by| by.all(a).zip(by.all(b)));
    match named {
        Some((a, b)) => by_name(a, b),
        None => in_sequence(a, b),
    }
}

fn by_name(a: BTreeMap<Segment, usize>, mut b: BTreeMap<Segment, usize>) -> Matched {
    let mut out = Matched::default();
    for (step, from) in a {
        match b.remove(&step) {
            Some(to) => out.both.push((step, from, to)),
            None => out.removed.push((step, from)),
        }
    }
    out.added = b.into_iter().collect();
    out.removed.sort_by_key(|(_, from)| *from);
    out.added.sort_by_key(|(_, to)| *to);
    out.both.sort_by_key(|(_, from, _)| *from);
    let in_order = longest_rising(&out.both.iter().map(|(_, _, to)| *to).collect::<Vec<_>>());
    let moved = out.both.iter().zip(in_order).filter(|(_, kept)| !kept).map(|(pair, _)| pair.clone());
    out.moved = moved.collect();
    out.moved.sort_by_key(|(_, _, to)| *to);
    out.both.sort_by_key(|(_, _, to)| *to);
    out
}

fn in_sequence(a: &[Value], b: &[Value]) -> Matched {
    let texts = |list: &[Value]| -> Vec<String> { list.iter().map(Value::to_string).collect() };
    let mut out = Matched::default();
    for operation in sequence(&texts(a), &texts(b)) {
        let (old, new) = (operation.old_range(), operation.new_range());
        if matches!(operation, DiffOp::Equal { .. }) {
            continue;
        }
        // What stands in the place of another is taken for the same, changed, unless it speaks of something else.
        let (mut removed, mut added) = (old, new);
        loop {
            match (removed.next(), added.next()) {
                (Some(from), Some(to)) if alike(a.get(from), b.get(to)) => {
                    out.both.push((Segment::Index(to), from, to))
                }
                (None, None) => break,
                (from, to) => {
                    out.removed.extend(from.map(|from| (Segment::Index(from), from)));
                    out.added.extend(to.map(|to| (Segment::Index(to), to)));
                }
            }
        }
    }
    out
}

/// False for two objects of which each names something else.
fn alike(a: Option<&Value>, b: Option<&Value>) -> bool {
    ["key", "name", "kind"].iter().all(|field| {
        let of = |value: Option<&Value>| value.and_then(|value| value.get(*field)).filter(|v| v.is_string()).cloned();
        of(a).zip(of(b)).is_none_or(|(a, b)| a == b)
    })
}

/// The difference of two sequences.
pub(super) fn sequence<T: std::hash::Hash + Eq + Ord>(a: &[T], b: &[T]) -> Vec<DiffOp> {
    capture_diff_slices(Algorithm::Myers, a, b)
}

/// Marks one longest rising subsequence of different numbers.
pub(super) fn longest_rising(numbers: &[usize]) -> Vec<bool> {
    // The places of the smallest last number of a rising subsequence, by its length; and what stands before each.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    let number = |place: usize| numbers.get(place).copied().unwrap_or(usize::MAX);
    for (place, n) in numbers.iter().enumerate() {
        let length = tails.partition_point(|tail| number(*tail) < *n);
        before.push(length.checked_sub(1).and_then(|l| tails.get(l).copied()));
        match tails.get_mut(length) {
            Some(tail) => *tail = place,
            None => tails.push(place),
        }
    }
    let mut out = vec![false; numbers.len()];
    let mut next = tails.last().copied();
    while let Some(place) = next {
        if let Some(mark) = out.get_mut(place) {
            *mark = true;
        }
        next = before.get(place).copied().flatten();
    }
    out
}
