//! What manifests are made of.

use super::partition::Grouping;
use crate::api::{TargetSpec, TrainJobSpec, Workflow, WorkloadRun};
use crate::fleet::{Fleet, Inventory};
use crate::trace::Origin;
use serde::{Deserialize, Serialize};

/// Who carries the run out (10 §1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// The engine's controller makes what is shown.
    #[default]
    Controller,
    /// The submitter sends what is shown to Kubeflow Trainer.
    Trainer,
}

/// What was resolved before, and is kept with the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Facts {
    /// Edition of the catalogue.
    pub edition: String,
    /// GPUs per node.
    pub gpus_per_node: i32,
    /// NICs per node.
    pub mlnx_per_node: i32,
    /// Multi-node NVLink.
    #[serde(rename = "enableMNNVL")]
    pub enable_mnnvl: bool,
    /// NIC resource, where one was found or named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nic_resource_name: Option<String>,
    /// Topology domains of the nodes, as overrides saw them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain_count: Option<i64>,
}

/// Everything that groups and manifests depend on.
#[derive(Debug, Clone, Copy)]
pub struct JobsInput<'a> {
    /// The Workflow with all overrides applied.
    pub workflow: &'a Workflow,
    /// The run after the caller's flags; kept in the record of a direct run.
    pub run: &'a WorkloadRun,
    /// The inventory.
    pub inventory: &'a Inventory,
    /// The nodes of the inventory that take part, after every filter.
    pub fleet: &'a Fleet,
    /// What was resolved before.
    pub facts: &'a Facts,
    /// Who brought the topology key, when there is one.
    pub topology_origin: Option<&'a Origin>,
    /// Namespace of all objects; empty when nobody says.
    pub namespace: &'a str,
    /// Who carries the run out.
    pub delivery: Delivery,
}

impl<'a> JobsInput<'a> {
    pub(crate) fn train_job(&self) -> Option<&'a TrainJobSpec> {
        self.workflow.spec.job_template.spec.workload.train_job.as_ref()
    }

    pub(crate) fn target(&self) -> Option<&'a TargetSpec> {
        self.workflow.spec.orchestration.target.as_ref()
    }

    pub(crate) fn unpinned(&self) -> bool {
        self.workflow.spec.orchestration.placement == "Unpinned"
    }

    /// Topology key and strictness; an empty key is none (00 D29).
    pub(crate) fn grouping(&self) -> Grouping<'a> {
        let topology = self.workflow.spec.orchestration.topology.as_ref();
        let key = topology.and_then(|t| t.topology_key.as_deref()).filter(|key| !key.is_empty());
        match (self.unpinned(), key) {
            (true, _) => Grouping::Unpinned,
            (false, None) => Grouping::Plain,
            (false, Some(key)) if topology.is_some_and(|t| t.strict_domain == Some(true)) => Grouping::Strict(key),
            (false, Some(key)) => Grouping::Packed(key),
        }
    }

    pub(crate) fn iterations(&self) -> u64 {
        u64::try_from(self.workflow.spec.orchestration.iterations).unwrap_or(0).max(1)
    }

    pub(crate) fn run_name(&self) -> &'a str {
        &self.workflow.metadata.name
    }

    /// Names of nodes, for a message: the first few, and how many more.
    pub(crate) fn node_list(&self, nodes: impl IntoIterator<Item = u32>) -> String {
        listed(nodes.into_iter().map(|n| super::partition::name_of(self.inventory, n).to_owned()))
    }
}

/// Texts for a message: the first ten, and how many more.
pub(crate) fn listed(texts: impl IntoIterator<Item = String>) -> String {
    let all: Vec<String> = texts.into_iter().collect();
    let mut shown = all.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(", ");
    if all.len() > 10 {
        shown.push_str(&format!(" and {} more", all.len() - 10));
    }
    shown
}
