//! Findings on stderr: for people, as JSON lines, as GitHub annotations or as SARIF.

pub mod github;
pub mod sarif;

use crate::input::STDIN;
use crate::output;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use nvcre_core::diagnostic::{Diagnostic, Severity, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, IsTerminal};

/// How findings are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MessageFormat {
    /// With the line they speak of.
    #[default]
    Human,
    /// One JSON object a line (docs/json.md).
    Json,
    /// Workflow commands that GitHub shows on the lines of a pull request.
    Github,
    /// One SARIF 2.1.0 log.
    Sarif,
}

/// Texts that findings may point into, by the name under which the library knows them.
#[derive(Debug, Default)]
pub struct Texts {
    texts: BTreeMap<String, String>,
}

impl Texts {
    /// Keeps a text that was read anyway.
    pub fn keep(&mut self, file: &str, text: String) {
        self.texts.insert(file.to_owned(), text);
    }

    /// Takes the texts of others, too.
    pub fn extend(&mut self, others: Self) {
        self.texts.extend(others.texts);
    }

    /// One line (from 1) of a text; of a file that was not kept it is read again.
    fn line(&self, file: &str, number: u32) -> Option<String> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let line = match self.texts.get(file) {
            Some(text) => text.lines().nth(index)?.to_owned(),
            None => {
                let reader = io::BufReader::new(std::fs::File::open(file).ok()?);
                reader.lines().nth(index)?.ok()?
            }
        };
        Some(line.trim_start_matches('\u{feff}').to_owned())
    }
}

/// Prints all findings on stderr.
pub fn print(findings: &[Diagnostic], format: MessageFormat, texts: &Texts) {
    if findings.is_empty() && format != MessageFormat::Sarif {
        return;
    }
    let mut out = String::new();
    match format {
        MessageFormat::Human => human(findings, texts, &mut out),
        MessageFormat::Json => {
            for finding in findings {
                // By way of a value, whose keys are sorted (00 D66).
                out.push_str(&serde_json::to_value(finding).unwrap_or_default().to_string());
                out.push('\n');
            }
        }
        MessageFormat::Github => {
            findings.iter().filter(|f| f.accepted.is_none()).for_each(|f| github::command(f, &mut out));
        }
        MessageFormat::Sarif => {
            out = serde_json::to_string_pretty(&sarif::log(findings)).unwrap_or_default();
            out.push('\n');
        }
    }
    output::stderr(&out);
}

fn human(findings: &[Diagnostic], texts: &Texts, out: &mut String) {
    let renderer = renderer(&io::stderr(), terminal_size::terminal_size_of(io::stderr()));
    let (open, accepted): (Vec<_>, Vec<_>) = findings.iter().partition(|f| f.accepted.is_none());
    for finding in &open {
        out.push_str(&shown(finding, texts, &renderer));
        out.push_str("\n\n");
    }
    let count = |severity| open.iter().filter(|f| f.severity == severity).count();
    let parts: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Notice, "notice")]
        .into_iter()
        .filter_map(|(severity, word)| match count(severity) {
            0 => None,
            1 => Some(format!("1 {word}")),
            n => Some(format!("{n} {word}s")),
        })
        .collect();
    let codes: BTreeSet<String> = accepted.iter().map(|f| f.code.to_string()).collect();
    let codes = codes.into_iter().collect::<Vec<_>>().join(", ");
    let accepted = (!accepted.is_empty()).then(|| format!("{} accepted by the run ({codes})", accepted.len()));
    out.push_str(&parts.into_iter().chain(accepted).collect::<Vec<_>>().join(", "));
    out.push('\n');
}

fn renderer(stream: &impl IsTerminal, size: Option<(terminal_size::Width, terminal_size::Height)>) -> Renderer {
    let width = size.map_or(120, |(width, _)| usize::from(width.0)).clamp(60, 200);
    let decor = if stream.is_terminal() { DecorStyle::Unicode } else { DecorStyle::Ascii };
    Renderer::styled().decor_style(decor).term_width(width)
}

/// One finding with the line that it speaks of, for stdout.
pub fn one(finding: &Diagnostic, texts: &Texts) -> String {
    shown(finding, texts, &renderer(&io::stdout(), terminal_size::terminal_size_of(io::stdout()))) + "\n"
}

fn shown(finding: &Diagnostic, texts: &Texts, renderer: &Renderer) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Notice => Level::INFO.with_name("notice"),
    };
    let code = finding.code.to_string();
    let path = finding.path.as_ref().map(ToString::to_string).unwrap_or_default();
    let shown = finding
        .span
        .zip(finding.file.as_deref())
        .and_then(|(span, file)| Some((span, file, texts.line(file, span.start.line)?)));
    let related: Vec<(Span, &str, String, &str)> = finding
        .related
        .iter()
        .filter_map(|r| {
            let (span, file) = (r.span?, r.file.as_deref().or(finding.file.as_deref())?);
            Some((span, file, texts.line(file, span.start.line)?, r.message.as_str()))
        })
        .collect();
    let origin = match (&shown, &finding.file, finding.span) {
        (None, Some(file), Some(span)) => Some(format!("{file}:{}:{}", span.start.line, span.start.column)),
        (None, Some(file), None) => Some(file.clone()),
        _ => None,
    };
    let unplaced = (shown.is_none() && !path.is_empty()).then(|| format!("field {path}"));
    let mut group = Group::with_title(level.primary_title(finding.message.as_str()).id(code.as_str()));
    if let Some((span, file, line)) = &shown {
        let snippet = Snippet::source(line.as_str())
            .line_start(usize::try_from(span.start.line).unwrap_or(1))
            .path(*file)
            .fold(false)
            .annotation(AnnotationKind::Primary.span(columns(line, *span)).label(path.as_str()));
        group = group.element(snippet);
    }
    for (span, file, line, message) in &related {
        let snippet = Snippet::source(line.as_str())
            .line_start(usize::try_from(span.start.line).unwrap_or(1))
            .path(*file)
            .fold(false)
            .annotation(AnnotationKind::Context.span(columns(line, *span)).label(*message));
        group = group.element(snippet);
    }
    for note in origin.iter().chain(unplaced.iter()) {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group]).to_string()
}

/// Byte range of a span on its first line, at least one character.
fn columns(line: &str, span: Span) -> std::ops::Range<usize> {
    let at = |column: u32| {
        let index = usize::try_from(column).unwrap_or(1).saturating_sub(1);
        line.char_indices().nth(index).map_or(line.len(), |(byte, _)| byte)
    };
    let start = at(span.start.column);
    let end = if span.end.line == span.start.line { at(span.end.column) } else { line.trim_end().len() };
    let least = line.get(start..).and_then(|rest| rest.chars().next()).map_or(start, |c| start + c.len_utf8());
    start..end.max(least)
}
