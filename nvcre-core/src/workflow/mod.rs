//! From a run to its Workflow (02): sizes, environment, mpirun command line, runtime, gang scheduling, job template.
//!
//! [`build`] makes the base Workflow; [`crate::overrides`] changes it; [`gang::validate_resolved`] checks the result.

mod build;
mod env;
pub mod gang;
mod mpirun;
mod origins;
mod runtime;
mod scripts;
mod size;
mod train_job;
mod transform;

pub(crate) use build::claim_name;
pub use build::{BuildInput, Built, CORDON_CHECK, DEFAULT_TIMEOUT, LAUNCHER_LIMIT, build, orchestration};
pub use env::{forwarded_names, merged_env};
pub use mpirun::{fixed_words, mpirun_words};
pub use origins::{FieldOrigin, field_origin};
pub use runtime::{RuntimeInput, training_runtime, worker_resources};
pub use scripts::{LAUNCHER_INIT, WAIT_FOR_WORKERS, WORKER_START};
pub use size::Sizes;
pub use train_job::complete_patches;
pub use transform::{Transforms, apply_resolved_transforms};
