//! JSON of any length: `serde_json`'s streaming reader drives the same builder as YAML.

use super::input::{Input, Meter};
use super::unreadable;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::yaml::build::{Builder, Done, too_long};
use crate::yaml::events::{Event, Shape, Style, Tag};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::rc::Rc;

struct Reading<F> {
    builder: Builder,
    findings: Vec<Diagnostic>,
    meter: Rc<Meter>,
    done: F,
}

/// Reads one JSON value after another to the end of the input.
pub(super) fn read<R: io::Read, F: FnMut(&mut Vec<Diagnostic>, Done)>(
    input: Input<R>,
    builder: Builder,
    done: F,
) -> Vec<Diagnostic> {
    let meter = input.meter();
    let mut reading = Reading { builder, findings: Vec::new(), meter: meter.clone(), done };
    let mut json = serde_json::Deserializer::from_reader(input.for_json());
    let mut peeked = false;
    loop {
        reading.builder.reset();
        let result = (Seed { reading: &mut reading, peeked }).deserialize(&mut json);
        if let Err(error) = result {
            reading.broken(&error);
            break;
        }
        reading.findings.append(&mut reading.builder.findings);
        if json.end().is_ok() {
            break;
        }
        peeked = true;
    }
    reading.findings.append(&mut reading.builder.findings);
    crate::diagnostic::sort(&mut reading.findings);
    reading.findings
}

impl<F: FnMut(&mut Vec<Diagnostic>, Done)> Reading<F> {
    fn broken(&mut self, error: &serde_json::Error) {
        let at = self.meter.place(self.meter.before());
        let span = Span { start: at, end: at };
        if self.builder.too_deep() {
            // Reported where it happened.
        } else if self.meter.too_long() {
            let limit = self.builder.limits().scalar;
            self.builder.findings.push(too_long(limit, None).with_span(span));
        } else if error.is_io() {
            self.builder.findings.push(unreadable(error, at));
        } else {
            let text = error.to_string();
            let text = text.rsplit_once(" at line ").map_or(&*text, |(head, _)| head);
            let finding = if error.is_eof() {
                Diagnostic::new(Code::Syntax, "the text ends inside a JSON value")
                    .with_help("the file is cut off: write it again")
            } else {
                Diagnostic::new(Code::Syntax, format!("the text begins as JSON, but is not JSON here: {text}"))
                    .with_help("correct the JSON; what was read before is kept")
            };
            self.builder.findings.push(finding.with_span(span));
        }
        self.findings.append(&mut self.builder.findings);
        let Self { builder, findings, done, .. } = self;
        builder.close(|partial| done(findings, partial));
    }

    fn finished(&mut self, done: Option<Done>) {
        if let Some(done) = done {
            (self.done)(&mut self.findings, done);
        }
    }

    fn scalar(
        &mut self,
        text: impl FnOnce() -> Cow<'static, str>,
        value: impl FnOnce() -> Value,
        start: u64,
        end: u64,
    ) {
        self.meter.event();
        if self.builder.skipping() {
            self.builder.skip_scalar();
        } else {
            let span = span(&self.meter, start, end);
            let done = self.builder.value(text(), value(), false, span);
            self.finished(done);
        }
    }
}

struct Seed<'r, F> {
    reading: &'r mut Reading<F>,
    /// The first byte of the value was read already.
    peeked: bool,
}

impl<'de, F: FnMut(&mut Vec<Diagnostic>, Done)> DeserializeSeed<'de> for Seed<'_, F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.peeked {
            self.reading.meter.begin();
        } else {
            self.reading.meter.arm();
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(&mut Vec<Diagnostic>, Done)> Visitor<'de> for Seed<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, b: bool) -> Result<(), E> {
        let (start, end) = (self.reading.meter.start(), self.reading.meter.here());
        self.reading.scalar(|| Cow::Borrowed(if b { "true" } else { "false" }), || Value::Bool(b), start, end);
        Ok(())
    }

    fn visit_u64<E>(self, n: u64) -> Result<(), E> {
        self.number(|| n.into());
        Ok(())
    }

    fn visit_i64<E>(self, n: i64) -> Result<(), E> {
        self.number(|| n.into());
        Ok(())
    }

    fn visit_f64<E>(self, n: f64) -> Result<(), E> {
        self.number(|| Number::from_f64(n).unwrap_or_else(|| 0.into()));
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        let (start, end) = (self.reading.meter.start(), self.reading.meter.here());
        self.reading.scalar(|| Cow::Borrowed("null"), || Value::Null, start, end);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        let Reading { builder, meter, .. } = &mut *self.reading;
        meter.event();
        if builder.skipping() {
            builder.skip_scalar();
            return Ok(());
        }
        let span = span(meter, meter.start(), meter.here());
        let done =
            builder.push(Event::Scalar { text: Cow::Borrowed(text), style: Style::Quoted, tag: Tag::None }, span);
        self.reading.finished(done);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let reading = self.reading;
        open(reading, Shape::List)?;
        while items.next_element_seed(Seed { reading, peeked: true })?.is_some() {}
        close(reading);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let reading = self.reading;
        open(reading, Shape::Map)?;
        while entries.next_key_seed(Key { reading })?.is_some() {
            entries.next_value_seed(Seed { reading, peeked: false })?;
        }
        close(reading);
        Ok(())
    }
}

impl<F: FnMut(&mut Vec<Diagnostic>, Done)> Seed<'_, F> {
    /// The end of a number is known by the byte behind it.
    fn number(self, number: impl Fn() -> Number) {
        let (start, end) = (self.reading.meter.start(), self.reading.meter.before());
        self.reading.scalar(|| Cow::Owned(number().to_string()), || Value::Number(number()), start, end);
    }
}

fn open<F: FnMut(&mut Vec<Diagnostic>, Done), E: Error>(reading: &mut Reading<F>, shape: Shape) -> Result<(), E> {
    reading.meter.event();
    let span = edge(reading);
    let done = reading.builder.push(Event::Start { shape, flow: true, tag: Tag::None }, span);
    reading.finished(done);
    if reading.builder.too_deep() {
        return Err(E::custom("too deep"));
    }
    Ok(())
}

fn close<F: FnMut(&mut Vec<Diagnostic>, Done)>(reading: &mut Reading<F>) {
    reading.meter.event();
    let span = edge(reading);
    let done = reading.builder.push(Event::End, span);
    reading.finished(done);
}

/// The place of a bracket; not looked up where nothing is kept.
fn edge<F>(reading: &Reading<F>) -> Span {
    let meter = &reading.meter;
    if reading.builder.skipping() && !reading.builder.at_limit() {
        Span::default()
    } else {
        span(meter, meter.before(), meter.here())
    }
}

fn span(meter: &Meter, start: u64, end: u64) -> Span {
    Span { start: meter.place(start), end: meter.place(end) }
}

struct Key<'r, F> {
    reading: &'r mut Reading<F>,
}

impl<'de, F: FnMut(&mut Vec<Diagnostic>, Done)> DeserializeSeed<'de> for Key<'_, F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.reading.meter.begin();
        deserializer.deserialize_str(self)
    }
}

impl<'de, F: FnMut(&mut Vec<Diagnostic>, Done)> Visitor<'de> for Key<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        let Reading { builder, meter, .. } = &mut *self.reading;
        meter.event();
        if !builder.in_skipped() {
            let span = span(meter, meter.start(), meter.here());
            builder.push(Event::Scalar { text: Cow::Borrowed(text), style: Style::Quoted, tag: Tag::None }, span);
        }
        Ok(())
    }
}
