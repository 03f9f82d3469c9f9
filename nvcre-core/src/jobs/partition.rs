//! Cutting the nodes that take part into job groups (03 §5.2–5.5). Same input, same groups, whatever its order.

use crate::fleet::{Inventory, StringId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The nodes of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Number in the order of creation, part of the name.
    pub index: u32,
    /// Borrows nodes of an earlier group, or takes what was left over.
    pub overflow: bool,
    /// Indices into [`Inventory::nodes`], ordered by node name; empty when the scheduler chooses (Unpinned).
    pub nodes: Vec<u32>,
    /// Topology domains of the nodes, ordered by name; empty without a topology key.
    pub domains: Vec<StringId>,
}

impl Group {
    /// `group-<index>`, with `-overflow` where it borrows.
    pub fn name(&self) -> String {
        let overflow = if self.overflow { "-overflow" } else { "" };
        format!("group-{}{overflow}", self.index)
    }
}

/// How nodes are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping<'a> {
    /// Consecutive chunks by name (03 §5.2).
    Plain,
    /// Packed into as few domains as possible (03 §5.3).
    Packed(&'a str),
    /// One group per domain at its natural size (03 §5.4).
    Strict(&'a str),
    /// One group whose nodes the scheduler chooses (03 §5.5).
    Unpinned,
}

/// Why there are no groups.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartitionError {
    /// A job needs at least one node.
    #[error("a job of {0} nodes cannot be built")]
    Size(i64),
    /// There is no node.
    #[error("there is no node to put into a group")]
    NoNodes,
    /// Nodes lack the label that names their domain; indices ordered by node name.
    #[error("nodes lack the topology label")]
    MissingLabel(Vec<u32>),
}

/// Cuts `nodes` (indices into the inventory, each once, any order) into groups of `size`.
///
/// # Errors
/// [`PartitionError`] when the size is below 1, there is no node, or a node lacks the topology label or carries an
/// empty one.
pub fn partition(
    inventory: &Inventory,
    nodes: &[u32],
    size: i64,
    grouping: Grouping<'_>,
) -> Result<Vec<Group>, PartitionError> {
    if grouping == Grouping::Unpinned {
        return Ok(vec![Group { index: 0, overflow: false, nodes: Vec::new(), domains: Vec::new() }]);
    }
    let size = match usize::try_from(size) {
        Ok(size) if size > 0 => size,
        _ => return Err(PartitionError::Size(size)),
    };
    if nodes.is_empty() {
        return Err(PartitionError::NoNodes);
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_by(|a, b| name_of(inventory, *a).cmp(name_of(inventory, *b)));
    match grouping {
        Grouping::Packed(key) => Ok(packed(domains(inventory, &sorted, key)?, size)),
        Grouping::Strict(key) => Ok(strict(domains(inventory, &sorted, key)?)),
        Grouping::Plain | Grouping::Unpinned => Ok(chunks(&sorted, size)),
    }
}

pub(crate) fn name_of(inventory: &Inventory, node: u32) -> &str {
    inventory.nodes.get(node as usize).map_or("", |n| inventory.text(n.name))
}

fn group(index: usize, overflow: bool, nodes: Vec<u32>, domains: Vec<StringId>) -> Group {
    Group { index: u32::try_from(index).unwrap_or(u32::MAX), overflow, nodes, domains }
}

/// 03 §5.2. The rest is filled up with the last nodes of the last full group, which run twice.
fn chunks(sorted: &[u32], size: usize) -> Vec<Group> {
    let full = sorted.chunks_exact(size);
    let rest = full.remainder();
    let mut out: Vec<Group> =
        full.enumerate().map(|(index, nodes)| group(index, false, nodes.to_vec(), Vec::new())).collect();
    if !rest.is_empty() {
        let last = sorted.get(sorted.len().saturating_sub(size)..).unwrap_or(sorted);
        out.push(group(out.len(), !out.is_empty(), last.to_vec(), Vec::new()));
    }
    out
}

/// The nodes of one value of the topology label.
struct Domain {
    label: StringId,
    /// Ranks of its nodes (positions in the order of names), ascending.
    ranks: Vec<u32>,
}

/// Nodes with their domains, in the order of 03 §5.3 step 2.
struct Domains {
    /// Node of every rank.
    nodes: Vec<u32>,
    /// Size descending, then label ascending.
    domains: Vec<Domain>,
    /// Place of every domain in the order of labels.
    alphabetical: Vec<u32>,
}

fn domains(inventory: &Inventory, sorted: &[u32], key: &str) -> Result<Domains, PartitionError> {
    let key = inventory.strings.find(key);
    let label = |node: u32| {
        let node = inventory.nodes.get(node as usize)?;
        let (_, value) = node.labels.iter().find(|(k, _)| Some(*k) == key)?;
        Some(*value).filter(|value| !inventory.text(*value).is_empty())
    };
    let mut missing = Vec::new();
    let mut by_label: BTreeMap<StringId, Vec<u32>> = BTreeMap::new();
    for (rank, node) in sorted.iter().enumerate() {
        match label(*node) {
            Some(value) => by_label.entry(value).or_default().push(u32::try_from(rank).unwrap_or(u32::MAX)),
            None => missing.push(*node),
        }
    }
    if !missing.is_empty() {
        return Err(PartitionError::MissingLabel(missing));
    }
    let mut domains: Vec<Domain> = by_label.into_iter().map(|(label, ranks)| Domain { label, ranks }).collect();
    domains.sort_by(|a, b| inventory.text(a.label).cmp(inventory.text(b.label)));
    let mut order: Vec<(u32, Domain)> = (0..).zip(domains).collect();
    order.sort_by_key(|(place, domain)| (Reverse(domain.ranks.len()), *place));
    let (alphabetical, domains) = order.into_iter().unzip();
    Ok(Domains { nodes: sorted.to_vec(), domains, alphabetical })
}

impl Domains {
    /// A group of `ranks` out of the domains at these positions.
    fn group(&self, index: usize, overflow: bool, mut ranks: Vec<u32>, mut parts: Vec<usize>) -> Group {
        ranks.sort_unstable();
        parts.sort_unstable_by_key(|part| self.alphabetical.get(*part));
        let nodes = ranks.iter().filter_map(|rank| self.nodes.get(*rank as usize).copied()).collect();
        let labels = parts.iter().filter_map(|part| self.domains.get(*part).map(|d| d.label)).collect();
        group(index, overflow, nodes, labels)
    }

    fn place(&self, part: usize) -> u32 {
        self.alphabetical.get(part).copied().unwrap_or(u32::MAX)
    }
}

/// 03 §5.4.
fn strict(all: Domains) -> Vec<Group> {
    let parts = all.domains.iter().enumerate();
    parts.map(|(part, domain)| all.group(part, false, domain.ranks.clone(), vec![part])).collect()
}

/// 03 §5.3. The ordered sets stand for the sorting that the rules repeat before each group: taking nodes changes
/// the key of the touched domains only, so all groups together cost no more than their nodes.
fn packed(all: Domains, size: usize) -> Vec<Group> {
    let largest = all.domains.first().map_or(1, |d| d.ranks.len()).max(1);
    let most = size.div_ceil(largest);
    let mut pools: Vec<VecDeque<u32>> = all.domains.iter().map(|d| d.ranks.iter().copied().collect()).collect();
    let mut order: BTreeSet<(Reverse<usize>, u32, usize)> =
        pools.iter().enumerate().map(|(part, pool)| (Reverse(pool.len()), all.place(part), part)).collect();
    let mut left = all.nodes.len();
    let mut out = Vec::new();
    while left >= size {
        let mut reach = 0;
        let mut chosen = Vec::new();
        for entry in order.iter().take(most) {
            reach += entry.0.0;
            chosen.push(*entry);
            if reach >= size {
                break;
            }
        }
        if reach < size {
            break;
        }
        let mut ranks = Vec::with_capacity(size);
        for entry in &chosen {
            order.remove(entry);
            let (_, place, part) = *entry;
            let Some(pool) = pools.get_mut(part) else { continue };
            let count = pool.len().min(size - ranks.len());
            ranks.extend(pool.drain(..count));
            if !pool.is_empty() {
                order.insert((Reverse(pool.len()), place, part));
            }
        }
        left -= ranks.len();
        out.push(all.group(out.len(), false, ranks, chosen.iter().map(|entry| entry.2).collect()));
    }
    if left == 0 {
        return out;
    }
    if out.is_empty() {
        let parts = (0..all.domains.len()).collect();
        let ranks = pools.into_iter().flatten().collect();
        return vec![all.group(0, false, ranks, parts)];
    }
    overflow(&all, pools, left, size, out)
}

/// 03 §5.3 step 6: untested nodes first, filled up with tested ones of the same domain.
fn overflow(all: &Domains, pools: Vec<VecDeque<u32>>, left: usize, size: usize, mut out: Vec<Group>) -> Vec<Group> {
    /// Untested nodes at the front of a list, its length, and its domain.
    type Key = (Reverse<usize>, Reverse<usize>, u32, usize);
    let mut lists: Vec<VecDeque<u32>> = Vec::with_capacity(pools.len());
    let mut order: BTreeSet<Key> = BTreeSet::new();
    for (part, (mut list, domain)) in pools.into_iter().zip(&all.domains).enumerate() {
        // Pools were emptied from the front, so the tested nodes are the first ones of the domain.
        let untested = list.len();
        list.extend(domain.ranks.iter().take(domain.ranks.len() - untested));
        order.insert((Reverse(untested), Reverse(list.len()), all.place(part), part));
        lists.push(list);
    }
    let mut untested = left;
    while untested > 0 {
        let mut ranks = Vec::with_capacity(size);
        let mut parts = Vec::new();
        let before = untested;
        while ranks.len() < size {
            let Some((Reverse(fresh), _, place, part)) = order.pop_first() else { break };
            let Some(list) = lists.get_mut(part) else { continue };
            let count = list.len().min(size - ranks.len());
            ranks.extend(list.drain(..count));
            parts.push(part);
            untested -= fresh.min(count);
            if !list.is_empty() {
                // Only the last list of a group keeps nodes, so it is not met again in this group.
                order.insert((Reverse(fresh.saturating_sub(count)), Reverse(list.len()), place, part));
            }
        }
        if before == untested {
            break;
        }
        out.push(all.group(out.len(), true, ranks, parts));
    }
    out
}

#[cfg(test)]
#[path = "partition_tests.rs"]
mod tests;
