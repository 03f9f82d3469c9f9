//! Every scenario of `fixtures/`, read by the code that makes its snapshots.
#![allow(clippy::disallowed_methods, missing_docs)]

#[path = "../../../nvcre-core/tests/scenarios/mod.rs"]
mod scenarios;

pub use scenarios::Scenario;
