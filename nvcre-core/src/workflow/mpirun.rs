//! The mpirun command line (02 §7.3).

use super::env::{env_value, forwarded_names};
use crate::api::{EnvVar, MpiFramework};
use crate::diagnostic::FieldPath;
use crate::trace::{Change, Origin, Recorder, Subject};
use serde_json::json;

/// One word of the command line and who put it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Who put it there.
    pub origin: Origin,
}

/// The arguments of mpirun in their fixed order: `-N`, root, ssh options, forwarded environment, then `extra` (platform
/// blocks and blocks of user overrides, already in order), then the run's own mpiArgs, the binary and its arguments.
///
/// A name that `extra` or the run's mpiArgs already forward is not forwarded again; at the ranks the order of rule is
/// therefore default < platform < `spec.env` < the run's mpiArgs (02 §8.3).
pub fn mpirun_words<R: Recorder>(
    mpi: &MpiFramework,
    gpus_per_node: i32,
    env: &[EnvVar],
    extra: &[(Origin, String)],
    env_origin: impl Fn(&str) -> Origin,
    recorder: &mut R,
) -> Vec<String> {
    let fixed = [
        "-N",
        &gpus_per_node.to_string(),
        "--allow-run-as-root",
        "--mca",
        "plm_rsh_args",
        "-o StrictHostKeyChecking=no -o ConnectionAttempts=10",
    ]
    .map(String::from);
    let forwarded = forwarded_names(extra.iter().map(|(_, w)| w.as_str()).chain(mpi.mpi_args.iter().map(String::as_str)));
    let mut words: Vec<String> = Vec::with_capacity(fixed.len() + 2 * env.len() + extra.len() + mpi.mpi_args.len() + 8);
    words.extend(fixed);
    for variable in env.iter().filter(|v| !forwarded.contains(v.name.as_str())) {
        words.push("-x".into());
        words.push(match variable.value_from {
            Some(_) => variable.name.clone(),
            None => format!("{}={}", variable.name, variable.value),
        });
    }
    words.extend(extra.iter().map(|(_, word)| word.clone()));
    words.extend(mpi.mpi_args.iter().cloned());
    words.push(mpi.binary.clone());
    words.extend(mpi.args.iter().cloned());
    if R::ON {
        trace(mpi, gpus_per_node, env, extra, env_origin, recorder);
    }
    words
}

fn trace<R: Recorder>(
    mpi: &MpiFramework,
    gpus_per_node: i32,
    env: &[EnvVar],
    extra: &[(Origin, String)],
    env_origin: impl Fn(&str) -> Origin,
    recorder: &mut R,
) {
    let source = |text: &str| Origin::Default { source: text.into() };
    let mut option = |option: &str, origin: Origin, value: serde_json::Value| {
        let subject = Subject::Argument { option: option.into() };
        recorder.record(|| Change { subject, origin, old: None, new: Some(value) });
    };
    option("-N", Origin::Run { path: "spec.gpusPerNode".into() }, json!(gpus_per_node.to_string()));
    option("--allow-run-as-root", source("02 §7.3"), json!(true));
    option("--mca plm_rsh_args", source("02 §7.3"), json!("-o StrictHostKeyChecking=no -o ConnectionAttempts=10"));
    for variable in env {
        let subject = Subject::RankEnv { name: variable.name.clone() };
        let origin = env_origin(&variable.name);
        recorder.record(|| Change { subject, origin, old: None, new: Some(env_value(variable)) });
    }
    let own = |index: usize| Origin::Run { path: FieldPath::parse("spec.framework.mpi.mpiArgs").index(index) };
    let all: Vec<(Origin, &str)> = extra
        .iter()
        .map(|(origin, word)| (origin.clone(), word.as_str()))
        .chain(mpi.mpi_args.iter().enumerate().map(|(i, w)| (own(i), w.as_str())))
        .collect();
    let mut rest = all.as_slice();
    while let Some(((origin, word), tail)) = rest.split_first() {
        rest = match (*word, tail) {
            ("-x", [(_, pair), tail @ ..]) => {
                let (name, value) = pair.split_once('=').map_or((*pair, None), |(n, v)| (n, Some(v)));
                let subject = Subject::RankEnv { name: name.into() };
                let new = value.map_or(json!({ "valueFrom": "launcher environment" }), |v| json!(v));
                recorder.record(|| Change { subject, origin: origin.clone(), old: None, new: Some(new) });
                tail
            }
            ("--mca" | "-mca" | "--gmca" | "-gmca", [(_, key), (_, value), tail @ ..]) => {
                let subject = Subject::Argument { option: format!("{word} {key}") };
                recorder.record(|| Change { subject, origin: origin.clone(), old: None, new: Some(json!(value)) });
                tail
            }
            _ => {
                let subject = Subject::Argument { option: (*word).into() };
                recorder.record(|| Change { subject, origin: origin.clone(), old: None, new: Some(json!(true)) });
                tail
            }
        };
    }
    let subject = Subject::Argument { option: mpi.binary.clone() };
    let origin = Origin::Run { path: "spec.framework.mpi.binary".into() };
    recorder.record(|| Change { subject, origin, old: None, new: Some(json!(mpi.args)) });
}
