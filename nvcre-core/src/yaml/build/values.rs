//! Scalars with their tags, and merge keys.

use super::Builder;
use super::findings::{bad_tag, null, too_long};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::yaml::events::{Style, Tag};
use crate::yaml::scalar::{Resolved, resolve};
use crate::yaml::tree::{Entry, Kind, Node, Scalar};
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Builder {
    pub(super) fn scalar(&mut self, text: Cow<'_, str>, style: Style, tag: &Tag, span: Span) -> Node {
        if text.len() > self.limits.scalar {
            self.report(too_long(self.limits.scalar, Some(text.len())), span);
            return null(span);
        }
        let quoted = style == Style::Quoted;
        let resolved = match tag {
            Tag::None if quoted => Resolved::Text,
            Tag::Str | Tag::Other(_) => Resolved::Text,
            _ => resolve(&text),
        };
        let resolved = match (tag, resolved) {
            (Tag::Float, Resolved::Number(n)) => {
                n.as_f64().and_then(serde_json::Number::from_f64).map_or(Resolved::Number(n), Resolved::Number)
            }
            (_, resolved) => resolved,
        };
        let fits = match tag {
            Tag::None | Tag::Str => true,
            Tag::Int => matches!(&resolved, Resolved::Number(n) if n.is_i64() || n.is_u64()),
            Tag::Float => matches!(resolved, Resolved::Number(_) | Resolved::NotFinite),
            Tag::Bool => matches!(resolved, Resolved::Bool(_)),
            Tag::Null => resolved == Resolved::Null,
            Tag::Map | Tag::Seq | Tag::Other(_) => false,
        };
        if !fits {
            let name = tag.name().to_owned();
            self.report(bad_tag(&name, "this value"), span);
        }
        if resolved == Resolved::NotFinite {
            self.report(
                Diagnostic::new(
                    Code::UnsupportedYaml,
                    format!("`{text}` is read as infinity or not-a-number, which JSON and Kubernetes cannot hold"),
                )
                .with_help("put it in quotes when it is meant as text"),
                span,
            );
        }
        let text: Box<str> = text.into_owned().into_boxed_str();
        let value = resolved.into_value(&text);
        Node { kind: Kind::Scalar(Scalar { text, value, quoted }), span }
    }

    /// Merge keys: explicit keys win, then the mapping that is named first.
    pub(super) fn merge(&mut self, entries: Vec<Entry>, merges: Vec<(usize, Span, Node)>) -> Vec<Entry> {
        let mut known: BTreeSet<Box<str>> = entries.iter().map(|e| e.key.clone()).collect();
        let mut out = Vec::with_capacity(entries.len());
        let mut own = entries.into_iter();
        let mut taken = 0;
        for (at, span, node) in merges {
            while taken < at {
                out.extend(own.next());
                taken += 1;
            }
            let sources = match node.kind {
                Kind::List(items) => items,
                kind => vec![Node { kind, span: node.span }],
            };
            for source in sources {
                if let Kind::Map(merged) = source.kind {
                    out.extend(merged.into_iter().filter(|e| known.insert(e.key.clone())));
                } else {
                    self.report(
                        Diagnostic::new(
                            Code::UnsupportedYaml,
                            "the merge key `<<` wants a mapping or a list of mappings",
                        )
                        .with_help("name the anchor of a mapping: `<<: *name`"),
                        span,
                    );
                }
            }
        }
        out.extend(own);
        out
    }
}
