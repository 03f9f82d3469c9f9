//! Whole texts into trees.

use super::aliases::Anchors;
use super::build::{Builder, Done, Keep, too_deep, too_long};
use super::encoding::{decode, end_of};
use super::events::{Event, Events, explain, options};
use super::limits::{Limits, human};
use super::stream::unreadable;
use super::tree::{Kind, Node, Read, Source};
use crate::diagnostic::{Code, Diagnostic, Position, Related, Span};
use granit_parser::{BorrowedInput, ErrorKind, Marker, Parser, ScanError};

/// Reads the documents of a text in YAML or JSON, as Kubernetes would (09). Documents without content are left out;
/// of a broken document everything before the error is there, and reading goes on with the next document.
///
/// Findings: what is not YAML ([`Code::Syntax`]), keys that stand twice, YAML that Kubernetes does not read, wrong
/// encodings, exceeded [`Limits`]; in the order of the text, each with file and place.
pub fn read_documents(bytes: &[u8], file: &str, limits: &Limits) -> Read<Vec<Source>> {
    let length = bytes.len() as u64;
    if length > limits.bytes {
        let start = Position { offset: 0, line: 1, column: 1 };
        let (found, limit) = (human(length), human(limits.bytes));
        let finding = Diagnostic::new(
            Code::LimitExceeded,
            format!("the file holds {found}; the limit of size is {limit}, so it was not read"),
        )
        .with_help("keep large data out of the file; a program that embeds the library can raise the limit `bytes`")
        .with_file(file)
        .with_span(Span { start, end: start });
        return Read { value: Vec::new(), diagnostics: vec![finding] };
    }
    let (text, finding) = decode(bytes, file);
    let mut out = Read { value: Vec::new(), diagnostics: Vec::from_iter(finding) };
    let Some(text) = text else { return out };
    let body = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mark = text.len() - body.len();
    let parser = Parser::new_from_str_with_options(body, options(limits.depth()));
    let offset = |marker: &Marker| marker.byte_offset().unwrap_or_else(|| marker.index()).saturating_add(mark) as u64;
    let mut roots = Vec::new();
    let findings = drive(&mut Events::new(parser, offset), limits, Keep::All, file, |_, done| {
        if let Done::Root(root) | Done::Partial(root) = done {
            roots.push(root);
        }
    });
    out.value = roots
        .into_iter()
        .filter(|root| !is_empty(root))
        .map(|root| Source { file: file.to_owned(), root: Some(root) })
        .collect();
    let known = out.diagnostics.pop();
    out.diagnostics.extend(findings);
    if let Some(known) = known {
        let at = out.diagnostics.partition_point(|d| d.span.map(|s| s.start) < known.span.map(|s| s.start));
        out.diagnostics.insert(at, known);
    }
    for finding in &mut out.diagnostics {
        // The parser counts lines by its own rules at the very end of a text.
        if let Some(span) = &mut finding.span
            && span.start.offset >= text.len() as u64
        {
            let end = end_of(&text);
            *span = Span { start: end, end };
        }
    }
    out
}

/// A document without content.
fn is_empty(root: &Node) -> bool {
    matches!(&root.kind, Kind::Scalar(scalar) if scalar.value.is_null() && scalar.text.is_empty() && !scalar.quoted)
}

/// Runs a parser to its end. `done` gets the findings so far and everything that is complete.
pub(crate) fn drive<'a, I: BorrowedInput<'a>, F: Fn(&Marker) -> u64>(
    events: &mut Events<'a, I, F>,
    limits: &Limits,
    keep: Keep,
    file: &str,
    mut done: impl FnMut(&mut Vec<Diagnostic>, Done),
) -> Vec<Diagnostic> {
    let mut builder = Builder::new(*limits, keep);
    let mut anchors = Anchors::new(*limits);
    let mut findings = Vec::new();
    while let Some(next) = events.next() {
        match next {
            Ok((Event::DocumentStart | Event::DocumentEnd, _, _)) => {
                builder.reset();
                anchors.reset();
            }
            Ok(placed) => anchors.push(placed, &mut builder, |finished| done(&mut findings, finished)),
            Err(error) => {
                let at = events.position(error.marker());
                broken(&mut builder, &error, at, limits);
                builder.close(|partial| done(&mut findings, partial));
                builder.reset();
                anchors.reset();
                findings.append(&mut builder.findings);
                if is_terminal(&error) || !events.recover() {
                    break;
                }
            }
        }
        findings.append(&mut builder.findings);
    }
    for finding in &mut findings {
        finding.file.get_or_insert_with(|| file.to_owned());
    }
    crate::diagnostic::sort(&mut findings);
    findings
}

fn is_terminal(error: &ScanError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InputIo { .. } | ErrorKind::InputDecoding { .. } | ErrorKind::InputByteLimitExceeded { .. }
    )
}

fn broken(builder: &mut Builder, error: &ScanError, at: Position, limits: &Limits) {
    let span = Span { start: at, end: at };
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        if !builder.too_deep() {
            builder.report(too_deep(limits.depth()), span);
        }
        return;
    }
    if matches!(error.kind(), ErrorKind::InputByteLimitExceeded { .. }) {
        builder.report(too_long(limits.scalar, None), span);
        return;
    }
    if let ErrorKind::InputIo { error } = error.kind() {
        builder.findings.push(unreadable(error, at));
        return;
    }
    let (message, help) = explain(error.kind());
    let mut finding = Diagnostic::new(Code::Syntax, message).with_span(span);
    finding.help = help.map(str::to_owned);
    if let Some(open) = builder.open_bracket().filter(|open| open.start.line < at.line) {
        let message = "this bracket is still open".to_owned();
        finding.related.push(Related { message, path: None, file: None, span: Some(open) });
    }
    builder.findings.push(finding);
}
