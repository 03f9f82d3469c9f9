//! Lints: what renders, and is likely not what is meant. Every rule reads a finished rendering and changes nothing.
//!
//! A lint must be right: a run that somebody means as it is must not be told. What a lint knows of platforms and of
//! NCCL stands in the catalogue, and what is not known there raises nothing. Every code has an example and a run that
//! must not raise it (`fixtures/findings/`: `run.yaml`, `quiet.yaml`); people accept one with the annotation
//! `nvcre.nvidia.com/allow`, which `engine` applies.

mod command;
mod env;
mod fields;
mod groups;
mod image;
mod nccl;
mod refer;

pub(crate) use groups::{Placed, of_groups, of_nodes};

use crate::api::{Value, WorkflowSpec, WorkloadRun};
use crate::catalogue::{Catalogue, EntryRef, Framework, Inputs};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::jobs::{item_name, replicated_jobs, runtime_of};
use crate::overrides::mpi_option;
use crate::workflow::Sizes;

/// What lints read.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    /// The run after the caller's flags.
    pub run: &'a WorkloadRun,
    /// The Workflow.
    pub spec: &'a WorkflowSpec,
    pub catalogue: &'a Catalogue,
    pub edition: &'a str,
    /// Platform; empty when nobody tells it.
    pub platform: &'a str,
    pub architecture: &'a str,
    pub framework: Framework,
    pub sizes: Sizes,
    /// Entries that matched.
    pub entries: &'a [EntryRef<'a>],
    /// What entries are rendered with.
    pub inputs: &'a Inputs<'a>,
}

/// A variable that the run sets, in `spec.env` or with `-x` in `mpiArgs`.
#[derive(Debug, Clone)]
struct Variable<'a> {
    name: &'a str,
    value: &'a str,
    /// The field of the value.
    path: FieldPath,
    /// `mpiArgs` forwards it.
    forwarded: bool,
}

/// Everything about a rendering that needs no nodes.
pub(crate) fn of_rendering(input: &Input<'_>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    image::lint(input, &mut out);
    // What contradicts the platform is told before what merely differs from it.
    nccl::lint(input, &mut out);
    env::lint(input, &mut out);
    refer::lint(input, &mut out);
    command::lint(input, &mut out);
    fields::lint(input, &mut out);
    out
}

/// True for lints that only nodes or groups raise: without nodes nobody can tell whether they would.
pub(crate) fn needs_nodes(code: Code) -> bool {
    matches!(code, Code::GroupsCrossDomains | Code::UnpinnedAcrossDomains | Code::MaxConcurrentIdle)
}

impl<'a> Input<'a> {
    /// Variables of `spec.env` with a value of their own; of equal names the last.
    fn own_env(&self) -> Vec<Variable<'a>> {
        let list = &self.run.spec.env;
        let last = |at: usize, name: &str| !list.iter().skip(at + 1).any(|later| later.name == name);
        let own = list.iter().enumerate().filter(|(at, v)| v.value_from.is_none() && last(*at, &v.name));
        let path = |at: usize| FieldPath::parse("spec.env").index(at).key("value");
        own.map(|(at, v)| Variable { name: &v.name, value: &v.value, path: path(at), forwarded: false }).collect()
    }

    /// Variables that the run's `mpiArgs` forward with a value.
    fn forwarded(&self) -> Vec<Variable<'a>> {
        let mut out: Vec<Variable<'a>> = Vec::new();
        let Some(mpi) = &self.run.spec.framework.mpi else { return out };
        let mut rest = mpi.mpi_args.as_slice();
        while !rest.is_empty() {
            let at = mpi.mpi_args.len() - rest.len();
            let option = mpi_option(rest);
            if let Some(option) = option.filter(|o| o.flag == "-x" && !o.key.is_empty())
                && let Some(value) = option.value
            {
                out.retain(|v| v.name != option.key);
                let path = FieldPath::parse("spec.framework.mpi.mpiArgs").index(at + 1);
                out.push(Variable { name: option.key, value, path, forwarded: true });
            }
            rest = rest.get(option.map_or(1, |o| o.words)..).unwrap_or_default();
        }
        out
    }

    /// What the run sets for the ranks: `-x` in `mpiArgs` wins over `spec.env`.
    fn variables(&self) -> Vec<Variable<'a>> {
        let forwarded = self.forwarded();
        let mut out = self.own_env();
        out.retain(|v| !forwarded.iter().any(|f| f.name == v.name));
        out.extend(forwarded);
        out
    }

    fn variable(&self, name: &str) -> Option<Variable<'a>> {
        self.variables().into_iter().find(|v| v.name == name)
    }

    /// Processes that mpirun or torchrun start on a node, and nodes of a job.
    fn size(&self) -> (i64, i64) {
        let train_job = self.spec.job_template.spec.workload.train_job.as_ref();
        let nodes = train_job.and_then(|t| t.trainer.as_ref()?.num_nodes).unwrap_or(self.sizes.nodes_per_job);
        (self.sizes.gpus_per_node.into(), nodes.into())
    }

    /// `aws with GPU gb300`.
    fn on(&self) -> String {
        match self.architecture {
            "" => self.platform.to_owned(),
            architecture => format!("{} with GPU {architecture}", self.platform),
        }
    }

    /// Pods of the run's runtime with their places in the Workflow.
    fn pods(&self) -> Vec<(FieldPath, &'a Value)> {
        let mut out = Vec::new();
        let Some(train_job) = &self.spec.job_template.spec.workload.train_job else { return out };
        let dependencies = &self.spec.dependencies;
        let Some(runtime) = runtime_of(dependencies, train_job).and_then(|at| dependencies.get(at)) else { return out };
        let name = format!("TrainingRuntime/{}", train_job.runtime_ref.name);
        let jobs = FieldPath::parse("spec.dependencies").named(name).join(&"spec.template.spec.replicatedJobs".into());
        for job in replicated_jobs(runtime) {
            if let Some(pod) = job.pointer("/template/spec/template/spec") {
                out.push((jobs.named(item_name(job)).join(&"template.spec.template.spec".into()), pod));
            }
        }
        out
    }

    /// Containers and init containers of the pods.
    fn containers(&self) -> Vec<(FieldPath, &'a Value)> {
        let mut out = Vec::new();
        for (path, pod) in self.pods() {
            for list in ["initContainers", "containers"] {
                for container in pod.get(list).and_then(Value::as_array).into_iter().flatten() {
                    out.push((path.key(list).named(item_name(container)), container));
                }
            }
        }
        out
    }
}

/// The name of a program without its folder.
fn program(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `1 node`, `2 nodes`.
fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
