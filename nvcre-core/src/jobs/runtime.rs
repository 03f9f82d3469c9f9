//! Looking into the runtime among the dependencies.

use super::references::{at, kind_of, name_of};
use crate::api::TrainJobSpec;
use serde_json::Value;

/// Position of the `TrainingRuntime` that a TrainJob refers to.
pub(crate) fn runtime_of(dependencies: &[Value], train_job: &TrainJobSpec) -> Option<usize> {
    let name = &train_job.runtime_ref.name;
    dependencies.iter().position(|d| kind_of(d) == "TrainingRuntime" && name_of(d) == name)
}

/// The replicated jobs of a runtime.
pub(crate) fn replicated_jobs(runtime: &Value) -> &[Value] {
    let list = at(runtime, &["spec", "template", "spec", "replicatedJobs"]).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// `name` of an element of a list.
pub(crate) fn item_name(item: &Value) -> &str {
    item.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// The pod spec of a replicated job.
pub(crate) fn pod_of<'a>(runtime: &'a Value, job: &str) -> Option<&'a Value> {
    let job = replicated_jobs(runtime).iter().find(|j| item_name(j) == job)?;
    at(job, &["template", "spec", "template", "spec"])
}
