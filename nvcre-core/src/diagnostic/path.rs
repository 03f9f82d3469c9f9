//! Paths of fields, as people write them: `spec.env[0].value`, `spec.workloadMetadata.labels["kai.scheduler/queue"]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// One step of a [`FieldPath`]. Its text is shared: paths are extended and copied far more often than they are shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A key of a mapping.
    Key(Arc<str>),
    /// An element of a list.
    Index(usize),
    /// An element of a list whose elements carry a `name`.
    Named(Arc<str>),
    /// An element of a list whose elements differ in another field, such as `mountPath`: the field and its value.
    Keyed(Arc<str>, Arc<str>),
}

/// Path of a field from the root of a document (01 §0.6).
///
/// ```
/// use nvcre_core::FieldPath;
/// let path = FieldPath::parse("spec.env").index(0).key("value");
/// assert_eq!(path.to_string(), "spec.env[0].value");
/// let label = FieldPath::parse("spec.workloadMetadata.labels").key("kai.scheduler/queue");
/// assert_eq!(label.to_string(), r#"spec.workloadMetadata.labels["kai.scheduler/queue"]"#);
/// assert_eq!(FieldPath::parse(&label.to_string()), label);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(pub Vec<Segment>);

impl FieldPath {
    /// The root.
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads the form that [`fmt::Display`] writes. Text that is no path becomes one key.
    pub fn parse(text: &str) -> Self {
        let mut out = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix("[\"") {
                let (key, tail) = unquote(inner);
                out.push(Segment::Key(key.into()));
                rest = tail.strip_prefix(']').unwrap_or(tail);
            } else if let Some((field, inner)) = rest.strip_prefix('[').and_then(keyed) {
                let (value, tail) = match inner.strip_prefix('"') {
                    Some(quoted) => unquote(quoted),
                    None => inner.split_once(']').map_or((inner.to_owned(), ""), |(v, _)| {
                        (v.to_owned(), inner.get(v.len()..).unwrap_or_default())
                    }),
                };
                out.push(match field {
                    "name" => Segment::Named(value.into()),
                    field => Segment::Keyed(field.into(), value.into()),
                });
                rest = tail.strip_prefix(']').unwrap_or(tail);
            } else if let Some(inner) = rest.strip_prefix('[') {
                let (number, tail) = inner.split_once(']').unwrap_or((inner, ""));
                out.push(match number.parse() {
                    Ok(index) => Segment::Index(index),
                    Err(_) => Segment::Key(number.into()),
                });
                rest = tail;
            } else {
                let body = rest.strip_prefix('.').unwrap_or(rest);
                let end = body.find(['.', '[']).unwrap_or(body.len());
                let (key, tail) = body.split_at(end);
                if !key.is_empty() {
                    out.push(Segment::Key(key.into()));
                } else if tail.len() == rest.len() {
                    break;
                }
                rest = tail;
            }
        }
        Self(out)
    }

    /// This path with one more key.
    #[must_use]
    pub fn key(&self, key: impl AsRef<str>) -> Self {
        self.with(Segment::Key(key.as_ref().into()))
    }

    /// This path with one more list index.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// This path with one more list element, named.
    #[must_use]
    pub fn named(&self, name: impl AsRef<str>) -> Self {
        self.with(Segment::Named(name.as_ref().into()))
    }

    /// This path with one more step.
    #[must_use]
    pub fn with(&self, segment: Segment) -> Self {
        let mut out = Vec::with_capacity(self.0.len() + 1);
        out.extend_from_slice(&self.0);
        out.push(segment);
        Self(out)
    }

    /// This path followed by another one.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// The path without its last step; `None` at the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, head) = self.0.split_last()?;
        Some(Self(head.to_vec()))
    }
}

/// A field and what follows its `=`, when a bracket begins with that.
fn keyed(text: &str) -> Option<(&str, &str)> {
    let (field, rest) = text.split_once('=')?;
    let is_field = !field.is_empty() && field.bytes().all(|b| b.is_ascii_alphanumeric());
    is_field.then_some((field, rest))
}

fn unquote(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (out, text.get(at + 1..).unwrap_or("")),
            '\\' => out.extend(chars.next().map(|(_, c)| c)),
            c => out.push(c),
        }
    }
    (out, "")
}

/// Writes a key as [`FieldPath`] shows it: bare when it is an identifier, quoted in brackets otherwise.
fn write_key(f: &mut fmt::Formatter<'_>, key: &str, first: bool) -> fmt::Result {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '$');
    match (bare, first) {
        (true, true) => f.write_str(key),
        (true, false) => write!(f, ".{key}"),
        (false, _) => write!(f, "[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

/// Writes an element of a list: its value bare where reading gives it back, quoted otherwise.
fn write_keyed(f: &mut fmt::Formatter<'_>, field: &str, value: &str) -> fmt::Result {
    match value.contains(']') || value.starts_with('"') {
        false => write!(f, "[{field}={value}]"),
        true => write!(f, "[{field}=\"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) => write_key(f, key, at == 0)?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Named(name) => write_keyed(f, "name", name)?,
                Segment::Keyed(field, value) => write_keyed(f, field, value)?,
            }
        }
        Ok(())
    }
}

impl From<&str> for FieldPath {
    fn from(text: &str) -> Self {
        Self::parse(text)
    }
}

impl From<String> for FieldPath {
    fn from(text: String) -> Self {
        Self::parse(&text)
    }
}

impl From<&Self> for FieldPath {
    fn from(path: &Self) -> Self {
        path.clone()
    }
}

impl Serialize for FieldPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FieldPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::parse(&text))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for FieldPath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FieldPath".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Path of a field, for example spec.env[0].value or metadata.labels[\"a/b\"]"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn segment() -> impl Strategy<Value = Segment> {
        let text = "[a-z.=\"\\\\\\[\\] ä]{0,6}";
        prop_oneof![
            text.prop_map(|t| Segment::Key(t.into())),
            any::<usize>().prop_map(Segment::Index),
            text.prop_map(|t| Segment::Named(t.into())),
            text.prop_map(|t| Segment::Keyed("mountPath".into(), t.into())),
        ]
    }

    proptest! {
        #[test]
        fn a_path_is_read_as_it_was_written(path in prop::collection::vec(segment(), 0..5)) {
            let path = FieldPath(path);
            prop_assert_eq!(FieldPath::parse(&path.to_string()), path);
        }
    }
}
