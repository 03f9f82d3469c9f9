//! The road itself.

use super::facts::{discover_options, framework};
use super::{Engine, Facts, Options, RunInput, annotations, differences, finish, layers, resolve, warnings};
use crate::api::{API_VERSION, Value, Workflow, WorkloadRun};
use crate::check::check_run;
use crate::diagnostic::{Diagnostic, FieldPath, has_errors};
use crate::fleet::{Fleet, Inventory, no_inventory, requested_gpus, synthetic_inventory};
use crate::jobs::{self, Delivery, JobsInput, Prepared};
use crate::overrides::{self, Known};
use crate::schema;
use crate::trace::{Origin, OverrideOutcome, Recorder, Trace};
use crate::workflow::{BuildInput, build};
use crate::yaml::Source;

/// A run rendered: the Workflow and the nodes that take part. [`Rendering::jobs`] goes on to groups and manifests.
#[derive(Debug, Clone)]
pub struct Rendering<'a> {
    /// The run after the caller's flags.
    pub run: WorkloadRun,
    /// The Workflow. Resolved when a platform is known, else a template with its conditional overrides.
    pub workflow: Workflow,
    /// What was resolved.
    pub facts: Facts,
    /// What of it is kept with the jobs.
    pub job_facts: jobs::Facts,
    /// The nodes; `None` without an inventory.
    pub fleet: Option<Fleet>,
    /// The inventory.
    pub inventory: Option<&'a Inventory>,
    /// What became of every override; empty for a template.
    pub overrides: Vec<OverrideOutcome>,
    /// The override that brought the topology key, when one did.
    pub topology_origin: Option<Origin>,
    /// The text of the run, for the places of findings.
    pub source: Option<&'a Source>,
    /// Everything that was found, in the order of the file. With an error in it nothing may be printed or sent.
    pub diagnostics: Vec<Diagnostic>,
}

/// Groups and manifests of a rendering, or what keeps it from having them.
#[derive(Debug, Clone)]
pub struct Jobs<'a> {
    /// Groups and manifests; `None` when there are errors, here or in the rendering.
    pub prepared: Option<Prepared<'a>>,
    /// What was found beside the findings of the rendering.
    pub diagnostics: Vec<Diagnostic>,
}

impl Rendering<'_> {
    /// Partitions the nodes and prepares the manifests of every job for a delivery (10 §1). Everything that can fail is
    /// decided here; a rendering with errors or without nodes has no jobs.
    pub fn jobs(&self, delivery: Delivery) -> Jobs<'_> {
        let mut out = Jobs { prepared: None, diagnostics: Vec::new() };
        let (Some(inventory), Some(fleet)) = (self.inventory, &self.fleet) else {
            out.diagnostics.push(no_inventory());
            return out;
        };
        if !self.is_printable() {
            return out;
        }
        if delivery == Delivery::Controller {
            out.diagnostics.extend(differences::of(self));
        }
        let (prepared, found) = Prepared::new(JobsInput {
            workflow: &self.workflow,
            run: &self.run,
            inventory,
            fleet,
            facts: &self.job_facts,
            topology_origin: self.topology_origin.as_ref(),
            namespace: &self.run.metadata.namespace,
            delivery,
        });
        let known = |d: &Diagnostic| self.diagnostics.iter().any(|k| k.code == d.code && k.message == d.message);
        out.diagnostics.extend(found.into_iter().filter(|d| !known(d)));
        out.prepared = prepared;
        if let Some(source) = self.source {
            source.locate(&mut out.diagnostics);
        }
        crate::diagnostic::sort(&mut out.diagnostics);
        out
    }

    /// True when nothing forbids to print or send the result.
    pub fn is_printable(&self) -> bool {
        !has_errors(&self.diagnostics)
    }

    /// The Workflow as JSON.
    pub fn workflow_value(&self) -> Value {
        serde_json::to_value(&self.workflow).unwrap_or_default()
    }
}

impl Engine {
    /// Renders a run for the nodes of an inventory, or for the platform and architecture that the options declare, or,
    /// without either, as a template.
    pub fn render<'a>(
        &self,
        input: &'a RunInput,
        inventory: Option<&'a Inventory>,
        options: &Options,
    ) -> Rendering<'a> {
        self.render_with(input, inventory, options, &mut ())
    }

    /// As [`Engine::render`], and records who set every value and what it replaced.
    pub fn render_traced<'a>(
        &self,
        input: &'a RunInput,
        inventory: Option<&'a Inventory>,
        options: &Options,
    ) -> (Rendering<'a>, Trace) {
        let mut trace = Trace::default();
        let rendering = self.render_with(input, inventory, options, &mut trace);
        (rendering, trace)
    }

    /// `count` made-up nodes of the platform and architecture that the caller declares or the run names (00 D62).
    pub fn assume_nodes(&self, input: &RunInput, options: &Options, count: u32) -> Inventory {
        let (platform, architecture) = self.declared(&input.run, options, &mut Vec::new());
        synthetic_inventory(&self.catalogue, &platform, &architecture, count, input.run.spec.gpus_per_node)
    }

    fn render_with<'a, R: Recorder>(
        &self,
        input: &'a RunInput,
        inventory: Option<&'a Inventory>,
        options: &Options,
        recorder: &mut R,
    ) -> Rendering<'a> {
        let mut run = input.run.clone();
        let mut found = super::apply_flags(&mut run, &options.flags);
        let edition = self.edition(options, &mut found);
        found.extend(check_run(&run));
        found.extend(self.check_overrides(&run));
        let fleet = inventory.map(|inventory| self.discover(&mut run, inventory, options, &mut found));
        let declared = inventory.is_none().then(|| self.declared(&run, options, &mut found));
        let nodes = inventory.zip(fleet.as_ref());
        let facts = self.facts(&run, edition, nodes, declared, recorder, &mut found);

        let context = layers::context(&run, &facts);
        let layers = self.layers::<R>(&run, &facts, &context);
        let matches = match facts.resolved {
            true => overrides::match_layers(&layers, &context, &mut found),
            false => Vec::new(),
        };
        let own = run.spec.framework.mpi.as_ref().map(|m| m.mpi_args.as_slice()).unwrap_or_default();
        let mpi_words = overrides::mpi_args(&layers, &matches, own);
        let pre_command = overrides::pre_command(&layers, &matches);
        let built = build(
            &BuildInput {
                run: &run,
                catalogue: &self.catalogue,
                edition: &facts.edition,
                framework: facts.framework,
                sizes: facts.sizes,
                mpi_words: &mpi_words,
                pre_command: &pre_command,
            },
            recorder,
        );
        let mut spec = built.spec;
        let mut outcomes = Vec::new();
        if facts.resolved {
            let own_key = facts.inputs(&run).own_topology_key;
            outcomes = resolve::apply_layers(&mut spec, &layers, &matches, own_key, recorder, &mut found);
            finish::priority_class(&mut spec, &run.spec.priority_class_name);
        } else {
            spec.overrides = layers.iter().map(finish::stored).collect();
            found.extend(warnings::unresolved(&layers));
        }
        let mut rendering = Rendering {
            workflow: Workflow {
                api_version: API_VERSION.into(),
                kind: "Workflow".into(),
                metadata: annotations::metadata(&run, &facts, &outcomes),
                spec,
            },
            run,
            facts,
            fleet,
            inventory,
            overrides: outcomes,
            job_facts: jobs::Facts::default(),
            topology_origin: None,
            source: input.source.as_ref(),
            diagnostics: Vec::new(),
        };
        if rendering.facts.resolved {
            let labels = FieldPath::parse("spec.workloadMetadata.labels");
            found.extend(resolve::contract(&mut rendering.workflow.spec, &labels));
            found.extend(warnings::of_resolved(self, &rendering, &layers, &matches));
            if rendering.facts.framework == crate::catalogue::Framework::Mpi {
                found.extend(overrides::repeated_options(&mpi_words));
            }
        }
        found.extend(warnings::of_run(&rendering));
        rendering.topology_origin = finish::topology_origin(&rendering);
        self.place(&mut rendering, options, &mut found);
        rendering.diagnostics = join(input, found);
        rendering
    }

    fn check_overrides(&self, run: &WorkloadRun) -> Vec<Diagnostic> {
        let platforms: Vec<&str> = self.catalogue.platforms.iter().map(|p| p.name.as_str()).collect();
        let architectures = self.catalogue.architecture_names();
        let mpi = framework(run) == crate::catalogue::Framework::Mpi;
        let known = Known { platforms: &platforms, architectures: &architectures, mpi };
        let path = FieldPath::parse("spec.overrides");
        let mut out = overrides::check_overrides(&run.spec.overrides, &path, &known);
        for (index, spec) in run.spec.overrides.iter().enumerate() {
            let target = spec.orchestration.as_ref().and_then(|o| o.target.as_ref());
            if let Some(target) = target {
                crate::check::check_target(target, &path.index(index).key("orchestration").key("target"), &mut out);
            }
        }
        out
    }

    /// What comes after overrides: the target that they may have changed, capacity, size, groups.
    fn place(&self, rendering: &mut Rendering<'_>, options: &Options, found: &mut Vec<Diagnostic>) {
        found.extend(finish::placement(&rendering.workflow.spec.orchestration, &rendering.run));
        let (Some(inventory), Some(mut fleet)) = (rendering.inventory, rendering.fleet.take()) else {
            found.extend(finish::topology_without_nodes(rendering));
            return;
        };
        let orchestration = &rendering.workflow.spec.orchestration;
        if orchestration.target != rendering.run.spec.target
            && let Some(target) = &orchestration.target
        {
            let (origin, path) = finish::target_origin(rendering, self);
            let (again, more) =
                fleet.discover_again(inventory, target, &self.catalogue, &discover_options(options), &origin, &path);
            found.extend(more);
            fleet = again;
        }
        let spec = &rendering.workflow.spec;
        let template = serde_json::to_value(&spec.job_template).unwrap_or_default();
        let gpus = requested_gpus(std::iter::once(&template).chain(&spec.dependencies));
        let capacity = fleet.apply_capacity(inventory, gpus);
        let none_left = fleet.nodes.is_empty();
        found.extend(capacity);
        let (placement, path) = (spec.orchestration.placement.as_str(), FieldPath::parse("spec.numNodes"));
        let trainer = spec.job_template.spec.workload.train_job.as_ref().and_then(|t| t.trainer.as_ref());
        let size = trainer.and_then(|t| t.num_nodes).unwrap_or(0);
        found.extend(fleet.size_check(inventory, size.into(), placement, &path));
        if !none_left {
            found.extend(finish::topology(rendering, inventory, &fleet, self));
        }
        rendering.job_facts = finish::job_facts(rendering);
        rendering.fleet = Some(fleet);
    }
}

/// Findings of reading and of rules, each once, with their places, in the order of the file.
fn join(input: &RunInput, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut rules: Vec<Diagnostic> = Vec::with_capacity(found.len());
    for finding in schema::without_repeats(&input.diagnostics, found) {
        let same = |d: &Diagnostic| d.code == finding.code && d.path == finding.path && d.message == finding.message;
        if !rules.iter().any(same) {
            rules.push(finding);
        }
    }
    if let Some(source) = &input.source {
        source.locate(&mut rules);
    }
    let mut all = input.diagnostics.clone();
    all.extend(rules);
    crate::diagnostic::sort(&mut all);
    all
}
