//! Where the reference engine would render something else than we show (00 D60, D72, D74, D75). Only looked for when
//! that engine carries the run out.

use super::groups::Groups;
use super::input::{JobsInput, listed};
use super::placement::{Placement, runtime_tolerations};
use super::references::{Here, Place, Step, is_kept_in_job_spec, is_payload, keys, kind_of, name_of, owned};
use super::runtime::{item_name, pod_of, replicated_jobs};
use super::scope::{Copies, Scope, engine_replacements};
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A dependency as the trace names it.
/// The way out of a difference.
pub(crate) const EXACT: &str = "use delivery trainer (--show manifests), which sends exactly what is shown";

pub(crate) fn dependency_path(object: &Value) -> FieldPath {
    FieldPath::parse("spec.dependencies").named(format!("{}/{}", kind_of(object), name_of(object)))
}

fn field_path(base: &FieldPath, place: &[Step]) -> FieldPath {
    place.iter().fold(base.clone(), |path, step| {
        path.with(match step {
            Step::Key(key) => Segment::Key(key.as_str().into()),
            Step::Index(index) => Segment::Index(*index),
        })
    })
}

/// Dependencies that all jobs share although the engine copies them (00 D72).
pub(crate) fn shared_dependencies(dependencies: &[Value], copies: &Copies, findings: &mut Vec<Diagnostic>) {
    for object in copies.shared.iter().filter_map(|i| dependencies.get(*i)) {
        let message = format!(
            "{} {} is mentioned only in a text that is no reference (an argument, a value, a class), so all jobs share \
             it; the reference engine makes a copy per job",
            kind_of(object),
            name_of(object)
        );
        findings.push(
            Diagnostic::at(Code::SharedDependency, dependency_path(object), message)
                .with_help("refer to it in a volume, an env source or a claim when every job needs one of its own"),
        );
    }
}

/// Objects of several kinds with one name, of which the engine finds the last whatever a field refers to.
pub(crate) fn same_names(dependencies: &[Value], copies: &Copies, findings: &mut Vec<Diagnostic>) {
    for object in copies.copied.iter().filter_map(|i| dependencies.get(*i)) {
        let same = dependencies.iter().rev().find(|d| name_of(d) == name_of(object));
        let Some(last) = same.filter(|last| kind_of(last) != kind_of(object)) else { continue };
        let message = format!(
            "the reference engine takes {} {} for the {} of that name, which it then does not copy for every job; here each job gets a copy of the {}",
            kind_of(last),
            name_of(last),
            kind_of(object),
            kind_of(object)
        );
        findings.push(
            Diagnostic::at(Code::EngineDiffers, dependency_path(last), message)
                .with_help("give one of the two another name"),
        );
    }
}

/// Texts that the engine replaces in the copies and the job spec and that are kept here.
pub(crate) fn renamed_texts(
    dependencies: &[Value],
    job_spec: &Value,
    scope: &Scope,
    copies: &Copies,
    queue_key: Option<&str>,
    findings: &mut Vec<Diagnostic>,
) {
    let engine = engine_replacements(dependencies, &scope.job);
    let mut kept: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut look = |value: &Value, base: &FieldPath, ours: BTreeSet<Place>, skip: &dyn Fn(&[Step<&str>]) -> bool| {
        visit(value, &mut Vec::new(), skip, &mut |place, text, is_key| {
            let scheduling = matches!(place.last(), Some(Step::Key(key))
                if *key == "schedulerName" || queue_key == Some(*key));
            if let Some(old) = engine.get(text)
                && !scheduling
                && let place = owned(place)
                && (is_key || !ours.contains(&place))
            {
                kept.entry(old).or_default().push(field_path(base, &place).to_string());
            }
        });
    };
    for object in copies.copied.iter().filter_map(|i| dependencies.get(*i)) {
        let mut ours: BTreeSet<Place> =
            copies.places(object, &is_payload).into_iter().map(|(place, _)| place).collect();
        ours.insert(keys(&["metadata", "name"]));
        look(object, &dependency_path(object), ours, &|_| false);
    }
    let ours = copies.places(job_spec, &is_kept_in_job_spec).into_iter().map(|(place, _)| place).collect();
    look(job_spec, &FieldPath::parse("spec.jobTemplate.spec"), ours, &is_kept_in_job_spec);
    for (old, places) in kept {
        let message = format!(
            "the reference engine takes {old:?} for the name of an object and replaces it in every job; here it stays: {}",
            listed(places)
        );
        findings.push(
            Diagnostic::new(Code::EngineDiffers, message)
                .with_path("metadata.name")
                .with_help("use another word, or another name of the run, to get the same from both"),
        );
    }
}

/// Takes a place, the text there, and whether it is a key.
type Visitor<'f> = dyn FnMut(&[Step<&str>], &str, bool) + 'f;

/// Calls `found` with every string value and every key.
fn visit<'a>(value: &'a Value, place: &mut Here<'a>, skip: &dyn Fn(&[Step<&str>]) -> bool, found: &mut Visitor<'_>) {
    if skip(place) {
        return;
    }
    match value {
        Value::String(text) => found(place, text, false),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                place.push(Step::Index(index));
                visit(item, place, skip, found);
                place.pop();
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                place.push(Step::Key(key));
                if !skip(place) {
                    found(place, key, true);
                    visit(item, place, skip, found);
                }
                place.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Sizes of ComputeDomains, and lists of the runtime that the engine's patch replaces.
pub(crate) fn placement(
    input: &JobsInput<'_>,
    groups: &Groups,
    size: i64,
    copies: &Copies,
    placement: &Placement,
    runtime: Option<&Value>,
    findings: &mut Vec<Diagnostic>,
) {
    let dependencies = &input.workflow.spec.dependencies;
    let wanted = usize::try_from(size).unwrap_or(0);
    let odd = groups.list.iter().any(|g| !g.nodes.is_empty() && g.nodes.len() != wanted);
    let domains = copies.copied.iter().filter_map(|i| dependencies.get(*i)).filter(|d| kind_of(d) == "ComputeDomain");
    for domain in domains.filter(|_| odd) {
        let message = format!(
            "the reference engine gives every copy of ComputeDomain {} numNodes {size}; here each has the size of its group",
            name_of(domain)
        );
        let path = dependency_path(domain).key("spec").key("numNodes");
        findings.push(Diagnostic::at(Code::EngineDiffers, path, message).with_help(EXACT));
    }
    let (Some(runtime), Some(train_job)) = (runtime, input.train_job()) else { return };
    let jobs = super::patch::target_jobs(train_job);
    for job in replicated_jobs(runtime).iter().map(item_name).filter(|name| jobs.iter().any(|j| j == name)) {
        let Some(pod) = pod_of(runtime, job) else { continue };
        let everything = placement.tolerations.iter().any(|t| t.key.is_empty() && t.operator == "Exists");
        if !placement.tolerations.is_empty() && !everything && !runtime_tolerations(pod).is_empty() {
            let message = format!(
                "the reference engine's patch replaces the tolerations that the runtime gives {job}; here both apply"
            );
            findings.push(Diagnostic::at(Code::EngineDiffers, dependency_path(runtime), message).with_help(EXACT));
        }
        if !placement.requirements.expressions.is_empty()
            && !super::affinity::existing_terms(train_job, Some(pod), job).is_empty()
        {
            let message = format!(
                "the reference engine replaces the required node affinity that is there for {job}; here both must hold"
            );
            findings.push(Diagnostic::at(Code::EngineDiffers, dependency_path(runtime), message).with_help(EXACT));
        }
    }
}
