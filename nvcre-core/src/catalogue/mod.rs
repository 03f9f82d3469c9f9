//! Platform facts as data: entries, hardware defaults, platforms, editions (05). No platform is named in Rust.

mod builtin;
mod model;

pub use model::{
    Architecture, Catalogue, DetectionRule, Edition, Hardware, HardwareException, NicRule, Platform, SyntheticNode,
};
