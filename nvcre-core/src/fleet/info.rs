//! What a cluster offers, as `cluster info` shows it (06 §12).

use super::health::GPU_DRIVER;
use super::topology::domain_of;
use super::{DiscoverOptions, Fleet, Inventory, InventoryNode, StringId};
use crate::api::GPU_RESOURCE;
use crate::catalogue::Catalogue;
use crate::check::Quantity;
use crate::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the form of [`ClusterInfo`].
pub const CLUSTER_INFO_FORMAT: &str = "nvcre.nvidia.com/cluster-info/v1";

/// What a cluster offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClusterInfo {
    /// Detected platform.
    pub platform: String,
    /// Detected architecture (majority).
    pub gpu_architecture: String,
    /// Most frequent product label of that architecture; of equals the first in byte order.
    pub gpu_product: String,
    /// Smallest GPU count of a node.
    pub gpus_per_node: i32,
    /// What the catalogue says for architecture and platform.
    pub catalog_gpus_per_node: i32,
    /// Number of GPU nodes.
    pub total_nodes: usize,
    /// GPUs of all of them.
    #[serde(rename = "totalGPUs")]
    pub total_gpus: i64,
    /// The GPU nodes, by name.
    pub nodes: Vec<NodeInfo>,
    /// Their domains; absent when no node carries the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<TopologyInfo>,
}

/// A GPU node of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeInfo {
    /// Name.
    pub name: String,
    /// GPUs.
    pub gpus: i32,
    /// Condition `Ready` is `True`.
    pub ready: bool,
    /// Topology domain.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rack: String,
}

/// The topology domains of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TopologyInfo {
    /// The node label.
    pub key: String,
    /// Domains by name.
    pub racks: Vec<RackInfo>,
}

/// A topology domain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RackInfo {
    /// Value of the label.
    pub name: String,
    /// Its nodes, by name.
    pub nodes: Vec<String>,
    /// Their number.
    pub node_count: usize,
}

impl ClusterInfo {
    /// Looks at all GPU nodes of an inventory that are not cordoned (06 §12). `topology_key` is the label of domains;
    /// `None` takes the platform's own. The findings are those of discovery without a target.
    pub fn of(
        inventory: &Inventory,
        catalogue: &Catalogue,
        topology_key: Option<&str>,
        options: &DiscoverOptions<'_>,
    ) -> (Self, Vec<Diagnostic>) {
        let (fleet, mut found) = Fleet::discover(inventory, None, catalogue, options);
        found.extend(fleet.health_findings(inventory));
        let members = fleet.discovered(inventory);
        let key = topology_key
            .or_else(|| catalogue.platform(&fleet.platform).and_then(|p| p.topology_key.as_deref()))
            .unwrap_or("");
        let slices = slice_gpus(inventory);
        let mut racks: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut nodes = Vec::with_capacity(members.len());
        for index in &members {
            let Some(node) = inventory.nodes.get(*index as usize) else { continue };
            let name = inventory.text(node.name).to_owned();
            let rack = if key.is_empty() { None } else { domain_of(inventory, *index, key) };
            if let Some(rack) = rack {
                racks.entry(rack).or_default().push(name.clone());
            }
            nodes.push(NodeInfo {
                name,
                gpus: gpus(inventory, node, &slices),
                ready: node.ready.is_some_and(|r| inventory.text(r) == "True"),
                rack: rack.unwrap_or_default().to_owned(),
            });
        }
        let racks = racks.into_iter().map(|(name, nodes)| {
            let node_count = nodes.len();
            RackInfo { name: name.to_owned(), nodes, node_count }
        });
        let racks: Vec<RackInfo> = racks.collect();
        let info = Self {
            gpu_product: most_frequent_product(inventory, &fleet),
            gpus_per_node: nodes.iter().map(|n| n.gpus).min().unwrap_or(0),
            catalog_gpus_per_node: catalogue.hardware(&fleet.architecture, &fleet.platform).gpus_per_node,
            total_nodes: nodes.len(),
            total_gpus: nodes.iter().map(|n| i64::from(n.gpus)).sum(),
            nodes,
            topology: (!racks.is_empty()).then(|| TopologyInfo { key: key.to_owned(), racks }),
            platform: fleet.platform,
            gpu_architecture: fleet.architecture,
        };
        (info, found)
    }
}

/// The product that most nodes of the fleet carry.
fn most_frequent_product(inventory: &Inventory, fleet: &Fleet) -> String {
    let filled = super::products::slice_products(inventory);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in &fleet.nodes {
        let own = fleet.own_product(inventory, *node).filter(|p| fleet.products.iter().any(|q| q == p));
        let name = inventory.nodes.get(*node as usize).map(|n| n.name);
        let product = own.or_else(|| name.and_then(|n| filled.get(&n)).map(String::as_str));
        product.into_iter().for_each(|p| *counts.entry(p).or_default() += 1);
    }
    let mut best = ("", 0);
    for (product, count) in counts {
        if count > best.1 {
            best = (product, count);
        }
    }
    best.0.to_owned()
}

/// GPUs of a node: the allocatable count, else the full GPUs of its slices (06 §12).
fn gpus(inventory: &Inventory, node: &InventoryNode, slices: &BTreeMap<StringId, i32>) -> i32 {
    match inventory.allocatable(node, GPU_RESOURCE) {
        Some(text) => {
            let whole = Quantity::parse(text).and_then(Quantity::whole).unwrap_or(0);
            i32::try_from(whole).map_or(0, |n| n.max(0))
        }
        None => slices.get(&node.name).copied().unwrap_or(0),
    }
}

/// Full GPUs in the slices of every node: of the newest pool generation, each slice once.
fn slice_gpus(inventory: &Inventory) -> BTreeMap<StringId, i32> {
    let mut out: BTreeMap<StringId, (i64, i32)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for slice in inventory.slices.iter().filter(|s| inventory.text(s.driver) == GPU_DRIVER) {
        let Some(node) = slice.node_name else { continue };
        if !seen.insert((slice.name, slice.generation)) {
            continue;
        }
        let full = |kind: &Option<StringId>| kind.is_none_or(|k| inventory.text(k) == "gpu");
        let count = slice.devices.iter().filter(|(kind, _)| full(kind)).count();
        let count = i32::try_from(count).unwrap_or(i32::MAX);
        let held = out.entry(node).or_insert((slice.generation, 0));
        if slice.generation > held.0 {
            *held = (slice.generation, 0);
        }
        if slice.generation == held.0 {
            held.1 = held.1.saturating_add(count);
        }
    }
    out.into_iter().map(|(node, (_, count))| (node, count)).collect()
}
