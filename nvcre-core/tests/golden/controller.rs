//! Suites of the Workflow controller that are no detection: overrides, dependencies, names.

use super::support::{Case, number, text, typed};
use nvcre_core::jobs::{Naming, classify, engine_replacements, truncate};
use nvcre_core::overrides::{Base, Context, Layer, apply, match_layers};
use nvcre_core::trace::Trace;
use serde_json::{Value, json};

/// A Workflow spec with its overrides, applied in a context.
pub fn apply_overrides(case: &Case) {
    let input = case.input();
    let spec = &input["spec"];
    let base = || Base {
        job_template: spec["jobTemplate"].clone(),
        dependencies: spec["dependencies"].as_array().cloned().unwrap_or_default(),
        orchestration: typed(&spec["orchestration"]),
        own_topology_key: false,
    };
    let overrides = spec["overrides"].as_array().cloned().unwrap_or_default();
    let layers: Vec<Layer> =
        overrides.iter().enumerate().map(|(at, value)| Layer::user(at, at, typed(value))).collect();
    let context = Context {
        platform: text(&input, "platform").into(),
        gpu_architecture: text(&input, "gpuArchitecture").into(),
        workload_kind: text(&input, "workloadKind").into(),
        topology_mode: text(&input, "topologyMode").into(),
        domain_count: number(&input, "domainCount"),
    };
    let mut findings = Vec::new();
    let matches = match_layers(&layers, &context, &mut findings);
    let (mut plain, mut traced) = (base(), base());
    apply(&mut plain, &layers, &matches, &mut (), &mut findings);
    apply(&mut traced, &layers, &matches, &mut Trace::default(), &mut findings);
    assert_eq!(plain, traced, "{}: the trace changes the result", case.title());
    if case.text_if_any("expected.json").is_none() {
        assert!(nvcre_core::diagnostic::has_errors(&findings), "{}: an error is expected", case.title());
        return;
    }
    case.compare_error(&findings, None);
    let mut found = spec.clone();
    found["jobTemplate"] = plain.job_template;
    found["orchestration"] = serde_json::to_value(&plain.orchestration).unwrap();
    if !plain.dependencies.is_empty() {
        found["dependencies"] = json!(plain.dependencies);
    }
    case.compare(found);
}

fn json_text(value: &Value) -> Value {
    serde_json::from_str(value.as_str().unwrap()).unwrap()
}

fn dependencies(input: &Value) -> Vec<Value> {
    input["deps"].as_array().into_iter().flatten().map(|d| json_text(&d["raw"])).collect()
}

/// What the engine renames in per-job copies.
pub fn build_replacement_map(case: &Case) {
    let input = case.input();
    let dependencies = dependencies(&input);
    let all: Vec<usize> = (0..dependencies.len()).collect();
    let suffix = text(&input, "suffix");
    let pair = |old: &str| json!({"key": old, "value": truncate(&format!("{old}{suffix}"), 63)});
    let found: Vec<Value> = engine_replacements(&dependencies, &all).into_iter().map(pair).collect();
    case.compare(json!({ "replacements": found }));
}

/// Which dependencies every job gets a copy of.
pub fn classify_dependencies(case: &Case) {
    let input = case.input();
    let dependencies = dependencies(&input);
    let scope = classify(&dependencies, &json_text(&input["jobSpec"]));
    let names = |list: &[usize]| list.iter().map(|i| dependencies[*i]["metadata"]["name"].clone()).collect::<Value>();
    case.compare(json!({"workflowScoped": names(&scope.workflow), "jobScoped": names(&scope.job)}));
}

/// Names of Jobs.
pub fn group_job_name(case: &Case) {
    let input = case.input();
    let naming =
        Naming::new(text(&input, "workflowName"), number(&input, "iterations"), number(&input, "totalGroups"), false);
    case.compare(json!({ "result": naming.job(text(&input, "groupName"), number(&input, "iteration")) }));
}
