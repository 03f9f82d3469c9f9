//! Tokens of JSON out of a buffer that is filled again and again. What is not kept is passed over in whole pieces.

use super::input::Input;
use crate::diagnostic::Position;
use std::io;

/// One token. The text of strings and numbers is in [`Scanner::text`], when it was wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    OpenMap,
    OpenList,
    CloseMap,
    CloseList,
    Comma,
    Colon,
    String,
    Number,
    True,
    False,
    Null,
    End,
}

impl Token {
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::OpenMap => "`{`",
            Self::OpenList => "`[`",
            Self::CloseMap => "`}`",
            Self::CloseList => "`]`",
            Self::Comma => "a comma",
            Self::Colon => "a colon",
            Self::String => "a string",
            Self::Number => "a number",
            Self::True => "`true`",
            Self::False => "`false`",
            Self::Null => "`null`",
            Self::End => "the end of the text",
        }
    }
}

/// Why scanning stopped.
#[derive(Debug)]
pub(super) enum Fault {
    /// The reader failed, or a scalar is too long (the meter knows).
    Input(io::Error),
    /// Found, in words.
    Found(String),
    /// The end of the text inside a string or word.
    Cut,
    TooLong,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Input(error)
    }
}

pub(super) struct Scanner<R> {
    input: Input<R>,
    limit: usize,
    text: Vec<u8>,
    offset: u64,
    line: u32,
    /// Offset at which column 1 would stand, counting every character as one byte.
    begin: u64,
}

impl<R: io::Read> Scanner<R> {
    pub(super) fn new(input: Input<R>, limit: usize) -> Self {
        let offset = input.head();
        Self { input, limit, text: Vec::new(), offset, line: 1, begin: offset }
    }

    /// Place of the next byte.
    pub(super) fn here(&self) -> Position {
        let column = self.offset.saturating_sub(self.begin).saturating_add(1);
        Position { offset: self.offset, line: self.line, column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    /// The text of the last string or number.
    pub(super) fn text(&self) -> &str {
        // The input is valid, and escapes add whole characters.
        std::str::from_utf8(&self.text).unwrap_or("")
    }

    fn pass(&mut self, count: usize) {
        self.input.pass(count);
        self.offset += count as u64;
    }

    /// Passes blanks; gives the byte behind them.
    pub(super) fn blank(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            match self.input.peek()? {
                Some(b' ' | b'\t' | b'\r') => self.pass(1),
                Some(b'\n') => {
                    self.pass(1);
                    self.line = self.line.saturating_add(1);
                    self.begin = self.offset;
                }
                other => return Ok(other),
            }
        }
    }

    /// Passes a line `---` between two values; false when something else stands there.
    pub(super) fn separator(&mut self) -> Result<bool, Fault> {
        for _ in 0..3 {
            if self.input.peek()? != Some(b'-') {
                return Err(Fault::Found("a single `-` between two JSON values".to_owned()));
            }
            self.pass(1);
        }
        Ok(true)
    }

    /// The next token; the scanner stands at its first byte.
    pub(super) fn token(&mut self, keep: bool) -> Result<Token, Fault> {
        let Some(byte) = self.input.peek()? else { return Ok(Token::End) };
        let token = match byte {
            b'"' => return self.string(keep),
            b'-' | b'0'..=b'9' => return self.number(),
            b't' => return self.word("true", Token::True),
            b'f' => return self.word("false", Token::False),
            b'n' => return self.word("null", Token::Null),
            b'{' => Token::OpenMap,
            b'[' => Token::OpenList,
            b'}' => Token::CloseMap,
            b']' => Token::CloseList,
            b',' => Token::Comma,
            b':' => Token::Colon,
            _ => return Err(Fault::Found(self.shown()?)),
        };
        self.pass(1);
        Ok(token)
    }

    /// The next character, as messages show it. The input passes it, so that it counts as used; the place stays.
    pub(super) fn shown(&mut self) -> Result<String, Fault> {
        let head = self.input.chunk()?;
        let text = head.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        self.input.pass(text.map_or(0, char::len_utf8));
        Ok(match text {
            Some(c) if c.is_control() => format!("`{}`", c.escape_default()),
            Some(c) => format!("`{c}`"),
            None => "the end of the text".to_owned(),
        })
    }

    fn word(&mut self, word: &str, token: Token) -> Result<Token, Fault> {
        for want in word.bytes() {
            match self.input.peek()? {
                Some(byte) if byte == want => self.pass(1),
                None => return Err(Fault::Cut),
                Some(_) => return Err(Fault::Found(format!("{} inside what begins as `{word}`", self.shown()?))),
            }
        }
        Ok(token)
    }

    fn number(&mut self) -> Result<Token, Fault> {
        self.text.clear();
        while let Some(byte @ (b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) = self.input.peek()? {
            self.text.push(byte);
            self.pass(1);
            if self.text.len() > self.limit {
                return Err(Fault::TooLong);
            }
        }
        if is_number(&self.text) {
            return Ok(Token::Number);
        }
        let text: String = self.text().chars().take(40).collect();
        Err(Fault::Found(format!("`{text}`, which is not a number of JSON")))
    }

    fn string(&mut self, keep: bool) -> Result<Token, Fault> {
        self.text.clear();
        self.pass(1);
        let mut length = 0_usize;
        loop {
            let chunk = self.input.chunk()?;
            if chunk.is_empty() {
                return Err(Fault::Cut);
            }
            let end = chunk.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20)).unwrap_or(chunk.len());
            let (part, rest) = chunk.split_at(end);
            if keep {
                self.text.extend_from_slice(part);
            }
            let next = rest.first().copied();
            let longer = part.iter().filter(|b| **b & 0xC0 == 0x80).count();
            self.begin += longer as u64;
            self.pass(end);
            length += end;
            if length > self.limit {
                return Err(Fault::TooLong);
            }
            match next {
                None => {}
                Some(b'"') => {
                    self.pass(1);
                    return Ok(Token::String);
                }
                Some(b'\\') => {
                    self.pass(1);
                    self.escape()?;
                    length += 1;
                }
                Some(_) => {
                    let found = self.shown()?;
                    return Err(Fault::Found(format!(
                        "{found} inside a string (a quote is missing, or write it as an escape)"
                    )));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let Some(byte) = self.input.peek()? else { return Err(Fault::Cut) };
        let c = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.pass(1);
                return self.unicode();
            }
            _ => return Err(Fault::Found(format!("{} behind a backslash", self.shown()?))),
        };
        self.pass(1);
        self.push(c);
        Ok(())
    }

    /// `\uXXXX`; half a surrogate pair becomes U+FFFD, as in Kubernetes.
    fn unicode(&mut self) -> Result<(), Fault> {
        let mut unit = self.hex()?;
        loop {
            if !(0xD800..0xDC00).contains(&unit) {
                self.push(char::from_u32(unit).unwrap_or('\u{FFFD}'));
                return Ok(());
            }
            if self.input.peek()? != Some(b'\\') {
                break;
            }
            self.pass(1);
            if self.input.peek()? != Some(b'u') {
                self.push('\u{FFFD}');
                return self.escape();
            }
            self.pass(1);
            let low = self.hex()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                self.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
                return Ok(());
            }
            self.push('\u{FFFD}');
            unit = low;
        }
        self.push('\u{FFFD}');
        Ok(())
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let mut unit = 0;
        for _ in 0..4 {
            let Some(byte) = self.input.peek()? else { return Err(Fault::Cut) };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(Fault::Found(format!("{} where `\\u` wants a hexadecimal digit", self.shown()?)));
            };
            unit = unit * 16 + digit;
            self.pass(1);
        }
        Ok(unit)
    }

    fn push(&mut self, c: char) {
        self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][-+]?[0-9]+)?`
fn is_number(text: &[u8]) -> bool {
    fn digits(text: &[u8]) -> (usize, &[u8]) {
        let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
        (count, text.get(count..).unwrap_or(&[]))
    }
    let body = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, rest) = digits(body);
    if whole == 0 || whole > 1 && body.first() == Some(&b'0') {
        return false;
    }
    let rest = match rest.strip_prefix(b".") {
        Some(fraction) => match digits(fraction) {
            (0, _) => return false,
            (_, rest) => rest,
        },
        None => rest,
    };
    match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => {
            let exponent = exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
            matches!(digits(exponent), (1.., []))
        }
        _ => false,
    }
}
