//! What a run keeps whatever its overrides replace: overrides replace lists and orchestration fields whole (04 §4.1,
//! §6), and a part of what they replace belongs to the run.

use super::{Rendering, blame};
use crate::api::*;
use crate::check::GoDuration;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::overrides::Word;
use crate::trace::{Change, Origin, Recorder, Subject};
use crate::workflow::{DEFAULT_TIMEOUT, complete_patches};
use serde_json::json;

const TRAIN_JOB: &str = "spec.jobTemplate.spec.workload.trainJob";

/// What overrides may take away, as it was before them.
#[derive(Debug, Clone, Default)]
pub(super) struct Before {
    timeout: Option<GoDuration>,
    strict: bool,
    /// The trainer's command and arguments, when an override could take something away with them.
    words: Option<(Vec<String>, Vec<String>)>,
    /// Lines of platforms and overrides that run before the command (02 §9).
    lines: Vec<String>,
}

impl Before {
    /// Of the base Workflow of a run; `lines` run before its command.
    pub fn of(spec: &WorkflowSpec, run: &WorkloadRunSpec, lines: &[Word<'_>]) -> Self {
        let trainer = spec.job_template.spec.workload.train_job.as_ref().and_then(|t| t.trainer.as_ref());
        let at_stake = !lines.is_empty() || (run.framework.mpi.is_some() && !run.overrides.is_empty());
        Self {
            timeout: spec.orchestration.execution.timeout_per_job,
            strict: spec.orchestration.topology.as_ref().is_some_and(|t| t.strict_domain == Some(true)),
            words: trainer.filter(|_| at_stake).map(|t| (t.command.clone(), t.args.clone())),
            lines: lines.iter().map(|line| line.text.to_string()).collect(),
        }
    }
}

/// Brings back what belongs to the run, and says what an override sets in vain or takes away.
pub(super) fn restore<R: Recorder>(
    rendering: &mut Rendering<'_>,
    before: &Before,
    recorder: &mut R,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    runtime_patches(rendering, recorder);
    found.extend(priority_class(rendering, recorder));
    found.extend(compute_domains(rendering, recorder));
    found.extend(timeout(rendering, before, recorder));
    clique(rendering, recorder);
    found.extend(test_scale(rendering, before));
    found.extend(replaced_command(rendering, before));
    found
}

fn record<R: Recorder>(recorder: &mut R, path: FieldPath, origin: Origin, old: Option<Value>, new: Value) {
    recorder.record(|| Change { subject: Subject::Field { path }, origin, old, new: Some(new) });
}

fn size(spec: &WorkflowSpec) -> Option<i32> {
    spec.job_template.spec.workload.train_job.as_ref()?.trainer.as_ref()?.num_nodes.filter(|n| *n > 0)
}

/// Our patch: pull secrets, and the jobs that placement speaks to (02 §7.4, 00 D8).
fn runtime_patches<R: Recorder>(rendering: &mut Rendering<'_>, recorder: &mut R) {
    let mpi = rendering.facts.framework == crate::catalogue::Framework::Mpi;
    let Some(train_job) = &mut rendering.workflow.spec.job_template.spec.workload.train_job else { return };
    let old = train_job.runtime_patches.clone();
    complete_patches(train_job, mpi, &rendering.run.spec.image_pull_secrets);
    if R::ON && old != train_job.runtime_patches {
        let path = FieldPath::parse(TRAIN_JOB).key("runtimePatches");
        let origin = match rendering.run.spec.image_pull_secrets.is_empty() {
            true => Origin::Default { source: "02 §7.4".into() },
            false => Origin::Run { path: "spec.imagePullSecrets".into() },
        };
        let old = Some(json!(old)).filter(|o| *o != json!([]));
        record(recorder, path, origin, old, json!(train_job.runtime_patches));
    }
}

/// The priority class on every pod template, after all overrides (01 §1.1, 00 D51).
fn priority_class<R: Recorder>(rendering: &mut Rendering<'_>, recorder: &mut R) -> Vec<Diagnostic> {
    let name = rendering.run.spec.priority_class_name.clone();
    let mut replaced = Vec::new();
    if name.is_empty() {
        return replaced;
    }
    for runtime in rendering.workflow.spec.dependencies.iter_mut().filter(|d| kind(d) == "TrainingRuntime") {
        let jobs = dependency(runtime).join(&FieldPath::parse("spec.template.spec.replicatedJobs"));
        let list = runtime.pointer_mut("/spec/template/spec/replicatedJobs").and_then(Value::as_array_mut);
        for job in list.into_iter().flatten() {
            let path = jobs.named(text(job, "/name"));
            let Some(pod) = job.pointer_mut("/template/spec/template/spec").and_then(Value::as_object_mut) else {
                continue;
            };
            match pod.insert("priorityClassName".into(), json!(name)) {
                Some(Value::String(old)) if old != name => {
                    let path = path.join(&FieldPath::parse("template.spec.template.spec.priorityClassName"));
                    let origin = Origin::Run { path: "spec.priorityClassName".into() };
                    record(recorder, path.clone(), origin, Some(json!(old)), json!(name));
                    let message = format!(
                        "the priority class {old:?} has no effect: spec.priorityClassName puts {name:?} on every pod of the run"
                    );
                    replaced.push(
                        Diagnostic::at(Code::NoEffect, path, message)
                            .with_related("spec.priorityClassName", "this one counts")
                            .with_help("remove one of the two"),
                    );
                }
                _ => {}
            }
        }
    }
    blame::lead_back(rendering, &mut replaced);
    replaced
}

/// A ComputeDomain is as large as the job whose nodes it joins (00 D74, 01 §5.4).
fn compute_domains<R: Recorder>(rendering: &mut Rendering<'_>, recorder: &mut R) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(size) = size(&rendering.workflow.spec) else { return found };
    for domain in rendering.workflow.spec.dependencies.iter_mut().filter(|d| kind(d) == "ComputeDomain") {
        let path = dependency(domain).key("spec").key("numNodes");
        let Some(number) = domain.pointer_mut("/spec/numNodes").filter(|n| **n != json!(size)) else { continue };
        let old = std::mem::replace(number, json!(size));
        let message = format!(
            "numNodes {old} of ComputeDomain {} has no effect: every job's copy is as large as the job, which has {size} nodes",
            text(domain, "/metadata/name")
        );
        found.push(
            Diagnostic::at(Code::NoEffect, path.clone(), message)
                .with_help("remove it, or set spec.numNodes of the run"),
        );
        record(recorder, path, Origin::Placement, Some(old), json!(size));
    }
    // A number that only the catalogue wrote is nothing to tell anybody.
    let brought = |d: Diagnostic| Some(d.clone().with_path(blame::brought(rendering, d.path.as_ref()?)?));
    found.into_iter().filter_map(brought).collect()
}

/// There is always a limit per job (00 D11, 10 §2).
fn timeout<R: Recorder>(rendering: &mut Rendering<'_>, before: &Before, recorder: &mut R) -> Option<Diagnostic> {
    let slot = &mut rendering.workflow.spec.orchestration.execution.timeout_per_job;
    if slot.is_some() {
        return None;
    }
    *slot = Some(DEFAULT_TIMEOUT);
    let path = FieldPath::parse("spec.orchestration.execution");
    let origin = Origin::Default { source: "00 D11".into() };
    record(recorder, path.key("timeoutPerJob"), origin, None, json!(DEFAULT_TIMEOUT));
    let lost = before.timeout.filter(|t| *t != DEFAULT_TIMEOUT && t.nanos > 0)?;
    let message = format!(
        "an override replaces orchestration.execution whole and names no timeoutPerJob, so the {lost} of the run are lost and the limit per job is {DEFAULT_TIMEOUT}"
    );
    let mut finding = Diagnostic::at(Code::TimeoutReplaced, path, message)
        .with_related("spec.orchestration.timeoutPerJob", "the limit of the run")
        .with_help(format!("add timeoutPerJob: {lost} to the override"));
    blame::lead_back(rendering, std::slice::from_mut(&mut finding));
    Some(finding)
}

/// Racks without any key are told apart by the clique label, also when an override replaced the topology (00 D3).
fn clique<R: Recorder>(rendering: &mut Rendering<'_>, recorder: &mut R) {
    let own = rendering.run.spec.orchestration.as_ref();
    let named = own.and_then(|o| o.topology.as_ref()).is_some_and(|t| t.topology_key.is_some());
    if named || own.is_none_or(|o| o.test_scale != "intra-rack") {
        return;
    }
    let topology = rendering.workflow.spec.orchestration.topology.as_mut();
    if let Some(topology) = topology.filter(|t| t.strict_domain == Some(true) && t.topology_key.is_none()) {
        topology.topology_key = Some(GPU_CLIQUE_KEY.into());
        let path = FieldPath::parse("spec.orchestration.topology.topologyKey");
        record(recorder, path, Origin::Default { source: "00 D3".into() }, None, json!(GPU_CLIQUE_KEY));
    }
}

/// What a test scale asks for and an override takes away. It may (00 D3), but not in silence.
fn test_scale(rendering: &Rendering<'_>, before: &Before) -> Option<Diagnostic> {
    let own = rendering.run.spec.orchestration.as_ref()?;
    let spec = &rendering.workflow.spec;
    let orchestration = &spec.orchestration;
    let size = size(spec)?;
    let (path, message) = match own.test_scale.as_str() {
        _ if orchestration.placement == "Unpinned" => return None,
        "intra-rack" => {
            let topology = orchestration.topology.clone().unwrap_or_default();
            if !before.strict || topology.strict_domain == Some(true) {
                return None;
            }
            let groups = match topology.topology_key.as_deref().unwrap_or("") {
                "" => "by name, across racks".to_owned(),
                key => format!("packed by the label {key}, and a group may span several of its values"),
            };
            let message = format!(
                "testScale intra-rack asks for one group per rack, and an override replaces the topology whole: groups of {size} nodes are made {groups}"
            );
            ("spec.orchestration.topology".into(), message)
        }
        "intra-node" if size != 1 => {
            let message = format!("testScale intra-node asks for jobs of one node, and an override makes them {size}");
            (FieldPath::parse(TRAIN_JOB).key("trainer").key("numNodes"), message)
        }
        _ => return None,
    };
    let mut finding = Diagnostic::at(Code::TestScaleReplaced, path, message)
        .with_related("spec.orchestration.testScale", "the test scale of the run")
        .with_help(
            "drop testScale, or add strictDomain: true (intra-rack) or numNodes: 1 (intra-node) to the override",
        );
    blame::lead_back(rendering, std::slice::from_mut(&mut finding));
    Some(finding)
}

/// What an override of the command takes away. A wrapped command is one script in the arguments, with `/bin/bash -c` as
/// the command (02 §9): one without the other is likely not what an override means (04 §8.2).
fn replaced_command(rendering: &Rendering<'_>, before: &Before) -> Option<Diagnostic> {
    let (command, args) = before.words.as_ref()?;
    let trainer = rendering.workflow.spec.job_template.spec.workload.train_job.as_ref()?.trainer.as_ref()?;
    let (field, other, effect) = match (trainer.command != *command, trainer.args != *args) {
        (true, true) => return whole_command(rendering, before, trainer),
        (true, false) => ("command", "args", "the new command gets the whole script as its one argument"),
        (false, true) => (
            "args",
            "command",
            "the first new word becomes the script, and the lines before the command, its words and mpirun are lost",
        ),
        (false, false) => return None,
    };
    if before.lines.is_empty() {
        return None;
    }
    let message = format!(
        "an override replaces trainer.{field} and leaves trainer.{other}; lines run before the command here, so the command is /bin/bash -c and the arguments are one script: {effect}"
    );
    let path = FieldPath::parse(TRAIN_JOB).key("trainer").key(field);
    let mut finding = Diagnostic::at(Code::HalfCommand, path, message)
        .with_help("set command and args together, or use preCommand, mpiArgs and the fields of spec.framework");
    blame::lead_back(rendering, std::slice::from_mut(&mut finding));
    Some(finding)
}

/// Command and arguments replaced: lines before the command and mpirun that the new ones do not hold are gone.
fn whole_command(rendering: &Rendering<'_>, before: &Before, trainer: &Trainer) -> Option<Diagnostic> {
    let holds = |part: &str| trainer.command.iter().chain(&trainer.args).any(|word| word.contains(part));
    let lost = before.lines.iter().filter(|line| !holds(line)).count();
    let mpirun = rendering.run.spec.framework.mpi.as_ref().filter(|mpi| !holds(&mpi.mpirun_path));
    let lines = match lost {
        0 => None,
        1 => Some("the line that runs before the command".to_owned()),
        n => Some(format!("the {n} lines that run before the command")),
    };
    let mpirun = mpirun.map(|_| "mpirun with its options and the variables that it forwards".to_owned());
    let gone: Vec<String> = mpirun.into_iter().chain(lines).collect();
    if gone.is_empty() {
        return None;
    }
    let message =
        format!("an override replaces command and args of the trainer whole, and with them {}", gone.join(", and "));
    let path = FieldPath::parse(TRAIN_JOB).key("trainer").key("command");
    let mut finding = Diagnostic::at(Code::CommandReplaced, path, message)
        .with_help("this is as it is written; to keep them use preCommand, mpiArgs and the fields of spec.framework");
    blame::lead_back(rendering, std::slice::from_mut(&mut finding));
    Some(finding)
}

fn kind(object: &Value) -> &str {
    text(object, "/kind")
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn dependency(object: &Value) -> FieldPath {
    FieldPath::parse("spec.dependencies").named(format!("{}/{}", kind(object), text(object, "/metadata/name")))
}
