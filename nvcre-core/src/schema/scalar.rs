//! Scalars: what each type accepts, and what to say when it does not (09; 08 rows 27, 29).

use super::table::Type;
use super::view::Shape;
use crate::check::{GoDuration, Quantity};
use crate::diagnostic::{Code, Diagnostic};
use serde_json::{Number, Value};
use std::borrow::Cow;

/// Why a value does not fit its field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub code: Code,
    pub message: String,
    pub help: Help,
    /// The value that was evidently meant, so that what follows from it can still be shown.
    pub rescued: Option<Value>,
}

/// The way out of a problem.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Help {
    /// A sentence.
    Say(String),
    /// A sentence, and how the line reads then.
    Write(String, String),
}

impl Problem {
    fn new(code: Code, message: String, help: Help) -> Self {
        Self { code, message, help, rescued: None }
    }

    fn rescued(mut self, value: impl Into<Value>) -> Self {
        self.rescued = Some(value.into());
        self
    }

    /// The finding, for a value that stands behind `label` (`numNodes: ` or `- `).
    pub fn into_finding(self, label: &str) -> Diagnostic {
        let help = match self.help {
            Help::Say(text) => text,
            Help::Write(text, line) => format!("{text}: `{label}{line}`"),
        };
        Diagnostic::new(self.code, self.message).with_help(help)
    }
}

/// What a type wants, as it stands in sentences.
pub(crate) fn wanted(ty: &Type) -> &'static str {
    match ty {
        Type::Text | Type::Word(_) => "a string",
        Type::Bool => "true or false",
        Type::Int32 | Type::Int64 => "a whole number",
        Type::Number => "a number",
        Type::Quantity => "a quantity such as 8, 500m or 64Gi",
        Type::IntOrText => "a whole number or a string",
        Type::Duration => "a duration such as 30m",
        Type::List(_) => "a list",
        Type::Patch(inner) => wanted(inner),
        Type::Map(_) | Type::Object | Type::Manifest | Type::Struct(_) => "a mapping",
        Type::Any | Type::Skip => "a value",
    }
}

/// What stands for a value that was left out of a list.
pub(crate) fn empty(ty: &Type) -> Value {
    match ty {
        Type::Text | Type::Word(_) | Type::Quantity | Type::IntOrText => Value::from(""),
        Type::Duration => Value::from("0s"),
        Type::Bool => Value::from(false),
        Type::Int32 | Type::Int64 | Type::Number => Value::from(0),
        Type::List(_) => Value::Array(Vec::new()),
        Type::Patch(inner) => empty(inner),
        Type::Map(_) | Type::Object | Type::Manifest | Type::Struct(_) => Value::Object(serde_json::Map::new()),
        Type::Any | Type::Skip => Value::Null,
    }
}

/// Reads a scalar as a type. `text` is how it was written, when it comes from a text.
pub(crate) fn read<'v>(
    ty: &Type,
    value: &'v Value,
    text: Option<&str>,
    quoted: bool,
) -> Result<Cow<'v, Value>, Problem> {
    match (ty, value) {
        (Type::Text, Value::String(_)) | (Type::Bool, Value::Bool(_)) | (Type::Number, Value::Number(_)) => {
            Ok(Cow::Borrowed(value))
        }
        (Type::Word(words), Value::String(found)) => word(words, found).map(|()| Cow::Borrowed(value)),
        (Type::Int32, Value::Number(n)) => whole(n, 32, value, text).map(Cow::Owned),
        (Type::Int64, Value::Number(n)) => whole(n, 64, value, text).map(Cow::Owned),
        (Type::IntOrText, Value::Number(n)) => whole(n, 32, value, text).map(Cow::Owned),
        (Type::IntOrText, Value::String(_)) => Ok(Cow::Borrowed(value)),
        (Type::Quantity, Value::Number(_)) => Ok(Cow::Borrowed(value)),
        (Type::Quantity, Value::String(found)) => match Quantity::parse(found) {
            Some(_) => Ok(Cow::Borrowed(value)),
            None => Err(Problem::new(
                Code::BadValue,
                format!("{found:?} is not a quantity"),
                Help::Say("write a number, with a suffix if need be, for example 8, 500m, 1.5 or 64Gi".into()),
            )),
        },
        (Type::Duration, Value::String(found)) => match GoDuration::parse(found) {
            Some(_) => Ok(Cow::Borrowed(value)),
            None => Err(Problem::new(
                Code::BadValue,
                format!("{found:?} is not a duration"),
                Help::Say(format!("write {}", GoDuration::GRAMMAR)),
            )),
        },
        _ => Err(mismatch(ty, value, text, quoted)),
    }
}

fn word(words: &[&'static str], found: &str) -> Result<(), Problem> {
    if words.contains(&found) {
        return Ok(());
    }
    let all: Vec<&str> = words.iter().copied().filter(|w| !w.is_empty()).collect();
    let help = match crate::check::nearest(found, all.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? Allowed are {}", all.join(", ")),
        None => format!("write one of {}", all.join(", ")),
    };
    Err(Problem::new(Code::BadValue, format!("{found:?} is not one of the allowed values"), Help::Say(help)))
}

/// A whole number of a width. `4.0` and `1e3` are whole: Kubernetes' YAML reader writes them as integers.
fn whole(n: &Number, bits: u32, value: &Value, text: Option<&str>) -> Result<Value, Problem> {
    let exact = n.as_i64().map(i128::from).or_else(|| n.as_u64().map(i128::from)).or_else(|| {
        let float = n.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 1e21)?;
        Some(float as i128)
    });
    let shown = shown(value, text);
    let Some(exact) = exact else {
        let fraction = n.as_f64().is_some_and(|f| f.fract() != 0.0);
        return Err(Problem::new(
            if fraction { Code::WrongType } else { Code::OutOfRange },
            format!(
                "a whole number is wanted here, but {shown} {}",
                if fraction { "is not one" } else { "is too large" }
            ),
            Help::Say("write a whole number".into()),
        ));
    };
    let (low, high) =
        if bits == 32 { (i128::from(i32::MIN), i128::from(i32::MAX)) } else { (i64::MIN.into(), i64::MAX.into()) };
    match i64::try_from(exact) {
        Ok(number) if (low..=high).contains(&exact) => Ok(Value::from(number)),
        _ => Err(Problem::new(
            Code::OutOfRange,
            format!("{shown} does not fit into {bits} bits"),
            Help::Say(format!("write a number from {low} to {high}")),
        )),
    }
}

/// A scalar of another type than the field's.
fn mismatch(ty: &Type, value: &Value, text: Option<&str>, quoted: bool) -> Problem {
    let wants = wanted(ty);
    match (ty, value) {
        // A bool or number where a string is wanted (08 row 27).
        (Type::Text | Type::Word(_) | Type::Duration | Type::IntOrText, Value::Bool(_) | Value::Number(_)) => {
            let written = text.map_or_else(|| value.to_string(), str::to_owned);
            let line = Value::from(written.as_str()).to_string();
            let problem = Problem::new(
                Code::WrongType,
                format!(
                    "{wants} is wanted here, but Kubernetes reads {} as {}",
                    tick(&written),
                    read_as(value, &written)
                ),
                match ty {
                    Type::Text => Help::Write("put it in quotes".into(), line),
                    Type::Duration => Help::Say(format!("write {}", GoDuration::GRAMMAR)),
                    _ => Help::Say(format!("write {wants}")),
                },
            );
            if *ty == Type::Text { problem.rescued(written) } else { problem }
        }
        // A string where a number or bool is wanted (08 row 29).
        (Type::Int32 | Type::Int64 | Type::Number, Value::String(found)) => {
            let message = format!("{wants} is wanted here, but {} is a string", string_shown(found, quoted));
            let number = match ty {
                Type::Number => found.parse().ok().and_then(Number::from_f64).map(Value::Number),
                Type::Int32 => found.parse::<i32>().ok().map(Value::from),
                _ => found.parse::<i64>().ok().map(Value::from),
            };
            match number {
                Some(number) => {
                    Problem::new(Code::WrongType, message, Help::Write("remove the quotes".into(), number.to_string()))
                        .rescued(number)
                }
                None => Problem::new(Code::WrongType, message, Help::Say(format!("write {wants} without quotes"))),
            }
        }
        (Type::Bool, Value::String(found)) => {
            let message = format!("{wants} is wanted here, but {} is a string", string_shown(found, quoted));
            let meant = match found.to_ascii_lowercase().as_str() {
                "true" | "yes" | "y" | "on" => Some(true),
                "false" | "no" | "n" | "off" => Some(false),
                _ => None,
            };
            match meant {
                Some(meant) => Problem::new(
                    Code::WrongType,
                    message,
                    Help::Write("write it without quotes".into(), meant.to_string()),
                )
                .rescued(meant),
                None => Problem::new(Code::WrongType, message, Help::Say("write true or false, without quotes".into())),
            }
        }
        _ => {
            let written = text.map_or_else(|| value.to_string(), str::to_owned);
            let message = if value.is_null() {
                format!("{wants} is wanted here, but there is no value (null)")
            } else {
                format!(
                    "{wants} is wanted here, but Kubernetes reads {} as {}",
                    tick(&written),
                    read_as(value, &written)
                )
            };
            Problem::new(Code::WrongType, message, Help::Say(format!("write {wants}")))
        }
    }
}

/// A list, mapping or scalar where another of the three is wanted.
pub(crate) fn wrong_shape(ty: &Type, wants: &str, shape: Shape<'_>, named_items: bool) -> Problem {
    let problem = |found: &str, help: Help| {
        Problem::new(Code::WrongType, format!("{wants} is wanted here, but this is {found}"), help)
    };
    match shape {
        Shape::List(items) => problem(
            "a list",
            Help::Say(match (ty, items.len()) {
                (Type::Map(_) | Type::Object | Type::Manifest | Type::Struct(_), _) => {
                    "write it as a mapping: `key: value` on each line, without the leading `-`".into()
                }
                (_, 1) => "write the value alone, without `-` or brackets".into(),
                _ => format!("write {wants}"),
            }),
        ),
        Shape::Map(entries) => problem(
            "a mapping",
            Help::Say(match (ty, entries.first()) {
                (Type::List(_), Some(first)) if named_items => {
                    format!("write a list with `- name: {}` and its `value` below, one element for each key", first.key)
                }
                (Type::List(_), _) => "write it as a list: put `- ` in front of each element".into(),
                _ => format!("write {wants}"),
            }),
        ),
        Shape::Scalar { value, text, quoted } => {
            let written = text.map_or_else(|| value.to_string(), str::to_owned);
            let found = match value {
                Value::String(s) => format!("the string {}", string_shown(s, quoted)),
                Value::Null => "nothing (null)".to_owned(),
                other => read_as(other, &written),
            };
            let help = match (ty, value) {
                (Type::List(inner), Value::String(s)) if **inner == Type::Text && !s.is_empty() => {
                    let words: Vec<&str> = s.split_whitespace().collect();
                    let (how, list) = match words.as_slice() {
                        [] | [_] => ("write it as a list", vec![s.as_str()]),
                        words => ("write it as a list, one element for each word", words.to_vec()),
                    };
                    Help::Write(how.into(), Value::from(list).to_string().replace("\",\"", "\", \""))
                }
                (Type::List(_), _) => {
                    Help::Say("write it as a list: one line with a leading `- ` for each element".into())
                }
                _ => Help::Say(
                    "write it as a mapping: `key: value` on lines of their own, indented below this field".into(),
                ),
            };
            problem(&found, help)
        }
    }
}

/// What Kubernetes makes of a text that is not quoted: `the bool true`, `the number 15`.
fn read_as(value: &Value, written: &str) -> String {
    let name = match value {
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        _ => "string",
    };
    let canonical = value.to_string();
    if canonical == written { format!("a {name}") } else { format!("the {name} {canonical}") }
}

fn tick(text: &str) -> String {
    format!("`{text}`")
}

fn shown(value: &Value, text: Option<&str>) -> String {
    let canonical = value.to_string();
    match text {
        Some(text) if text != canonical => format!("`{text}` ({canonical})"),
        _ => tick(&canonical),
    }
}

/// A string as it stands in a text, cut when it is long.
fn string_shown(text: &str, quoted: bool) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    let short: String =
        short.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect();
    if quoted { format!("`\"{short}\"`") } else { tick(&short) }
}
