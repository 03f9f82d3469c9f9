//! Rules on one resource: grammar of names, labels, durations and quantities, and every rule of a run (01 §5).

mod duration;
mod label;
mod nearest;
mod pod;
pub(crate) mod pod_parts;
mod quantity;
mod requests;
mod run;
mod selector;

pub use duration::GoDuration;
pub use label::{is_dns1123_label, is_dns1123_subdomain, is_extended_resource, label_key_problem, label_value_problem};
pub use nearest::nearest;
pub use pod::TRAINER_ENV;
pub use quantity::Quantity;
pub(crate) use requests::{Amounts, offer, pod_requests, shown};
pub(crate) use run::topology_key_problem;
pub use run::{TEST_SCALES, THRESHOLDS, check_run};
pub use selector::check_target;
