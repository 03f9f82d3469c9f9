//! What overrides do to the command line: mpirun arguments and lines before the command (04 §8, 00 D17).

use super::layer::Layer;
use super::quote::go_quote;
use super::when::Match;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::trace::Origin;
use std::collections::BTreeMap;

/// One argument or line, with where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Who set it; the field of `spec.env` when an entry forwards the user's value.
    pub origin: Origin,
    /// Where it stands.
    pub path: FieldPath,
}

/// The arguments of mpirun that platforms and users add, in the order of the command line: blocks of catalogue entries
/// with the last match first, blocks of user overrides as written, then `spec.framework.mpi.mpiArgs` (04 §8.1,
/// 00 D17). Open MPI takes the later value, so the user's wins. Only for MPI runs.
pub fn mpi_args(layers: &[Layer], matches: &[Match], user: &[String]) -> Vec<Word> {
    let matched = || layers.iter().zip(matches).filter(|(_, m)| m.holds()).map(|(layer, _)| layer);
    let entries: Vec<&Layer> = matched().filter(|l| l.is_entry()).collect();
    let blocks = entries.into_iter().rev().chain(matched().filter(|l| !l.is_entry()));
    let mut out: Vec<Word> = blocks.flat_map(block).collect();
    let own = FieldPath::parse("spec.framework.mpi.mpiArgs");
    out.extend(user.iter().enumerate().map(|(at, text)| {
        let path = own.index(at);
        Word { text: text.clone(), origin: Origin::Run { path: path.clone() }, path }
    }));
    out
}

fn block(layer: &Layer) -> impl Iterator<Item = Word> + '_ {
    let args = &layer.spec.mpi_args;
    let path = layer.base_path.key("mpiArgs");
    args.iter().enumerate().map(move |(at, text)| {
        let forwards = at > 0 && args.get(at - 1).is_some_and(|flag| flag == "-x");
        let source = forwards.then(|| layer.substituted.get(variable(text))).flatten();
        let origin = source.map_or_else(|| layer.origin.clone(), |path| Origin::Run { path: path.clone() });
        Word { text: text.clone(), origin, path: path.index(at) }
    })
}

fn variable(word: &str) -> &str {
    word.split('=').next().unwrap_or(word)
}

/// The lines that run before the command, of every override that matches, in the order of the effective list
/// (04 §8.2, 00 D17).
pub fn pre_command(layers: &[Layer], matches: &[Match]) -> Vec<Word> {
    let matched = layers.iter().zip(matches).filter(|(_, m)| m.holds());
    matched
        .flat_map(|(layer, _)| {
            let path = layer.base_path.key("preCommand");
            let line = move |(at, text): (usize, &String)| Word {
                text: text.clone(),
                origin: layer.origin.clone(),
                path: path.index(at),
            };
            layer.spec.pre_command.iter().enumerate().map(line)
        })
        .collect()
}

/// Wraps a command so that the lines run before it (02 §9): `/bin/bash -c` with the lines and `exec` of all words.
/// Without lines the command stays as it is.
pub fn wrap_command(lines: &[String], command: Vec<String>, args: Vec<String>) -> (Vec<String>, Vec<String>) {
    if lines.is_empty() {
        return (command, args);
    }
    let words: Vec<String> = command.iter().chain(&args).map(|word| go_quote(word)).collect();
    let mut script = lines.join("\n");
    script.push_str("\nexec ");
    script.push_str(&words.join(" "));
    (vec!["/bin/bash".to_owned(), "-c".to_owned()], vec![script])
}

/// Warnings about options that mpirun gets twice with different values, one of them from the user (00 D59): Open MPI 4
/// takes the later one, Open MPI 5 refuses to start.
pub fn repeated_options(args: &[Word]) -> Vec<Diagnostic> {
    let mut first: BTreeMap<(&str, &str), (&Word, &str)> = BTreeMap::new();
    let mut out = Vec::new();
    let mut rest = args;
    while let Some((flag, tail)) = rest.split_first() {
        let (option, word, value, after) = match (flag.text.as_str(), tail) {
            ("-x", [pair, after @ ..]) => {
                let (name, value) = pair.text.split_once('=').unwrap_or((&pair.text, ""));
                (("-x", name), pair, value, after)
            }
            ("--mca" | "-mca", [key, value, after @ ..]) => {
                (("--mca", key.text.as_str()), value, value.text.as_str(), after)
            }
            ("-N", [value, after @ ..]) => (("-N", ""), value, value.text.as_str(), after),
            _ => {
                rest = tail;
                continue;
            }
        };
        if let Some((earlier, old)) = first.insert(option, (word, value))
            && (old != value)
            && [earlier, word].iter().any(|w| !matches!(w.origin, Origin::Entry { .. }))
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
            let finding = Diagnostic::at(Code::RepeatedMpiOption, &word.path, message)
                .with_help("with Open MPI 5 leave this one out, or give the value that the platform sets");
            let first = place(earlier);
            out.push(if first.0.is_empty() { finding } else { finding.with_related(first, "the first one") });
        }
        rest = after;
    }
    out
}

fn source(word: &Word) -> String {
    match &word.origin {
        Origin::Entry { id, name } => format!("catalogue entry {id} {name}"),
        Origin::Default { .. } => "the engine itself".to_owned(),
        _ => place(word).to_string(),
    }
}

/// The field that a person can change: that of the run where an entry forwards the run's own value.
fn place(word: &Word) -> &FieldPath {
    match &word.origin {
        Origin::Run { path } => path,
        _ => &word.path,
    }
}
