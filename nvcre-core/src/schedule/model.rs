//! What is said about scheduling, as data (docs/json.md).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether the pods of a job find nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// All pods find nodes at the same time.
    Fits,
    /// At least one pod waits.
    Waits,
    /// Nobody can say: nodes do not tell what they offer, or pods depend on others that are not known here.
    #[default]
    Unknown,
}

/// The verdict on a group, on the nodes that its pods may use, with no other job of the run there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupVerdict {
    /// Whether the pods find nodes.
    pub verdict: Verdict,
    /// The kind of pods that waits (its replicated job).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pods: String,
    /// Why they wait, in the words of the scheduler; why nobody can say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What on the cluster would change the verdict.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unless: String,
}

/// Something that only the cluster knows and that pods wait for.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Need {
    /// `PersistentVolumeClaim`, `PriorityClass`, `scheduler`, `DeviceClass` and so on.
    pub kind: String,
    /// Its name; that of the dependency where every job has a copy.
    pub name: String,
    /// What of it is needed, as a sentence.
    pub why: String,
}

/// One of the scheduler's filters on the nodes of the inventory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FilterLine {
    /// `cordon`, `taints`, `affinity` or `resources`.
    pub filter: String,
    /// Nodes that came to it.
    pub nodes: usize,
    /// Nodes that it let through.
    pub pass: usize,
    /// Which nodes it stopped, and with what values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stops: Vec<String>,
}

/// The pods of one kind before the scheduler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodScheduling {
    /// Their replicated job.
    pub pods: String,
    /// How many there are.
    pub count: usize,
    /// What one requests, by resource.
    pub requests: BTreeMap<String, String>,
    /// The filters in the order in which a node meets them, on nodes without other pods of the job.
    pub filters: Vec<FilterLine>,
    /// How many of them fit on the nodes that are left, when no other pod of the job is there.
    pub fit: usize,
}

/// A group before the scheduler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupScheduling {
    /// The verdict.
    #[serde(flatten)]
    pub verdict: GroupVerdict,
    /// Every kind of pods.
    pub kinds: Vec<PodScheduling>,
    /// What a person can do when pods wait, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<String>,
    /// What only the cluster knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
}
