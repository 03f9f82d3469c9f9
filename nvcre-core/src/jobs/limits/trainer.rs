//! The trainer: size, environment, command line (08 rows 15–19, 23).

use super::train_job_path;
use crate::api::{TrainJobSpec, Trainer};
use crate::check::TRAINER_ENV;
use crate::check::pod_parts as parts;
use crate::diagnostic::{Code, Diagnostic};
use std::collections::{BTreeMap, BTreeSet};

/// Most words of `command` or `args`, and most variables.
const MOST_ITEMS: usize = 128;
/// Longest word in bytes.
const LONGEST_WORD: usize = 64 * 1024;
/// Nodes per job from the trainer (03 §5.1; 08 rows 15, 16).
pub(crate) fn nodes_per_job(train_job: Option<&TrainJobSpec>, findings: &mut Vec<Diagnostic>) -> Option<i64> {
    const SIZE: &str = "spec.numNodes";
    match train_job.and_then(|t| t.trainer.as_ref()).and_then(|t| t.num_nodes) {
        Some(size) if size > 0 => Some(size.into()),
        Some(size) => {
            let message = format!("the trainer's numNodes is {size}; a job needs at least one node");
            findings.push(
                Diagnostic::at(Code::JobSize, SIZE, message)
                    .with_help("set numNodes to 1 or more; it is honoured exactly, and no size stands for all nodes"),
            );
            None
        }
        None => {
            let message = "the job template has no trainer.numNodes, so the size of a job is unknown";
            findings.push(
                Diagnostic::at(Code::JobSize, SIZE, message)
                    .with_help("keep overrides from removing spec.workload.trainJob.trainer.numNodes"),
            );
            None
        }
    }
}

/// What Trainer refuses in a TrainJob beside its patches.
pub(super) fn train_job(train_job: &TrainJobSpec, findings: &mut Vec<Diagnostic>) {
    if let Some(seconds) = train_job.active_deadline_seconds.filter(|n| *n < 1) {
        let message = format!("activeDeadlineSeconds is {seconds}; the least is 1");
        findings.push(
            Diagnostic::at(Code::NegativeCount, train_job_path().key("activeDeadlineSeconds"), message)
                .with_help("remove it: the limit is spec.orchestration.timeoutPerJob"),
        );
    }
    let Some(trainer) = &train_job.trainer else { return };
    let path = train_job_path().key("trainer");
    if let Some(image) = &trainer.image {
        parts::trainer_image(image, &path.key("image"), findings);
    }
    counts(trainer, findings);
    environment(trainer, findings);
    words(trainer, findings);
    if let Some(resources) = &trainer.resources_per_node {
        parts::resources(resources, &path.key("resourcesPerNode"), findings);
    }
}

fn counts(trainer: &Trainer, findings: &mut Vec<Diagnostic>) {
    if let Some(count) = trainer.num_proc_per_node.filter(|n| *n < 1) {
        let path = train_job_path().key("trainer").key("numProcPerNode");
        let message = format!("numProcPerNode is {count}; a node runs at least one process");
        findings
            .push(Diagnostic::at(Code::NegativeCount, path, message).with_help("set spec.gpusPerNode to 1 or more"));
    }
}

fn environment(trainer: &Trainer, findings: &mut Vec<Diagnostic>) {
    let path = train_job_path().key("trainer").key("env");
    for (index, variable) in trainer.env.iter().enumerate() {
        let path = path.index(index);
        parts::env_name(&variable.name, &path.key("name"), findings);
        if let Some(source) = &variable.value_from {
            parts::env_source(&variable.name, &variable.value, source, &path, findings);
        }
    }
    let mut seen = BTreeSet::new();
    for (index, variable) in trainer.env.iter().enumerate() {
        let at = path.index(index).key("name");
        let name = &variable.name;
        if TRAINER_ENV.contains(&name.as_str()) {
            let message = format!("{name} is set by Kubeflow Trainer, which refuses it in trainer.env");
            findings.push(
                Diagnostic::at(Code::ReservedTrainerEnv, at, message)
                    .with_help("remove it; sizes come from numNodes and gpusPerNode, options of mpirun from mpiArgs"),
            );
        } else if !seen.insert(name.as_str()) {
            let message = format!("{name} is in trainer.env twice, which the cluster refuses");
            findings.push(Diagnostic::at(Code::DuplicateTrainerEnv, at, message).with_help("keep one of the two"));
        }
    }
    if trainer.env.len() > MOST_ITEMS {
        let message = format!("the trainer has {} variables; Trainer takes at most {MOST_ITEMS}", trainer.env.len());
        findings.push(
            Diagnostic::at(Code::TooManyVariables, path, message)
                .with_help("move variables into spec.config or into the image"),
        );
    }
}

fn words(trainer: &Trainer, findings: &mut Vec<Diagnostic>) {
    for (field, list) in [("command", &trainer.command), ("args", &trainer.args)] {
        let path = train_job_path().key("trainer").key(field);
        if list.len() > MOST_ITEMS {
            let message = format!(
                "trainer.{field} has {} words; Trainer takes at most {MOST_ITEMS}; they are {}",
                list.len(),
                contributors(list)
            );
            findings.push(Diagnostic::at(Code::TooManyWords, path.clone(), message).with_help(
                "name fewer variables in spec.env or fewer arguments, or start the program from a script in spec.config",
            ));
        }
        for (index, word) in list.iter().enumerate().filter(|(_, word)| word.len() > LONGEST_WORD) {
            let message =
                format!("a word of trainer.{field} has {} bytes; Trainer takes at most {LONGEST_WORD}", word.len());
            findings.push(
                Diagnostic::at(Code::TooManyWords, path.index(index), message)
                    .with_help("put long texts into spec.config and name the file"),
            );
        }
    }
}

/// Where the words of a command line come from: options with their values by kind, and the rest; the largest first.
fn contributors(words: &[String]) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let (kind, length) = match word.as_str() {
            "-x" => ("-x", 2),
            "--mca" | "-mca" => ("--mca", 3),
            _ => ("", 1),
        };
        let length = length.min(words.len() - at);
        let entry = counts.entry(kind).or_default();
        entry.0 += length;
        entry.1 += 1;
        at += length;
    }
    let mut sorted: Vec<(&str, (usize, usize))> = counts.into_iter().collect();
    sorted.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.0.cmp(b.0)));
    let line = |(kind, (words, items)): &(&str, (usize, usize))| match *kind {
        "" => format!("{words} other words"),
        option => format!("{words} for {items} × {option}"),
    };
    sorted.iter().map(line).collect::<Vec<_>>().join(", ")
}
