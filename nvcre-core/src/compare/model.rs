//! What is compared, wherever it comes from: a rendering, or files that were rendered earlier.

use super::change::ChangeKind;
use super::difference::{
    DIFF_FORMAT, Difference, FindingChanges, HostChange, NodeChange, ObjectChange, ObjectScope, Side,
};
use super::groups::{self, Group};
use super::meaning::{self, Meaning};
use super::{fields, objects, values};
use crate::diagnostic::Diagnostic;
use crate::fleet::Filter;
use crate::trace::Origin;
use serde_json::Value;
use std::collections::BTreeSet;

/// A node that takes part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'a> {
    pub name: &'a str,
    pub host: &'a str,
}

/// Why a node stays out; without a filter, it is not there. Nothing is known of nodes without a text.
#[derive(Debug, Default)]
pub(super) struct Reason {
    pub filter: Option<Filter>,
    pub text: String,
}

/// One side.
pub(super) struct Model<'a> {
    pub side: Side,
    /// What holds for the whole run, by name.
    pub facts: Vec<(&'static str, Value)>,
    /// Nodes that take part, by name in byte order.
    pub members: Vec<Member<'a>>,
    /// Why a node stays out.
    pub reason: Box<dyn Fn(&str) -> Reason + 'a>,
    pub groups: Vec<Group<'a>>,
    /// The number in `per_job` of what each group has.
    pub variants: Vec<usize>,
    pub shared: Vec<Value>,
    /// Objects of a job, in each of the forms that jobs have.
    pub per_job: Vec<Vec<Value>>,
    pub overrides: Vec<Origin>,
    pub findings: Vec<&'a Diagnostic>,
    pub run: Value,
}

/// Compares two sides.
pub(super) fn compare(a: &Model<'_>, b: &Model<'_>) -> Difference {
    let mut out =
        Difference { format: DIFF_FORMAT.into(), a: a.side.clone(), b: b.side.clone(), ..Difference::default() };
    members(a, b, &mut out);
    let found = groups::compare(&a.groups, &b.groups);
    out.run = values(&a.run, &b.run);
    out.objects = all_objects(a, b, &found.pairs);
    (out.groups, out.moves) = (found.changes, found.moves);
    out.findings = findings(&a.findings, &b.findings);
    let mut facts: Vec<(&str, Meaning)> = Vec::new();
    let new = |name: &str| b.facts.iter().find(|(n, _)| *n == name).map(|(_, value)| value.clone());
    for (name, old) in &a.facts {
        // What only one side can know does not differ.
        if let Some(new) = new(name).filter(|new| new != old) {
            facts.push((*name, meaning::fact(name, old.clone(), new)));
        }
    }
    let mut out_meanings = Vec::new();
    let mut take = |names: &[&str], out: &mut Vec<Meaning>| {
        let (taken, rest) = std::mem::take(&mut facts).into_iter().partition(|(name, _)| names.contains(name));
        facts = rest;
        let taken: Vec<(&str, Meaning)> = taken;
        out.extend(taken.into_iter().map(|(_, meaning)| meaning));
    };
    take(
        &["run", "namespace", "platform", "gpuArchitecture", "gpuProducts", "edition", "placement"],
        &mut out_meanings,
    );
    take(&["gpusPerNode", "nodesPerJob", "totalNodes", "totalGroups"], &mut out_meanings);
    meaning::of_nodes(&out, &mut out_meanings);
    take(&["topologyKey", "strictDomain", "enableMNNVL", "mlnxPerNode", "nicResourceName"], &mut out_meanings);
    meaning::of_overrides(&a.overrides, &b.overrides, &mut out_meanings);
    fields::of_objects(&out.objects, &mut out_meanings);
    let rest = facts.into_iter().map(|(_, meaning)| meaning);
    out_meanings.extend(rest);
    meaning::of_findings(&out, &mut out_meanings);
    out.meanings = out_meanings;
    out
}

/// Nodes that left, joined, or have another host name: both lists are sorted.
fn members(a: &Model<'_>, b: &Model<'_>, out: &mut Difference) {
    let change = |node: &str, other: &Model<'_>| {
        let Reason { filter, text } = (other.reason)(node);
        NodeChange { node: node.to_owned(), filter, reason: text }
    };
    let (mut old, mut new) = (a.members.iter().peekable(), b.members.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(x), Some(y)) => x.name.cmp(y.name),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => return,
        };
        let x = if order.is_le() { old.next() } else { None };
        let y = if order.is_ge() { new.next() } else { None };
        match (x, y) {
            (Some(x), Some(y)) if x.host != y.host => {
                out.hosts.push(HostChange { node: x.name.to_owned(), old: x.host.to_owned(), new: y.host.to_owned() });
            }
            (Some(x), None) => out.left.push(change(x.name, b)),
            (None, Some(y)) => out.joined.push(change(y.name, a)),
            _ => {}
        }
    }
}

/// Objects of the run, then those of jobs: each form that jobs have with each form that they have on the other side.
fn all_objects(a: &Model<'_>, b: &Model<'_>, pairs: &[(usize, usize)]) -> Vec<ObjectChange> {
    fn borrowed(objects: &[Value]) -> Vec<&Value> {
        objects.iter().collect()
    }
    let mut out = objects::compare(&borrowed(&a.shared), &borrowed(&b.shared), ObjectScope::Run);
    let form = |model: &Model<'_>, group: usize| model.variants.get(group).copied().unwrap_or(0);
    let mut forms: BTreeSet<(usize, usize)> = pairs.iter().map(|(x, y)| (form(a, *x), form(b, *y))).collect();
    if forms.is_empty() {
        forms.insert((0, 0));
    }
    let scope = if a.per_job.len().max(b.per_job.len()) > 1 { ObjectScope::SomeJobs } else { ObjectScope::EveryJob };
    for (x, y) in forms {
        let of = |model: &Model<'_>, form: usize| model.per_job.get(form).cloned().unwrap_or_default();
        let (x, y) = (of(a, x), of(b, y));
        for change in objects::compare(&borrowed(&x), &borrowed(&y), scope) {
            if !out.contains(&change) {
                out.push(change);
            }
        }
    }
    // What is there first, so that the weightiest differences are not below whole objects.
    out.sort_by_key(|o| (o.change != ChangeKind::Changed, o.kind != "TrainJob"));
    out
}

/// Findings of one side only.
pub(super) fn findings(a: &[&Diagnostic], b: &[&Diagnostic]) -> FindingChanges {
    fn key(d: &Diagnostic) -> impl Ord + '_ {
        (d.code, d.severity, &d.path, &d.message)
    }
    let only = |these: &[&Diagnostic], others: &[&Diagnostic]| -> Vec<Diagnostic> {
        let others: BTreeSet<_> = others.iter().map(|d| key(d)).collect();
        these.iter().filter(|d| !others.contains(&key(d))).map(|d| (*d).clone()).collect()
    };
    FindingChanges { added: only(b, a), gone: only(a, b) }
}
