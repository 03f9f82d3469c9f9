//! The resolved numbers of a run (02 §2).

use crate::api::WorkloadRunSpec;
use crate::catalogue::Catalogue;
use crate::trace::{Change, Origin, Recorder, Subject};
use serde_json::{Value, json};

/// Counts and switches that the builders use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// GPUs per node: `spec.gpusPerNode`, else the hardware table.
    pub gpus_per_node: i32,
    /// Mellanox NICs per node: `spec.mlnxPerNode`, else the hardware table.
    pub mlnx_per_node: i32,
    /// Multi-node NVLink: `spec.enableMNNVL`, else by architecture.
    pub enable_mnnvl: bool,
    /// Nodes per job: 1 under `testScale: intra-node`, else `spec.numNodes`.
    pub nodes_per_job: i32,
}

impl Sizes {
    /// Resolves the numbers of a run on an architecture and platform; both may be empty.
    pub fn resolve<R: Recorder>(
        spec: &WorkloadRunSpec,
        catalogue: &Catalogue,
        architecture: &str,
        platform: &str,
        recorder: &mut R,
    ) -> Self {
        let hardware = catalogue.hardware(architecture, platform);
        let mut record = |name: &str, table: Option<Value>, field: Option<(&str, Value)>| {
            if !R::ON {
                return;
            }
            let subject = Subject::Value { name: name.into() };
            if let Some(new) = &table {
                let origin = Origin::Hardware { architecture: architecture.into(), platform: platform.into() };
                recorder.record(|| Change { subject: subject.clone(), origin, old: None, new: Some(new.clone()) });
            }
            if let Some((path, new)) = field {
                let origin = Origin::Run { path: path.into() };
                recorder.record(|| Change { subject, origin, old: table, new: Some(new) });
            }
        };
        let field = |path: &'static str, value: Option<i32>| value.map(|v| (path, json!(v)));
        record("gpusPerNode", Some(json!(hardware.gpus_per_node)), field("spec.gpusPerNode", spec.gpus_per_node));
        record("mlnxPerNode", Some(json!(hardware.mlnx_per_node)), field("spec.mlnxPerNode", spec.mlnx_per_node));
        let mnnvl = catalogue.mnnvl(architecture);
        record("enableMNNVL", Some(json!(mnnvl)), spec.enable_mnnvl.map(|v| ("spec.enableMNNVL", json!(v))));
        let intra_node = spec.orchestration.as_ref().is_some_and(|o| o.test_scale == "intra-node");
        let nodes_per_job = if intra_node { 1 } else { spec.num_nodes };
        let path = if intra_node { "spec.orchestration.testScale" } else { "spec.numNodes" };
        record("nodesPerJob", None, Some((path, json!(nodes_per_job))));
        Self {
            gpus_per_node: spec.gpus_per_node.unwrap_or(hardware.gpus_per_node),
            mlnx_per_node: spec.mlnx_per_node.unwrap_or(hardware.mlnx_per_node),
            enable_mnnvl: spec.enable_mnnvl.unwrap_or(mnnvl),
            nodes_per_job,
        }
    }
}
