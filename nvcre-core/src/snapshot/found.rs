//! Findings as they stand in a snapshot: short, one field a line, and read back for comparing.

use crate::diagnostic::{Code, Diagnostic, FieldPath, Position, Related, Severity, Span};
use serde::{Deserialize, Serialize};

/// A finding in `findings.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SnapshotFinding {
    /// The rule.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// The file, relative to the folder of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line and column, from 1: `12:5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FieldPath>,
    /// What was found.
    pub message: String,
    /// The way out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Why the run accepts it; absent when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// Other places that belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPlace>,
}

/// A second place of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RelatedPlace {
    /// What is there.
    pub message: String,
    /// The file, when it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line and column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FieldPath>,
}

impl From<&Diagnostic> for SnapshotFinding {
    fn from(finding: &Diagnostic) -> Self {
        let related = finding.related.iter().map(|related| RelatedPlace {
            message: related.message.clone(),
            file: related.file.clone(),
            at: related.span.map(written),
            path: related.path.clone(),
        });
        Self {
            code: finding.code,
            severity: finding.severity,
            file: finding.file.clone(),
            at: finding.span.map(written),
            path: finding.path.clone(),
            message: finding.message.clone(),
            help: finding.help.clone(),
            accepted: finding.accepted.clone(),
            related: related.collect(),
        }
    }
}

impl From<SnapshotFinding> for Diagnostic {
    fn from(finding: SnapshotFinding) -> Self {
        let mut out = Self::new(finding.code, finding.message).with_severity(finding.severity);
        out.help = finding.help;
        out.accepted = finding.accepted;
        out.path = finding.path;
        out.file = finding.file;
        out.span = finding.at.as_deref().and_then(place);
        let related = finding.related.into_iter().map(|related| Related {
            message: related.message,
            path: related.path,
            file: related.file,
            span: related.at.as_deref().and_then(place),
        });
        out.related = related.collect();
        out
    }
}

fn written(span: Span) -> String {
    format!("{}:{}", span.start.line, span.start.column)
}

fn place(at: &str) -> Option<Span> {
    let (line, column) = at.split_once(':')?;
    let start = Position { offset: 0, line: line.parse().ok()?, column: column.parse().ok()? };
    Some(Span { start, end: start })
}
