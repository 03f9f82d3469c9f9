//! Rules on one resource: grammar of names, labels, durations and quantities, and every rule of a run (01 §5).

mod duration;
mod label;
mod quantity;

pub use duration::GoDuration;
pub use label::{is_dns1123_label, is_dns1123_subdomain, is_extended_resource, label_key_problem, label_value_problem};
pub use quantity::Quantity;
