//! `workloadrun matrix` as clap sees it.

use super::{CLUSTER, DiffFormat, EditArgs, FINDINGS, FindingArgs, InputArgs};
use clap::Args;
use std::path::PathBuf;

/// Last lines of the help (00 D68).
pub const EXIT_CODES: &str = "Exit codes: 0 no error of the run itself, 1 errors of the run itself (with --deny-warnings \
also warnings, and errors and warnings of any combination), 2 wrong usage or a file that cannot be opened.";

/// `workloadrun matrix`.
#[derive(Debug, Clone, Args)]
pub struct MatrixArgs {
    /// The WorkloadRun, or - for stdin.
    pub file: PathBuf,
    /// Only this platform; may be repeated.
    #[arg(long, value_name = "PLATFORM", help_heading = CLUSTER)]
    pub platform: Vec<String>,
    /// Only this GPU architecture, or `unknown` for those that the catalogue does not know; may be repeated.
    #[arg(long, value_name = "ARCH", help_heading = CLUSTER)]
    pub gpu_arch: Vec<String>,
    /// Edition of the platform catalogue: documented (the default) or latest.
    #[arg(long, value_name = "EDITION", help_heading = CLUSTER)]
    pub edition: Option<String>,
    /// All editions of the platform catalogue.
    #[arg(long, help_heading = CLUSTER, conflicts_with = "edition")]
    pub editions: bool,
    /// Platform catalogue to use instead of the built-in one: a file, or a folder of YAML files.
    #[arg(long, value_name = "PATH", help_heading = CLUSTER)]
    pub catalogue: Option<PathBuf>,
    /// Edits of the run.
    #[command(flatten)]
    pub edits: EditArgs,
    /// Take unknown fields of the run as warnings, not as errors.
    #[arg(long, help_heading = FINDINGS)]
    pub lenient: bool,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: DiffFormat,
    /// Findings.
    #[command(flatten)]
    pub findings: FindingArgs,
}

impl MatrixArgs {
    /// What the other commands on a run take, but for platform and GPU.
    pub fn input(&self) -> InputArgs {
        InputArgs {
            edition: self.edition.clone(),
            catalogue: self.catalogue.clone(),
            edits: self.edits.clone(),
            lenient: self.lenient,
            ..InputArgs::default()
        }
    }
}
