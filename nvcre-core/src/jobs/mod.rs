//! From a resolved Workflow and a fleet to groups and manifests (03 §5–6, 10).

mod names;
mod partition;
#[cfg(test)]
mod testing;

pub use names::*;
pub use partition::{Group, Grouping, PartitionError, partition};
