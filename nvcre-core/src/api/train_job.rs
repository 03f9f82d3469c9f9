//! The parts of Kubeflow Trainer's `TrainJob` that are read or written here (01 §3.2). Releases from 2.2 on.

use super::{EnvVar, LocalObjectReference, Toleration};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use super::k8s;

/// Spec of a `TrainJob`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TrainJobSpec {
    /// The runtime.
    #[serde(skip_serializing_if = "RuntimeRef::is_empty")]
    pub runtime_ref: RuntimeRef,
    /// Dataset and model initialisers, as Kubeflow defines them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initializer: Option<Value>,
    /// The trainer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trainer: Option<Trainer>,
    /// Patches on the runtime, keyed by manager.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runtime_patches: Vec<RuntimePatch>,
    /// Created but not started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
    /// Seconds after which the job is ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub active_deadline_seconds: Option<i64>,
    /// Controller that manages it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
}

/// Reference to a runtime.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["name"])))]
#[serde(rename_all = "camelCase", default)]
pub struct RuntimeRef {
    /// Name of the runtime.
    pub name: String,
    /// Group; unset is `trainer.kubeflow.org`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_group: Option<String>,
    /// Kind; unset is `ClusterTrainingRuntime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl RuntimeRef {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The trainer of a TrainJob.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Trainer {
    /// Image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Entry point, at most 128 words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 128)))]
    pub command: Vec<String>,
    /// Arguments, at most 128 words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 128)))]
    pub args: Vec<String>,
    /// Environment, laid over that of the runtime by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 128)))]
    pub env: Vec<EnvVar>,
    /// Nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub num_nodes: Option<i32>,
    /// Resources per node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::resources"))]
    pub resources_per_node: Option<Value>,
    /// Processes per node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub num_proc_per_node: Option<i32>,
}

/// One manager's patch on the runtime.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["manager"])))]
#[serde(rename_all = "camelCase", default)]
pub struct RuntimePatch {
    /// Who owns the patch.
    pub manager: String,
    /// When it was set; never written here (00 D20).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_runtime_spec: Option<RuntimeSpecPatch>,
}

/// Patch on the spec of a runtime.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RuntimeSpecPatch {
    /// Patch on the JobSet template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<JobSetTemplatePatch>,
}

/// Patch on the JobSet template.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct JobSetTemplatePatch {
    /// Labels and annotations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<PatchMetadata>,
    /// Replicated jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<JobSetSpecPatch>,
}

/// Labels and annotations of a patch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PatchMetadata {
    /// Labels.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// Replicated jobs of a patch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct JobSetSpecPatch {
    /// By name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replicated_jobs: Vec<ReplicatedJobPatch>,
}

/// Patch on one replicated job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["name"])))]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicatedJobPatch {
    /// Name of the replicated job.
    pub name: String,
    /// Patch on its Job template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<JobTemplatePatch>,
}

/// Patch on a Job template.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct JobTemplatePatch {
    /// Labels and annotations of the Job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<PatchMetadata>,
    /// Patch on the Job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<JobSpecPatch>,
}

/// Patch on the spec of a Job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct JobSpecPatch {
    /// Patch on the pod template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<PodTemplatePatch>,
}

/// Patch on a pod template.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplatePatch {
    /// Labels and annotations of the pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<PatchMetadata>,
    /// Patch on the pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<PodSpecPatch>,
}

/// The fields of a pod that Trainer lets a patch set (08 row 21). Lists replace those of the runtime.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpecPatch {
    /// Service account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// Volumes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::volumes"))]
    pub volumes: Vec<Value>,
    /// Init containers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init_containers: Vec<ContainerPatch>,
    /// Containers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub containers: Vec<ContainerPatch>,
    /// Pull secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Security context of the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::pod_security_context"))]
    pub security_context: Option<Value>,
    /// Node labels.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Affinity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::affinity"))]
    pub affinity: Option<Value>,
    /// Tolerations; the list replaces that of the runtime.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// Scheduling gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::scheduling_gates"))]
    pub scheduling_gates: Vec<Value>,
    /// Seconds from the end signal to the kill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_grace_period_seconds: Option<i64>,
}

/// Patch on a container.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["name"])))]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerPatch {
    /// Name of the container.
    pub name: String,
    /// Environment; not allowed on container `node` (08 row 21).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvVar>,
    /// Mounts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::volume_mounts"))]
    pub volume_mounts: Vec<Value>,
    /// Security context.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::security_context"))]
    pub security_context: Option<Value>,
}
