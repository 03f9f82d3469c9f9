//! Reference test data (00 "Golden files"), run by suite. The folder is `NVCRE_GOLDEN_DIR`, else `shared/golden` beside
//! the checkout; where it is absent the tests say so and pass.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs
)]

mod fleet;
mod catalogue;
mod jobs;
