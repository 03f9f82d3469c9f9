//! From a resolved Workflow and a fleet to groups and manifests (03 §5–6, 10).

mod affinity;
mod build;
mod checks;
mod delivery;
mod differences;
#[cfg(test)]
mod findings_tests;
mod groups;
mod input;
mod limits;
mod names;
mod partition;
mod patch;
mod placement;
mod plan;
mod pod_templates;
mod prepared;
mod printer;
mod references;
mod runtime;
mod scope;
mod shape;
mod template;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_case;
mod tolerations;
mod unique;

pub use input::{Delivery, Facts, JobsInput};
pub use limits::check_workload;
pub(crate) use limits::{ClaimUse, claim_use};
pub use names::*;
pub use partition::{Group, Grouping, PartitionError, partition};
pub use patch::{LAUNCHER, WORKER, edit_patch, edit_pod_patch, target_jobs, worker_job};
pub use plan::{PLAN_FORMAT, PlanError, PlannedGroup, RunPlan, record_part_name};
pub(crate) use pod_templates::{JobPods, PodCount};
pub use prepared::{CopyName, JobId, JobNames, Prepared, Renderer};
pub use printer::{Printed, YamlPrinter};
pub use references::is_cluster_scoped;
pub(crate) use runtime::{item_name, replicated_jobs, runtime_of};
pub use scope::{Scope, classify, creation_order, engine_replacements};
pub(crate) use shape::ANY;
pub use template::{MANIFESTS_FORMAT, Manifest, Owner, Role};
