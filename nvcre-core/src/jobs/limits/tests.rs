//! Trainer, patches and runtime alone; whole runs stand in `tests/faults.rs`.

use super::check_workload;
use crate::api::WorkflowSpec;
use crate::diagnostic::Code;
use serde_json::{Value, json};

fn codes(mut train_job: Value, runtime: Value) -> Vec<(Code, String)> {
    train_job.as_object_mut().unwrap().entry("trainer").or_insert_with(|| json!({}))["numNodes"] = json!(1);
    let spec = json!({"jobTemplate": {"spec": {"workload": {"trainJob": train_job}}}, "dependencies": [runtime]});
    let spec: WorkflowSpec = serde_json::from_value(spec).unwrap();
    let mut findings = Vec::new();
    check_workload(&spec, "run", &mut findings);
    findings.into_iter().map(|d| (d.code, d.message)).collect()
}

fn runtime(spec: Value) -> Value {
    json!({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": {"name": "rt"}, "spec": spec})
}

fn job(name: &str) -> Value {
    json!({
        "name": name,
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "i"}]}}},
        },
    })
}

fn good() -> Value {
    let mut launcher = job("launcher");
    launcher["dependsOn"] = json!([{"name": "node", "status": "Ready"}]);
    runtime(json!({
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {"spec": {"replicatedJobs": [job("node"), launcher]}},
    }))
}

#[test]
fn nothing_to_say() {
    let train_job = json!({"runtimeRef": {"name": "rt"}, "trainer": {
        "numProcPerNode": 8, "env": [{"name": "A"}, {"name": "B"}], "args": vec!["x"; 128],
    }});
    assert_eq!(codes(train_job, good()), []);
}

#[test]
fn trainer() {
    let mut env: Vec<Value> = (0..129).map(|i| json!({"name": format!("V{i}")})).collect();
    env[1] = json!({"name": "PET_NNODES"});
    env[3] = json!({"name": "V2"});
    let mut args: Vec<String> = (0..60).flat_map(|i| ["-x".to_owned(), format!("V{i}=1")]).collect();
    args.extend(["--mca", "pml", "ob1"].map(str::to_owned));
    args.extend((0..6).map(|i| i.to_string()));
    let found = codes(
        json!({"runtimeRef": {"name": "rt"}, "trainer": {
            "numProcPerNode": 0, "env": env, "args": args, "command": ["x".repeat(65_537)],
        }}),
        good(),
    );
    let seen: Vec<Code> = found.iter().map(|f| f.0).collect();
    assert_eq!(
        seen,
        [
            Code::NegativeCount,
            Code::ReservedTrainerEnv,
            Code::DuplicateTrainerEnv,
            Code::TooManyVariables,
            Code::TooManyWords,
            Code::TooManyWords,
        ]
    );
    assert!(found[1].1.contains("PET_NNODES") && found[2].1.contains("V2"), "{found:?}");
    assert!(found[4].1.contains("65537 bytes"), "{found:?}");
    assert!(found[5].1.contains("129 words") && found[5].1.contains("120 for 60 × -x"), "{found:?}");
}

#[test]
fn runtime_patches() {
    let patch = |manager: &str, job: Value| json!({"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [job]}}}});
    let env = json!({"name": "node", "template": {"spec": {"template": {"spec": {
        "containers": [{"name": "node", "env": [{"name": "A", "value": "1"}]}],
    }}}}});
    let list = vec![patch("a", json!({"name": "workers"})), patch("a", env), patch("", json!({"name": "node"}))];
    let found = codes(json!({"runtimeRef": {"name": "rt"}, "runtimePatches": list}), good());
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|f| f.0 == Code::RuntimePatches));
    assert!(found[0].1.contains("workers") && found[0].1.contains("launcher, node"), "{found:?}");
    let many: Vec<Value> = (0..17).map(|i| json!({"manager": format!("m{i}")})).collect();
    assert_eq!(codes(json!({"runtimeRef": {"name": "rt"}, "runtimePatches": many}), good()).len(), 1);
}

#[test]
fn policies_and_order() {
    let mut launcher = job("launcher");
    launcher["dependsOn"] = json!([{"name": "node", "status": "Ready"}]);
    launcher["replicas"] = json!(-1);
    let found = codes(
        json!({"runtimeRef": {"name": "rt"}, "runtimePatches": [{"manager": "a", "trainingRuntimeSpec": {
            "template": {"spec": {"replicatedJobs": [{"name": "launcher"}]}}}}]}),
        runtime(json!({
            "mlPolicy": {"numNodes": 0, "torch": {"numProcPerNode": 8}, "mpi": {}},
            "template": {"spec": {
                "startupPolicy": {"startupPolicyOrder": "InOrder"},
                "replicatedJobs": [launcher],
            }},
        })),
    );
    let seen: Vec<Code> = found.iter().map(|f| f.0).collect();
    assert_eq!(
        seen,
        [
            Code::MlPolicy,
            Code::MlPolicy,
            Code::NegativeCount,
            Code::ReplicatedJobs,
            Code::ReplicatedJobs,
            Code::NegativeCount,
        ],
        "{found:?}"
    );
}
