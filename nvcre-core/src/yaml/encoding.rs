//! Bytes to text: UTF-8 with or without a byte order mark; every other encoding is named (08 row 31).

use crate::diagnostic::{Code, Diagnostic, Position, Span};
use std::borrow::Cow;

/// UTF-16 or UTF-32, by byte order mark or by the zero bytes of ASCII text.
pub(crate) fn wide(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xFF, 0xFE, 0, 0, ..] => Some("UTF-32 (little endian)"),
        [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32 (big endian)"),
        [0xFF, 0xFE, ..] => Some("UTF-16 (little endian)"),
        [0xFE, 0xFF, ..] => Some("UTF-16 (big endian)"),
        [0, 0, 0, b, ..] if *b != 0 => Some("UTF-32 (big endian)"),
        [b, 0, 0, 0, ..] if *b != 0 => Some("UTF-32 (little endian)"),
        [0, b, 0, _, ..] if *b != 0 => Some("UTF-16 (big endian)"),
        [b, 0, _, 0, ..] if *b != 0 => Some("UTF-16 (little endian)"),
        _ => None,
    }
}

/// The finding for a file in a wide encoding.
pub(crate) fn wide_finding(name: &str, file: &str) -> Diagnostic {
    let start = Position { offset: 0, line: 1, column: 1 };
    Diagnostic::new(Code::Encoding, format!("the file is written in {name}; YAML for Kubernetes is read as UTF-8"))
        .with_help("save the file as UTF-8, for example with `iconv -t UTF-8`")
        .with_file(file)
        .with_span(Span { start, end: start })
}

/// The finding for a byte that is no UTF-8.
pub(crate) fn invalid_finding(byte: u8, at: Position, file: &str) -> Diagnostic {
    let end = Position { offset: at.offset + 1, line: at.line, column: at.column.saturating_add(1) };
    Diagnostic::new(
        Code::Encoding,
        format!("found the byte 0x{byte:02X}, which is not UTF-8; the file looks like Latin-1 or Windows-1252"),
    )
    .with_help("save the file as UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`")
    .with_file(file)
    .with_span(Span { start: at, end })
}

/// The text of a file. After a finding about single bytes these are read as `?`, so that positions stay right.
pub(crate) fn decode<'a>(bytes: &'a [u8], file: &str) -> (Option<Cow<'a, str>>, Option<Diagnostic>) {
    if let Some(name) = wide(bytes) {
        return (None, Some(wide_finding(name, file)));
    }
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return (Some(Cow::Borrowed(text)), None),
        Err(error) => error,
    };
    let good = bytes.get(..error.valid_up_to()).map_or("", |head| std::str::from_utf8(head).unwrap_or(""));
    let byte = bytes.get(error.valid_up_to()).copied().unwrap_or(0);
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| '?'));
    }
    (Some(Cow::Owned(out)), Some(invalid_finding(byte, end_of(good), file)))
}

/// The position behind a text.
pub(crate) fn end_of(text: &str) -> Position {
    let line = text.bytes().filter(|b| *b == b'\n').count() + 1;
    let last = text.rsplit('\n').next().unwrap_or("");
    let column = last.strip_prefix('\u{feff}').unwrap_or(last).chars().count() + 1;
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position { offset: text.len() as u64, line: number(line), column: number(column) }
}
