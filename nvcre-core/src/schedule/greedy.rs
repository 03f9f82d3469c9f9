//! Pods put on nodes one after the other, as a scheduler does, to say in its words which pod waits.

use super::assign::{Problem, fit, take};
use super::nodes::PODS;
use std::collections::BTreeMap;

/// Where the scheduler stops.
pub(super) struct Stop {
    /// The kind of the pod that finds no node.
    pub kind: usize,
    /// What is free on the nodes by then: slots with what is free on each and how many there are.
    pub left: Vec<(Vec<i128>, usize, bool)>,
}

/// Places kind after kind, each pod where most of its kind fit. `None` when all find a node.
pub(super) fn stop(problem: &Problem) -> Option<Stop> {
    let mut slots = problem.slots.clone();
    for (kind, count) in problem.counts.iter().enumerate() {
        let request = problem.requests.get(kind).map_or(&[][..], Vec::as_slice);
        let mut placed = 0;
        while placed < *count {
            let room = |slot: &super::assign::Slot| match slot.allowed.get(kind) {
                Some(true) if slot.count > 0 => fit(&slot.free, request, *count),
                _ => 0,
            };
            let best = slots.iter().enumerate().map(|(at, slot)| (room(slot), at));
            let best = best.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))).filter(|(room, _)| *room > 0);
            let Some(slot) = best.and_then(|(_, at)| slots.get_mut(at)) else {
                let allowed = |slot: &super::assign::Slot| slot.allowed.get(kind) == Some(&true);
                let left = slots.iter().map(|s| (s.free.clone(), s.count, allowed(s))).collect();
                return Some(Stop { kind, left });
            };
            let used = slot.count.min(count - placed);
            slot.count -= used;
            let mut filled = slot.clone();
            filled.count = used;
            take(&mut filled.free, request, 1);
            slots.push(filled);
            slots.retain(|slot| slot.count > 0);
            placed += used;
        }
    }
    None
}

/// Why a pod does not fit into what is free, each reason once: the words of the scheduler.
pub(super) fn reasons<'r>(
    free: &'r [i128],
    request: &'r [i128],
    resources: &'r [String],
) -> impl Iterator<Item = String> + 'r {
    let short = free.iter().zip(request).zip(resources).filter(|((free, request), _)| **request > 0 && request > free);
    let ports = |name: &str| name.starts_with("port ");
    let mut closed = false;
    short.filter_map(move |(_, resource)| match resource.as_str() {
        PODS => Some("Too many pods".to_owned()),
        name if ports(name) => (!std::mem::replace(&mut closed, true))
            .then(|| "node(s) didn't have free ports for the requested pod ports".to_owned()),
        name => Some(format!("Insufficient {name}")),
    })
}

/// `0/4 nodes are available: 1 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint(s).`
pub(super) fn message(nodes: usize, reasons: &BTreeMap<String, usize>) -> String {
    let mut parts: Vec<String> = reasons.iter().filter(|(_, n)| **n > 0).map(|(r, n)| format!("{n} {r}")).collect();
    parts.sort_unstable();
    format!("0/{nodes} nodes are available: {}.", parts.join(", "))
}
