//! A difference as text with colours.

use super::{Section, sections, side};
use crate::table::wrapped;
use anstyle::{AnsiColor, Style};
use nvcre_core::compare::{ChangeKind, Difference};
use std::fmt::Write;

/// Lines of one section that a terminal shows.
const MOST_LINES: usize = 40;

const TITLE: Style = Style::new().bold();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const CHANGED: Style = AnsiColor::Yellow.on_default();

/// The whole difference. With a `width` (a terminal) long texts and lists are cut.
pub fn difference(difference: &Difference, width: Option<usize>) -> String {
    let mut out = String::new();
    for (letter, one) in [("A", &difference.a), ("B", &difference.b)] {
        let more = side(one);
        let colon = if more.is_empty() { "" } else { ": " };
        let text = wrapped(&format!("{}{colon}{more}", one.file), width, 3);
        line(&mut out, &format!("{TITLE}{letter}{TITLE:#}  {text}"));
    }
    if difference.is_empty() {
        line(&mut out, "\nNothing differs.");
        return out;
    }
    if !difference.meanings.is_empty() {
        line(&mut out, &format!("\n{TITLE}What it means{TITLE:#}"));
    }
    for meaning in &difference.meanings {
        // Lines that are too long go on below their text.
        line(&mut out, &format!("* {}", wrapped(&meaning.text, width, 2)));
    }
    for section in sections(difference, width) {
        write(&mut out, &section, width);
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn write(out: &mut String, section: &Section, width: Option<usize>) {
    line(out, &format!("\n{TITLE}{}{TITLE:#}", section.title));
    let count = section.lines.len();
    let most = if width.is_some() && count > MOST_LINES { MOST_LINES - 1 } else { count };
    for one in section.lines.iter().take(most) {
        let (sign, style) = match one.mark {
            Some(ChangeKind::Added) => ("+", ADDED),
            Some(ChangeKind::Removed) => ("-", REMOVED),
            Some(ChangeKind::Changed) => ("~", CHANGED),
            Some(ChangeKind::Moved) => (">", CHANGED),
            None => (" ", Style::new()),
        };
        let indent = "  ".repeat(one.depth);
        let text = wrapped(&one.text, width, 2 + indent.len());
        // Writing to a string does not fail.
        let _ = writeln!(out, "{indent}{style}{sign} {text}{style:#}");
    }
    if most < count {
        line(out, &format!("  … {} more (-o json lists all)", count - most));
    }
}
