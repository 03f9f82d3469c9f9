//! Suites `controller/build-replacement-map`, `controller/classify-dependencies`, `controller/get-group-job-name` and
//! `platform/preserve-scheduling-fields`.

use nvcre_core::api::{GangSchedulerSpec, Workflow, WorkloadRun};
use nvcre_core::fleet::{Fleet, Inventory, InventoryBuilder};
use nvcre_core::jobs::{Delivery, Facts, JobId, JobsInput, Naming, Prepared, Role, classify, engine_replacements};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The cases of a suite: name, input and expected value. Empty when the data is not there.
fn cases(suite: &str) -> Vec<(String, Value, Value)> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden");
    let folder = std::env::var_os("NVCRE_GOLDEN_DIR").map_or_else(beside, PathBuf::from).join(suite);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("{} is not there: nothing is compared", folder.display());
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    let read = |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    folders
        .into_iter()
        .map(|case| {
            let name = case.file_name().unwrap().to_string_lossy().into_owned();
            let input = serde_yaml::from_str(&read(case.join("input.yaml"))).unwrap();
            (name, input, serde_json::from_str(&read(case.join("expected.json"))).unwrap())
        })
        .collect()
}

fn json_text(value: &Value) -> Value {
    serde_json::from_str(value.as_str().unwrap()).unwrap()
}

fn dependencies(input: &Value) -> Vec<Value> {
    input["deps"].as_array().unwrap().iter().map(|d| json_text(&d["raw"])).collect()
}

#[test]
fn build_replacement_map() {
    for (name, input, expected) in cases("controller/build-replacement-map") {
        let dependencies = dependencies(&input);
        let all: Vec<usize> = (0..dependencies.len()).collect();
        let suffix = input["suffix"].as_str().unwrap();
        let found: Vec<Value> = engine_replacements(&dependencies, &all)
            .into_iter()
            .map(|old| json!({"key": old, "value": nvcre_core::jobs::truncate(&format!("{old}{suffix}"), 63)}))
            .collect();
        assert_eq!(json!({ "replacements": found }), expected, "{name}");
    }
}

#[test]
fn classify_dependencies() {
    for (name, input, expected) in cases("controller/classify-dependencies") {
        let dependencies = dependencies(&input);
        let scope = classify(&dependencies, &json_text(&input["jobSpec"]));
        let names =
            |list: &[usize]| list.iter().map(|i| dependencies[*i]["metadata"]["name"].clone()).collect::<Value>();
        let found = json!({"workflowScoped": names(&scope.workflow), "jobScoped": names(&scope.job)});
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn get_group_job_name() {
    for (name, input, expected) in cases("controller/get-group-job-name") {
        let number = |key: &str| input[key].as_u64().unwrap();
        let groups = usize::try_from(number("totalGroups")).unwrap();
        let naming = Naming::new(input["workflowName"].as_str().unwrap(), number("iterations"), groups, false);
        let found = naming.job(input["groupName"].as_str().unwrap(), number("iteration"));
        assert_eq!(json!({ "result": found }), expected, "{name}");
    }
}

/// Queue labels and scheduler names of a runtime, keyed as in the suite.
fn scheduling(runtime: &Value, key: &str) -> Value {
    let name = runtime["metadata"]["name"].as_str().unwrap();
    let mut out = BTreeMap::new();
    for job in runtime["spec"]["template"]["spec"]["replicatedJobs"].as_array().unwrap() {
        let path = format!("{name}/{}", job["name"].as_str().unwrap());
        let pod = &job["template"]["spec"]["template"];
        let labels = [("job", &job["template"]["metadata"]["labels"][key]), ("pod", &pod["metadata"]["labels"][key])];
        for (level, value) in labels {
            if !value.is_null() {
                out.insert(format!("{path}/{level}/{key}"), value.clone());
            }
        }
        if !pod["spec"]["schedulerName"].is_null() {
            out.insert(format!("{path}/schedulerName"), pod["spec"]["schedulerName"].clone());
        }
    }
    json!(out)
}

/// D72: nothing but reference fields is renamed, so there is no damage that has to be undone. `renamedOnly` shows the
/// damage of the textual replacement and is not compared: `$.renamedOnly` in every case.
#[test]
fn preserve_scheduling_fields() {
    for (name, input, expected) in cases("platform/preserve-scheduling-fields") {
        let runtime = &input["dependency"];
        let original = runtime["metadata"]["name"].as_str().unwrap();
        let gang: GangSchedulerSpec = serde_json::from_value(input["gangScheduler"].clone()).unwrap();
        let workflow: Workflow = serde_json::from_value(json!({
            "metadata": {"name": "run"},
            "spec": {
                "jobTemplate": {"spec": {"workload": {"trainJob": {
                    "runtimeRef": {"name": original, "kind": "TrainingRuntime"}, "trainer": {"numNodes": 1},
                }}}},
                "orchestration": {"placement": "Unpinned"},
                "dependencies": [runtime],
                "gangScheduler": gang,
            },
        }))
        .unwrap();
        let inventory = one_node();
        let mut fleet = Fleet::default();
        fleet.nodes = vec![0];
        let input_of = JobsInput {
            workflow: &workflow,
            run: &WorkloadRun::default(),
            inventory: &inventory,
            fleet: &fleet,
            facts: &Facts::default(),
            topology_origin: None,
            namespace: "",
            delivery: Delivery::Controller,
        };
        let (prepared, findings) = Prepared::new(input_of);
        let prepared = prepared.unwrap_or_else(|| panic!("{name}: {findings:?}"));
        let manifests = prepared.manifests(JobId { iteration: 1, group: 0 });
        let mut copy = manifests.iter().find(|m| m.role == Role::Dependency).unwrap().value.clone();
        assert_ne!(copy["metadata"]["name"], original, "{name}: the copy has a name of its own");
        copy["metadata"]["name"] = input["replacements"][original].clone();
        assert_eq!(scheduling(&copy, &gang.queue_label_key), expected["preserved"], "{name}");
        assert_eq!(&workflow.spec.dependencies[0] == runtime, expected["sourceIntact"], "{name}");
    }
}

fn one_node() -> Inventory {
    let mut builder = InventoryBuilder::new();
    builder.node("node-1");
    builder.build()
}
