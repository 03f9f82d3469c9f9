//! A group before the scheduler, filter by filter: what `explain group/…` shows.

use super::causes::{Cause, What};
use super::model::{FilterLine, GroupScheduling, PodScheduling};
use super::nodes::{Gate, PODS};
use super::taints::{Closed, shown as taint_text};
use super::verdict::{Candidates, Schedule};
use crate::api::{GPU_RESOURCE, HOSTNAME_KEY};
use crate::check::shown;
use crate::fleet::{InventoryNode, commas, nodes};
use std::collections::BTreeMap;

impl Schedule<'_> {
    /// What each filter says of the pods of a group, by its position in [`Prepared::groups`](crate::jobs::Prepared::groups).
    pub fn explain(&self, group: u32) -> GroupScheduling {
        let candidates = self.candidates(group);
        let problem = self.problem(group, &candidates);
        let verdict = self.verdict(group);
        let waits = verdict.verdict == super::Verdict::Waits;
        let kind = |(at, kind): (usize, &super::kinds::Kind)| PodScheduling {
            pods: kind.name.clone(),
            count: problem.counts.get(at).copied().unwrap_or(0),
            requests: kind.requests.iter().map(|(name, amount)| (name.clone(), shown(name, *amount))).collect(),
            filters: self.filters(group, at, &candidates),
            fit: problem.alone(at),
        };
        let mut remedies = Vec::new();
        for cause in if waits { self.causes(group) } else { Vec::new() } {
            let remedy = self.remedy(&cause);
            if !remedies.contains(&remedy) {
                remedies.push(remedy);
            }
        }
        let kinds = self.kinds.iter().enumerate().map(kind).collect();
        GroupScheduling { verdict, kinds, remedies, needs: self.needs() }
    }

    fn filters(&self, group: u32, kind: usize, candidates: &Candidates) -> Vec<FilterLine> {
        let inventory = self.prepared.input.inventory;
        let name = |node: &u32| inventory.nodes.get(*node as usize).map_or("", |n| inventory.text(n.name));
        let of_group = self.chosen(group, kind, candidates);
        let (mut cordoned, mut tainted): (Vec<u32>, BTreeMap<String, Vec<u32>>) = (Vec::new(), BTreeMap::new());
        let (mut others, mut unlike, mut open): (Vec<u32>, Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new(), Vec::new());
        let all = (0u32..).zip(&self.nodes.class_of);
        for (node, gate) in all.filter_map(|(node, class)| Some((node, self.nodes.class(*class)?.gates.get(kind)?))) {
            match gate {
                Gate::Closed(Closed::Cordoned) => cordoned.push(node),
                Gate::Closed(Closed::Taint(id)) => {
                    let taint = inventory.taints.get_index(id.0 as usize).map(taint_text).unwrap_or_default();
                    tainted.entry(taint).or_default().push(node);
                }
                Gate::Open => open.push(node),
                Gate::OfGroup if candidates.nodes.binary_search(&node).is_ok() => open.push(node),
                Gate::OfGroup | Gate::Elsewhere if of_group.binary_search(&node).is_ok() => unlike.push(node),
                Gate::OfGroup | Gate::Elsewhere => others.push(node),
            }
        }
        let by_group = self.kinds.get(kind).is_some_and(|k| k.affinity.is_by_group());
        let total = self.nodes.class_of.len();
        let untainted = total - cordoned.len() - tainted.values().map(Vec::len).sum::<usize>();
        let line = |filter: &str, nodes, pass, stops| FilterLine { filter: filter.to_owned(), nodes, pass, stops };
        let mut out = Vec::new();
        let list = |nodes: &[u32]| commas(nodes.iter().map(name));
        let stops = if cordoned.is_empty() { Vec::new() } else { vec![format!("cordoned: {}", list(&cordoned))] };
        out.push(line("cordon", total, total - cordoned.len(), stops));
        let stops = tainted.iter().map(|(taint, nodes)| format!("{taint} on {}", list(nodes))).collect();
        out.push(line("taints", total - cordoned.len(), untainted, stops));
        let mut stops = Vec::new();
        if !others.is_empty() {
            let what = if by_group { "not of this group" } else { "not of the labels that the pods want" };
            stops.push(format!("{} {what}", nodes(others.len())));
        }
        if !unlike.is_empty() {
            let lacking = unlike.iter().filter_map(|index| inventory.nodes.get(*index as usize));
            let lacking = lacking.map(|n| format!("{} {}", inventory.text(n.name), self.lacking(kind, n)));
            stops.push(format!("of this group, and without a label that the pods want: {}", commas(lacking)));
        }
        out.push(line("affinity", untainted, open.len(), stops));
        out.push(self.resources(kind, &open));
        out
    }

    fn lacking(&self, kind: usize, node: &InventoryNode) -> String {
        match self.prepared.input.inventory.label(node, HOSTNAME_KEY) {
            Some(_) => self.missing(kind, node),
            None => format!("has no label {HOSTNAME_KEY}"),
        }
    }

    fn resources(&self, kind: usize, open: &[u32]) -> FilterLine {
        let inventory = self.prepared.input.inventory;
        let request = self.nodes.requests.get(kind).map_or(&[][..], Vec::as_slice);
        let mut stops: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut pass = 0;
        for index in open {
            let Some(node) = inventory.nodes.get(*index as usize) else { continue };
            let class = self.nodes.class_of.get(*index as usize).and_then(|class| self.nodes.class(*class));
            let Some(class) = class else { continue };
            let mut fits = true;
            for (at, (_, free)) in request.iter().zip(&class.free).enumerate().filter(|(_, (w, f))| w > f && **w > 0) {
                fits = false;
                let resource = self.nodes.resources.get(at).map_or("", String::as_str);
                let taken = inventory.taken.contains_key(index);
                let left = shown(resource, (*free).max(0));
                let has = super::nodes::offered(inventory, node, resource).map(|has| shown(resource, has));
                let text = match has {
                    None => format!("{} has none", inventory.text(node.name)),
                    Some(has) if taken => format!("{} has {left} of {has} left", inventory.text(node.name)),
                    Some(has) => format!("{} has {has}", inventory.text(node.name)),
                };
                stops.entry(at).or_default().push(text);
            }
            pass += usize::from(fits);
        }
        let line = |(at, nodes): (usize, Vec<String>)| {
            let resource = self.nodes.resources.get(at).map_or("", String::as_str);
            let wanted = shown(resource, request.get(at).copied().unwrap_or(0));
            format!("{resource}: {wanted} wanted, and {}", commas(nodes))
        };
        FilterLine {
            filter: "resources".to_owned(),
            nodes: open.len(),
            pass,
            stops: stops.into_iter().map(line).collect(),
        }
    }

    /// The way out of a cause.
    pub(super) fn remedy(&self, cause: &Cause) -> String {
        let (inventory, kind) = (self.prepared.input.inventory, self.kinds.get(cause.kind));
        let pods = kind.map_or("", |k| k.name.as_str());
        match &cause.what {
            What::Cordon => {
                "uncordon the nodes with kubectl uncordon, or set spec.target.includeUnschedulable: true".to_owned()
            }
            What::Taint(taints) => {
                let keys = taints.iter().filter_map(|id| inventory.taints.get_index(id.0 as usize));
                let keys = commas(keys.map(|taint| format!("{{key: {}}}", taint.key)));
                format!(
                    "add {keys} to spec.target.taintSelectors, so that the pods tolerate that, or tolerations to the replicated job {pods} of the runtime in spec.overrides"
                )
            }
            What::Elsewhere => "compare the node selector and affinity of the pods with the labels of the nodes (explain node/NAME shows those that count)".to_owned(),
            What::NoGpus => {
                "install the GPU operator or the device plugin on the nodes, or leave them out by a label in spec.target".to_owned()
            }
            What::Short(resource) | What::Taken(resource) if resource == PODS => {
                "raise maxPods of the kubelet, or choose other nodes in spec.target".to_owned()
            }
            What::Short(resource) if resource == GPU_RESOURCE => {
                "lower spec.gpusPerNode, or choose other nodes in spec.target".to_owned()
            }
            What::Short(resource) => {
                format!("lower the request of {resource}, or choose other nodes in spec.target")
            }
            What::Taken(_) => {
                "wait until what runs there has ended, or choose other nodes in spec.target".to_owned()
            }
            What::Full(resource) if resource.starts_with("port ") => {
                "leave hostPort (or hostNetwork) out, or choose as many nodes as there are pods".to_owned()
            }
            What::Full(_) => "choose a smaller spec.numNodes, or more nodes in spec.target".to_owned(),
            What::Together(resource) if resource == PODS => {
                "raise maxPods of the kubelet, or choose other nodes in spec.target".to_owned()
            }
            What::Together(resource) if resource.starts_with("port ") => {
                "leave hostPort (or hostNetwork) out, or choose as many nodes as there are pods".to_owned()
            }
            What::Together(resource) => {
                format!("lower what one kind of pods requests of {resource}, or choose larger nodes in spec.target")
            }
            What::Rules => "remove the pod affinity or the exclusive topology, or choose nodes of more topology domains".to_owned(),
        }
    }
}
