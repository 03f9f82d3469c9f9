//! What the cluster refuses in a resolved Workflow, or runs wrong, found before anything is sent (00 D25; 08 rows 6, 9,
//! 14–24a). Every rendering and every delivery asks here, so that all of them give one answer.

mod objects;
mod patches;
mod pods;
mod runtime;
mod template;
#[cfg(test)]
mod tests;
mod trainer;

pub(crate) use pods::{ClaimUse, claim_use};
pub(crate) use trainer::nodes_per_job;

use super::runtime::runtime_of;
use crate::api::WorkflowSpec;
use crate::diagnostic::{Diagnostic, FieldPath};

fn train_job_path() -> FieldPath {
    FieldPath::parse("spec.jobTemplate.spec.workload.trainJob")
}

/// Every finding about a Workflow whose overrides are applied: the job template, the trainer, the runtime patches, the
/// dependencies and all their pods. `run` is the name of the run.
pub fn check_workload(spec: &WorkflowSpec, run: &str, findings: &mut Vec<Diagnostic>) {
    let dependencies = &spec.dependencies;
    let train_job = spec.job_template.spec.workload.train_job.as_ref();
    template::check(&spec.job_template, findings);
    objects::check(spec, run, findings);
    nodes_per_job(train_job, findings);
    let Some(train_job) = train_job else { return };
    let runtime = runtime_of(dependencies, train_job).and_then(|at| dependencies.get(at));
    trainer::train_job(train_job, findings);
    patches::check(train_job, runtime, findings);
    if let Some(runtime) = runtime {
        runtime::check(runtime, train_job, spec.gang_scheduler.as_ref(), findings);
    }
    pods::check(train_job, dependencies, findings);
}
