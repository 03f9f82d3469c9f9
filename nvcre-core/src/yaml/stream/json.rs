//! JSON of any length: tokens drive the same builder as YAML.

use super::input::{Input, Meter};
use super::scan::{Fault, Scanner, Token};
use super::unreadable;
use crate::diagnostic::{Code, Diagnostic, Position, Span};
use crate::yaml::build::{Builder, Done, too_long};
use crate::yaml::events::{Event, Shape, Style, Tag};
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::io;
use std::rc::Rc;

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    /// A value or `]`.
    FirstItem,
    /// A key or `}`.
    FirstKey,
    Key,
    Colon,
    /// A comma or the end of the collection.
    After,
}

struct Reading<R, F> {
    scanner: Scanner<R>,
    builder: Builder,
    meter: Rc<Meter>,
    findings: Vec<Diagnostic>,
    done: F,
    /// Open collections: true for a mapping.
    open: Vec<bool>,
}

enum Stop {
    Fault(Fault),
    /// Reported by the builder.
    TooDeep,
}

impl<T: Into<Fault>> From<T> for Stop {
    fn from(fault: T) -> Self {
        Self::Fault(fault.into())
    }
}

/// Reads one JSON value after another, with or without `---` between them, to the end of the input.
pub(super) fn read<R: io::Read, F: FnMut(&mut Vec<Diagnostic>, Done)>(
    input: Input<R>,
    builder: Builder,
    done: F,
) -> Vec<Diagnostic> {
    let meter = input.meter();
    let scanner = Scanner::new(input, builder.limits().scalar);
    let mut reading = Reading { scanner, builder, meter, findings: Vec::new(), done, open: Vec::new() };
    if let Err(stop) = reading.values() {
        reading.broken(stop);
    }
    reading.findings.append(&mut reading.builder.findings);
    crate::diagnostic::sort(&mut reading.findings);
    reading.findings
}

impl<R: io::Read, F: FnMut(&mut Vec<Diagnostic>, Done)> Reading<R, F> {
    fn values(&mut self) -> Result<(), Stop> {
        let mut first = true;
        loop {
            match self.scanner.blank()? {
                None => return Ok(()),
                Some(b'-') if !first && self.scanner.separator()? => continue,
                Some(_) => {}
            }
            first = false;
            self.builder.reset();
            self.value()?;
            self.findings.append(&mut self.builder.findings);
        }
    }

    /// One value with everything in it.
    fn value(&mut self) -> Result<(), Stop> {
        let mut state = State::Value;
        loop {
            self.scanner.blank()?;
            let start = self.scanner.here();
            let keep = !self.builder.in_skipped()
                && (state == State::FirstKey || state == State::Key || !self.builder.skipping());
            let token = self.scanner.token(keep).map_err(|fault| self.wanted(fault, state))?;
            self.meter.event();
            state = match (state, token) {
                (State::Value | State::FirstItem, Token::OpenMap) => {
                    self.start(Shape::Map, start)?;
                    State::FirstKey
                }
                (State::Value | State::FirstItem, Token::OpenList) => {
                    self.start(Shape::List, start)?;
                    State::FirstItem
                }
                (State::Value | State::FirstItem, Token::String) => {
                    self.string(start);
                    State::After
                }
                (State::Value | State::FirstItem, Token::Number | Token::True | Token::False | Token::Null) => {
                    self.plain(token, start);
                    State::After
                }
                (State::FirstKey | State::Key, Token::String) => {
                    if keep {
                        self.string(start);
                    }
                    State::Colon
                }
                (State::Colon, Token::Colon) => State::Value,
                (State::After, Token::Comma) if self.open.last() == Some(&true) => State::Key,
                (State::After, Token::Comma) => State::Value,
                (State::FirstKey, Token::CloseMap) | (State::FirstItem, Token::CloseList) => {
                    self.end(start);
                    State::After
                }
                (State::After, Token::CloseMap) if self.open.last() == Some(&true) => {
                    self.end(start);
                    State::After
                }
                (State::After, Token::CloseList) if self.open.last() == Some(&false) => {
                    self.end(start);
                    State::After
                }
                (_, Token::End) => return Err(Fault::Cut.into()),
                (state, token) => return Err(self.wanted(Fault::Found(token.shown().to_owned()), state).into()),
            };
            if state == State::After && self.open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Says what was wanted instead.
    fn wanted(&self, fault: Fault, state: State) -> Fault {
        let Fault::Found(found) = fault else { return fault };
        let wanted = match state {
            State::Value | State::FirstItem => "a value",
            State::FirstKey | State::Key => "a key in double quotes",
            State::Colon => "a colon",
            State::After if self.open.last() == Some(&true) => "a comma or `}`",
            State::After => "a comma or `]`",
        };
        Fault::Found(format!("{found} where {wanted} is wanted"))
    }

    fn start(&mut self, shape: Shape, start: Position) -> Result<(), Stop> {
        let span = Span { start, end: self.scanner.here() };
        self.builder.push(Event::Start { shape, flow: true, tag: Tag::None }, span);
        self.open.push(shape == Shape::Map);
        if self.builder.too_deep() { Err(Stop::TooDeep) } else { Ok(()) }
    }

    fn end(&mut self, start: Position) {
        self.open.pop();
        let done = self.builder.push(Event::End, Span { start, end: self.scanner.here() });
        self.finished(done);
    }

    fn string(&mut self, start: Position) {
        let span = Span { start, end: self.scanner.here() };
        let text = Cow::Borrowed(self.scanner.text());
        let done = self.builder.push(Event::Scalar { text, style: Style::Quoted, tag: Tag::None }, span);
        self.finished(done);
    }

    fn plain(&mut self, token: Token, start: Position) {
        let span = Span { start, end: self.scanner.here() };
        let (text, value) = match token {
            Token::True => ("true", Value::Bool(true)),
            Token::False => ("false", Value::Bool(false)),
            Token::Null => ("null", Value::Null),
            _ => {
                let text = self.scanner.text();
                match number(text) {
                    Some(number) => (text, Value::Number(number)),
                    None => {
                        let message = format!("the number `{text}` is too large for Kubernetes");
                        self.builder.report(Diagnostic::new(Code::OutOfRange, message), span);
                        (text, Value::Null)
                    }
                }
            }
        };
        let done = self.builder.value(text, value, span);
        self.finished(done);
    }

    fn finished(&mut self, done: Option<Done>) {
        if let Some(done) = done {
            (self.done)(&mut self.findings, done);
        }
    }

    fn broken(&mut self, stop: Stop) {
        let at = self.scanner.here();
        let span = Span { start: at, end: at };
        let finding = match stop {
            Stop::TooDeep => None,
            Stop::Fault(Fault::TooLong) => Some(too_long(self.builder.limits().scalar, None)),
            Stop::Fault(Fault::Input(_)) if self.meter.too_long() => Some(too_long(self.builder.limits().scalar, None)),
            Stop::Fault(Fault::Input(error)) => Some(unreadable(&error, at)),
            Stop::Fault(Fault::Cut) => Some(
                Diagnostic::new(Code::Syntax, "the text ends inside a JSON value")
                    .with_help("the file is cut off: write it again"),
            ),
            Stop::Fault(Fault::Found(found)) => Some(
                Diagnostic::new(Code::Syntax, format!("the text begins as JSON, but is not JSON here: found {found}"))
                    .with_help("correct the JSON; what was read before is kept"),
            ),
        };
        if let Some(finding) = finding {
            self.builder.report(finding, span);
        }
        self.findings.append(&mut self.builder.findings);
        let Self { builder, findings, done, .. } = self;
        builder.close(|partial| done(findings, partial));
    }
}

fn number(text: &str) -> Option<Number> {
    let whole = text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
    whole.ok().or_else(|| Number::from_f64(text.parse().ok()?))
}
