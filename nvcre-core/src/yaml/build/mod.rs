//! Events into trees: merge keys, duplicate keys, tags, limits, and a filter for readers that keep only a few fields.

mod findings;
mod values;

use crate::diagnostic::{Code, Diagnostic, FieldPath, Position, Related, Span};
use crate::yaml::events::{Event, Shape, Style, Tag};
use crate::yaml::limits::Limits;
use crate::yaml::scalar::{Resolved, key_text, resolve};
use crate::yaml::tree::{Entry, Kind, Node, Scalar};
use findings::{bad_tag, null};
pub(crate) use findings::{too_deep, too_long};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What of a value is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keep {
    /// Everything.
    All,
    /// Of a mapping these keys; of a list every element in full.
    Fields(&'static [(&'static str, Keep)]),
    /// Of every element of a list this.
    Each(&'static Keep),
    /// Elements of a list are handed out one by one and not kept; a mapping as this.
    Emit(&'static Keep),
}

/// Something that is complete.
#[derive(Debug)]
pub(crate) enum Done {
    /// An element of a list of [`Keep::Emit`], and where it stood.
    Item(Node, FieldPath),
    /// The document.
    Root(Node),
    /// As much of an element or document as was read before an error.
    Partial(Node),
}

#[derive(Debug)]
enum Pending {
    Key,
    Value {
        key: Box<str>,
        span: Span,
        keep: Keep,
    },
    Merge {
        at: usize,
        span: Span,
    },
    /// A value that is not kept.
    Nothing,
    /// A key that is a list or mapping.
    Unreadable,
}

#[derive(Debug)]
enum Frame {
    Map {
        entries: Vec<Entry>,
        seen: Option<BTreeMap<Box<str>, usize>>,
        merges: Vec<(usize, Span, Node)>,
        pending: Pending,
        keep: Keep,
        span: Span,
        flow: bool,
    },
    List {
        items: Vec<Node>,
        count: usize,
        emit: bool,
        keep: Keep,
        span: Span,
        flow: bool,
    },
}

/// Mappings with more entries look keys up in a map.
const LINEAR: usize = 16;

/// Builds one document after another.
#[derive(Debug)]
pub(crate) struct Builder {
    limits: Limits,
    keep: Keep,
    frames: Vec<Frame>,
    /// Open collections of a value that is not kept.
    skip: usize,
    too_deep: bool,
    /// What was wrong.
    pub(crate) findings: Vec<Diagnostic>,
}

impl Builder {
    pub(crate) fn new(limits: Limits, keep: Keep) -> Self {
        Self { limits, keep, frames: Vec::new(), skip: 0, too_deep: false, findings: Vec::new() }
    }

    /// Where the innermost `[` or `{` that is still open stands.
    pub(crate) fn open_bracket(&self) -> Option<Span> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Map { flow: true, span, .. } | Frame::List { flow: true, span, .. } => Some(*span),
            _ => None,
        })
    }

    /// True when what comes next is thrown away.
    pub(crate) fn skipping(&self) -> bool {
        self.skip > 0 || matches!(self.frames.last(), Some(Frame::Map { pending: Pending::Nothing, .. }))
    }

    /// True inside a collection that is thrown away.
    pub(crate) fn in_skipped(&self) -> bool {
        self.skip > 0
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// True when the limit of depth was reported in this document.
    pub(crate) fn too_deep(&self) -> bool {
        self.too_deep
    }

    /// Begins a new document.
    pub(crate) fn reset(&mut self) {
        self.frames.clear();
        self.skip = 0;
        self.too_deep = false;
    }

    /// Closes what is open after an error and hands out what was read.
    pub(crate) fn close(&mut self, mut done: impl FnMut(Done)) {
        self.skip = 0;
        while let Some(frame) = self.frames.pop() {
            let node = self.finish(frame, None);
            match self.attach(node) {
                Some(Done::Root(node) | Done::Item(node, _) | Done::Partial(node)) => done(Done::Partial(node)),
                None => {}
            }
        }
    }

    /// The path of what comes next.
    pub(crate) fn path(&self) -> FieldPath {
        let mut path = FieldPath::root();
        for frame in &self.frames {
            path = match frame {
                Frame::Map { pending: Pending::Value { key, .. }, .. } => path.key(&**key),
                Frame::Map { pending: Pending::Merge { .. }, .. } => path.key("<<"),
                Frame::Map { .. } => path,
                Frame::List { count, .. } => path.index(*count),
            };
        }
        path
    }

    pub(crate) fn report(&mut self, finding: Diagnostic, span: Span) {
        let path = self.path();
        self.findings.push(finding.with_path(path).with_span(span));
    }

    /// Takes one event of a document; aliases are expanded before.
    pub(crate) fn push(&mut self, event: Event<'_>, span: Span) -> Option<Done> {
        if self.skip > 0 {
            match event {
                Event::Start { .. } => {
                    self.check_depth(span);
                    self.skip += 1;
                }
                Event::End => {
                    self.skip -= 1;
                    if self.skip == 0 {
                        self.passed(span.end);
                    }
                }
                _ => {}
            }
            return None;
        }
        if let Some(Frame::Map { pending: Pending::Key, .. }) = self.frames.last()
            && !matches!(event, Event::End)
        {
            self.key(event, span);
            return None;
        }
        match event {
            Event::End => {
                let frame = self.frames.pop()?;
                let node = self.finish(frame, Some(span));
                self.attach(node)
            }
            Event::Start { shape, flow, tag } => {
                self.start(shape, flow, &tag, span);
                None
            }
            Event::Scalar { text, style, tag } => {
                if self.skipping() {
                    self.passed(span.end);
                    return None;
                }
                let node = self.scalar(text, style, &tag, span);
                self.attach(node)
            }
            _ => self.attach(null(span)),
        }
    }

    /// A scalar without quotes whose value is already known (JSON).
    pub(crate) fn value(&mut self, text: &str, value: Value, span: Span) -> Option<Done> {
        if self.skip > 0 {
            return None;
        }
        if self.skipping() {
            self.passed(span.end);
            return None;
        }
        self.attach(Node { kind: Kind::Scalar(Scalar { text: text.into(), value, quoted: false }), span })
    }

    /// True when nothing may be nested any deeper.
    pub(crate) fn at_limit(&self) -> bool {
        self.frames.len() + self.skip >= self.limits.depth()
    }

    fn check_depth(&mut self, span: Span) -> bool {
        if !self.at_limit() {
            return true;
        }
        if !self.too_deep {
            self.too_deep = true;
            let limit = self.limits.depth();
            self.report(too_deep(limit), span);
        }
        false
    }

    fn start(&mut self, shape: Shape, flow: bool, tag: &Tag, span: Span) {
        if self.skipping() || !self.check_depth(span) {
            self.skip = 1;
            return;
        }
        match (tag, shape) {
            (Tag::None, _) | (Tag::Map, Shape::Map) | (Tag::Seq, Shape::List) => {}
            (tag, _) => {
                let name = tag.name().to_owned();
                self.report(bad_tag(&name, if shape == Shape::Map { "a mapping" } else { "a list" }), span);
            }
        }
        let (keep, merging) = match self.frames.last() {
            None => (self.keep, false),
            Some(Frame::List { keep, .. }) => (*keep, false),
            Some(Frame::Map { pending: Pending::Value { keep, .. }, .. }) => (*keep, false),
            Some(Frame::Map { keep, .. }) => (*keep, true),
        };
        let span = Span { start: span.start, end: span.end };
        self.frames.push(match shape {
            Shape::Map => {
                let keep = if let Keep::Emit(inner) = keep { *inner } else { keep };
                let pending = Pending::Key;
                Frame::Map { entries: Vec::new(), seen: None, merges: Vec::new(), pending, keep, span, flow }
            }
            Shape::List => {
                let (keep, emit) = match keep {
                    Keep::Each(inner) => (*inner, false),
                    Keep::Emit(inner) => (*inner, !merging),
                    Keep::Fields(_) if merging => (keep, false),
                    _ => (Keep::All, false),
                };
                Frame::List { items: Vec::new(), count: 0, emit, keep, span, flow }
            }
        });
    }

    fn key(&mut self, event: Event<'_>, span: Span) {
        let key = match event {
            Event::Scalar { text, style, tag } => {
                if style == Style::Plain && text == "<<" && tag == Tag::None {
                    if let Some(Frame::Map { entries, pending, span: whole, .. }) = self.frames.last_mut() {
                        whole.end = whole.end.max(span.end);
                        *pending = Pending::Merge { at: entries.len(), span };
                    }
                    return;
                }
                if let Tag::Other(name) = &tag {
                    self.report(bad_tag(name, "a key"), span);
                }
                if text.len() > self.limits.scalar {
                    self.report(too_long(self.limits.scalar, Some(text.len())), span);
                    None
                } else if style == Style::Quoted || tag == Tag::Str {
                    Some(text)
                } else {
                    let key = match resolve(&text) {
                        Resolved::Text => Some(text),
                        _ => key_text(&text).map(Cow::Owned),
                    };
                    if key.is_none() {
                        self.report(
                            Diagnostic::new(
                                Code::UnsupportedYaml,
                                "this key is no string, and Kubernetes reads no other keys",
                            )
                            .with_help("put the key in quotes"),
                            span,
                        );
                    }
                    key
                }
            }
            Event::Start { .. } => {
                self.report(
                    Diagnostic::new(
                        Code::UnsupportedYaml,
                        "found a list or mapping as a key; Kubernetes reads only strings as keys",
                    )
                    .with_help("put the key in quotes when it is meant as text"),
                    span,
                );
                self.skip = 1;
                None
            }
            _ => None,
        };
        let unreadable = self.skip > 0;
        let Some(Frame::Map { entries, seen, pending, keep, span: whole, .. }) = self.frames.last_mut() else { return };
        *pending = if unreadable { Pending::Unreadable } else { Pending::Nothing };
        whole.end = whole.end.max(span.end);
        let Some(key) = key else { return };
        let keep = match keep {
            Keep::Fields(fields) => match fields.iter().find(|(name, _)| *name == key) {
                Some((_, keep)) => *keep,
                None => return,
            },
            _ => Keep::All,
        };
        let first = match seen {
            Some(seen) => seen.get(&*key).copied(),
            None => entries.iter().position(|e| *e.key == *key),
        };
        match first.and_then(|at| entries.get(at)) {
            Some(first) => {
                let first = first.key_span;
                let path = self.path().key(&*key);
                let mut finding = Diagnostic::at(
                    Code::DuplicateKey,
                    path.clone(),
                    format!("the key `{key}` stands twice in one mapping; the first value is kept"),
                )
                .with_help("remove one of the two")
                .with_span(span);
                finding.related.push(Related {
                    message: "first written here".to_owned(),
                    path: Some(path),
                    file: None,
                    span: Some(first),
                });
                self.findings.push(finding);
            }
            None => *pending = Pending::Value { key: key.into_owned().into_boxed_str(), span, keep },
        }
    }

    fn finish(&mut self, frame: Frame, end: Option<Span>) -> Node {
        let close = |span: Span, flow: bool| match end {
            Some(end) if flow => Span { start: span.start, end: end.end },
            _ => span,
        };
        match frame {
            Frame::Map { entries, merges, span, flow, .. } => {
                let entries = if merges.is_empty() { entries } else { self.merge(entries, merges) };
                Node { kind: Kind::Map(entries), span: close(span, flow) }
            }
            Frame::List { items, span, flow, .. } => Node { kind: Kind::List(items), span: close(span, flow) },
        }
    }

    /// A value, or a key, that is not kept has ended.
    fn passed(&mut self, at: Position) {
        match self.frames.last_mut() {
            Some(Frame::Map { pending, span, .. }) => {
                span.end = span.end.max(at);
                *pending = if matches!(pending, Pending::Unreadable) { Pending::Nothing } else { Pending::Key };
            }
            Some(Frame::List { count, span, .. }) => {
                span.end = span.end.max(at);
                *count += 1;
            }
            None => {}
        }
    }

    fn attach(&mut self, node: Node) -> Option<Done> {
        let place = match self.frames.last() {
            None => return Some(Done::Root(node)),
            Some(Frame::List { emit: true, .. }) => self.path(),
            Some(_) => FieldPath::root(),
        };
        let frame = self.frames.last_mut()?;
        let at = node.span.end;
        match frame {
            Frame::Map { entries, seen, merges, pending, span: whole, .. } => {
                whole.end = whole.end.max(at);
                match std::mem::replace(pending, Pending::Key) {
                    Pending::Value { key, span, .. } => {
                        if let Some(seen) = seen {
                            seen.insert(key.clone(), entries.len());
                        } else if entries.len() == LINEAR {
                            *seen = Some(
                                entries
                                    .iter()
                                    .enumerate()
                                    .map(|(at, e)| (e.key.clone(), at))
                                    .collect::<BTreeMap<_, _>>(),
                            );
                            seen.get_or_insert_default().insert(key.clone(), entries.len());
                        }
                        entries.push(Entry { key, key_span: span, value: node });
                    }
                    Pending::Merge { at, span } => merges.push((at, span, node)),
                    Pending::Unreadable => *pending = Pending::Nothing,
                    Pending::Key | Pending::Nothing => {}
                }
                None
            }
            Frame::List { items, count, emit, span: whole, .. } => {
                whole.end = whole.end.max(at);
                *count += 1;
                if *emit {
                    return Some(Done::Item(node, place));
                }
                items.push(node);
                None
            }
        }
    }
}
