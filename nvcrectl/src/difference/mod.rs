//! Differences for people: as text with colours, and as Markdown for pull requests.

pub mod fields;
pub mod markdown;
pub mod text;

use nvcre_core::compare::{ChangeKind, Difference, GroupChange, ObjectChange, ObjectScope, Side};

use crate::table::ranges;

/// One line about a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What happened, when the line says that something did.
    pub mark: Option<ChangeKind>,
    /// How far it is put in.
    pub depth: usize,
    /// The text.
    pub text: String,
}

impl Line {
    fn new(mark: Option<ChangeKind>, depth: usize, text: impl Into<String>) -> Self {
        Self { mark, depth, text: text.into() }
    }
}

/// A part of a difference: its title and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The title.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// Everything below the meanings, in the order in which it is shown. With a `width` long texts are cut.
pub fn sections(difference: &Difference, width: Option<usize>) -> Vec<Section> {
    let mut out = Vec::new();
    let mut add = |title: String, lines: Vec<Line>| {
        if !lines.is_empty() {
            out.push(Section { title, lines });
        }
    };
    add("Nodes".into(), nodes(difference));
    add("Groups".into(), difference.groups.iter().map(group).collect());
    add("Nodes in another group".into(), moves(difference));
    add("The run".into(), fields::lines(&difference.run, width));
    for object in &difference.objects {
        add(title(object), fields::lines(&object.changes, width));
    }
    out
}

/// `16 nodes in 4 groups, platform aws, gb300, edition documented`.
pub fn side(side: &Side) -> String {
    let mut parts = Vec::new();
    let count = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    let known = |text: &str| !text.is_empty() && text != "unknown";
    let named = [(&side.run, "run"), (&side.platform, ""), (&side.gpu_architecture, ""), (&side.edition, "edition")];
    for (text, word) in named.into_iter().filter(|(text, _)| known(text)) {
        parts.push(if word.is_empty() { text.clone() } else { format!("{word} {text}") });
    }
    match (side.nodes, side.groups) {
        (Some(nodes), Some(groups)) => parts.push(format!("{} in {}", count(nodes, "node"), count(groups, "group"))),
        (Some(nodes), None) => parts.push(count(nodes, "node")),
        (None, Some(groups)) => parts.push(count(groups, "group")),
        (None, None) => {}
    }
    parts.join(", ")
}

fn title(object: &ObjectChange) -> String {
    let scope = match object.scope {
        ObjectScope::Run => "",
        ObjectScope::EveryJob => ", in every job",
        ObjectScope::SomeJobs => ", in some jobs",
    };
    let change = match object.change {
        ChangeKind::Added => " (new)",
        ChangeKind::Removed => " (gone)",
        _ => "",
    };
    format!("{} {}{scope}{change}", object.kind, object.name)
}

/// Nodes of which the same is to be said, in one line.
fn nodes(difference: &Difference) -> Vec<Line> {
    let mut out = Vec::new();
    for (list, mark, there) in
        [(&difference.left, ChangeKind::Removed, "B"), (&difference.joined, ChangeKind::Added, "A")]
    {
        let mut by_reason: Vec<(&str, Vec<String>)> = Vec::new();
        for node in list {
            match by_reason.iter_mut().find(|(reason, _)| *reason == node.reason) {
                Some((_, nodes)) => nodes.push(node.node.clone()),
                None => by_reason.push((&node.reason, vec![node.node.clone()])),
            }
        }
        for (reason, nodes) in by_reason {
            let why = if reason.is_empty() { String::new() } else { format!(": {reason} (in {there})") };
            out.push(Line::new(Some(mark), 0, format!("{}{why}", ranges(&nodes).join(", "))));
        }
    }
    for host in &difference.hosts {
        out.push(Line::new(
            Some(ChangeKind::Changed),
            0,
            format!("{}: host name {} → {}", host.node, host.old, host.new),
        ));
    }
    out
}

fn group(change: &GroupChange) -> Line {
    let list = |word: &str, nodes: &[String]| match nodes {
        [] => None,
        nodes => Some(format!("{word} {}", ranges(nodes).join(", "))),
    };
    let members =
        |nodes: &[String]| if nodes.is_empty() { String::new() } else { format!(": {}", ranges(nodes).join(", ")) };
    match (&change.a, &change.b) {
        (Some(old), Some(new)) => {
            let name = if old == new { old.clone() } else { format!("{old} → {new}") };
            let what: Vec<String> =
                [list("loses", &change.lost), list("gains", &change.gained)].into_iter().flatten().collect();
            let what = if what.is_empty() { "the same nodes".to_owned() } else { what.join(", ") };
            Line::new(Some(ChangeKind::Changed), 0, format!("{name}: {what}"))
        }
        (Some(old), None) => Line::new(Some(ChangeKind::Removed), 0, format!("{old}{}", members(&change.lost))),
        (None, new) => {
            let name = new.clone().unwrap_or_default();
            Line::new(Some(ChangeKind::Added), 0, format!("{name}{}", members(&change.gained)))
        }
    }
}

/// Nodes that move between the same groups, in one line.
fn moves(difference: &Difference) -> Vec<Line> {
    let mut alike: Vec<(String, Vec<String>)> = Vec::new();
    for node in &difference.moves {
        let way = format!("{} → {}", node.from.join(", "), node.to.join(", "));
        match alike.last_mut().filter(|(last, _)| *last == way) {
            Some((_, nodes)) => nodes.push(node.node.clone()),
            None => alike.push((way, vec![node.node.clone()])),
        }
    }
    let line = |(way, nodes): (String, Vec<String>)| {
        Line::new(Some(ChangeKind::Moved), 0, format!("{}: {way}", ranges(&nodes).join(", ")))
    };
    alike.into_iter().map(line).collect()
}
