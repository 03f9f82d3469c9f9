//! `workloadrun diff` as clap sees it.

use super::{CLUSTER, FINDINGS, InputArgs, Show};
use crate::report::MessageFormat;
use clap::builder::Resettable;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Last lines of the help (00 D68).
pub const EXIT_CODES: &str = "Exit codes: 0 nothing differs, 1 differences, or findings of severity error on either \
side, 2 wrong usage or a file that cannot be opened.";

/// `workloadrun diff`.
#[derive(Debug, Clone, Args)]
// Each side may have a platform of its own.
#[command(mut_arg("assume_nodes", |arg| arg.requires(Resettable::Reset)))]
pub struct DiffArgs {
    /// The first side: a WorkloadRun, or rendered output (a file or a folder); - for stdin.
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The second side, likewise.
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// What is rendered, on both sides.
    #[command(flatten)]
    pub input: InputArgs,
    /// Nodes of A, instead of --nodes; may be repeated.
    #[arg(long, value_name = "PATH", help_heading = CLUSTER)]
    pub nodes_a: Vec<PathBuf>,
    /// Nodes of B, instead of --nodes; may be repeated.
    #[arg(long, value_name = "PATH", help_heading = CLUSTER)]
    pub nodes_b: Vec<PathBuf>,
    /// Platform of A, instead of --platform.
    #[arg(long, value_name = "PLATFORM", help_heading = CLUSTER)]
    pub platform_a: Option<String>,
    /// Platform of B, instead of --platform.
    #[arg(long, value_name = "PLATFORM", help_heading = CLUSTER)]
    pub platform_b: Option<String>,
    /// GPU architecture of A, instead of --gpu-arch.
    #[arg(long, value_name = "ARCH", help_heading = CLUSTER)]
    pub gpu_arch_a: Option<String>,
    /// GPU architecture of B, instead of --gpu-arch.
    #[arg(long, value_name = "ARCH", help_heading = CLUSTER)]
    pub gpu_arch_b: Option<String>,
    /// Edition of A, instead of --edition.
    #[arg(long, value_name = "EDITION", help_heading = CLUSTER)]
    pub edition_a: Option<String>,
    /// Edition of B, instead of --edition.
    #[arg(long, value_name = "EDITION", help_heading = CLUSTER)]
    pub edition_b: Option<String>,
    /// What to compare: manifests when both sides have nodes, else the Workflow. Of rendered output: what it holds.
    #[arg(long, value_enum)]
    pub show: Option<Show>,
    /// How to print.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: DiffFormat,
    /// How findings are printed on stderr.
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = FINDINGS, default_value_t)]
    pub message_format: MessageFormat,
}

impl DiffArgs {
    /// The first flag that only says how runs are rendered.
    pub fn first_of_rendering(&self) -> Option<&'static str> {
        let input = &self.input;
        let some = |text: &Option<String>| text.is_some();
        let given = [
            (!input.nodes.is_empty(), "--nodes"),
            (!self.nodes_a.is_empty(), "--nodes-a"),
            (!self.nodes_b.is_empty(), "--nodes-b"),
            (some(&input.platform), "--platform"),
            (some(&self.platform_a), "--platform-a"),
            (some(&self.platform_b), "--platform-b"),
            (some(&input.gpu_arch), "--gpu-arch"),
            (some(&self.gpu_arch_a), "--gpu-arch-a"),
            (some(&self.gpu_arch_b), "--gpu-arch-b"),
            (some(&input.edition), "--edition"),
            (some(&self.edition_a), "--edition-a"),
            (some(&self.edition_b), "--edition-b"),
            (input.assume_nodes.is_some(), "--assume-nodes"),
            (input.only_healthy, "--only-healthy"),
            (input.catalogue.is_some(), "--catalogue"),
            (some(&input.edits.name), "--name"),
            (some(&input.edits.namespace), "--namespace"),
            (some(&input.edits.node_list), "--node-list"),
            (some(&input.edits.topology_domain), "--topology-domain"),
            (some(&input.edits.test_scale), "--test-scale"),
            (input.lenient, "--lenient"),
            (self.show.is_some(), "--show"),
        ];
        given.iter().find(|(given, _)| *given).map(|(_, flag)| *flag)
    }

    /// What is rendered on each side: its own flags, else those for both.
    pub fn sides(&self) -> [InputArgs; 2] {
        let side =
            |nodes: &[PathBuf], platform: &Option<String>, gpu_arch: &Option<String>, edition: &Option<String>| {
                let both = &self.input;
                let own_nodes = !nodes.is_empty();
                InputArgs {
                    nodes: if own_nodes { nodes.to_vec() } else { both.nodes.clone() },
                    assume_nodes: both.assume_nodes.filter(|_| !own_nodes),
                    platform: platform.clone().or_else(|| both.platform.clone()),
                    gpu_arch: gpu_arch.clone().or_else(|| both.gpu_arch.clone()),
                    edition: edition.clone().or_else(|| both.edition.clone()),
                    ..both.clone()
                }
            };
        [
            side(&self.nodes_a, &self.platform_a, &self.gpu_arch_a, &self.edition_a),
            side(&self.nodes_b, &self.platform_b, &self.gpu_arch_b, &self.edition_b),
        ]
    }
}

/// Form of a difference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people.
    #[default]
    Text,
    /// JSON (docs/json.md).
    Json,
    /// For a pull request.
    Markdown,
}
