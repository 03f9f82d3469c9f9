//! What the builder says.

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::yaml::events::Tag;
use crate::yaml::limits::human;
use crate::yaml::tree::{Kind, Node, Scalar};
use serde_json::Value;

impl Tag {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::None => "",
            Self::Str => "!!str",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Bool => "!!bool",
            Self::Null => "!!null",
            Self::Map => "!!map",
            Self::Seq => "!!seq",
            Self::Other(name) => name,
        }
    }
}

pub(super) fn null(span: Span) -> Node {
    Node { kind: Kind::Scalar(Scalar { text: "".into(), value: Value::Null, quoted: false }), span }
}

pub(super) fn bad_tag(tag: &str, what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::UnsupportedYaml,
        format!("the tag `{tag}` does not fit {what}; Kubernetes reads no other tags than those of JSON"),
    )
    .with_help("remove the tag")
}

pub(crate) fn too_long(limit: usize, found: Option<usize>) -> Diagnostic {
    let limit = human(limit as u64);
    let found = found.map_or_else(|| format!("more than {limit}"), |found| human(found as u64));
    Diagnostic::new(Code::LimitExceeded, format!("one value holds {found}; the limit for one value is {limit}"))
        .with_help("keep large data out of the file; a program that embeds the library can raise the limit `scalar`")
}

pub(crate) fn too_deep(limit: usize) -> Diagnostic {
    Diagnostic::new(
        Code::LimitExceeded,
        format!("mappings and lists are nested more than {limit} deep; the limit of depth is {limit}"),
    )
    .with_help("flatten the document; a program that embeds the library can raise the limit `depth`")
}
