//! Command lines as people read them: lines, options with their values, words.

use super::change::{ChangeKind, WordChange, WordPart};
use super::list::{longest_rising, sequence};
use crate::overrides::{mpi_option, unwrap_command};
use serde_json::{Map, Value};
use similar::DiffOp;
use std::collections::{BTreeMap, BTreeSet};

/// One part of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    /// `-x NCCL_DEBUG`; empty for a plain word.
    name: String,
    /// The value, or the word itself.
    value: Option<String>,
}

/// A command line, taken apart.
#[derive(Debug, Default)]
struct CommandLine {
    lines: Vec<Item>,
    command: Vec<Item>,
    options: Vec<Item>,
    program: Vec<Item>,
}

fn word(text: &str) -> Item {
    Item { name: String::new(), value: Some(text.to_owned()) }
}

impl CommandLine {
    fn of(command: &[String], args: &[String]) -> Self {
        let mut out = Self::default();
        match (unwrap_command(command, args), command, args) {
            (Some(wrapped), _, _) => {
                out.lines = wrapped.lines.iter().map(|line| word(line)).collect();
                out.words(&wrapped.words);
            }
            // The scripts of pods.
            (None, [_, flag], [script]) if flag == "-c" && script.contains('\n') => {
                out.command = command.iter().map(|text| word(text)).collect();
                out.lines = script.lines().map(word).collect();
            }
            _ => out.words(&[command, args].concat()),
        }
        out
    }

    fn words(&mut self, words: &[String]) {
        let is_mpirun = |text: &String| matches!(text.rsplit('/').next(), Some("mpirun" | "mpiexec" | "orterun"));
        let (command, rest) = words.split_at(words.iter().position(is_mpirun).map_or(0, |place| place + 1));
        self.command = command.iter().map(|text| word(text)).collect();
        let rest = if command.is_empty() { rest } else { options(rest, &mut self.options) };
        self.program = pairs(rest);
    }
}

/// The options at the beginning of mpirun's words; gives the rest, which begins with the program.
fn options<'w>(words: &'w [String], out: &mut Vec<Item>) -> &'w [String] {
    let mut rest = words;
    while let Some(option) = mpi_option(rest) {
        out.push(Item { name: option.name(), value: option.value.map(str::to_owned) });
        rest = rest.get(option.words..).unwrap_or_default();
    }
    rest
}

/// Words of a program of which nothing is known: what begins with a hyphen takes the next word, unless that one does, too.
fn pairs(words: &[String]) -> Vec<Item> {
    let is_option = |text: &str| {
        let name = text.trim_start_matches('-');
        name.len() < text.len() && name.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let mut out = Vec::new();
    let mut rest = words;
    while let [first, tail @ ..] = rest {
        rest = tail;
        out.push(match (is_option(first), first.split_once('=')) {
            (true, Some((name, value))) => Item { name: name.to_owned(), value: Some(value.to_owned()) },
            (true, None) => {
                let value = tail.split_first().filter(|(next, _)| !is_option(next));
                if let Some((_, after)) = value {
                    rest = after;
                }
                Item { name: first.clone(), value: value.map(|(next, _)| next.clone()) }
            }
            (false, _) => word(first),
        });
    }
    out
}

/// The differences of two texts, line by line.
pub(super) fn texts(a: &str, b: &str) -> Vec<WordChange> {
    let lines = |text: &str| text.lines().map(word).collect::<Vec<_>>();
    let mut out = Vec::new();
    items(WordPart::Line, &lines(a), &lines(b), &mut out);
    out
}

/// The fields of a mapping that are a command line in A or B, and what differs in it.
#[derive(Debug, Default)]
pub(super) struct Lines {
    fields: Vec<&'static str>,
    words: Vec<WordChange>,
}

impl Lines {
    /// True for a field whose change is told as a whole.
    pub fn holds(&self, key: &str) -> bool {
        self.fields.contains(&key)
    }

    /// What to tell at a field: everything stands at the first one.
    pub fn take(&mut self, key: &str) -> Vec<WordChange> {
        if self.fields.first().is_some_and(|first| *first == key) {
            std::mem::take(&mut self.words)
        } else {
            Vec::new()
        }
    }
}

/// Compares the command lines of two mappings: `command` and `args` together, else `mpiArgs`.
pub(super) fn command_lines(a: &Map<String, Value>, b: &Map<String, Value>) -> Lines {
    let list = |map: &Map<String, Value>, key: &str| -> Option<Vec<String>> {
        let Some(value) = map.get(key) else { return Some(Vec::new()) };
        value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let differs = |key: &&'static str| a.get(*key) != b.get(*key);
    let mut out = Lines::default();
    if let (Some(command_a), Some(args_a), Some(command_b), Some(args_b)) =
        (list(a, "command"), list(a, "args"), list(b, "command"), list(b, "args"))
    {
        // In the order of the keys.
        out.fields = ["args", "command"].into_iter().filter(differs).collect();
        let (old, new) = (CommandLine::of(&command_a, &args_a), CommandLine::of(&command_b, &args_b));
        items(WordPart::Line, &old.lines, &new.lines, &mut out.words);
        items(WordPart::Command, &old.command, &new.command, &mut out.words);
        items(WordPart::Option, &old.options, &new.options, &mut out.words);
        items(WordPart::Program, &old.program, &new.program, &mut out.words);
    }
    if out.fields.is_empty()
        && let (Some(old), Some(new)) = (list(a, "mpiArgs"), list(b, "mpiArgs"))
    {
        out.fields = ["mpiArgs"].into_iter().filter(differs).collect();
        let taken = |words: &[String]| {
            let mut out = Vec::new();
            let rest = options(words, &mut out);
            out.extend(pairs(rest));
            out
        };
        items(WordPart::Option, &taken(&old), &taken(&new), &mut out.words);
    }
    out
}

/// Compares the items of one part: options by name, of several with one name the last ones, which count; other words
/// and lines in sequence.
fn items(part: WordPart, a: &[Item], b: &[Item], out: &mut Vec<WordChange>) {
    if a == b {
        return;
    }
    let (mut plain_a, mut plain_b) = (Vec::new(), Vec::new());
    let mut options_a = keyed(a, &mut plain_a);
    let mut both: Vec<(usize, usize)> = Vec::new();
    let (mut removed, mut added): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let options_b = keyed(b, &mut plain_b);
    // Of options with one name the last one has the number 0.
    let places = |options: &BTreeMap<(&str, usize), usize>| -> BTreeSet<usize> {
        options.iter().filter(|((_, number), _)| *number > 0).map(|(_, place)| *place).collect()
    };
    let overridden = (places(&options_a), places(&options_b));
    for (key, to) in options_b {
        match options_a.remove(&key) {
            Some(from) => both.push((from, to)),
            None => added.push(to),
        }
    }
    removed.extend(options_a.into_values());
    let texts = |places: &[usize], of: &[Item]| -> Vec<Option<String>> {
        places.iter().map(|place| of.get(*place).and_then(|item| item.value.clone())).collect()
    };
    for operation in sequence(&texts(&plain_a, a), &texts(&plain_b, b)) {
        let old = plain_a.get(operation.old_range()).unwrap_or_default();
        let new = plain_b.get(operation.new_range()).unwrap_or_default();
        // Of lines nobody can say that one became the other.
        if matches!(operation, DiffOp::Equal { .. }) || part != WordPart::Line && old.len() == new.len() {
            both.extend(old.iter().copied().zip(new.iter().copied()));
        } else {
            removed.extend(old);
            added.extend(new);
        }
    }
    both.sort_unstable();
    removed.sort_unstable();
    let in_order = longest_rising(&both.iter().map(|(_, to)| *to).collect::<Vec<_>>());
    let change = |kind, from: Option<usize>, to: Option<usize>| {
        let (old, new) = (from.and_then(|place| a.get(place)), to.and_then(|place| b.get(place)));
        WordChange {
            part,
            name: old.or(new).map(|item| item.name.clone()).unwrap_or_default(),
            kind,
            old: old.and_then(|item| item.value.clone()),
            new: new.and_then(|item| item.value.clone()),
            overridden: match to {
                Some(place) => overridden.1.contains(&place),
                None => from.is_some_and(|place| overridden.0.contains(&place)),
            },
        }
    };
    out.extend(removed.into_iter().map(|place| change(ChangeKind::Removed, Some(place), None)));
    let mut rest: Vec<(usize, WordChange)> =
        added.into_iter().map(|place| (place, change(ChangeKind::Added, None, Some(place)))).collect();
    for ((from, to), in_order) in both.into_iter().zip(in_order) {
        if a.get(from) != b.get(to) {
            rest.push((to, change(ChangeKind::Changed, Some(from), Some(to))));
        }
        if !in_order {
            rest.push((to, change(ChangeKind::Moved, Some(from), Some(to))));
        }
    }
    rest.sort_by_key(|(to, _)| *to);
    out.extend(rest.into_iter().map(|(_, change)| change));
}

/// Places of options by name and number from the end; places of plain words go to `plain`.
fn keyed<'i>(items: &'i [Item], plain: &mut Vec<usize>) -> BTreeMap<(&'i str, usize), usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = BTreeMap::new();
    for (place, item) in items.iter().enumerate().rev() {
        if item.name.is_empty() {
            plain.push(place);
        } else {
            let count = counts.entry(item.name.as_str()).or_default();
            out.insert((item.name.as_str(), *count), place);
            *count += 1;
        }
    }
    plain.reverse();
    out
}
