//! Fields of the job template that overrides may set (01 §3.1, §3.3–3.6, §7).

use crate::api::{GROUP_KEY, JobTemplate, MANAGED_BY_KEY, WORKFLOW_KEY};
use crate::check::{GoDuration, THRESHOLDS, nearest, pod_parts};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use serde_json::json;

/// Longest expression of a health check, in characters.
const LONGEST_EXPRESSION: usize = 2048;

/// Checks the job template but its workload.
pub(super) fn check(template: &JobTemplate, findings: &mut Vec<Diagnostic>) {
    metadata(template, findings);
    let spec = &template.spec;
    let path = FieldPath::parse("spec.jobTemplate.spec");
    let mut wrong = |path: FieldPath, message: String, help: &'static str| {
        findings.push(Diagnostic::at(Code::JobTemplateField, path, message).with_help(help));
    };
    for (field, value) in [
        ("stallMultiplier", spec.stall_multiplier),
        ("startupStallTimeoutSeconds", spec.startup_stall_timeout_seconds),
        ("schedulingStallGraceSeconds", spec.scheduling_stall_grace_seconds),
    ] {
        if let Some(value) = value.filter(|v| *v < 1) {
            wrong(path.key(field), format!("{field} is {value}; the least is 1"), "set 1 or more, or leave it out");
        }
    }
    if let Some(cel) = spec.node_health_monitor.as_ref().and_then(|m| m.cel.as_ref()) {
        let length = cel.expression.chars().count();
        if length == 0 || length > LONGEST_EXPRESSION {
            let message = format!(
                "the expression of the node health monitor has {length} characters; it takes 1 to {LONGEST_EXPRESSION}"
            );
            let help = "write CEL over node, for example node.spec.unschedulable == true";
            wrong(path.key("nodeHealthMonitor").key("cel").key("expression"), message, help);
        }
    }
    let goodput = spec.goodput_measurement.as_ref();
    let goodput = goodput.map(|m| ("goodputMeasurement", m.log_profile_ref.as_str(), m.sample_interval));
    let bandwidth = spec.bandwidth_measurement.as_ref();
    let bandwidth = bandwidth.map(|m| ("bandwidthMeasurement", m.log_profile_ref.as_str(), m.sample_interval));
    for (field, profile, interval) in goodput.into_iter().chain(bandwidth) {
        let path = path.key(field);
        if profile.is_empty() {
            let message = format!("{field} names no LogProfile");
            wrong(path.key("logProfileRef"), message, "name a LogProfile, for example nccl-bandwidth");
        }
        if let Some(interval) = interval.filter(|i: &GoDuration| i.nanos <= 0) {
            let message = format!("a sample interval of {interval} never comes round; a duration above zero is wanted");
            wrong(path.key("sampleInterval"), message, "write for example 60s, or leave it out");
        }
    }
    let path = path.key("thresholds");
    for key in spec.thresholds.keys().filter(|k| !THRESHOLDS.contains(&k.as_str())) {
        let message =
            format!("{key:?} is no metric that a threshold can be set on; known are {}", THRESHOLDS.join(", "));
        let near = nearest(key, THRESHOLDS);
        let help =
            near.map_or_else(|| "use one of the known metrics".to_owned(), |near| format!("did you mean `{near}`?"));
        findings.push(Diagnostic::at(Code::UnknownThreshold, path.key(key), message).with_help(help));
    }
}

/// Metadata of the Jobs: names of its own have no effect, nor have labels that every Job gets.
fn metadata(template: &JobTemplate, findings: &mut Vec<Diagnostic>) {
    let metadata = &template.metadata;
    let path = FieldPath::parse("spec.jobTemplate.metadata");
    pod_parts::metadata(Some(&json!(metadata)), &path, findings);
    for (field, value) in [("name", &metadata.name), ("namespace", &metadata.namespace)] {
        if !value.is_empty() {
            let message = format!(
                "the {field} {value} of the job template has no effect: every Job gets its own name, and the namespace of the run"
            );
            findings.push(Diagnostic::at(Code::NoEffect, path.key(field), message).with_help("remove it"));
        }
    }
    for key in [MANAGED_BY_KEY, WORKFLOW_KEY, GROUP_KEY] {
        if metadata.labels.contains_key(key) {
            let message = format!(
                "the label {key} of the job template has no effect: every Job gets it with a value of the engine"
            );
            findings.push(
                Diagnostic::at(Code::NoEffect, path.key("labels").key(key), message)
                    .with_help("remove it, or use a key of a domain of your own"),
            );
        }
    }
}
