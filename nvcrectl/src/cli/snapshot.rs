//! `snapshot` as clap sees it.

use clap::{Args, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Last lines of the help of `check` (00 D68).
const EXIT_CODES: &str = "Exit codes: 0 every scenario is as its snapshot, 1 differences or findings of severity error, \
2 wrong usage or a file that cannot be opened.";
/// Last lines of the help of `update` (00 D68).
const EXIT_CODES_OF_UPDATE: &str = "Exit codes: 0 every snapshot is as its scenario now, 1 findings of severity error \
that are left, 2 wrong usage or a file that cannot be opened or written.";

/// Commands on snapshots.
#[derive(Debug, Subcommand)]
pub enum SnapshotCommand {
    /// Render every scenario and say what differs from its snapshot; writes nothing.
    ///
    /// A scenario is a folder with a run.yaml; nodes.yaml (or nodes.json) and scenario.yaml beside it are optional.
    /// docs/snapshots.md tells all of it.
    #[command(after_help = EXIT_CODES)]
    Check(Box<SnapshotCheckArgs>),
    /// Write the snapshots that differ, and remove those without a scenario.
    ///
    /// Only files that it wrote itself are replaced or removed. When a file cannot be written, nothing is changed.
    #[command(after_help = EXIT_CODES_OF_UPDATE)]
    Update(Box<SnapshotArgs>),
}

/// What is looked at.
#[derive(Debug, Clone, Args)]
pub struct SnapshotArgs {
    /// Scenarios: a name, the end of one, a folder of several, or a pattern with * and ?. All of them when left out.
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The folder of the scenarios.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// Folder of all snapshots, instead of the one that snapshots.yaml in the root names. Without either, each snapshot
    /// is in the folder `snapshot` of its scenario.
    #[arg(long, value_name = "DIR")]
    pub snapshots: Option<PathBuf>,
    /// Platform catalogue to use instead of the built-in one: a file, or a folder of YAML files.
    #[arg(long, value_name = "PATH")]
    pub catalogue: Option<PathBuf>,
    /// Scenarios that are rendered at a time; as many as there are processors when left out.
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

/// `snapshot check`.
#[derive(Debug, Clone, Args)]
pub struct SnapshotCheckArgs {
    /// What is looked at.
    #[command(flatten)]
    pub which: SnapshotArgs,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: SnapshotFormat,
}

/// Form of a review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SnapshotFormat {
    /// For people.
    #[default]
    Text,
    /// JSON (docs/json.md).
    Json,
    /// For a comment on a pull request, at most 65536 characters.
    Markdown,
    /// JUnit's XML, for test reports.
    Junit,
    /// Workflow commands that GitHub shows on the lines of a pull request.
    Github,
    /// One SARIF 2.1.0 log.
    Sarif,
}
