//! Rows 14–24: Kubeflow Trainer, JobSet, Kueue.

use crate::support::*;
use nvcre_core::diagnostic::Code;
use nvcre_core::jobs::Role;
use nvcre_core::yaml;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Every variable that Trainer refuses in `trainer.env` (row 18).
const REFUSED: [&str; 9] = [
    "OMPI_MCA_orte_default_hostfile",
    "OMPI_MCA_plm_rsh_args",
    "OMPI_MCA_orte_keep_fqdn_hostnames",
    "OMPI_MCA_orte_set_default_slots",
    "PET_NNODES",
    "PET_NPROC_PER_NODE",
    "PET_NODE_RANK",
    "PET_MASTER_ADDR",
    "PET_MASTER_PORT",
];

fn h100(spec: &Value) -> Out {
    on(&nodes("onprem", "h100", 4), spec)
}

/// An override without condition that changes the trainer.
fn trainer(fields: Value) -> Value {
    json!({"overrides": [{"when": {}, "jobTemplate": {"spec": {"workload": {"trainJob": {"trainer": fields}}}}}]})
}

/// An override without condition that adds to the spec of the run's runtime.
fn runtime(spec: Value) -> Value {
    json!({"overrides": [{"when": {}, "dependencies": [{
        "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime",
        "metadata": {"name": "my-workload-runtime"}, "spec": spec,
    }]}]})
}

fn replicated(job: Value) -> Value {
    runtime(json!({"template": {"spec": {"replicatedJobs": [job]}}}))
}

/// An override without condition that sets the runtime patches of the TrainJob.
fn patches(list: Value) -> Value {
    json!({"overrides": [{"when": {}, "jobTemplate": {"spec": {"workload": {"trainJob": {"runtimePatches": list}}}}}]})
}

/// Runs of every kind: what holds for all manifests is asked of these.
fn all_kinds() -> &'static [Out] {
    static ALL: LazyLock<Vec<Out>> = LazyLock::new(make_all_kinds);
    &ALL
}

fn make_all_kinds() -> Vec<Out> {
    let gang = json!({"gangScheduler": {"schedulerName": "kai-scheduler"}});
    let volcano = json!({"gangScheduler": {"schedulerName": "volcano"}});
    let more = json!({
        "imagePullSecrets": [{"name": "regcred"}],
        "config": {"inline": {"run.sh": "echo"}},
        "checkpoint": {"storageSize": "10Gi"},
        "priorityClassName": "high",
    });
    let mut out = Vec::new();
    for (platform, gpu) in [("onprem", "gb300"), ("aws", "gb300"), ("gcp", "h100"), ("nscale", "b200")] {
        for spec in [basic(), torch(), exec()] {
            for fields in [json!({}), gang.clone(), volcano.clone(), more.clone()] {
                out.push(on(&nodes(platform, gpu, 4), &with(spec.clone(), fields)).fine());
            }
        }
    }
    out
}

#[test]
fn row_14_jobset_refused_the_order_of_launcher_and_workers() {
    for out in all_kinds() {
        for runtime in out.runtimes() {
            let spec = &runtime["spec"]["template"]["spec"];
            let jobs = spec["replicatedJobs"].as_array().unwrap();
            let names: Vec<&str> = jobs.iter().map(|j| j["name"].as_str().unwrap()).collect();
            assert!(matches!(names.as_slice(), ["node"] | ["node", "launcher"]), "{names:?}");
            assert_eq!(jobs[0].get("dependsOn"), None);
            assert_eq!(spec.get("startupPolicy"), None);
        }
    }
    let out =
        h100(&with(basic(), replicated(json!({"name": "node", "dependsOn": [{"name": "x", "status": "Ready"}]}))));
    assert!(out.one(Code::ReplicatedJobs).contains("dependsOn"), "{:?}", out.errors());
    let order = json!({"startupPolicy": {"startupPolicyOrder": "InOrder"}});
    let out = h100(&with(basic(), runtime(json!({"template": {"spec": order}}))));
    assert!(out.one(Code::ReplicatedJobs).contains("startupPolicy"), "{:?}", out.errors());
}

#[test]
fn row_15_without_trainer_no_rendezvous() {
    for out in all_kinds() {
        assert!(!out.train_jobs().is_empty());
        for manifests in out.jobs.iter().chain(&out.controller) {
            let trainer = &find(manifests, Role::TrainJob)["spec"]["trainer"];
            assert!(trainer["numNodes"].as_i64() == Some(4) && trainer["image"].is_string(), "{trainer}");
            assert!(trainer["numProcPerNode"].as_i64() > Some(0), "{trainer}");
        }
    }
}

#[test]
fn row_16_counts_of_zero_and_below_were_accepted() {
    for (fields, code, path) in [
        (json!({"numNodes": 0}), Code::BelowMinimum, "spec.numNodes"),
        (json!({"numNodes": -1}), Code::BelowMinimum, "spec.numNodes"),
        (json!({"gpusPerNode": 0}), Code::BelowMinimum, "spec.gpusPerNode"),
        (json!({"gpusPerNode": -8}), Code::BelowMinimum, "spec.gpusPerNode"),
        (trainer(json!({"numProcPerNode": 0})), Code::NegativeCount, "trainer.numProcPerNode"),
        (replicated(json!({"name": "node", "replicas": -1})), Code::NegativeCount, "replicas"),
        (runtime(json!({"mlPolicy": {"numNodes": 0}})), Code::NegativeCount, "mlPolicy.numNodes"),
    ] {
        let out = h100(&with(basic(), fields.clone()));
        let text = out.one(code);
        assert!(text.contains(path), "{fields}: {text}");
        assert!(out.jobs.is_empty() && out.controller.is_empty(), "{fields}");
    }
    for size in [0, -2] {
        let out = h100(&with(basic(), trainer(json!({"numNodes": size}))));
        assert!(!out.errors().is_empty() && out.jobs.is_empty(), "trainer.numNodes {size}");
    }
}

#[test]
fn row_17_two_ml_policies_in_one_runtime() {
    for out in all_kinds() {
        for runtime in out.runtimes() {
            let policy = runtime["spec"]["mlPolicy"].as_object().unwrap();
            assert_eq!(policy.keys().filter(|k| *k != "numNodes").count(), 1, "{policy:?}");
        }
    }
    let out = h100(&with(torch(), runtime(json!({"mlPolicy": {"mpi": {"mpiImplementation": "OpenMPI"}}}))));
    let text = out.one(Code::MlPolicy);
    assert!(text.contains("mpi") && text.contains("torch"), "{text}");
    let out = h100(&with(basic(), runtime(json!({"mlPolicy": {"torch": {}}}))));
    assert_eq!(out.of(Code::MlPolicy).len(), 1);
}

#[test]
fn row_18_variables_that_trainer_sets_itself() {
    for name in REFUSED {
        let own = json!([{"name": name, "value": "1"}]);
        let out = h100(&with(torch(), json!({"env": own}))).fine();
        assert!(out.one(Code::ReservedEnv).contains(name));
        assert_eq!(out.of(Code::ReservedEnv)[0].path.as_ref().unwrap().to_string(), "spec.env[0].name");
        let out = h100(&with(torch(), trainer(json!({"env": own}))));
        let text = out.one(Code::ReservedTrainerEnv);
        assert!(text.contains(name) && text.contains("spec.overrides[0]"), "{text}");
        assert!(out.jobs.is_empty());
    }
    // No entry of the catalogue sets one.
    for out in all_kinds() {
        for name in REFUSED {
            assert!(!env(out.trainer()).contains_key(name), "{name}");
        }
    }
}

#[test]
fn row_19_a_variable_stood_twice() {
    let twice = json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "A", "value": "3"}]);
    let out = h100(&with(torch(), trainer(json!({"env": twice}))));
    assert!(out.errors().iter().any(|e| e.contains("Env") && e.contains(" A ")), "{:?}", out.errors());
    for spec in [basic(), torch()] {
        let out = h100(&with(spec, json!({"env": twice}))).fine();
        let text = out.one(Code::DuplicateEnv);
        assert!(text.contains("spec.env[2].name") && text.contains('A'), "{text}");
        assert_eq!(out.of(Code::DuplicateEnv)[0].related.len(), 1, "the other line");
        // `env` fails when a name stands twice.
        assert_eq!(env(container(out.runtimes()[0], "node"))["A"], "3");
    }
}

#[test]
fn row_20_a_patch_replaced_the_list_it_meant_to_add_to() {
    let own = json!([{"key": "own", "operator": "Exists"}]);
    let tolerate = |job: &str| json!({"name": job, "template": {"spec": {"template": {"spec": {"tolerations": own}}}}});
    let both = runtime(json!({"template": {"spec": {"replicatedJobs": [tolerate("node"), tolerate("launcher")]}}}));
    let out = h100(&with(basic(), both)).fine();
    for job in ["node", "launcher"] {
        let found = &patch(out.train_jobs()[0], job)["spec"]["tolerations"];
        assert_eq!(found, &json!([{"key": "own", "operator": "Exists"}, {"operator": "Exists"}]), "{job}");
        assert_eq!(pod(out.runtimes()[0], job)["spec"]["tolerations"], own, "{job}");
    }
    // Command and arguments are written whole.
    let out = h100(&basic()).fine();
    let words = command(&out.train_jobs()[0]["spec"]["trainer"]);
    assert_eq!((words[0].as_str(), words.last().unwrap().as_str()), ("timeout", "100"));
}

#[test]
fn row_21_patches_with_fields_that_trainer_refuses() {
    const POD: [&str; 10] = [
        "serviceAccountName",
        "volumes",
        "initContainers",
        "containers",
        "imagePullSecrets",
        "securityContext",
        "nodeSelector",
        "affinity",
        "tolerations",
        "schedulingGates",
    ];
    for out in all_kinds() {
        for (train_job, runtime) in out.train_jobs().iter().zip(out.runtimes()) {
            let patches = train_job["spec"]["runtimePatches"].as_array().unwrap();
            assert_eq!(patches.len(), 1);
            assert_eq!(patches[0].as_object().unwrap().keys().collect::<Vec<_>>(), ["manager", "trainingRuntimeSpec"]);
            let jobs = patches[0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"].as_array().unwrap();
            for job in jobs {
                let name = job["name"].as_str().unwrap();
                pod(runtime, name);
                let spec = patch(train_job, name)["spec"].as_object().unwrap();
                assert!(spec.keys().all(|k| POD.contains(&k.as_str())), "{spec:?}");
                assert_eq!(spec.get("containers"), None, "no env on container node");
            }
        }
    }
    let job = |pod: Value| json!({"name": "node", "template": {"spec": {"template": {"spec": pod}}}});
    let one = |manager: &str, job: Value| {
        let spec = json!({"template": {"spec": {"replicatedJobs": [job]}}});
        json!({"manager": manager, "trainingRuntimeSpec": spec})
    };
    let many: Vec<Value> = (0..17).map(|n| one(&format!("m{n}"), json!({"name": "node"}))).collect();
    let env = json!({"containers": [{"name": "node", "env": [{"name": "A", "value": "1"}]}]});
    for (list, code, named) in [
        (json!(many), Code::RuntimePatches, "16"),
        (json!([one("a", json!({"name": "workers"}))]), Code::RuntimePatches, "workers"),
        (json!([one("a", json!({"name": "node"})), one("a", json!({"name": "node"}))]), Code::RuntimePatches, "two"),
        (json!([one("a", job(env))]), Code::RuntimePatches, "node"),
        (json!([one("a", job(json!({"schedulerName": "x"})))]), Code::UnknownField, "schedulerName"),
        (json!([one("a", job(json!({"containers": [{"name": "node", "image": "x"}]})))]), Code::UnknownField, "image"),
    ] {
        let out = h100(&with(basic(), patches(list)));
        let text = out.one(code);
        assert!(text.contains(named), "{named}: {text}");
        assert!(out.jobs.is_empty() && !out.errors().is_empty(), "{named}");
    }
}

#[test]
fn row_22_names_that_no_cluster_takes() {
    for name in ["1-run", "my.run", "My-run", "run-", &"x".repeat(64)] {
        let out = render(&named_text(name, &basic()), Some(&nodes("onprem", "h100", 4)), &Default::default());
        assert!(out.errors().iter().any(|e| e.contains("metadata.name")), "{name}: {:?}", out.errors());
        assert!(out.jobs.is_empty());
    }
    // The longest legal name of a run leaves every name below it legal.
    let name = "x".repeat(63);
    let out = render(&named_text(&name, &basic()), Some(&nodes("onprem", "h100", 8)), &Default::default()).fine();
    for job in &out.jobs {
        for manifest in job {
            let name = manifest.value["metadata"]["name"].as_str().unwrap();
            assert!(name.len() <= 63 && name.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
            if manifest.role == Role::TrainJob {
                assert!(name.len() <= 44, "{name}");
                assert!(format!("{name}-launcher-0-0-12345").len() <= 63);
            }
        }
    }
    // A replicated job with a long name leaves less: an error with the longest legal length.
    let job = json!({"name": "sidecar-of-the-workers", "template": {"spec": {"template": {"spec": {
        "containers": [{"name": "c", "image": "i"}],
    }}}}});
    let text = |name: &str| {
        let text = named_text(name, &with(basic(), replicated(job.clone())));
        text.replace("my-workload-runtime", &format!("{name}-runtime"))
    };
    let inventory = nodes("onprem", "h100", 4);
    // 63 - (1 + 22 + 2 + 2 + 6) = 30 for a TrainJob, 21 for the Job; a run of a single group is <run>-job.
    let fits = "a-run-of-17-chars";
    render(&text(fits), Some(&inventory), &Default::default()).fine();
    let out = render(&text(&format!("{fits}s")), Some(&inventory), &Default::default());
    let found = out.one(Code::NameTooLong);
    assert!(found.contains("at most 30") && found.contains("17 characters"), "{found}");
}

#[test]
fn row_23_lists_longer_than_trainer_takes() {
    let mut spec = basic();
    spec["env"] = (0..60).map(|n| json!({"name": format!("MINE_{n}"), "value": "1"})).collect();
    let out = h100(&spec);
    let text = out.one(Code::TooManyWords);
    let count = 6 + 2 * 70 + 1 + 8;
    assert!(text.contains(&format!("{count} words")) && text.contains("128") && text.contains("-x"), "{text}");
    assert!(out.jobs.is_empty());
    // A platform that wraps the command has two words only.
    on(&nodes("aws", "h100", 4), &spec).fine();
    let mut spec = exec();
    spec["framework"]["exec"]["args"] = json!(["x".repeat(64 * 1024 + 1)]);
    assert!(h100(&spec).one(Code::TooManyWords).contains("65537 bytes"));
    spec["framework"]["exec"]["args"] = json!(["x".repeat(64 * 1024)]);
    h100(&spec).fine();
    let env: Vec<Value> = (0..129).map(|n| json!({"name": format!("MINE_{n}"), "value": "1"})).collect();
    let text = h100(&with(torch(), trainer(json!({"env": env})))).one(Code::TooManyVariables);
    assert!(text.contains("129") && text.contains("128"), "{text}");
}

#[test]
fn row_24_keys_that_everybody_could_read() {
    // Ours: no secret is mounted by us with a mode of its own; the scripts take the keys to 600.
    for out in all_kinds() {
        for manifest in out.jobs.iter().flatten() {
            walk(&manifest.value, &mut |key, value| {
                assert!(key != "secret" || value.get("defaultMode").is_none(), "{value}");
                assert!(key != "defaultMode" || value == &json!(0o755), "{value}");
            });
        }
        if out.workflow["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]["runtimePatches"].is_array() {
            continue;
        }
    }
    let out = h100(&basic()).fine();
    let runtime = out.runtimes()[0];
    let scripts = [
        container(runtime, "node")["args"][0].as_str().unwrap(),
        pod(runtime, "launcher")["spec"]["initContainers"][0]["args"][0].as_str().unwrap(),
    ];
    assert!(scripts.iter().all(|s| s.contains("chmod 600 /root/.ssh/id_rsa\n")), "{scripts:?}");
    // The user's: octal as Kubernetes reads it, decimal as it is printed.
    let text = run_text(&torch()).replace(
        "spec:\n",
        "spec:\n  volumes:\n  - name: key\n    secret:\n      secretName: key\n      defaultMode: 0400\n",
    );
    let out = render(&text, Some(&nodes("onprem", "h100", 4)), &Default::default()).fine();
    let volumes = pod(out.runtimes()[0], "node")["spec"]["volumes"].as_array().unwrap();
    let key = volumes.iter().find(|v| v["name"] == "key").unwrap();
    assert_eq!(key["secret"]["defaultMode"], 256);
    assert!(yaml::to_yaml(key).contains("defaultMode: 256\n"));
}

#[test]
fn row_24a_fields_that_trainer_no_longer_has() {
    for out in all_kinds() {
        for manifest in out.jobs.iter().chain(&out.controller).flatten() {
            walk(&manifest.value, &mut |key, value| {
                assert_ne!(key, "podTemplateOverrides");
                if key == "torch" {
                    assert_eq!(value, &json!({}));
                }
            });
            if manifest.role == Role::TrainJob {
                let spec = manifest.value["spec"].as_object().unwrap();
                let known = ["activeDeadlineSeconds", "runtimePatches", "runtimeRef", "trainer"];
                assert!(spec.keys().all(|k| known.contains(&k.as_str())), "{:?}", spec.keys());
            }
        }
    }
    let out = h100(&with(torch(), runtime(json!({"mlPolicy": {"torch": {"numProcPerNode": 8}}}))));
    assert!(out.errors().iter().any(|e| e.contains("numProcPerNode")), "{:?}", out.errors());
    for field in ["labels", "annotations", "podTemplateOverrides"] {
        let spec = json!({"spec": {"workload": {"trainJob": { field: {} }}}});
        let out = h100(&with(torch(), json!({"overrides": [{"when": {}, "jobTemplate": spec}]})));
        assert!(out.errors().iter().any(|e| e.contains(field)), "{field}: {:?}", out.errors());
    }
}

#[test]
fn row_24b_a_train_job_came_before_its_runtime() {
    for out in all_kinds() {
        for manifests in out.jobs.iter().chain(&out.controller) {
            let at = |wanted: &dyn Fn(&Value) -> bool| manifests.iter().position(|m| wanted(&m.value)).unwrap();
            let name = &find(manifests, Role::TrainJob)["spec"]["runtimeRef"]["name"];
            let train_job = at(&|v| v["kind"] == "TrainJob");
            assert!(at(&|v| v["kind"] == "TrainingRuntime" && v["metadata"]["name"] == *name) < train_job);
            let last = manifests.iter().rposition(|m| m.role == Role::Dependency).unwrap();
            assert!(last < train_job, "every dependency comes first");
        }
        assert_eq!(out.shared[0].role, Role::Record, "the record comes before everything");
    }
}

#[test]
fn row_24c_a_timeout_was_nobodys_business() {
    for (timeout, seconds) in [("90m", 5400), ("1h30m", 5400), ("1500ms", 2), ("1s", 1), ("1m0.001s", 61)] {
        let out = h100(&with(torch(), json!({"orchestration": {"timeoutPerJob": timeout}}))).fine();
        assert_eq!(out.train_jobs()[0]["spec"]["activeDeadlineSeconds"], seconds, "{timeout}");
        // The controller of the other delivery keeps the time itself.
        assert_eq!(find(&out.controller[0], Role::TrainJob)["spec"].get("activeDeadlineSeconds"), None);
    }
    assert_eq!(h100(&torch()).fine().train_jobs()[0]["spec"]["activeDeadlineSeconds"], 86_400);
    for timeout in ["0s", "-1h"] {
        let out = h100(&with(torch(), json!({"orchestration": {"timeoutPerJob": timeout}})));
        assert!(out.errors().iter().any(|e| e.contains("timeoutPerJob")), "{timeout}: {:?}", out.errors());
    }
}
