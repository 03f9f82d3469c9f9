//! Tables for people: as wide as the terminal, or with nothing left out when nobody is looking.

use tabled::builder::Builder;
use tabled::settings::{Padding, Style};

/// Spaces between columns.
pub const GAP: usize = 3;
/// Lines that one cell may take on a terminal.
const MOST_LINES: usize = 8;
/// A column is never narrower, however narrow the terminal.
const LEAST: usize = 24;

/// A table with a head and rows; cells may have several lines.
#[derive(Debug)]
pub struct Table {
    builder: Builder,
}

impl Table {
    /// With the names of its columns.
    pub fn new<'h>(head: impl IntoIterator<Item = &'h str>) -> Self {
        let mut builder = Builder::default();
        builder.push_record(head);
        Self { builder }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.builder.push_record(cells);
    }

    /// The text, one line feed at the end of every line and no space before it.
    pub fn text(self) -> String {
        let mut table = self.builder.build();
        let table = table.with(Style::empty()).with(Padding::new(0, GAP, 0, 0)).to_string();
        table.lines().fold(String::new(), |out, line| out + line.trim_end() + "\n")
    }
}

/// Words in lines of at most `width` characters, separated by commas; `None` puts all on one line. What does not fit into
/// [`MOST_LINES`] is counted.
pub fn list(words: &[String], width: Option<usize>) -> String {
    let Some(width) = width.map(|width| width.max(LEAST)) else { return words.join(", ") };
    let mut lines: Vec<String> = Vec::new();
    let mut rest = words;
    while let Some((first, tail)) = rest.split_first() {
        // A line takes one word at least, and then what fits with the comma that follows it.
        let mut line = first.clone();
        let mut taken = 1;
        for (place, word) in (2..).zip(tail) {
            let comma = usize::from(place < rest.len());
            if line.chars().count() + 2 + word.chars().count() + comma > width {
                break;
            }
            line.push_str(", ");
            line.push_str(word);
            taken = place;
        }
        let (_, left) = rest.split_at(taken);
        if lines.len() + 1 == MOST_LINES && !left.is_empty() {
            lines.push(format!("and {} more (-o json lists all)", rest.len()));
            break;
        }
        lines.push(if left.is_empty() { line } else { line + "," });
        rest = left;
    }
    lines.join("\n")
}

/// A text in lines of at most `width`, broken between words, the further ones put in; `None` breaks nothing.
pub fn wrapped(text: &str, width: Option<usize>, indent: usize) -> String {
    let Some(room) = width.map(|width| width.saturating_sub(indent).max(20)) else { return text.to_owned() };
    let (mut out, mut used) = (String::new(), 0);
    for (place, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if place > 0 && used + 1 + length > room {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            used = 0;
        } else if place > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out
}

/// Names in a row are shortened to `first…last`: names that differ in a growing number, decimal or, as in the names of
/// Azure, with letters for digits.
pub fn ranges(names: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut rest = names;
    while let Some((first, tail)) = rest.split_first() {
        let follow = |radix| {
            let Some(start) = Numbered::of(first, radix) else { return 0 };
            (1u128..).zip(tail).take_while(|(step, name)| start.is_followed_by(*step, name)).count()
        };
        let run = follow(10).max(follow(36));
        match tail.get(run.wrapping_sub(1)) {
            Some(last) if run >= 2 => {
                out.push(format!("{first}…{last}"));
                rest = tail.get(run..).unwrap_or_default();
            }
            _ => {
                out.push(first.clone());
                rest = tail;
            }
        }
    }
    out
}

/// A name with a number at its end, before the domain where it has one.
struct Numbered<'a> {
    head: &'a str,
    digits: &'a str,
    domain: &'a str,
    number: u128,
    radix: u32,
}

impl<'a> Numbered<'a> {
    fn of(name: &'a str, radix: u32) -> Option<Self> {
        let (host, domain) = name.split_at(name.find('.').unwrap_or(name.len()));
        let is_digit = |b: &u8| b.is_ascii_digit() || radix > 10 && b.is_ascii_lowercase();
        // 24 digits of either kind fit into the number.
        let count = host.bytes().rev().take_while(is_digit).take(24).count();
        let (head, digits) = host.split_at(host.len() - count);
        Some(Self { head, digits, domain, number: u128::from_str_radix(digits, radix).ok()?, radix })
    }

    fn is_followed_by(&self, step: u128, name: &'a str) -> bool {
        Self::of(name, self.radix).is_some_and(|other| {
            other.head == self.head
                && other.domain == self.domain
                && other.digits.len() == self.digits.len()
                && self.number.checked_add(step) == Some(other.number)
        })
    }
}

/// The domain that all names end in, with its first dot; empty when they have none in common.
pub fn common_domain<'a>(names: impl Iterator<Item = &'a str>) -> &'a str {
    let mut domain: Option<&str> = None;
    for name in names {
        let own = name.find('.').and_then(|dot| name.get(dot..)).unwrap_or_default();
        if *domain.get_or_insert(own) != own {
            return "";
        }
    }
    domain.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> Vec<String> {
        list.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn names_in_a_row_are_shortened() {
        for (given, wanted) in [
            ("n01 n02 n03 n04", "n01…n04"),
            ("n01 n02", "n01, n02"),
            ("n01 n02 n04 x", "n01, n02, n04, x"),
            ("n08 n09 n10 a b1", "n08…n10, a, b1"),
            ("n9 n10 n11", "n9, n10, n11"),
            ("vm00y vm00z vm010 vm011", "vm00y…vm011"),
            ("gpu-1.hall gpu-2.hall gpu-3.hall", "gpu-1.hall…gpu-3.hall"),
            ("gpu-1.a gpu-2.b gpu-3.c", "gpu-1.a, gpu-2.b, gpu-3.c"),
            ("", ""),
        ] {
            assert_eq!(ranges(&names(given)).join(", "), wanted, "{given}");
        }
        let long = format!("n{}", "9".repeat(60));
        assert_eq!(ranges(&[long.clone(), long.clone()]), [long.clone(), long]);
    }

    #[test]
    fn lists_fill_lines_and_count_the_rest() {
        let words: Vec<String> = (0..40).map(|n| format!("node-number-{n:02}")).collect();
        assert_eq!(list(&words, None).lines().count(), 1);
        let text = list(&words, Some(34));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), MOST_LINES);
        assert_eq!(lines[0], "node-number-00, node-number-01,");
        assert_eq!(lines[7], "and 26 more (-o json lists all)");
        assert_eq!(list(&names("a b c"), Some(80)), "a, b, c");
        // Exactly as many as fit.
        let text = list(words.get(..16).unwrap(), Some(34));
        assert_eq!(text.lines().last(), Some("node-number-14, node-number-15"));
        assert_eq!(list(&[], Some(80)), "");
    }

    #[test]
    fn a_common_domain_is_found() {
        assert_eq!(common_domain(["a.x.y", "b.x.y"].into_iter()), ".x.y");
        assert_eq!(common_domain(["a.x.y", "b.x"].into_iter()), "");
        assert_eq!(common_domain(["a", "b"].into_iter()), "");
        assert_eq!(common_domain(std::iter::empty()), "");
    }
}
