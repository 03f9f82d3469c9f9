//! Scenarios and their snapshots, as they are reviewed in pull requests: what a scenario says, what its snapshot holds,
//! and what differs between the two (docs/snapshots.md).
//!
//! | file | holds |
//! |---|---|
//! | `scenario`, `settings` | `scenario.yaml` and `snapshots.yaml` |
//! | `layout` | which folders are scenarios, where their snapshots are, which snapshots belong to none |
//! | `contents` | what a scenario gives, and the files of a snapshot |
//! | `found` | findings as they stand in a snapshot |
//! | `earlier` | reading the files of a snapshot |
//! | `compare` | one scenario against its snapshot |
//! | `cause` | the lines of a run that a difference comes from |
//! | `review` | the verdict on all scenarios, as data |

mod cause;
mod compare;
mod contents;
mod earlier;
mod found;
mod layout;
mod review;
mod scenario;
mod settings;

pub use compare::{Files, compare};
pub use contents::{Outcome, ScenarioInput, SnapshotFile, render};
pub use earlier::{Mark, mark};
pub use found::{RelatedPlace, SnapshotFinding};
pub use layout::{
    Layout, Listed, Listing, Orphan, ScenarioFolder, discover, is_selected, join, orphans, select, unreadable,
};
pub use review::{Counts, FileChange, Review, SNAPSHOT_REVIEW_FORMAT, ScenarioReview, Verdict, locate};
pub use scenario::{Scenario, ScenarioExpect, ScenarioFile, ScenarioFlags, read_scenario};
pub use settings::{SnapshotSettings, read_settings};

/// Version of the form of a snapshot; it stands in the first line of `findings.yaml`.
pub const SNAPSHOT_FORMAT: &str = "nvcre.nvidia.com/snapshot/v1";
/// What every version of that form begins with.
const ANY_FORMAT: &str = "nvcre.nvidia.com/snapshot/";

/// File of a run in the folder of a scenario.
pub const RUN: &str = "run.yaml";
/// What is beside a run: inventories, flags, expectations.
pub const SCENARIO: &str = "scenario.yaml";
/// Settings of a folder of scenarios.
pub const SETTINGS: &str = "snapshots.yaml";
/// Findings of the rendering; its first line marks a snapshot as one.
pub const FINDINGS: &str = "findings.yaml";
/// Objects of the jobs.
pub const MANIFESTS: &str = "manifests.yaml";
/// Groups, and who stays out.
pub const PLAN: &str = "plan.json";
/// The Workflow.
pub const WORKFLOW: &str = "workflow.yaml";
/// All files that a snapshot may hold.
pub const FILES: [&str; 4] = [FINDINGS, MANIFESTS, PLAN, WORKFLOW];
