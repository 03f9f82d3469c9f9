//! What Kubernetes reads in an unquoted scalar: the rules of YAML 1.1 as its Go reader applies them (09).

use serde_json::{Number, Value};

/// The value of an unquoted scalar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Number(Number),
    /// Infinity or "not a number": JSON cannot hold it.
    NotFinite,
    Text,
}

impl Resolved {
    /// As a JSON value; `text` for a string.
    pub(crate) fn into_value(self, text: &str) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(b) => Value::Bool(b),
            Self::Number(n) => Value::Number(n),
            Self::NotFinite | Self::Text => Value::String(text.to_owned()),
        }
    }
}

/// Reads an unquoted scalar.
pub(crate) fn resolve(text: &str) -> Resolved {
    match text.as_bytes().first() {
        None | Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O') => word(text),
        Some(b'.') => dotted(text),
        Some(b'+' | b'-') if matches!(text.get(1..), Some(".inf" | ".Inf" | ".INF")) => Resolved::NotFinite,
        Some(b'0'..=b'9' | b'+' | b'-') => number(text),
        _ => Resolved::Text,
    }
}

fn word(text: &str) -> Resolved {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Resolved::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Resolved::Bool(false),
        _ => Resolved::Text,
    }
}

fn dotted(text: &str) -> Resolved {
    if matches!(text, ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF") {
        return Resolved::NotFinite;
    }
    // Here, and only here, Go's own float syntax applies: an underscore may stand between two digits.
    let bytes = text.as_bytes();
    let between = |at: usize| {
        let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
        digit(at.checked_sub(1)) && digit(at.checked_add(1))
    };
    if bytes.iter().enumerate().all(|(at, b)| *b != b'_' || between(at)) {
        float(&text.replace('_', ""))
    } else {
        Resolved::Text
    }
}

fn number(text: &str) -> Resolved {
    if !text.contains('_') {
        return plain_number(text);
    }
    plain_number(&text.replace('_', ""))
}

fn plain_number(text: &str) -> Resolved {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or("")),
        Some(b'+') => (false, text.get(1..).unwrap_or("")),
        _ => (false, text),
    };
    match integer(digits) {
        Some(magnitude) if !negative && (text == digits || magnitude <= i64::MAX as u64) => {
            Resolved::Number(magnitude.into())
        }
        Some(magnitude) if negative && magnitude <= i64::MAX.unsigned_abs() + 1 => {
            Resolved::Number(0i64.wrapping_sub_unsigned(magnitude).into())
        }
        _ => float(text),
    }
}

/// The magnitude of an integer with the prefixes of Go: `0x`, `0o`, `0b`, and `0` alone for octal.
fn integer(digits: &str) -> Option<u64> {
    let bytes = digits.as_bytes();
    let (radix, body) = match (bytes.first()?, bytes.get(1)) {
        (b'0', None) => return Some(0),
        (b'0', Some(b'x' | b'X')) => (16, digits.get(2..)?),
        (b'0', Some(b'o' | b'O')) => (8, digits.get(2..)?),
        (b'0', Some(b'b' | b'B')) => (2, digits.get(2..)?),
        (b'0', Some(_)) => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    if body.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(body, radix).ok()
}

/// A decimal float: `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`. One beyond the range of a double stays
/// text, as Go's parser refuses it.
fn float(text: &str) -> Resolved {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (body.get(..at).unwrap_or(""), body.get(at + 1..)),
        None => (body, None),
    };
    let all_digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let good = all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|e| {
            let digits = e.strip_prefix(['+', '-']).unwrap_or(e);
            !digits.is_empty() && all_digits(digits)
        });
    if !good {
        return Resolved::Text;
    }
    text.parse::<f64>().ok().and_then(Number::from_f64).map_or(Resolved::Text, Resolved::Number)
}

/// The string that a key becomes; `None` for a key that Kubernetes refuses (null, numbers above 2^63−1).
pub(crate) fn key_text(text: &str) -> Option<String> {
    match resolve(text) {
        Resolved::Text => Some(text.to_owned()),
        Resolved::Bool(b) => Some(b.to_string()),
        Resolved::NotFinite => Some(text.to_ascii_lowercase().trim_start_matches('+').to_owned()),
        Resolved::Null => None,
        Resolved::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => Some(i.to_string()),
            (None, Some(_)) => None,
            (None, None) => n.as_f64().map(short_float),
        },
    }
}

/// A float as Go prints it with `FormatFloat(f, 'g', -1, 32)`: `1.10` as a key is `1.1`, `1e6` is `1e+06`.
fn short_float(value: f64) -> String {
    let single = value as f32;
    if !single.is_finite() {
        return if single > 0.0 { ".inf".to_owned() } else { "-.inf".to_owned() };
    }
    let scientific = format!("{single:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    format!("{single}")
}
