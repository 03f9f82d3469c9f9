//! Kubernetes quantities, exactly (00 D34).

use std::fmt;

/// A quantity in billionths, exact for everything that Kubernetes accepts down to `n`.
///
/// ```
/// use nvcre_core::check::Quantity;
/// assert_eq!(Quantity::parse("4000m").unwrap().whole(), Some(4));
/// assert_eq!(Quantity::parse("8k").unwrap().whole(), Some(8000));
/// assert_eq!(Quantity::parse("7.5").unwrap().whole(), None);
/// assert_eq!(Quantity::parse("18446744073709551615").unwrap().whole(), Some(18446744073709551615));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity {
    nano: i128,
}

const NANO: i128 = 1_000_000_000;

impl Quantity {
    /// A whole number.
    pub const fn from_whole(value: i64) -> Self {
        Self { nano: value as i128 * NANO }
    }

    /// Reads a quantity: a signed decimal number with a suffix (`n u m k M G T P E`, `Ki` to `Ei`) or a decimal
    /// exponent. `None` when it is none, or too large to be held exactly.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, body) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let number_end = body.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(body.len());
        let (number, suffix) = body.split_at(number_end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let (binary, exponent): (i128, i32) = match suffix {
            "" => (1, 0),
            "n" => (1, -9),
            "u" => (1, -6),
            "m" => (1, -3),
            "k" => (1, 3),
            "M" => (1, 6),
            "G" => (1, 9),
            "T" => (1, 12),
            "P" => (1, 15),
            "E" => (1, 18),
            "Ki" => (1 << 10, 0),
            "Mi" => (1 << 20, 0),
            "Gi" => (1 << 30, 0),
            "Ti" => (1 << 40, 0),
            "Pi" => (1 << 50, 0),
            "Ei" => (1 << 60, 0),
            _ => {
                let digits = suffix.strip_prefix(['e', 'E'])?;
                let exponent: i32 = digits.strip_prefix('+').unwrap_or(digits).parse().ok()?;
                (1, exponent)
            }
        };
        let mut mantissa: i128 = 0;
        let mut places: i32 = 0;
        for digit in whole.bytes() {
            mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        }
        for digit in fraction.trim_end_matches('0').bytes() {
            mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
            places += 1;
        }
        mantissa = mantissa.checked_mul(binary)?;
        let shift = 9 + exponent - places;
        let nano = if mantissa == 0 {
            0
        } else if shift >= 0 {
            mantissa.checked_mul(10i128.checked_pow(u32::try_from(shift).ok()?)?)?
        } else {
            // Finer than a billionth: Kubernetes rounds up, away from zero.
            let divisor = 10i128.checked_pow(shift.unsigned_abs())?;
            mantissa / divisor + i128::from(mantissa % divisor != 0)
        };
        Some(Self { nano: if negative { -nano } else { nano } })
    }

    /// The value as a whole number; `None` when it has a fraction.
    pub fn whole(self) -> Option<i128> {
        (self.nano % NANO == 0).then_some(self.nano / NANO)
    }

    /// The value without its fraction.
    pub(crate) const fn floor(self) -> i128 {
        self.nano.div_euclid(NANO)
    }

    /// The value in parts of which `per_whole` make one, rounded up, as the scheduler rounds. What is too large for
    /// 128 bits is the largest number.
    pub(crate) fn parts(self, per_whole: i128) -> i128 {
        let scaled = self.nano.saturating_mul(per_whole);
        scaled.div_euclid(NANO) + i128::from(scaled.rem_euclid(NANO) != 0)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(whole) => write!(f, "{whole}"),
            None => write!(f, "{}n", self.nano),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers() {
        for (text, whole) in [
            ("8", 8),
            ("+8", 8),
            ("-1", -1),
            ("1Ki", 1024),
            ("0.5Ki", 512),
            ("1e3", 1000),
            ("1E2", 100),
            ("4000m", 4),
            ("1E", 10i128.pow(18)),
        ] {
            assert_eq!(Quantity::parse(text).unwrap().whole(), Some(whole), "{text}");
        }
    }

    #[test]
    fn no_quantities() {
        for text in ["", "-", "abc", "8 ", "8GB", "1.2.3", "e3", ".", "1e", "0x8"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
    }

    #[test]
    fn order_is_exact() {
        assert!(Quantity::parse("500m").unwrap() < Quantity::from_whole(1));
        assert_eq!(Quantity::parse("1024Mi"), Quantity::parse("1Gi"));
    }
}
