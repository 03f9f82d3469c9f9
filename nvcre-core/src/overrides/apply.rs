//! The walk over the effective list (04 §3).

use super::layer::{Base, Layer, push_once};
use super::merge::{inserted, merge_object};
use super::summary::{Parts, when_summary};
use super::track::Tracker;
use super::typed::Seen;
use super::when::Match;
use super::{checks, json_patch, orchestration, strategic};
use crate::diagnostic::{Code, Diagnostic, Segment, Severity};
use crate::trace::{OverrideOutcome, Recorder};
use serde_json::Value;
use std::collections::BTreeMap;

/// Applies the effective list to the base, in place, and says what became of every override.
///
/// `matches` is what [`super::match_layers`] gave for these layers. The list is walked once, in order; within one
/// override the order is `jobTemplate`, `jobTemplatePatch`, `dependencies`, `orchestration`, and each step sees the
/// result of all earlier ones (04 §3). Every leaf that changes goes to the recorder.
///
/// Errors do not end the walk, so that all of them are found; when `findings` holds an error afterwards the base is
/// not to be printed or sent.
pub fn apply<R: Recorder>(
    base: &mut Base,
    layers: &[Layer],
    matches: &[Match],
    recorder: &mut R,
    findings: &mut Vec<Diagnostic>,
) -> Vec<OverrideOutcome> {
    let mut dependencies = Identities::of(&base.dependencies);
    let mut seen = Seen::default();
    let mut outcomes = Vec::with_capacity(layers.len());
    for (layer, found) in layers.iter().zip(matches) {
        let mut outcome = OverrideOutcome {
            index: layer.index,
            origin: layer.origin.clone(),
            when: when_summary(&layer.spec.when),
            patches: layer.parts.unwrap_or_else(|| Parts::of(&layer.spec)).summary(),
            matched: found.holds(),
            failed: match found {
                Match::Fails(failed) => Some(failed.clone()),
                Match::Holds | Match::Broken => None,
            },
            no_op: false,
        };
        if outcome.matched {
            let mut tracker = Tracker::new(&mut *recorder, layer);
            tracker.at("spec", |t| {
                t.at("jobTemplate", |t| job_template(&mut base.job_template, layer, &mut seen, t, findings));
                t.at("dependencies", |t| {
                    merge_dependencies(&mut base.dependencies, &mut dependencies, layer, t, findings)
                });
                if let Some(spec) = &layer.spec.orchestration {
                    for problem in orchestration::problems(spec, &layer.base_path.key("orchestration")) {
                        push_once(findings, layer.adopt(problem));
                    }
                    t.at("orchestration", |t| orchestration::apply(base, layer, spec, t));
                }
            });
            // `preCommand` and `mpiArgs` were consumed before (04 §10).
            let elsewhere = !layer.spec.pre_command.is_empty() || !layer.spec.mpi_args.is_empty();
            outcome.no_op = !tracker.changed && !elsewhere;
            if outcome.no_op && !layer.is_entry() && !has_faults(layer, findings) && outcome.patches != "none" {
                push_once(findings, no_op(layer));
            }
        }
        outcomes.push(outcome);
    }
    outcomes
}

/// True when something is wrong with an override, so that a part of it was not applied.
fn has_faults(layer: &Layer, findings: &[Diagnostic]) -> bool {
    let below = |d: &Diagnostic| d.path.as_ref().is_some_and(|path| path.0.starts_with(&layer.base_path.0));
    findings.iter().any(|d| d.severity == Severity::Error && below(d))
}

fn no_op(layer: &Layer) -> Diagnostic {
    layer
        .finding(
            Code::OverrideNoOp,
            layer.base_path.clone(),
            "this override matches but changes nothing: what it sets is there already",
        )
        .with_help("remove it, or compare its values with the rendered Workflow")
}

/// `jobTemplate`, then `jobTemplatePatch` (04 §4).
fn job_template<R: Recorder>(
    template: &mut Value,
    layer: &Layer,
    seen: &mut Seen,
    t: &mut Tracker<'_, R>,
    findings: &mut Vec<Diagnostic>,
) {
    let before = std::mem::take(&mut t.changed);
    if let Some(patch) = &layer.spec.job_template {
        let problems = checks::job_template_problems(patch, &layer.base_path.key("jobTemplate"));
        match (patch, template.as_object_mut()) {
            (Value::Object(patch), Some(base)) if problems.is_empty() => strategic::merge(base, patch, t),
            _ => problems.into_iter().for_each(|p| push_once(findings, layer.adopt(p))),
        }
    }
    if let Some(patch) = &layer.spec.job_template_patch {
        let path = layer.base_path.key("jobTemplatePatch");
        match json_patch::read(patch, &path) {
            Err(problems) => problems.into_iter().for_each(|p| push_once(findings, layer.adopt(p))),
            Ok(operations) => {
                if let Err(problem) = json_patch::apply(template, &operations, &path, t) {
                    push_once(findings, layer.adopt(*problem));
                }
            }
        }
    }
    if t.changed {
        seen.check(template, layer, findings);
    }
    t.changed |= before;
}

/// Merges each object into the first dependency of the same identity, or appends it (04 §5.1).
fn merge_dependencies<R: Recorder>(
    base: &mut Vec<Value>,
    identities: &mut Identities,
    layer: &Layer,
    t: &mut Tracker<'_, R>,
    findings: &mut Vec<Diagnostic>,
) {
    for (at, object) in layer.spec.dependencies.iter().enumerate() {
        let problems = checks::dependency_problems(object, &layer.base_path.key("dependencies").index(at));
        let Some(patch) = object.as_object().filter(|_| problems.is_empty()) else {
            problems.into_iter().for_each(|p| push_once(findings, layer.adopt(p)));
            continue;
        };
        let segment = || Segment::Named(reference(object).into());
        match identities.0.get(&identity(object)).and_then(|at| base.get_mut(*at)) {
            Some(Value::Object(old)) => t.within(segment, |t| merge_object(old, patch, t)),
            _ => {
                let new = inserted(object);
                t.within(segment, |t| t.difference(None, Some(&new)));
                identities.0.insert(identity(object), base.len());
                base.push(new);
            }
        }
    }
}

/// Where the first dependency of every identity stands.
struct Identities(BTreeMap<[String; 3], usize>);

impl Identities {
    fn of(dependencies: &[Value]) -> Self {
        let mut out = BTreeMap::new();
        for (at, object) in dependencies.iter().enumerate() {
            out.entry(identity(object)).or_insert(at);
        }
        Self(out)
    }
}

/// apiVersion, kind and name; the namespace is no part of it, a missing part is empty (04 §5.1).
fn identity(object: &Value) -> [String; 3] {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    [text("/apiVersion"), text("/kind"), text("/metadata/name")]
}

/// How paths name a dependency: kind and name.
fn reference(object: &Value) -> String {
    let [_, kind, name] = identity(object);
    format!("{kind}/{name}")
}
