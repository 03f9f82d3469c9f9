//! Matching of conditions (04 §2).

use super::expression;
use super::layer::{Context, Layer, push_once};
use super::summary::int_summary;
use crate::api::{IntMatch, StringMatch, WhenSpec};
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::trace::FailedCondition;

/// Whether a `when` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// Every condition holds.
    Holds,
    /// The first condition that does not, in the order of evaluation (04 §2.1).
    Fails(FailedCondition),
    /// An expression is broken; the finding was reported.
    Broken,
}

impl Match {
    /// True when every condition holds.
    pub fn holds(&self) -> bool {
        matches!(self, Self::Holds)
    }
}

/// Matches every override of the effective list, once. A broken expression becomes a finding; the other overrides are
/// still matched (00, principle 4).
pub fn match_layers(layers: &[Layer], context: &Context, findings: &mut Vec<Diagnostic>) -> Vec<Match> {
    let one = |layer: &Layer| match matches(&layer.spec.when, context, &layer.base_path.key("when")) {
        Ok(found) => found,
        Err(finding) => {
            push_once(findings, layer.adopt(*finding));
            Match::Broken
        }
    };
    layers.iter().map(one).collect()
}

/// Whether a `when` at `path` holds in a context. Fields are compared in the order platform, gpuArchitecture,
/// workloadKind, topology.mode, topology.domainCount, config, expression; the first failure ends it (04 §2.1).
///
/// # Errors
/// The expression does not compile, is not of type bool or cannot be evaluated (04 §2.5).
pub fn matches(when: &WhenSpec, context: &Context, path: &FieldPath) -> Result<Match, Box<Diagnostic>> {
    if let Some(failed) = first_failure(when, context) {
        return Ok(Match::Fails(failed));
    }
    if when.expression.is_empty() {
        return Ok(Match::Holds);
    }
    let at = path.key("expression");
    let holds = expression::evaluate(&when.expression, context).map_err(|p| Box::new(p.finding(&at)))?;
    Ok(if holds { Match::Holds } else { Match::Fails(failure("expression", &when.expression, "false")) })
}

fn first_failure(when: &WhenSpec, context: &Context) -> Option<FailedCondition> {
    let topology = when.topology.as_ref();
    let exact = |field, wanted: &str, found: &str| {
        (!wanted.is_empty() && wanted != found).then(|| failure(field, wanted, found))
    };
    text("platform", when.platform.as_ref(), &context.platform)
        .or_else(|| text("gpuArchitecture", when.gpu_architecture.as_ref(), &context.gpu_architecture))
        .or_else(|| exact("workloadKind", &when.workload_kind, &context.workload_kind))
        .or_else(|| topology.and_then(|t| exact("topology.mode", &t.mode, &context.topology_mode)))
        .or_else(|| number(topology.and_then(|t| t.domain_count.as_ref()), context.domain_count))
        // The engine never fills in the config that this condition would be compared with (00 D16).
        .or_else(|| when.config.is_some().then(|| failure("config", "<custom>", "no validation config")))
}

/// Keys that are given must all hold; empty ones are no condition. Exact, case and all (04 §2.2).
fn text(field: &str, wanted: Option<&StringMatch>, found: &str) -> Option<FailedCondition> {
    let m = wanted?;
    if !m.equals.is_empty() && m.equals != found {
        Some(failure(field, &m.equals, found))
    } else if !m.one_of.is_empty() && !m.one_of.iter().any(|v| v == found) {
        Some(failure(field, &format!("in [{}]", m.one_of.join(",")), found))
    } else if m.not_in.iter().any(|v| v == found) {
        Some(failure(field, &format!("notIn [{}]", m.not_in.join(",")), found))
    } else {
        None
    }
}

fn number(wanted: Option<&IntMatch>, found: i64) -> Option<FailedCondition> {
    let m = wanted?;
    let holds = m.equals.is_none_or(|n| found == n)
        && m.greater_than.is_none_or(|n| found > n)
        && m.less_than.is_none_or(|n| found < n);
    (!holds).then(|| failure("topology.domainCount", &int_summary(m), &found.to_string()))
}

fn failure(field: &str, wanted: &str, found: &str) -> FailedCondition {
    FailedCondition { field: FieldPath::parse(field), wanted: wanted.to_owned(), found: found.to_owned() }
}
