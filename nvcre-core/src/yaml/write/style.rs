//! How a string is written: plain only where no reader of YAML 1.1 or 1.2 takes it for anything else.

/// The way in which a string is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    /// A block `|`; `indicator`: its indentation must be said; `trailing`: line breaks at its end (2 for more).
    Literal {
        indicator: bool,
        trailing: u8,
    },
}

/// Keys of up to so many bytes are written as simple keys; an escape takes up to four characters per byte.
pub(super) const LONGEST_KEY: usize = 240;

/// The byte is nothing special in a plain string.
const GOOD: u8 = 0;
/// A space, colon or number sign: depends on its neighbours.
const CONTEXT: u8 = 1;
/// Needs quotes wherever it stands.
const BAD: u8 = 2;
/// A line break.
const BREAK: u8 = 3;
/// Part of a character beyond ASCII.
const WIDE: u8 = 4;

/// What a byte is; the compiler makes a table of it.
const fn class(byte: u8) -> u8 {
    match byte {
        b'\n' => BREAK,
        0..0x20 | 0x7F => BAD,
        b' ' | b':' | b'#' => CONTEXT,
        0x80.. => WIDE,
        _ => GOOD,
    }
}

/// Characters that double quotes must escape.
pub(super) fn must_escape(c: char) -> bool {
    matches!(c, '"' | '\\') || unprintable(c)
}

/// Characters that only an escape can hold; line breaks and tabs among them.
fn unprintable(c: char) -> bool {
    matches!(c, '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The style of a key: never a block.
pub(super) fn key_style(text: &str) -> Style {
    match value_style(text) {
        Style::Literal { .. } => Style::Double,
        style => style,
    }
}

/// The style of a value.
pub(super) fn value_style(text: &str) -> Style {
    let bytes = text.as_bytes();
    let Some(first) = bytes.first() else { return Style::Double };
    let (mut context, mut breaks, mut bad, mut wide) = (false, false, false, false);
    for byte in bytes {
        match class(*byte) {
            GOOD => {}
            CONTEXT => context = true,
            BREAK => breaks = true,
            WIDE => wide = true,
            _ => bad = true,
        }
    }
    if breaks {
        return block(text, bad, wide);
    }
    if bad || wide && text.chars().any(unprintable) {
        return Style::Double;
    }
    let misread = context && ambiguous(bytes) || is_word(text) || is_numeric(bytes);
    if starts_plain(*first, bytes) && !misread {
        return Style::Plain;
    }
    if bytes.iter().any(|b| matches!(b, b'"' | b'\\')) { Style::Single } else { Style::Double }
}

fn block(text: &str, bad: bool, wide: bool) -> Style {
    let body = text.trim_end_matches('\n');
    let content = text.trim_start_matches('\n');
    let clean = !(bad || wide) || !text.chars().any(|c| unprintable(c) && !matches!(c, '\n' | '\t'));
    let blank = body.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\n'));
    if !clean || blank || content.starts_with('\t') || !even(content) {
        return Style::Double;
    }
    let indicator = text.starts_with(['\n', ' ']);
    let trailing = match text.len() - body.len() {
        0 => 0,
        1 => 1,
        _ => 2,
    };
    Style::Literal { indicator, trailing }
}

/// False when lines of spaces only stand where a reader may take them for indentation: at the very end.
fn even(content: &str) -> bool {
    let last = content.trim_end_matches('\n').rsplit('\n').next().unwrap_or("");
    last.bytes().any(|b| !matches!(b, b' ' | b'\t'))
}

fn starts_plain(first: u8, bytes: &[u8]) -> bool {
    match first {
        b'a'..=b'z'
        | b'A'..=b'Z'
        | b'0'..=b'9'
        | b'/'
        | b'_'
        | b'$'
        | b'('
        | b')'
        | b'+'
        | b'^'
        | b';'
        | b'\\'
        | 0x80.. => true,
        b'-' => bytes.len() > 1 && bytes.get(1) != Some(&b' ') && !bytes.starts_with(b"---"),
        b'.' => !bytes.starts_with(b"..."),
        b'<' => !bytes.starts_with(b"<<"),
        _ => false,
    }
}

/// `: `, ` #`, a colon or a space at the end.
fn ambiguous(bytes: &[u8]) -> bool {
    if bytes.last().is_some_and(|b| matches!(b, b':' | b' ')) {
        return true;
    }
    bytes.windows(2).any(|pair| matches!(pair, b": " | b" #"))
}

/// A word that YAML 1.1 reads as a bool or null, in any mixture of cases.
fn is_word(text: &str) -> bool {
    if text.len() > 5
        || !matches!(
            text.as_bytes().first(),
            Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'.' | b'+' | b'-')
        )
    {
        return false;
    }
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null", ".inf", ".nan", "+.inf", "-.inf"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(text))
}

/// Anything that some reader takes for a number, a time of day or a date: rather too many than too few.
fn is_numeric(bytes: &[u8]) -> bool {
    let body = match bytes {
        [b'+' | b'-', body @ ..] => body,
        body => body,
    };
    let starts = match body {
        [b'0'..=b'9' | b'_', ..] => true,
        [b'.', next, ..] => next.is_ascii_digit() || *next == b'_',
        _ => false,
    };
    starts
        && body.iter().all(|b| {
            matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' | b'x' | b'X' | b'o' | b'O' | b'_' | b'.' | b':' | b'+' | b'-' | b't' | b'T' | b'z' | b'Z' | b' ')
        })
}
