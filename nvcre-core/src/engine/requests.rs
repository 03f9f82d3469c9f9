//! Extended resources that the pods of a result ask for, and who asks (00 D33).

use super::{Rendering, blame};
use crate::api::{GPU_RESOURCE, Value};
use crate::catalogue::EntryRef;
use crate::check::{Quantity, is_extended_resource};
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::fleet::ResourceRequest;
use crate::jobs::{Prepared, WORKER, item_name, replicated_jobs, runtime_of};
use crate::schedule::{self, Asked, Schedule};

const TRAIN_JOB: &str = "spec.jobTemplate.spec.workload.trainJob";

/// What the entries that matched ask for.
pub(super) fn by_entries(rendering: &Rendering<'_>, entries: &[EntryRef<'_>]) -> Vec<ResourceRequest> {
    let inputs = rendering.facts.inputs(&rendering.run);
    let of = |entry: &EntryRef<'_>| {
        let origin = format!("catalogue entry {} {}", entry.entry.id, entry.entry.name);
        let request = move |request: crate::catalogue::ResourceRequest| ResourceRequest {
            origin: origin.clone(),
            resource: request.resource,
            remedy: request.fields.iter().map(|f| remedy(f)).collect::<Vec<_>>().join(" or "),
            path: request.fields.first().map(|field| FieldPath::parse(field)),
        };
        entry.requests(&inputs).into_iter().map(request)
    };
    entries.iter().flat_map(of).collect()
}

/// What to set in a field so that a request goes away or changes.
fn remedy(field: &str) -> String {
    match field {
        "spec.mlnxPerNode" => "spec.mlnxPerNode: 0".into(),
        other => format!("{other} to what the nodes offer"),
    }
}

/// What the pods really ask for, each resource once. GPUs are left out: whether nodes have enough of them is the
/// capacity filter's.
pub(super) fn of_result(rendering: &Rendering<'_>) -> Vec<ResourceRequest> {
    let mut out: Vec<ResourceRequest> = Vec::new();
    for (path, resource) in asked(rendering) {
        if !out.iter().any(|r| r.resource == resource) {
            out.push(who(rendering, &path, resource));
        }
    }
    out
}

/// What the scheduler would say when pods find no node.
pub(super) fn scheduling(rendering: &Rendering<'_>, prepared: &Prepared<'_>) -> Vec<Diagnostic> {
    let requests = of_result(rendering);
    let asked = Asked { requests: &requests, own: rendering.run.spec.resources.as_ref() };
    schedule::findings(&Schedule::new(prepared), &asked)
}

fn who(rendering: &Rendering<'_>, path: &FieldPath, resource: String) -> ResourceRequest {
    let request = |origin: String, remedy: String, path: Option<FieldPath>| ResourceRequest {
        origin,
        resource: resource.clone(),
        remedy,
        path,
    };
    if let Some(path) = blame::brought(rendering, path) {
        let name = FieldPath(path.0.iter().take(3).cloned().collect());
        return request(name.to_string(), format!("{path} to what the nodes offer"), Some(path));
    }
    if let Some(entry) = rendering.by_entries.iter().find(|r| r.resource == resource) {
        return entry.clone();
    }
    let own = rendering.run.spec.resources.as_ref();
    let side = ["requests", "limits"].into_iter().find(|side| own.and_then(|r| r.get(side)?.get(&resource)).is_some());
    match side {
        Some(side) => request(
            "spec.resources".into(),
            "spec.resources to what the nodes offer".into(),
            Some(FieldPath::parse("spec.resources").key(side).key(&resource)),
        ),
        None => request("the runtime".into(), String::new(), Some(path.clone())),
    }
}

/// Every extended resource that a container of the run asks for, with its place in the Workflow.
fn asked(rendering: &Rendering<'_>) -> Vec<(FieldPath, String)> {
    let mut out = Vec::new();
    let spec = &rendering.workflow.spec;
    let Some(train_job) = &spec.job_template.spec.workload.train_job else { return out };
    // Those of the trainer take the place of the worker container's own.
    let trainers = train_job.trainer.as_ref().and_then(|t| t.resources_per_node.as_ref());
    if let Some(resources) = trainers {
        of_container(resources, &FieldPath::parse(TRAIN_JOB).key("trainer").key("resourcesPerNode"), &mut out);
    }
    let Some(runtime) = runtime_of(&spec.dependencies, train_job).and_then(|at| spec.dependencies.get(at)) else {
        return out;
    };
    let name = format!("TrainingRuntime/{}", train_job.runtime_ref.name);
    let jobs = FieldPath::parse("spec.dependencies").named(name).join(&"spec.template.spec.replicatedJobs".into());
    for job in replicated_jobs(runtime) {
        let Some(pod) = job.pointer("/template/spec/template/spec") else { continue };
        let base = jobs.named(item_name(job)).join(&"template.spec.template.spec".into());
        for list in ["initContainers", "containers"] {
            for container in pod.get(list).and_then(Value::as_array).into_iter().flatten() {
                let worker = item_name(job) == WORKER && list == "containers" && item_name(container) == WORKER;
                if let Some(resources) = container.get("resources").filter(|_| !(worker && trainers.is_some())) {
                    let path = base.key(list).named(item_name(container)).key("resources");
                    of_container(resources, &path, &mut out);
                }
            }
        }
    }
    out
}

fn of_container(resources: &Value, path: &FieldPath, out: &mut Vec<(FieldPath, String)>) {
    let some = |count: &Value| match count {
        Value::String(text) => Quantity::parse(text).is_none_or(|q| q > Quantity::default()),
        count => count.as_f64() != Some(0.0),
    };
    for side in ["requests", "limits"] {
        let list = resources.get(side).and_then(Value::as_object).into_iter().flatten();
        for (key, _) in list.filter(|(key, count)| *key != GPU_RESOURCE && is_extended_resource(key) && some(count)) {
            out.push((path.key(side).key(key), key.clone()));
        }
    }
}
