//! Durations as Go writes them (01 §0.4).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A duration in whole nanoseconds, written in Go's canonical form.
///
/// ```
/// use nvcre_core::check::GoDuration;
/// assert_eq!(GoDuration::parse("90m").unwrap().to_string(), "1h30m0s");
/// assert_eq!(GoDuration::parse("0.5s").unwrap().to_string(), "500ms");
/// assert_eq!(GoDuration::parse("1d"), None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoDuration {
    /// Nanoseconds.
    pub nanos: i64,
}

/// Why a text is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unread {
    Grammar,
    TooLong,
}

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

impl GoDuration {
    /// What the grammar is, for messages.
    pub const GRAMMAR: &'static str =
        "numbers with a unit (ns, us, ms, s, m, h), for example 90m or 1h30m; there are no days";

    /// A duration of whole hours.
    pub const fn hours(hours: i64) -> Self {
        Self { nanos: hours * 3_600_000_000_000 }
    }

    /// Reads Go's grammar; `None` for anything else and for more than 64 bits of nanoseconds.
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(text).ok()
    }

    /// True when the text is a duration of more than 64 bits of nanoseconds, about 292 years.
    ///
    /// ```
    /// use nvcre_core::check::GoDuration;
    /// assert!(GoDuration::is_too_long("2562048h"));
    /// assert!(!GoDuration::is_too_long("2562047h") && !GoDuration::is_too_long("9 years"));
    /// ```
    pub fn is_too_long(text: &str) -> bool {
        Self::read(text) == Err(Unread::TooLong)
    }

    fn read(text: &str) -> Result<Self, Unread> {
        use Unread::{Grammar, TooLong};
        let (negative, mut rest) = match text.as_bytes().first().ok_or(Grammar)? {
            b'-' => (true, text.get(1..).ok_or(Grammar)?),
            b'+' => (false, text.get(1..).ok_or(Grammar)?),
            _ => (false, text),
        };
        if rest == "0" {
            return Ok(Self { nanos: 0 });
        }
        if rest.is_empty() {
            return Err(Grammar);
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let whole_end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (whole, tail) = rest.split_at(whole_end);
            let (fraction, tail) = match tail.strip_prefix('.') {
                Some(tail) => tail.split_at(tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len())),
                None => ("", tail),
            };
            if whole.is_empty() && fraction.is_empty() {
                return Err(Grammar);
            }
            let unit_end = tail.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(unit_end);
            let scale = UNITS.iter().find(|(name, _)| *name == unit).ok_or(Grammar)?.1;
            let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| TooLong)? };
            let mut part = whole.checked_mul(scale).ok_or(TooLong)?;
            let mut place = scale;
            let mut remainder: u128 = 0;
            let mut divisor: u128 = 1;
            for digit in fraction.bytes().take(18) {
                remainder = remainder * 10 + u128::from(digit - b'0');
                divisor *= 10;
            }
            if divisor > 1 {
                place = u64::try_from(u128::from(place) * remainder / divisor).map_err(|_| TooLong)?;
                part = part.checked_add(place).ok_or(TooLong)?;
            }
            total = total.checked_add(part).ok_or(TooLong)?;
            rest = tail;
        }
        let limit = if negative { 1u64 << 63 } else { (1u64 << 63) - 1 };
        if total > limit {
            return Err(TooLong);
        }
        let nanos = if negative { (total as i64).wrapping_neg() } else { total as i64 };
        Ok(Self { nanos })
    }

    /// Whole seconds, rounded up (10 §2).
    pub fn seconds_rounded_up(self) -> i64 {
        self.nanos.div_euclid(1_000_000_000) + i64::from(self.nanos.rem_euclid(1_000_000_000) != 0)
    }
}

impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.nanos.unsigned_abs();
        if nanos == 0 {
            return f.write_str("0s");
        }
        if self.nanos < 0 {
            f.write_str("-")?;
        }
        let decimal = |value: u64, scale: u64| {
            let (whole, rest) = (value / scale, value % scale);
            let digits = format!("{rest:0width$}", width = scale.ilog10() as usize);
            let digits = digits.trim_end_matches('0');
            if rest == 0 { whole.to_string() } else { format!("{whole}.{digits}") }
        };
        match nanos {
            0..1_000 => write!(f, "{nanos}ns"),
            1_000..1_000_000 => write!(f, "{}µs", decimal(nanos, 1_000)),
            1_000_000..1_000_000_000 => write!(f, "{}ms", decimal(nanos, 1_000_000)),
            _ => {
                let seconds = nanos / 1_000_000_000;
                let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
                let rest = decimal(nanos % 60_000_000_000, 1_000_000_000);
                match (hours, minutes) {
                    (0, 0) => write!(f, "{rest}s"),
                    (0, _) => write!(f, "{minutes}m{rest}s"),
                    _ => write!(f, "{hours}h{minutes}m{rest}s"),
                }
            }
        }
    }
}

impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("{text:?} is no duration: {}", Self::GRAMMAR)))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for GoDuration {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A Go duration, for example 30m or 1h30m",
            "maxLength": 64,
            "pattern": r"^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_forms_of_chapter_01() {
        for (text, canonical) in [
            ("30m", "30m0s"),
            ("1h", "1h0m0s"),
            ("90s", "1m30s"),
            ("500ms", "500ms"),
            ("0", "0s"),
            ("24h", "24h0m0s"),
            ("1.5h", "1h30m0s"),
            ("-90s", "-1m30s"),
            ("1us", "1µs"),
            ("1500us", "1.5ms"),
            ("1m0.25s", "1m0.25s"),
            (".5s", "500ms"),
            ("+5m", "5m0s"),
        ] {
            assert_eq!(GoDuration::parse(text).map(|d| d.to_string()).as_deref(), Some(canonical), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_durations() {
        for text in ["", "soon", "1d", "5", "-", "1h ", " 1h", "1hh", ".", "1.s.", "9999999999h", "1H"] {
            assert_eq!(GoDuration::parse(text), None, "{text}");
        }
    }

    #[test]
    fn seconds_round_up() {
        assert_eq!(GoDuration::parse("1.2s").unwrap().seconds_rounded_up(), 2);
        assert_eq!(GoDuration::parse("24h").unwrap().seconds_rounded_up(), 86_400);
    }
}
