//! Why the pods of a group wait, node by node: what findings and ways out are made of.

use super::assign::fit;
use super::nodes::{Gate, PODS, offered};
use super::taints::Closed;
use super::verdict::{Candidates, Schedule};
use crate::api::{GPU_RESOURCE, HOSTNAME_KEY};
use crate::check::shown;
use crate::fleet::{InventoryNode, TaintId};

/// Why pods find no node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// A cordon.
    Cordon,
    /// Taints that they do not tolerate.
    Taint(Vec<TaintId>),
    /// Labels or names of nodes are not those that they want.
    Elsewhere,
    /// Nodes that never have as much of a resource.
    Short(String),
    /// Nodes that offer no GPU as a resource.
    NoGpus,
    /// What runs there already leaves too little of a resource.
    Taken(String),
    /// Every node holds some of them, all nodes together not as many as there are.
    Full(String),
    /// Each kind of pods fits alone, and they do not fit together.
    Together(String),
    /// What pods require of each other.
    Rules,
}

/// One reason and the nodes it speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    /// The reason.
    pub what: What,
    /// The kind of pods.
    pub kind: usize,
    /// How many pods of it there are.
    pub count: usize,
    /// How many of them find a node when no other pod of the job is there.
    pub fit: usize,
    /// The nodes, with what each has.
    pub nodes: Vec<(u32, String)>,
}

/// Nodes of one kind of pods by what is wrong with them.
type Bad = Vec<(What, Vec<(u32, String)>)>;

fn add(bad: &mut Bad, what: What, node: u32, has: String) {
    match bad.iter_mut().find(|(w, _)| *w == what) {
        Some((_, nodes)) => nodes.push((node, has)),
        None => bad.push((what, vec![(node, has)])),
    }
}

impl Schedule<'_> {
    /// Why a group waits; nothing for one that does not.
    pub(super) fn causes(&self, group: u32) -> Vec<Cause> {
        let candidates = self.candidates(group);
        let problem = self.problem(group, &candidates);
        let mut out = Vec::new();
        for (kind, count) in problem.counts.iter().enumerate() {
            let alone = problem.alone(kind);
            if alone >= *count {
                continue;
            }
            let bad = self.bad_nodes(group, kind, &candidates);
            let cause = |what, nodes| Cause { what, kind, count: *count, fit: alone, nodes };
            // Nodes that only are too few for several pods each are all well.
            if bad.is_empty() {
                out.push(cause(What::Full(self.scarce(kind, &candidates)), Vec::new()));
            }
            out.extend(bad.into_iter().map(|(what, nodes)| cause(what, nodes)));
        }
        if out.is_empty() {
            let kind = self.kinds.len().saturating_sub(1);
            let count = problem.counts.get(kind).copied().unwrap_or(0);
            let what = match problem.rules.is_empty() {
                true => What::Together(self.contested(group, &candidates)),
                false => What::Rules,
            };
            out.push(Cause { what, kind, count, fit: count, nodes: Vec::new() });
        }
        out
    }

    /// The nodes that pods of a kind may use by name: those of the group, else all that their labels choose.
    pub(super) fn chosen(&self, group: u32, kind: usize, candidates: &Candidates) -> Vec<u32> {
        let by_group = self.kinds.get(kind).is_some_and(|k| k.affinity.is_by_group());
        if by_group {
            let members = self.prepared.groups().get(group as usize).map_or(&[][..], |g| g.nodes.as_slice());
            let mut out: Vec<u32> = members.iter().chain(&candidates.nodes).copied().collect();
            out.sort_unstable();
            out.dedup();
            return out;
        }
        let inventory = self.prepared.input.inventory;
        let Some(kind) = self.kinds.get(kind) else { return Vec::new() };
        let chosen = |node: &&u32| {
            let node = inventory.nodes.get(**node as usize);
            node.is_some_and(|node| kind.affinity.of(inventory, node) != super::affinity::Match::No)
        };
        let all: Vec<u32> = (0..).zip(&inventory.nodes).map(|(index, _)| index).collect();
        all.iter().filter(chosen).copied().collect()
    }

    /// Nodes by what is wrong with them. Where they are the same for every group, only the first one gets them.
    fn bad_nodes(&self, group: u32, kind: usize, candidates: &Candidates) -> Bad {
        let mut out = Bad::new();
        let by_group = self.kinds.get(kind).is_some_and(|k| k.affinity.is_by_group());
        if let Some(told) = self.told.borrow().get(&kind).filter(|_| !by_group) {
            return told.iter().map(|what| (what.clone(), Vec::new())).collect();
        }
        for node in self.chosen(group, kind, candidates) {
            self.look_at(node, kind, candidates, &mut out);
        }
        if out.is_empty() && candidates.nodes.is_empty() && candidates.others.is_empty() {
            out.push((What::Elsewhere, Vec::new()));
        }
        if !by_group {
            self.told.borrow_mut().insert(kind, out.iter().map(|(what, _)| what.clone()).collect());
        }
        out
    }

    fn look_at(&self, index: u32, kind: usize, candidates: &Candidates, out: &mut Bad) {
        let inventory = self.prepared.input.inventory;
        let Some(node) = inventory.nodes.get(index as usize) else { return };
        let class = self.nodes.class_of.get(index as usize).and_then(|class| self.nodes.class(*class));
        let Some((class, gate)) = class.and_then(|class| Some((class, class.gates.get(kind)?))) else { return };
        match gate {
            Gate::Closed(Closed::Cordoned) => {
                return add(out, What::Cordon, index, String::new());
            }
            Gate::Closed(Closed::Taint(_)) => {
                let taints = self.kinds.get(kind).into_iter().flat_map(|k| k.borne.unborne(node));
                return add(out, What::Taint(taints.collect()), index, String::new());
            }
            Gate::Elsewhere => return add(out, What::Elsewhere, index, self.missing(kind, node)),
            Gate::OfGroup if !candidates.nodes.contains(&index) => {
                return add(out, What::Elsewhere, index, format!("has no label {HOSTNAME_KEY}"));
            }
            Gate::OfGroup | Gate::Open => {}
        }
        if !class.informed {
            return;
        }
        let request = self.nodes.requests.get(kind).map_or(&[][..], Vec::as_slice);
        for ((resource, wanted), free) in self.nodes.resources.iter().zip(request).zip(&class.free) {
            if wanted <= free || *wanted <= 0 {
                continue;
            }
            match offered(inventory, node, resource) {
                Some(has) if has >= *wanted => {
                    let text = format!("has {} of {} left", shown(resource, (*free).max(0)), shown(resource, has));
                    add(out, What::Taken(resource.clone()), index, text);
                }
                Some(has) if has <= 0 && resource == GPU_RESOURCE => add(out, What::NoGpus, index, "has 0".to_owned()),
                Some(has) => add(out, What::Short(resource.clone()), index, format!("has {}", shown(resource, has))),
                None if resource == GPU_RESOURCE => add(out, What::NoGpus, index, "has none".to_owned()),
                None => add(out, What::Short(resource.clone()), index, "has none".to_owned()),
            }
        }
    }

    /// What a node lacks that the pods of a kind want.
    pub(super) fn missing(&self, kind: usize, node: &InventoryNode) -> String {
        let missing = self.kinds.get(kind).and_then(|k| k.affinity.missing(self.prepared.input.inventory, node));
        missing.map_or_else(|| "is not chosen by them".to_owned(), |label| format!("is not {label}"))
    }

    /// The resource of which the nodes hold fewest pods of a kind.
    fn scarce(&self, kind: usize, candidates: &Candidates) -> String {
        let request = self.nodes.requests.get(kind).map_or(&[][..], Vec::as_slice);
        let free = |at: usize| {
            let inside = candidates.nodes.iter().filter_map(|n| self.nodes.class_of.get(*n as usize)).map(|c| (*c, 1));
            let all = inside.chain(candidates.others.iter().copied());
            let each = all.filter_map(|(class, count)| Some((self.nodes.class(class)?.free.get(at).copied()?, count)));
            let wanted = request.get(at).copied().unwrap_or(0);
            each.map(|(free, count)| fit(&[free], &[wanted], 1 << 20) * count).sum::<usize>()
        };
        let wanted = (0..request.len()).filter(|at| request.get(*at).is_some_and(|r| *r > 0));
        let least = wanted.min_by_key(|at| free(*at));
        least.and_then(|at| self.nodes.resources.get(at)).cloned().unwrap_or_else(|| PODS.to_owned())
    }

    /// The resource over which the kinds of pods of a job compete.
    fn contested(&self, group: u32, candidates: &Candidates) -> String {
        let problem = self.problem(group, candidates);
        let short = super::greedy::stop(&problem).and_then(|stop| {
            let request = self.nodes.requests.get(stop.kind)?;
            let left = stop.left.iter().filter(|(_, _, allowed)| *allowed);
            let mut lacking = left.flat_map(|(free, _, _)| {
                (0..request.len()).filter(|at| request.get(*at) > free.get(*at) && request.get(*at) > Some(&0))
            });
            self.nodes.resources.get(lacking.next()?).cloned()
        });
        short.unwrap_or_else(|| PODS.to_owned())
    }
}
