//! A Workflow that somebody wrote by hand, resolved against nodes or against a platform and a GPU (03 §7).
//!
//! A run goes through [`Engine::render`]; here base and overrides are given, so nothing is built and no entry of the
//! catalogue applies: only what the Workflow's own overrides change.

use super::{Engine, Options, annotations, finish, placement};
use crate::api::{GPU_PRODUCT_KEY, OverrideSpec, Value, Workflow, WorkflowSpec, WorkloadRun};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::fleet::{self, Inventory, UNKNOWN_ARCHITECTURE};
use crate::overrides::{self, Context, Known, Layer, Match};
use crate::trace::{OverrideOutcome, Recorder};
use std::collections::{BTreeMap, BTreeSet};

/// A Workflow without overrides, and what became of them.
#[derive(Debug, Clone, Default)]
pub struct ResolvedWorkflow {
    /// The Workflow: matching overrides applied, the list removed, what was detected in its annotations.
    pub workflow: Workflow,
    /// What became of every override, in order.
    pub overrides: Vec<OverrideOutcome>,
    /// Everything that was found. With an error in it the Workflow may not be printed or sent.
    pub diagnostics: Vec<Diagnostic>,
}

/// Where a Workflow would run.
struct Site {
    platform: String,
    architecture: String,
    /// Nodes of the architecture.
    nodes: Vec<u32>,
}

impl Engine {
    /// Resolves a hand-written Workflow: its overrides are matched with the platform and GPU architecture of the nodes,
    /// applied, and removed from it (03 §7).
    ///
    /// Nodes are taken as they are given: no target, cordon or GPU filter, no sorting. Without an inventory the platform
    /// and architecture of `options` count, with one made-up node of theirs; in `options` nothing else is looked at. A
    /// declared platform or architecture wins over what nodes show (00 D30, D64). Neither nodes nor a declaration is an
    /// error.
    pub fn resolve_workflow(
        &self,
        workflow: &Workflow,
        inventory: Option<&Inventory>,
        options: &Options,
    ) -> ResolvedWorkflow {
        let mut found = Vec::new();
        let made_up;
        let (inventory, given) = match inventory {
            Some(inventory) => (inventory, true),
            None => {
                let name = |text: &Option<String>| text.clone().unwrap_or_default();
                let architecture = fleet::parse_architecture_flag(&name(&options.gpu_arch), &self.catalogue);
                let architecture = architecture.ok().flatten().unwrap_or_default();
                made_up = fleet::synthetic_inventory(&self.catalogue, &name(&options.platform), &architecture, 1, None);
                (&made_up, false)
            }
        };
        if !given && [&options.platform, &options.gpu_arch].iter().all(|o| o.as_deref().unwrap_or("").is_empty()) {
            found.push(self.nowhere());
        }
        let site = self.site(inventory, given, options, &mut found);
        let spec = &workflow.spec;
        let topology = spec.orchestration.topology.as_ref();
        let key = topology.and_then(|t| t.topology_key.as_deref()).unwrap_or("");
        let domains: BTreeSet<&str> =
            site.nodes.iter().filter_map(|node| fleet::domain_of(inventory, *node, key)).collect();
        let context = Context {
            platform: site.platform,
            gpu_architecture: site.architecture,
            workload_kind: if spec.job_template.spec.workload.train_job.is_some() { "TrainJob" } else { "" }.into(),
            topology_mode: if topology.is_some() { "topology" } else { "simple" }.into(),
            domain_count: i64::try_from(domains.len()).unwrap_or(i64::MAX),
        };
        let known = Known {
            platforms: &self.catalogue.platforms.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
            architectures: &self.catalogue.architecture_names(),
            mpi: true,
        };
        found.extend(overrides::check_overrides(&spec.overrides, &FieldPath::parse("spec.overrides"), &known));
        found.extend(commands_without_effect(&spec.overrides));
        let numbered = spec.overrides.iter().enumerate();
        let layers: Vec<Layer> = numbered.map(|(at, spec)| Layer::user(at, at, spec.clone())).collect();
        let matches = overrides::match_layers(&layers, &context, &mut found);

        let mut out = workflow.clone();
        out.spec.overrides.clear();
        let outcomes = apply_layers(&mut out.spec, &layers, &matches, false, &mut (), &mut found);
        let labels = FieldPath::parse("spec.jobTemplate.spec.workloadMetadata.labels");
        found.extend(contract(&mut out.spec, &out.metadata.name, &labels));
        found.extend(placement::findings(&out.spec, &WorkloadRun::default(), true));
        annotations::annotate(&mut out.metadata, &context.platform, &context.gpu_architecture, true, &outcomes);
        let mut diagnostics: Vec<Diagnostic> = Vec::with_capacity(found.len());
        for finding in found {
            if !diagnostics.contains(&finding) {
                diagnostics.push(finding);
            }
        }
        ResolvedWorkflow { workflow: out, overrides: outcomes, diagnostics }
    }

    /// Platform and architecture of nodes as they are given (03 §2, §1.6), or as the caller declares them.
    fn site(&self, inventory: &Inventory, given: bool, options: &Options, found: &mut Vec<Diagnostic>) -> Site {
        let all: Vec<u32> = (0u32..).zip(&inventory.nodes).map(|(n, _)| n).collect();
        let flag = fleet::parse_platform_flag(options.platform.as_deref().unwrap_or(""), &self.catalogue);
        let declared = flag.map_err(|e| found.push(*e)).ok().flatten();
        let mut platforms: BTreeMap<&str, usize> = BTreeMap::new();
        for node in &all {
            *platforms.entry(fleet::detect_platform(inventory, *node, &self.catalogue)).or_default() += 1;
        }
        let counts: Vec<String> = platforms.iter().map(|(name, count)| format!("{name}: {count}")).collect();
        let counts = counts.join(", ");
        match declared {
            Some(name) if given && platforms.keys().any(|p| *p != name) => {
                let message = format!("The platform is {name}, as declared, but the nodes look like {counts}.");
                found.push(
                    Diagnostic::new(Code::PlatformOverridden, message)
                        .with_help("Leave the platform out to go by the nodes."),
                );
            }
            None if platforms.len() > 1 => {
                let message = format!("The nodes are of several platforms, one is wanted: {counts}.");
                found.push(
                    Diagnostic::new(Code::HeterogeneousPlatform, message)
                        .with_help("Give the nodes of one platform, or declare it."),
                );
            }
            _ => {}
        }
        let platform = match (declared, given) {
            (Some(name), _) => name,
            (None, true) => platforms.keys().next().copied().unwrap_or("onprem"),
            (None, false) => "",
        };
        let of = |node: &u32| {
            let label = inventory.nodes.get(*node as usize).and_then(|n| inventory.label(n, GPU_PRODUCT_KEY));
            label.filter(|l| !fleet::is_placeholder_product(l)).map(fleet::parse_product).unwrap_or_default()
        };
        let architectures: Vec<String> = all.iter().map(of).collect();
        let flag = fleet::parse_architecture_flag(options.gpu_arch.as_deref().unwrap_or(""), &self.catalogue);
        let declared = flag.map_err(|e| found.push(*e)).ok().flatten();
        let voted = || fleet::vote(architectures.iter().map(String::as_str)).map(|vote| vote.winner.to_owned());
        let architecture = declared.or_else(voted);
        let fits = |own: &str| architecture.as_deref().is_none_or(|wanted| own == wanted);
        let nodes = all.iter().zip(&architectures).filter(|(_, own)| fits(own)).map(|(node, _)| *node).collect();
        Site {
            platform: platform.to_owned(),
            architecture: architecture.unwrap_or_else(|| UNKNOWN_ARCHITECTURE.to_owned()),
            nodes,
        }
    }

    fn nowhere(&self) -> Diagnostic {
        let platforms: Vec<&str> = self.catalogue.platforms.iter().map(|p| p.name.as_str()).collect();
        let message = "A Workflow is resolved for nodes, or for a platform and a GPU architecture; neither is given.";
        Diagnostic::new(Code::NoInventory, message).with_help(format!(
            "Give nodes (kubectl get nodes -o yaml), or one of the platforms {} and one of the architectures {}.",
            platforms.join(", "),
            self.catalogue.architecture_names().join(", ")
        ))
    }
}

/// Applies overrides to a spec: job template, dependencies, orchestration (04 §3). What an override breaks is a finding.
pub(super) fn apply_layers<R: Recorder>(
    spec: &mut WorkflowSpec,
    layers: &[Layer],
    matches: &[Match],
    own_topology_key: bool,
    recorder: &mut R,
    found: &mut Vec<Diagnostic>,
) -> Vec<OverrideOutcome> {
    // Most runs are changed in their dependencies only; then the job template stays as it is.
    let changes = |layer: &Layer| layer.spec.job_template.is_some() || layer.spec.job_template_patch.is_some();
    let changed = layers.iter().zip(matches).any(|(layer, m)| m.holds() && changes(layer));
    let job_template = match changed {
        true => serde_json::to_value(&spec.job_template).unwrap_or_default(),
        false => Value::Null,
    };
    let mut base = overrides::Base {
        job_template,
        dependencies: std::mem::take(&mut spec.dependencies),
        orchestration: std::mem::take(&mut spec.orchestration),
        own_topology_key,
    };
    let outcomes = overrides::apply(&mut base, layers, matches, recorder, found);
    if changed {
        finish::take_job_template(spec, base.job_template, found);
    }
    spec.dependencies = base.dependencies;
    spec.orchestration = base.orchestration;
    outcomes
}

/// What must hold on a resolved spec: gang scheduling (02 §10.4) and the limits of Trainer and JobSet (08 rows 14–24).
/// `labels` names the labels of the workload object in findings.
pub(super) fn contract(spec: &mut WorkflowSpec, run: &str, labels: &FieldPath) -> Vec<Diagnostic> {
    let mut out = finish::gang_contract(spec, labels);
    out.extend(finish::trainer_limits(spec, run));
    out
}

/// Lines and mpirun words belong to the command of a run, which is built before overrides; here it is built already.
fn commands_without_effect(list: &[OverrideSpec]) -> Vec<Diagnostic> {
    let path = FieldPath::parse("spec.overrides");
    let fields = list.iter().enumerate().flat_map(|(at, spec)| {
        [("preCommand", spec.pre_command.is_empty()), ("mpiArgs", spec.mpi_args.is_empty())]
            .into_iter()
            .filter(|(_, empty)| !empty)
            .map(move |(key, _)| (at, key))
    });
    let finding = |(at, key): (usize, &str)| {
        let message =
            format!("{key} changes the command of a WorkloadRun; the command of a Workflow is written already");
        Diagnostic::at(Code::NoEffect, path.index(at).key(key), message)
            .with_help("put it into trainer.command and trainer.args of the job template")
    };
    fields.map(finding).collect()
}
