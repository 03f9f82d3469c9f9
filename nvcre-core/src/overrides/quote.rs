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

/// Reads one word that [`go_quote`] wrote at the beginning of a text: the word and the rest. `None` for anything that it
/// does not write.
///
/// ```
/// use nvcre_core::overrides::{go_quote, go_unquote};
/// assert_eq!(go_unquote(&(go_quote("a \"b\" \u{1}ä") + " \"c\"")), Some(("a \"b\" \u{1}ä".into(), " \"c\"")));
/// assert_eq!(go_unquote("bare"), None);
/// ```
pub fn go_unquote(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('"')?;
    let mut out = String::new();
    loop {
        let mut chars = rest.chars();
        let c = chars.next()?;
        rest = chars.as_str();
        match c {
            '"' => break,
            '\\' => {
                let kind = chars.next()?;
                rest = chars.as_str();
                let digits = match kind {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                out.push(match kind {
                    '"' | '\\' => kind,
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\u{b}',
                    'x' | 'u' | 'U' => char::from_u32(u32::from_str_radix(rest.get(..digits)?, 16).ok()?)?,
                    _ => return None,
                });
                rest = rest.get(digits..)?;
            }
            c => out.push(c),
        }
    }
    // Only what the writer writes: other forms of the same word are somebody's own script.
    let length = text.len() - rest.len();
    (text.get(..length) == Some(go_quote(&out).as_str())).then_some((out, rest))
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
