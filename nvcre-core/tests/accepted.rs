//! Findings that a run accepts by annotation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod support;

use nvcre_core::diagnostic::{Code, Diagnostic};
use nvcre_core::engine::{ALLOW_ANNOTATION, Delivery, Engine, Options};
use nvcre_core::yaml;
use serde_json::{Value, json};
use support::{basic, nodes, with};

/// A run whose limit is warned of (NV059), with the annotation.
fn text(allow: &str, more: Value) -> String {
    let spec = with(with(basic(), json!({"orchestration": {"timeoutPerJob": "4h"}})), more);
    yaml::to_yaml(&json!({
        "apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "WorkloadRun",
        "metadata": {"name": "my-workload", "annotations": {ALLOW_ANNOTATION: allow}}, "spec": spec,
    }))
}

fn declared(allow: &str) -> Vec<Diagnostic> {
    let engine = Engine::new();
    let run = engine.read_run(text(allow, json!({})).as_bytes(), "run.yaml", false);
    let options = Options { platform: Some("onprem".into()), gpu_arch: Some("h100".into()), ..Options::default() };
    engine.render(&run, None, &options).diagnostics
}

fn told(findings: &[Diagnostic]) -> Vec<(Code, Option<&str>)> {
    findings.iter().map(|d| (d.code, d.accepted.as_deref())).collect()
}

#[test]
fn codes_and_a_reason() {
    for (allow, reason) in [
        ("NV059", ""),
        ("NV059,NV059", ""),
        (" NV059 -- a soak test ", "a soak test"),
        ("NV059\n-- a\n", "a"),
        ("NV059 --", ""),
        ("NV059 -- not for NV001 -- ever", "not for NV001 -- ever"),
    ] {
        let findings = declared(allow);
        assert_eq!(told(&findings), [(Code::LauncherLimit, Some(reason))], "{allow:?}");
    }
}

#[test]
fn what_is_wrong_with_the_annotation_is_found_beside_what_it_accepts() {
    let findings = declared("NV107, nv59 NV059; NV050");
    assert_eq!(
        told(&findings),
        [
            (Code::AllowedError, None),
            (Code::AllowedUnknown, None),
            (Code::AllowedUnknown, None),
            (Code::AllowedUnused, None),
            (Code::LauncherLimit, None),
        ]
    );
    assert_eq!(findings[2].message, "\"NV059;\" is no code of a finding");
    assert_eq!(findings[2].help.as_deref().unwrap(), "did you mean NV059? A reason is written after \" -- \"");
    assert_eq!(told(&declared(" , ")), [(Code::AllowedUnknown, None), (Code::LauncherLimit, None)]);
}

#[test]
fn what_needs_nodes_is_not_missed_without_them() {
    // NV255: nodes run twice.
    assert_eq!(told(&declared("NV059 NV255")), [(Code::LauncherLimit, Some(""))]);
    let engine = Engine::new();
    let with_nodes = |count: usize| {
        let text = text("NV059 NV255", json!({"numNodes": 2}));
        let run = engine.read_run(text.as_bytes(), "run.yaml", false);
        let inventory = nodes("onprem", "h100", count);
        let rendering = engine.render(&run, Some(&inventory), &Options::default());
        let jobs = rendering.jobs(Delivery::Trainer);
        let all = [rendering.diagnostics.clone(), jobs.diagnostics].concat();
        told(&all).into_iter().map(|(code, reason)| (code, reason.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(with_nodes(3), [(Code::LauncherLimit, true), (Code::NodesRunTwice, true)]);
    assert_eq!(with_nodes(4), [(Code::LauncherLimit, true), (Code::AllowedUnused, false)]);
}

#[test]
fn the_annotation_changes_no_object() {
    let engine = Engine::new();
    let inventory = nodes("onprem", "h100", 4);
    let made = |allow: &str| {
        let run = engine.read_run(text(allow, json!({})).as_bytes(), "run.yaml", false);
        let rendering = engine.render(&run, Some(&inventory), &Options::default());
        let jobs = rendering.jobs(Delivery::Trainer);
        let prepared = jobs.prepared.unwrap();
        let objects: Vec<Value> = prepared.jobs().flat_map(|job| prepared.manifests(job)).map(|m| m.value).collect();
        (rendering.workflow_value(), objects)
    };
    let (workflow, objects) = made("NV059 -- why");
    assert_eq!((&workflow, &objects), (&made("").0, &made("").1));
    assert!(!workflow.to_string().contains("nvcre.nvidia.com/allow"));
}
