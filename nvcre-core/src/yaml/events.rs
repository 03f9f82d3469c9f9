//! Parser events in the few words that the tree builder needs, with our positions.

use crate::diagnostic::{Position, Span};
use granit_parser::{BorrowedInput, ErrorKind, Event as Raw, Marker, Options, Parser, ScalarStyle, ScanError};
use std::borrow::Cow;

/// One step of a document.
#[derive(Debug, Clone)]
pub(crate) enum Event<'a> {
    DocumentStart,
    DocumentEnd,
    Scalar { text: Cow<'a, str>, style: Style, tag: Tag },
    Start { shape: Shape, flow: bool, tag: Tag },
    End,
    Alias(usize),
    UndefinedAlias(Cow<'a, str>),
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    /// In quotes or as a block.
    Quoted,
}

/// What a collection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    List,
    Map,
}

/// The tag of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tag {
    None,
    Str,
    Int,
    Float,
    Bool,
    Null,
    Map,
    Seq,
    /// Any other, as written.
    Other(Box<str>),
}

/// The events of a text.
pub(crate) struct Events<'a, I: BorrowedInput<'a>, F> {
    parser: Parser<'a, I>,
    offset: F,
}

/// An event with its place, and the number of the anchor that it defines (0: none).
pub(crate) type Placed<'a> = (Event<'a>, Span, usize);

pub(crate) fn options(depth: usize) -> Options {
    // The builder refuses what is too deep with a better message; this bounds the scanner's own state.
    let mut options = Options::default();
    options.emit_unresolved_aliases = true;
    options.flow_nesting_limit = depth.saturating_mul(4).max(64);
    options.block_nesting_limit = depth.saturating_mul(4).max(64);
    options.set_emit_comments(false);
    options
}

impl<'a, I: BorrowedInput<'a>, F: Fn(&Marker) -> u64> Events<'a, I, F> {
    /// `offset` gives the byte offset of a mark.
    pub(crate) fn new(parser: Parser<'a, I>, offset: F) -> Self {
        Self { parser, offset }
    }

    /// The next event; `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Option<Result<Placed<'a>, ScanError>> {
        loop {
            let (raw, at) = match self.parser.next_event()? {
                Ok(next) => next,
                Err(error) => return Some(Err(error)),
            };
            let anchor = raw.anchor_id().unwrap_or(0);
            let event = match raw {
                Raw::StreamEnd => return None,
                Raw::DocumentStart(..) => Event::DocumentStart,
                Raw::DocumentEnd => Event::DocumentEnd,
                Raw::Alias(id) => Event::Alias(id),
                Raw::UnresolvedAlias(name) => Event::UndefinedAlias(name),
                Raw::Scalar(text, style, _, tag) => {
                    let style = if style == ScalarStyle::Plain { Style::Plain } else { Style::Quoted };
                    // The parser gives an absent value as `~`.
                    let absent = style == Style::Plain && at.start.index() == at.end.index();
                    let text = if absent { Cow::Borrowed("") } else { text };
                    Event::Scalar { text, style, tag: tag_of(tag.as_deref()) }
                }
                Raw::SequenceStart(style, _, tag) => Event::Start {
                    shape: Shape::List,
                    flow: style == granit_parser::StructureStyle::Flow,
                    tag: tag_of(tag.as_deref()),
                },
                Raw::MappingStart(style, _, tag) => Event::Start {
                    shape: Shape::Map,
                    flow: style == granit_parser::StructureStyle::Flow,
                    tag: tag_of(tag.as_deref()),
                },
                Raw::SequenceEnd | Raw::MappingEnd => Event::End,
                _ => continue,
            };
            let span = Span { start: self.position(&at.start), end: self.position(&at.end) };
            return Some(Ok((event, span, anchor)));
        }
    }

    /// Goes on behind a broken document; false at the end of the text.
    pub(crate) fn recover(&mut self) -> bool {
        self.parser.proceed_next_document().unwrap_or(false)
    }

    /// A mark as a position.
    pub(crate) fn position(&self, mark: &Marker) -> Position {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position {
            offset: (self.offset)(mark),
            line: number(mark.line()),
            column: number(mark.col().saturating_add(1)),
        }
    }
}

fn tag_of(tag: Option<&granit_parser::Tag>) -> Tag {
    let Some(tag) = tag else { return Tag::None };
    match tag.core_suffix() {
        Some("str") => Tag::Str,
        Some("int") => Tag::Int,
        Some("float") => Tag::Float,
        Some("bool") => Tag::Bool,
        Some("null") => Tag::Null,
        Some("map") => Tag::Map,
        Some("seq") => Tag::Seq,
        _ if tag.original() == "!" => Tag::Str,
        _ => Tag::Other(tag.original().into()),
    }
}

/// What is wrong with the text, in plain words, and what helps.
pub(crate) fn explain(kind: &ErrorKind) -> (String, Option<&'static str>) {
    const TABS: &str = "indent with spaces: YAML does not allow tabs there";
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar
        | ErrorKind::InvalidBlockEntryWhitespace
        | ErrorKind::InvalidMappingValueWhitespace => {
            ("found a tab where YAML wants spaces (tab as indentation)".to_owned(), Some(TABS))
        }
        ErrorKind::UnclosedQuotedScalar => {
            ("found a quote that is never closed".to_owned(), Some("add the closing quote"))
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            (format!("found `{open}` that is never closed"), Some("add the closing bracket"))
        }
        ErrorKind::UnexpectedEofFlowSequence => {
            ("the text ends inside a list in `[ ]`".to_owned(), Some("add the closing bracket"))
        }
        ErrorKind::UnexpectedEofFlowMapping | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            ("the text ends inside a mapping in `{ }`".to_owned(), Some("add the closing brace"))
        }
        ErrorKind::MappingValueNotAllowed => (
            "found `:` where no mapping can start".to_owned(),
            Some("quote the value when the colon belongs to it; else check the indentation of this line"),
        ),
        ErrorKind::SimpleKeyExpected => (
            "found a line that is neither `key: value` nor a list item".to_owned(),
            Some("add the colon and a space behind the key, or check the indentation"),
        ),
        ErrorKind::UnexpectedCharacter { character } if character.is_control() => (
            format!("found the control character U+{:04X}, which no text holds", u32::from(*character)),
            Some("remove it"),
        ),
        ErrorKind::UnexpectedCharacter { character } => {
            (format!("found `{}`, with which no value can start", character.escape_default()), Some("quote the value"))
        }
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey | ErrorKind::ExpectedBlockSequenceEntry => {
            (format!("the indentation does not fit: {kind}"), Some("put keys of one mapping under each other"))
        }
        other => (
            format!("the text is not YAML: {other}"),
            Some("check indentation, quotes and colons on this line and the one above"),
        ),
    }
}
