//! The nodes of an inventory as the pods of a run see them. Equal ones are one class, so that a fleet is looked at once.

use super::affinity::Match;
use super::assign::fit;
use super::kinds::Kind;
use super::rules::PodRules;
use super::taints::Closed;
use crate::api::GPU_RESOURCE;
use crate::check::offer;
use crate::fleet::{Inventory, InventoryNode, StringId, is_synthetic, label_id, nodes_with_slices};
use std::collections::{BTreeMap, BTreeSet};

/// More than any node has.
pub(super) const PLENTY: i128 = i128::MAX / 4;
/// The resource of which every pod takes one.
pub(super) const PODS: &str = "pods";

/// Whether a node lets pods of a kind in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gate {
    /// Closed by a cordon or a taint.
    Closed(Closed),
    /// Labels or name are not those that the pod wants.
    Elsewhere,
    /// Open when the node is of the group.
    OfGroup,
    /// Open.
    Open,
}

/// Equal nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class {
    /// What is free, by resource of [`Nodes::resources`].
    pub free: Vec<i128>,
    /// By kind of pods.
    pub gates: Vec<Gate>,
    /// The same in a cluster that makes pods bear taints of the resources that they request.
    pub admitted: Vec<Gate>,
    /// Domain of the rules between pods.
    pub domain: Option<u32>,
    /// The node tells what it offers.
    pub informed: bool,
    /// It offers GPUs in ResourceSlices and none as a resource.
    pub sliced: bool,
}

/// All nodes.
#[derive(Debug, Clone)]
pub(super) struct Nodes {
    /// Resources that any pod requests: `pods` first, ports of nodes last.
    pub resources: Vec<String>,
    /// What one pod requests of them, by kind.
    pub requests: Vec<Vec<i128>>,
    /// The classes.
    pub classes: Vec<Class>,
    /// The class of every node.
    pub class_of: Vec<u32>,
    /// Nodes of each class.
    pub sizes: Vec<usize>,
    /// Nodes by the value of their host name label, sorted.
    by_host: Vec<(StringId, u32)>,
}

impl Nodes {
    /// `most` is the number of pods of a kind in the largest job.
    pub(super) fn new(inventory: &Inventory, kinds: &[Kind], rules: &PodRules, most: usize) -> Self {
        let asked: BTreeSet<&String> = kinds.iter().flat_map(|k| k.requests.keys()).collect();
        let ports: BTreeSet<&String> = kinds.iter().flat_map(|k| &k.ports).collect();
        let names = asked.iter().filter(|name| **name != PODS).chain(&ports);
        let resources: Vec<String> = std::iter::once(PODS.to_owned()).chain(names.map(|n| (*n).clone())).collect();
        let requested = |kind: &Kind, resource: &String| match resource.as_str() {
            PODS => 1,
            _ if kind.ports.contains(resource) => 1,
            _ => kind.requests.get(resource).copied().unwrap_or(0),
        };
        let requests: Vec<Vec<i128>> =
            kinds.iter().map(|k| resources.iter().map(|r| requested(k, r)).collect()).collect();
        let columns: Vec<Column> = resources.iter().map(|r| Column::new(inventory, r, ports.contains(r))).collect();
        let host = inventory.strings.find(crate::api::HOSTNAME_KEY);
        let domain = rules.key.as_deref().and_then(|key| inventory.strings.find(key));
        let synthetic = is_synthetic(inventory);
        let sliced = match resources.iter().any(|r| r == GPU_RESOURCE) {
            true => nodes_with_slices(inventory),
            false => BTreeSet::new(),
        };
        let mut out = Self {
            resources,
            requests,
            classes: Vec::new(),
            class_of: Vec::with_capacity(inventory.nodes.len()),
            sizes: Vec::new(),
            by_host: Vec::with_capacity(inventory.nodes.len()),
        };
        let mut known: BTreeMap<Class, u32> = BTreeMap::new();
        let mut amounts: BTreeMap<(usize, StringId), i128> = BTreeMap::new();
        for (index, node) in (0u32..).zip(&inventory.nodes) {
            let informed = !synthetic && !node.allocatable.is_empty();
            let mut free = Vec::with_capacity(columns.len());
            for (at, column) in columns.iter().enumerate() {
                free.push(if informed { column.free(inventory, index, node, at, &mut amounts) } else { PLENTY });
            }
            cut(&mut free, &out.requests, most);
            let domain = label_id(node, domain).map(|value| value.0);
            let gate = |(at, kind): (usize, &Kind)| match rules.labelled.contains(&at) && domain.is_none() {
                true => Gate::Elsewhere,
                false => gate(inventory, kind, node),
            };
            let sliced = sliced.contains(&node.name) && inventory.allocatable(node, GPU_RESOURCE).is_none();
            let gates: Vec<Gate> = kinds.iter().enumerate().map(gate).collect();
            let admit = |(kind, gate): (&Kind, &Gate)| match gate {
                Gate::Closed(_) if kind.borne.opens_by_admission(node) => matched(inventory, kind, node),
                gate => *gate,
            };
            let admitted = kinds.iter().zip(&gates).map(admit).collect();
            let class = Class { free, gates, admitted, domain, informed, sliced };
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let number = match known.get(&class) {
                Some(number) => *number,
                None => {
                    out.classes.push(class.clone());
                    out.sizes.push(0);
                    known.insert(class, next);
                    next
                }
            };
            out.class_of.push(number);
            if let Some(size) = out.sizes.get_mut(number as usize) {
                *size += 1;
            }
            out.by_host.extend(label_id(node, host).map(|value| (value, index)));
        }
        out.by_host.sort_unstable();
        out
    }

    /// The nodes that carry a host name.
    pub(super) fn of_host(&self, host: StringId) -> impl Iterator<Item = u32> + '_ {
        let from = self.by_host.partition_point(|(value, _)| *value < host);
        let rest = self.by_host.get(from..).unwrap_or_default();
        rest.iter().take_while(move |(value, _)| *value == host).map(|(_, node)| *node)
    }

    /// The class of a node.
    pub(super) fn class(&self, number: u32) -> Option<&Class> {
        self.classes.get(number as usize)
    }
}

/// Takes off what no pod of a job can ever use, and one pod more: nodes that differ in nothing else are equal.
pub(super) fn cut(free: &mut [i128], requests: &[Vec<i128>], most: usize) {
    let fits: Vec<i128> = requests.iter().map(|r| i128::try_from(fit(free, r, most)).unwrap_or(PLENTY)).collect();
    for (at, free) in free.iter_mut().enumerate() {
        let of = |request: &Vec<i128>| request.get(at).copied().unwrap_or(0);
        let used = requests.iter().zip(&fits).map(|(r, fit)| of(r).saturating_mul(*fit)).fold(0, i128::saturating_add);
        let one = requests.iter().map(of).max().unwrap_or(0);
        *free = (*free).min(used.saturating_add(one));
    }
}

fn gate(inventory: &Inventory, kind: &Kind, node: &InventoryNode) -> Gate {
    match kind.borne.closes(node) {
        Some(closed) => Gate::Closed(closed),
        None => matched(inventory, kind, node),
    }
}

fn matched(inventory: &Inventory, kind: &Kind, node: &InventoryNode) -> Gate {
    match kind.affinity.of(inventory, node) {
        Match::No => Gate::Elsewhere,
        Match::OfGroup => Gate::OfGroup,
        Match::Always => Gate::Open,
    }
}

/// What a cluster may grant beside what is known of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Grants {
    /// Taints of resources that pods request are borne (admission plugin ExtendedResourceToleration).
    pub admission: bool,
    /// GPUs in ResourceSlices are a resource (`extendedResourceName` of a DeviceClass).
    pub mapping: bool,
}

impl Class {
    /// By kind of pods.
    pub(super) fn gates(&self, grants: Grants) -> &[Gate] {
        if grants.admission { &self.admitted } else { &self.gates }
    }
}

/// A resource in an inventory.
struct Column {
    name: String,
    id: Option<StringId>,
    /// What a node has that does not mention it.
    absent: i128,
    port: bool,
}

impl Column {
    fn new(inventory: &Inventory, name: &str, port: bool) -> Self {
        // A kubelet always tells of these: an inventory without them was cut.
        let native = matches!(name, PODS | "cpu" | "memory" | "ephemeral-storage");
        Self { name: name.to_owned(), id: inventory.strings.find(name), absent: if native { PLENTY } else { 0 }, port }
    }

    fn free(
        &self,
        inventory: &Inventory,
        index: u32,
        node: &InventoryNode,
        at: usize,
        amounts: &mut BTreeMap<(usize, StringId), i128>,
    ) -> i128 {
        if self.port {
            return 1;
        }
        let text = self.id.and_then(|id| node.allocatable.iter().find(|(k, _)| *k == id)).map(|(_, text)| *text);
        let read = |text| offer(&self.name, inventory.text(text)).unwrap_or(0);
        let offered = text.map_or(self.absent, |text| *amounts.entry((at, text)).or_insert_with(|| read(text)));
        let Some(taken) = inventory.taken.get(&index) else { return offered };
        let taken = match self.name.as_str() {
            PODS => i128::from(taken.pods),
            name => taken.amounts.get(name).copied().unwrap_or(0),
        };
        offered.saturating_sub(taken)
    }
}

/// What a node offers of a resource, whatever runs there; `None` when it says nothing of it.
pub(super) fn offered(inventory: &Inventory, node: &InventoryNode, resource: &str) -> Option<i128> {
    inventory.allocatable(node, resource).and_then(|text| offer(resource, text))
}
