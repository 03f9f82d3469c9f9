//! Explanations for people.

use crate::scheduling;
use crate::table::{Table, wrapped};
use anstyle::{AnsiColor, Style};
use nvcre_core::explain::{
    Answer, Explanation, FieldLine, GroupAnswer, Later, Link, NodeAnswer, OverrideAnswer, OverrideLine, Overview,
    Place, Sight, ValueAnswer, Variable,
};
use nvcre_core::trace::{Origin, Subject};
use serde_json::Value;
use std::fmt::Write;

const HEAD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
/// Characters of a value in a table, on a narrow terminal.
const LEAST: usize = 16;

/// All answers; `width` is that of the terminal, `None` when nobody is looking: then nothing is shortened.
pub fn text(explanation: &Explanation, width: Option<usize>) -> String {
    let shown = explanation.answers.iter().filter(|answer| !matches!(answer, Answer::Unknown { .. }));
    let texts: Vec<String> = shown.map(|answer| answer_text(answer, &explanation.run, width)).collect();
    texts.join("\n")
}

fn answer_text(answer: &Answer, run: &str, width: Option<usize>) -> String {
    match answer {
        Answer::Overview(overview) => overview_text(overview, run, width),
        Answer::Value(answer) => value_text(answer, width),
        Answer::Node(answer) => node_text(answer),
        Answer::Override(answer) => override_text(answer, width),
        Answer::Group(answer) => group_text(answer, width),
        Answer::Unknown { .. } => String::new(),
    }
}

fn heading(text: &str) -> String {
    format!("{HEAD}{text}{HEAD:#}\n")
}

/// A value as people read it: texts without quotes, everything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.replace('\n', "⏎"),
        Value::Object(map) if map.len() == 1 && map.contains_key("valueFrom") => match map.get("valueFrom") {
            Some(Value::String(from)) => format!("from the {from}"),
            Some(from) => format!("from {from}"),
            None => String::new(),
        },
        other => other.to_string(),
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "(none)".to_owned(), plain)
}

/// A text of at most so many characters.
fn cut(text: &str, most: Option<usize>) -> String {
    match most.map(|most| most.max(LEAST)) {
        Some(most) if text.chars().count() > most => text.chars().take(most - 1).chain(['…']).collect(),
        _ => text.to_owned(),
    }
}

/// Who, in a few words.
fn who(origin: &Origin, place: &Place) -> String {
    match origin {
        Origin::Default { .. } => "default".to_owned(),
        Origin::Hardware { .. } => place.text.replace("hardware table of the catalogue", "hardware table"),
        Origin::Entry { id, name } => format!("{id} {name}"),
        Origin::Run { path } => match (&place.file, place.line) {
            (Some(_), Some(line)) => format!("{path} (line {line})"),
            _ => path.to_string(),
        },
        _ => place.text.clone(),
    }
}

fn overview_text(overview: &Overview, run: &str, width: Option<usize>) -> String {
    let mut out = heading(&format!("{run}, edition {}", overview.edition));
    if !overview.resolved {
        out.push_str(
            "No platform is known: the overrides below are conditional (--platform, --gpu-arch or --nodes).\n",
        );
    }
    let mut table = Table::new(["VALUE", "IS", "FROM"]);
    for value in &overview.values {
        let from = value.chain.last().map(|link| who(&link.origin, &link.place)).unwrap_or_default();
        let replaced = value.chain.len().saturating_sub(1);
        table.row([value.name.clone(), plain(&value.value), with_replaced(&from, replaced)]);
    }
    let _ = write!(out, "\n{}", table.text());
    if let Some(groups) = &overview.groups {
        let [least, most] = groups.sizes;
        let sizes = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        let topology = groups.topology_key.as_ref().map(|key| format!(", by {key}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "\n{} nodes take part, {} stay out; {} groups of {sizes}{topology}; {} jobs",
            groups.nodes, groups.excluded, groups.groups, groups.jobs
        );
    }
    if !overview.overrides.is_empty() {
        out.push('\n');
        out.push_str(&overrides(&overview.overrides, width));
    }
    out.push('\n');
    out.push_str(&command(overview, width));
    if !overview.environment.is_empty() {
        out.push('\n');
        out.push_str(&environment(&overview.environment, width));
    }
    out
}

fn with_replaced(from: &str, replaced: usize) -> String {
    match replaced {
        0 => from.to_owned(),
        1 => format!("{from}, replaces 1"),
        n => format!("{from}, replaces {n}"),
    }
}

/// What applies, in full; of what does not, only the names.
fn overrides(lines: &[OverrideLine], width: Option<usize>) -> String {
    let name = |line: &OverrideLine| match &line.outcome.origin {
        Origin::Entry { id, name } => format!("{id} {name}"),
        Origin::Override { index } => format!("user-{index} {}", line.place.text),
        _ => line.subject.clone(),
    };
    let is_own = |line: &OverrideLine| matches!(line.outcome.origin, Origin::Override { .. });
    let (shown, out): (Vec<_>, Vec<_>) = lines.iter().partition(|l| l.outcome.matched || is_own(l));
    let mut text = heading("OVERRIDES");
    let longest = shown.iter().map(|line| name(line).chars().count()).max().unwrap_or(0);
    for line in &shown {
        let outcome = &line.outcome;
        let when = if outcome.when.is_empty() { "always" } else { &outcome.when };
        let (style, mark, why) = match &outcome.failed {
            _ if outcome.matched && outcome.no_op => (FAINT, "=", format!("{when}: changes nothing")),
            _ if outcome.matched => (GOOD, "+", format!("{when}: {}", outcome.patches)),
            Some(failed) => (FAINT, "-", format!("{} is {}, wanted {}", failed.field, failed.found, failed.wanted)),
            None => (FAINT, "?", when.to_owned()),
        };
        let row = format!("{:<longest$}   {why}", name(line));
        let _ = writeln!(text, "{style}{mark}{style:#} {}", cut(&row, width.map(|w| w.saturating_sub(2))));
    }
    if let Some(first) = out.first() {
        let ids: Vec<&str> = out.iter().map(|l| l.subject.trim_start_matches("override/")).collect();
        let row = format!("- do not match: {} ({} says why)", ids.join(", "), first.subject);
        let _ = writeln!(text, "{FAINT}{}{FAINT:#}", wrapped(&row, width, 2));
    }
    text
}

fn command(overview: &Overview, width: Option<usize>) -> String {
    let mut out = heading("COMMAND");
    let words = |words: &[String]| cut(&plain(&Value::from(words.join(" "))), width.map(|w| w * 3 / 5));
    // Words of one list stand on one line.
    let mut parts: Vec<(&str, Vec<String>, String)> = Vec::new();
    for part in &overview.pre_command {
        parts.push(("$", part.words.clone(), who(&part.origin, &part.place)));
    }
    for part in &overview.command {
        let from = whole(&who(&part.origin, &part.place));
        match parts.last_mut() {
            Some((" ", words, last)) if *last == from && !part.subject.starts_with("env/") && part.words.len() == 1 => {
                words.extend(part.words.iter().cloned());
            }
            _ => parts.push((" ", part.words.clone(), from)),
        }
    }
    let longest = parts.iter().map(|(_, list, _)| words(list).chars().count()).max().unwrap_or(0);
    for (mark, list, from) in parts {
        let _ = writeln!(out, "{mark} {:<longest$}   {FAINT}{from}{FAINT:#}", words(&list));
    }
    out
}

/// A place without the number of the element: `spec.framework.mpi.args[3] (line 11)` is of `spec.framework.mpi.args`.
fn whole(from: &str) -> String {
    match (from.find('['), from.find("] ")) {
        (Some(open), Some(close)) if open < close => {
            format!("{}{}", from.get(..open).unwrap_or_default(), from.get(close + 1..).unwrap_or_default())
        }
        _ => from.to_owned(),
    }
}

fn environment(variables: &[Variable], width: Option<usize>) -> String {
    let mut out = heading("ENVIRONMENT as the ranks see it");
    let name = variables.iter().map(|v| v.name.chars().count()).max().unwrap_or(0);
    let value = |variable: &Variable| {
        let text = match (&variable.value, &variable.container) {
            (None, Some(container)) => format!("(not seen; the container says {})", plain(container)),
            (value, _) => shown(value.as_ref()),
        };
        cut(&text, width.map(|w| w / 3))
    };
    let longest = variables.iter().map(|v| value(v).chars().count()).max().unwrap_or(0);
    for variable in variables {
        let mut from = with_replaced(&who(&variable.link.origin, &variable.link.place), variable.replaced);
        if let (Some(_), Some(container)) = (&variable.value, &variable.container) {
            let _ = write!(from, "; the container says {}", plain(container));
        }
        let _ = writeln!(out, "{:<name$}   {:<longest$}   {FAINT}{from}{FAINT:#}", variable.name, value(variable));
    }
    out
}

fn value_text(answer: &ValueAnswer, width: Option<usize>) -> String {
    let mut out = heading(&answer.subject);
    for sight in &answer.seen {
        out.push_str(&sight_text(sight, width));
    }
    if !answer.fields.is_empty() {
        let mut table = Table::new(["FIELD", "VALUE", "FROM"]);
        for FieldLine { path, value, link } in &answer.fields {
            let value = cut(&plain(value), width.map(|w| w / 3));
            table.row([path.to_string(), value, who(&link.origin, &link.place)]);
        }
        out.push_str(&table.text());
    }
    for note in &answer.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    out
}

fn sight_text(sight: &Sight, width: Option<usize>) -> String {
    let at = match sight.at.as_str() {
        "ranks" => "the ranks see",
        "launcher" => "the launcher's container has",
        "node" => "the workers' containers have",
        "mpirun" => "mpirun gets",
        "bash" => "bash runs",
        "command" => "the command has",
        _ => "the output has",
    };
    let mut out = String::new();
    if sight.chain.is_empty() && sight.value.as_ref().is_some_and(|v| v.is_object() || v.is_array()) {
        return out;
    }
    let _ =
        writeln!(out, "{at} {HEAD}{}{HEAD:#}", cut(&shown(sight.value.as_ref()), width.map(|w| w.saturating_sub(30))));
    match &sight.later {
        Later::Nothing => {}
        Later::Becomes { text, because } => {
            let _ = writeln!(out, "  which becomes {HEAD}{text}{HEAD:#}: {because}");
        }
        Later::OnlyThere { because } => {
            let _ = writeln!(out, "  what it is in the end is known only there: {because}");
        }
    }
    for link in sight.chain.iter().rev() {
        out.push_str(&link_text(link, width));
    }
    out
}

fn link_text(link: &Link, width: Option<usize>) -> String {
    let most = width.map(|w| w / 3);
    let short = |value: &Value| cut(&plain(value), most);
    let place = match &link.origin {
        Origin::Override { index } => format!("override user-{index}, {}", link.place.text),
        _ => link.place.text.clone(),
    };
    match (&link.value, &link.replaced) {
        (Some(value), Some(old)) if value == old => format!("  {} again by {place}\n", short(value)),
        (Some(value), Some(old)) => format!("  {} from {place}, replaces {}\n", short(value), short(old)),
        (Some(value), None) => format!("  {} from {place}\n", short(value)),
        (None, Some(old)) => format!("  removed by {place}, was {}\n", short(old)),
        (None, None) => format!("  {place}\n"),
    }
}

fn node_text(answer: &NodeAnswer) -> String {
    let mut out = heading(&format!("node/{}", answer.node));
    for group in &answer.groups {
        let domain = group.domain.as_ref().map(|d| format!(", domain {d}")).unwrap_or_default();
        let _ = writeln!(out, "in {HEAD}{}{HEAD:#}{domain}\n  {}", group.group, group.reason);
    }
    if let Some(excluded) = &answer.excluded {
        let _ = writeln!(out, "{HEAD}stays out{HEAD:#}: {}", excluded.reason);
        if let Some(path) = &excluded.path {
            let _ = writeln!(out, "  by {path}");
        }
    }
    for note in &answer.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    let mut table = Table::new(["LABEL", "VALUE", "DECIDES"]);
    for label in &answer.labels {
        table.row([label.key.clone(), label.value.clone().unwrap_or_else(|| "(none)".into()), label.decides.clone()]);
    }
    let _ = write!(out, "\n{}", table.text());
    out
}

fn group_text(answer: &GroupAnswer, width: Option<usize>) -> String {
    let mut out = heading(&format!("group/{}", answer.group));
    let _ = writeln!(out, "{}", answer.reason);
    if !answer.domains.is_empty() {
        let _ = writeln!(out, "domains  {}", answer.domains.join(", "));
    }
    if !answer.nodes.is_empty() {
        let _ = writeln!(out, "nodes    {}", answer.nodes.join(", "));
    }
    if !answer.conflicts.is_empty() {
        let _ = writeln!(out, "never at the same time as {}", answer.conflicts.join(", "));
    }
    for object in &answer.objects {
        let _ = writeln!(out, "object   {object}");
    }
    out + "\n" + &scheduling::text(&answer.scheduling, width)
}

fn override_text(answer: &OverrideAnswer, width: Option<usize>) -> String {
    let outcome = &answer.outcome;
    let mut out = heading(&answer.subject);
    let _ = writeln!(out, "{}", answer.place.text);
    for line in [&answer.title, &answer.note].into_iter().filter(|line| !line.is_empty()) {
        let _ = writeln!(out, "{line}");
    }
    let when = if outcome.when.is_empty() { "always" } else { &outcome.when };
    match &outcome.failed {
        _ if outcome.matched && outcome.no_op => {
            let _ = writeln!(out, "{HEAD}matched{HEAD:#} ({when}) and changed nothing");
        }
        _ if outcome.matched => {
            let _ = writeln!(out, "{HEAD}matched{HEAD:#} ({when}): {}", outcome.patches);
        }
        Some(failed) => {
            let _ = writeln!(out, "{HEAD}did not match{HEAD:#} ({when})");
            let _ = writeln!(out, "  {} is {}, wanted {}", failed.field, failed.found, failed.wanted);
            let _ = writeln!(out, "  it would set: {}", outcome.patches);
        }
        None => {
            let _ = writeln!(out, "{HEAD}not decided{HEAD:#} ({when})");
        }
    }
    if answer.changes.is_empty() {
        return out;
    }
    let mut table = Table::new(["SETS", "TO", "BEFORE", ""]);
    for change in &answer.changes {
        let most = width.map(|w| w / 4);
        let value = |value: Option<&Value>| cut(&shown(value), most);
        let later = change.replaced_by.as_ref().map(|o| format!("replaced by {}", short(o))).unwrap_or_default();
        let Change { subject, new, old } = Change::of(&change.change);
        table.row([subject, value(new), old.map(|o| value(Some(o))).unwrap_or_default(), later]);
    }
    let _ = write!(out, "\n{}", table.text());
    out
}

struct Change<'a> {
    subject: String,
    new: Option<&'a Value>,
    old: Option<&'a Value>,
}

impl<'a> Change<'a> {
    fn of(change: &'a nvcre_core::trace::Change) -> Self {
        let subject = match &change.subject {
            Subject::Value { name } => format!("value/{name}"),
            Subject::Field { path } => path.to_string(),
            Subject::Env { name } | Subject::RankEnv { name } => format!("env/{name}"),
            Subject::Argument { option } => format!("arg/{}", option.replace(' ', "/")),
            Subject::PreCommand { index } => format!("line/{index}"),
        };
        Self { subject, new: change.new.as_ref(), old: change.old.as_ref() }
    }
}

fn short(origin: &Origin) -> String {
    match origin {
        Origin::Entry { id, name } => format!("{id} {name}"),
        Origin::Override { index } => format!("user-{index}"),
        Origin::Run { path } => path.to_string(),
        _ => "a later layer".to_owned(),
    }
}
