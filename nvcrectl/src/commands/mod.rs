//! One file per command.

mod catalogue;
mod cluster;
mod diff;
mod explain;
mod init;
mod matrix;
mod plan;
mod platforms;
mod render;
mod shell;
mod snapshot;

use crate::cli::{
    CatalogueCommand, CheckArgs, Cli, ClusterCommand, Command, FindingArgs, InputArgs, PodsArgs, SchemaCommand,
    SnapshotCommand, WorkloadRunCommand,
};
use crate::input;
use crate::output;
use crate::report::{self, MessageFormat, Texts};
use anyhow::{Result, bail};
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::{self, Code, Diagnostic, has_errors};
use nvcre_core::engine::{Engine, Options, Rendering, RunFlags, RunInput, parse_edition_flag};
use nvcre_core::fleet::{Inventory, parse_architecture_flag, parse_platform_flag};
use nvcre_core::trace::Trace;
use std::path::{Path, PathBuf};

/// How a command ended, when nothing kept it from its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Fine,
    /// Findings that count: exit code 1.
    Findings,
    /// A file that could not be opened, beside others that could: exit code 2.
    Unopened,
}

/// Runs a command.
///
/// # Errors
/// Wrong usage, or a file that cannot be opened, read or written: exit code 2.
pub fn run(cli: Cli) -> Result<Outcome> {
    match cli.command {
        Command::Workloadrun(WorkloadRunCommand::Render(args)) => render::run(&args),
        Command::Workloadrun(WorkloadRunCommand::Plan(args)) => plan::run(&args),
        Command::Workloadrun(WorkloadRunCommand::Diff(args)) => diff::run(&args),
        Command::Workloadrun(WorkloadRunCommand::Explain(args)) => explain::run(&args),
        Command::Workloadrun(WorkloadRunCommand::Matrix(args)) => matrix::run(&args),
        Command::Workloadrun(WorkloadRunCommand::Check(args)) => check(&args),
        Command::Workloadrun(WorkloadRunCommand::Init(args)) => init::run(&args),
        Command::Snapshot(SnapshotCommand::Check(args)) => snapshot::check(&args),
        Command::Snapshot(SnapshotCommand::Update(args)) => snapshot::update(&args),
        Command::Cluster(ClusterCommand::Info(args)) => cluster::info(&args),
        Command::Platforms(args) => platforms::run(&args),
        Command::Schema(SchemaCommand::Workloadrun) => print(nvcre_core::schema::json_schema_workload_run()),
        Command::Crd => print(nvcre_core::schema::workload_run_crd()),
        Command::Catalogue(CatalogueCommand::Check { path, findings }) => catalogue::check(&path, findings),
        Command::Completion { shell } => shell::completion(shell),
        Command::Man { dir } => shell::man(&dir),
        Command::Version { output } => shell::version(output),
    }
}

/// Prints a text that is always the same.
fn print(text: &str) -> Result<Outcome> {
    output::print(text)?;
    Ok(Outcome::Fine)
}

/// Prints findings in the order of the text and says how the command ends.
pub fn finish(mut findings: Vec<Diagnostic>, args: FindingArgs, texts: &Texts) -> Outcome {
    diagnostic::sort(&mut findings);
    report::print(&findings, args.message_format, texts);
    if findings.iter().any(|f| f.counts(args.deny_warnings)) { Outcome::Findings } else { Outcome::Fine }
}

/// A run, its nodes and the engine, as the flags of `render`, `plan` and `check` name them.
pub struct Loaded {
    engine: Engine,
    inventory: Option<Inventory>,
    assume: Option<u32>,
    options: Options,
    /// The catalogue of the caller has errors: going on makes no sense.
    pub broken: bool,
    /// Findings of reading nodes and catalogue.
    pub findings: Vec<Diagnostic>,
    /// Texts that findings point into.
    pub texts: Texts,
}

impl Loaded {
    /// Reads nodes and catalogue.
    ///
    /// # Errors
    /// When something cannot be opened or read, stdin is named twice, or a flag names something that the catalogue does
    /// not know.
    pub fn new(files: &[PathBuf], input: &InputArgs) -> Result<Self> {
        Self::with_nodes(files, input, &[], None)
    }

    /// As [`Self::new`], with what runs on the nodes already.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_pods(files: &[PathBuf], input: &InputArgs, pods: &PodsArgs) -> Result<Self> {
        let mut out = Self::with_nodes(files, input, &pods.pods, None)?;
        if let Some(inventory) = out.inventory.as_mut().filter(|_| !pods.pods.is_empty()) {
            input::read_pods(&pods.pods, inventory, &mut out.findings)?;
        }
        Ok(out)
    }

    /// As [`Self::new`], with nodes that were read before. `pods` are paths that are read later.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_nodes(
        files: &[PathBuf],
        input: &InputArgs,
        pods: &[PathBuf],
        nodes: Option<Inventory>,
    ) -> Result<Self> {
        if input::stdin_twice(files, input, pods) {
            bail!("- (stdin) is named more than once, and can be read only once");
        }
        let (mut findings, mut texts) = (Vec::new(), Texts::default());
        let catalogue = input::catalogue(input.catalogue.as_deref(), &mut findings, &mut texts)?;
        let broken = has_errors(&findings);
        if !broken {
            let known = catalogue.as_ref().unwrap_or_else(|| Catalogue::builtin());
            let text = |flag: &'_ Option<String>| flag.clone().unwrap_or_default();
            input::usage("--platform", parse_platform_flag(&text(&input.platform), known))?;
            input::usage("--gpu-arch", parse_architecture_flag(&text(&input.gpu_arch), known))?;
            input::usage("--edition", parse_edition_flag(&text(&input.edition), known))?;
        }
        let inventory = match input.nodes.as_slice() {
            _ if broken => None,
            _ if nodes.is_some() => nodes,
            [] => None,
            paths => Some(input::read_inventory(paths, &mut findings)?),
        };
        let text = |o: &Option<String>| o.clone().unwrap_or_default();
        let options = Options {
            platform: input.platform.clone(),
            gpu_arch: input.gpu_arch.clone(),
            edition: input.edition.clone(),
            only_healthy: input.only_healthy,
            flags: RunFlags {
                name: text(&input.edits.name),
                namespace: text(&input.edits.namespace),
                node_list: text(&input.edits.node_list),
                topology_domain: text(&input.edits.topology_domain),
                topology_key: text(&input.edits.topology_key),
                test_scale: text(&input.edits.test_scale),
            },
        };
        let engine = catalogue.map_or_else(Engine::new, Engine::with_catalogue);
        Ok(Self { engine, inventory, assume: input.assume_nodes, options, broken, findings, texts })
    }

    /// Reads a run; its findings are in the input.
    ///
    /// # Errors
    /// When the file cannot be opened or read.
    pub fn read_run(&mut self, path: &Path, lenient: bool) -> Result<RunInput> {
        let (name, bytes) = input::read_bytes(path)?;
        let run = self.engine.read_run(&bytes, &name, lenient);
        self.texts.keep(&name, String::from_utf8_lossy(&bytes).into_owned());
        Ok(run)
    }

    /// The nodes of a run: those that were read, or made-up ones.
    pub fn nodes(&mut self, run: &RunInput, findings: &mut Vec<Diagnostic>) -> Option<&Inventory> {
        if let Some(count) = self.assume {
            let assumed = self.engine.assume_nodes(run, &self.options, count);
            findings.extend(assumed.diagnostics);
            self.inventory = Some(assumed.value);
        }
        self.inventory.as_ref()
    }

    /// Every finding about a run, for the nodes of [`Self::nodes`].
    pub fn check(&self, run: &RunInput) -> Vec<Diagnostic> {
        self.engine.check(run, self.inventory.as_ref(), &self.options)
    }

    /// Renders a run for the nodes of [`Self::nodes`], with who set every value.
    pub fn render_traced<'a>(&'a self, run: &'a RunInput) -> (Rendering<'a>, Trace) {
        self.engine.render_traced(run, self.inventory.as_ref(), &self.options)
    }

    /// What the caller says beside the run and the nodes.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// The engine with the caller's catalogue.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Renders a run for the nodes of [`Self::nodes`].
    pub fn render<'a>(&'a self, run: &'a RunInput) -> Rendering<'a> {
        self.engine.render(run, self.inventory.as_ref(), &self.options)
    }
}

fn check(args: &CheckArgs) -> Result<Outcome> {
    let mut loaded = Loaded::with_pods(&args.files, &args.input, &args.pods)?;
    let mut findings = std::mem::take(&mut loaded.findings);
    let files = if loaded.broken { &[] } else { args.files.as_slice() };
    let mut unopened = false;
    for file in files {
        match loaded.read_run(file, args.input.lenient) {
            Ok(run) => {
                loaded.nodes(&run, &mut findings);
                findings.extend(loaded.check(&run));
            }
            // The others are checked all the same.
            Err(error) => {
                unopened = true;
                let mut finding = Diagnostic::new(Code::Unreadable, format!("{error:#}"))
                    .with_help("give the path of a file that you may read; the other files were checked");
                finding.file = Some(file.display().to_string());
                findings.push(finding);
            }
        }
    }
    if findings.is_empty() && args.findings.message_format == MessageFormat::Human {
        output::stderr("no findings\n");
    }
    let outcome = finish(findings, args.findings, &loaded.texts);
    Ok(if unopened { Outcome::Unopened } else { outcome })
}
