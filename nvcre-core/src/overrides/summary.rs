//! Texts of the override report (04 §10, 03 Appendix A).

use crate::api::{IntMatch, OverrideSpec, StringMatch, WhenSpec};
use crate::trace::OverrideOutcome;
use serde::Serialize;
use std::borrow::Cow;

/// The condition in one line: parts in a fixed order, joined with `, `; `<always>` without any.
pub fn when_summary(when: &WhenSpec) -> String {
    let mut out = String::new();
    let mut part = |key: &str, value: &str| {
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.extend([key, "=", value]);
    };
    if let Some(m) = &when.gpu_architecture {
        part("gpuArchitecture", &string_summary(m));
    }
    if let Some(m) = &when.platform {
        part("platform", &string_summary(m));
    }
    if !when.workload_kind.is_empty() {
        part("workloadKind", &when.workload_kind);
    }
    if let Some(topology) = &when.topology {
        if !topology.mode.is_empty() {
            part("topology.mode", &topology.mode);
        }
        if let Some(m) = topology.domain_count.as_ref().filter(|m| **m != IntMatch::default()) {
            part("topology.domainCount", &int_summary(m));
        }
    }
    if when.config.is_some() {
        part("config", "<custom>");
    }
    if !when.expression.is_empty() {
        part("expression", &shortened(&when.expression));
    }
    if out.is_empty() { "<always>".to_owned() } else { out }
}

/// Which parts an override has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub job_template: bool,
    pub job_template_patch: bool,
    pub dependencies: usize,
    pub orchestration: bool,
    pub pre_command: bool,
    pub mpi_args: bool,
}

impl Parts {
    /// Of an override.
    pub fn of(spec: &OverrideSpec) -> Self {
        Self {
            job_template: spec.job_template.is_some(),
            job_template_patch: spec.job_template_patch.is_some(),
            dependencies: spec.dependencies.len(),
            orchestration: spec.orchestration.is_some(),
            pre_command: !spec.pre_command.is_empty(),
            mpi_args: !spec.mpi_args.is_empty(),
        }
    }

    /// In one line; `none` when there are none.
    pub fn summary(self) -> String {
        let dependencies = match self.dependencies {
            0 => String::new(),
            n => format!("{n} dependencies"),
        };
        let parts = [
            (self.job_template, "jobTemplate"),
            (self.job_template_patch, "jobTemplatePatch"),
            (self.dependencies > 0, dependencies.as_str()),
            (self.orchestration, "orchestration"),
            (self.pre_command, "preCommand"),
            (self.mpi_args, "mpiArgs"),
        ];
        let there: Vec<&str> = parts.into_iter().filter(|(there, _)| *there).map(|(_, word)| word).collect();
        if there.is_empty() { "none".to_owned() } else { there.join(", ") }
    }
}

/// What the override holds, in one line; `none` when it holds nothing. `preCommand` and `mpiArgs` are our extension
/// (04 §10).
pub fn patches_summary(spec: &OverrideSpec) -> String {
    Parts::of(spec).summary()
}

/// Value of the annotation `nvcrectl.nvidia.com/applied-overrides` (01 §2.13, 00 D49): the overrides that matched, as
/// compact JSON; `None` when none did.
pub fn applied_overrides(outcomes: &[OverrideOutcome]) -> Option<String> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Applied<'a> {
        index: usize,
        when: &'a str,
        patches: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        no_op: bool,
    }
    let matched = outcomes.iter().filter(|o| o.matched);
    let applied: Vec<Applied<'_>> =
        matched.map(|o| Applied { index: o.index, when: &o.when, patches: &o.patches, no_op: o.no_op }).collect();
    (!applied.is_empty()).then(|| serde_json::to_string(&applied).ok()).flatten()
}

/// The first key given: `equals` bare, else `in [a,b]`, else `notIn [a,b]`, else `<any>`.
fn string_summary(m: &StringMatch) -> Cow<'_, str> {
    if !m.equals.is_empty() {
        m.equals.as_str().into()
    } else if !m.one_of.is_empty() {
        format!("in [{}]", m.one_of.join(",")).into()
    } else if !m.not_in.is_empty() {
        format!("notIn [{}]", m.not_in.join(",")).into()
    } else {
        "<any>".into()
    }
}

/// `=n`, `>n`, `<n`: those given, joined with `,`.
pub(super) fn int_summary(m: &IntMatch) -> String {
    let parts = [('=', m.equals), ('>', m.greater_than), ('<', m.less_than)];
    let parts: Vec<String> = parts.iter().filter_map(|(sign, n)| n.map(|n| format!("{sign}{n}"))).collect();
    parts.join(",")
}

/// Text over 40 bytes: the first 37 (cut back to a whole character) and `...`.
fn shortened(text: &str) -> String {
    if text.len() <= 40 {
        return text.to_owned();
    }
    let end = (0..=37).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}...", text.get(..end).unwrap_or_default())
}
