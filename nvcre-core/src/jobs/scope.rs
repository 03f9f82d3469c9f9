//! Which dependencies every job gets a copy of, and in which order they are made (03 §6.4, 00 D72, D73).

use super::references::{
    Reference, Refers, Step, is_cluster_scoped, is_kept_in_job_spec, is_payload, is_resource_like, job_spec_strings,
    kind_of, name_of, references, strings,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The two kinds of dependencies, as positions in the list, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// One object for the whole run.
    pub workflow: Vec<usize>,
    /// One copy per job.
    pub job: Vec<usize>,
}

/// Classifies dependencies as the engine does: by equal strings; of objects with one name the last is found (03 §6.4).
/// `job_spec` is the spec of the job template.
pub fn classify(dependencies: &[Value], job_spec: &Value) -> Scope {
    let mut names = by_name(dependencies);
    for found in names.values_mut() {
        found.drain(..found.len().saturating_sub(1));
    }
    reached(dependencies, job_spec, &names)
}

/// Positions of the dependencies by name; objects of several kinds may have the same.
fn by_name(dependencies: &[Value]) -> BTreeMap<&str, Vec<usize>> {
    let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, object) in dependencies.iter().enumerate().filter(|(_, object)| !name_of(object).is_empty()) {
        names.entry(name_of(object)).or_default().push(index);
    }
    names
}

/// What the texts of the job spec, and of what they name, lead to.
fn reached(dependencies: &[Value], job_spec: &Value, names: &BTreeMap<&str, Vec<usize>>) -> Scope {
    let in_cluster = |index: usize| dependencies.get(index).is_some_and(|d| is_cluster_scoped(kind_of(d)));
    // Only these texts can lead to a dependency.
    let leads = |text: &str| names.contains_key(text) || is_resource_like(text);
    let texts: Vec<Vec<&str>> = dependencies.iter().map(|d| strings(d, &leads)).collect();
    let seeds = job_spec_strings(job_spec, &|text| names.contains_key(text));
    let named = seeds.iter().filter_map(|text| names.get(text)).flatten().copied();
    let mut open: VecDeque<usize> = named.filter(|i| !in_cluster(*i)).collect();
    let mut job: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(index) = open.pop_front() {
        for text in texts.get(index).into_iter().flatten() {
            let found: Vec<usize> = match names.get(text) {
                Some(named) => named.clone(),
                None => {
                    let holds = |other: &[&str]| other.binary_search(text).is_ok();
                    texts.iter().enumerate().filter(|(_, other)| holds(other)).map(|(i, _)| i).collect()
                }
            };
            open.extend(found.into_iter().filter(|i| !in_cluster(*i) && job.insert(*i)));
        }
    }
    let (job, workflow) = (0..dependencies.len()).partition(|i| job.contains(i));
    Scope { workflow, job }
}

/// The names that the engine replaces in the copies and the job spec (03 §6.4): those of `members`, and strings that
/// two of them share. Sorted.
pub fn engine_replacements<'a>(dependencies: &'a [Value], members: &[usize]) -> BTreeSet<&'a str> {
    let all_names: BTreeSet<&str> = dependencies.iter().map(name_of).collect();
    let members = || members.iter().filter_map(|i| dependencies.get(*i));
    let mut out: BTreeSet<&str> = members().map(name_of).filter(|n| !n.is_empty()).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for text in members().flat_map(|d| strings(d, &is_resource_like)) {
        *seen.entry(text).or_default() += 1;
    }
    let shared = seen.into_iter().filter(|(text, count)| *count > 1 && !all_names.contains(text));
    out.extend(shared.map(|(text, _)| text));
    out
}

/// The order in which `members` are made: what is named comes before what names it; objects on a cycle last, in the
/// order of the list.
pub fn creation_order(dependencies: &[Value], members: &[usize]) -> Vec<usize> {
    if members.len() < 2 {
        return members.to_vec();
    }
    let names: Vec<&str> = members.iter().filter_map(|i| dependencies.get(*i)).map(name_of).collect();
    let member = |i: &usize| dependencies.get(*i).map(|d| (*i, name_of(d), strings(d, &|text| names.contains(&text))));
    let members: Vec<(usize, &str, Vec<&str>)> = members.iter().filter_map(member).collect();
    let needs = |a: &(usize, &str, Vec<&str>), b: &(usize, &str, Vec<&str>)| {
        a.1 != b.1 && !b.1.is_empty() && a.2.contains(&b.1)
    };
    let mut waiting: BTreeMap<usize, usize> =
        members.iter().map(|a| (a.0, members.iter().filter(|b| needs(a, b)).count())).collect();
    let mut ready: VecDeque<usize> = waiting.iter().filter(|(_, n)| **n == 0).map(|(i, _)| *i).collect();
    let mut out = Vec::with_capacity(members.len());
    while let Some(done) = ready.pop_front() {
        waiting.remove(&done);
        out.push(done);
        let Some(done) = members.iter().find(|m| m.0 == done) else { continue };
        for next in members.iter().filter(|m| needs(m, done)) {
            if let Some(count) = waiting.get_mut(&next.0) {
                *count -= 1;
                if *count == 0 {
                    ready.push_back(next.0);
                }
            }
        }
    }
    out.extend(waiting.into_keys());
    out
}

/// A name that differs from job to job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The name in the dependencies.
    pub original: String,
    /// Kind of the object; empty for a value of the label `app`.
    pub kind: String,
}

/// What is copied per job under 00 D72, and which names change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Copies {
    /// Positions of the dependencies that every job gets a copy of, in the order of the list.
    pub copied: Vec<usize>,
    /// Positions of those that the engine copies and we share, in the order of the list.
    pub shared: Vec<usize>,
    /// Names that change.
    pub targets: Vec<Target>,
}

impl Copies {
    /// The target that a reference means, if any.
    pub fn target(&self, refers: Refers, name: &str) -> Option<usize> {
        self.targets.iter().position(|t| {
            t.original == name
                && match refers {
                    Refers::Kind(kind) => t.kind == kind,
                    Refers::App => true,
                }
        })
    }

    /// The target that is the name of a copied object.
    pub fn own(&self, object: &Value) -> Option<usize> {
        self.target_of(kind_of(object), name_of(object))
    }

    /// The target of this kind and name.
    pub fn target_of(&self, kind: &str, name: &str) -> Option<usize> {
        self.targets.iter().position(|t| t.original == name && t.kind == kind)
    }

    /// The places of an object whose text changes, with the target each.
    pub fn places(&self, value: &Value, skip: &dyn Fn(&[Step<&str>]) -> bool) -> Vec<(Vec<Step>, usize)> {
        let found = references(value, skip).into_iter();
        found.filter_map(|r| self.target(r.refers, r.name).map(|target| (r.place, target))).collect()
    }
}

/// The name of the claim template that a ComputeDomain makes (05 E1).
pub(crate) fn created_template(object: &Value) -> Option<&str> {
    if kind_of(object) != "ComputeDomain" {
        return None;
    }
    let path = ["spec", "channel", "resourceClaimTemplate", "name"];
    super::references::at(object, &path).and_then(Value::as_str).filter(|name| !name.is_empty())
}

/// Narrows `scope` to what is referred to in a field that holds a reference (00 D72).
pub(crate) fn copies(dependencies: &[Value], job_spec: &Value, scope: &Scope) -> Copies {
    // By kind and name: an object of another kind with the same name hides nothing.
    let names = by_name(dependencies);
    let all = match names.values().any(|found| found.len() > 1) {
        true => reached(dependencies, job_spec, &names),
        false => scope.clone(),
    };
    let fields: Vec<Vec<Reference<'_>>> = dependencies.iter().map(|d| references(d, &is_payload)).collect();
    let is_named = |index: usize, r: &Reference<'_>| {
        dependencies.get(index).is_some_and(|d| {
            name_of(d) == r.name
                && match r.refers {
                    Refers::Kind(kind) => kind_of(d) == kind,
                    Refers::App => true,
                }
        })
    };
    let mut copied: BTreeSet<usize> = BTreeSet::new();
    let seeds = references(job_spec, &is_kept_in_job_spec);
    let mut open: VecDeque<usize> = VecDeque::new();
    for index in &all.job {
        if seeds.iter().any(|r| is_named(*index, r)) && copied.insert(*index) {
            open.push_back(*index);
        }
    }
    while let Some(index) = open.pop_front() {
        let mine = fields.get(index).map_or(&[][..], Vec::as_slice);
        for other in &all.job {
            let theirs = fields.get(*other).map_or(&[][..], Vec::as_slice);
            let shares = |r: &Reference<'_>| {
                is_resource_like(r.name)
                    && !names.contains_key(r.name)
                    && theirs.iter().any(|t| t.refers == r.refers && t.name == r.name)
            };
            if mine.iter().any(|r| is_named(*other, r) || shares(r)) && copied.insert(*other) {
                open.push_back(*other);
            }
        }
    }
    let mut targets: Vec<Target> = Vec::new();
    let mut add = |original: &str, kind: &str| {
        if !targets.iter().any(|t| t.original == original && t.kind == kind) {
            targets.push(Target { original: original.to_owned(), kind: kind.to_owned() });
        }
    };
    let objects = || copied.iter().filter_map(|i| dependencies.get(*i));
    for object in objects() {
        add(name_of(object), kind_of(object));
    }
    for template in objects().filter_map(created_template) {
        add(template, "ResourceClaimTemplate");
    }
    let mut apps: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for index in &copied {
        for r in fields.get(*index).into_iter().flatten().filter(|r| r.refers == Refers::App) {
            apps.entry(r.name).or_default().insert(*index);
        }
    }
    for (app, owners) in apps {
        if owners.len() > 1 && is_resource_like(app) && !names.contains_key(app) {
            add(app, "");
        }
    }
    // A copied object of another kind explains the text that names this one.
    let explained = |index: usize| {
        let name = dependencies.get(index).map_or("", name_of);
        copied.iter().filter_map(|i| dependencies.get(*i)).any(|d| name_of(d) == name)
    };
    let shared = scope.job.iter().copied().filter(|i| !copied.contains(i) && !explained(*i)).collect();
    Copies { copied: copied.into_iter().collect(), shared, targets }
}

#[cfg(test)]
#[path = "scope_tests.rs"]
mod tests;
