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
        let mut sources = documents.value.into_iter();
        let Some(source) = sources.next() else {
            if !crate::diagnostic::has_errors(&diagnostics) {
                let message = "the file is empty; it must hold exactly one WorkloadRun";
                let help = "begin with `apiVersion: nvcre.nvidia.com/v1alpha1` and `kind: WorkloadRun`";
                diagnostics.push(Diagnostic::new(Code::WrongKind, message).with_help(help).with_file(file));
            }
            return RunInput { diagnostics, ..RunInput::default() };
        };
        for (number, other) in (2..).zip(sources) {
            let root = other.root.as_ref();
            let kind = root.and_then(|r| r.get("kind")).and_then(|k| k.as_str()).unwrap_or("without a kind");
            let message = format!(
                "document {number} of the file is another object ({kind}); the file of a run holds exactly one WorkloadRun"
            );
            let mut finding = Diagnostic::new(Code::WrongKind, message)
                .with_help("keep one WorkloadRun in the file, and everything else in files of its own")
                .with_file(file);
            finding.span = root.map(|r| r.entry("kind").map_or(r.span, |e| e.value.span));
            diagnostics.push(finding);
        }
        // What is missing from a document that broke off may stand behind the break.
        let broken = diagnostics.iter().any(|d| matches!(d.code, Code::Syntax | Code::LimitExceeded));
        let read = schema::decode_run(&source, lenient);
        diagnostics.extend(read.diagnostics.into_iter().filter(|d| !broken || d.code != Code::MissingField));
        RunInput { run: read.value, source: Some(source), diagnostics }
    }
}
