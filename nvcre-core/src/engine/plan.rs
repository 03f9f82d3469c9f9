//! The plan of a rendering as data: what `plan -o json`, the page and controllers show (docs/json.md).

use crate::fleet::Exclusion;
use crate::schedule::{GroupVerdict, Need};
use crate::trace::OverrideOutcome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the form of [`Plan`].
pub const PLAN_FORMAT: &str = "nvcre.nvidia.com/plan/v1";

/// Who runs what, where, and who stays out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Version of this form.
    pub format: String,
    /// Name of the run.
    pub run: String,
    /// Namespace; empty when nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Edition of the catalogue.
    pub edition: String,
    /// Platform; empty when it is not known.
    pub platform: String,
    /// GPU architecture; `unknown` when no node and no flag tells it.
    pub gpu_architecture: String,
    /// Distinct GPU product labels of the nodes that take part, sorted.
    pub gpu_products: Vec<String>,
    /// `Pinned` or `Unpinned`.
    pub placement: String,
    /// GPUs per node.
    pub gpus_per_node: i32,
    /// Mellanox NICs per node.
    pub mlnx_per_node: i32,
    /// Multi-node NVLink.
    #[serde(rename = "enableMNNVL")]
    pub enable_mnnvl: bool,
    /// NIC resource; empty when none is requested by name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub nic_resource_name: String,
    /// Nodes per job.
    pub nodes_per_job: i64,
    /// Label of the topology domains; absent without topology.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology_key: Option<String>,
    /// One group per domain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict_domain: bool,
    /// Passes over all groups.
    pub iterations: i64,
    /// Jobs at a time; 0 is no limit.
    pub max_concurrent: i64,
    /// Limit per job.
    pub timeout_per_job: String,
    /// Nodes that take part.
    pub total_nodes: usize,
    /// Groups.
    pub total_groups: usize,
    /// The groups, in the order in which they start.
    pub groups: Vec<PlanGroup>,
    /// What of the cluster the pods wait for, whatever the verdict on their group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduling_needs: Vec<Need>,
    /// Nodes that belong to more than one group, with the names of the groups.
    pub nodes_run_twice: BTreeMap<String, Vec<String>>,
    /// Every node of the inventory that stays out.
    pub excluded: Vec<Exclusion>,
    /// Summary of the exclusions that the engine reports (03 §1.8); empty without any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub exclusion_reason: String,
    /// Overrides that matched, in the order in which they were applied.
    pub applied_overrides: Vec<OverrideOutcome>,
}

/// One group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanGroup {
    /// Name, for example `group-0` or `group-4-overflow`.
    pub name: String,
    /// Its nodes, sorted; empty under Unpinned.
    pub nodes: Vec<String>,
    /// Topology domains it spans, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    /// Nodes per domain; only when it spans several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub domain_node_counts: BTreeMap<String, usize>,
    /// Runs some nodes a second time to give leftovers a full group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overflow: bool,
    /// Whether its pods find nodes.
    #[serde(default)]
    pub scheduling: GroupVerdict,
}
