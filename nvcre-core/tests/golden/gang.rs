//! Suites of gang scheduling and of the transforms of a resolved Workflow.

use super::support::{Case, text, typed};
use nvcre_core::FieldPath;
use nvcre_core::api::{GangSchedulerSpec, Workflow, WorkflowSpec, WorkloadRun};
use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::fleet::{Fleet, InventoryBuilder};
use nvcre_core::jobs::{Delivery, Facts, JobId, JobsInput, Prepared, Role};
use nvcre_core::workflow::gang::{apply_to_dependencies, validate_resolved};
use nvcre_core::workflow::{Transforms, WAIT_FOR_WORKERS, apply_resolved_transforms};
use serde_json::{Map, Value, json};

/// The queue labels that these suites look at.
const QUEUE_KEYS: [&str; 2] = ["kai.scheduler/queue", "runai/queue"];

fn jobs(runtime: &Value) -> impl Iterator<Item = &Value> {
    runtime.pointer("/spec/template/spec/replicatedJobs").and_then(Value::as_array).into_iter().flatten()
}

fn pod(job: &Value) -> &Value {
    &job["template"]["spec"]["template"]
}

/// Queue labels and scheduler names of every runtime, as the suites write them.
fn scheduling<'a>(dependencies: impl IntoIterator<Item = &'a Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for runtime in dependencies.into_iter().filter(|d| d["kind"] == "TrainingRuntime") {
        for job in jobs(runtime) {
            let path = format!("{}/{}", text(&runtime["metadata"], "name"), text(job, "name"));
            let levels = [("job", &job["template"]), ("pod", pod(job))];
            for (level, holder) in levels {
                for key in QUEUE_KEYS {
                    let value = &holder["metadata"]["labels"][key];
                    if !value.is_null() {
                        out.insert(format!("{path}/{level}/{key}"), value.clone());
                    }
                }
            }
            let scheduler = &pod(job)["spec"]["schedulerName"];
            if !scheduler.is_null() {
                out.insert(format!("{path}/schedulerName"), scheduler.clone());
            }
        }
    }
    out
}

pub fn dependencies(case: &Case) {
    let input = case.input();
    let before = input["dependencies"].as_array().cloned().unwrap_or_default();
    let mut after = before.clone();
    let gang: Option<GangSchedulerSpec> = typed(&input["gangScheduler"]);
    apply_to_dependencies(&mut after, gang.as_ref());
    let found = before.iter().zip(&after).enumerate().map(|(index, (before, after))| {
        let described = jobs(after).filter(|j| j.is_object()).map(|job| {
            let labels = |holder: &Value| holder["metadata"]["labels"].clone();
            json!({
                "name": job["name"],
                "schedulerName": text(&pod(job)["spec"], "schedulerName"),
                "templateLabels": labels(&job["template"]),
                "podTemplateLabels": labels(pod(job)),
            })
        });
        for init in jobs(after).flat_map(|j| pod(j)["spec"]["initContainers"].as_array().into_iter().flatten()) {
            if init["name"] == "wait-for-workers" {
                assert_eq!(init["args"], json!([WAIT_FOR_WORKERS]), "{}", case.title());
            }
        }
        json!({
            "index": index,
            "kind": after["kind"],
            "rawUnchanged": before == after,
            "replicatedJobs": described.collect::<Vec<_>>(),
            "resource": after,
        })
    });
    case.compare(found.collect());
}

/// Puts the expected sentence in where one of our findings says the same (00 D46).
fn put_error(case: &Case, findings: &[Diagnostic], found: &mut Value) {
    let expected = case.expected();
    case.compare_error(findings, expected["error"].as_str());
    if let Some(error) = expected.get("error") {
        found["error"] = error.clone();
    }
}

fn labels(spec: &WorkflowSpec) -> Value {
    json!(spec.job_template.spec.workload_metadata.as_ref().map(|m| &m.labels))
}

pub fn transforms(case: &Case) {
    let input = case.input();
    let mut spec: WorkflowSpec = typed(&input["spec"]);
    let transforms = Transforms {
        gang_scheduler: typed(&input["gangScheduler"]),
        image: text(&input, "image").into(),
        workload_labels: typed(&input["workloadLabels"]),
    };
    let findings = apply_resolved_transforms(&mut spec, &transforms);
    let mut found = json!({ "workloadLabels": labels(&spec), "persistedGangScheduler": spec.gang_scheduler });
    let mut images = Map::new();
    for runtime in spec.dependencies.iter().filter(|d| d["kind"] == "TrainingRuntime") {
        for job in jobs(runtime) {
            let image = &pod(job)["spec"]["containers"][0]["image"];
            if !image.is_null() {
                let name = format!("{}/{}", text(&runtime["metadata"], "name"), text(job, "name"));
                images.insert(name, image.clone());
            }
        }
    }
    let trainer = spec.job_template.spec.workload.train_job.as_ref().and_then(|t| t.trainer.as_ref());
    let image = trainer.and_then(|t| t.image.clone()).filter(|i| !i.is_empty());
    let maps = [("runtimeQueueLabels", scheduling(&spec.dependencies)), ("runtimeImages", images)];
    for (key, map) in maps.into_iter().filter(|(_, map)| !map.is_empty()) {
        found[key] = Value::Object(map);
    }
    if let Some(image) = image {
        found["trainerImage"] = json!(image);
    }
    put_error(case, &findings, &mut found);
    case.compare(found);
}

pub fn validate(case: &Case) {
    let mut spec: WorkflowSpec = typed(&case.input()["spec"]);
    let path = FieldPath::parse("spec.jobTemplate.spec.workloadMetadata.labels");
    let gang = spec.gang_scheduler.clone();
    let findings = validate_resolved(&mut spec.job_template.spec, &spec.dependencies, gang.as_ref(), &path);
    let mut found = json!({ "workloadLabels": labels(&spec) });
    let scheduling = scheduling(&spec.dependencies);
    if !scheduling.is_empty() {
        found["runtimeQueueLabels"] = Value::Object(scheduling);
    }
    put_error(case, &findings, &mut found);
    case.compare(found);
}

/// A queue or scheduler that is called like the runtime survives the renaming of the runtime's copy: nothing but
/// reference fields is renamed (00 D72).
pub fn preserve(case: &Case) {
    let input = case.input();
    let runtime = &input["dependency"];
    let original = text(&runtime["metadata"], "name");
    let workflow: Workflow = typed(&json!({
        "metadata": {"name": "run"},
        "spec": {
            "jobTemplate": {"spec": {"workload": {"trainJob": {
                "runtimeRef": {"name": original, "kind": "TrainingRuntime"}, "trainer": {"numNodes": 1},
            }}}},
            "orchestration": {"placement": "Unpinned"},
            "dependencies": [runtime],
            "gangScheduler": typed::<Option<GangSchedulerSpec>>(&input["gangScheduler"]),
        },
    }));
    let mut builder = InventoryBuilder::new();
    builder.node("node-1");
    let inventory = builder.build();
    let mut fleet = Fleet::default();
    fleet.nodes = vec![0];
    let (run, facts) = (WorkloadRun::default(), Facts::default());
    let (prepared, findings) = Prepared::new(JobsInput {
        workflow: &workflow,
        run: &run,
        inventory: &inventory,
        fleet: &fleet,
        facts: &facts,
        topology_origin: None,
        namespace: "",
        delivery: Delivery::Controller,
    });
    let prepared = prepared.unwrap_or_else(|| panic!("{}: {findings:?}", case.title()));
    let manifests = prepared.manifests(JobId { iteration: 1, group: 0 });
    let mut copy = manifests.iter().find(|m| m.role == Role::Dependency).unwrap().value.clone();
    assert_ne!(copy["metadata"]["name"], original, "{}: the copy has a name of its own", case.title());
    copy["metadata"]["name"] = input["replacements"][original].clone();
    let intact = &workflow.spec.dependencies[0] == runtime;
    case.compare(json!({ "preserved": scheduling([&copy]), "sourceIntact": intact }));
}
