//! The command line as people and scripts meet it: the built binary, run in the root of the repository.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::print_stderr, missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod action;
mod conversations;
mod exit_codes;
mod init;
mod inputs;
mod matrix;
mod messages;
mod out_folder;
mod repository;
mod snapshots;
mod streams;
mod tables;

/// The page's own example, as a scenario of `fixtures/`.
const RUN: &str = "fixtures/page-basic-aws-gb300/run.yaml";
/// Its sixteen nodes.
const NODES: &str = "fixtures/inventories/aws-gb300-16.yaml";
/// A run with several errors.
const BAD: &str = "fixtures/bad-several/run.yaml";
