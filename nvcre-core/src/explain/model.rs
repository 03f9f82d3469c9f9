//! What explain answers, as data (docs/json.md).

use crate::diagnostic::FieldPath;
use crate::fleet::Exclusion;
use crate::schedule::GroupScheduling;
use crate::trace::{Change, Origin, OverrideOutcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the form of [`Explanation`].
pub const EXPLAIN_FORMAT: &str = "nvcre.nvidia.com/explain/v1";

/// Answers about one rendering.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Version of this form.
    pub format: String,
    /// Name of the run.
    pub run: String,
    /// One answer for every subject that was asked for, in that order; the overview when none was.
    pub answers: Vec<Answer>,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", content = "answer", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Answer {
    /// The whole run on one screen.
    Overview(Box<Overview>),
    /// A variable, an argument, a resolved value or a field of the output.
    Value(Box<ValueAnswer>),
    /// A node of the inventory.
    Node(NodeAnswer),
    /// An override.
    Override(Box<OverrideAnswer>),
    /// A group of nodes.
    Group(Box<GroupAnswer>),
    /// Nothing of that name.
    Unknown {
        /// The subject as it was asked for.
        subject: String,
        /// Why there is no answer, as a sentence.
        reason: String,
        /// Subjects that are there and look like it.
        near: Vec<String>,
    },
}

/// Where something is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// For people: `run.yaml:12:5 spec.env[0]`, `catalogue entry E7 aws-gb300-mpi-transport`, `built-in default: how mpirun is started`.
    pub text: String,
    /// Field of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FieldPath>,
    /// File of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in characters, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Paragraph of the specification that the layer rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// One layer that set a value. The last link of a chain is the one that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Who.
    pub origin: Origin,
    /// Where that is written.
    pub place: Place,
    /// What it set; absent when it removed the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What it replaced; absent when there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Value>,
}

/// What becomes of a text after it was rendered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Later {
    /// It stays as it is.
    #[default]
    Nothing,
    /// The kubelet or a shell expands it, to this.
    Becomes {
        /// The text in the end.
        text: String,
        /// Who expands what, as a sentence.
        because: String,
    },
    /// What it becomes is known only in the pod.
    OnlyThere {
        /// Who decides it, as a sentence.
        because: String,
    },
}

/// What one kind of process sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Sight {
    /// Who sees it: `ranks`, or `launcher` and `node` for the container of that replicated job, or `output`.
    pub at: String,
    /// The value; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What becomes of it.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub later: Later,
    /// The layers that set it, first to last.
    pub chain: Vec<Link>,
}

fn is_nothing(later: &Later) -> bool {
    *later == Later::Nothing
}

/// Where a value comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValueAnswer {
    /// The subject as it can be asked for.
    pub subject: String,
    /// What is seen, and by whom.
    pub seen: Vec<Sight>,
    /// Fields below a field that holds several, with the last layer that set each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldLine>,
    /// What else is worth knowing, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One field below another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FieldLine {
    /// The field.
    pub path: FieldPath,
    /// Its value.
    pub value: Value,
    /// The layer that counts.
    pub link: Link,
}

/// A resolved value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Resolved {
    /// Its name, for example `gpusPerNode`.
    pub name: String,
    /// The value.
    pub value: Value,
    /// The layers that set it, first to last.
    pub chain: Vec<Link>,
}

/// A run on one screen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// Edition of the catalogue.
    pub edition: String,
    /// False for a template: no platform is known.
    pub resolved: bool,
    /// Platform, GPU, sizes and what else is resolved before anything is built.
    pub values: Vec<Resolved>,
    /// Every override of the effective list.
    pub overrides: Vec<OverrideLine>,
    /// The command line of the workload.
    pub command: Vec<CommandPart>,
    /// Lines that a shell runs before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pre_command: Vec<CommandPart>,
    /// Variables that the workload's processes see, in the order of the manifests.
    pub environment: Vec<Variable>,
    /// Groups of nodes; absent without nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupsLine>,
}

/// One override in the overview.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OverrideLine {
    /// The subject that asks for more: `override/E7`, `override/user-0`.
    pub subject: String,
    /// What became of it.
    pub outcome: OverrideOutcome,
    /// What it does, for people; empty for one of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Where it is written.
    pub place: Place,
}

/// A word, or words that belong together, of a command line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandPart {
    /// The words: `-x NCCL_DEBUG=INFO` is two.
    pub words: Vec<String>,
    /// The subject that asks for more, for example `env/NCCL_DEBUG` or `arg/--mca/pml`.
    pub subject: String,
    /// Who put it there.
    pub origin: Origin,
    /// Where that is written.
    pub place: Place,
}

/// A variable in the overview.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What the processes of the workload see; absent when they do not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What the container says, when that is something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Value>,
    /// The layer that counts.
    pub link: Link,
    /// How many layers were replaced.
    pub replaced: usize,
}

/// The groups in the overview.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupsLine {
    /// Nodes that take part.
    pub nodes: usize,
    /// Nodes that stay out.
    pub excluded: usize,
    /// Groups.
    pub groups: usize,
    /// Nodes of a group, smallest and largest.
    pub sizes: [usize; 2],
    /// Label of the topology domains; absent without topology.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology_key: Option<String>,
    /// Jobs in all.
    pub jobs: usize,
}

/// A node: in which groups, or out and why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeAnswer {
    /// Name of the node.
    pub node: String,
    /// Groups it is in, with the reason; empty when it stays out.
    pub groups: Vec<Membership>,
    /// Why it stays out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<Exclusion>,
    /// The labels that decided: of target, platform, GPU and topology, with the node's values.
    pub labels: Vec<LabelLine>,
    /// What else is worth knowing, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A label that decided something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LabelLine {
    /// Its key.
    pub key: String,
    /// The node's value; absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What it decided, for example `GPU architecture gb300`.
    pub decides: String,
}

/// A group that a node is in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    /// Name of the group.
    pub group: String,
    /// Topology domain of the node there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Why there, as a sentence.
    pub reason: String,
}

/// An override: matched or not, and what it changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OverrideAnswer {
    /// The subject: `override/E7`, `override/user-0`.
    pub subject: String,
    /// What became of it.
    pub outcome: OverrideOutcome,
    /// What it does, for people; empty for one of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What a reader should know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Where it is written.
    pub place: Place,
    /// Everything that it set, in order; what a later layer replaced is marked.
    pub changes: Vec<OverrideChange>,
}

/// One value that an override set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OverrideChange {
    /// What was set, and to what.
    pub change: Change,
    /// The layer that replaced it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<Origin>,
}

/// A group of nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupAnswer {
    /// Name of the group.
    pub group: String,
    /// Its nodes; empty under Unpinned.
    pub nodes: Vec<String>,
    /// Topology domains it spans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    /// Why these nodes, as a sentence.
    pub reason: String,
    /// Groups that share a node with it and never run at the same time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Objects of its first job, as `Kind/name`, in the order of creation.
    pub objects: Vec<String>,
    /// What the scheduler's filters say of its pods.
    #[serde(default)]
    pub scheduling: GroupScheduling,
}
