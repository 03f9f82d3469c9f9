//! The manifests of a job as templates (03 §6.2–6.8, 10 §2): everything that does not differ from job to job is
//! built here, once.

use super::input::{Delivery, JobsInput};
use super::patch::{edit_pod_patch, worker_job};
use super::placement::{Placement, pod_template_path};
use super::references::{Place, Step, at, is_cluster_scoped, is_kept_in_job_spec, is_payload, keys, kind_of};
use super::scope::{Copies, creation_order};
use super::template::{Fill, Manifest, Owner, Role, Template};
use super::tolerations::names_cordon;
use crate::api::{
    API_VERSION, CelHealthCheck, GROUP, GROUP_KEY, GROUP_NODES_KEY, ITERATION_KEY, JOB_KEY, JobSpec, MANAGED_BY,
    MANAGED_BY_KEY, NodeHealthMonitor, ObjectMeta, PatchMetadata, RUN_KEY, TRAINER_API_VERSION, WORKFLOW_KEY,
};
use crate::diagnostic::Diagnostic;
use crate::object::object;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Health check of a Job whose template has none (03 §6.3).
pub(crate) use crate::workflow::CORDON_CHECK as DEFAULT_HEALTH_CHECK;

/// Everything that jobs are printed from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Templates {
    /// Dependencies of the whole run, in creation order.
    pub shared: Vec<Manifest>,
    /// Objects of every job, in creation order.
    pub per_job: Vec<Template>,
}

/// Builds the templates. `runtime` is the position of the runtime among the dependencies.
pub(crate) fn templates(
    input: &JobsInput<'_>,
    copies: &Copies,
    runtime: Option<usize>,
    placement: &Placement,
    findings: &mut Vec<Diagnostic>,
) -> Templates {
    let dependencies = &input.workflow.spec.dependencies;
    let mut spec = job_spec(input);
    let mut slots: Vec<(Place, Fill)> = Vec::new();
    if let Some(train_job) = spec.workload.train_job.as_mut() {
        let runtime = runtime.and_then(|at| dependencies.get(at));
        let hosts = placement.apply(train_job, runtime, findings);
        slots.extend(hosts.into_iter().map(|place| (place, Fill::Hosts)));
        if !input.unpinned() && train_job.trainer.is_some() {
            slots.push((keys(&["trainer", "numNodes"]), Fill::Size));
        }
    }
    // The spec in a Job is without what only the TrainJob itself gets.
    let whole = match input.delivery {
        Delivery::Controller => serde_json::to_value(&spec).unwrap_or_default(),
        Delivery::Trainer => Value::Null,
    };
    let label = complete(input, &mut spec);
    let mut value = serde_json::to_value(&spec).unwrap_or_default();
    let train_job_prefix = keys(&["workload", "trainJob"]);
    let mut other: Vec<(Place, Fill)> = Vec::new();
    for (place, target) in copies.places(&value, &is_kept_in_job_spec) {
        match place.strip_prefix(train_job_prefix.as_slice()) {
            Some(rest) => slots.push((rest.to_vec(), Fill::Copy(target))),
            None => other.push((place, Fill::Copy(target))),
        }
    }
    let mut out = Templates::default();
    let shared: Vec<usize> = (0..dependencies.len()).filter(|i| !copies.copied.contains(i)).collect();
    for object in creation_order(dependencies, &shared).into_iter().filter_map(|i| dependencies.get(i)) {
        let owner = match input.delivery {
            _ if is_cluster_scoped(kind_of(object)) => None,
            Delivery::Controller => Some(Owner::Workflow { controller: false }),
            Delivery::Trainer => Some(Owner::Record),
        };
        out.shared.push(Manifest { value: dependency(input, object), owner, role: Role::Dependency });
    }
    for index in creation_order(dependencies, &copies.copied) {
        let Some(object) = dependencies.get(index) else { continue };
        let restarts = max_restarts(input).filter(|_| runtime == Some(index));
        out.per_job.push(copy(input, object, copies, restarts));
    }
    let train_job_value = value.pointer_mut("/workload/trainJob").map(Value::take);
    if input.delivery == Delivery::Controller {
        out.per_job.push(job(input, whole, &slots, other));
    }
    slots.extend(label);
    out.per_job.extend(train_job_value.map(|value| train_job(input, &spec, value, &slots)));
    if input.delivery == Delivery::Controller {
        out.per_job.extend(measurements(input, &spec));
    }
    out
}

/// Restarts that a JobSet makes in place of the engine (00 D69).
fn max_restarts(input: &JobsInput<'_>) -> Option<i32> {
    let checkpoint = input.workflow.spec.job_template.spec.checkpoint.as_ref();
    let restarts = checkpoint.and_then(|c| c.max_restarts).filter(|n| *n > 0);
    restarts.filter(|_| input.delivery == Delivery::Trainer)
}

/// The spec of a Job without what differs from job to job (03 §6.2 steps 2, 3 and 9).
fn job_spec(input: &JobsInput<'_>) -> JobSpec {
    let mut spec = input.workflow.spec.job_template.spec.clone();
    let performance = input.workflow.spec.validation.as_ref().and_then(|v| v.performance.as_ref());
    if let Some(performance) = performance {
        if let Some(thresholds) = performance.thresholds.as_ref().filter(|t| !t.thresholds.is_empty()) {
            spec.thresholds.clone_from(&thresholds.thresholds);
        }
        if performance.measurement_timeout.is_some() {
            spec.measurement_timeout = performance.measurement_timeout;
        }
    }
    let default = NodeHealthMonitor { cel: Some(CelHealthCheck { expression: DEFAULT_HEALTH_CHECK.to_owned() }) };
    let monitor = spec.node_health_monitor.take();
    spec.node_health_monitor = if names_cordon(input.target()) {
        None
    } else if input.target().is_some_and(|t| t.include_unschedulable) {
        monitor.filter(|m| *m != default)
    } else {
        Some(monitor.unwrap_or(default))
    };
    spec
}

/// The map below a key of an object, made when it is not there.
fn map_of<'a>(object: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    let value = object.entry(key).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    value.as_object_mut()
}

/// A dependency as it is made: with namespace and labels (03 §6.4, 10 §2).
fn dependency(input: &JobsInput<'_>, object: &Value) -> Value {
    let mut object = object.clone();
    let namespaced = !is_cluster_scoped(kind_of(&object));
    if let Some(metadata) = object.as_object_mut().and_then(|o| map_of(o, "metadata")) {
        let absent = metadata.get("namespace").and_then(Value::as_str).is_none_or(str::is_empty);
        if absent && namespaced && !input.namespace.is_empty() {
            metadata.insert("namespace".to_owned(), input.namespace.into());
        }
        if let Some(labels) = map_of(metadata, "labels") {
            labels.insert(WORKFLOW_KEY.to_owned(), input.run_name().into());
            if input.delivery == Delivery::Trainer {
                labels.insert(RUN_KEY.to_owned(), input.run_name().into());
            }
        }
    }
    object
}

/// A per-job copy of a dependency.
fn copy(input: &JobsInput<'_>, object: &Value, copies: &Copies, restarts: Option<i32>) -> Template {
    let mut value = dependency(input, object);
    let mut slots: Vec<(Place, Fill)> =
        copies.places(&value, &is_payload).into_iter().map(|(place, target)| (place, Fill::Copy(target))).collect();
    slots.extend(copies.own(object).map(|target| (keys(&["metadata", "name"]), Fill::Copy(target))));
    let sized = kind_of(object) == "ComputeDomain" && at(object, &["spec", "numNodes"]).is_some();
    if sized && !input.unpinned() {
        slots.push((keys(&["spec", "numNodes"]), Fill::Size));
    }
    if let Some(restarts) = restarts {
        let job_set = value.get_mut("spec").and_then(|s| s.get_mut("template")).and_then(|t| t.get_mut("spec"));
        if let Some(policy) = job_set.and_then(Value::as_object_mut).and_then(|s| map_of(s, "failurePolicy")) {
            policy.entry("maxRestarts").or_insert_with(|| restarts.into());
        }
    }
    let owner = match input.delivery {
        Delivery::Controller => Owner::Job { controller: false },
        Delivery::Trainer => Owner::Record,
    };
    Template { manifest: Manifest { value, owner: Some(owner), role: Role::Dependency }, slots }
}

fn below(prefix: &[&str], slots: &[(Place, Fill)]) -> Vec<(Place, Fill)> {
    let longer =
        |(place, fill): &(Place, Fill)| (keys(prefix).into_iter().chain(place.iter().cloned()).collect(), *fill);
    slots.iter().map(longer).collect()
}

fn metadata(
    input: &JobsInput<'_>,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
) -> ObjectMeta {
    // The name stands for that of every job; templates fill it in.
    ObjectMeta { name: input.run_name().to_owned(), namespace: input.namespace.to_owned(), labels, annotations }
}

fn label_place(key: &str) -> Place {
    keys(&["metadata", "labels", key])
}

/// The annotation with the nodes of the group; absent when the scheduler chooses them.
fn group_nodes(input: &JobsInput<'_>, annotations: &mut BTreeMap<String, String>, slots: &mut Vec<(Place, Fill)>) {
    if !input.unpinned() {
        annotations.insert(GROUP_NODES_KEY.to_owned(), String::new());
        slots.push((keys(&["metadata", "annotations", GROUP_NODES_KEY]), Fill::GroupNodes));
    }
}

/// The Job object (03 §6.3).
fn job(input: &JobsInput<'_>, spec: Value, train_job: &[(Place, Fill)], other: Vec<(Place, Fill)>) -> Template {
    let template = &input.workflow.spec.job_template.metadata;
    let (mut labels, mut annotations) = (template.labels.clone(), template.annotations.clone());
    labels.insert(MANAGED_BY_KEY.to_owned(), MANAGED_BY.to_owned());
    labels.insert(WORKFLOW_KEY.to_owned(), input.run_name().to_owned());
    labels.insert(GROUP_KEY.to_owned(), String::new());
    let mut slots = below(&["spec", "workload", "trainJob"], train_job);
    slots.extend(below(&["spec"], &other));
    slots.push((keys(&["metadata", "name"]), Fill::Job));
    slots.push((label_place(GROUP_KEY), Fill::Group));
    group_nodes(input, &mut annotations, &mut slots);
    let value = object! {
        "apiVersion": API_VERSION,
        "kind": "Job",
        "metadata": json!(metadata(input, labels, annotations)),
        "spec": spec,
    };
    let owner = Some(Owner::Workflow { controller: true });
    Template { manifest: Manifest { value, owner, role: Role::Job }, slots }
}

/// What only the TrainJob itself has, not its copy in a Job: the label of its pods, which differs from job to job
/// (03 §6.7), and the limit of a direct run (10 §2).
fn complete(input: &JobsInput<'_>, spec: &mut JobSpec) -> Option<(Place, Fill)> {
    let train_job = spec.workload.train_job.as_mut()?;
    let worker = worker_job(train_job);
    let (patch, entry) = edit_pod_patch(train_job, &worker, |pod| {
        let labels = &mut pod.metadata.get_or_insert_with(PatchMetadata::default).labels;
        labels.insert(JOB_KEY.to_owned(), String::new());
    });
    if input.delivery == Delivery::Trainer {
        let limit = input.workflow.spec.orchestration.execution.timeout_per_job;
        let limit = limit.map(|t| t.seconds_rounded_up().max(1));
        // The limit of the run and one set by an override both hold: the smaller one ends the job.
        train_job.active_deadline_seconds = train_job.active_deadline_seconds.into_iter().chain(limit).min();
    }
    let mut place = pod_template_path(patch, entry);
    place.extend(label_place(JOB_KEY));
    Some((place, Fill::Job))
}

/// The TrainJob object (03 §6.7, 10 §2).
fn train_job(input: &JobsInput<'_>, spec: &JobSpec, train_job: Value, spec_slots: &[(Place, Fill)]) -> Template {
    let mut labels = spec.workload_metadata.as_ref().map(|m| m.labels.clone()).unwrap_or_default();
    labels.insert(MANAGED_BY_KEY.to_owned(), MANAGED_BY.to_owned());
    labels.insert(JOB_KEY.to_owned(), String::new());
    let mut annotations = BTreeMap::new();
    let mut slots = vec![(keys(&["metadata", "name"]), Fill::TrainJob), (label_place(JOB_KEY), Fill::Job)];
    let owner = match input.delivery {
        Delivery::Controller => Owner::Job { controller: true },
        Delivery::Trainer => {
            labels.insert(RUN_KEY.to_owned(), input.run_name().to_owned());
            for (key, fill) in [(GROUP_KEY, Fill::Group), (ITERATION_KEY, Fill::Iteration)] {
                labels.insert(key.to_owned(), String::new());
                slots.push((label_place(key), fill));
            }
            group_nodes(input, &mut annotations, &mut slots);
            Owner::Record
        }
    };
    slots.extend(below(&["spec"], spec_slots));
    let value = object! {
        "apiVersion": TRAINER_API_VERSION,
        "kind": "TrainJob",
        "metadata": json!(metadata(input, labels, annotations)),
        "spec": train_job,
    };
    Template { manifest: Manifest { value, owner: Some(owner), role: Role::TrainJob }, slots }
}

/// Measurements of a Job (03 §6.8).
fn measurements(input: &JobsInput<'_>, spec: &JobSpec) -> Vec<Template> {
    let goodput = spec.goodput_measurement.as_ref().map(|m| ("GoodputMeasurement", json!(m), Fill::Goodput));
    let bandwidth = spec.bandwidth_measurement.as_ref().map(|m| ("BandwidthMeasurement", json!(m), Fill::Bandwidth));
    let template = |(kind, mut fields, name): (&str, Value, Fill)| {
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("jobRef".to_owned(), json!({"apiGroup": GROUP, "kind": "Job", "name": ""}));
        }
        let labels =
            BTreeMap::from([(MANAGED_BY_KEY.to_owned(), MANAGED_BY.to_owned()), (JOB_KEY.to_owned(), String::new())]);
        let value = json!({
            "apiVersion": API_VERSION,
            "kind": kind,
            "metadata": metadata(input, labels, BTreeMap::new()),
            "spec": fields,
        });
        let slots = vec![
            (keys(&["metadata", "name"]), name),
            (label_place(JOB_KEY), Fill::Job),
            (keys(&["spec", "jobRef", "name"]), Fill::Job),
        ];
        let owner = Some(Owner::Workflow { controller: true });
        Template { manifest: Manifest { value, owner, role: Role::Measurement }, slots }
    };
    goodput.into_iter().chain(bandwidth).map(template).collect()
}

/// The keys of a place as text, for the trace.
pub(crate) fn place_path(place: &[Step]) -> crate::diagnostic::FieldPath {
    place.iter().fold(crate::diagnostic::FieldPath::root(), |path, step| match step {
        Step::Key(key) => path.key(key.as_str()),
        Step::Index(index) => path.index(*index),
    })
}
