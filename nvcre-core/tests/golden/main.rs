//! Reference test data (00 "Golden files"), run by suite. The folder is `NVCRE_GOLDEN_DIR`, else `shared/golden` beside
//! the checkout; where it is absent the tests say so and pass.
//! Golden tests: reference data beside the checkout, compared as parsed values.
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

mod apply_overrides;
mod apply_platform_mpi_args;
mod catalogue;
mod fleet;
mod jobs;

use serde_json::Value;
use std::path::PathBuf;

/// One case of a suite.
pub struct Case {
    pub name: String,
    /// `input.yaml`.
    pub input: Value,
    /// `expected.json`; `None` where the case expects an error.
    pub expected: Option<Value>,
}

/// The cases of a suite, sorted by name; none, with a message, where the golden folder is absent.
pub fn cases(suite: &str) -> Vec<Case> {
    let root = std::env::var_os("NVCRE_GOLDEN_DIR").map(PathBuf::from);
    let root = root.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/golden")));
    let Ok(folders) = std::fs::read_dir(root.join(suite)) else {
        eprintln!("no golden files for {suite} below {}: nothing compared (set NVCRE_GOLDEN_DIR)", root.display());
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = folders.map(|f| f.unwrap().path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "{suite} is there but holds no case");
    let case = |folder: &PathBuf| {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(folder.join("input.yaml")).unwrap_or_else(|e| panic!("{suite}/{name}: {e}"));
        let input = serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{suite}/{name}: {e}"));
        let expected = std::fs::read_to_string(folder.join("expected.json")).ok();
        let expected =
            expected.map(|text| serde_json::from_str(&text).unwrap_or_else(|e| panic!("{suite}/{name}: {e}")));
        Case { name, input, expected }
    };
    folders.iter().map(case).collect()
}
