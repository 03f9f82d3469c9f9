//! A whole `WorkloadRun` (01 §1, 06 §2, 00 D5, D65).

use super::decode;
use crate::api::{API_VERSION, GROUP, WorkloadRun};
use crate::diagnostic::{self, Code, Diagnostic, FieldPath, Severity};
use crate::yaml::{Kind, Node, Read, Source};

const KIND: &str = "WorkloadRun";
/// The group of releases before the rename (01 §0.1).
const OLD_GROUP: &str = "cre.nvidia.com";

/// Reads a run out of a parsed document: kind and apiVersion, then every field. `lenient` turns unknown fields and a
/// missing kind or apiVersion into warnings, as the engine accepts them. `status` and everything that a server sets is
/// accepted without a word (00 D65). A document of another kind is one finding, not hundreds of unknown fields.
pub fn decode_run(source: &Source, lenient: bool) -> Read<WorkloadRun> {
    let mut read = Read::default();
    let Some(root) = &source.root else { return read };
    if identify(root, lenient, &mut read.diagnostics) {
        read.value = decode(KIND, root, &FieldPath::root(), lenient, &mut read.diagnostics);
    }
    source.locate(&mut read.diagnostics);
    diagnostic::sort(&mut read.diagnostics);
    read
}

/// Checks kind and apiVersion; false when the document is something else and its fields say nothing.
fn identify(root: &Node, lenient: bool, findings: &mut Vec<Diagnostic>) -> bool {
    match &root.kind {
        Kind::Scalar(s) if s.value.is_null() => {
            let message = format!("the document is empty; a {KIND} is wanted");
            let help = format!("begin with `apiVersion: {API_VERSION}` and `kind: {KIND}`");
            findings.push(Diagnostic::new(Code::WrongKind, message).with_help(help).with_span(root.span));
            return false;
        }
        // Anything else that is no mapping is a wrong type, which decoding reports.
        Kind::Scalar(_) | Kind::List(_) => return true,
        Kind::Map(_) => {}
    }
    let kind = text(root, "kind");
    let api_version = text(root, "apiVersion");
    let group = api_version.map(|v| v.rsplit_once('/').map_or("", |(group, _)| group));
    // Our fields are looked for when either of the two says that this is a run, so that one misspelling is one finding.
    let ours = match (kind, group) {
        (Some(kind), _) if kind == KIND => true,
        (Some(kind), Some(GROUP | OLD_GROUP)) => crate::check::nearest(kind, [KIND]).is_some(),
        (Some(_), _) => false,
        (None, _) => true,
    };
    missing(root, "kind", KIND, lenient, findings);
    if let Some(kind) = kind.filter(|k| *k != KIND && !k.is_empty()) {
        let help = if ours {
            format!("did you mean `kind: {KIND}`?")
        } else {
            format!("name a file that holds a {KIND} (`kind: {KIND}`)")
        };
        let message = format!("the kind is `{kind}`, but a {KIND} is wanted");
        findings.push(Diagnostic::at(Code::WrongKind, "kind", message).with_help(help));
    }
    if ours {
        missing(root, "apiVersion", API_VERSION, lenient, findings);
        if let Some(version) = api_version.filter(|v| *v != API_VERSION && !v.is_empty()) {
            findings.push(wrong_version(version));
        }
    }
    ours
}

fn wrong_version(version: &str) -> Diagnostic {
    let group = version.rsplit_once('/').map_or("", |(group, _)| group);
    let message = match group {
        OLD_GROUP => format!(
            "`{version}` is the API group of releases before its rename to `{GROUP}`; `{API_VERSION}` is wanted"
        ),
        GROUP => format!("version `{version}` of the API is not known; `{API_VERSION}` is wanted"),
        _ => format!("`{version}` is not the API of a {KIND}; `{API_VERSION}` is wanted"),
    };
    Diagnostic::at(Code::WrongApiVersion, "apiVersion", message).with_help(format!("write `apiVersion: {API_VERSION}`"))
}

/// kind or apiVersion is absent, null or empty. The engine accepts that, kubectl and the API server do not.
fn missing(root: &Node, key: &str, wanted: &str, lenient: bool, findings: &mut Vec<Diagnostic>) {
    let absent = match root.get(key) {
        None => true,
        Some(Node { kind: Kind::Scalar(s), .. }) => s.value.is_null() || s.value.as_str() == Some(""),
        Some(_) => false,
    };
    if absent {
        let severity = if lenient { Severity::Warning } else { Severity::Error };
        let message = format!("the document has no `{key}`, without which kubectl and the API server refuse it");
        let mut finding = Diagnostic::at(Code::MissingField, key, message)
            .with_help(format!("add `{key}: {wanted}`"))
            .with_severity(severity);
        if let Kind::Map(entries) = &root.kind {
            finding.span = entries.first().map(|e| e.key_span);
        }
        findings.push(finding);
    }
}

fn text<'a>(root: &'a Node, key: &str) -> Option<&'a str> {
    root.get(key).and_then(Node::as_str).filter(|s| !s.is_empty())
}
