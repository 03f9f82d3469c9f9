//! The matrix as data (docs/json.md).

use crate::compare::{ChangeKind, Meaning, ValueChange};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::trace::Origin;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the form of [`Matrix`].
pub const MATRIX_FORMAT: &str = "nvcre.nvidia.com/matrix/v1";

/// A run on every platform with every GPU.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Matrix {
    /// Version of this form.
    pub format: String,
    /// Name of the run.
    pub run: String,
    /// Findings of the run itself, whatever it is rendered for. With an error among them there are no combinations.
    pub findings: Vec<Diagnostic>,
    /// What the combinations of each edition are compared with.
    pub plain: Vec<Plain>,
    /// Every platform with every GPU, and with a GPU that the catalogue does not know; editions, platforms and GPUs in
    /// the order of the catalogue.
    pub combinations: Vec<Combination>,
    /// What combinations give; equal ones share one.
    pub variants: Vec<Variant>,
    /// What all variants that render have in common, when there are several. It stands in each of them, too.
    pub common: Differences,
}

/// Numbers that a rendering uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Sizes {
    /// Nodes of a job.
    pub nodes_per_job: i32,
    /// GPUs of a node.
    pub gpus_per_node: i32,
    /// Mellanox NICs of a node.
    pub mlnx_per_node: i32,
    /// Multi-node NVLink.
    #[serde(rename = "enableMNNVL")]
    pub enable_mnnvl: bool,
}

/// The run with no entry of the catalogue applied.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Plain {
    /// The edition, whose default variables it has.
    pub edition: String,
    /// Its numbers: those of the run, else the fallback of the hardware table.
    pub sizes: Sizes,
    /// The Workflow. Without its annotations and with the changes of a variant it is that of a combination.
    pub workflow: Value,
}

/// One platform with one GPU.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Combination {
    /// The edition.
    pub edition: String,
    /// The platform.
    pub platform: String,
    /// The GPU architecture. One that the catalogue does not know is `unknown`, or what the run's own target names.
    pub gpu_architecture: String,
    /// What is not known about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// What it gives: place in `variants`, from 0.
    pub variant: usize,
}

/// What is not known about a combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    /// The catalogue knows platform and GPU, and nothing about the two together: no entry, no row of the hardware table
    /// and no advice names both. What applies holds for the whole platform, or for the GPU everywhere.
    PairUnknown,
    /// A GPU that the catalogue does not know: entries with a GPU condition do not apply, numbers are the fallback.
    GpuUnknown,
    /// The platform of nodes of which nothing tells another one, so that it may be any.
    PlatformGeneric,
}

/// What combinations give.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    /// False when findings of severity error keep it from being rendered: then only the findings are told.
    pub rendered: bool,
    /// Its numbers.
    pub sizes: Sizes,
    /// What differs from the plain run, by what it is.
    pub differences: Differences,
    /// All of it by path, exactly: what differs in the Workflow but for its annotations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ValueChange>,
}

/// What differs from the plain run, which is the old side; lists of meanings are those of a difference, by their kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Differences {
    /// Entries of the catalogue and overrides of the run that apply; of the run's own, those that need the platform.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<MatrixEntry>,
    /// What holds for the whole run: `fact`, and `image`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Meaning>,
    /// Variables as the processes of the workload see them: those of MPI get them from mpirun.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<VariableDifference>,
    /// Variables of containers that these processes do not see so: `env`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub containers: Vec<Meaning>,
    /// Options of mpirun and words of the command: `argument`; lines before the command: `line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Meaning>,
    /// What pods ask for, NICs among them: `resource`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Meaning>,
    /// Objects that are made, or no longer: `object`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Meaning>,
    /// Fields of the Workflow that differ and that nothing above tells, such as tolerations and claims.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<ValueChange>,
    /// Findings beside those of the run itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Diagnostic>,
}

/// An entry of the catalogue, or an override of the run, that applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MatrixEntry {
    /// Which.
    pub origin: Origin,
    /// What it does, for people; empty for one of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// It applies and changes nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_op: bool,
}

impl MatrixEntry {
    /// Number of an entry, `override` for one of the run.
    pub fn id(&self) -> &str {
        match &self.origin {
            Origin::Entry { id, .. } => id,
            _ => "override",
        }
    }
}

/// A variable that the processes of the workload see in another way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VariableDifference {
    /// The variable.
    pub name: String,
    /// What happened.
    pub change: ChangeKind,
    /// In the plain run; absent when they do not see it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// In the combination; absent when they do not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// The layer that set it; absent when it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Differences {
    /// True when nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Matrix {
    /// False when an error of the run itself keeps everything from being rendered.
    pub fn is_printable(&self) -> bool {
        !has_errors(&self.findings)
    }

    /// The row of a platform and a GPU, in the first edition that has it.
    pub fn combination(&self, platform: &str, architecture: &str) -> Option<&Combination> {
        self.combinations.iter().find(|c| c.platform == platform && c.gpu_architecture == architecture)
    }

    /// What a combination gives.
    pub fn variant(&self, combination: &Combination) -> Option<&Variant> {
        self.variants.get(combination.variant)
    }

    /// Findings of combinations, each once.
    pub fn findings_of_combinations(&self) -> Vec<&Diagnostic> {
        let mut out: Vec<&Diagnostic> = Vec::new();
        for finding in self.variants.iter().flat_map(|variant| &variant.differences.findings) {
            if !out.contains(&finding) {
                out.push(finding);
            }
        }
        out
    }
}
