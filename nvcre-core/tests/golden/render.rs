//! Suite `render`: a hand-written Workflow, resolved for nodes or for a platform and a GPU (03 §7).

use super::support::{Case, text};
use nvcre_core::api::Workflow;
use nvcre_core::diagnostic::{Code, Diagnostic};
use nvcre_core::engine::{Engine, Options};
use nvcre_core::fleet::{Inventory, read_inventory};
use serde_json::{Value, json};

pub fn workflow(case: &Case) {
    let config = case.yaml("input_config.yaml");
    let workflow: Workflow = serde_json::from_value(case.yaml("input_workflow.yaml")).unwrap();
    let nodes = case.text_if_any("input_nodes.yaml").map(|text| read_inventory(&text));
    if let Some(read) = &nodes {
        assert_eq!(read.diagnostics, [], "{}", case.title());
    }
    let given = |key: &str| Some(text(&config, key).to_owned()).filter(|t| !t.is_empty());
    let options = Options { platform: given("platform"), gpu_arch: given("gpuArch"), ..Options::default() };
    let resolved = Engine::new().resolve_workflow(&workflow, nodes.as_ref().map(|n| &n.value), &options);
    case.compare_error(&resolved.diagnostics, None);
    case.compare(serde_json::to_value(&resolved.workflow).unwrap());
}

fn hand_written(spec: Value) -> Workflow {
    serde_json::from_value(json!({"apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "Workflow",
        "metadata": {"name": "w", "annotations": {"own": "1"}}, "spec": spec}))
    .unwrap()
}

fn nodes(list: &[(&str, &str, &str)]) -> Inventory {
    let node = |(name, provider, product): &(&str, &str, &str)| {
        json!({"metadata": {"name": name, "labels": {"nvidia.com/gpu.product": product, "rack": provider}},
            "spec": {"providerID": provider, "unschedulable": true}})
    };
    read_inventory(&Value::Array(list.iter().map(node).collect()).to_string()).value
}

fn codes(found: &[Diagnostic]) -> Vec<Code> {
    found.iter().map(|d| d.code).collect()
}

/// Beyond upstream's cases: nodes as they are given, a declaration that wins, and what is wrong.
#[test]
fn a_workflow_is_resolved_where_it_would_run() {
    let engine = Engine::new();
    let on = |platform: &str| json!({"platform": {"equals": platform}});
    let config =
        |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}});
    let spec = json!({
        "jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {"numNodes": 2}}}}},
        "orchestration": {"topology": {"topologyKey": "rack"}},
        "overrides": [
            {"when": on("aws"), "dependencies": [config("of-aws")]},
            {"when": {"topology": {"domainCount": {"equals": 1}, "mode": "topology"}}, "dependencies": [config("one-rack")]},
            {"when": on("gcp"), "mpiArgs": ["--x"], "preCommand": ["true"], "orchestration": {"iterations": 2}},
        ],
    });
    let workflow = hand_written(spec);
    let aws =
        nodes(&[("b", "aws://1", "NVIDIA-H100"), ("a", "aws://1", "NVIDIA-H100"), ("c", "aws://1", "NVIDIA-A100")]);
    let resolved = engine.resolve_workflow(&workflow, Some(&aws), &Options::default());
    // Cordoned nodes without the GPU label count: they are used as given.
    assert_eq!(codes(&resolved.diagnostics), [Code::NoEffect, Code::NoEffect]);
    let annotations = &resolved.workflow.metadata.annotations;
    assert_eq!(annotations["nvcrectl.nvidia.com/detected-platform"], "aws");
    assert_eq!(annotations["nvcrectl.nvidia.com/detected-gpu-architecture"], "h100");
    assert_eq!(annotations["own"], "1");
    let names: Vec<&str> =
        resolved.workflow.spec.dependencies.iter().map(|d| d["metadata"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["of-aws", "one-rack"]);
    assert_eq!(resolved.overrides.iter().map(|o| o.matched).collect::<Vec<_>>(), [true, true, false]);
    assert!(resolved.workflow.spec.overrides.is_empty());
    assert_eq!(workflow.spec.overrides.len(), 3, "the input stays");

    let gcp = Options { platform: Some("gcp".into()), ..Options::default() };
    let resolved = engine.resolve_workflow(&workflow, Some(&aws), &gcp);
    assert_eq!(codes(&resolved.diagnostics), [Code::PlatformOverridden, Code::NoEffect, Code::NoEffect]);
    assert_eq!(resolved.workflow.spec.orchestration.iterations, 2);

    let mixed = nodes(&[("a", "aws://1", "NVIDIA-H100"), ("b", "gce://1", "NVIDIA-H100")]);
    let resolved = engine.resolve_workflow(&workflow, Some(&mixed), &Options::default());
    let finding = resolved.diagnostics.iter().find(|d| d.code == Code::HeterogeneousPlatform).unwrap();
    assert!(finding.message.contains("aws: 1, gcp: 1"), "{}", finding.message);

    let nowhere = engine.resolve_workflow(&workflow, None, &Options::default());
    assert!(codes(&nowhere.diagnostics).contains(&Code::NoInventory));
    let wrong = Options { platform: Some("moon".into()), gpu_arch: Some("h1000".into()), ..Options::default() };
    let wrong = codes(&engine.resolve_workflow(&workflow, None, &wrong).diagnostics);
    assert!(wrong.contains(&Code::UnknownPlatform) && wrong.contains(&Code::UnknownArchitecture), "{wrong:?}");

    // The contract of gang scheduling, with the path of a hand-written Workflow.
    let gang = hand_written(json!({
        "gangScheduler": {"schedulerName": "kai-scheduler", "queue": "a"},
        "jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {"numNodes": 1}}}, "workloadMetadata": {"labels": {}}}},
        "overrides": [{"when": {}, "jobTemplate": {"spec": {"workloadMetadata": {"labels": {"kai.scheduler/queue": "b"}}}}}],
    }));
    let resolved = engine.resolve_workflow(&gang, Some(&aws), &Options::default());
    let conflict = resolved.diagnostics.iter().find(|d| d.code == Code::LabelConflict).unwrap();
    assert_eq!(
        conflict.path.as_ref().unwrap().to_string(),
        "spec.jobTemplate.spec.workloadMetadata.labels[\"kai.scheduler/queue\"]"
    );
}
