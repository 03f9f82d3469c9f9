//! Findings as data: a stable code, a severity, the field path, the place in the text, what was found and the way out.
//!
//! Every rule of the library speaks through [`Diagnostic`]; nothing is ever reported as a bare string. A rule that
//! knows only values sets the [`FieldPath`]; [`crate::yaml::Source::locate`] adds line and column from the parsed text.

mod code;
mod path;

pub use code::{Area, Code};
pub use path::{FieldPath, Segment};

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Version of the form in which findings are written as JSON.
pub const FINDINGS_FORMAT: &str = "nvcre.nvidia.com/findings/v1";

/// How much a finding matters. Only [`Severity::Error`] keeps a rendering from being printed (decision D68).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information about a choice that was made; nothing to do.
    Notice,
    /// Renders, but likely not what is wanted.
    Warning,
    /// Nothing may be rendered or sent.
    Error,
}

/// One position in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Position {
    /// Byte offset from the start of the text (of the UTF-8 form).
    pub offset: u64,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
}

/// A stretch of text: start inclusive, end exclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// First character.
    pub start: Position,
    /// Just after the last character.
    pub end: Position,
}

/// A second place that belongs to a finding, such as the first of two equal keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Related {
    /// What is there.
    pub message: String,
    /// The field, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FieldPath>,
    /// The file, when it is another one than that of the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The place in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// The rule.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// What was found and what is wanted, in one or two sentences, without line numbers.
    pub message: String,
    /// The way out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The field the finding speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FieldPath>,
    /// The file, as the caller named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The place in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// Other places that belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// The run accepts it (annotation `nvcre.nvidia.com/allow`): the reason that is given there, which may be empty.
    /// Never on an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// The key of the field is at fault, not its value: that is where the place is looked for.
    #[serde(skip)]
    pub at_key: bool,
}

impl Diagnostic {
    /// A finding of the code's own severity.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            help: None,
            path: None,
            file: None,
            span: None,
            related: Vec::new(),
            accepted: None,
            at_key: false,
        }
    }

    /// A finding about a field.
    pub fn at(code: Code, path: impl Into<FieldPath>, message: impl Into<String>) -> Self {
        Self::new(code, message).with_path(path)
    }

    /// Adds the field.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<FieldPath>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds the way out.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into().into_owned());
        self
    }

    /// Adds the place.
    #[must_use]
    pub fn with_span(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Adds the file.
    #[must_use]
    pub fn with_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Says that the key of the field is at fault, not its value.
    #[must_use]
    pub fn at_key(mut self) -> Self {
        self.at_key = true;
        self
    }

    /// Sets another severity than the code's own (lenient reading, 00 D5).
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Adds a second place, named by a field path.
    #[must_use]
    pub fn with_related(mut self, path: impl Into<FieldPath>, message: impl Into<String>) -> Self {
        self.related.push(Related { message: message.into(), path: Some(path.into()), file: None, span: None });
        self
    }
}

/// True when one of the findings is an error.
pub fn has_errors(findings: &[Diagnostic]) -> bool {
    findings.iter().any(|d| d.severity == Severity::Error)
}

/// Puts findings into the order in which people read a file: by file, place, code; findings without a place last,
/// in the order in which they were found.
pub fn sort(findings: &mut [Diagnostic]) {
    findings.sort_by(|a, b| {
        let place = |d: &Diagnostic| (d.span.is_none(), d.file.clone(), d.span.map(|s| s.start));
        place(a).cmp(&place(b))
    });
}
