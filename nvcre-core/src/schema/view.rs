//! One way to look at a parsed tree and at a plain JSON value.

use crate::diagnostic::Span;
use crate::yaml::{Kind, Node};
use serde_json::Value;

/// A value that is checked: of a document, with places, or of a program, without.
#[derive(Debug, Clone, Copy)]
pub(crate) enum View<'a> {
    /// From a text.
    Node(&'a Node),
    /// From a program.
    Value(&'a Value),
}

/// An entry of a mapping, with the place of its key.
pub(crate) struct ViewEntry<'a> {
    pub key: &'a str,
    pub span: Option<Span>,
    pub value: View<'a>,
}

/// What a view is.
pub(crate) enum Shape<'a> {
    Scalar { value: &'a Value, text: Option<&'a str>, quoted: bool },
    List(Vec<View<'a>>),
    Map(Vec<ViewEntry<'a>>),
}

impl<'a> View<'a> {
    pub fn shape(self) -> Shape<'a> {
        match self {
            Self::Node(node) => match &node.kind {
                Kind::Scalar(s) => Shape::Scalar { value: &s.value, text: Some(&s.text), quoted: s.quoted },
                Kind::List(items) => Shape::List(items.iter().map(View::Node).collect()),
                Kind::Map(entries) => Shape::Map(
                    entries
                        .iter()
                        .map(|e| ViewEntry { key: &e.key, span: Some(e.key_span), value: View::Node(&e.value) })
                        .collect(),
                ),
            },
            Self::Value(value) => match value {
                Value::Array(items) => Shape::List(items.iter().map(View::Value).collect()),
                Value::Object(map) => Shape::Map(
                    map.iter().map(|(k, v)| ViewEntry { key: k, span: None, value: View::Value(v) }).collect(),
                ),
                scalar => Shape::Scalar { value: scalar, text: None, quoted: scalar.is_string() },
            },
        }
    }

    pub fn is_null(self) -> bool {
        matches!(self.shape_of_scalar(), Some(Value::Null))
    }

    /// Place of the whole value.
    pub fn span(self) -> Option<Span> {
        match self {
            Self::Node(node) => Some(node.span),
            Self::Value(_) => None,
        }
    }

    /// Place to name when something is missing in a mapping that is no value of a key: its first key.
    pub fn start(self) -> Option<Span> {
        match self {
            Self::Node(Node { kind: Kind::Map(entries), span }) => Some(entries.first().map_or(*span, |e| e.key_span)),
            other => other.span(),
        }
    }

    /// The string under a key of a mapping.
    pub fn text_at(self, key: &str) -> Option<&'a str> {
        match self {
            Self::Node(node) => node.get(key).and_then(Node::as_str),
            Self::Value(value) => value.get(key).and_then(Value::as_str),
        }
    }

    pub fn to_value(self) -> Value {
        match self {
            Self::Node(node) => node.to_value(),
            Self::Value(value) => value.clone(),
        }
    }

    fn shape_of_scalar(self) -> Option<&'a Value> {
        match self {
            Self::Node(Node { kind: Kind::Scalar(s), .. }) => Some(&s.value),
            Self::Node(_) => None,
            Self::Value(value) => Some(value),
        }
    }
}
