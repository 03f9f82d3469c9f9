//! One difference between two values.

use crate::diagnostic::FieldPath;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// What happened to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// Only B has it.
    Added,
    /// Only A has it.
    Removed,
    /// Both have it, with different values.
    Changed,
    /// Both have it, at another place of a list.
    Moved,
}

/// One difference, by path. All differences of two values together are exact: [`super::apply`] makes B of A with them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValueChange {
    /// The field. Elements of a list are named where all have a name; else numbered, removed ones as in A and all others
    /// as in B.
    pub path: FieldPath,
    /// What happened.
    pub kind: ChangeKind,
    /// The value in A, unless it was added or only moved.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub old: Option<Value>,
    /// The value in B, unless it was removed or only moved.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub new: Option<Value>,
    /// Place in the list of A, from 0, of an element that was removed or moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// Place in the list of B, from 0, of an element that was added or moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// The same for people, where the values are a command line or a text of several lines: options as pairs, lines one
    /// by one. The values are whole beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<WordChange>,
}

impl ValueChange {
    pub(super) fn new(path: FieldPath, kind: ChangeKind, old: Option<Value>, new: Option<Value>) -> Self {
        Self { path, kind, old, new, from: None, to: None, words: Vec::new() }
    }
}

/// A value that is there, also when it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// What a word of a command line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WordPart {
    /// A line of a text; of a wrapped command, one that runs before it.
    Line,
    /// What starts mpirun.
    Command,
    /// An option of mpirun.
    Option,
    /// The program and its arguments.
    Program,
}

/// One difference between two command lines or texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WordChange {
    /// What it belongs to.
    pub part: WordPart,
    /// The option with its key, for example `-x NCCL_DEBUG`, `--mca pml` or `-N`; empty for a plain word or a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What happened.
    pub kind: ChangeKind,
    /// Value, word or line in A; an option without a value has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// Value, word or line in B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// A later option of the same name counts, not this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overridden: bool,
}
