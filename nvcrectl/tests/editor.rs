//! The schema of a run for editors: what it accepts and refuses, beside the reader and the checker.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(missing_docs, clippy::print_stdout)]

#[path = "editor/cases.rs"]
mod cases;
mod common;

use common::root;
use jsonschema::Validator;
use nvcre_core::diagnostic::{Code, Severity, has_errors};
use nvcre_core::engine::{Engine, Options};
use nvcre_core::schema::json_schema_workload_run;
use nvcre_core::yaml::{Limits, read_documents, to_yaml};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn validator() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(json_schema_workload_run()).unwrap()).unwrap()
}

/// A document as Kubernetes reads it; `None` when it is no YAML.
fn value(bytes: &[u8]) -> Option<Value> {
    let read = read_documents(bytes, "run.yaml", &Limits::RUN);
    if has_errors(&read.diagnostics) {
        return None;
    }
    read.value.into_iter().find_map(|source| source.root).map(|root| root.to_value())
}

/// A null is a field that is not there, for the reader; an editor marks it, since somebody is still writing.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            map.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, without_nulls(v))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

fn refusals(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn errors(bytes: &[u8], lenient: bool) -> BTreeSet<Code> {
    let engine = Engine::new();
    let run = engine.read_run(bytes, "run.yaml", lenient);
    let found = engine.check(&run, None, &Options::default());
    found.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect()
}

/// Scenarios with their run, and whether unknown fields are warnings.
fn scenarios() -> Vec<(String, Vec<u8>, bool)> {
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root().join("fixtures")).unwrap().map(|e| e.unwrap().path()) {
        let Ok(bytes) = std::fs::read(folder.join("run.yaml")) else { continue };
        let scenario = std::fs::read_to_string(folder.join("scenario.yaml")).unwrap_or_default();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        out.push((name, bytes, scenario.contains("lenient: true")));
    }
    out.sort();
    assert!(out.len() > 200);
    out
}

#[test]
fn every_run_without_errors_is_accepted() {
    let validator = validator();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (name, bytes, lenient) in scenarios() {
        if lenient || !errors(&bytes, false).is_empty() {
            continue;
        }
        seen += 1;
        let value = without_nulls(value(&bytes).unwrap());
        wrong.extend(refusals(&validator, &value).into_iter().map(|refusal| format!("{name}: {refusal}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 180, "{seen}");
}

/// Of the scenarios with errors of the run itself, those that the schema refuses, too. The rest says why a schema cannot.
#[test]
fn what_the_schema_sees_of_bad_runs() {
    let validator = validator();
    let mut unseen = BTreeMap::new();
    let mut seen = 0;
    for (name, bytes, lenient) in scenarios() {
        let found = errors(&bytes, lenient);
        if found.is_empty() {
            continue;
        }
        match value(&bytes).map(without_nulls) {
            Some(value) if validator.is_valid(&value) => {
                let codes: Vec<String> = found.iter().map(Code::to_string).collect();
                unseen.insert(name, codes.join(" "));
            }
            _ => seen += 1,
        }
    }
    let told: BTreeMap<String, String> =
        cases::UNSEEN.iter().map(|(name, codes, _)| ((*name).to_owned(), (*codes).to_owned())).collect();
    assert_eq!(unseen, told);
    assert!(cases::UNSEEN.iter().all(|(.., why)| !why.is_empty()));
    assert!(seen > 30, "{seen}");
}

/// Each rule of the schema has a case that schema and checker refuse, and one beside it that both accept.
#[test]
fn rules_of_the_schema_are_those_of_the_checker() {
    let validator = validator();
    let mut wrong = Vec::new();
    let cases = cases::rules();
    assert!(cases.len() > 60, "{}", cases.len());
    for (rule, good, bad) in &cases {
        for (patch, fine) in [(good, true), (bad, false)] {
            let run = cases::run(patch);
            let refused = refusals(&validator, &run);
            let found = errors(to_yaml(&run).as_bytes(), false);
            if refused.is_empty() != fine || found.is_empty() != fine {
                wrong.push(format!("{rule}: {patch}\n  wanted {fine}, schema {refused:?}, checker {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What only YAML can get wrong: a value without quotes that Kubernetes reads as something else than a text.
#[test]
fn values_without_quotes_are_refused_as_the_reader_refuses_them() {
    let validator = validator();
    let text = |line: &str| {
        format!(
            "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {{name: sweep}}\nspec:\n  image: a\n  numNodes: 2\n  framework: {{exec: {{command: [/bin/true]}}}}\n{line}\n"
        )
    };
    for (bad, good) in [
        ("  env: [{name: A, value: 1}]", "  env: [{name: A, value: \"1\"}]"),
        ("  env: [{name: A, value: true}]", "  env: [{name: A, value: 'true'}]"),
        ("  env: [{name: A, value: yes}]", "  env: [{name: A, value: \"yes\"}]"),
        ("  env: [{name: A, value: 1.5}]", "  env: [{name: A, value: '1.5'}]"),
        ("  gpusPerNode: \"8\"", "  gpusPerNode: 8"),
        ("  enableMNNVL: \"true\"", "  enableMNNVL: true"),
        ("  target: {nodeSelector: {a: true}}", "  target: {nodeSelector: {a: \"true\"}}"),
        ("  target: {nodeNames: [7]}", "  target: {nodeNames: ['7']}"),
        ("  gpusPerNode: 8.5", "  gpusPerNode: 8"),
        ("  gpusPerNode: 3000000000", "  gpusPerNode: 4"),
    ] {
        for (line, fine) in [(bad, false), (good, true)] {
            let text = text(line);
            assert_eq!(validator.is_valid(&value(text.as_bytes()).unwrap()), fine, "schema: {line}");
            assert_eq!(errors(text.as_bytes(), false).is_empty(), fine, "reader: {line}");
        }
    }
}

/// Unknown fields, also in the types of Kubernetes.
#[test]
fn unknown_fields_are_refused_everywhere() {
    let validator = validator();
    let container = |field: Value| {
        let mut container = json!({"name": "init", "image": "a"});
        cases::merge(&mut container, &field);
        json!({"spec": {"initContainers": [container]}})
    };
    for patch in [
        json!({"specs": {}}),
        json!({"metadata": {"nam": "x"}}),
        json!({"spec": {"numNode": 2}}),
        json!({"spec": {"framework": {"mpi": {"mpiArg": []}}}}),
        json!({"spec": {"target": {"nodeSelectors": {}}}}),
        json!({"spec": {"orchestration": {"topology": {"key": "x"}}}}),
        json!({"spec": {"volumes": [{"name": "a", "emptyDir": {"size": "1Gi"}}]}}),
        json!({"spec": {"volumes": [{"name": "a", "configmap": {"name": "b"}}]}}),
        json!({"spec": {"overrides": [{"when": {"platforms": {}}, "mpiArgs": ["-v"]}]}}),
        json!({"spec": {"overrides": [{"when": {}, "preCommands": ["true"]}]}}),
        container(json!({"imagePullPolicies": "Always"})),
        container(json!({"securityContext": {"priviliged": true}})),
        container(json!({"livenessProbe": {"httpGet": {"port": 1, "pth": "/"}}})),
        container(json!({"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldpath": "a"}}}]})),
    ] {
        let run = cases::run(&patch);
        assert!(!validator.is_valid(&run), "schema: {patch}");
        assert!(errors(to_yaml(&run).as_bytes(), false).contains(&Code::UnknownField), "reader: {patch}");
    }
}
