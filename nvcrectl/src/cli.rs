//! The command line as clap sees it.

mod diff;
mod forms;
mod init;
mod matrix;
mod snapshot;

use crate::report::MessageFormat;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

pub use diff::{DiffArgs, DiffFormat};
pub use forms::{Format, InfoFormat, Show, TableFormat, TextFormat, VersionFormat};
pub use init::InitArgs;
pub use matrix::MatrixArgs;
pub use snapshot::{SnapshotArgs, SnapshotCheckArgs, SnapshotCommand, SnapshotFormat};

/// Last lines of the help of every command that reads something (00 D68).
const EXIT_CODES: &str = "Exit codes: 0 no error, 1 findings of severity error (with --deny-warnings also warnings), \
2 wrong usage or a file that cannot be opened.";

/// Shows exactly what a WorkloadRun will start on a GPU cluster, before it starts.
#[derive(Debug, Parser)]
#[command(name = "nvcrectl", version, max_term_width = 100, propagate_version = false, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Render, plan and check WorkloadRuns.
    #[command(subcommand, visible_alias = "wr", after_help = EXIT_CODES)]
    Workloadrun(WorkloadRunCommand),
    /// Check renderings that are kept in version control.
    #[command(subcommand)]
    Snapshot(SnapshotCommand),
    /// Look at a cluster's nodes.
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// List what the catalogue knows, by platform and GPU.
    Platforms(PlatformsArgs),
    /// Print a JSON schema.
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// Print the CustomResourceDefinition of WorkloadRun.
    Crd,
    /// Work with platform catalogues.
    #[command(subcommand)]
    Catalogue(CatalogueCommand),
    /// Print a completion script for a shell.
    Completion {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder.
    Man {
        /// The folder; made when absent.
        dir: PathBuf,
    },
    /// Print the version.
    Version {
        /// How to print.
        #[arg(short, long, value_enum, default_value_t = VersionFormat::Text)]
        output: VersionFormat,
    },
}

/// Commands on a WorkloadRun.
#[derive(Debug, Subcommand)]
pub enum WorkloadRunCommand {
    /// Print the Workflow, or the exact manifests of every job.
    ///
    /// With neither nodes nor a platform the Workflow is a template: what the catalogue adds stays in it as conditional
    /// overrides. Objects go to stdout, findings to stderr; with a finding of severity error nothing is printed.
    #[command(after_help = EXIT_CODES)]
    Render(Box<RenderArgs>),
    /// Print groups, domains, nodes that run twice, and who stays out and why.
    #[command(after_help = EXIT_CODES)]
    Plan(Box<PlanArgs>),
    /// Show what differs between two renderings: what it means, then every field.
    ///
    /// A and B are WorkloadRuns, the same one with different flags, or what `render` wrote earlier: a file, or a folder of
    /// --out. Exits with 1 when they differ.
    #[command(after_help = diff::EXIT_CODES)]
    Diff(Box<DiffArgs>),
    /// Tell where values come from, and why a node or an override is out.
    ///
    /// Without a subject: the whole run on one screen. Subjects: env/NAME, arg/OPTION, line/N, value/NAME, node/NAME,
    /// group/NAME, override/E7 (or an entry's name, or user-0), a field of the Workflow (spec.orchestration.iterations),
    /// or a field of an object (TrainJob:spec.trainer.numNodes).
    #[command(after_help = EXIT_CODES)]
    Explain(Box<ExplainArgs>),
    /// Render the run for every platform and GPU of the catalogue, and tell what each adds to the plain run.
    ///
    /// The plain run is the run's own values with no entry of the catalogue applied. Combinations that give the same are
    /// told once.
    #[command(after_help = matrix::EXIT_CODES)]
    Matrix(Box<MatrixArgs>),
    /// Report every finding, and render nothing.
    #[command(after_help = EXIT_CODES)]
    Check(Box<CheckArgs>),
    /// Print or write a first run to begin with: commented, and valid as it is.
    ///
    /// Its first line tells editors (yaml-language-server) where the schema is: beside the run, as
    /// `nvcrectl schema workloadrun > workloadrun.schema.json` writes it, unless --schema says another place.
    #[command(after_help = init::EXIT_CODES)]
    Init(InitArgs),
}

/// Headings of the help.
const CLUSTER: &str = "Nodes and platform";
const EDITS: &str = "Edits of the run";
const FINDINGS: &str = "Findings";

/// Flags that say what is rendered, shared by all commands on a run.
#[derive(Debug, Clone, Default, Args)]
pub struct InputArgs {
    /// Nodes of the cluster, as `kubectl get nodes -o yaml` (or json) prints them: a file, a folder of such files, or -
    /// for stdin. May be repeated.
    #[arg(long, value_name = "PATH", help_heading = CLUSTER)]
    pub nodes: Vec<PathBuf>,
    /// Platform to render for, instead of the one that the nodes show (`nvcrectl platforms` lists them).
    #[arg(long, value_name = "PLATFORM", help_heading = CLUSTER)]
    pub platform: Option<String>,
    /// GPU architecture to render for, instead of the one that most nodes show (`nvcrectl platforms` lists them).
    #[arg(long, value_name = "ARCH", help_heading = CLUSTER)]
    pub gpu_arch: Option<String>,
    /// Make up N nodes of --platform and --gpu-arch instead of reading them.
    #[arg(long, value_name = "N", help_heading = CLUSTER, conflicts_with = "nodes", requires = "platform",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub assume_nodes: Option<u32>,
    /// Leave out nodes that the rules keep but that would not run the pods: not ready, no GPUs, MIG, time-slicing.
    #[arg(long, help_heading = CLUSTER)]
    pub only_healthy: bool,
    /// Edition of the platform catalogue: documented (the default) or latest.
    #[arg(long, value_name = "EDITION", help_heading = CLUSTER)]
    pub edition: Option<String>,
    /// Platform catalogue to use instead of the built-in one: a file, or a folder of YAML files.
    #[arg(long, value_name = "PATH", help_heading = CLUSTER)]
    pub catalogue: Option<PathBuf>,
    /// Edits of the run.
    #[command(flatten)]
    pub edits: EditArgs,
    /// Take unknown fields of the run as warnings, not as errors.
    #[arg(long, help_heading = FINDINGS)]
    pub lenient: bool,
}

/// Flags that edit the run.
#[derive(Debug, Clone, Default, Args)]
pub struct EditArgs {
    /// Name of the run, instead of the one in the file.
    #[arg(long, value_name = "NAME", help_heading = EDITS)]
    pub name: Option<String>,
    /// Namespace, instead of the one in the file.
    #[arg(short, long, value_name = "NAMESPACE", help_heading = EDITS)]
    pub namespace: Option<String>,
    /// Run on exactly these nodes.
    #[arg(long, value_name = "A,B,…", help_heading = EDITS)]
    pub node_list: Option<String>,
    /// Run on the nodes of one topology domain.
    #[arg(long, value_name = "DOMAIN", help_heading = EDITS)]
    pub topology_domain: Option<String>,
    /// Node label that names the domain of --topology-domain; the platform's own when left out.
    #[arg(long, value_name = "KEY", help_heading = EDITS, requires = "topology_domain")]
    pub topology_key: Option<String>,
    /// Scale of the run, instead of the one in the file.
    #[arg(long, value_name = "SCALE", help_heading = EDITS,
        value_parser = clap::builder::PossibleValuesParser::new(nvcre_core::check::TEST_SCALES))]
    pub test_scale: Option<String>,
}

/// What runs on the nodes already, shared by the commands that say whether pods find nodes.
#[derive(Debug, Clone, Default, Args)]
pub struct PodsArgs {
    /// What runs on the nodes already, as `kubectl get pods -A -o yaml` (or json) prints it: a file, a folder of such files,
    /// or - for stdin. May be repeated. What these pods request is taken off the nodes.
    #[arg(long, value_name = "PATH", help_heading = CLUSTER, requires = "nodes")]
    pub pods: Vec<PathBuf>,
}

/// How findings are told.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct FindingArgs {
    /// Exit with 1 also when there are warnings that the run does not accept.
    #[arg(long, help_heading = FINDINGS)]
    pub deny_warnings: bool,
    /// How findings are printed on stderr.
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = FINDINGS, default_value_t)]
    pub message_format: MessageFormat,
}

/// `workloadrun render`.
#[derive(Debug, Clone, Args)]
pub struct RenderArgs {
    /// The WorkloadRun, or - for stdin.
    pub file: PathBuf,
    /// What is rendered.
    #[command(flatten)]
    pub input: InputArgs,
    /// What runs already.
    #[command(flatten)]
    pub pods: PodsArgs,
    /// What to print; jobs and manifests need --nodes or --assume-nodes.
    #[arg(long, value_enum, default_value_t)]
    pub show: Show,
    /// Only the jobs or manifests of this group, without what all groups share; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub group: Vec<String>,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Format,
    /// Write files into this folder instead of printing: workflow.yaml, or one folder a group. Files of an earlier
    /// rendering that no longer belong are removed, other files are never touched.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Findings.
    #[command(flatten)]
    pub findings: FindingArgs,
}

/// `workloadrun plan`.
#[derive(Debug, Clone, Args)]
pub struct PlanArgs {
    /// The WorkloadRun, or - for stdin.
    pub file: PathBuf,
    /// What is planned.
    #[command(flatten)]
    pub input: InputArgs,
    /// What runs already.
    #[command(flatten)]
    pub pods: PodsArgs,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: TableFormat,
    /// Findings.
    #[command(flatten)]
    pub findings: FindingArgs,
}

/// `workloadrun explain`.
#[derive(Debug, Clone, Args)]
pub struct ExplainArgs {
    /// The WorkloadRun, or - for stdin.
    pub file: PathBuf,
    /// What to explain: env/NCCL_DEBUG, arg/--mca/pml, node/gpu-07, override/E7, group/group-3, a field; all when left
    /// out.
    #[arg(value_name = "SUBJECT")]
    pub subjects: Vec<String>,
    /// What is rendered.
    #[command(flatten)]
    pub input: InputArgs,
    /// What runs already.
    #[command(flatten)]
    pub pods: PodsArgs,
    /// The group whose objects are meant, for fields of objects; the first one when left out.
    #[arg(long, value_name = "NAME")]
    pub group: Option<String>,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: TextFormat,
    /// Findings.
    #[command(flatten)]
    pub findings: FindingArgs,
}

/// `workloadrun check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// The WorkloadRuns, or - for stdin.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// What is checked.
    #[command(flatten)]
    pub input: InputArgs,
    /// What runs already.
    #[command(flatten)]
    pub pods: PodsArgs,
    /// Findings.
    #[command(flatten)]
    pub findings: FindingArgs,
}

/// Commands on a cluster.
#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Print platform, GPUs and topology of the nodes.
    Info(ClusterInfoArgs),
}

/// `cluster info`.
#[derive(Debug, Clone, Args)]
pub struct ClusterInfoArgs {
    /// Nodes of the cluster, as `kubectl get nodes -o yaml` (or json) prints them: a file, a folder of such files, or -
    /// for stdin. May be repeated.
    #[arg(long, value_name = "PATH", required = true)]
    pub nodes: Vec<PathBuf>,
    /// Node label that names the domain; the platform's own when left out.
    #[arg(long, value_name = "KEY")]
    pub topology_key: Option<String>,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: InfoFormat,
    /// Platform catalogue to use instead of the built-in one: a file, or a folder of YAML files.
    #[arg(long, value_name = "PATH")]
    pub catalogue: Option<PathBuf>,
    /// Findings.
    #[command(flatten)]
    pub findings: FindingArgs,
}

/// `platforms`.
#[derive(Debug, Clone, Args)]
pub struct PlatformsArgs {
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: TableFormat,
    /// Edition of the catalogue: documented (the default) or latest.
    #[arg(long, value_name = "EDITION")]
    pub edition: Option<String>,
    /// Platform catalogue to use instead of the built-in one: a file, or a folder of YAML files.
    #[arg(long, value_name = "PATH")]
    pub catalogue: Option<PathBuf>,
}

/// Schemas.
#[derive(Debug, Subcommand)]
pub enum SchemaCommand {
    /// JSON schema of a WorkloadRun, for editors.
    Workloadrun,
}

/// Commands on catalogues.
#[derive(Debug, Subcommand)]
pub enum CatalogueCommand {
    /// Say what is wrong with a catalogue.
    Check {
        /// The catalogue: a file, a folder of YAML files, or - for stdin.
        path: PathBuf,
        /// Findings.
        #[command(flatten)]
        findings: FindingArgs,
    },
}
