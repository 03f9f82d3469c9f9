//! The whole road, from a run and its nodes to a rendering: the only place that knows all of it.

mod flags;
mod plan;

pub use flags::{AUTO_KEY, RunFlags, adjust_size, apply_flags, resolve_auto_key, wants_auto_key};
pub use plan::{PLAN_FORMAT, Plan, PlanExclusion, PlanGroup};
