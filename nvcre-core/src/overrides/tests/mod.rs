//! The checklist of 04 §13, the tables of the chapter and the named properties.

mod checks;
mod command;
mod conditions;
mod dependencies;
mod expressions;
mod properties;
mod template;
mod walk;

use super::*;
use crate::api::{OrchestrationSpec, OverrideSpec};
use crate::diagnostic::{Code, Diagnostic};
use crate::trace::{Change, Origin, OverrideOutcome, Subject, Trace};
use serde_json::{Value, json};

/// What a broken expression is reported as.
const BROKEN: Code = if cfg!(feature = "cel") { Code::OverrideExpression } else { Code::ExpressionUnsupported };

/// An override from JSON.
fn spec(value: Value) -> OverrideSpec {
    serde_json::from_value(value).unwrap()
}

/// User overrides as the whole effective list.
fn users(values: &[Value]) -> Vec<Layer> {
    values.iter().enumerate().map(|(at, v)| Layer::user(at, at, spec(v.clone()))).collect()
}

/// A catalogue entry.
fn entry(index: usize, value: Value) -> Layer {
    Layer::entry(index, format!("E{index}"), format!("entry-{index}"), spec(value))
}

/// A job template with this trainer.
fn template(trainer: Value) -> Value {
    json!({"spec": {"workload": {"trainJob": {"runtimeRef": {"name": "r"}, "trainer": trainer}}}})
}

fn patch(trainer: Value) -> Value {
    json!({"spec": {"workload": {"trainJob": {"trainer": trainer}}}})
}

fn base(trainer: Value) -> Base {
    Base {
        job_template: template(trainer),
        orchestration: OrchestrationSpec { iterations: 1, ..OrchestrationSpec::default() },
        ..Base::default()
    }
}

fn aws() -> Context {
    Context {
        platform: "aws".into(),
        gpu_architecture: "gb300".into(),
        workload_kind: "TrainJob".into(),
        topology_mode: "simple".into(),
        domain_count: 0,
    }
}

/// What one application gave.
struct Outcome {
    base: Base,
    outcomes: Vec<OverrideOutcome>,
    findings: Vec<Diagnostic>,
    changes: Vec<Change>,
}

/// Matches on AWS GB300 and applies.
fn run(mut base: Base, layers: &[Layer]) -> Outcome {
    let mut findings = Vec::new();
    let matches = match_layers(layers, &aws(), &mut findings);
    let mut trace = Trace::default();
    let outcomes = apply(&mut base, layers, &matches, &mut trace, &mut findings);
    Outcome { base, outcomes, findings, changes: trace.changes }
}

impl Outcome {
    fn trainer(&self) -> &Value {
        &self.base.job_template["spec"]["workload"]["trainJob"]["trainer"]
    }

    fn codes(&self) -> Vec<(Code, String)> {
        codes(&self.findings)
    }

    /// Old and new value of every change of a field, by path.
    fn changed(&self) -> Vec<(String, Value, Value)> {
        let path = |c: &Change| match &c.subject {
            Subject::Field { path } => path.to_string(),
            other => panic!("{other:?}"),
        };
        let value = |v: &Option<Value>| v.clone().unwrap_or(json!("<absent>"));
        self.changes.iter().map(|c| (path(c), value(&c.old), value(&c.new))).collect()
    }
}

fn codes(findings: &[Diagnostic]) -> Vec<(Code, String)> {
    findings.iter().map(|d| (d.code, d.path.clone().unwrap_or_default().to_string())).collect()
}

fn user_origin(index: usize) -> Origin {
    Origin::Override { index }
}
