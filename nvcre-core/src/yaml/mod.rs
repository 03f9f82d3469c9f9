//! Text in and out, as Kubernetes reads and writes it (09).

mod aliases;
mod build;
mod encoding;
mod events;
mod limits;
mod read;
mod scalar;
mod stream;
mod tree;
mod write;

pub(crate) use build::{Done, Keep};
pub use limits::Limits;
pub use read::read_documents;
pub(crate) use stream::read_stream;
pub use tree::{Entry, Kind, Node, Read, Scalar, Source};
pub(crate) use write::Form;
pub use write::{to_json_pretty, to_yaml, to_yaml_documents, write_yaml, write_yaml_to};

#[cfg(test)]
mod tests;
