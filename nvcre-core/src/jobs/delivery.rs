//! What delivery `trainer` does not carry out (00 D69, D81).

use super::input::{Delivery, JobsInput};
use super::references::at;
use super::runtime::runtime_of;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::workflow::CORDON_CHECK;

/// A warning for each field of the run that has no effect without the engine's controller.
pub(crate) fn no_effect(input: &JobsInput<'_>, findings: &mut Vec<Diagnostic>) {
    if input.delivery != Delivery::Trainer {
        return;
    }
    let workflow = &input.workflow.spec;
    let job = &workflow.job_template.spec;
    let template = FieldPath::parse("spec.jobTemplate.spec");
    let mut warn = |path: FieldPath, what: &str| {
        let message = format!("{path} has no effect without the engine's controller: {what}");
        findings.push(
            Diagnostic::at(Code::NoEffectInDelivery, path, message)
                .with_help("remove the field, or run through the engine's controller"),
        );
    };
    // The cordon check stands in every job template; only another one is somebody's wish.
    let monitor = job.node_health_monitor.as_ref().and_then(|m| m.cel.as_ref());
    if monitor.is_some_and(|cel| cel.expression != CORDON_CHECK) {
        warn(template.key("nodeHealthMonitor"), "nobody watches the nodes while a job runs");
    }
    for (set, field, what) in [
        (job.stall_multiplier.is_some(), "stallMultiplier", "stalls are not looked for"),
        (job.startup_stall_timeout_seconds.is_some(), "startupStallTimeoutSeconds", "stalls are not looked for"),
        (
            job.scheduling_stall_grace_seconds.is_some(),
            "schedulingStallGraceSeconds",
            "a job that cannot be scheduled ends by its deadline",
        ),
    ] {
        if set {
            warn(template.key(field), what);
        }
    }
    let performance = workflow.validation.as_ref().and_then(|v| v.performance.as_ref());
    if job.measurement_timeout.is_some() || performance.is_some_and(|p| p.measurement_timeout.is_some()) {
        warn(template.key("measurementTimeout"), "the log is read once, when the job has ended");
    }
    for (sampled, field) in [
        (job.goodput_measurement.as_ref().is_some_and(|m| m.sample_interval.is_some()), "goodputMeasurement"),
        (job.bandwidth_measurement.as_ref().is_some_and(|m| m.sample_interval.is_some()), "bandwidthMeasurement"),
    ] {
        if sampled {
            let path = FieldPath::parse("spec").key(field).key("sampleInterval");
            warn(path, "the log is read once, when the job has ended");
        }
    }
    if workflow.orchestration.execution.retry_failed_groups > 0 {
        let path = FieldPath::parse("spec.orchestration.execution.retryFailedGroups");
        warn(path, "a failed group is not started again; see rerun --failed");
    }
    let metadata = &workflow.job_template.metadata;
    if !metadata.labels.is_empty() || !metadata.annotations.is_empty() {
        warn(FieldPath::parse("spec.jobTemplate.metadata"), "it is that of the engine's Job, and there is none");
    }
    restarts(input, findings);
}

/// Restarts that end up nowhere, or that an override sets to something else (00 D69).
fn restarts(input: &JobsInput<'_>, findings: &mut Vec<Diagnostic>) {
    let checkpoint = input.workflow.spec.job_template.spec.checkpoint.as_ref();
    let Some(restarts) = checkpoint.and_then(|c| c.max_restarts).filter(|n| *n > 0) else { return };
    let dependencies = &input.workflow.spec.dependencies;
    let runtime = input.train_job().and_then(|t| runtime_of(dependencies, t)).and_then(|i| dependencies.get(i));
    let path = FieldPath::parse("spec.checkpoint.maxRestarts");
    let Some(runtime) = runtime else {
        let message = format!(
            "checkpoint.maxRestarts {restarts} has no effect: the restarts are those of a JobSet, and the runtime is not part of the run"
        );
        findings.push(
            Diagnostic::at(Code::NoEffectInDelivery, path, message)
                .with_help("remove the field, or add the TrainingRuntime to the dependencies of an override"),
        );
        return;
    };
    let set = at(runtime, &["spec", "template", "spec", "failurePolicy", "maxRestarts"]);
    if let Some(set) = set.filter(|set| set.as_i64() != Some(i64::from(restarts))) {
        let message = format!(
            "checkpoint.maxRestarts {restarts} has no effect: an override sets failurePolicy.maxRestarts of the runtime to {set}"
        );
        findings.push(Diagnostic::at(Code::NoEffectInDelivery, path, message).with_help("keep one of the two values"));
    }
}
