//! Texts of any length into pruned trees, piece by piece: only what a filter names is ever kept.

mod input;
mod json;
mod scan;

use super::build::{Builder, Done, Keep};
use super::encoding::{invalid_finding, wide_finding};
use super::events::{Events, options};
use super::limits::Limits;
use super::read::drive;
use crate::diagnostic::{Code, Diagnostic, Position, Span};
use granit_parser::{Marker, Parser};
use input::{Chars, Input};
use std::io;

/// Reads YAML, or JSON when it begins like JSON. `done` gets the findings, to which it may add, and every document
/// and list element that is complete. Findings carry the file; their order is that of the text.
pub(crate) fn read_stream<R: io::Read>(
    reader: R,
    file: &str,
    limits: &Limits,
    keep: Keep,
    done: impl FnMut(&mut Vec<Diagnostic>, Done),
) -> Vec<Diagnostic> {
    let input = Input::new(reader, limits.scalar);
    let meter = input.meter();
    if let Some(name) = input.encoding() {
        return vec![wide_finding(name, file)];
    }
    let mut findings = if input.is_json() {
        json::read(input, Builder::new(*limits, keep), done)
    } else {
        let parser = Parser::new_from_fallible_iter_with_options(Chars::new(input), options(limits.depth()));
        let place = meter.clone();
        let offset = move |marker: &Marker| place.byte_offset(marker.index() as u64);
        drive(&mut Events::new(parser, offset), limits, keep, file, done)
    };
    if let Some((byte, at)) = meter.invalid() {
        findings.push(invalid_finding(byte, at, file));
    }
    for finding in &mut findings {
        finding.file.get_or_insert_with(|| file.to_owned());
    }
    findings
}

/// The finding for input that broke off.
pub(crate) fn unreadable(error: &dyn std::fmt::Display, at: Position) -> Diagnostic {
    Diagnostic::new(Code::Unreadable, format!("the input could not be read to its end: {error}"))
        .with_help("what was read before is kept; read the input again")
        .with_span(Span { start: at, end: at })
}

#[cfg(test)]
mod tests;
