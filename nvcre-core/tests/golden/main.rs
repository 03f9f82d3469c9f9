//! Reference data of the engine, run through the library. `NVCRE_GOLDEN_DIR` names the folder.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)]

mod jobs;
