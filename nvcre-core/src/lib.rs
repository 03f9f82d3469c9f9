//! Renders a `WorkloadRun` of NVIDIA's Cluster Readiness Engine into the exact manifests that will run, as a pure
//! function: no I/O, no clock, no environment, no randomness.
//!
//! The road goes one way (`ARCHITECTURE.md`): text is read ([`yaml`]) and checked ([`check`]), an inventory becomes a
//! [`fleet`], run and fleet become a Workflow ([`workflow`], [`overrides`], [`catalogue`]), and the Workflow becomes
//! groups and manifests ([`jobs`]).

pub mod api;
pub mod catalogue;
pub mod check;
pub mod compare;
pub mod diagnostic;
pub mod engine;
pub mod explain;
pub mod fleet;
pub mod jobs;
mod lint;
mod lookup;
pub mod matrix;
mod object;
pub mod overrides;
pub mod schedule;
pub mod schema;
pub mod snapshot;
pub mod starter;
pub mod trace;
pub mod workflow;
pub mod yaml;

pub use diagnostic::{Code, Diagnostic, FieldPath, Severity};

/// The examples of README.md are tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
