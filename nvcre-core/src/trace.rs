//! Where every value came from. Layers report what they set through a [`Recorder`]; the empty recorder `()` compiles
//! to nothing, so a rendering that nobody asks about pays nothing for it (design: "Trace").

use crate::diagnostic::FieldPath;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the form of [`Trace`] and [`OverrideOutcome`].
pub const TRACE_FORMAT: &str = "nvcre.nvidia.com/trace/v1";

/// Who set a value. Later layers replace earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Origin {
    /// A constant of the renderer or a default of the edition, with its paragraph of the specification.
    Default {
        /// Paragraph, for example `02 §8.1`.
        source: String,
    },
    /// The hardware table of the catalogue.
    Hardware {
        /// GPU architecture of the row.
        architecture: String,
        /// Platform of the row; empty for the row that holds on every platform.
        platform: String,
    },
    /// Something read from the nodes (platform, architecture, NIC resource, product labels).
    Nodes,
    /// A field of the WorkloadRun.
    Run {
        /// The field.
        path: FieldPath,
    },
    /// A flag or option of the caller.
    Flag {
        /// Name of the flag, for example `--platform`.
        name: String,
    },
    /// An entry of the platform catalogue.
    Entry {
        /// Number, for example `E7`.
        id: String,
        /// Name, for example `aws-gb300-mpi-transport`.
        name: String,
    },
    /// An entry of `spec.overrides`.
    Override {
        /// Zero-based position in `spec.overrides`.
        index: usize,
    },
    /// Gang scheduling (02 §6, §10).
    Gang,
    /// Per-job renaming (03 §6.4).
    Renaming,
    /// Placement of one group: affinity, tolerations, size (03 §6.2–6.6).
    Placement,
}

/// What a trace line speaks of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Subject {
    /// A resolved value that is no field of the output: `platform`, `gpuArchitecture`, `gpusPerNode`, `mlnxPerNode`,
    /// `nicResourceName`, `enableMNNVL`, `nodesPerJob`, `topologyKey`.
    Value {
        /// Its name.
        name: String,
    },
    /// A field of the Workflow. Dependencies are named: `spec.dependencies[name=TrainingRuntime/my-run-runtime].spec`.
    Field {
        /// The field.
        path: FieldPath,
    },
    /// A variable of the merged container environment.
    Env {
        /// The variable.
        name: String,
    },
    /// A variable as the MPI ranks see it (`mpirun -x`).
    RankEnv {
        /// The variable.
        name: String,
    },
    /// A word or option of the mpirun command line, by its position among the final arguments before wrapping.
    Argument {
        /// Option with its key, for example `--mca pml` or `-N`, or the word itself.
        option: String,
    },
    /// A line that runs before the command (02 §9).
    PreCommand {
        /// Zero-based number of the line.
        index: usize,
    },
}

/// One change: who set what, and what it replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What was set.
    pub subject: Subject,
    /// By whom.
    pub origin: Origin,
    /// The value before; absent when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after; absent when it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

/// The first condition of a `when` that did not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FailedCondition {
    /// The field below `when`, for example `platform`.
    pub field: FieldPath,
    /// What it wants, for example `in [gb200,gb300]`.
    pub wanted: String,
    /// The value it saw, for example `h100`.
    pub found: String,
}

/// What became of one override, in the order of the effective list (04 §3, §10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OverrideOutcome {
    /// Zero-based position in the effective list: platform entries, then `spec.overrides`.
    pub index: usize,
    /// The entry or the user override.
    pub origin: Origin,
    /// Summary of the condition (04 §10).
    pub when: String,
    /// Summary of what it holds (04 §10).
    pub patches: String,
    /// True when every condition holds.
    pub matched: bool,
    /// The condition that failed, when it did not match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<FailedCondition>,
    /// Matched, yet changed nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_op: bool,
}

/// Everything that was recorded in one rendering.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// Changes in the order in which they were made: the last one of a subject gives its value.
    pub changes: Vec<Change>,
}

/// Takes changes while a rendering is made. Arguments are closures, so that the empty recorder builds nothing.
pub trait Recorder {
    /// False when nothing is kept: callers may skip work that only feeds the trace.
    const ON: bool;
    /// Records one change.
    fn record(&mut self, change: impl FnOnce() -> Change);
}

impl Recorder for () {
    const ON: bool = false;
    #[inline(always)]
    fn record(&mut self, _: impl FnOnce() -> Change) {}
}

impl Recorder for Trace {
    const ON: bool = true;
    fn record(&mut self, change: impl FnOnce() -> Change) {
        self.changes.push(change());
    }
}
