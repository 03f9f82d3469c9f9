//! `Workflow` (01 §2).

use super::{GangSchedulerSpec, JobSpec, ObjectMeta, OverrideSpec, TargetSpec, is_default};
use crate::check::GoDuration;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a WorkloadRun becomes: a job template, an orchestration and the objects that must exist before a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["apiVersion", "kind", "metadata", "spec"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Workflow {
    /// `nvcre.nvidia.com/v1alpha1`.
    pub api_version: String,
    /// `Workflow`.
    pub kind: String,
    /// Name (that of the run), namespace, labels and annotations.
    pub metadata: ObjectMeta,
    /// What runs.
    pub spec: WorkflowSpec,
}

/// What runs (01 §2.1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["jobTemplate", "orchestration"])))]
#[serde(rename_all = "camelCase", default)]
pub struct WorkflowSpec {
    /// Namespace of jobs and dependencies.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Template of every job.
    pub job_template: JobTemplate,
    /// Node selection, grouping, execution.
    pub orchestration: OrchestrationSpec,
    /// Objects that must exist before a job starts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("items" = { "type": "object" })))]
    pub dependencies: Vec<Value>,
    /// Conditional patches that are not resolved yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<OverrideSpec>,
    /// Thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<ValidationSpec>,
    /// Resolved gang scheduling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gang_scheduler: Option<GangSchedulerSpec>,
}

/// Template of a job (01 §2.2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["spec"])))]
#[serde(rename_all = "camelCase", default)]
pub struct JobTemplate {
    /// Metadata of the Job; its labels label the Job only.
    #[serde(skip_serializing_if = "is_default")]
    pub metadata: ObjectMeta,
    /// The job.
    pub spec: JobSpec,
}

/// Node selection, grouping and execution (01 §2.3).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct OrchestrationSpec {
    /// Eligible nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetSpec>,
    /// Topology of the groups; unset is plain chunking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<TopologySpec>,
    /// Adaptive fault isolation; only in a Workflow written by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnose: Option<DiagnoseSpec>,
    /// Limits of the execution; `{}` when empty (01 §0.3).
    pub execution: ExecutionSpec,
    /// Full passes over all groups.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub iterations: i64,
    /// `Pinned` (or empty) or `Unpinned`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["Pinned", "Unpinned"], "default" = "Pinned")))]
    pub placement: String,
}

/// Topology of the groups (01 §2.4).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TopologySpec {
    /// Node label that names the domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_key: Option<String>,
    /// One group per domain; a group never crosses a domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_domain: Option<bool>,
}

/// Adaptive fault isolation (01 §2.5).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct DiagnoseSpec {
    /// Smallest group at which halving stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub min_group_size: Option<i64>,
    /// Domain label of the first stage.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub topology_key: String,
}

/// Limits of the execution (01 §2.6).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionSpec {
    /// Jobs at a time; 0 is no limit.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub max_concurrent: i64,
    /// Limit per job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_per_job: Option<GoDuration>,
    /// Recreations of a failed group's job.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub retry_failed_groups: i64,
}

/// Thresholds and tracking (01 §2.10).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ValidationSpec {
    /// Performance validation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub performance: Option<PerformanceValidationSpec>,
}

/// Performance validation (01 §2.10).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PerformanceValidationSpec {
    /// Whether it is active.
    pub enabled: bool,
    /// Plugin, for example `nccl-tests`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub plugin: String,
    /// Parameters of the plugin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    /// Tracking; `{}` when empty (01 §0.3).
    pub tracking: TrackingSpec,
    /// Thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<ThresholdSpec>,
    /// Wait for measurement data after success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measurement_timeout: Option<GoDuration>,
}

/// What performance is tracked by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TrackingSpec {
    /// Per node.
    #[serde(skip_serializing_if = "is_default")]
    pub per_node: bool,
    /// Per topology domain.
    #[serde(skip_serializing_if = "is_default")]
    pub per_domain: bool,
}

/// Thresholds; the key is doubled on the wire (01 §1.14).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ThresholdSpec {
    /// Metric name to CEL expression.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub thresholds: BTreeMap<String, String>,
}
