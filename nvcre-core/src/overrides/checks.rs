//! What can be said about the overrides of a run without knowing the platform, so that faults show even where an
//! override does not match (00, principle 4).

use super::{expression, json_patch, orchestration, strategic};
use crate::api::{OverrideSpec, StringMatch, WhenSpec};
use crate::check::{TRAINER_ENV, nearest};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use serde_json::Value;
use std::collections::BTreeMap;

/// What conditions and overrides are checked against.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Names of the platforms.
    pub platforms: &'a [&'a str],
    /// Names of the GPU architectures; `unknown` is always one.
    pub architectures: &'a [&'a str],
    /// The run starts through mpirun.
    pub mpi: bool,
}

/// Checks overrides at `base_path` (`spec.overrides`): conditions that never hold, expressions, patches that could never
/// be applied, values out of range. A missing `when` is found when the file is read.
pub fn check_overrides(overrides: &[OverrideSpec], base_path: &FieldPath, known: &Known<'_>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (at, spec) in overrides.iter().enumerate() {
        let path = base_path.index(at);
        check_when(&spec.when, &path.key("when"), known, &mut out);
        if let Some(patch) = &spec.job_template {
            out.extend(job_template_problems(patch, &path.key("jobTemplate")));
        }
        if let Some(patch) = &spec.job_template_patch {
            out.extend(json_patch::read(patch, &path.key("jobTemplatePatch")).err().unwrap_or_default());
        }
        for (at, object) in spec.dependencies.iter().enumerate() {
            out.extend(dependency_problems(object, &path.key("dependencies").index(at)));
        }
        if let Some(spec) = &spec.orchestration {
            out.extend(orchestration::problems(spec, &path.key("orchestration")));
        }
        if !spec.mpi_args.is_empty() && !known.mpi {
            out.push(
                Diagnostic::at(
                    Code::MpiArgsWithoutMpi,
                    path.key("mpiArgs"),
                    "mpiArgs are arguments of mpirun, and this run does not start through mpirun: they have no effect",
                )
                .with_help("remove them, or use spec.framework.mpi"),
            );
        }
        let nothing = OverrideSpec { when: spec.when.clone(), ..OverrideSpec::default() };
        if *spec == nothing {
            out.push(
                Diagnostic::at(Code::OverrideEmpty, &path, "this override holds nothing but its condition").with_help(
                    "give it jobTemplate, jobTemplatePatch, dependencies, orchestration, preCommand or mpiArgs, or remove it",
                ),
            );
        }
    }
    out
}

fn check_when(when: &WhenSpec, path: &FieldPath, known: &Known<'_>, out: &mut Vec<Diagnostic>) {
    let names =
        |m: &Option<StringMatch>, key: &str, code: Code, what: &str, known: &[&str], out: &mut Vec<Diagnostic>| {
            let Some(m) = m else { return };
            let path = path.key(key);
            let single = (!m.equals.is_empty()).then(|| (path.key("equals"), &m.equals));
            let lists = [("in", &m.one_of), ("notIn", &m.not_in)];
            let listed = lists.iter().flat_map(|(key, list)| {
                let path = path.key(*key);
                list.iter().enumerate().map(move |(at, name)| (path.index(at), name))
            });
            for (path, name) in single.into_iter().chain(listed) {
                if known.is_empty() || known.contains(&name.as_str()) {
                    continue;
                }
                let finding = Diagnostic::at(
                    code,
                    path,
                    format!("{name:?} is no {what} that is known here, so it never matches"),
                );
                out.push(finding.with_help(match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`? Names are compared exactly, in lower case"),
                    None => format!("known are {}", known.join(", ")),
                }));
            }
        };
    names(&when.platform, "platform", Code::ConditionPlatform, "platform", known.platforms, out);
    let architectures: Vec<&str> = match known.architectures {
        [] => Vec::new(),
        list => list.iter().copied().chain((!list.contains(&"unknown")).then_some("unknown")).collect(),
    };
    let key = "gpuArchitecture";
    names(&when.gpu_architecture, key, Code::ConditionArchitecture, "GPU architecture", &architectures, out);
    check_conditions(when, path, out);
}

/// What can be said about a condition without knowing platforms and architectures.
pub(crate) fn check_conditions(when: &WhenSpec, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let mut never = |path: FieldPath, found: &str, values: &[&str]| {
        if !found.is_empty() && !values.contains(&found) {
            let values = values.join(" or ");
            out.push(
                Diagnostic::at(
                    Code::ConditionNeverHolds,
                    path,
                    format!("{found:?} never occurs here, the value is always {values}: the override never applies"),
                )
                .with_help(format!("write {values}, or leave the condition out")),
            );
        }
    };
    never(path.key("workloadKind"), &when.workload_kind, &["TrainJob"]);
    if let Some(topology) = &when.topology {
        never(path.key("topology").key("mode"), &topology.mode, &["simple", "topology"]);
    }
    if when.config.is_some() {
        out.push(
            Diagnostic::at(
                Code::ConfigCondition,
                path.key("config"),
                "the config that this condition is compared with is never there, so the override never applies",
            )
            .with_help("remove the condition, or use another one: platform, gpuArchitecture, topology or expression"),
        );
    }
    if !when.expression.is_empty()
        && let Err(problem) = expression::check(&when.expression)
    {
        out.push(problem.finding(&path.key("expression")));
    }
}

/// Faults of a strategic merge patch that show without the job template.
pub(super) fn job_template_problems(patch: &Value, path: &FieldPath) -> Vec<Diagnostic> {
    if !patch.is_object() {
        return vec![
            Diagnostic::at(Code::OverrideShape, path, format!("jobTemplate is {}, it must be an object", kind(patch)))
                .with_help("it holds the part of the job template to change, starting with spec or metadata"),
        ];
    }
    let directive = |(at, problem): (FieldPath, String)| {
        Diagnostic::at(Code::PatchDirective, path.join(&at), problem).with_help(
            "set a key to null to delete it; objects are merged; \"$patch: replace\" in an object replaces it whole",
        )
    };
    let mut out: Vec<Diagnostic> = strategic::directive_problems(patch).into_iter().map(directive).collect();
    null_elements(patch, path, &mut out);
    if let Some(env) = patch.pointer("/spec/workload/trainJob/trainer/env") {
        let env_path = FieldPath::parse("spec.workload.trainJob.trainer.env");
        out.extend(trainer_env_problems(env, &env_path).into_iter().map(|mut finding| {
            finding.path = finding.path.map(|at| path.join(&at));
            finding
        }));
    }
    out
}

/// Names in a trainer's env that Trainer refuses (08 rows 18–19); `path` is that of the list.
pub(super) fn trainer_env_problems(env: &Value, path: &FieldPath) -> Vec<Diagnostic> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = Vec::new();
    for (at, entry) in env.as_array().into_iter().flatten().enumerate() {
        let Some(name) = entry.get("name").and_then(Value::as_str) else { continue };
        let path = path.index(at).key("name");
        if TRAINER_ENV.contains(&name) {
            out.push(
                Diagnostic::at(
                    Code::ReservedTrainerEnv,
                    &path,
                    format!("{name} is set by Kubeflow Trainer, which refuses it in trainer.env"),
                )
                .with_help("remove it; sizes come from numNodes and gpusPerNode, options of mpirun from mpiArgs"),
            );
        }
        if first.insert(name, at).is_some() {
            out.push(
                Diagnostic::at(
                    Code::DuplicateTrainerEnv,
                    path,
                    format!("{name} is in trainer.env twice, which the cluster refuses"),
                )
                .with_help("keep one of the two; the list replaces that of earlier layers whole"),
            );
        }
    }
    out
}

/// Faults of a dependency that show without the base (04 §1, §5.1, 00 D16).
pub(super) fn dependency_problems(object: &Value, path: &FieldPath) -> Vec<Diagnostic> {
    let Some(map) = object.as_object() else {
        return vec![
            Diagnostic::at(
                Code::OverrideShape,
                path,
                format!("a dependency is {}, it must be an object", kind(object)),
            )
            .with_help("it is a Kubernetes object, or the part of one to change"),
        ];
    };
    let mut out = Vec::new();
    for (pointer, key) in [("/apiVersion", "apiVersion"), ("/kind", "kind"), ("/metadata/name", "metadata.name")] {
        if object.pointer(pointer).and_then(Value::as_str).is_none_or(str::is_empty) {
            out.push(
                Diagnostic::at(
                    Code::DependencyIdentity,
                    path.join(&FieldPath::parse(key)),
                    format!("{key} of the dependency is missing: it says which object is changed or added"),
                )
                .with_help("write apiVersion, kind and metadata.name exactly as the object to change has them"),
            );
        }
    }
    if map.contains_key("when") {
        out.push(
            Diagnostic::at(
                Code::DependencyCondition,
                path.key("when"),
                "a dependency has no condition of its own: nothing would evaluate it",
            )
            .with_help("move the condition to the `when` of the override, in an override of its own"),
        );
    }
    null_elements(object, path, &mut out);
    out
}

fn null_elements(value: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    match value {
        _ if !has_null_element(value) => {}
        Value::Object(map) => map.iter().for_each(|(key, value)| null_elements(value, &path.key(key), out)),
        Value::Array(list) => {
            for (at, element) in list.iter().enumerate() {
                if element.is_null() {
                    out.push(
                        Diagnostic::at(
                            Code::NullElement,
                            path.index(at),
                            "a null in a list deletes nothing and means nothing",
                        )
                        .with_help("remove it, or quote it when the text \"null\" is meant"),
                    );
                }
                null_elements(element, &path.index(at), out);
            }
        }
        _ => {}
    }
}

/// Tells before any path is made: hardly ever is there one.
fn has_null_element(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.values().any(has_null_element),
        Value::Array(list) => list.iter().any(|element| element.is_null() || has_null_element(element)),
        _ => false,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
