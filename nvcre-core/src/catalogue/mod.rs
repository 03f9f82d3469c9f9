//! Platform facts as data: entries, hardware defaults, platforms, editions (05). No platform is named in Rust.
//!
//! The data files and their format are in `data/`; adding a platform is a change there plus the snapshots.

mod builtin;
mod check;
mod decode;
mod entry;
mod expand;
mod forms;
mod lints;
mod model;
mod read;
mod render;
#[cfg(test)]
mod tests;

pub use entry::{
    Advice, Claim, Condition, Count, Entry, Environment, Guard, NamedToleration, Object, Presence, Variable,
    WorkerPatch,
};
pub use expand::{Framework, Input, Inputs};
pub use forms::{Variables, When, Words};
pub use lints::{Fabric, FabricRule, Interfaces, NcclVariable, RemovedPlugin};
pub use model::{
    Architecture, Catalogue, DetectionRule, Edition, Hardware, HardwareException, NicRule, Platform, SyntheticNode,
};
pub use render::{EntryRef, ResourceRequest};
