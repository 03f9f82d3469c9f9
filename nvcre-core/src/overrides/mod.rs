//! Conditional overrides: which ones match, in which order, what they change and what is recorded (04).
//!
//! The effective list is all entries of the platform catalogue, then `spec.overrides` ([`Layer`]). It is matched once
//! against the [`Context`] of the base ([`match_layers`]), and walked once, in order ([`apply`]): each step works in
//! place on the result of the earlier ones. What an override does to the command line ([`mpi_args`], [`pre_command`])
//! is taken while the base is built, from the same matches.
//!
//! | file | holds |
//! |---|---|
//! | `when`, `expression`, `summary` | conditions, CEL, their texts |
//! | `merge`, `strategic`, `json_patch`, `orchestration` | the four ways of changing something |
//! | `track` | what changed, for the trace |
//! | `apply` | the walk |
//! | `env`, `command`, `quote` | `spec.env` in entries, mpirun arguments, wrapping of the command |
//! | `checks` | what can be said about a user's overrides without a platform |
//! | `typed` | the job template after a patch |

mod apply;
mod checks;
mod command;
mod env;
mod expression;
mod json_patch;
mod layer;
mod merge;
mod options;
mod orchestration;
mod quote;
mod strategic;
mod summary;
mod track;
mod typed;
mod unwrap;
mod when;

pub use apply::apply;
pub(crate) use checks::check_conditions;
pub use checks::{Known, check_overrides};
pub use command::{Word, mpi_args, pre_command, repeated_options, wrap_command};
pub use env::substitute_env;
pub use expression::threshold_problem;
pub(crate) use json_patch::problems as json_patch_problems;
pub use layer::{Base, Context, Layer};
pub(crate) use options::mpi_option;
pub use orchestration::fit_topology;
pub use quote::{expanded_by_bash, go_quote};
pub(crate) use summary::Parts;
pub use summary::{applied_overrides, patches_summary, when_summary};
pub use unwrap::{Unwrapped, unwrap_command};
pub use when::{Match, match_layers, matches};

#[cfg(test)]
mod tests;
