//! Manifests that differ from job to job in a few places only. Everything else is built once, so that a job costs
//! little more than printing it.

use super::references::{Place, at_mut};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the form of [`Manifest`].
pub const MANIFESTS_FORMAT: &str = "nvcre.nvidia.com/manifests/v1";

/// What an object is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// Run record of a direct run (10 §2).
    Record,
    /// Object that must exist before a job.
    Dependency,
    /// Job of the engine.
    Job,
    /// TrainJob of Kubeflow Trainer.
    TrainJob,
    /// Measurement of a Job.
    Measurement,
}

/// Who owns an object. Printed manifests carry no owner references, since those need UIDs (00 D77).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Owner {
    /// The (first) run record, plain.
    Record,
    /// The Workflow.
    Workflow {
        /// As its controller.
        controller: bool,
    },
    /// The Job of the same group and iteration.
    Job {
        /// As its controller.
        controller: bool,
    },
}

/// One object, as it is printed and sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The object.
    pub value: Value,
    /// Its owner on a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// What it is for.
    pub role: Role,
}

/// What stands in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Name of a per-job copy, by target.
    Copy(usize),
    /// Name of the Job.
    Job,
    /// Name of the TrainJob.
    TrainJob,
    /// Name of the GoodputMeasurement.
    Goodput,
    /// Name of the BandwidthMeasurement.
    Bandwidth,
    /// Name of the group.
    Group,
    /// Number of the iteration, as text.
    Iteration,
    /// Names of the nodes of the group, joined with commas.
    GroupNodes,
    /// Host names of the nodes of the group, as a list.
    Hosts,
    /// Number of the nodes of the group.
    Size,
}

/// The values of one job.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobValues {
    pub copies: Vec<String>,
    pub job: String,
    pub train_job: String,
    pub goodput: String,
    pub bandwidth: String,
    pub group: String,
    pub iteration: String,
    pub group_nodes: String,
    pub hosts: Vec<String>,
    pub size: usize,
}

impl JobValues {
    fn value(&self, fill: Fill) -> Value {
        let text = match fill {
            Fill::Copy(target) => self.copies.get(target).cloned().unwrap_or_default(),
            Fill::Job => self.job.clone(),
            Fill::TrainJob => self.train_job.clone(),
            Fill::Goodput => self.goodput.clone(),
            Fill::Bandwidth => self.bandwidth.clone(),
            Fill::Group => self.group.clone(),
            Fill::Iteration => self.iteration.clone(),
            Fill::GroupNodes => self.group_nodes.clone(),
            Fill::Hosts => return self.hosts.iter().map(String::as_str).collect(),
            Fill::Size => return self.size.into(),
        };
        Value::String(text)
    }
}

/// A manifest and the places in it that differ.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    pub manifest: Manifest,
    pub slots: Vec<(Place, Fill)>,
}

impl Template {
    /// Puts the values of a job into a copy of the manifest, whichever job it was filled for before.
    pub fn fill(&self, value: &mut Value, job: &JobValues) {
        for (place, fill) in &self.slots {
            if let Some(slot) = at_mut(value, place) {
                *slot = job.value(*fill);
            }
        }
    }

    /// The manifest of a job.
    pub fn of(&self, job: &JobValues) -> Manifest {
        let mut manifest = self.manifest.clone();
        self.fill(&mut manifest.value, job);
        manifest
    }
}
