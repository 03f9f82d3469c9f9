//! `Job` of the engine, not `batch/v1` (01 §3).

use super::{BandwidthMeasurementConfig, GoodputMeasurementConfig, ObjectMeta, TrainJobSpec, WorkloadMetadata};
use crate::check::GoDuration;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One group's work in one iteration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["apiVersion", "kind", "metadata", "spec"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Job {
    /// `nvcre.nvidia.com/v1alpha1`.
    pub api_version: String,
    /// `Job`.
    pub kind: String,
    /// Name, namespace, labels and annotations.
    pub metadata: ObjectMeta,
    /// The job.
    pub spec: JobSpec,
}

/// What a job does (01 §3.1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["workload"])))]
#[serde(rename_all = "camelCase", default)]
pub struct JobSpec {
    /// The workload object to create.
    pub workload: WorkloadSpec,
    /// Labels of that object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_metadata: Option<WorkloadMetadata>,
    /// Hardware failure check on the job's nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_health_monitor: Option<NodeHealthMonitor>,
    /// Restart from checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointConfig>,
    /// Stalled when no step for this many average step times.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub stall_multiplier: Option<i32>,
    /// Wait for the first step, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub startup_stall_timeout_seconds: Option<i32>,
    /// How long pods may be unschedulable, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub scheduling_stall_grace_seconds: Option<i32>,
    /// Child GoodputMeasurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goodput_measurement: Option<GoodputMeasurementConfig>,
    /// Child BandwidthMeasurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_measurement: Option<BandwidthMeasurementConfig>,
    /// Thresholds, copied from the Workflow.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub thresholds: BTreeMap<String, String>,
    /// Wait for measurement data after success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measurement_timeout: Option<GoDuration>,
}

/// The workload object: exactly one key, `trainJob` (01 §3.2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadSpec {
    /// Spec of a Kubeflow TrainJob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_job: Option<TrainJobSpec>,
}

/// Hardware failure check (01 §3.3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct NodeHealthMonitor {
    /// By a CEL expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cel: Option<CelHealthCheck>,
}

/// CEL over `node`; true means unhealthy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["expression"])))]
#[serde(default)]
pub struct CelHealthCheck {
    /// The expression, 1–2048 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 2048)))]
    pub expression: String,
}

/// Restart from checkpoint (01 §3.4).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["pvcName"])))]
#[serde(rename_all = "camelCase", default)]
pub struct CheckpointConfig {
    /// Claim among the dependencies.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub pvc_name: String,
    /// Restarts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_restarts: Option<i32>,
}
