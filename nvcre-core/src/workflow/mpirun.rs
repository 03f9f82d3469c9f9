//! The mpirun command line (02 §7.3).

use super::env::{env_value, forwarded_names};
use crate::api::{EnvVar, MpiFramework};
use crate::overrides::{Word, mpi_option};
use crate::trace::{Change, Origin, Recorder, Subject};
use serde_json::json;
use std::borrow::Cow;

/// The arguments of mpirun in their fixed order: `-N`, root, ssh options, forwarded environment, then `words` (blocks
/// of platforms and overrides and the run's own mpiArgs, already in order), the binary and its arguments.
///
/// A name that `words` already forward is not forwarded again; at the ranks the order of rule is therefore default <
/// platform < `spec.env` < the run's mpiArgs (02 §8.3).
pub fn mpirun_words<R: Recorder>(
    mpi: &MpiFramework,
    gpus_per_node: (i32, Origin),
    env: &[EnvVar],
    words: &[Word<'_>],
    env_origin: impl Fn(&str) -> Origin,
    recorder: &mut R,
) -> Vec<String> {
    let fixed = fixed_words(gpus_per_node.0);
    let forwarded = forwarded_names(words.iter().map(|w| w.text.as_ref()));
    let mut out: Vec<String> = Vec::with_capacity(fixed.len() + 2 * env.len() + words.len() + mpi.args.len() + 1);
    out.extend(fixed.into_iter().map(|word| word.text.into_owned()));
    for variable in env.iter().filter(|v| !forwarded.contains(v.name.as_str())) {
        out.push("-x".into());
        out.push(match variable.value_from {
            Some(_) => variable.name.clone(),
            None => format!("{}={}", variable.name, variable.value),
        });
    }
    out.extend(words.iter().map(|word| word.text.clone().into_owned()));
    out.push(mpi.binary.clone());
    out.extend(mpi.args.iter().cloned());
    if R::ON {
        trace(mpi, gpus_per_node, env, words, env_origin, recorder);
    }
    out
}

/// What every mpirun command line begins with (02 §7.3).
pub fn fixed_words(gpus_per_node: i32) -> Vec<Word<'static>> {
    let words = [
        "-N".into(),
        Cow::Owned(gpus_per_node.to_string()),
        "--allow-run-as-root".into(),
        "--mca".into(),
        "plm_rsh_args".into(),
        "-o StrictHostKeyChecking=no -o ConnectionAttempts=10".into(),
    ];
    words.map(|text| Word::fixed(text, "02 §7.3")).into()
}

fn trace<R: Recorder>(
    mpi: &MpiFramework,
    (gpus_per_node, gpus_origin): (i32, Origin),
    env: &[EnvVar],
    words: &[Word<'_>],
    env_origin: impl Fn(&str) -> Origin,
    recorder: &mut R,
) {
    let source = |text: &str| Origin::Default { source: text.into() };
    let mut option = |option: &str, origin: Origin, value: serde_json::Value| {
        let subject = Subject::Argument { option: option.into() };
        recorder.record(|| Change { subject, origin, old: None, new: Some(value) });
    };
    option("-N", gpus_origin, json!(gpus_per_node.to_string()));
    option("--allow-run-as-root", source("02 §7.3"), json!(true));
    option("--mca plm_rsh_args", source("02 §7.3"), json!("-o StrictHostKeyChecking=no -o ConnectionAttempts=10"));
    for variable in env {
        let subject = Subject::RankEnv { name: variable.name.clone() };
        let origin = env_origin(&variable.name);
        recorder.record(|| Change { subject, origin, old: None, new: Some(env_value(variable)) });
    }
    let mut rest = words;
    while let Some(first) = rest.first() {
        let (subject, new, words) = match mpi_option(rest) {
            Some(option) if option.flag == "-x" && !option.key.is_empty() => {
                let new = option.value.map_or(json!({ "valueFrom": "launcher environment" }), |v| json!(v));
                (Subject::RankEnv { name: option.key.into() }, new, option.words)
            }
            Some(option) => {
                let new = option.value.map_or(json!(true), |v| json!(v));
                (Subject::Argument { option: option.name() }, new, option.words)
            }
            None => (Subject::Argument { option: first.text.clone().into_owned() }, json!(true), 1),
        };
        // An option carries the origin of its last word: an entry's `-x` with the user's value is the user's.
        let origin = rest.get(words - 1).unwrap_or(first).origin();
        recorder.record(|| Change { subject, origin, old: None, new: Some(new) });
        rest = rest.get(words..).unwrap_or_default();
    }
    let subject = Subject::Argument { option: mpi.binary.clone() };
    let origin = Origin::Run { path: "spec.framework.mpi.binary".into() };
    recorder.record(|| Change { subject, origin, old: None, new: Some(json!(mpi.args)) });
}
