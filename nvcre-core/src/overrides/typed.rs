//! The job template after a patch: what the typed structure would refuse or lose (04 §4.1, 00 D40, 08 rows 18–19).

use super::checks::trainer_env_problems;
use super::layer::{Layer, push_once};
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment};
use crate::schema::{self, Mode};
use serde_json::Value;

/// Everything that is wrong with a job template, as findings whose paths start at the job template: unknown fields and
/// wrong types, by the field tables (00 D40).
fn check_job_template(template: &Value) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    schema::check_value("JobTemplate", template, &FieldPath::root(), Mode::STRICT, &mut findings);
    findings
}

/// Faults of the job template that earlier layers brought; only new ones are put down to a layer.
#[derive(Default)]
pub(super) struct Seen {
    reported: Vec<(Code, Option<FieldPath>)>,
}

impl Seen {
    /// Checks the template after a layer changed it.
    pub fn check(&mut self, template: &Value, layer: &Layer, findings: &mut Vec<Diagnostic>) {
        let env = template.pointer("/spec/workload/trainJob/trainer/env");
        let env_path = FieldPath::parse("spec.workload.trainJob.trainer.env");
        let names = env.map(|env| trainer_env_problems(env, &env_path)).unwrap_or_default();
        for mut finding in check_job_template(template).into_iter().chain(names) {
            let key = (finding.code, finding.path.clone());
            if self.reported.contains(&key) {
                continue;
            }
            self.reported.push(key);
            finding.path = Some(blame(layer, &finding.path.unwrap_or_default()));
            push_once(findings, layer.adopt(finding));
        }
    }
}

/// The field of the override that brought a field of the job template: in `jobTemplate` when it stands there, else the
/// operation of `jobTemplatePatch` whose path leads to it, when it is the only one.
fn blame(layer: &Layer, path: &FieldPath) -> FieldPath {
    if let Some(patch) = &layer.spec.job_template
        && (path.0.is_empty() || stands_in(patch, &path.0))
    {
        return layer.base_path.key("jobTemplate").join(path);
    }
    let Some(operations) = &layer.spec.job_template_patch else {
        return layer.base_path.key("jobTemplate").join(path);
    };
    let at = layer.base_path.key("jobTemplatePatch");
    let leads = |operation: &Value| {
        let tokens = operation.get("path").and_then(Value::as_str).unwrap_or_default().split('/').skip(1);
        tokens.zip(&path.0).all(|(token, segment)| match segment {
            Segment::Key(key) => token.replace("~1", "/").replace("~0", "~") == **key,
            Segment::Index(index) => token == "-" || token.parse() == Ok(*index),
            Segment::Named(_) | Segment::Keyed(..) => true,
        })
    };
    let operations = operations.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut leading = operations.iter().enumerate().filter(|(_, o)| leads(o)).map(|(index, _)| index);
    match (leading.next_back(), leading.next_back()) {
        (Some(index), None) => at.index(index),
        _ => at,
    }
}

fn stands_in(patch: &Value, path: &[Segment]) -> bool {
    path.iter()
        .try_fold(patch, |here, segment| match segment {
            Segment::Key(key) => here.get(&**key),
            Segment::Index(at) => here.get(*at),
            Segment::Keyed(..) => None,
            Segment::Named(name) => here.as_array()?.iter().find(|e| super::merge::element_name(e) == Some(name)),
        })
        .is_some()
}
