//! The runtime: its policy, its replicated jobs and what the trainer finds in them (08 rows 6, 9, 14–17, 21).

use crate::api::{GPU_RESOURCE, GangSchedulerSpec, TrainJobSpec};
use crate::check::{Quantity, is_dns1123_label, pod_parts::text};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::jobs::differences::dependency_path;
use crate::jobs::patch::{WORKER, jobs_of, target_jobs, worker_job};
use crate::jobs::references::{at, name_of};
use crate::jobs::runtime::{item_name, pod_of, replicated_jobs};
use crate::workflow::gang;
use serde_json::Value;

/// The label that marks the replicated job which Trainer gives image, command and environment of the trainer.
const STEP: &str = "trainer.kubeflow.org/trainjob-ancestor-step";

/// The label that names the framework a runtime is made for.
const FRAMEWORK: &str = "trainer.kubeflow.org/framework";

/// Checks the runtime that a TrainJob refers to.
pub(super) fn check(
    runtime: &Value,
    train_job: &TrainJobSpec,
    gang: Option<&GangSchedulerSpec>,
    findings: &mut Vec<Diagnostic>,
) {
    policy(runtime, findings);
    order(runtime, findings);
    names(runtime, findings);
    shape(runtime, train_job, findings);
    if gang::resolve(gang).is_some_and(|g| gang::is_kai(&g)) {
        waits_for_gang(runtime, findings);
    }
    processes(runtime, train_job, findings);
}

fn spec_path(runtime: &Value) -> FieldPath {
    dependency_path(runtime).key("spec").key("template").key("spec")
}

/// Path of a replicated job of a runtime.
pub(super) fn job_path(runtime: &Value, index: usize, job: &Value) -> FieldPath {
    crate::check::pod_parts::element(&spec_path(runtime).key("replicatedJobs"), index, job)
}

/// True when Trainer gives this replicated job image, command and environment of the trainer.
pub(super) fn is_step(job: &Value) -> bool {
    at(job, &["template", "metadata", "labels", STEP]).and_then(Value::as_str) == Some("trainer")
}

/// What the trainer and our own patches speak to.
fn shape(runtime: &Value, train_job: &TrainJobSpec, findings: &mut Vec<Diagnostic>) {
    let jobs = replicated_jobs(runtime);
    let path = spec_path(runtime).key("replicatedJobs");
    let name = name_of(runtime);
    let mut wrong = |path: FieldPath, message: String, help: &'static str| {
        findings.push(Diagnostic::at(Code::RuntimeShape, path, message).with_help(help));
    };
    if jobs.is_empty() {
        let message = format!("the runtime {name} has no replicated jobs, so it makes no pods");
        return wrong(path, message, "keep overrides from removing spec.template.spec.replicatedJobs of the runtime");
    }
    let patched = |name: &str| train_job.runtime_patches.iter().flat_map(jobs_of).any(|j| j.name == name);
    // Those that patches name are checked with the patches.
    for target in target_jobs(train_job).iter().filter(|t| !patched(t)) {
        if !jobs.iter().any(|j| item_name(j) == target) {
            let message =
                format!("the runtime {name} has no replicated job {target}, which nodes and tolerations are set on");
            wrong(
                path.clone(),
                message,
                "name the replicated job of the workers node, or name yours in a runtime patch",
            );
        }
    }
    let says = train_job
        .trainer
        .as_ref()
        .is_some_and(|t| t.image.is_some() || !(t.command.is_empty() && t.args.is_empty() && t.env.is_empty()));
    if says && !jobs.iter().any(is_step) {
        let message = format!(
            "no replicated job of the runtime {name} has the label {STEP}: trainer, so none gets the trainer's image and command"
        );
        wrong(path, message, "set the label in the metadata of the job's template, as the base runtime does");
    }
    let mpi = at(runtime, &["spec", "mlPolicy", "mpi"]).is_some_and(|p| !p.is_null());
    for (index, job) in jobs.iter().enumerate() {
        let addressed = is_step(job) || mpi && item_name(job) == WORKER;
        let containers = at(job, &["template", "spec", "template", "spec", "containers"]).and_then(Value::as_array);
        let names: Vec<&str> = containers.into_iter().flatten().map(item_name).collect();
        if addressed && !names.is_empty() && !names.contains(&WORKER) {
            let path = job_path(runtime, index, job).join(&FieldPath::parse("template.spec.template.spec.containers"));
            let message = format!(
                "the replicated job {} has the containers {} and none called {WORKER}, which is the one that Trainer runs the workload in",
                item_name(job),
                names.join(", ")
            );
            wrong(path, message, "call the container of the workload node");
        }
    }
}

fn names(runtime: &Value, findings: &mut Vec<Diagnostic>) {
    let jobs = replicated_jobs(runtime);
    let mut seen = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        let (name, path) = (item_name(job), job_path(runtime, index, job).key("name"));
        if !is_dns1123_label(name) || seen.contains(&name) {
            let message = match seen.contains(&name) {
                true => format!("two replicated jobs are called {name}"),
                false => {
                    format!("{name:?} is no name of a replicated job: lower-case letters, digits and '-' are allowed")
                }
            };
            findings.push(
                Diagnostic::at(Code::ReplicatedJobs, path, message)
                    .with_help("give each a name of its own, such as node"),
            );
        }
        seen.push(name);
    }
    let targets = at(runtime, &["spec", "template", "spec", "successPolicy", "targetReplicatedJobs"]);
    for target in targets.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !seen.contains(&target) {
            let path = spec_path(runtime).key("successPolicy").key("targetReplicatedJobs");
            let message =
                format!("the success policy waits for the replicated job {target}, which the runtime does not have");
            findings.push(
                Diagnostic::at(Code::ReplicatedJobs, path, message).with_help("name a replicated job of the runtime"),
            );
        }
    }
}

/// Under KAI all pods of a gang come at once: a job that is made only when another one runs never lets it start (08 row 6).
fn waits_for_gang(runtime: &Value, findings: &mut Vec<Diagnostic>) {
    let jobs = replicated_jobs(runtime);
    let mut never = |path: FieldPath, what: String| {
        let message = format!("{what}; under KAI no pod starts before all are there, so the gang never starts");
        findings.push(
            Diagnostic::at(Code::GangContract, path, message)
                .with_help("remove it: under KAI the launcher waits for the workers in an init container"),
        );
    };
    for (index, job) in jobs.iter().enumerate().filter(|(_, job)| depends(job)) {
        let path = job_path(runtime, index, job).key("dependsOn");
        never(path, format!("the replicated job {} has dependsOn", item_name(job)));
    }
    if in_order(runtime) && jobs.len() > 1 {
        never(
            spec_path(runtime).key("startupPolicy"),
            "startupPolicy InOrder starts one replicated job after the other".into(),
        );
    }
}

/// More processes on a node than its pod has GPUs.
fn processes(runtime: &Value, train_job: &TrainJobSpec, findings: &mut Vec<Diagnostic>) {
    let Some(trainer) = &train_job.trainer else { return };
    let Some(processes) = trainer.num_proc_per_node else { return };
    let job = worker_job(train_job);
    let Some(index) = replicated_jobs(runtime).iter().position(|j| item_name(j) == job) else { return };
    let containers = pod_of(runtime, &job).and_then(|pod| pod.get("containers")).and_then(Value::as_array);
    let Some(container) = containers.into_iter().flatten().find(|c| item_name(c) == WORKER) else { return };
    let own = (super::train_job_path().key("trainer").key("resourcesPerNode"), trainer.resources_per_node.as_ref());
    let job_place = FieldPath::parse("template.spec.template.spec.containers");
    let runtimes = replicated_jobs(runtime).get(index).map(|j| job_path(runtime, index, j).join(&job_place));
    let runtimes = (runtimes.unwrap_or_default().named(WORKER).key("resources"), container.get("resources"));
    for (path, resources) in [own, runtimes] {
        for side in ["limits", "requests"] {
            let Some(amount) = resources.and_then(|r| at(r, &[side, GPU_RESOURCE])).filter(|a| !a.is_null()) else {
                continue;
            };
            let given = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
            let Some(gpus) = Quantity::parse(&given).and_then(Quantity::whole) else { return };
            if i128::from(processes) > gpus {
                let message = format!(
                    "a pod has {gpus} GPUs and runs {processes} processes; those above the number of GPUs find none"
                );
                findings.push(
                    Diagnostic::at(Code::MoreProcessesThanGpus, path.key(side).key(GPU_RESOURCE), message)
                        .with_help(format!("set spec.gpusPerNode to {gpus}, or give the pod {processes} GPUs")),
                );
            }
            return;
        }
    }
}

fn policy(runtime: &Value, findings: &mut Vec<Diagnostic>) {
    let path = dependency_path(runtime).key("spec").key("mlPolicy");
    let policy = at(runtime, &["spec", "mlPolicy"]).and_then(Value::as_object);
    let set: Vec<&str> = policy
        .into_iter()
        .flatten()
        .filter(|(key, value)| *key != "numNodes" && !value.is_null())
        .map(|(key, _)| key.as_str())
        .collect();
    if set.len() > 1 {
        let message = format!("the runtime has the ML policies {}; Trainer takes one", set.join(" and "));
        findings.push(
            Diagnostic::at(Code::MlPolicy, path.clone(), message)
                .with_help("have the override remove the policy of the framework that the run does not use"),
        );
    }
    // A runtime of somebody else may do without; ours say what they are made for.
    if set.is_empty() && at(runtime, &["metadata", "labels", FRAMEWORK]).is_some() {
        let message = "the runtime has no ML policy, so Trainer sets up neither torchrun nor mpirun";
        findings.push(
            Diagnostic::at(Code::MlPolicy, path.clone(), message)
                .with_help("keep the policy of the framework: mlPolicy.torch or mlPolicy.mpi"),
        );
    }
    let Some(policy) = policy else { return };
    if policy.get("torch").and_then(|t| t.get("numProcPerNode")).is_some() {
        let message = "mlPolicy.torch.numProcPerNode is no field of Kubeflow Trainer from release 2.2 on";
        findings.push(
            Diagnostic::at(Code::MlPolicy, path.key("torch").key("numProcPerNode"), message)
                .with_help("set trainJob.trainer.numProcPerNode instead"),
        );
    }
    for kind in ["mpi", "flux"] {
        let count = policy.get(kind).and_then(|p| p.get("numProcPerNode")).and_then(Value::as_i64);
        if let Some(count) = count.filter(|n| *n < 1) {
            let message = format!("mlPolicy.{kind}.numProcPerNode is {count}; a node runs at least one process");
            findings.push(
                Diagnostic::at(Code::NegativeCount, path.key(kind).key("numProcPerNode"), message)
                    .with_help("set it to 1 or more, or leave it out"),
            );
        }
    }
    if let Some(nodes) = policy.get("numNodes").and_then(Value::as_i64).filter(|n| *n < 1) {
        let message = format!("mlPolicy.numNodes is {nodes}; a job needs at least one node");
        findings.push(
            Diagnostic::at(Code::NegativeCount, path.key("numNodes"), message)
                .with_help("set spec.numNodes to 1 or more"),
        );
    }
}

fn depends(job: &Value) -> bool {
    job.get("dependsOn").and_then(Value::as_array).is_some_and(|d| !d.is_empty())
}

fn in_order(runtime: &Value) -> bool {
    let order = at(runtime, &["spec", "template", "spec", "startupPolicy", "startupPolicyOrder"]);
    order.and_then(Value::as_str) == Some("InOrder")
}

fn order(runtime: &Value, findings: &mut Vec<Diagnostic>) {
    let jobs = replicated_jobs(runtime);
    let path = spec_path(runtime);
    if let Some(first) = jobs.first().filter(|job| depends(job)) {
        let message = format!("the first replicated job {} has dependsOn, and JobSet refuses that", item_name(first));
        findings.push(
            Diagnostic::at(
                Code::ReplicatedJobs,
                path.key("replicatedJobs").named(item_name(first)).key("dependsOn"),
                message,
            )
            .with_help("put the replicated job that others depend on first"),
        );
    }
    for (index, job) in jobs.iter().enumerate().skip(1) {
        let before: Vec<&str> = jobs.iter().take(index).map(item_name).collect();
        for (at, gate) in job.get("dependsOn").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let name = text(gate, "name");
            let twice = job
                .get("dependsOn")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .take(at)
                .any(|g| text(g, "name") == name);
            if twice || !before.contains(&name) {
                let message = format!(
                    "the replicated job {} waits for {name:?}; it may wait once for each that stands before it: {}",
                    item_name(job),
                    before.join(", ")
                );
                findings.push(
                    Diagnostic::at(Code::ReplicatedJobs, job_path(runtime, index, job).key("dependsOn"), message)
                        .with_help("name a replicated job that stands before this one"),
                );
            }
        }
    }
    if in_order(runtime) && jobs.iter().any(depends) {
        let message = "startupPolicy InOrder stands together with dependsOn, and JobSet refuses that";
        findings.push(
            Diagnostic::at(Code::ReplicatedJobs, path.key("startupPolicy"), message)
                .with_help("keep dependsOn and remove startupPolicy"),
        );
    }
    for (index, job) in jobs.iter().enumerate() {
        for (keys, least) in [
            (&["replicas"][..], 0),
            (&["template", "spec", "parallelism"], 0),
            (&["template", "spec", "completions"], 0),
            (&["template", "spec", "backoffLimit"], 0),
            (&["template", "spec", "activeDeadlineSeconds"], 1),
            (&["template", "spec", "ttlSecondsAfterFinished"], 0),
        ] {
            let Some(count) = at(job, keys).and_then(Value::as_i64).filter(|n| *n < least) else { continue };
            let field = keys.last().copied().unwrap_or_default();
            let message = match field {
                "replicas" => {
                    format!("the replicated job {} has {count} replicas; 0 or more are wanted", item_name(job))
                }
                field => format!("{field} of the replicated job {} is {count}; the least is {least}", item_name(job)),
            };
            let path = keys.iter().fold(job_path(runtime, index, job), |path, key| path.key(*key));
            findings.push(
                Diagnostic::at(Code::NegativeCount, path, message).with_help(format!("set {field} to {least} or more")),
            );
        }
    }
}
