//! The difference of two renderings as data (docs/json.md).

use super::change::{ChangeKind, ValueChange};
use super::meaning::Meaning;
use crate::diagnostic::Diagnostic;
use crate::fleet::Filter;
use serde::{Deserialize, Serialize};

/// Version of the form of [`Difference`].
pub const DIFF_FORMAT: &str = "nvcre.nvidia.com/diff/v1";

/// What differs between two renderings: first what it means, then nodes and groups, then fields by path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Version of this form.
    pub format: String,
    /// The first side.
    pub a: Side,
    /// The second side.
    pub b: Side,
    /// What it means, the weightiest first.
    pub meanings: Vec<Meaning>,
    /// Nodes that take part in A only, sorted.
    pub left: Vec<NodeChange>,
    /// Nodes that take part in B only, sorted.
    pub joined: Vec<NodeChange>,
    /// Nodes of both sides whose label `kubernetes.io/hostname` differs, sorted.
    pub hosts: Vec<HostChange>,
    /// Nodes of both sides that are in another group, sorted. Groups of the two sides that share most nodes are the same.
    pub moves: Vec<NodeMove>,
    /// Groups that differ, in the order of A; those that only B has come last.
    pub groups: Vec<GroupChange>,
    /// Findings of one side only.
    pub findings: FindingChanges,
    /// What differs in the runs themselves, after flags.
    pub run: Vec<ValueChange>,
    /// What differs in the objects. What all jobs share is compared once: names that differ from job to job stand as `*`
    /// there, and so do hosts and, where groups have several sizes, the number of nodes.
    pub objects: Vec<ObjectChange>,
}

impl Difference {
    /// True when nothing differs.
    pub fn is_empty(&self) -> bool {
        let Self { meanings, left, joined, hosts, moves, groups, findings, run, objects, .. } = self;
        meanings.is_empty()
            && left.is_empty()
            && joined.is_empty()
            && hosts.is_empty()
            && moves.is_empty()
            && groups.is_empty()
            && findings.added.is_empty()
            && findings.gone.is_empty()
            && run.is_empty()
            && objects.is_empty()
    }
}

/// One of the two sides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// The file, as the caller named it.
    pub file: String,
    /// Name of the run; empty when nothing says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// Edition of the catalogue; empty when nothing says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub edition: String,
    /// Platform; empty when it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub platform: String,
    /// GPU architecture; empty or `unknown` when it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gpu_architecture: String,
    /// Nodes that take part; absent without nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<usize>,
    /// Groups; absent where none were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<usize>,
}

/// A node that takes part on one side only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeChange {
    /// The node.
    pub node: String,
    /// The filter that keeps it out on the other side; absent when it is not among the nodes there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Filter>,
    /// Why it stays out on the other side, as a sentence without subject; absent when nothing says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// A node with another host name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HostChange {
    /// The node.
    pub node: String,
    /// Host name in A.
    pub old: String,
    /// Host name in B.
    pub new: String,
}

/// A node in another group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeMove {
    /// The node.
    pub node: String,
    /// Its groups in A.
    pub from: Vec<String>,
    /// Its groups in B.
    pub to: Vec<String>,
}

/// A group that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupChange {
    /// Its name in A; absent when it is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// Its name in B; absent when it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// Nodes that it has on both sides.
    pub kept: usize,
    /// Nodes that it only has in A, sorted.
    pub lost: Vec<String>,
    /// Nodes that it only has in B, sorted.
    pub gained: Vec<String>,
}

/// Findings of one side only, places in files left out of account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingChanges {
    /// Of B only.
    pub added: Vec<Diagnostic>,
    /// Of A only.
    pub gone: Vec<Diagnostic>,
}

/// How often an object is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ObjectScope {
    /// Once for the run.
    Run,
    /// Once for every job.
    EveryJob,
    /// Once for every job of some groups.
    SomeJobs,
}

/// An object that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ObjectChange {
    /// Kind.
    pub kind: String,
    /// Name, in A where it has one there; of per-job copies what all of them have in common.
    pub name: String,
    /// How often it is made.
    pub scope: ObjectScope,
    /// Whether only one side has it.
    pub change: ChangeKind,
    /// What differs in it; one change of the whole when only one side has it.
    pub changes: Vec<ValueChange>,
}
