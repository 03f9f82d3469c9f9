//! Which groups of two renderings are the same, and which nodes changed theirs.

use super::difference::{GroupChange, NodeMove};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A group: its name, and its nodes by name in byte order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Group<'a> {
    pub name: String,
    pub nodes: Vec<&'a str>,
}

/// What became of the groups.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Places in A and B of the groups that are the same.
    pub pairs: Vec<(usize, usize)>,
    pub changes: Vec<GroupChange>,
    pub moves: Vec<NodeMove>,
}

/// Which groups have found each other.
struct Pairing {
    of_a: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairing {
    /// Pairs two groups that are both still alone.
    fn pair(&mut self, from: usize, to: usize) {
        if let (Some(slot @ None), Some(taken @ false)) = (self.of_a.get_mut(from), self.taken.get_mut(to)) {
            *slot = Some(to);
            *taken = true;
        }
    }

    fn is_alone(&self, from: usize) -> bool {
        self.of_a.get(from).is_some_and(Option::is_none)
    }
}

/// Matches groups: equal nodes first, then the largest number of nodes in common; of several the earlier ones.
pub(super) fn compare(a: &[Group<'_>], b: &[Group<'_>]) -> Groups {
    let mut found = Pairing { of_a: vec![None; a.len()], taken: vec![false; b.len()] };
    // Most groups did not change, and most of those kept their place.
    for (place, (old, new)) in a.iter().zip(b).enumerate() {
        if old.nodes == new.nodes {
            found.pair(place, place);
        }
    }
    let mut equal: BTreeMap<&[&str], Vec<usize>> = BTreeMap::new();
    for (place, group) in b.iter().enumerate().rev().filter(|(place, _)| !found.taken.get(*place).is_some_and(|t| *t)) {
        equal.entry(&group.nodes).or_default().push(place);
    }
    for (place, group) in a.iter().enumerate() {
        if found.is_alone(place)
            && let Some(to) = equal.get_mut(group.nodes.as_slice()).and_then(Vec::pop)
        {
            found.pair(place, to);
        }
    }
    let open: Vec<(usize, &Group<'_>)> = a.iter().enumerate().filter(|(place, _)| found.is_alone(*place)).collect();
    if !open.is_empty() {
        let rest = b.iter().enumerate().filter(|(place, _)| !found.taken.get(*place).is_some_and(|t| *t));
        for (_, from, to) in overlaps(&open, rest) {
            found.pair(from, to);
        }
    }
    let mut out = Groups::default();
    for (from, (old, to)) in a.iter().zip(&found.of_a).enumerate() {
        out.pairs.extend(to.map(|to| (from, to)));
        out.changes.extend(change(Some(old), to.and_then(|to| b.get(to))));
    }
    let new = found.taken.iter().zip(b).filter(|(taken, _)| !**taken).map(|(_, group)| group);
    out.changes.extend(new.filter_map(|group| change(None, Some(group))));
    out.moves = moves(a, b, &out.changes);
    out
}

/// Pairs of groups that share nodes, or without nodes a name; the best first.
fn overlaps<'g>(
    a: &[(usize, &'g Group<'g>)],
    b: impl Iterator<Item = (usize, &'g Group<'g>)>,
) -> Vec<(Reverse<usize>, usize, usize)> {
    let mut by_node: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, group) in b {
        for node in &group.nodes {
            by_node.entry(node).or_default().push(place);
        }
        if group.nodes.is_empty() {
            by_name.insert(&group.name, place);
        }
    }
    let mut out = Vec::new();
    for (from, group) in a {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for place in group.nodes.iter().filter_map(|node| by_node.get(node)).flatten() {
            *counts.entry(*place).or_default() += 1;
        }
        if group.nodes.is_empty() {
            counts.extend(by_name.get(group.name.as_str()).map(|place| (*place, 0)));
        }
        out.extend(counts.into_iter().map(|(to, count)| (Reverse(count), *from, to)));
    }
    out.sort_unstable();
    out
}

/// What differs in a group; `None` when nothing does.
fn change(a: Option<&Group<'_>>, b: Option<&Group<'_>>) -> Option<GroupChange> {
    if a == b {
        return None;
    }
    let old = a.map(|g| g.nodes.as_slice()).unwrap_or_default();
    let new = b.map(|g| g.nodes.as_slice()).unwrap_or_default();
    let only = |these: &[&str], others: &[&str]| -> Vec<String> {
        these.iter().filter(|node| others.binary_search(node).is_err()).map(|node| (*node).to_owned()).collect()
    };
    let lost = only(old, new);
    Some(GroupChange {
        a: a.map(|g| g.name.clone()),
        b: b.map(|g| g.name.clone()),
        kept: old.len() - lost.len(),
        gained: only(new, old),
        lost,
    })
}

/// Nodes of both sides that a group lost or gained.
fn moves(a: &[Group<'_>], b: &[Group<'_>], changes: &[GroupChange]) -> Vec<NodeMove> {
    let touched: BTreeSet<&str> =
        changes.iter().flat_map(|c| c.lost.iter().chain(&c.gained)).map(String::as_str).collect();
    if touched.is_empty() {
        return Vec::new();
    }
    let (mut from, mut to) = (groups_of(a, &touched), groups_of(b, &touched));
    let node =
        |node: &&str| Some(NodeMove { node: (*node).to_owned(), from: from.remove(*node)?, to: to.remove(*node)? });
    touched.iter().filter_map(node).collect()
}

/// The groups of some nodes.
fn groups_of<'t>(groups: &[Group<'_>], touched: &BTreeSet<&'t str>) -> BTreeMap<&'t str, Vec<String>> {
    let mut out: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for group in groups {
        for node in group.nodes.iter().filter_map(|node| touched.get::<str>(node).copied()) {
            out.entry(node).or_default().push(group.name.clone());
        }
    }
    out
}
