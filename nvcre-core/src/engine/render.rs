//! The road itself.

use super::accept::Accepted;
use super::chosen::Chosen;
use super::facts::framework;
use super::join::{join, place};
use super::kept::{self, Before};
use super::{
    Engine, Facts, Options, RunInput, annotations, blame, differences, finish, placement, requests, resolve, warnings,
};
use crate::api::{API_VERSION, Value, Workflow, WorkloadRun};
use crate::check::check_run;
use crate::diagnostic::{Area, Code, Diagnostic, FieldPath, Severity, has_errors};
use crate::fleet::{Fleet, Inventory, ResourceRequest, no_inventory, requested_gpus};
use crate::jobs::{self, Delivery, JobsInput, Prepared};
use crate::overrides::{self, Known, Layer};
use crate::trace::{Origin, OverrideOutcome, Recorder, Trace};
use crate::workflow::{BuildInput, build, fixed_words};
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
    /// The entries that matched, as they were applied, for findings about what they brought.
    pub(super) entries: Vec<Layer>,
    /// The findings that the run accepts.
    accepted: Accepted,
    /// The text of the run, for the places of findings.
    pub source: Option<&'a Source>,
    /// Resources that entries of the catalogue ask for.
    pub(crate) by_entries: Vec<ResourceRequest>,
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
            place(self.source, &self.run, &mut out.diagnostics);
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
        let mut found = found;
        if let Some(prepared) = &prepared {
            found.extend(requests::scheduling(self, prepared));
        }
        blame::lead_back(self, &mut found);
        let known = |d: &Diagnostic| self.diagnostics.iter().any(|k| k.code == d.code && k.message == d.message);
        out.diagnostics.extend(found.into_iter().filter(|d| !known(d)));
        out.prepared = prepared;
        let occurs = |code| self.diagnostics.iter().chain(&out.diagnostics).any(|d| d.code == code);
        let unused = self.accepted.unused(occurs, |area| area != Area::Compare);
        out.diagnostics.extend(unused);
        place(self.source, &self.run, &mut out.diagnostics);
        crate::diagnostic::sort(&mut out.diagnostics);
        self.accepted.mark(&mut out.diagnostics);
        out
    }

    /// Marks what the run accepts. Without nodes, what they would bring is not missed.
    fn accept(&mut self, accepted: Accepted) {
        if self.facts.resolved && self.inventory.is_none() {
            let occurs = |code| self.diagnostics.iter().any(|d| d.code == code);
            let could =
                |area| matches!(area, Area::Reading | Area::Run | Area::Catalogue | Area::Overrides | Area::Workflow);
            let mut unused = accepted.unused(occurs, could);
            place(self.source, &self.run, &mut unused);
            self.diagnostics.extend(unused);
            crate::diagnostic::sort(&mut self.diagnostics);
        }
        accepted.mark(&mut self.diagnostics);
        self.accepted = accepted;
    }

    /// True when nothing forbids to print or send the result: neither an error here nor one of reading the inventory.
    pub fn is_printable(&self) -> bool {
        !has_errors(&self.diagnostics) && !self.inventory.is_some_and(|inventory| inventory.incomplete)
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

    /// Every finding about a run, and nothing rendered: those of [`Engine::render`], and with nodes those of its jobs.
    /// What a template leaves open is no fault of the run, so without a platform nothing is said about it.
    pub fn check(&self, input: &RunInput, inventory: Option<&Inventory>, options: &Options) -> Vec<Diagnostic> {
        let rendering = self.render(input, inventory, options);
        let jobs = inventory.map(|_| rendering.jobs(Delivery::Trainer).diagnostics).unwrap_or_default();
        let mut findings = rendering.diagnostics;
        if !rendering.facts.resolved {
            findings.retain(|d| !matches!(d.code, Code::NoArchitecture | Code::Unresolved));
        }
        findings.extend(jobs);
        findings
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
        let Chosen { fleet, facts, layers, matches } =
            self.choose(&mut run, edition, inventory, options, recorder, &mut found);
        let own = run.spec.framework.mpi.as_ref().map(|m| m.mpi_args.as_slice()).unwrap_or_default();
        let mpi_words = overrides::mpi_args(&layers, &matches, own);
        let pre_command = overrides::pre_command(&layers, &matches);
        let built = build(
            &BuildInput {
                run: &run,
                catalogue: &self.catalogue,
                edition: &facts.edition,
                framework: facts.framework,
                architecture: &facts.architecture,
                platform: &facts.platform,
                sizes: facts.sizes,
                mpi_words: &mpi_words,
                pre_command: &pre_command,
            },
            recorder,
        );
        let mut spec = built.spec;
        let before = Before::of(&spec, &run.spec, &pre_command);
        let mut outcomes = Vec::new();
        if facts.resolved {
            let own_key = facts.inputs(&run).own_topology_key;
            outcomes = resolve::apply_layers(&mut spec, &layers, &matches, own_key, recorder, &mut found);
        } else {
            spec.overrides = layers.iter().map(finish::stored).collect();
            found.extend(warnings::unresolved(&layers));
        }
        let repeated = match facts.framework {
            crate::catalogue::Framework::Mpi => {
                let mut words = fixed_words(facts.sizes.gpus_per_node);
                words.extend(mpi_words);
                overrides::repeated_options(&words)
            }
            _ => Vec::new(),
        };
        let holding = layers.into_iter().zip(&matches).filter(|(layer, m)| layer.is_entry() && m.holds());
        let entries: Vec<Layer> = holding.map(|(layer, _)| layer).collect();
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
            entries,
            accepted: Accepted::default(),
            source: input.source.as_ref(),
            by_entries: Vec::new(),
            diagnostics: Vec::new(),
        };
        if rendering.facts.resolved {
            found.extend(kept::restore(&mut rendering, &before, recorder));
            // What a faulty gang scheduler does to the result is no fault of its own.
            let labels = FieldPath::parse("spec.workloadMetadata.labels");
            let mut result = match has_error_below("spec.gangScheduler", &found) {
                true => finish::trainer_limits(&rendering.workflow.spec, &rendering.run.metadata.name),
                false => finish::recording_labels(&mut rendering.workflow.spec, recorder, |spec| {
                    resolve::contract(spec, &rendering.run.metadata.name, &labels)
                }),
            };
            blame::lead_back(&rendering, &mut result);
            // A field that is wrong in the run is wrong in the result, too.
            let said = |d: &Diagnostic| found.iter().any(|f| f.severity == Severity::Error && f.path == d.path);
            result.retain(|d| !said(d));
            found.extend(result);
            let entries = warnings::matched(self, &rendering);
            found.extend(warnings::of_resolved(self, &rendering, &entries));
            rendering.by_entries = requests::by_entries(&rendering, &entries);
            found.extend(repeated);
        }
        found.extend(warnings::of_run(&rendering));
        rendering.topology_origin = finish::topology_origin(&rendering);
        place_nodes(&mut rendering, &mut found);
        let (accepted, wrong) = Accepted::of(&rendering.run);
        found.extend(wrong);
        rendering.diagnostics = join(input, &rendering.run, inventory, found);
        rendering.accept(accepted);
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
}

/// What comes after overrides: capacity, size, groups.
fn place_nodes(rendering: &mut Rendering<'_>, found: &mut Vec<Diagnostic>) {
    let by_platform = matches!(rendering.topology_origin, Some(Origin::Entry { .. }));
    let mut result = match rendering.facts.resolved {
        true => placement::findings(&rendering.workflow.spec, &rendering.run, !by_platform),
        false => placement::findings_of_template(&rendering.workflow.spec, &rendering.run),
    };
    blame::lead_back(rendering, &mut result);
    found.extend(result);
    let (Some(inventory), Some(mut fleet)) = (rendering.inventory, rendering.fleet.take()) else {
        found.extend(finish::topology_without_nodes(rendering));
        return;
    };
    let spec = &rendering.workflow.spec;
    let template = serde_json::to_value(&spec.job_template).unwrap_or_default();
    let gpus = requested_gpus(std::iter::once(&template).chain(&spec.dependencies));
    let capacity = fleet.apply_capacity(inventory, gpus);
    let none_left = fleet.nodes.is_empty();
    found.extend(capacity);
    found.extend(fleet.health_findings(inventory));
    found.extend(fleet.unoffered_resources(inventory, &requests::of_result(rendering)));
    let (placement, path) = (spec.orchestration.placement.as_str(), FieldPath::parse("spec.numNodes"));
    let trainer = spec.job_template.spec.workload.train_job.as_ref().and_then(|t| t.trainer.as_ref());
    let size = trainer.and_then(|t| t.num_nodes).unwrap_or(0);
    let mut size = fleet.size_check(inventory, size.into(), placement, &path);
    blame::lead_back(rendering, size.as_mut_slice());
    found.extend(size);
    if !none_left {
        found.extend(finish::topology(rendering, inventory, &fleet));
    }
    rendering.job_facts = finish::job_facts(rendering);
    rendering.fleet = Some(fleet);
}

fn has_error_below(path: &str, findings: &[Diagnostic]) -> bool {
    let path = FieldPath::parse(path);
    let below = |d: &Diagnostic| d.path.as_ref().is_some_and(|p| p.0.starts_with(&path.0));
    findings.iter().any(|d| d.severity == Severity::Error && below(d))
}
