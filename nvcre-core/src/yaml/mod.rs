//! Text in and out, as Kubernetes reads and writes it (09).

mod tree;

pub use tree::{Entry, Kind, Node, Read, Scalar, Source};
