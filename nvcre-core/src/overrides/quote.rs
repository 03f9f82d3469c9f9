//! Quoting of words for the wrapped command (04 §8.2, 02 §9): Go's double-quoted string syntax, which is not the
//! shell's.

use std::fmt::Write;

/// A word in Go's double-quoted syntax: `"` and `\` escaped, `\a \b \f \n \r \t \v`, other controls below 0x80 as
/// `\xNN`, other code points that cannot be printed as `\uNNNN` or `\UNNNNNNNN`, everything else as it is.
///
/// ```
/// assert_eq!(nvcre_core::overrides::go_quote("a \"b\" \\ \t\u{1}\u{a0}ä"), r#""a \"b\" \\ \t\x01\u00a0ä""#);
/// ```
pub fn go_quote(word: &str) -> String {
    let mut out = String::with_capacity(word.len() + 2);
    out.push('"');
    if word.bytes().all(|b| matches!(b, b' '..=b'~') && !matches!(b, b'"' | b'\\')) {
        out.push_str(word);
        out.push('"');
        return out;
    }
    for c in word.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if printable(c) => out.push(c),
            // Writing to a String cannot fail.
            c => drop(match u32::from(c) {
                n @ ..0x80 => write!(out, "\\x{n:02x}"),
                n @ 0x80..0x1_0000 => write!(out, "\\u{n:04x}"),
                n => write!(out, "\\U{n:08x}"),
            }),
        }
    }
    out.push('"');
    out
}

/// Undoes [`go_quote`]: the word at the start of a text, and what stands after its closing quote. `None` when the text
/// does not begin with a word in quotes.
pub(crate) fn go_unquote(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, text.get(at + 2..)?)),
            '\\' => out.push(match chars.next()?.1 {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                'x' => number(&mut chars, 2)?,
                'u' => number(&mut chars, 4)?,
                'U' => number(&mut chars, 8)?,
                c @ ('"' | '\\') => c,
                _ => return None,
            }),
            c => out.push(c),
        }
    }
    None
}

fn number(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Option<char> {
    let mut out = 0u32;
    for (_, digit) in chars.take(digits) {
        out = out.checked_mul(16)?.checked_add(digit.to_digit(16)?)?;
    }
    char::from_u32(out)
}

/// Printable as Go has it: letters, marks, numbers, punctuation, symbols and the ASCII space.
///
/// The standard library escapes exactly the complement for debug output, so its table is asked instead of carrying one
/// here. The two differ only for characters that one of the compilers' Unicode versions does not know yet.
fn printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\0'..='\u{a0}' => false,
        // Behind another character, marks are not escaped for being marks.
        c => ['a', c].iter().collect::<String>().escape_debug().nth(1) == Some(c),
    }
}

/// The first character of a word that bash would act on inside the wrapped command, or that would not reach the
/// program as it is: `$`, a backquote, a control character (00 D9).
///
/// ```
/// assert_eq!(nvcre_core::overrides::expanded_by_bash("--out=$HOME/x"), Some('$'));
/// assert_eq!(nvcre_core::overrides::expanded_by_bash("tcp,self"), None);
/// ```
pub fn expanded_by_bash(word: &str) -> Option<char> {
    word.chars().find(|c| matches!(c, '$' | '`') || c.is_control())
}
