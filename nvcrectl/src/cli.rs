//! The command line as clap sees it.

use crate::report::MessageFormat;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Shows exactly what a WorkloadRun will start on a GPU cluster, before it starts.
#[derive(Debug, Parser)]
#[command(name = "nvcrectl", version, max_term_width = 100, propagate_version = false)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Render, plan and check WorkloadRuns.
    #[command(subcommand, visible_alias = "wr")]
    Workloadrun(WorkloadRunCommand),
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
    Render(Box<RenderArgs>),
    /// Print groups, domains, nodes that run twice, and who stays out and why.
    Plan(Box<PlanArgs>),
    /// Report every finding, and render nothing.
    Check(Box<CheckArgs>),
}

/// Flags that say what is rendered, shared by all commands on a run.
#[derive(Debug, Clone, Default, Args)]
pub struct InputArgs {
    /// Nodes of the cluster: a file or folder as `kubectl get nodes -o yaml|json` writes it, or - for stdin; may be repeated.
    #[arg(long, value_name = "PATH")]
    pub nodes: Vec<PathBuf>,
    /// Platform to render for, instead of the one that the nodes show.
    #[arg(long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// GPU architecture to render for, instead of the one that most nodes show.
    #[arg(long, value_name = "ARCH")]
    pub gpu_arch: Option<String>,
    /// Edition of the platform catalogue: documented (default) or latest.
    #[arg(long, value_name = "EDITION")]
    pub edition: Option<String>,
    /// Leave out nodes that the rules keep but that would not run the pods.
    #[arg(long)]
    pub only_healthy: bool,
    /// Make up N nodes of the declared platform and GPU instead of reading them.
    #[arg(long, value_name = "N", conflicts_with = "nodes")]
    pub assume_nodes: Option<u32>,
    /// Name of the run, instead of the one in the file.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Namespace, instead of the one in the file.
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// Take exactly these nodes, separated by commas.
    #[arg(long, value_name = "A,B,…")]
    pub node_list: Option<String>,
    /// Take the nodes of one topology domain.
    #[arg(long, value_name = "DOMAIN")]
    pub topology_domain: Option<String>,
    /// Node label that names the domain of --topology-domain; the platform's own when left out.
    #[arg(long, value_name = "KEY", requires = "topology_domain")]
    pub topology_key: Option<String>,
    /// intra-node, intra-rack or full-scale, instead of the one in the file.
    #[arg(long, value_name = "SCALE")]
    pub test_scale: Option<String>,
    /// Platform catalogue to use instead of the built-in one.
    #[arg(long, value_name = "PATH")]
    pub catalogue: Option<PathBuf>,
    /// Take unknown fields as warnings.
    #[arg(long)]
    pub lenient: bool,
}

/// How findings are told.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct FindingArgs {
    /// Exit with 1 also when there are warnings.
    #[arg(long)]
    pub deny_warnings: bool,
    /// How findings are printed on stderr.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
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
    /// What to print: the Workflow, the Job objects of the engine's controller, or the very manifests for Kubeflow Trainer.
    #[arg(long, value_enum, default_value_t)]
    pub show: Show,
    /// Only these groups; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub group: Vec<String>,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Format,
    /// Write files into this folder instead of printing.
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
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: TableFormat,
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
    /// Nodes of the cluster: a file or folder as `kubectl get nodes -o yaml|json` writes it, or - for stdin; may be repeated.
    #[arg(long, value_name = "PATH", required = true)]
    pub nodes: Vec<PathBuf>,
    /// Node label that names the domain; the platform's own when left out.
    #[arg(long, value_name = "KEY")]
    pub topology_key: Option<String>,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: InfoFormat,
    /// Platform catalogue to use instead of the built-in one.
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
    /// Edition of the catalogue.
    #[arg(long, value_name = "EDITION")]
    pub edition: Option<String>,
    /// Platform catalogue to use instead of the built-in one.
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
        /// The catalogue: a file or folder.
        path: PathBuf,
        /// Findings.
        #[command(flatten)]
        findings: FindingArgs,
    },
}

/// What `render` prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// The Workflow.
    #[default]
    Workflow,
    /// Objects of delivery `controller`: Jobs of the engine.
    Jobs,
    /// Objects of delivery `trainer`: run record, dependencies, TrainJobs.
    Manifests,
}

/// Form of printed objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// YAML documents.
    #[default]
    Yaml,
    /// JSON, two spaces; several objects one after the other.
    Json,
}

/// Form of overviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For people.
    #[default]
    Table,
    /// JSON (docs/json.md).
    Json,
}

/// Form of `cluster info`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum InfoFormat {
    /// For people.
    #[default]
    Table,
    /// JSON (docs/json.md).
    Json,
    /// YAML.
    Yaml,
}

/// Form of `version`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum VersionFormat {
    /// One line.
    #[default]
    Text,
    /// JSON.
    Json,
}
