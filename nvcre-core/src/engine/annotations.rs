//! Metadata of the Workflow (02 §11).

use super::Facts;
use crate::api::{MANAGED_BY, MANAGED_BY_KEY, ObjectMeta, RUN_KEY, WorkloadRun};
use crate::trace::OverrideOutcome;
use serde::Serialize;

const ARCHITECTURE: &str = "nvcrectl.nvidia.com/detected-gpu-architecture";
const PLATFORM: &str = "nvcrectl.nvidia.com/detected-platform";
const APPLIED: &str = "nvcrectl.nvidia.com/applied-overrides";

/// Metadata of the Workflow of a run.
pub(super) fn metadata(run: &WorkloadRun, facts: &Facts, outcomes: &[OverrideOutcome]) -> ObjectMeta {
    let mut meta = ObjectMeta {
        name: run.metadata.name.clone(),
        namespace: run.metadata.namespace.clone(),
        ..ObjectMeta::default()
    };
    meta.labels.insert(MANAGED_BY_KEY.into(), MANAGED_BY.into());
    meta.labels.insert(RUN_KEY.into(), run.metadata.name.clone());
    annotate(&mut meta, &facts.platform, &facts.architecture, facts.resolved, outcomes);
    meta
}

/// Puts down what was detected and which overrides were applied.
pub(super) fn annotate(
    meta: &mut ObjectMeta,
    platform: &str,
    architecture: &str,
    resolved: bool,
    outcomes: &[OverrideOutcome],
) {
    meta.annotations.insert(ARCHITECTURE.into(), architecture.to_owned());
    if resolved {
        meta.annotations.insert(PLATFORM.into(), platform.to_owned());
    }
    let record = |o: &'_ OverrideOutcome| {
        serde_json::to_string(&Applied { index: o.index, when: &o.when, patches: &o.patches, no_op: o.no_op })
    };
    let applied: Vec<String> = outcomes.iter().filter(|o| o.matched).filter_map(|o| record(o).ok()).collect();
    if !applied.is_empty() {
        meta.annotations.insert(APPLIED.into(), format!("[{}]", applied.join(",")));
    }
}

/// One record of the annotation, its fields in the order of 03 §7.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Applied<'a> {
    index: usize,
    when: &'a str,
    patches: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_op: bool,
}
