//! Text in and out, as Kubernetes reads and writes it (09).

mod aliases;
mod build;
mod encoding;
mod events;
mod limits;
mod read;
mod scalar;
mod tree;

pub use limits::Limits;
pub use read::read_documents;
pub use tree::{Entry, Kind, Node, Read, Scalar, Source};

#[cfg(test)]
mod tests;
