//! The files of a snapshot, read again. They are only read when their bytes differ from a new rendering.

use super::compare::Files;
use super::layout::join;
use super::{ANY_FORMAT, FINDINGS, MANIFESTS, PLAN, SNAPSHOT_FORMAT, SnapshotFinding, WORKFLOW};
use crate::compare::{Content, RenderedFiles, read_side};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::engine::{PLAN_FORMAT, Plan};
use crate::yaml::{Limits, Read, read_documents};
use serde_json::Value;

/// Whether a snapshot may be rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `nvcrectl` wrote it.
    Snapshot,
    /// Somebody else did.
    Foreign,
}

/// What the bytes of a `findings.yaml` say about the folder it is in. A snapshot names its form in it, of whatever
/// version; marks of a merge may stand before that. An empty file holds nothing that could be lost.
pub fn mark(findings: &[u8]) -> Mark {
    let named =
        |line: &[u8]| line.strip_prefix(b"format: ").is_some_and(|rest| rest.starts_with(ANY_FORMAT.as_bytes()));
    match findings.is_empty() || findings.split(|b| *b == b'\n').any(named) {
        true => Mark::Snapshot,
        false => Mark::Foreign,
    }
}

/// A snapshot as it was; what cannot be read is absent, and findings say why.
#[derive(Debug, Clone, Default)]
pub(super) struct Earlier {
    pub findings: Option<Vec<Diagnostic>>,
    pub plan: Option<(Plan, Value)>,
    pub workflow: Option<RenderedFiles>,
    pub manifests: Option<RenderedFiles>,
    pub problems: Vec<Diagnostic>,
}

impl Earlier {
    /// Reads the files of a folder that are wanted.
    pub fn read(folder: &str, files: &Files, wanted: impl Fn(&str) -> bool) -> Self {
        let mut out = Self::default();
        for (name, bytes) in files.iter().filter(|(name, _)| wanted(name)) {
            let file = join(folder, name);
            let found = match name.as_str() {
                FINDINGS => take(findings(bytes, &file), &mut out.findings),
                PLAN => take(plan(bytes, &file), &mut out.plan),
                WORKFLOW => take(objects(bytes, &file), &mut out.workflow),
                MANIFESTS => take(objects(bytes, &file), &mut out.manifests),
                _ => None,
            };
            out.problems.extend(found);
        }
        out
    }
}

fn take<T>(read: Result<T, Box<Diagnostic>>, place: &mut Option<T>) -> Option<Diagnostic> {
    match read {
        Ok(value) => {
            *place = Some(value);
            None
        }
        Err(finding) => Some(*finding),
    }
}

const AGAIN: &str = "write it again with `nvcrectl snapshot update`, and read the difference in version control";

fn broken(file: &str, what: impl std::fmt::Display) -> Box<Diagnostic> {
    let message = format!("the snapshot cannot be read: {what}");
    Box::new(Diagnostic::new(Code::SnapshotBroken, message).with_help(AGAIN).with_file(file))
}

fn version(file: &str, what: impl std::fmt::Display) -> Box<Diagnostic> {
    let help = "compare with the version that wrote it, or write it again with `nvcrectl snapshot update`";
    Box::new(Diagnostic::new(Code::SnapshotVersion, what.to_string()).with_help(help).with_file(file))
}

/// Everything that was written ends with a line break and has no marks of a merge.
fn whole(bytes: &[u8], file: &str) -> Result<(), Box<Diagnostic>> {
    if bytes.is_empty() {
        return Err(broken(file, "it is empty"));
    }
    for (number, line) in (1..).zip(bytes.split(|b| *b == b'\n')) {
        if [&b"<<<<<<< "[..], b">>>>>>> "].iter().any(|mark| line.starts_with(mark)) {
            let mut finding = broken(file, format!("line {number} is the mark of a merge that was not finished"));
            finding.help = Some("take either side, then write it again with `nvcrectl snapshot update`".to_owned());
            return Err(finding);
        }
    }
    if !bytes.ends_with(b"\n") {
        return Err(broken(file, "its last line breaks off, so that it was cut or edited"));
    }
    Ok(())
}

fn first_error(found: Vec<Diagnostic>, file: &str) -> Option<Box<Diagnostic>> {
    let error = found.into_iter().find(|d| d.severity == Severity::Error)?;
    let mut out = match error.code {
        Code::RenderedVersion => version(file, &error.message),
        _ => broken(file, &error.message),
    };
    out.span = error.span;
    Some(out)
}

fn findings(bytes: &[u8], file: &str) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    whole(bytes, file)?;
    let Read { value, diagnostics } = read_documents(bytes, file, &Limits { bytes: u64::MAX, ..Limits::RUN });
    if let Some(error) = first_error(diagnostics, file) {
        return Err(error);
    }
    let value = value.into_iter().find_map(|source| source.root).map(|root| root.to_value()).unwrap_or_default();
    match value.get("format").and_then(Value::as_str) {
        Some(SNAPSHOT_FORMAT) => {}
        Some(other) => {
            return Err(version(
                file,
                format_args!("the snapshot is of the form `{other}`, and this version compares `{SNAPSHOT_FORMAT}`"),
            ));
        }
        None => return Err(broken(file, format_args!("it does not say `format: {SNAPSHOT_FORMAT}`"))),
    }
    let list = value.get("findings").cloned().unwrap_or_default();
    let read: Result<Vec<SnapshotFinding>, _> = serde_json::from_value(list);
    match read {
        Ok(list) => Ok(list.into_iter().map(Diagnostic::from).collect()),
        Err(error) => Err(broken(file, format_args!("its findings are not as they were written, {error}"))),
    }
}

fn plan(bytes: &[u8], file: &str) -> Result<(Plan, Value), Box<Diagnostic>> {
    whole(bytes, file)?;
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| broken(file, format_args!("it is no JSON, {error}")))?;
    match value.get("format").and_then(Value::as_str) {
        Some(PLAN_FORMAT) => {}
        Some(other) => {
            return Err(version(
                file,
                format_args!("the plan is of the form `{other}`, and this version compares `{PLAN_FORMAT}`"),
            ));
        }
        None => return Err(broken(file, "it is no plan")),
    }
    match serde_json::from_value(value.clone()) {
        Ok(plan) => Ok((plan, value)),
        Err(error) => Err(broken(file, format_args!("the plan is not as it was written, {error}"))),
    }
}

fn objects(bytes: &[u8], file: &str) -> Result<RenderedFiles, Box<Diagnostic>> {
    whole(bytes, file)?;
    let read = read_side(file, &[(file, bytes)]);
    if let Some(error) = first_error(read.diagnostics, file) {
        return Err(error);
    }
    match read.value {
        Content::Rendered(files) => Ok(files),
        Content::Run | Content::Nothing => Err(broken(file, "it holds no rendered objects")),
    }
}
