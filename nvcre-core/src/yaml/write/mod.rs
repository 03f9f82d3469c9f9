//! Values to text: sorted keys, nothing folded, everything quoted that a YAML 1.1 or 1.2 reader would take for
//! something else (09 "Writing"). The same value always gives the same bytes.

mod holes;
mod style;
#[cfg(test)]
mod tests;

pub(crate) use holes::Form;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt::{self, Write};
use std::io;
use style::{Style, key_style, value_style};

/// One value as a YAML document, with a line break at its end.
///
/// ```
/// use nvcre_core::yaml::to_yaml;
/// let value = serde_json::json!({"spec": {"args": ["-b", "8"], "on": "yes"}, "kind": "Job"});
/// assert_eq!(to_yaml(&value), "kind: Job\nspec:\n  args:\n  - -b\n  - \"8\"\n  \"on\": \"yes\"\n");
/// ```
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::with_capacity(1024);
    // Writing to a string does not fail.
    let _ = write_yaml(&mut out, value);
    out
}

/// Several values as one stream, documents separated by `---`.
pub fn to_yaml_documents<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    let mut out = String::with_capacity(4096);
    for (at, value) in values.into_iter().enumerate() {
        if at > 0 {
            out.push_str("---\n");
        }
        let _ = write_yaml(&mut out, value);
    }
    out
}

/// Writes one value as a YAML document. Errors: those of `out`.
pub fn write_yaml<W: Write + ?Sized>(out: &mut W, value: &Value) -> fmt::Result {
    Emitter { out: &mut Plain(out) }.root(value)
}

/// Writes one value as a YAML document to a byte sink, which should be buffered. Errors: those of `out`.
pub fn write_yaml_to<W: io::Write + ?Sized>(out: &mut W, value: &Value) -> io::Result<()> {
    let mut bytes = Bytes { out, error: None };
    write_yaml(&mut bytes, value).map_err(|_| bytes.error.take().unwrap_or_else(|| io::Error::other("not written")))
}

/// A value as JSON with sorted keys and two spaces of indentation, without a line break at its end.
pub fn to_json_pretty(value: &Value) -> String {
    // A JSON value always prints: its keys are strings.
    serde_json::to_string_pretty(&Sorted(value)).unwrap_or_default()
}

struct Bytes<'a, W: ?Sized> {
    out: &'a mut W,
    error: Option<io::Error>,
}

impl<W: io::Write + ?Sized> Write for Bytes<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

/// The entries of a mapping in the order of their keys, whatever order the map itself keeps.
fn sorted(map: &Map<String, Value>) -> Option<Vec<(&String, &Value)>> {
    if map.keys().is_sorted() {
        return None;
    }
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    Some(entries)
}

struct Sorted<'a>(&'a Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                let mut out = serializer.serialize_map(Some(map.len()))?;
                match sorted(map) {
                    Some(entries) => {
                        for (key, value) in entries {
                            out.serialize_entry(key, &Sorted(value))?;
                        }
                    }
                    None => {
                        for (key, value) in map {
                            out.serialize_entry(key, &Sorted(value))?;
                        }
                    }
                }
                out.end()
            }
            Value::Array(items) => {
                let mut out = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    out.serialize_element(&Sorted(item))?;
                }
                out.end()
            }
            scalar => scalar.serialize(serializer),
        }
    }
}

/// Where an emitter writes to.
trait Sink: Write {
    /// True when the value of an entry at this indentation is not to be written here.
    fn leaves_out(&mut self, _value: &Value, _indent: usize) -> bool {
        false
    }
}

/// A sink that takes everything.
struct Plain<'a, W: ?Sized>(&'a mut W);

impl<W: Write + ?Sized> Write for Plain<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(text)
    }
}

impl<W: Write + ?Sized> Sink for Plain<'_, W> {}

struct Emitter<'a, W> {
    out: &'a mut W,
}

const SPACES: &str = "                                                                ";

impl<W: Sink> Emitter<'_, W> {
    fn root(&mut self, value: &Value) -> fmt::Result {
        match value {
            Value::Object(map) if !map.is_empty() => self.map(map, 0, false),
            Value::Array(items) if !items.is_empty() => self.list(items, 0, false),
            Value::String(text) => {
                let style = match value_style(text) {
                    // At the root a reader could count the indentation in another way.
                    Style::Literal { indicator: true, .. } => Style::Double,
                    style => style,
                };
                self.text(text, style, 2)
            }
            scalar => self.inline(scalar),
        }
    }

    fn indent(&mut self, mut width: usize) -> fmt::Result {
        while let Some(rest) = width.checked_sub(SPACES.len()) {
            self.out.write_str(SPACES)?;
            width = rest;
        }
        self.out.write_str(SPACES.get(..width).unwrap_or(""))
    }

    /// Entries of a mapping; the first stands on the current line when `inline`.
    fn map(&mut self, map: &Map<String, Value>, indent: usize, inline: bool) -> fmt::Result {
        let mut inline = inline;
        let mut entry = |emitter: &mut Self, key: &str, value: &Value| {
            if !std::mem::take(&mut inline) {
                emitter.indent(indent)?;
            }
            emitter.entry(key, value, indent)
        };
        match sorted(map) {
            Some(entries) => entries.into_iter().try_for_each(|(key, value)| entry(self, key, value)),
            None => map.iter().try_for_each(|(key, value)| entry(self, key, value)),
        }
    }

    fn entry(&mut self, key: &str, value: &Value, indent: usize) -> fmt::Result {
        if key.len() > style::LONGEST_KEY {
            // A reader need not look further than 1,024 characters for the colon.
            self.out.write_str("? ")?;
            self.quoted(key, key_style(key))?;
            self.out.write_char('\n')?;
            self.indent(indent)?;
        } else {
            self.quoted(key, key_style(key))?;
        }
        if self.out.leaves_out(value, indent) {
            return Ok(());
        }
        self.entry_value(value, indent)
    }

    /// What comes after the key of an entry.
    fn entry_value(&mut self, value: &Value, indent: usize) -> fmt::Result {
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.out.write_str(":\n")?;
                self.map(map, indent + 2, false)
            }
            Value::Array(items) if !items.is_empty() => {
                self.out.write_str(":\n")?;
                self.list(items, indent, false)
            }
            Value::String(text) => {
                self.out.write_str(": ")?;
                self.text(text, value_style(text), indent + 2)
            }
            scalar => {
                self.out.write_str(": ")?;
                self.inline(scalar)
            }
        }
    }

    fn list(&mut self, items: &[Value], indent: usize, inline: bool) -> fmt::Result {
        let mut inline = inline;
        for item in items {
            if !std::mem::take(&mut inline) {
                self.indent(indent)?;
            }
            self.out.write_str("- ")?;
            match item {
                Value::Object(map) if !map.is_empty() => self.map(map, indent + 2, true)?,
                Value::Array(items) if !items.is_empty() => self.list(items, indent + 2, true)?,
                Value::String(text) => self.text(text, value_style(text), indent + 2)?,
                scalar => self.inline(scalar)?,
            }
        }
        Ok(())
    }

    /// Anything that fits on the line, but no string.
    fn inline(&mut self, value: &Value) -> fmt::Result {
        match value {
            Value::Null => self.out.write_str("null\n"),
            Value::Bool(true) => self.out.write_str("true\n"),
            Value::Bool(false) => self.out.write_str("false\n"),
            Value::Number(number) if number.is_f64() => {
                let text = number.to_string();
                // YAML 1.1 wants a point and a sign: `1.0e+300`.
                match text.split_once('e') {
                    Some((mantissa, exponent)) => {
                        let point = if mantissa.contains('.') { "" } else { ".0" };
                        let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
                        writeln!(self.out, "{mantissa}{point}e{sign}{exponent}")
                    }
                    None => writeln!(self.out, "{text}"),
                }
            }
            Value::Number(number) => writeln!(self.out, "{number}"),
            Value::Array(_) => self.out.write_str("[]\n"),
            Value::Object(_) => self.out.write_str("{}\n"),
            Value::String(text) => self.text(text, value_style(text), 2),
        }
    }

    /// A string and the end of its line; `indent` is that of its lines when it is a block.
    fn text(&mut self, text: &str, style: Style, indent: usize) -> fmt::Result {
        let Style::Literal { indicator, trailing } = style else {
            self.quoted(text, style)?;
            return self.out.write_char('\n');
        };
        self.out.write_char('|')?;
        if indicator {
            self.out.write_char('2')?;
        }
        self.out.write_str(match trailing {
            0 => "-\n",
            1 => "\n",
            _ => "+\n",
        })?;
        let body = text.strip_suffix('\n').unwrap_or(text);
        for line in body.split('\n') {
            if !line.is_empty() {
                self.indent(indent)?;
                self.out.write_str(line)?;
            }
            self.out.write_char('\n')?;
        }
        Ok(())
    }

    fn quoted(&mut self, text: &str, style: Style) -> fmt::Result {
        match style {
            Style::Plain => self.out.write_str(text),
            Style::Single => {
                self.out.write_char('\'')?;
                let mut rest = text;
                while let Some((head, tail)) = rest.split_once('\'') {
                    self.out.write_str(head)?;
                    self.out.write_str("''")?;
                    rest = tail;
                }
                self.out.write_str(rest)?;
                self.out.write_char('\'')
            }
            Style::Double | Style::Literal { .. } => self.double(text),
        }
    }

    fn double(&mut self, text: &str) -> fmt::Result {
        self.out.write_char('"')?;
        let mut start = 0;
        for (at, c) in text.char_indices() {
            if !style::must_escape(c) {
                continue;
            }
            self.out.write_str(text.get(start..at).unwrap_or(""))?;
            start = at + c.len_utf8();
            match c {
                '"' => self.out.write_str("\\\"")?,
                '\\' => self.out.write_str("\\\\")?,
                '\n' => self.out.write_str("\\n")?,
                '\r' => self.out.write_str("\\r")?,
                '\t' => self.out.write_str("\\t")?,
                c if u32::from(c) <= 0xFF => write!(self.out, "\\x{:02X}", u32::from(c))?,
                c if u32::from(c) <= 0xFFFF => write!(self.out, "\\u{:04X}", u32::from(c))?,
                c => write!(self.out, "\\U{:08X}", u32::from(c))?,
            }
        }
        self.out.write_str(text.get(start..).unwrap_or(""))?;
        self.out.write_char('"')
    }
}
