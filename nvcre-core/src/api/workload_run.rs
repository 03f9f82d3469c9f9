//! `WorkloadRun` (01 §1).

use super::{BandwidthMeasurementConfig, GoodputMeasurementConfig, TopologySpec};
use super::{EnvVar, LocalObjectReference, NodeSelectorRequirement, ObjectMeta, OverrideSpec, is_default};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use super::{k8s, pattern};

/// A distributed run, described once for every platform.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["apiVersion", "kind", "metadata", "spec"])))]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadRun {
    /// `nvcre.nvidia.com/v1alpha1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = super::API_VERSION)))]
    pub api_version: String,
    /// `WorkloadRun`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "WorkloadRun")))]
    pub kind: String,
    /// Name, namespace, labels and annotations.
    pub metadata: ObjectMeta,
    /// What to run.
    pub spec: WorkloadRunSpec,
}

/// What to run, on which nodes and how (01 §1.1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["framework", "image", "numNodes"])))]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadRunSpec {
    /// Which nodes are eligible; unset takes every GPU node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetSpec>,
    /// Container image of the workload.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub image: String,
    /// How the workload is started: exactly one of `torch`, `mpi`, `exec`.
    pub framework: FrameworkSpec,
    /// Nodes per job group (`Pinned`) or of the single job (`Unpinned`).
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub num_nodes: i32,
    /// Files mounted at `/config`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<WorkloadConfig>,
    /// GPUs per node; unset takes the hardware table.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub gpus_per_node: Option<i32>,
    /// Mellanox NICs per node; unset takes the hardware table, `0` requests none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub mlnx_per_node: Option<i32>,
    /// Extended resource name of the RDMA NICs on-prem; unset detects it from the nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = 253), extend("pattern" = pattern::EXTENDED_RESOURCE, "not" = { "pattern": pattern::RESERVED_RESOURCE })))]
    pub nic_resource_name: Option<String>,
    /// Pull secrets of the pods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Environment, merged over the NCCL defaults; a name set here wins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvVar>,
    /// Extra pod volumes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::volumes"))]
    pub volumes: Vec<Value>,
    /// Extra mounts of the workload container.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::volume_mounts"))]
    pub volume_mounts: Vec<Value>,
    /// Multi-node NVLink; unset turns it on for GB200 and GB300.
    #[serde(rename = "enableMNNVL", skip_serializing_if = "Option::is_none")]
    pub enable_mnnvl: Option<bool>,
    /// Claims a volume and turns on restart from checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<WorkloadRunCheckpoint>,
    /// Replaces requests and limits of the workload container.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::resources"))]
    pub resources: Option<Value>,
    /// Run before the workload container.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::containers"))]
    pub init_containers: Vec<Value>,
    /// Grouping and execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orchestration: Option<WorkloadOrchestration>,
    /// Metric name to CEL expression over `value`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("propertyNames" = { "enum": ["busBandwidthGBps", "algBandwidthGBps", "goodputRatio", "avgTFLOPsPerGPU", "avgStepTimeSec"] })))]
    pub thresholds: BTreeMap<String, String>,
    /// Adds a GoodputMeasurement to every job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goodput_measurement: Option<GoodputMeasurementConfig>,
    /// Adds a BandwidthMeasurement to every job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_measurement: Option<BandwidthMeasurementConfig>,
    /// Conditional patches, after those of the platform catalogue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<OverrideSpec>,
    /// Opts every workload pod into a gang-aware scheduler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gang_scheduler: Option<GangSchedulerSpec>,
    /// Labels on the generated workload object (the TrainJob) only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_metadata: Option<WorkloadMetadata>,
    /// Priority class of every pod template.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 253), extend("pattern" = pattern::PRIORITY)))]
    pub priority_class_name: String,
}

/// Which nodes are eligible; all parts must hold (01 §1.2, 03 §1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TargetSpec {
    /// Labels that a node must carry.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Label expressions that must all hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<NodeSelectorRequirement>,
    /// Names of the only nodes to take.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub node_names: Vec<String>,
    /// Taints that a node must all carry; the pods tolerate them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taint_selectors: Vec<TaintSelector>,
    /// Keeps cordoned nodes.
    #[serde(skip_serializing_if = "is_default")]
    pub include_unschedulable: bool,
}

/// One taint to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["key"])))]
#[serde(default)]
pub struct TaintSelector {
    /// Taint key.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub key: String,
    /// Taint value; empty matches any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Taint effect; empty matches any.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("examples" = ["NoSchedule", "PreferNoSchedule", "NoExecute"])))]
    pub effect: String,
}

/// How the workload is started: exactly one (01 §1.3).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("oneOf" = [{ "required": ["torch"] }, { "required": ["mpi"] }, { "required": ["exec"] }])))]
#[serde(default)]
pub struct FrameworkSpec {
    /// Through `torchrun`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torch: Option<TorchFramework>,
    /// Launcher and workers through `mpirun` over SSH.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpi: Option<MpiFramework>,
    /// A command as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec: Option<ExecFramework>,
}

/// `torchrun`: exactly one of script and module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("oneOf" = [{ "required": ["script"] }, { "required": ["module"] }])))]
#[serde(default)]
pub struct TorchFramework {
    /// `torchrun SCRIPT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub script: Option<String>,
    /// `torchrun -m MODULE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub module: Option<String>,
    /// Arguments after script or module.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
}

/// `mpirun`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["binary", "mpirunPath"])))]
#[serde(rename_all = "camelCase", default)]
pub struct MpiFramework {
    /// Program that mpirun starts.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub binary: String,
    /// Arguments of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Arguments of mpirun itself, after those of the platform.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mpi_args: Vec<String>,
    /// `OpenMPI`, the only one.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["OpenMPI"], "default" = "OpenMPI")))]
    pub mpi_implementation: String,
    /// Path of mpirun in the image.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub mpirun_path: String,
}

/// A command as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["command"])))]
#[serde(default)]
pub struct ExecFramework {
    /// Entry point.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub command: Vec<String>,
    /// Arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
}

/// Files mounted at `/config` (01 §1.4).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("not" = { "required": ["inline", "configMapRef"] })))]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadConfig {
    /// File name to content: a ConfigMap is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inline: Option<BTreeMap<String, String>>,
    /// A ConfigMap that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map_ref: Option<LocalObjectReference>,
}

/// Restart from checkpoint (01 §1.5).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["storageSize"])))]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadRunCheckpoint {
    /// Size of the claim, for example `500Gi`.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = pattern::SIZE)))]
    pub storage_size: String,
    /// Storage class; unset takes the cluster's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_class_name: Option<String>,
    /// Restarts from checkpoint on failure; unset is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub max_restarts: Option<i32>,
}

/// Grouping and execution (01 §1.6, 00 D4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("not" = { "required": ["placement"], "properties": { "placement": { "const": "Unpinned" } }, "anyOf": [{ "required": ["testScale"], "properties": { "testScale": { "enum": ["intra-node", "intra-rack"] } } }, { "required": ["topology"], "properties": { "topology": { "required": ["strictDomain"], "properties": { "strictDomain": { "const": true } } } } }] })))]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadOrchestration {
    /// `intra-node`, `intra-rack` or `full-scale`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["intra-node", "intra-rack", "full-scale"])))]
    pub test_scale: String,
    /// How often the whole orchestration runs; unset is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1), extend("default" = 1)))]
    pub repeat_count: Option<i32>,
    /// Jobs at a time; unset or 0 is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub max_concurrent: Option<i32>,
    /// Limit per job as a Go duration; unset is 24h.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = "24h")))]
    pub timeout_per_job: String,
    /// `Pinned` (default) or `Unpinned`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["Pinned", "Unpinned"], "default" = "Pinned")))]
    pub placement: String,
    /// Topology of the groups; wins over the platform's own key (00 D4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<TopologySpec>,
}

/// Gang scheduling (01 §1.7).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["schedulerName"])))]
#[serde(rename_all = "camelCase", default)]
pub struct GangSchedulerSpec {
    /// Name of the scheduler, in every pod template.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub scheduler_name: String,
    /// Queue; empty is `default-queue`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 63), extend("pattern" = pattern::QUEUE, "default" = "default-queue")))]
    pub queue: String,
    /// Label key that names the queue; empty is `kai.scheduler/queue`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 317), extend("pattern" = pattern::OPTIONAL_LABEL_KEY, "not" = { "pattern": pattern::RESERVED_LABEL_KEY }, "default" = "kai.scheduler/queue")))]
    pub queue_label_key: String,
}

/// Labels of the workload object (01 §1.8).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WorkloadMetadata {
    /// At most 32 labels, merged onto the TrainJob.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("maxProperties" = 32, "propertyNames" = { "pattern": pattern::LABEL_KEY, "maxLength": 317, "not": { "pattern": pattern::RESERVED_LABEL_KEY } }, "additionalProperties" = { "type": "string", "maxLength": 63, "pattern": pattern::LABEL_VALUE })))]
    pub labels: BTreeMap<String, String>,
}
