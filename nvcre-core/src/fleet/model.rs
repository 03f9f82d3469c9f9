//! The nodes of a run, and what is known of them.

use super::exclusion::{Excluded, Exclusion};
use super::health::HealthProblems;
use super::products::Product;
use super::{Inventory, InventoryNode};
use crate::api::{GPU_PRODUCT_KEY, HOSTNAME_KEY, TargetSpec};
use crate::diagnostic::FieldPath;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The nodes that take part, those that do not, and what all of them have in common. Nodes are indices into
/// [`Inventory::nodes`]; methods take the inventory from which the fleet was discovered.
#[derive(Debug, Clone, Default)]
pub struct Fleet {
    /// Nodes that take part, by name in byte order.
    pub nodes: Vec<u32>,
    /// Every other node of the inventory with the filter that decided, by name in byte order.
    pub excluded: Vec<Excluded>,
    /// Platform of the run; empty when there is no node and no flag.
    pub platform: String,
    /// How many candidates look like which platform (before the architecture vote).
    pub detected_platforms: BTreeMap<String, usize>,
    /// GPU architecture of the run, or `unknown`.
    pub architecture: String,
    /// Distinct product labels of the nodes that took part before the capacity filter, sorted (03 §6.5 item 4).
    pub products: Vec<String>,
    /// Nodes whose product comes from a `ResourceSlice` and not from their own label, by name (03 §3.3). Fixed before
    /// the capacity filter.
    pub synthesized: Vec<u32>,
    /// Nodes that take part without any product, by name (00 D64). Fixed before the capacity filter.
    pub without_product: Vec<u32>,
    /// GPUs per node that [`Fleet::apply_capacity`] asked for; 0 before.
    pub requested_gpus: i32,
    pub(crate) target: TargetSpec,
    pub(crate) target_path: FieldPath,
    pub(crate) declared_architecture: bool,
    /// Problems of the nodes that took part before the capacity filter.
    pub(crate) unhealthy: Vec<(u32, HealthProblems)>,
    pub(crate) product_table: Vec<Product>,
}

/// What a plan shows of a fleet (03 §0).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetPlan {
    /// Platform of the run.
    pub detected_platform: String,
    /// GPU architecture of the run.
    #[serde(rename = "detectedGPUArchitecture")]
    pub detected_gpu_architecture: String,
    /// Distinct product labels, sorted.
    pub gpu_products: Vec<String>,
    /// Names of the nodes that take part.
    pub nodes: Vec<String>,
    /// Names of the GPU nodes of the target that do not take part (03 §1.8).
    pub excluded_nodes: Vec<String>,
    /// Why, in one text; empty when there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub exclusion_reason: String,
    /// Every node of the inventory that does not take part, with its reason (00 D27).
    pub exclusions: Vec<Exclusion>,
}

impl Fleet {
    /// The name of a node; empty for an index that the inventory does not have.
    pub fn name<'a>(&self, inventory: &'a Inventory, node: u32) -> &'a str {
        inventory.nodes.get(node as usize).map_or("", |n| inventory.text(n.name))
    }

    /// Names of the nodes that take part, in byte order.
    pub fn names<'a>(&'a self, inventory: &'a Inventory) -> impl Iterator<Item = &'a str> + Clone {
        self.nodes.iter().map(|node| self.name(inventory, *node))
    }

    /// The nodes that take part.
    pub fn members<'a>(&'a self, inventory: &'a Inventory) -> impl Iterator<Item = &'a InventoryNode> + Clone {
        self.nodes.iter().filter_map(|node| inventory.nodes.get(*node as usize))
    }

    /// What the affinity of a node's pods names as `kubernetes.io/hostname`: the node's own label, else its name
    /// (00 D24).
    pub fn hostname_value<'a>(&self, inventory: &'a Inventory, node: u32) -> &'a str {
        let Some(found) = inventory.nodes.get(node as usize) else { return "" };
        match inventory.label(found, HOSTNAME_KEY) {
            Some(label) if !label.is_empty() => label,
            _ => inventory.text(found.name),
        }
    }

    /// True when every node of the fleet carries one of [`Fleet::products`] as its own label, so that an affinity on
    /// `nvidia.com/gpu.product` matches all of them (03 §6.5 item 4). False with synthesized products and with nodes
    /// that have none.
    pub fn products_are_labels(&self) -> bool {
        self.synthesized.is_empty() && (self.without_product.is_empty() || self.products.is_empty())
    }

    /// The product label of a node as the cluster has it; what a `ResourceSlice` says is not looked at.
    pub fn own_product<'a>(&self, inventory: &'a Inventory, node: u32) -> Option<&'a str> {
        inventory.label(inventory.nodes.get(node as usize)?, GPU_PRODUCT_KEY)
    }

    /// Nodes as they were before the architecture and capacity filters, by name (03 §4).
    pub fn discovered(&self, inventory: &Inventory) -> Vec<u32> {
        let late = self.excluded.iter().filter(|e| e.reason.is_late());
        let mut out: Vec<u32> = self.nodes.iter().copied().chain(late.map(|e| e.node)).collect();
        out.sort_by_key(|node| self.name(inventory, *node));
        out
    }

    /// What a plan shows.
    pub fn plan(&self, inventory: &Inventory) -> FleetPlan {
        FleetPlan {
            detected_platform: self.platform.clone(),
            detected_gpu_architecture: self.architecture.clone(),
            gpu_products: self.products.clone(),
            nodes: self.names(inventory).map(str::to_owned).collect(),
            excluded_nodes: self.excluded_nodes(inventory).map(str::to_owned).collect(),
            exclusion_reason: self.exclusion_reason(inventory),
            exclusions: self.exclusions(inventory).collect(),
        }
    }

    pub(crate) fn sort_excluded(&mut self, inventory: &Inventory) {
        self.excluded.sort_by_key(|e| inventory.nodes.get(e.node as usize).map_or("", |n| inventory.text(n.name)));
    }
}
