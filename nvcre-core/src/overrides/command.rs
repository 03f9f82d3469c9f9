//! What overrides do to the command line: mpirun arguments and lines before the command (04 §8, 00 D17).

use super::layer::Layer;
use super::options::mpi_option;
use super::quote::go_quote;
use super::when::Match;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::trace::Origin;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One argument or line; where it came from is worked out when somebody asks.
#[derive(Debug, Clone, PartialEq)]
pub struct Word<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    source: Source<'a>,
    /// Position in its list.
    index: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Source<'a> {
    /// A list of an override; the field of `spec.env` when the entry forwards the user's value.
    Layer { layer: &'a Layer, key: &'static str, forwarded: Option<&'a FieldPath> },
    /// `spec.framework.mpi.mpiArgs`.
    Run,
    /// What every command line begins with, with the paragraph that says so.
    Fixed(&'static str),
}

impl AsRef<str> for Word<'_> {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl<'a> Word<'a> {
    /// A word of the engine's own, after a paragraph of the specification.
    pub fn fixed(text: impl Into<Cow<'a, str>>, paragraph: &'static str) -> Self {
        Self { text: text.into(), source: Source::Fixed(paragraph), index: 0 }
    }

    /// Who set it; the field of `spec.env` when an entry forwards the user's value.
    pub fn origin(&self) -> Origin {
        match self.source {
            Source::Layer { forwarded: Some(path), .. } => Origin::Run { path: path.clone() },
            Source::Layer { layer, .. } => layer.origin.clone(),
            Source::Run => Origin::Run { path: self.path() },
            Source::Fixed(paragraph) => Origin::Default { source: paragraph.to_owned() },
        }
    }

    /// Where it stands; the root for a word of the engine's own.
    pub fn path(&self) -> FieldPath {
        match self.source {
            Source::Layer { layer, key, .. } => layer.base_path.key(key).index(self.index),
            Source::Run => FieldPath::parse("spec.framework.mpi.mpiArgs").index(self.index),
            Source::Fixed(_) => FieldPath::root(),
        }
    }

    /// True when the value is the catalogue's own.
    fn is_of_entry(&self) -> bool {
        matches!(self.source, Source::Layer { layer, forwarded: None, .. } if layer.is_entry())
    }
}

/// The arguments of mpirun that platforms and users add, in the order of the command line: blocks of catalogue entries
/// with the last match first, blocks of user overrides as written, then `spec.framework.mpi.mpiArgs` (04 §8.1,
/// 00 D17). Open MPI takes the later value, so the user's wins. Only for MPI runs.
pub fn mpi_args<'a>(layers: &'a [Layer], matches: &[Match], user: &'a [String]) -> Vec<Word<'a>> {
    let matched = || layers.iter().zip(matches).filter(|(_, m)| m.holds()).map(|(layer, _)| layer);
    let entries: Vec<&Layer> = matched().filter(|l| l.is_entry()).collect();
    let blocks = entries.into_iter().rev().chain(matched().filter(|l| !l.is_entry()));
    let mut out: Vec<Word<'a>> = blocks.flat_map(block).collect();
    out.extend(user.iter().enumerate().map(|(index, text)| Word { text: text.into(), source: Source::Run, index }));
    out
}

fn block(layer: &Layer) -> impl Iterator<Item = Word<'_>> {
    let args = &layer.spec.mpi_args;
    args.iter().enumerate().map(move |(index, text)| {
        let forwards = index > 0 && args.get(index - 1).is_some_and(|flag| flag == "-x");
        let forwarded = forwards.then(|| layer.substituted.get(variable(text))).flatten();
        Word { text: text.into(), source: Source::Layer { layer, key: "mpiArgs", forwarded }, index }
    })
}

fn variable(word: &str) -> &str {
    word.split('=').next().unwrap_or(word)
}

/// The lines that run before the command, of every override that matches, in the order of the effective list
/// (04 §8.2, 00 D17).
pub fn pre_command<'a>(layers: &'a [Layer], matches: &[Match]) -> Vec<Word<'a>> {
    let matched = layers.iter().zip(matches).filter(|(_, m)| m.holds());
    let lines = |layer: &'a Layer| {
        let source = Source::Layer { layer, key: "preCommand", forwarded: None };
        layer.spec.pre_command.iter().enumerate().map(move |(index, text)| Word { text: text.into(), source, index })
    };
    matched.flat_map(|(layer, _)| lines(layer)).collect()
}

/// Wraps a command so that the lines run before it (02 §9): `/bin/bash -c` with the lines and `exec` of all words.
/// Without lines the command stays as it is.
pub fn wrap_command(lines: &[&str], command: Vec<String>, args: Vec<String>) -> (Vec<String>, Vec<String>) {
    if lines.is_empty() {
        return (command, args);
    }
    let mut script = lines.join("\n");
    script.push_str("\nexec ");
    for (at, word) in command.iter().chain(&args).enumerate() {
        if at > 0 {
            script.push(' ');
        }
        script.push_str(&go_quote(word));
    }
    (vec!["/bin/bash".to_owned(), "-c".to_owned()], vec![script])
}

/// Warnings about options that mpirun gets twice with different values, one of them from the user (00 D59): Open MPI 4
/// takes the later one, Open MPI 5 refuses to start.
pub fn repeated_options(args: &[Word<'_>]) -> Vec<Diagnostic> {
    let mut first: BTreeMap<(&str, &str), (&Word<'_>, &str)> = BTreeMap::new();
    let mut out = Vec::new();
    let mut rest = args;
    while let Some((_, tail)) = rest.split_first() {
        let Some(found) = mpi_option(rest) else {
            rest = tail;
            continue;
        };
        // The value stands in the last word.
        let (Some(word), after) = (rest.get(found.words - 1), rest.get(found.words..).unwrap_or_default()) else {
            break;
        };
        rest = after;
        let flag = match found.flag {
            "-mca" => "--mca",
            flag @ ("-x" | "--mca" | "-N") => flag,
            _ => continue,
        };
        let (option, value) = ((flag, found.key), found.value.unwrap_or_default());
        if let Some((earlier, old)) = first.insert(option, (word, value))
            && (old != value)
            && !(earlier.is_of_entry() && word.is_of_entry())
        {
            let (flag, name) = option;
            let option = format!("{flag} {name}");
            let option = option.trim_end();
            let message = format!(
                "mpirun gets {option} twice: {:?} from {}, then {:?}; Open MPI 4 takes the later one, Open MPI 5 refuses \
                 to start when they differ",
                earlier.text,
                source(earlier),
                word.text
            );
            let finding = Diagnostic::at(Code::RepeatedMpiOption, word.path(), message)
                .with_help("with Open MPI 5 leave this one out, or give the value that the platform sets");
            let first = place(earlier);
            out.push(if first.0.is_empty() { finding } else { finding.with_related(first, "the first one") });
        }
    }
    out
}

fn source(word: &Word<'_>) -> String {
    match word.origin() {
        Origin::Entry { id, name } => format!("catalogue entry {id} {name}"),
        Origin::Default { .. } => "the engine itself".to_owned(),
        _ => place(word).to_string(),
    }
}

/// The field that a person can change: that of the run where an entry forwards the run's own value.
fn place(word: &Word<'_>) -> FieldPath {
    match word.origin() {
        Origin::Run { path } => path,
        _ => word.path(),
    }
}
