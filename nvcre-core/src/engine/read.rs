//! From the text of a run to the run.

use super::Engine;
use crate::api::WorkloadRun;
use crate::diagnostic::{Code, Diagnostic};
use crate::schema;
use crate::yaml::{self, Limits, Source};

/// A run, with the text it came from and what was wrong with that.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunInput {
    /// The run; what could not be read is empty.
    pub run: WorkloadRun,
    /// The parsed text, for the places of findings; `None` for a run that came as a value.
    pub source: Option<Source>,
    /// Findings of reading.
    pub diagnostics: Vec<Diagnostic>,
}

impl From<WorkloadRun> for RunInput {
    fn from(run: WorkloadRun) -> Self {
        Self { run, source: None, diagnostics: Vec::new() }
    }
}

impl Engine {
    /// Reads a run from YAML or JSON. Reading never fails: whatever could be read is in the run, everything that was
    /// wrong in the findings. `lenient` turns unknown fields into warnings (00 D5).
    pub fn read_run(&self, bytes: &[u8], file: &str, lenient: bool) -> RunInput {
        let documents = yaml::read_documents(bytes, file, &Limits::RUN);
        let mut diagnostics = documents.diagnostics;
        let mut sources = documents.value;
        let kind = |source: &Source| {
            let kind = source.root.as_ref().and_then(|root| root.get("kind")).and_then(|kind| kind.as_str());
            kind.map(str::to_owned)
        };
        let run = sources.iter().position(|source| kind(source).as_deref() == Some("WorkloadRun")).unwrap_or(0);
        for (index, other) in sources.iter().enumerate().filter(|(index, _)| *index != run) {
            let found = kind(other).map_or_else(|| "an object without a kind".to_owned(), |kind| format!("a `{kind}`"));
            let what = if kind(other).as_deref() == Some("WorkloadRun") { "another WorkloadRun" } else { &found };
            let message = format!(
                "document {} of the file is {what}; the file of a run holds exactly one WorkloadRun and nothing else",
                index + 1
            );
            let mut finding = Diagnostic::at(Code::ExtraDocument, "kind", message)
                .with_help("keep one WorkloadRun in the file, and put everything else into files of its own")
                .with_file(file);
            finding.span = other.root.as_ref().map(|root| root.entry("kind").map_or(root.span, |e| e.value.span));
            diagnostics.push(finding);
        }
        if sources.is_empty() {
            if !crate::diagnostic::has_errors(&diagnostics) {
                let message = "the file is empty; it must hold exactly one WorkloadRun";
                let help = "begin with `apiVersion: nvcre.nvidia.com/v1alpha1` and `kind: WorkloadRun`";
                diagnostics.push(Diagnostic::new(Code::WrongKind, message).with_help(help).with_file(file));
            }
            return RunInput { diagnostics, ..RunInput::default() };
        }
        let source = sources.swap_remove(run);
        // What is missing from a document that broke off may stand behind the break.
        let broken = diagnostics.iter().any(|d| matches!(d.code, Code::Syntax | Code::LimitExceeded));
        let read = schema::decode_run(&source, lenient);
        diagnostics.extend(read.diagnostics.into_iter().filter(|d| !broken || d.code != Code::MissingField));
        RunInput { run: read.value, source: Some(source), diagnostics }
    }
}
