//! One run on every platform with every GPU of the catalogue, and what each brings beside the plain run.
//!
//! The plain run is the run's own values with no entry of the catalogue applied: for no platform, with the fallback of
//! the hardware table for the numbers that the run does not give, and with those of its own overrides that need no
//! platform. Each edition has a plain run of its own, since the default variables are those of an edition.
//!
//! ```
//! use nvcre_core::engine::Engine;
//! use nvcre_core::matrix::{MatrixOptions, matrix};
//! let engine = Engine::new();
//! let run = engine.read_run(
//!     b"apiVersion: nvcre.nvidia.com/v1alpha1
//! kind: WorkloadRun
//! metadata: {name: sweep}
//! spec:
//!   image: registry.example/nccl:1
//!   framework: {torch: {script: /workspace/train.py}}
//!   numNodes: 2
//! ",
//!     "run.yaml",
//!     false,
//! );
//! let matrix = matrix(&engine, &run, &MatrixOptions::default());
//! let row = matrix.combination("aws", "gb300").unwrap();
//! let entries: Vec<&str> = matrix.variant(row).unwrap().differences.entries.iter().map(|e| e.id()).collect();
//! assert_eq!(entries, ["E1", "E2", "E5", "E10"]);
//! ```

mod common;
mod make;
mod marks;
mod model;
#[cfg(test)]
mod tests;

pub use make::{MatrixOptions, matrix, parse_matrix_architecture};
pub use model::{
    Combination, Differences, MATRIX_FORMAT, Mark, Matrix, MatrixEntry, Plain, Sizes, VariableDifference, Variant,
};
