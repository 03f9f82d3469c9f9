//! Transforms that an embedder applies to a Workflow that is not a WorkloadRun's (02 §6.1, §10): image, gang
//! scheduling, labels.

use super::gang;
use crate::api::{GangSchedulerSpec, Value, WorkflowSpec, WorkloadMetadata};
use crate::diagnostic::{Diagnostic, FieldPath};
use serde_json::json;
use std::collections::BTreeMap;

/// What to apply; empty parts change nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transforms {
    /// Gang scheduling of every runtime and of the workload object.
    pub gang_scheduler: Option<GangSchedulerSpec>,
    /// Image of the trainer and of every container of every runtime.
    pub image: String,
    /// Labels of the workload object.
    pub workload_labels: BTreeMap<String, String>,
}

/// Applies image, runtime scheduling and labels in this order. On findings the labels and the recorded gang
/// scheduling stay as they were; image and runtimes are already written.
pub fn apply_resolved_transforms(spec: &mut WorkflowSpec, transforms: &Transforms) -> Vec<Diagnostic> {
    if !transforms.image.is_empty() {
        set_image(spec, &transforms.image);
    }
    let gang = gang::resolve(transforms.gang_scheduler.as_ref());
    gang::apply_to_dependencies(&mut spec.dependencies, gang.as_ref());
    let metadata = &mut spec.job_template.spec.workload_metadata;
    let mut labels = metadata.as_ref().map(|m| m.labels.clone()).unwrap_or_default();
    labels.extend(transforms.workload_labels.clone());
    let path = FieldPath::parse("spec.jobTemplate.spec.workloadMetadata.labels");
    let (labels, findings) = gang::compose_labels(&labels, gang.as_ref(), &path);
    if findings.is_empty() {
        *metadata = (!labels.is_empty()).then_some(WorkloadMetadata { labels });
        spec.gang_scheduler = gang;
    }
    findings
}

fn set_image(spec: &mut WorkflowSpec, image: &str) {
    if let Some(trainer) = spec.job_template.spec.workload.train_job.as_mut().and_then(|t| t.trainer.as_mut()) {
        trainer.image = Some(image.to_owned());
    }
    for dependency in &mut spec.dependencies {
        if dependency.get("kind").and_then(Value::as_str) != Some("TrainingRuntime") {
            continue;
        }
        let jobs = dependency.pointer_mut("/spec/template/spec/replicatedJobs").and_then(Value::as_array_mut);
        for job in jobs.into_iter().flatten() {
            let containers = job.pointer_mut("/template/spec/template/spec/containers").and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten() {
                if let Some(slot) = container.as_object_mut() {
                    slot.insert("image".into(), json!(image));
                }
            }
        }
    }
}
