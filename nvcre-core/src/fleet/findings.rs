//! What discovery has to say about whole fleets.

use super::exclusion::{ExclusionReason, Filter};
use super::names::{commas, nodes};
use super::{Fleet, Inventory};
use crate::api::{GPU_PRESENT_KEY, HOSTNAME_KEY};
use crate::diagnostic::{Code, Diagnostic};
use std::collections::{BTreeMap, BTreeSet};

/// The warning about names in `target.nodeNames` that no node has (00 D79).
pub(crate) fn unknown_names(inventory: &Inventory, fleet: &Fleet) -> Option<Diagnostic> {
    let wanted = &fleet.target.node_names;
    if wanted.is_empty() {
        return None;
    }
    let asked: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let there: BTreeSet<&str> =
        inventory.nodes.iter().map(|n| inventory.text(n.name)).filter(|n| asked.contains(n)).collect();
    let mut seen = BTreeSet::new();
    let unknown: Vec<(usize, &str)> = wanted
        .iter()
        .map(String::as_str)
        .enumerate()
        .filter(|(_, name)| !there.contains(name) && seen.insert(*name))
        .collect();
    let list = fleet.target_path.key("nodeNames");
    let path = match unknown.as_slice() {
        [] => return None,
        [(at, _)] => list.index(*at),
        _ => list,
    };
    let names = commas(unknown.iter().map(|(_, name)| *name));
    let message = match unknown.len() {
        1 => format!("the inventory has no node of the name {names}"),
        count => format!("the inventory has no nodes of these {count} names: {names}"),
    };
    Some(
        Diagnostic::at(Code::UnknownNodeNames, path, message)
            .with_help("names are compared with metadata.name of the nodes; correct or remove them"),
    )
}

/// How many nodes each filter keeps out, in the order of the filters: `3: not matching spec.target.nodeSelector`.
fn counts(fleet: &Fleet) -> Vec<String> {
    let mut counts: BTreeMap<(Filter, u32), usize> = BTreeMap::new();
    for excluded in &fleet.excluded {
        let detail = match excluded.reason {
            ExclusionReason::NodeSelector { entry, .. } => entry,
            ExclusionReason::MatchExpression { index, .. } | ExclusionReason::TaintSelector { index } => index,
            _ => 0,
        };
        *counts.entry((excluded.reason.filter(), detail)).or_default() += 1;
    }
    let path = &fleet.target_path;
    let words = |filter: Filter, detail: u32| match filter {
        Filter::NodeSelector => match fleet.target.node_selector.iter().nth(detail as usize) {
            Some((key, value)) => format!("without the label {key}={value} ({})", path.key("nodeSelector").key(key)),
            None => format!("not matching {}", path.key("nodeSelector")),
        },
        Filter::MatchExpressions => match fleet.target.match_expressions.get(detail as usize) {
            Some(e) => format!(
                "not matching {} {} ({})",
                e.key,
                e.operator,
                path.key("matchExpressions").index(detail as usize)
            ),
            None => format!("not matching {}", path.key("matchExpressions")),
        },
        Filter::NodeNames => format!("not listed in {}", path.key("nodeNames")),
        Filter::TaintSelectors => {
            format!("without the taint of {}", path.key("taintSelectors").index(detail as usize))
        }
        Filter::Cordon => "cordoned".to_owned(),
        Filter::GpuPresent => format!("without the label {GPU_PRESENT_KEY}=true"),
        Filter::Health => "not healthy (--only-healthy)".to_owned(),
        Filter::Architecture => format!("not of GPU architecture {}", fleet.architecture),
        Filter::Capacity => "with too few GPUs".to_owned(),
    };
    counts.into_iter().map(|((filter, detail), count)| format!("{count} {}", words(filter, detail))).collect()
}

/// Nodes that look like GPU nodes and lack only the label (00 D27).
pub(crate) fn unlabelled<'a>(inventory: &'a Inventory, fleet: &'a Fleet) -> impl Iterator<Item = &'a str> {
    fleet.excluded.iter().filter(|e| looks_like_gpu(e.reason)).map(|e| fleet.name(inventory, e.node))
}

/// `kubectl label nodes a b nvidia.com/gpu.present=true --overwrite`, for the first ten of them.
fn looks_like_gpu(reason: ExclusionReason) -> bool {
    matches!(reason, ExclusionReason::GpuPresent { looks_like_gpu: true, .. })
}

fn label_command(names: &[&str]) -> String {
    let some: Vec<&str> = names.iter().take(10).copied().collect();
    let rest = if names.len() > some.len() { " (and so on)" } else { "" };
    format!("kubectl label nodes {} {GPU_PRESENT_KEY}=true --overwrite{rest}", some.join(" "))
}

/// The error that nobody takes part (03 §0 step 3, 00 D27).
pub(crate) fn no_eligible_nodes(inventory: &Inventory, fleet: &Fleet) -> Diagnostic {
    if inventory.nodes.is_empty() && super::is_synthetic(inventory) {
        return Diagnostic::at(
            Code::NoEligibleNodes,
            fleet.target_path.clone(),
            "no node is assumed, so no job can be made",
        )
        .with_help("give --assume-nodes a number of 1 or more");
    }
    if inventory.nodes.is_empty() {
        let finding = Diagnostic::new(Code::NoEligibleNodes, "the inventory holds no nodes")
            .with_help("write it with: kubectl get nodes -o yaml > nodes.yaml");
        return inventory.place(finding, None, &fleet.target_path);
    }
    let listed = counts(fleet).join(", ");
    let total = nodes(inventory.nodes.len());
    let names: Vec<&str> = unlabelled(inventory, fleet).collect();
    let mut message = format!("no node takes part: of {total} in the inventory, {listed}");
    let mut help = Vec::new();
    if !names.is_empty() {
        message.push_str(&format!(
            "; {} of these offer nvidia.com/gpu or carry a product label and lack only {GPU_PRESENT_KEY}=true",
            names.len()
        ));
        help.push(format!("label GPU nodes that lack the label: {}", label_command(&names)));
    }
    if fleet.excluded.iter().any(|e| matches!(e.reason, ExclusionReason::Cordoned { gpu: true })) {
        help.push(format!(
            "uncordon nodes with kubectl uncordon, or keep them with {}: true",
            fleet.target_path.key("includeUnschedulable")
        ));
    }
    if help.is_empty() {
        help.push(format!("compare {} with the labels of the nodes", fleet.target_path));
    }
    Diagnostic::at(Code::NoEligibleNodes, fleet.target_path.clone(), message).with_help(help.join("; "))
}

/// What is said when some nodes take part and others do not although one would expect it.
pub(crate) fn exclusions(inventory: &Inventory, fleet: &Fleet) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let of =
        |filter: Filter| -> Vec<&str> { fleet.excluded_by(filter).map(|e| fleet.name(inventory, e.node)).collect() };
    let cordoned = of(Filter::Cordon);
    if !cordoned.is_empty() {
        let message = format!("{} of the target left out as cordoned: {}", nodes(cordoned.len()), commas(&cordoned));
        let path = fleet.target_path.key("includeUnschedulable");
        out.push(
            Diagnostic::at(Code::CordonedNodesExcluded, path, message)
                .with_help("uncordon them with kubectl uncordon, or set includeUnschedulable: true"),
        );
    }
    let other = of(Filter::Architecture);
    if !other.is_empty() {
        let message = format!(
            "the target holds more than one GPU architecture: only {} takes part ({}); left out: {}: {}",
            fleet.architecture,
            nodes(fleet.nodes.len()),
            nodes(other.len()),
            commas(&other)
        );
        out.push(
            Diagnostic::at(Code::HeterogeneousGpu, fleet.target_path.clone(), message)
                .with_help("narrow the target to one architecture, and start one run for each"),
        );
    }
    let names: Vec<&str> = unlabelled(inventory, fleet).collect();
    if !names.is_empty() {
        let message = format!(
            "{} offering nvidia.com/gpu or carrying a product label left out without {GPU_PRESENT_KEY}=true: {}",
            nodes(names.len()),
            commas(&names)
        );
        let finding = Diagnostic::new(Code::UnlabelledGpuNodes, message)
            .with_help(format!("to let them take part: {}", label_command(&names)));
        let first = fleet.excluded.iter().find(|e| looks_like_gpu(e.reason)).map(|e| e.node);
        out.push(inventory.place(finding, first, &fleet.target_path));
    }
    out
}

impl Fleet {
    /// Warnings about the host names that pinned pods are bound to (00 D24): nodes that lack the label, and nodes
    /// that share its value with another node of the inventory.
    pub fn hostname_findings(&self, inventory: &Inventory) -> Vec<Diagnostic> {
        let key = inventory.strings.find(HOSTNAME_KEY);
        let value = |node| super::select::label_id(node, key).filter(|id| !inventory.text(*id).is_empty());
        let mut holders: BTreeMap<_, u32> = BTreeMap::new();
        inventory.nodes.iter().filter_map(value).for_each(|id| *holders.entry(id).or_default() += 1);
        let mut missing = Vec::new();
        let mut shared = Vec::new();
        let (mut first_missing, mut first_shared) = (None, None);
        for (index, node) in self.nodes.iter().zip(self.members(inventory)) {
            let name = inventory.text(node.name);
            match value(node) {
                None => {
                    first_missing.get_or_insert(*index);
                    missing.push(name);
                }
                Some(id) if holders.get(&id).is_some_and(|n| *n > 1) => {
                    first_shared.get_or_insert(*index);
                    shared.push(format!("{name} ({})", inventory.text(id)));
                }
                Some(_) => {}
            }
        }
        let mut out = Vec::new();
        if !missing.is_empty() {
            let message = format!(
                "{} without the label {HOSTNAME_KEY}: {}; pods are bound to it by the node's name and may not land there",
                nodes(missing.len()),
                commas(&missing)
            );
            let finding = Diagnostic::new(Code::MissingHostnameLabel, message)
                .with_help("the kubelet sets this label; restore it on these nodes");
            out.push(inventory.place(finding, first_missing, &self.target_path));
        }
        if !shared.is_empty() {
            let message = format!(
                "{} sharing the value of {HOSTNAME_KEY} with another node: {}; pods bound to one may land on the other",
                nodes(shared.len()),
                commas(&shared)
            );
            let finding = Diagnostic::new(Code::DuplicateHostnameLabel, message)
                .with_help("give every node its own value of this label");
            out.push(inventory.place(finding, first_shared, &self.target_path));
        }
        out
    }
}

/// The error that jobs and manifests are wanted and there are no nodes (00 D62).
pub fn no_inventory() -> Diagnostic {
    Diagnostic::new(Code::NoInventory, "jobs and manifests need nodes, and no inventory is given").with_help(
        "give one with --nodes FILE (kubectl get nodes -o yaml), or render for N made-up nodes of the declared platform \
         and GPU with --assume-nodes N",
    )
}
