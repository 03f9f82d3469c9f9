//! A difference as Markdown: what it means in the open, everything else folded.

use super::{Section, sections, side};
use nvcre_core::compare::{ChangeKind, Difference};
use std::fmt::Write;

/// The whole difference; nothing is cut.
pub fn difference(difference: &Difference) -> String {
    let mut out = String::from("| | file | |\n|---|---|---|\n");
    for (letter, one) in [("A", &difference.a), ("B", &difference.b)] {
        // Writing to a string does not fail.
        let _ = writeln!(out, "| {letter} | {} | {} |", cell(&code(&one.file)), cell(&escaped(&side(one))));
    }
    if difference.is_empty() {
        out.push_str("\nNothing differs.\n");
        return out;
    }
    out.push('\n');
    for meaning in &difference.meanings {
        let _ = writeln!(out, "* {}", escaped(&meaning.text));
    }
    sections(difference, None).iter().for_each(|section| folded(section, &mut out));
    out
}

fn folded(section: &Section, out: &mut String) {
    let mut body = String::new();
    for line in &section.lines {
        let sign = match line.mark {
            Some(ChangeKind::Added) => "+",
            Some(ChangeKind::Removed) => "-",
            Some(ChangeKind::Changed | ChangeKind::Moved) => "!",
            None => " ",
        };
        // GitHub colours a line by its first character.
        let _ = writeln!(body, "{sign} {}{}", "  ".repeat(line.depth), line.text);
    }
    let fence = "`".repeat(longest_run(&body).max(2) + 1);
    let count = section.lines.iter().filter(|line| line.depth == 0).count().max(1);
    let title = html(&section.title);
    let _ = write!(out, "\n<details><summary>{title}: {count}</summary>\n\n{fence}diff\n{body}{fence}\n\n</details>\n");
}

/// The longest row of backquotes.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A text as code, whatever backquotes it holds.
pub fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

pub fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// A text in HTML.
pub fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A text in which nothing is taken for Markdown, a link or a mention.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("@\u{200b}"),
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
