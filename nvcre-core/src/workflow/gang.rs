//! Gang scheduling and the labels of the workload object (02 §6, §10; 01 §5.1–5.3).

use super::runtime::{KAI, wait_for_workers};
use crate::api::{
    GangSchedulerSpec, JobSpec, MANAGED_BY_KEY, OWN_PREFIX, RuntimePatch, TRAINER_GROUP, Value, WorkloadMetadata,
};
use crate::check::{label_key_problem, label_value_problem};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use serde_json::{Map, json};
use std::collections::BTreeMap;

/// Queue when a run names none.
pub const DEFAULT_QUEUE: &str = "default-queue";
/// Label key of the queue when a run names none.
pub const DEFAULT_QUEUE_KEY: &str = "kai.scheduler/queue";
/// Most labels on a workload object.
pub const MAX_LABELS: usize = 32;

/// Gang scheduling with its defaults filled in; `None` when it is off, also when the scheduler's name is empty.
pub fn resolve(spec: Option<&GangSchedulerSpec>) -> Option<GangSchedulerSpec> {
    let spec = spec.filter(|s| !s.scheduler_name.is_empty())?;
    let or = |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { text.to_owned() };
    Some(GangSchedulerSpec {
        scheduler_name: spec.scheduler_name.clone(),
        queue: or(&spec.queue, DEFAULT_QUEUE),
        queue_label_key: or(&spec.queue_label_key, DEFAULT_QUEUE_KEY),
    })
}

/// True for the scheduler that starts no pod of a gang before all are there (02 §6).
pub(crate) fn is_kai(gang: &GangSchedulerSpec) -> bool {
    gang.scheduler_name == KAI
}

/// True for label keys that only the engine may set (01 §5.2).
pub fn is_reserved_key(key: &str) -> bool {
    key == MANAGED_BY_KEY || key.starts_with(OWN_PREFIX)
}

/// Label keys that Trainer, JobSet, Jobs or the runtime of a run set themselves (00 D44).
pub fn is_downstream_key(key: &str) -> bool {
    key == "app"
        || ["trainer.kubeflow.org/", "jobset.sigs.k8s.io/", "batch.kubernetes.io/", "controller-uid", "job-name"]
            .iter()
            .any(|prefix| key.starts_with(prefix))
}

/// Everything that is wrong with the labels of a workload object (02 §10.3); `path` is the map.
pub fn label_problems(labels: &BTreeMap<String, String>, path: &FieldPath) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if labels.len() > MAX_LABELS {
        let message = format!(
            "there are {} labels; a workload object takes at most {MAX_LABELS}, the queue label counted",
            labels.len()
        );
        out.push(Diagnostic::at(Code::TooManyLabels, path, message).with_help("remove labels that nobody reads"));
    }
    for (key, value) in labels {
        let path = path.key(key);
        if is_reserved_key(key) {
            let message = format!(
                "the label key {key:?} is reserved: {MANAGED_BY_KEY} and every key under {OWN_PREFIX} say who owns the object"
            );
            out.push(
                Diagnostic::at(Code::ReservedLabel, path, message)
                    .at_key()
                    .with_help("use a key of a domain of your own, for example example.org/team"),
            );
        } else if is_downstream_key(key) {
            let message =
                format!("the label key {key:?} is reserved: Trainer, JobSet or the runtime set it themselves");
            out.push(
                Diagnostic::at(Code::ReservedLabel, path, message)
                    .at_key()
                    .with_help("use a key of a domain of your own, for example example.org/team"),
            );
        } else if let Some(problem) = label_key_problem(key) {
            let message = format!("{key:?} is no label key: {problem}");
            out.push(
                Diagnostic::at(Code::BadLabel, path, message)
                    .at_key()
                    .with_help("write for example team or example.org/team"),
            );
        } else if let Some(problem) = label_value_problem(value) {
            let message = format!("{value:?} is no value for label {key:?}: {problem}");
            let help = "use at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends";
            out.push(Diagnostic::at(Code::BadLabel, path, message).with_help(help));
        }
    }
    out
}

/// Labels of the workload object: those of the run with the queue label put in (02 §10.2). Findings name `path`.
pub fn compose_labels(
    user: &BTreeMap<String, String>,
    gang: Option<&GangSchedulerSpec>,
    path: &FieldPath,
) -> (BTreeMap<String, String>, Vec<Diagnostic>) {
    let mut labels = user.clone();
    let mut findings = Vec::new();
    if let Some(gang) = gang {
        findings.extend(insert_queue(&mut labels, gang, path));
    }
    findings.extend(label_problems(&labels, path));
    (labels, findings)
}

/// Absent: inserted. Equal: fine. Different: a finding (01 §5.1).
fn insert_queue(
    labels: &mut BTreeMap<String, String>,
    gang: &GangSchedulerSpec,
    path: &FieldPath,
) -> Option<Diagnostic> {
    let key = &gang.queue_label_key;
    match labels.get(key) {
        None => {
            labels.insert(key.clone(), gang.queue.clone());
            None
        }
        Some(found) if *found == gang.queue => None,
        Some(found) => {
            let message =
                format!("the label {key:?} is {found:?}, but gangScheduler sets it to its queue {:?}", gang.queue);
            let help = "remove the label, or name the same queue in spec.gangScheduler.queue";
            Some(Diagnostic::at(Code::LabelConflict, path.key(key), message).with_help(help))
        }
    }
}

/// The contract of gang scheduling on the resolved result (02 §10.4): labels are checked; a queue label that an
/// override removed from the workload object comes back; every runtime label and scheduler name must be as the run
/// says, and is never repaired. `label_path` names the labels in findings.
pub fn validate_resolved(
    job: &mut JobSpec,
    dependencies: &[Value],
    gang: Option<&GangSchedulerSpec>,
    label_path: &FieldPath,
) -> Vec<Diagnostic> {
    let current = job.workload_metadata.as_ref().map(|m| m.labels.clone()).unwrap_or_default();
    let Some(gang) = resolve(gang) else { return label_problems(&current, label_path) };
    let (labels, mut findings) = compose_labels(&current, Some(&gang), label_path);
    if findings.is_empty() && labels != current {
        job.workload_metadata = Some(WorkloadMetadata { labels });
    }
    findings.extend(runtime_contract(job, dependencies, &gang));
    findings
}

/// A broken contract, at a field of the Workflow.
fn contract(path: FieldPath, message: String) -> Diagnostic {
    Diagnostic::at(Code::GangContract, path, message)
        .with_help("change the override that sets it, or spec.gangScheduler")
}

fn runtime_contract(job: &JobSpec, dependencies: &[Value], gang: &GangSchedulerSpec) -> Vec<Diagnostic> {
    let path = FieldPath::parse("spec.jobTemplate.spec.workload.trainJob");
    let Some(train_job) = &job.workload.train_job else {
        return vec![contract(path, "gangScheduler is set, but the job template has no trainJob to schedule".into())];
    };
    let reference = &train_job.runtime_ref;
    let group = reference.api_group.as_deref().unwrap_or(TRAINER_GROUP);
    if group != TRAINER_GROUP {
        let message =
            format!("gangScheduler needs a runtime of group {TRAINER_GROUP:?}, but runtimeRef.apiGroup is {group:?}");
        return vec![contract(path.key("runtimeRef").key("apiGroup"), message)];
    }
    let kind = reference.kind.as_deref().unwrap_or("ClusterTrainingRuntime");
    if kind != "TrainingRuntime" {
        let message = format!("gangScheduler needs a TrainingRuntime of the run, but runtimeRef.kind is {kind:?}");
        return vec![contract(path.key("runtimeRef").key("kind"), message)];
    }
    let name = reference.name.as_str();
    let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let found = dependencies.iter().find(|d| {
        text(d, "/kind").as_deref() == Some("TrainingRuntime")
            && text(d, "/apiVersion").is_some_and(|v| v.split('/').next() == Some(TRAINER_GROUP))
            && text(d, "/metadata/name").as_deref() == Some(name)
    });
    let Some(runtime) = found else {
        let message =
            format!("gangScheduler is set, but TrainingRuntime {name:?} of runtimeRef is not among the dependencies");
        return vec![contract(path.key("runtimeRef").key("name"), message)];
    };
    let runtime_path = FieldPath::parse("spec.dependencies").named(format!("TrainingRuntime/{name}"));
    let jobs_path = ["spec", "template", "spec", "replicatedJobs"].iter().fold(runtime_path, |p, key| p.key(*key));
    let Some(jobs) = runtime.pointer("/spec/template/spec/replicatedJobs").and_then(Value::as_array) else {
        let message = format!(
            "gangScheduler is set, but TrainingRuntime {name:?} has no list spec.template.spec.replicatedJobs to check"
        );
        return vec![contract(jobs_path, message)];
    };
    let patches = patched_labels(&train_job.runtime_patches);
    jobs.iter()
        .enumerate()
        .flat_map(|(index, job)| job_contract(job, index, name, &jobs_path, gang, &patches))
        .collect()
}

/// Labels that runtime patches set, by replicated job: Job template labels, pod template labels. Later wins.
type PatchedLabels = BTreeMap<String, [BTreeMap<String, String>; 2]>;

fn patched_labels(patches: &[RuntimePatch]) -> PatchedLabels {
    let mut out = PatchedLabels::new();
    let jobs = patches
        .iter()
        .filter_map(|p| p.training_runtime_spec.as_ref()?.template.as_ref()?.spec.as_ref())
        .flat_map(|s| &s.replicated_jobs);
    for job in jobs {
        let [job_labels, pod_labels] = out.entry(job.name.clone()).or_default();
        let Some(template) = &job.template else { continue };
        if let Some(metadata) = &template.metadata {
            job_labels.extend(metadata.labels.clone());
        }
        let pod = template.spec.as_ref().and_then(|s| s.template.as_ref());
        if let Some(metadata) = pod.and_then(|t| t.metadata.as_ref()) {
            pod_labels.extend(metadata.labels.clone());
        }
    }
    out
}

fn job_contract(
    job: &Value,
    index: usize,
    runtime: &str,
    jobs: &FieldPath,
    gang: &GangSchedulerSpec,
    patches: &PatchedLabels,
) -> Vec<Diagnostic> {
    let path = match job.get("name").and_then(Value::as_str) {
        Some(name) => jobs.named(name),
        None => jobs.index(index),
    };
    let shape = |what: String| {
        vec![contract(path.clone(), format!("gangScheduler is set, but TrainingRuntime {runtime:?} {what}"))]
    };
    if !job.is_object() {
        return shape(format!("holds something else than an object at replicatedJobs[{index}]"));
    }
    let name = job.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(template) = job.get("template").filter(|t| t.is_object()) else {
        return shape(format!("replicated job {name:?} has no template"));
    };
    let Some(pod) = template.pointer("/spec/template").filter(|t| t.is_object()) else {
        return shape(format!("replicated job {name:?} has no pod template"));
    };
    let (key, queue) = (&gang.queue_label_key, &gang.queue);
    let mut out = Vec::new();
    let patched = patches.get(name);
    let levels = [
        (template, patched.map(|[job, _]| job), "template.metadata.labels"),
        (pod, patched.map(|[_, pod]| pod), "template.spec.template.metadata.labels"),
    ];
    for (holder, patch, place) in levels {
        let label = match patch.is_some_and(|p| p.contains_key(key)) {
            true => FieldPath::parse("spec.jobTemplate.spec.workload.trainJob.runtimePatches"),
            false => path.join(&FieldPath::parse(place)).key(key),
        };
        let own = holder.pointer("/metadata/labels").and_then(|l| l.get(key)).and_then(Value::as_str);
        match patch.and_then(|p| p.get(key)).map(String::as_str).or(own) {
            Some(found) if found == queue => {}
            Some(found) => out.push(contract(
                label,
                format!(
                    "gangScheduler asks for queue {queue:?}, but replicated job {name:?} of TrainingRuntime {runtime:?} has label {key:?} with value {found:?} in {place}"
                ),
            )),
            None => out.push(contract(
                label,
                format!(
                    "gangScheduler asks for queue {queue:?}, but replicated job {name:?} of TrainingRuntime {runtime:?} has no label {key:?} in {place}"
                ),
            )),
        }
    }
    let wanted = &gang.scheduler_name;
    match pod.get("spec").filter(|s| s.is_object()) {
        None => out.extend(shape(format!("replicated job {name:?} has no pod spec"))),
        Some(spec) => match spec.get("schedulerName").and_then(Value::as_str) {
            Some(found) if found == wanted => {}
            found => out.push(contract(
                path.join(&FieldPath::parse("template.spec.template.spec.schedulerName")),
                format!(
                    "gangScheduler asks for scheduler {wanted:?}, but replicated job {name:?} of TrainingRuntime {runtime:?} has {}",
                    found.map_or("no schedulerName".to_owned(), |f| format!("schedulerName {f:?}"))
                ),
            )),
        },
    }
    out
}

/// Puts scheduler and queue on every replicated job of every TrainingRuntime among the dependencies (02 §6.1), for
/// runtimes that the run's own builder did not make. Under KAI a launcher that waits for `node` by `dependsOn` waits by
/// an init container instead.
pub fn apply_to_dependencies(dependencies: &mut [Value], gang: Option<&GangSchedulerSpec>) {
    let Some(gang) = resolve(gang) else { return };
    for dependency in dependencies {
        if dependency.get("kind").and_then(Value::as_str) != Some("TrainingRuntime") {
            continue;
        }
        let Some(spec) = dependency.pointer_mut("/spec/template/spec").and_then(Value::as_object_mut) else { continue };
        let Some(jobs) = spec.get_mut("replicatedJobs").and_then(Value::as_array_mut) else { continue };
        let mut ungated = false;
        for job in jobs.iter_mut().filter_map(Value::as_object_mut) {
            mark_job(job, &gang);
            ungated |= gang.scheduler_name == KAI && wait_without_gate(job);
        }
        if ungated {
            spec.remove("startupPolicy");
        }
    }
}

/// The object at a key, made when absent. Something else there is replaced.
fn object<'a>(map: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    let entry = map.entry(key).or_insert_with(|| json!({}));
    if !entry.is_object() {
        *entry = json!({});
    }
    entry.as_object_mut()
}

fn mark_job(job: &mut Map<String, Value>, gang: &GangSchedulerSpec) -> Option<()> {
    let template = object(job, "template")?;
    let queue = || json!(gang.queue);
    object(object(template, "metadata")?, "labels")?.insert(gang.queue_label_key.clone(), queue());
    let pod = object(object(template, "spec")?, "template")?;
    object(object(pod, "metadata")?, "labels")?.insert(gang.queue_label_key.clone(), queue());
    object(pod, "spec")?.insert("schedulerName".into(), json!(gang.scheduler_name));
    Some(())
}

/// True when the job was the launcher that waited for `node`, and now waits by itself.
fn wait_without_gate(job: &mut Map<String, Value>) -> bool {
    let gate = json!([{ "name": "node", "status": "Ready" }]);
    if job.get("name").and_then(Value::as_str) != Some("launcher") || job.get("dependsOn") != Some(&gate) {
        return false;
    }
    job.remove("dependsOn");
    let pod = job.get_mut("template").and_then(|t| t.pointer_mut("/spec/template/spec")).and_then(Value::as_object_mut);
    let Some(pod) = pod else { return true };
    let image = pod
        .get("containers")
        .and_then(Value::as_array)
        .and_then(|c| c.iter().filter_map(|c| c.get("image").and_then(Value::as_str)).find(|i| !i.is_empty()))
        .unwrap_or_default()
        .to_owned();
    let init = pod.entry("initContainers").or_insert_with(|| json!([]));
    if let Some(init) = init.as_array_mut()
        && !init.iter().any(|c| c.get("name").and_then(Value::as_str) == Some("wait-for-workers"))
    {
        init.push(wait_for_workers(&image));
    }
    true
}
