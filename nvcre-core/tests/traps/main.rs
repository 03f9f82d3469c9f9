//! One regression test for every row of 08, at engine level: faults that tools of this kind have had. Tests are named
//! after the row and the fault; rules have tests of their own beside the code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stderr,
    missing_docs
)]

#[path = "../support/mod.rs"]
mod support;

mod affinity;
mod engine;
mod reading;
mod trainer;
