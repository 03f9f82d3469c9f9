//! What the fuzz targets share: made-up runs and fleets, and the properties that every rendering must have.

pub mod fleet;
pub mod made;
pub mod properties;

use nvcre_core::api::Value;
use nvcre_core::yaml::{Limits, read_documents, to_yaml};

/// Asserts that a value that is written as YAML is read again as the same value, without a finding.
pub fn assert_reads_back(value: &Value) {
    let text = to_yaml(value);
    let read = read_documents(text.as_bytes(), "written", &Limits { depth: Limits::MAX_DEPTH, ..Limits::RUN });
    assert!(read.diagnostics.is_empty(), "{:?}\n{text}", read.diagnostics);
    let roots: Vec<Value> = read.value.iter().filter_map(|s| s.root.as_ref()).map(|r| r.to_value()).collect();
    assert_eq!(roots, [value.clone()], "{text}");
}
