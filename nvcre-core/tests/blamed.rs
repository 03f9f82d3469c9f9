//! A finding about the result leads to what a person can change: the field of the run, the override, or the entry of
//! the catalogue, which is named (00 D47).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod support;

use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::{Code, Diagnostic};
use nvcre_core::engine::{Engine, Options};
use nvcre_core::fleet::read_inventory;
use serde_json::{Value, json};
use support::{basic, declared, exec, render, run_text, torch, with};

/// The built-in catalogue with more entries.
fn engine(entries: &str) -> Engine {
    let files: [(&str, &[u8]); 5] = [
        ("1-platforms.yaml", include_bytes!("../src/catalogue/data/1-platforms.yaml")),
        ("2-hardware.yaml", include_bytes!("../src/catalogue/data/2-hardware.yaml")),
        ("3-environment.yaml", include_bytes!("../src/catalogue/data/3-environment.yaml")),
        ("4-entries.yaml", include_bytes!("../src/catalogue/data/4-entries.yaml")),
        ("5-more.yaml", entries.as_bytes()),
    ];
    let read = Catalogue::read_files(&files);
    assert!(read.diagnostics.is_empty(), "{:#?}", read.diagnostics);
    Engine::with_catalogue(read.value)
}

/// Findings on aws gb300 with one more entry, E90 `odd`, that holds these fields.
fn with_entry(fields: &Value, spec: &Value) -> Vec<Diagnostic> {
    let mut entry = json!({
        "id": "E90", "name": "odd", "title": "Odd", "source": "test",
        "when": {"platform": "aws", "gpuArchitecture": "gb300"},
    });
    entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let engine = engine(&json!({ "entries": [entry] }).to_string());
    let run = engine.read_run(run_text(spec).as_bytes(), "run.yaml", false);
    let options = Options { platform: Some("aws".into()), gpu_arch: Some("gb300".into()), ..Options::default() };
    engine.render(&run, None, &options).diagnostics
}

fn told(findings: &[Diagnostic]) -> Vec<(Code, String, String)> {
    let path = |d: &Diagnostic| d.path.as_ref().map(ToString::to_string).unwrap_or_default();
    findings.iter().map(|d| (d.code, path(d), d.message.clone())).collect()
}

#[test]
fn what_an_entry_brings_is_not_blamed_on_the_run() {
    let trainer =
        json!({"jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {"image": "a b", "numNodes": 0}}}}}});
    let found = with_entry(&trainer, &basic());
    let entry = "entries[name=odd].jobTemplate.spec.workload.trainJob.trainer";
    assert_eq!(
        told(&found),
        [
            (
                Code::JobSize,
                format!("{entry}.numNodes"),
                "catalogue entry E90 odd: the trainer's numNodes is 0; a job needs at least one node".into()
            ),
            (
                Code::BadImage,
                format!("{entry}.image"),
                "catalogue entry E90 odd: the image \"a b\" holds ' '; an image has no blanks and no control characters"
                    .into()
            ),
        ]
    );

    let patch = json!({"jobTemplatePatch": [
        {"op": "replace", "path": "/spec/workload/trainJob/trainer/image", "value": "a b"},
    ]});
    let found = with_entry(&patch, &exec());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].path.as_ref().unwrap().to_string(), "entries[name=odd].jobTemplatePatch[0]");
    assert!(found[0].message.starts_with("catalogue entry E90 odd: the image "), "{}", found[0].message);

    let pod = json!({"worker": [{"container": {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}}]});
    let found = with_entry(&pod, &torch());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].code, Code::UnknownVolume);
    assert!(found[0].message.starts_with("catalogue entry E90 odd: the pod has no volume"), "{}", found[0].message);
}

#[test]
fn a_run_s_own_override_comes_before_an_entry() {
    let entry = json!({"jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {"image": "good:1"}}}}}});
    let own = json!({"overrides": [
        {"when": {}, "jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {"image": "a b"}}}}}},
    ]});
    let found = with_entry(&entry, &with(basic(), own));
    assert_eq!(found.len(), 1, "{found:#?}");
    let path = found[0].path.as_ref().unwrap().to_string();
    assert_eq!(path, "spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.image");
    assert!(found[0].message.starts_with("the image"), "{}", found[0].message);
}

#[test]
fn the_launcher_s_limit_is_held_against_the_limit_that_counts() {
    let limit = |run: Option<&str>, by_override: Option<&str>| {
        let mut spec = basic();
        if let Some(limit) = run {
            spec["orchestration"] = json!({ "timeoutPerJob": limit });
        }
        if let Some(limit) = by_override {
            let execution = json!({"execution": {"timeoutPerJob": limit}});
            spec["overrides"] = json!([{"when": {"platform": {"equals": "aws"}}, "orchestration": execution}]);
        }
        spec
    };
    let at = |platform: &str, spec: &Value| {
        let out = declared(platform, "gb300", spec);
        let found = out.of(Code::LauncherLimit);
        found.iter().map(|d| (d.path.as_ref().unwrap().to_string(), d.message.clone())).collect::<Vec<_>>()
    };
    let text = |limit: &str| {
        format!("the launcher's own `timeout 3600` ends an MPI job after 1h0m0s, before the {limit} given here")
    };
    let own = "spec.orchestration.timeoutPerJob".to_owned();
    let by_override = "spec.overrides[0].orchestration.execution.timeoutPerJob".to_owned();
    // aws wraps the command, onprem does not.
    for platform in ["aws", "onprem"] {
        assert_eq!(at(platform, &limit(None, None)), [], "{platform}");
        assert_eq!(at(platform, &limit(Some("1h"), None)), [], "{platform}");
        assert_eq!(at(platform, &limit(Some("4h"), None)), [(own.clone(), text("4h0m0s"))], "{platform}");
    }
    assert_eq!(at("aws", &limit(None, Some("5h"))), [(by_override.clone(), text("5h0m0s"))]);
    assert_eq!(at("onprem", &limit(None, Some("5h"))), []);
    assert_eq!(at("aws", &limit(Some("4h"), Some("30m"))), []);
    assert_eq!(at("onprem", &limit(Some("4h"), Some("30m"))), [(own, text("4h0m0s"))]);
    let mut replaced = limit(Some("4h"), None);
    replaced["overrides"] = json!([{"when": {}, "jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": {"command": ["/opt/own"]}}}}}}]);
    assert_eq!(at("onprem", &replaced), []);
}

#[test]
fn a_command_replaced_whole_says_what_is_gone() {
    let replaced = |spec: Value, command: &[&str], args: &[&str]| {
        let trainer = json!({ "command": command, "args": args });
        let own = json!([{"when": {}, "jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": trainer}}}}}]);
        with(spec, json!({ "overrides": own }))
    };
    let told = |platform: &str, spec: &Value| {
        let out = declared(platform, "gb300", spec);
        assert_eq!(out.of(Code::HalfCommand).len(), 0);
        out.of(Code::CommandReplaced).iter().map(|d| d.message.clone()).collect::<Vec<_>>()
    };
    let start = "an override replaces command and args of the trainer whole, and with them ";
    let mpirun = "mpirun with its options and the variables that it forwards";
    let lines = "the 4 lines that run before the command";
    let own = replaced(basic(), &["/opt/own"], &["now"]);
    assert_eq!(told("aws", &own), [format!("{start}{mpirun}, and {lines}")]);
    assert_eq!(told("onprem", &own), [format!("{start}{mpirun}")]);
    assert_eq!(told("aws", &replaced(exec(), &["/opt/own"], &["now"])), [format!("{start}{lines}")]);
    assert_eq!(told("onprem", &replaced(exec(), &["/opt/own"], &["now"])), Vec::<String>::new());
    let again = "rm -rf /opt/amazon\nunset NCCL_NET_PLUGIN\nunset NCCL_TUNER_PLUGIN\nunset AWS_OFI_NCCL_VERSION\n/usr/local/mpi/bin/mpirun -n 1 x";
    assert_eq!(told("aws", &replaced(basic(), &["sh", "-c"], &[again])), Vec::<String>::new());
}

#[test]
fn of_an_open_platform_nothing_is_told_that_only_one_of_them_does() {
    let text = "\
apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a, nvidia.com/gpu.present: \"true\", nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}}
spec: {providerID: 'aws:///us-east-1a/i-1'}
status: {allocatable: {nvidia.com/gpu: '8'}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {kubernetes.io/hostname: b, nvidia.com/gpu.present: \"true\", nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}}
spec: {providerID: 'gce://lab/us-central1-a/b'}
status: {allocatable: {nvidia.com/gpu: '8'}}
";
    let inventory = read_inventory(text).value;
    let spec = with(basic(), json!({"numNodes": 1}));
    let codes = |options: &Options| {
        let out = render(&run_text(&spec), Some(&inventory), options);
        out.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&Options::default()), [Code::HeterogeneousPlatform]);
    // With the platform settled, its advice and its devices are told.
    assert_eq!(
        codes(&Options { platform: Some("aws".into()), ..Options::default() }),
        [Code::PlatformOverridden, Code::PlatformAdvice, Code::ResourceNotOffered]
    );
}
