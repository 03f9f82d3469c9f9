//! Changes of fields as lines.

use super::Line;
use nvcre_core::compare::{ChangeKind, ValueChange, WordChange, WordPart};
use nvcre_core::diagnostic::{FieldPath, Segment};
use nvcre_core::yaml;
use serde_json::Value;

/// Lines of a value that a terminal shows.
const MOST_LINES: usize = 12;
/// Nothing is cut shorter, however narrow the terminal.
const LEAST: usize = 40;

/// All changes of one value.
pub fn lines(changes: &[ValueChange], width: Option<usize>) -> Vec<Line> {
    let width = width.map(|width| width.max(LEAST));
    let mut out = Vec::new();
    changes.iter().for_each(|change| one(change, width, &mut out));
    out
}

fn one(change: &ValueChange, width: Option<usize>, out: &mut Vec<Line>) {
    // Two columns for the mark.
    let room = width.map(|width| width - 2);
    let path = path(&change.path, room);
    let mark = Some(change.kind);
    if !change.words.is_empty() {
        out.push(Line::new(mark, 0, path));
        out.extend(change.words.iter().map(|word| Line::new(Some(word.kind), 1, cut(&of_word(word), room))));
        return;
    }
    match change.kind {
        ChangeKind::Moved => {
            let place = |at: Option<usize>| at.map_or(0, |at| at + 1);
            out.push(Line::new(mark, 0, format!("{path}: from place {} to {}", place(change.from), place(change.to))));
        }
        ChangeKind::Changed => {
            let (old, new) = (shown(change.old.as_ref()), shown(change.new.as_ref()));
            let line = format!("{path}: {old} → {new}");
            if room.is_none_or(|room| line.chars().count() <= room) && !line.contains('\n') {
                out.push(Line::new(mark, 0, line));
                return;
            }
            out.push(Line::new(mark, 0, path));
            block(&old, ChangeKind::Removed, room, out);
            block(&new, ChangeKind::Added, room, out);
        }
        ChangeKind::Added | ChangeKind::Removed => {
            let value = change.new.as_ref().or(change.old.as_ref());
            if change.path.0.is_empty() {
                block(value.map(yaml::to_yaml).unwrap_or_default().trim_end(), change.kind, room, out);
                return;
            }
            let text = shown(value);
            let line = format!("{path}: {text}");
            if room.is_none_or(|room| line.chars().count() <= room) && !line.contains('\n') {
                out.push(Line::new(mark, 0, line));
                return;
            }
            out.push(Line::new(mark, 0, path));
            let text = value.filter(|v| setting(v).is_none() && !v.is_string()).map(yaml::to_yaml).unwrap_or(text);
            block(text.trim_end(), change.kind, room, out);
        }
    }
}

/// A text of several lines.
fn block(text: &str, kind: ChangeKind, room: Option<usize>, out: &mut Vec<Line>) {
    let count = text.lines().count();
    let most = if room.is_some() && count > MOST_LINES { MOST_LINES - 1 } else { count };
    out.extend(text.lines().take(most).map(|line| Line::new(Some(kind), 1, cut(line, room))));
    if most < count {
        out.push(Line::new(Some(kind), 1, format!("… {} more lines (-o json has all)", count - most)));
    }
}

/// A value in a line.
fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return String::new() };
    if let Some(text) = setting(value) {
        return bare(text);
    }
    match value {
        Value::String(text) => bare(text),
        other => other.to_string(),
    }
}

/// The value of an element that only has a name beside it.
fn setting(value: &Value) -> Option<&str> {
    let map = value.as_object().filter(|map| map.len() == 2 && map.contains_key("name"))?;
    map.get("value").and_then(Value::as_str)
}

/// A text without quotes, where it is clear without.
fn bare(text: &str) -> String {
    let clear = !text.is_empty() && !text.starts_with(['"', ' ']) && !text.ends_with(' ') && !text.contains("→");
    if clear && !text.contains(char::is_control) { text.to_owned() } else { format!("{text:?}") }
}

fn of_word(word: &WordChange) -> String {
    if word.part == WordPart::Line {
        return word.old.as_deref().or(word.new.as_deref()).unwrap_or_default().to_owned();
    }
    let value = |value: &Option<String>| value.as_deref().map(bare);
    let name = |value: Option<String>| match value {
        Some(value) if word.name.is_empty() => value,
        Some(value) if word.name.starts_with("-x ") => format!("{}={value}", word.name),
        Some(value) => format!("{} {value}", word.name),
        None => word.name.clone(),
    };
    match word.kind {
        ChangeKind::Added => name(value(&word.new)),
        ChangeKind::Removed => name(value(&word.old)),
        ChangeKind::Moved => format!("{}: at another place", name(value(&word.new))),
        ChangeKind::Changed => {
            let (old, new) = (value(&word.old), value(&word.new));
            let none = || "no value".to_owned();
            let change = format!("{} → {}", old.unwrap_or_else(none), new.unwrap_or_else(none));
            if word.name.is_empty() { change } else { format!("{}: {change}", word.name) }
        }
    }
}

/// A path; where it is too long, without what all pod templates have, and then without its middle.
fn path(path: &FieldPath, room: Option<usize>) -> String {
    let text = path.to_string();
    // Room for a value is left.
    let Some(room) = room.filter(|room| text.chars().count() + 20 > *room) else { return text };
    let short = text
        .replace("[manager=nvcre.nvidia.com/controller].trainingRuntimeSpec", "[…]")
        .replace("spec.template.spec.replicatedJobs", "….replicatedJobs")
        .replace(".template.spec.replicatedJobs", ".….replicatedJobs")
        .replace(".template.spec.template.spec.", ".….");
    if short.chars().count() <= room {
        return short;
    }
    // The last steps say most, and the pod that they belong to.
    let steps = &path.0;
    let job = steps
        .windows(2)
        .rposition(|pair| matches!(pair, [Segment::Key(list), Segment::Named(_)] if &**list == "replicatedJobs"));
    let part = |from: usize, to: usize| FieldPath(steps.get(from..to).unwrap_or_default().to_vec()).to_string();
    let (first, rest) = match job {
        Some(job) => (format!("….{}", part(job, job + 2)), job + 2),
        None => (part(0, 1), 1),
    };
    let tail = (rest..steps.len()).map(|from| format!("{first}.….{}", part(from, steps.len()).trim_start_matches('.')));
    tail.into_iter().find(|text| text.chars().count() <= room).unwrap_or_else(|| cut(&short, Some(room)))
}

/// A line that fits; in a pipe all of it.
fn cut(text: &str, room: Option<usize>) -> String {
    // Lines below a field are put in by two.
    let Some(room) = room.map(|room| room.saturating_sub(2)) else { return text.to_owned() };
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}
