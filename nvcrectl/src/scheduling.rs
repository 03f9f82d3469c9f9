//! What the scheduler would say, for people.

use crate::table::{Table, list, wrapped};
use nvcre_core::engine::Plan;
use nvcre_core::schedule::{GroupScheduling, GroupVerdict, Need, Verdict};
use std::fmt::Write;

/// The word of a verdict in a table.
pub fn word(verdict: &GroupVerdict) -> &'static str {
    match verdict.verdict {
        Verdict::Fits => "fits",
        Verdict::Waits => "waits",
        Verdict::Unknown => "not known",
    }
}

/// True when a plan says of at least one group whether its pods find nodes.
pub fn is_told(plan: &Plan) -> bool {
    plan.groups.iter().any(|group| group.scheduling.verdict != Verdict::Unknown)
}

/// The groups that wait, by reason, and what only the cluster knows. Empty when there is nothing to say.
pub fn of_plan(plan: &Plan, width: Option<usize>) -> String {
    let mut by_reason: Vec<(&GroupVerdict, Vec<String>)> = Vec::new();
    for group in plan.groups.iter().filter(|group| group.scheduling.verdict == Verdict::Waits) {
        match by_reason.iter_mut().find(|(verdict, _)| **verdict == group.scheduling) {
            Some((_, groups)) => groups.push(group.name.clone()),
            None => by_reason.push((&group.scheduling, vec![group.name.clone()])),
        }
    }
    let mut out = String::new();
    if !by_reason.is_empty() {
        let mut table = Table::new(["WAITING", "PODS", "WHY"]);
        for (verdict, groups) in by_reason {
            let most = width.map(|width| width / 3);
            let rest = width.map(|width| (width * 2 / 3).saturating_sub(verdict.pods.len() + 8));
            table.row([list(&groups, most), verdict.pods.clone(), why(verdict, rest)]);
        }
        let _ = write!(out, "\n{}", table.text());
    }
    if !plan.scheduling_needs.is_empty() && is_told(plan) {
        let _ = write!(out, "\n{}", needs(&plan.scheduling_needs, width));
    }
    out
}

/// The words of the scheduler, and what would change them.
fn why(verdict: &GroupVerdict, width: Option<usize>) -> String {
    let unless = match verdict.unless.as_str() {
        "" => String::new(),
        unless => format!(" Unless {unless}."),
    };
    lines(&format!("{}{unless}", verdict.message), width).join("\n")
}

fn lines(text: &str, width: Option<usize>) -> Vec<String> {
    wrapped(text, width, 0).lines().map(str::to_owned).collect()
}

fn needs(needs: &[Need], width: Option<usize>) -> String {
    let mut table = Table::new(["ONLY THE CLUSTER KNOWS", "WHAT"]);
    let longest = needs.iter().map(|need| need.kind.len() + need.name.len() + 4).max().unwrap_or(0);
    for need in needs {
        let what = lines(&need.why, width.map(|width| width.saturating_sub(longest.max(25)))).join("\n");
        table.row([format!("{} {}", need.kind, need.name), what]);
    }
    table.text()
}

/// A group before the scheduler.
pub fn text(scheduling: &GroupScheduling, width: Option<usize>) -> String {
    let verdict = &scheduling.verdict;
    let mut out = match (verdict.verdict, verdict.pods.as_str()) {
        (Verdict::Fits, _) if scheduling.needs.is_empty() => {
            "will it be placed: yes, every pod finds a node\n".to_owned()
        }
        (Verdict::Fits, _) => "will it be placed: yes, once the cluster has what only it knows\n".to_owned(),
        (Verdict::Waits, pods) => format!("will it be placed: no, a pod of {pods} waits\n"),
        (Verdict::Unknown, _) => "will it be placed: not known\n".to_owned(),
    };
    if !verdict.message.is_empty() {
        for line in lines(&why(verdict, None), width.map(|width| width.saturating_sub(2))) {
            let _ = writeln!(out, "  {line}");
        }
    }
    for remedy in &scheduling.remedies {
        for (at, line) in lines(remedy, width.map(|width| width.saturating_sub(11))).iter().enumerate() {
            let _ = writeln!(out, "  {:<9}{line}", if at == 0 { "way out" } else { "" });
        }
    }
    for kind in &scheduling.kinds {
        let requests: Vec<String> = kind.requests.iter().map(|(name, amount)| format!("{amount} {name}")).collect();
        let requests = if requests.is_empty() { "nothing".to_owned() } else { requests.join(", ") };
        let pods = if kind.count == 1 { "pod" } else { "pods" };
        let _ = writeln!(out, "\n{} {pods} of {}, each requesting {requests}", kind.count, kind.pods);
        let mut table = Table::new(["FILTER", "NODES", "PASS", "STOPS"]);
        for line in &kind.filters {
            let rest = width.map(|width| width.saturating_sub(30));
            let stops: Vec<String> = line.stops.iter().flat_map(|stop| lines(stop, rest)).collect();
            table.row([line.filter.clone(), line.nodes.to_string(), line.pass.to_string(), stops.join("\n")]);
        }
        out.push_str(&table.text());
        let _ = writeln!(out, "{} of {} fit when no other pod of the job is there", kind.fit, kind.count);
    }
    if !scheduling.needs.is_empty() {
        let _ = write!(out, "\n{}", needs(&scheduling.needs, width));
    }
    out
}
