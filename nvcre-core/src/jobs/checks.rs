//! Findings about names and dependencies, before anything is built (03 §6.1–6.2; 00 D21, D26, D57).

use super::groups::Groups;
use super::input::JobsInput;
use super::names::{
    COPY_NAME_MAX, HASH_DIGITS, JOB_NAME_MAX, Naming, ReplicatedJobSize, longest_job_name, run_name_problem,
    train_job_name, truncate_with,
};
use super::patch::{WORKER, target_jobs};
use super::references::{kind_of, name_of};
use super::runtime::{item_name, replicated_jobs};
use super::scope::{Copies, Target};
use super::template::Manifest;
use super::unique::{Collision, distinct};
use super::{Delivery, differences::dependency_path};
use crate::api::API_VERSION;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Most jobs of a run. Eight digits of hash cannot tell more apart.
const MOST_JOBS: u64 = 1 << 22;

/// Names that a cluster refuses or that make a TrainJob hang (08 row 22, 00 D21, D26).
pub(crate) fn names(
    input: &JobsInput<'_>,
    groups: &Groups,
    naming: &Naming,
    runtime: Option<&Value>,
    size: i64,
    findings: &mut Vec<Diagnostic>,
) {
    let path = FieldPath::parse("metadata.name");
    let run = input.run_name();
    if let Some(problem) = run_name_problem(run) {
        let message = format!("{run:?} is no name that a TrainJob and its labels can carry: {problem}");
        findings.push(
            Diagnostic::at(Code::BadName, path, message)
                .with_help("give another metadata.name, or --name; for example nccl-sweep"),
        );
        return;
    }
    let pods = u64::try_from(size).unwrap_or(1).max(groups.largest() as u64);
    let Some((job, longest)) = replicated_sizes(input, runtime, pods)
        .into_iter()
        .map(|s| (s.name.clone(), s.longest_train_job_name()))
        .min_by_key(|(_, longest)| *longest)
    else {
        return;
    };
    let full = groups.list.iter().map(|g| naming.full_job(&g.name(), input.iterations()).len()).max().unwrap_or(0);
    let allowed = longest_job_name(longest);
    if full.min(JOB_NAME_MAX) > allowed {
        let rest = full.saturating_sub(run.len());
        let message = format!(
            "the run name {run:?} makes TrainJob names of up to {} characters; with the replicated job {job} a TrainJob \
             name has at most {longest}, or its pods are never made; the longest legal name of this run has {} characters",
            full.min(JOB_NAME_MAX) + 9,
            allowed.saturating_sub(rest)
        );
        findings.push(
            Diagnostic::at(Code::NameTooLong, path, message).with_help("give a shorter metadata.name, or --name"),
        );
    }
}

/// How many Jobs and pods each replicated job makes; without a runtime those that patches name.
fn replicated_sizes(input: &JobsInput<'_>, runtime: Option<&Value>, nodes: u64) -> Vec<ReplicatedJobSize> {
    let number = |value: Option<&Value>| value.and_then(Value::as_u64);
    let pods = |name: &str, job: Option<&Value>| {
        let spec = job.and_then(|j| super::references::at(j, &["template", "spec"]));
        let own = ["parallelism", "completions"].iter().filter_map(|key| number(spec?.get(key))).max().unwrap_or(1);
        if name == WORKER { own.max(nodes) } else { own }
    };
    let of = |job: &Value| ReplicatedJobSize {
        name: item_name(job).to_owned(),
        replicas: number(job.get("replicas")).unwrap_or(1).max(1),
        pods: pods(item_name(job), Some(job)),
    };
    let mut out: Vec<ReplicatedJobSize> = runtime.map(replicated_jobs).unwrap_or_default().iter().map(of).collect();
    if out.is_empty() {
        let names = input.train_job().map(target_jobs).unwrap_or_default();
        out.extend(names.into_iter().map(|name| ReplicatedJobSize { pods: pods(&name, None), replicas: 1, name }));
    }
    out
}

/// Hash lengths that make all names of a run different (00 D57).
#[derive(Debug, Clone, Default)]
pub(crate) struct Digits {
    /// By number of the job.
    pub jobs: BTreeMap<usize, usize>,
    /// By target and number of the job.
    pub copies: BTreeMap<(usize, usize), usize>,
}

/// Makes the names of jobs and copies different, or says which are equal.
pub(crate) fn unique(
    input: &JobsInput<'_>,
    groups: &Groups,
    naming: &Naming,
    copies: &Copies,
    shared: &[Manifest],
    findings: &mut Vec<Diagnostic>,
) -> Digits {
    let per_iteration = groups.list.len();
    let total = input.iterations().saturating_mul(per_iteration as u64);
    let mut digits = Digits::default();
    if total > MOST_JOBS {
        let message = format!(
            "{per_iteration} group{} × {} iterations are {total} jobs; a run has at most {MOST_JOBS}",
            if per_iteration == 1 { "" } else { "s" },
            input.iterations()
        );
        findings.push(
            Diagnostic::at(Code::TooManyJobs, "spec.orchestration.repeatCount", message)
                .with_help("lower repeatCount, or make larger groups"),
        );
        return digits;
    }
    let count = usize::try_from(total).unwrap_or(0);
    let names: Vec<String> = groups.list.iter().map(super::Group::name).collect();
    let of = |job: usize| {
        let group = names.get(job % per_iteration.max(1)).map_or("", String::as_str);
        (group, (job / per_iteration.max(1)) as u64 + 1)
    };
    let lengthen = input.delivery == Delivery::Trainer;
    let who = |job: usize| format!("{} in iteration {}", of(job).0, of(job).1);
    // Names that are not cut differ by themselves.
    let cut = |max: usize, full: &dyn Fn(usize) -> String| (0..count).any(|job| full(job).len() > max);
    let full_job = |job: usize| naming.full_job(of(job).0, of(job).1);
    if cut(JOB_NAME_MAX, &full_job) {
        match distinct(count, lengthen, |job, digits| truncate_with(&full_job(job), JOB_NAME_MAX, digits)) {
            Ok(found) => digits.jobs = found,
            Err(collision) => findings.push(collide("the Jobs", &collision, who, full_job(collision.first).len())),
        }
    }
    // Objects of the run that are called like one of those that are made for its jobs.
    for object in shared.iter().map(|m| &m.value) {
        let made = |job: usize| {
            let digits = digits.jobs.get(&job).copied().unwrap_or(HASH_DIGITS);
            let name = truncate_with(&full_job(job), JOB_NAME_MAX, digits);
            if kind_of(object) == "TrainJob" { train_job_name(&name) } else { name }
        };
        let ours = kind_of(object) == "TrainJob" || !lengthen && is_own_job(object);
        if let Some(job) = (0..count).filter(|_| ours).find(|job| made(*job) == name_of(object)) {
            let message = format!("the {} {} is made for {} already", kind_of(object), name_of(object), who(job));
            findings.push(
                Diagnostic::at(Code::NamesCollide, dependency_path(object).key("metadata").key("name"), message)
                    .with_help("give the object another name"),
            );
        }
    }
    let kinds: BTreeSet<&str> = copies.targets.iter().map(|t| t.kind.as_str()).filter(|k| !k.is_empty()).collect();
    for kind in kinds {
        let targets: Vec<(usize, &Target)> =
            copies.targets.iter().enumerate().filter(|(_, t)| t.kind == kind).collect();
        let fixed: Vec<&str> = shared.iter().map(|m| &m.value).filter(|v| kind_of(v) == kind).map(name_of).collect();
        let full = |item: usize| {
            let (job, target) = (item / targets.len(), item % targets.len());
            let original = targets.get(target).map_or("", |t| t.1.original.as_str());
            format!("{original}{}", naming.suffix(of(job).0, of(job).1))
        };
        let items = count * targets.len();
        let name = |item: usize, digits: usize| match fixed.get(item) {
            Some(name) => (*name).to_owned(),
            None => truncate_with(&full(item - fixed.len()), COPY_NAME_MAX, digits),
        };
        let long = (0..items).any(|item| full(item).len() > COPY_NAME_MAX);
        if !long && fixed.is_empty() && targets.len() == 1 {
            continue;
        }
        match distinct(fixed.len() + items, lengthen, name) {
            Ok(found) => digits.copies.extend(found.into_iter().filter_map(|(item, digits)| {
                let item = item.checked_sub(fixed.len())?;
                let target = targets.get(item % targets.len())?.0;
                Some(((target, item / targets.len()), digits))
            })),
            Err(collision) => {
                let who = |item: usize| match item.checked_sub(fixed.len()) {
                    Some(item) => who(item / targets.len()),
                    None => "the object that all jobs share".to_owned(),
                };
                let length = collision.first.checked_sub(fixed.len()).map_or(0, |item| full(item).len());
                let mut finding = collide(&format!("the copies of {kind}"), &collision, who, length);
                finding =
                    finding.with_path(targets.first().map_or_else(FieldPath::root, |t| dependency_of(input, t.1)));
                findings.push(finding);
            }
        }
    }
    digits
}

/// True for the engine's own Job, not that of Kubernetes.
fn is_own_job(object: &Value) -> bool {
    kind_of(object) == "Job" && object.get("apiVersion").and_then(Value::as_str) == Some(API_VERSION)
}

fn dependency_of(input: &JobsInput<'_>, target: &Target) -> FieldPath {
    let named = |d: &&Value| name_of(d) == target.original && kind_of(d) == target.kind;
    input
        .workflow
        .spec
        .dependencies
        .iter()
        .find(named)
        .map_or_else(|| FieldPath::parse("metadata.name"), dependency_path)
}

fn collide(what: &str, collision: &Collision, who: impl Fn(usize) -> String, length: usize) -> Diagnostic {
    let more = match collision.total {
        0 | 1 => String::new(),
        total => format!("; {total} names of this kind are taken twice"),
    };
    let message = format!(
        "{what} of {} and of {} would both be named {}{more}",
        who(collision.first),
        who(collision.second),
        collision.name
    );
    let over = length.saturating_sub(if what == "the Jobs" { JOB_NAME_MAX } else { COPY_NAME_MAX });
    let help = match over {
        0 => "give another metadata.name, or --name".to_owned(),
        over => format!(
            "names are cut to fit and get a short hash; give a metadata.name that is {over} or more characters shorter, so that nothing is cut"
        ),
    };
    Diagnostic::at(Code::NamesCollide, "metadata.name", message).with_help(help)
}
