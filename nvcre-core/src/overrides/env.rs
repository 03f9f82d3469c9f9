//! `spec.env` inside the entries of the catalogue (04 §7, 02 §8.4): a variable that an entry sets and the user sets
//! too carries the user's value, at its place. User overrides are never rewritten.

use crate::api::{EnvVar, OverrideSpec};
use crate::diagnostic::FieldPath;
use serde_json::Value;
use std::collections::BTreeMap;

/// Puts the user's variables into an entry of the catalogue, in its three places: `trainer.env` of the job template
/// patch, the container `env` of TrainingRuntime patches (not of init containers), and `-x` pairs of `mpiArgs`. Names
/// that the entry does not set are not added.
///
/// A name that `spec.env` holds twice: the last counts (00 D37). A name that a list of the entry holds twice: only the
/// last is replaced, in `mpiArgs` every one.
///
/// Gives back the names that were replaced, with the field each value came from.
pub fn substitute_env(spec: &mut OverrideSpec, user_env: &[EnvVar]) -> BTreeMap<String, FieldPath> {
    let mut user = User { env: BTreeMap::new(), used: BTreeMap::new() };
    for (at, variable) in user_env.iter().enumerate() {
        user.env.insert(&variable.name, (at, variable));
    }
    if user.env.is_empty() {
        return user.used;
    }
    if let Some(env) = spec.job_template.as_mut().and_then(|t| t.pointer_mut("/spec/workload/trainJob/trainer/env")) {
        user.replace_in(env);
    }
    for runtime in spec.dependencies.iter_mut().filter(|d| d.get("kind").is_some_and(|k| k == "TrainingRuntime")) {
        for job in elements(runtime.pointer_mut("/spec/template/spec/replicatedJobs")) {
            for container in elements(job.pointer_mut("/template/spec/template/spec/containers")) {
                if let Some(env) = container.get_mut("env") {
                    user.replace_in(env);
                }
            }
        }
    }
    for at in 1..spec.mpi_args.len() {
        if let Some([flag, word]) = spec.mpi_args.get_mut(at - 1..=at)
            && flag == "-x"
            && let Some(new) = user.forwarded(word)
        {
            *word = new;
        }
    }
    user.used
}

struct User<'a> {
    env: BTreeMap<&'a str, (usize, &'a EnvVar)>,
    used: BTreeMap<String, FieldPath>,
}

impl<'a> User<'a> {
    fn variable(&mut self, name: &str) -> Option<&'a EnvVar> {
        let (at, variable) = *self.env.get(name)?;
        self.used.insert(name.to_owned(), FieldPath::parse("spec.env").index(at));
        Some(variable)
    }

    /// Replaces the last entry of every name in a list of variables; lists of unexpected shape are left alone.
    fn replace_in(&mut self, env: &mut Value) {
        let mut done: Vec<String> = Vec::new();
        for entry in elements(Some(env)).rev() {
            let Some(name) = entry.get("name").and_then(Value::as_str).map(str::to_owned) else { continue };
            if done.contains(&name) {
                continue;
            }
            if let Some(variable) = self.variable(&name) {
                *entry = variable.into();
                done.push(name);
            }
        }
    }

    /// The word after `-x`, when its name is the user's: `NAME=value`, or bare `NAME` with `valueFrom`.
    fn forwarded(&mut self, word: &str) -> Option<String> {
        let variable = self.variable(word.split('=').next()?)?;
        Some(match variable.value_from {
            Some(_) => variable.name.clone(),
            None => format!("{}={}", variable.name, variable.value),
        })
    }
}

fn elements(list: Option<&mut Value>) -> std::slice::IterMut<'_, Value> {
    list.and_then(Value::as_array_mut).map(|l| l.iter_mut()).unwrap_or_default()
}
