//! Orchestration overrides (04 §6): every field that is given replaces the base field whole.

use super::layer::{Base, Layer};
use super::track::Tracker;
use crate::api::{OrchestrationOverride, OverrideSpec, TopologySpec};
use crate::check::topology_key_problem;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::trace::Recorder;
use serde::Serialize;

/// Fits the topology of a catalogue entry to a run before it is applied or stored (00 D39): a run that names its own
/// key keeps it (00 D4), and the strictness of the base survives an entry that only brings the key (00 D3).
///
/// `own_key` and `strict` describe the base: whether the run set `topologyKey`, and its `strictDomain`.
pub fn fit_topology(spec: &mut OverrideSpec, own_key: bool, strict: Option<bool>) {
    let Some(orchestration) = &mut spec.orchestration else { return };
    if own_key {
        orchestration.topology = None;
        if *orchestration == OrchestrationOverride::default() {
            spec.orchestration = None;
        }
    } else if let Some(topology) = &mut orchestration.topology {
        keep_strictness(topology, strict);
    }
}

/// An entry that brings only the key leaves the strictness as it is.
fn keep_strictness(topology: &mut TopologySpec, strict: Option<bool>) {
    if topology.topology_key.is_some() && topology.strict_domain.is_none() {
        topology.strict_domain = strict;
    }
}

/// Applies one orchestration override to the base.
pub(super) fn apply<R: Recorder>(base: &mut Base, layer: &Layer, spec: &OrchestrationOverride, t: &mut Tracker<'_, R>) {
    let orchestration = &mut base.orchestration;
    if let Some(target) = &spec.target {
        replace("target", &mut orchestration.target, Some(target.clone()), t);
    }
    match &spec.topology {
        Some(_) if layer.is_entry() && base.own_topology_key => {}
        Some(topology) => {
            let mut topology = topology.clone();
            if layer.is_entry() {
                keep_strictness(&mut topology, orchestration.topology.as_ref().and_then(|t| t.strict_domain));
            }
            replace("topology", &mut orchestration.topology, Some(topology), t);
        }
        None => {}
    }
    if let Some(execution) = &spec.execution {
        replace("execution", &mut orchestration.execution, execution.clone(), t);
    }
    if let Some(iterations) = spec.iterations {
        replace("iterations", &mut orchestration.iterations, iterations, t);
    }
    if let Some(placement) = &spec.placement {
        replace("placement", &mut orchestration.placement, placement.clone(), t);
    }
}

fn replace<R: Recorder, T: PartialEq + Serialize>(key: &str, slot: &mut T, new: T, t: &mut Tracker<'_, R>) {
    if *slot == new {
        return;
    }
    t.changed = true;
    if t.records() {
        let json = |v: &T| serde_json::to_value(v).ok().filter(|v| !v.is_null());
        let (old, new) = (json(slot), json(&new));
        t.at(key, |t| t.difference(old.as_ref(), new.as_ref()));
    }
    *slot = new;
}

/// Ranges and enums of an orchestration override (04 §6, 01 §2.3–2.6, 00 D45), found before and after applying alike.
pub(super) fn problems(spec: &OrchestrationOverride, path: &FieldPath) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if let Some(iterations) = spec.iterations.filter(|n| *n < 1) {
        out.push(
            Diagnostic::at(
                Code::BelowMinimum,
                path.key("iterations"),
                format!("iterations is {iterations}, it must be at least 1"),
            )
            .with_help("set it to 1 or more, or leave it out to keep the number of the run"),
        );
    }
    if let Some(placement) = spec.placement.as_deref().filter(|p| !matches!(*p, "Pinned" | "Unpinned")) {
        out.push(
            Diagnostic::at(
                Code::NotAllowed,
                path.key("placement"),
                format!("placement is {placement:?}, it must be \"Pinned\" or \"Unpinned\""),
            )
            .with_help("write Pinned (a group names its nodes) or Unpinned (the scheduler chooses them)"),
        );
    }
    if let Some(key) = spec.topology.as_ref().and_then(|t| t.topology_key.as_deref()) {
        out.extend(topology_key_problem(key, path.key("topology").key("topologyKey")));
    }
    let Some(execution) = &spec.execution else { return out };
    let path = path.key("execution");
    for (key, count) in
        [("maxConcurrent", execution.max_concurrent), ("retryFailedGroups", execution.retry_failed_groups)]
    {
        if count < 0 {
            out.push(
                Diagnostic::at(Code::BelowMinimum, path.key(key), format!("{key} is {count}, it must not be negative"))
                    .with_help(format!("set it to 0 or more, or leave {key} out")),
            );
        }
    }
    if let Some(timeout) = execution.timeout_per_job.filter(|d| d.nanos <= 0) {
        out.push(
            Diagnostic::at(
                Code::BadDuration,
                path.key("timeoutPerJob"),
                format!("timeoutPerJob is {timeout}: a job would have no time at all"),
            )
            .with_help("give a duration above zero, for example 30m or 1h30m"),
        );
    }
    out
}
