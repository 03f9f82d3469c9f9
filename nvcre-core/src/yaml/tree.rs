//! The parsed form of a document: values as Kubernetes reads them, each with its place in the text.

use crate::diagnostic::{Diagnostic, FieldPath, Segment, Span};
use serde_json::Value;

/// A value with its diagnostics. Reading never fails outright: whatever could be read is in `value`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read<T> {
    /// What could be read.
    pub value: T,
    /// Everything that was wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// A scalar: its meaning to Kubernetes, and how it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    /// The text as written, without quotes.
    pub text: Box<str>,
    /// The value that Kubernetes reads; never a list or mapping.
    pub value: Value,
    /// Written in quotes or as a block: always a string.
    pub quoted: bool,
}

/// What a node of the tree is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A scalar.
    Scalar(Scalar),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the text, merge keys expanded, every key once.
    Map(Vec<Entry>),
}

/// One value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub kind: Kind,
    /// Its place in the text.
    pub span: Span,
}

/// One entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Box<str>,
    /// Place of the key.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The entry of a mapping.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|e| &*e.key == key),
            _ => None,
        }
    }

    /// The value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|e| &e.value)
    }

    /// The text of a string scalar.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(scalar) => scalar.value.as_str(),
            _ => None,
        }
    }

    /// What Kubernetes sees, without places.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(scalar) => scalar.value.clone(),
            Kind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Map(entries) => {
                Value::Object(entries.iter().map(|e| (e.key.to_string(), e.value.to_value())).collect())
            }
        }
    }

    /// Place of the field at a path: of its key where it stands in a mapping, else of its value. Where the path
    /// goes on below what is there, the nearest field above it.
    pub fn locate(&self, path: &FieldPath) -> Span {
        let mut node = self;
        let mut span = self.span;
        for segment in &path.0 {
            let next = match (segment, &node.kind) {
                (Segment::Key(key), Kind::Map(_)) => node.entry(key).map(|e| {
                    let scalar = matches!(e.value.kind, Kind::Scalar(_));
                    (&e.value, if scalar { e.value.span } else { e.key_span })
                }),
                _ => node.step(segment).map(|n| (n, n.span)),
            };
            match next {
                Some((child, place)) => (node, span) = (child, place),
                None => break,
            }
        }
        span
    }
}

impl Node {
    /// The value at a path.
    pub fn at(&self, path: &FieldPath) -> Option<&Self> {
        path.0.iter().try_fold(self, Self::step)
    }

    fn step(&self, segment: &Segment) -> Option<&Self> {
        match (segment, &self.kind) {
            (Segment::Key(key), _) => self.get(key),
            (Segment::Index(index), Kind::List(items)) => items.get(*index),
            (Segment::Named(name), Kind::List(items)) => {
                items.iter().find(|n| n.get("name").and_then(Self::as_str) == Some(name))
            }
            _ => None,
        }
    }

    /// As [`Self::locate`], but of the key where the last step of the path is one that is there.
    pub fn locate_key(&self, path: &FieldPath) -> Span {
        let key = || {
            let (Segment::Key(last), head) = path.0.split_last()? else { return None };
            let parent = head.iter().try_fold(self, Self::step)?;
            parent.entry(last).map(|entry| entry.key_span)
        };
        key().unwrap_or_else(|| self.locate(path))
    }
}

/// A parsed document that findings can be placed in.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The file, as the caller named it.
    pub file: String,
    /// The document; `None` when nothing could be parsed.
    pub root: Option<Node>,
}

impl Source {
    /// False for fields of the result, which no run has: those of the Workflow and of the catalogue.
    fn may_hold(&self, path: &FieldPath) -> bool {
        match path.0.as_slice() {
            [Segment::Key(top), Segment::Key(field), ..] if &**top == "spec" => {
                !matches!(&**field, "jobTemplate" | "dependencies")
            }
            [Segment::Key(top), ..] => &**top != "entries",
            _ => true,
        }
    }

    /// Adds file and place to findings that carry a field path but no place yet. Paths of fields that only the result
    /// has are left alone.
    pub fn locate(&self, findings: &mut [Diagnostic]) {
        for finding in findings {
            if finding.path.as_ref().is_some_and(|path| !self.may_hold(path)) {
                continue;
            }
            if finding.file.is_none() && (finding.path.is_some() || finding.span.is_some()) {
                finding.file = Some(self.file.clone());
            }
            let Some(root) = &self.root else { continue };
            if finding.span.is_none()
                && finding.file.as_deref() == Some(&self.file)
                && let Some(path) = &finding.path
            {
                finding.span = Some(if finding.at_key { root.locate_key(path) } else { root.locate(path) });
            }
            for related in &mut finding.related {
                if related.span.is_none()
                    && related.file.is_none()
                    && let Some(path) = &related.path
                    && self.may_hold(path)
                {
                    related.span = Some(root.locate(path));
                    related.file = Some(self.file.clone());
                }
            }
        }
    }
}
