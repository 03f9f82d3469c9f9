//! Anchors and aliases: what stands under an anchor is kept as events and played again, within the limits.

use super::build::{Builder, Done};
use super::events::{Event, Placed};
use super::limits::{Limits, human};
use crate::diagnostic::{Code, Diagnostic, Span};
use std::collections::BTreeMap;

/// What stands under an anchor.
#[derive(Debug, Clone, Copy)]
struct Anchored {
    start: usize,
    end: usize,
    /// Aliases in it, expanded.
    aliases: u64,
    /// Its size, aliases written out.
    size: u64,
}

#[derive(Debug)]
struct Open {
    id: usize,
    start: usize,
    depth: usize,
    aliases: u64,
    size: u64,
}

/// The anchors of one document, and how much its aliases have repeated.
#[derive(Debug)]
pub(crate) struct Anchors<'a> {
    limits: Limits,
    log: Vec<(Event<'a>, Span)>,
    logged: u64,
    known: BTreeMap<usize, Anchored>,
    open: Vec<Open>,
    depth: usize,
    aliases: u64,
    size: u64,
    /// A limit was reported.
    refused: bool,
}

/// What one event costs beside its text when it is repeated, in the terms of a text.
const EVENT: u64 = 16;

/// What one kept event costs in memory beside its text.
const KEPT: u64 = 64;

impl<'a> Anchors<'a> {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            log: Vec::new(),
            logged: 0,
            known: BTreeMap::new(),
            open: Vec::new(),
            depth: 0,
            aliases: 0,
            size: 0,
            refused: false,
        }
    }

    pub(crate) fn reset(&mut self) {
        if !self.log.is_empty() || !self.known.is_empty() || !self.open.is_empty() {
            *self = Self::new(self.limits);
        }
        (self.depth, self.aliases, self.size, self.refused) = (0, 0, 0, false);
    }

    /// Takes an event of the text and hands it, with aliases expanded, to the builder.
    pub(crate) fn push(
        &mut self,
        (event, span, anchor): Placed<'a>,
        builder: &mut Builder,
        mut done: impl FnMut(Done),
    ) {
        match event {
            Event::Alias(id) => {
                if let Some(known) = self.expand(id, span, builder) {
                    self.record(&Event::Alias(id), span, 0, known.aliases + 1, known.size);
                    if builder.skipping() {
                        done_opt(builder.push(plain_null(), span), done);
                    } else {
                        self.replay(known, builder, done);
                    }
                } else {
                    self.record(&plain_null(), span, 0, 0, EVENT);
                    done_opt(builder.push(plain_null(), span), done);
                }
            }
            Event::UndefinedAlias(name) => {
                builder.report(
                    Diagnostic::new(
                        Code::UnsupportedYaml,
                        format!("the alias `*{name}` has no anchor `&{name}` before it in this document"),
                    )
                    .with_help("define the anchor first, or quote the value when the `*` is meant as text"),
                    span,
                );
                self.record(&plain_null(), span, 0, 0, EVENT);
                done_opt(builder.push(plain_null(), span), done);
            }
            event => {
                if anchor != 0 || !self.open.is_empty() {
                    let text = if let Event::Scalar { text, .. } = &event { text.len() as u64 } else { 0 };
                    self.record(&event, span, anchor, 0, EVENT + text);
                    self.check_log(span, builder);
                }
                if let Some(finished) = builder.push(event, span) {
                    done(finished);
                }
            }
        }
    }

    fn record(&mut self, event: &Event<'a>, span: Span, anchor: usize, aliases: u64, size: u64) {
        if anchor == 0 && self.open.is_empty() {
            return;
        }
        let start = self.log.len();
        self.log.push((event.clone(), span));
        self.logged = self.logged.saturating_add(size.saturating_add(KEPT));
        if let Some(open) = self.open.last_mut() {
            open.aliases = open.aliases.saturating_add(aliases);
            open.size = open.size.saturating_add(size);
        }
        match event {
            Event::Start { .. } => {
                if anchor != 0 {
                    self.open.push(Open { id: anchor, start, depth: self.depth, aliases: 0, size });
                }
                self.depth += 1;
            }
            Event::End => {
                self.depth = self.depth.saturating_sub(1);
                if let Some(open) = self.open.pop_if(|open| open.depth == self.depth) {
                    let (aliases, size) = (open.aliases, open.size);
                    self.known.insert(open.id, Anchored { start: open.start, end: self.log.len(), aliases, size });
                    if let Some(outer) = self.open.last_mut() {
                        outer.aliases = outer.aliases.saturating_add(aliases);
                        outer.size = outer.size.saturating_add(size);
                    }
                }
            }
            _ if anchor != 0 => {
                self.known.insert(anchor, Anchored { start, end: start + 1, aliases: 0, size });
            }
            _ => {}
        }
    }

    /// Text under anchors must fit into memory.
    fn check_log(&mut self, span: Span, builder: &mut Builder) {
        let limit = self.limits.repeated();
        if self.logged > limit.saturating_mul(8) && !self.refused {
            self.refused = true;
            builder.report(
                Diagnostic::new(
                    Code::LimitExceeded,
                    format!("more stands under anchors than can be kept; the limit for it is {}", human(limit)),
                )
                .with_help("put anchors only where aliases need them; a program that embeds the library can raise the limit `bytes`"),
                span,
            );
        }
        if self.refused {
            self.log.clear();
            self.known.clear();
            self.open.clear();
            self.depth = 0;
        }
    }

    /// What an alias stands for, if the limits allow it.
    fn expand(&mut self, id: usize, span: Span, builder: &mut Builder) -> Option<Anchored> {
        if self.refused {
            return None;
        }
        let Some(known) = self.known.get(&id).copied() else {
            builder.report(
                Diagnostic::new(Code::UnsupportedYaml, "this alias stands inside the very value that it repeats")
                    .with_help("write the value out"),
                span,
            );
            return None;
        };
        self.aliases = self.aliases.saturating_add(known.aliases.saturating_add(1));
        self.size = self.size.saturating_add(known.size);
        if self.aliases > self.limits.aliases {
            self.refused = true;
            let limit = self.limits.aliases;
            builder.report(
                Diagnostic::new(
                    Code::LimitExceeded,
                    format!("the aliases of this document, with those inside of them, are more than {limit}; the limit is {limit} aliases"),
                )
                .with_help("write repeated values out, or repeat less; a program that embeds the library can raise the limit `aliases`"),
                span,
            );
            return None;
        }
        if self.size > self.limits.repeated() {
            self.refused = true;
            builder.report(too_much(self.limits.repeated()), span);
            return None;
        }
        Some(known)
    }

    fn replay(&self, known: Anchored, builder: &mut Builder, mut done: impl FnMut(Done)) {
        let mut stack = vec![(known.start, known.end)];
        while let Some((at, end)) = stack.pop() {
            if at >= end {
                continue;
            }
            stack.push((at + 1, end));
            let Some((event, span)) = self.log.get(at) else { continue };
            if let Event::Alias(id) = event {
                if let Some(inner) = self.known.get(id) {
                    stack.push((inner.start, inner.end));
                }
            } else if let Some(finished) = builder.push(event.clone(), *span) {
                done(finished);
            }
        }
    }
}

fn done_opt(finished: Option<Done>, mut done: impl FnMut(Done)) {
    if let Some(finished) = finished {
        done(finished);
    }
}

fn plain_null<'a>() -> Event<'a> {
    Event::Scalar {
        text: std::borrow::Cow::Borrowed(""),
        style: super::events::Style::Plain,
        tag: super::events::Tag::None,
    }
}

fn too_much(limit: u64) -> Diagnostic {
    let limit = human(limit);
    Diagnostic::new(
        Code::LimitExceeded,
        format!(
            "anchors and aliases repeat more than {limit} of text; the limit of a text, aliases written out, is {limit}"
        ),
    )
    .with_help("repeat less; a program that embeds the library can raise the limit `bytes`")
}
