//! What holds for every rendering, whatever went in.

use crate::assert_reads_back;
use nvcre_core::api::Value;
use nvcre_core::compare::{self, RenderedSide};
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::{Delivery, Engine, Options, RunInput};
use nvcre_core::explain::{Answer, Explainer, Query};
use nvcre_core::fleet::Inventory;
use nvcre_core::jobs::{JobsInput, Manifest, Prepared};
use nvcre_core::yaml::to_yaml;
use std::collections::BTreeSet;

/// Jobs that are looked at: a run may have millions.
const JOBS: usize = 6;

/// What a rendering gives, to be compared with another one.
#[derive(Debug, PartialEq)]
pub struct Rendered {
    workflow: Value,
    plan: Value,
    manifests: Vec<Manifest>,
}

/// Renders in every way there is, and asserts that they agree.
pub fn render(engine: &Engine, input: &RunInput, inventory: Option<&Inventory>, options: &Options) -> Rendered {
    let (rendering, trace) = engine.render_traced(input, inventory, options);
    let again = engine.render(input, inventory, options);
    assert_eq!(rendering.workflow, again.workflow, "tracing changes the result");
    assert_eq!(rendering.diagnostics, again.diagnostics, "tracing changes the findings");
    serde_json::to_string(&trace).expect("a trace is JSON");
    let mut out = Rendered { workflow: rendering.workflow_value(), plan: Value::Null, manifests: Vec::new() };
    if rendering.is_printable() {
        assert_reads_back(&out.workflow);
    }
    for delivery in [Delivery::Trainer, Delivery::Controller] {
        let jobs = rendering.jobs(delivery);
        let twice = again.jobs(delivery);
        assert_eq!(jobs.diagnostics, twice.diagnostics);
        assert_eq!(jobs.prepared.is_some(), twice.prepared.is_some());
        let (Some(prepared), Some(twice)) = (jobs.prepared, twice.prepared) else {
            let found = has_errors(&jobs.diagnostics) || !rendering.is_printable();
            assert!(found, "no jobs and no reason");
            continue;
        };
        out.plan = serde_json::to_value(rendering.plan(Some(&prepared))).expect("a plan is JSON");
        groups(&prepared, rendering.fleet.as_ref().map_or(&[], |f| &f.nodes));
        explained(&Explainer::new(engine, &rendering, &trace, Some(&prepared)), &out.workflow);
        let manifests = manifests(&prepared);
        assert_eq!(manifests, self::manifests(&twice), "the same twice");
        names_are_unique(&manifests);
        for manifest in &manifests {
            assert_reads_back(&manifest.value);
            env_is_unique(&manifest.value);
        }
        if delivery == Delivery::Trainer {
            resume(&rendering, &prepared);
        }
        out.manifests.extend(manifests);
    }
    let jobs = rendering.jobs(Delivery::Trainer);
    let side = RenderedSide { file: "run.yaml", rendering: &rendering, jobs: Some(&jobs) };
    assert!(compare::renderings(&side, &side).is_empty(), "a rendering differs from itself");
    out
}

/// Every variable, argument and field has a chain that ends in its value.
fn explained(explainer: &Explainer<'_>, workflow: &Value) {
    let overview = serde_json::to_value(explainer.overview()).expect("an overview is JSON");
    assert!(overview.is_object());
    for line in ["node/a", "group/group-0", "override/user-0", "value/gpusPerNode", "line/0", "env/A", "spec", "\u{0}"] {
        serde_json::to_string(&explainer.answer(&Query::parse(line), None)).expect("an answer is JSON");
    }
    let trainer = ["spec", "jobTemplate", "spec", "workload", "trainJob", "trainer"];
    let fields = trainer.iter().try_fold(workflow, |value, key| value.get(key));
    let Some(Value::Object(fields)) = fields else { return };
    for field in fields.keys() {
        let path = format!("{}.{field}", trainer.join("."));
        let Answer::Value(answer) = explainer.answer(&Query::parse(&path), None) else {
            panic!("{path} has no answer");
        };
        assert!(!answer.seen.is_empty(), "{path} is seen nowhere");
    }
}

/// Renders once. Equal to what [`render`] gives.
pub fn render_once(engine: &Engine, input: &RunInput, inventory: Option<&Inventory>, options: &Options) -> Rendered {
    let rendering = engine.render(input, inventory, options);
    let mut out = Rendered { workflow: rendering.workflow_value(), plan: Value::Null, manifests: Vec::new() };
    for delivery in [Delivery::Trainer, Delivery::Controller] {
        if let Some(prepared) = rendering.jobs(delivery).prepared {
            out.plan = serde_json::to_value(rendering.plan(Some(&prepared))).expect("a plan is JSON");
            out.manifests.extend(manifests(&prepared));
        }
    }
    out
}

fn manifests(prepared: &Prepared<'_>) -> Vec<Manifest> {
    let (mut renderer, mut printer) = (prepared.renderer(), prepared.printer());
    let mut out = prepared.shared(to_yaml);
    for job in prepared.jobs().take(JOBS) {
        let manifests = prepared.manifests(job);
        assert_eq!(manifests, renderer.render(job), "a renderer makes the same");
        let texts: Vec<String> = manifests.iter().map(|manifest| to_yaml(&manifest.value)).collect();
        let printed: Vec<&str> = printer.print(job).iter().map(|printed| printed.yaml.as_str()).collect();
        assert_eq!(printed, texts, "a printer prints the same");
        for (number, _) in prepared.changes(job) {
            assert!(number < manifests.len());
        }
        out.extend(manifests);
    }
    out
}

/// Every node is in a group, and in one only unless the plan says so.
fn groups(prepared: &Prepared<'_>, nodes: &[u32]) {
    let mut seen = BTreeSet::new();
    let mut twice = BTreeSet::new();
    for node in prepared.groups().iter().flat_map(|g| &g.nodes) {
        if !seen.insert(*node) {
            twice.insert(*node);
        }
    }
    assert!(seen.is_empty() || seen.iter().eq(nodes.iter().collect::<BTreeSet<_>>()), "{seen:?} of {nodes:?}");
    assert!(twice.iter().eq(prepared.repeated_nodes().iter().collect::<BTreeSet<_>>()));
}

/// Names within a run are unique (00 D57).
fn names_are_unique(manifests: &[Manifest]) {
    let mut seen = BTreeSet::new();
    for Manifest { value, .. } in manifests {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let name = (text("/apiVersion"), text("/kind"), text("/metadata/namespace"), text("/metadata/name"));
        assert!(seen.insert(name), "two objects are called {name:?}");
    }
}

/// No container has a variable twice.
fn env_is_unique(value: &Value) {
    match value {
        Value::Object(map) => {
            for key in ["containers", "initContainers"] {
                for container in map.get(key).and_then(Value::as_array).into_iter().flatten() {
                    let names = container.get("env").and_then(Value::as_array).into_iter().flatten();
                    let mut seen = BTreeSet::new();
                    for name in names.filter_map(|e| e.get("name")?.as_str()) {
                        assert!(seen.insert(name), "{name} twice in {container}");
                    }
                }
            }
            map.values().for_each(env_is_unique);
        }
        Value::Array(items) => items.iter().for_each(env_is_unique),
        _ => {}
    }
}

/// A run that goes on from its plan has the same jobs.
fn resume(rendering: &nvcre_core::engine::Rendering<'_>, prepared: &Prepared<'_>) {
    let plan = prepared.plan();
    let text = serde_json::to_string(&plan).expect("a plan is JSON");
    assert_eq!(serde_json::from_str::<nvcre_core::jobs::RunPlan>(&text).expect("a plan is read back"), plan);
    let inventory = plan.inventory();
    let fleet = plan.fleet(&inventory);
    let input = JobsInput {
        workflow: &rendering.workflow,
        run: &rendering.run,
        inventory: &inventory,
        fleet: &fleet,
        facts: &plan.facts,
        topology_origin: None,
        namespace: &plan.namespace,
        delivery: plan.delivery,
    };
    let (resumed, findings) = Prepared::resume(input, &plan);
    let resumed = resumed.unwrap_or_else(|| panic!("cannot go on: {findings:?}"));
    assert_eq!(resumed.plan(), plan);
    for job in prepared.jobs().take(JOBS) {
        assert_eq!(prepared.manifests(job), resumed.manifests(job));
    }
}
