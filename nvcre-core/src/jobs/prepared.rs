//! The façade of this module: everything that can fail is decided in [`Prepared::new`]; after that, jobs are made one
//! at a time and cannot fail.

use super::build::{Templates, place_path, templates};
use super::checks::{self, Digits};
use super::groups::{self, Groups};
use super::input::{Delivery, JobsInput};
use super::names::{
    COPY_NAME_MAX, HASH_DIGITS, JOB_NAME_MAX, Naming, bandwidth_name, goodput_name, train_job_name, truncate_with,
};
use super::partition::{Group, name_of};
use super::placement::{Placement, fixed_hosts, host_ids, product_values, renamed_hosts};
use super::plan::RunPlan;
use super::printer::YamlPrinter;
use super::references::at_place;
use super::runtime::runtime_of;
use super::scope::{Copies, classify, copies, created_template};
use super::template::{Fill, JobValues, Manifest, Template};
use super::{delivery, differences, limits, plan};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::fleet::StringId;
use crate::trace::{Change, Origin, Subject};
use serde_json::Value;

/// One job: a group in an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId {
    /// Number of the iteration, from 1.
    pub iteration: u64,
    /// Position of the group in [`Prepared::groups`].
    pub group: u32,
}

/// Names of the objects of one job (03 §6.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobNames {
    /// The group.
    pub group: String,
    /// The engine's Job.
    pub job: String,
    /// The TrainJob.
    pub train_job: String,
}

/// One per-job copy of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyName {
    /// Kind of the object.
    pub kind: String,
    /// Name of the dependency.
    pub original: String,
    /// Name of the copy.
    pub name: String,
    /// Name of the claim template that a ComputeDomain makes, for which a job waits (10 §3).
    pub claim_template: Option<String>,
}

/// A run whose jobs can be made: nothing of it can fail any more.
#[derive(Debug, Clone)]
pub struct Prepared<'a> {
    pub(crate) input: JobsInput<'a>,
    pub(crate) groups: Groups,
    pub(crate) size: i64,
    naming: Naming,
    digits: Digits,
    copies: Copies,
    templates: Templates,
    pub(crate) hosts: Vec<StringId>,
    pub(crate) fixed_hosts: Vec<String>,
    pub(crate) product_values: Vec<String>,
    /// The plan that this run goes on from.
    planned: Option<RunPlan>,
}

impl<'a> Prepared<'a> {
    /// Decides everything about a run: groups, names, copies, placement, limits of Trainer. All findings at once; no
    /// result when one of them is an error.
    pub fn new(input: JobsInput<'a>) -> (Option<Self>, Vec<Diagnostic>) {
        let mut findings = Vec::new();
        let out = Self::build(input, None, &mut findings);
        (out.filter(|_| !has_errors(&findings)), findings)
    }

    /// Goes on with a run from its plan (10 §3.7). `input.inventory` and `input.fleet` are those of
    /// [`RunPlan::inventory`] and [`RunPlan::fleet`]; nodes, sizes and products are those of the plan, whatever the cluster has by now.
    pub fn resume(input: JobsInput<'a>, plan: &RunPlan) -> (Option<Self>, Vec<Diagnostic>) {
        let mut findings = Vec::new();
        let out = Self::build(input, Some(plan), &mut findings);
        (out.filter(|_| !has_errors(&findings)), findings)
    }

    fn build(input: JobsInput<'a>, planned: Option<&RunPlan>, findings: &mut Vec<Diagnostic>) -> Option<Self> {
        let dependencies = &input.workflow.spec.dependencies;
        limits::check_workload(&input.workflow.spec, input.run_name(), findings);
        let size = match planned {
            Some(plan) => Some(plan.nodes_per_job),
            // A size that is none is among the findings.
            None => limits::nodes_per_job(input.train_job(), &mut Vec::new()),
        };
        let groups = match planned {
            Some(plan) => Some(Groups::new(plan.groups(input.inventory))),
            None => size.and_then(|size| groups::groups(&input, size, findings)),
        };
        let hosts = if input.unpinned() { Vec::new() } else { host_ids(&input) };
        let (fixed_hosts, product_values) = match planned {
            Some(plan) => (plan.fixed_hosts.clone(), plan.affinity_products.clone()),
            None => {
                if !input.unpinned() || input.target().is_some_and(|t| !t.node_names.is_empty()) {
                    findings.extend(input.fleet.hostname_findings(input.inventory));
                }
                if !input.unpinned() {
                    renamed_hosts(&input, &input.fleet.nodes, findings);
                }
                (fixed_hosts(&input, findings), product_values(&input, findings))
            }
        };
        let job_spec = serde_json::to_value(&input.workflow.spec.job_template.spec).unwrap_or_default();
        let scope = classify(dependencies, &job_spec);
        let copies = copies(dependencies, &job_spec, &scope);
        differences::shared_dependencies(dependencies, &copies, findings);
        let runtime = input.train_job().and_then(|t| runtime_of(dependencies, t));
        let placement = Placement::new(&input, &fixed_hosts, &product_values);
        let templates = templates(&input, &copies, runtime, &placement, findings);
        delivery::no_effect(&input, findings);
        let (groups, size) = (groups?, size?);
        let diagnose = input.workflow.spec.orchestration.diagnose.is_some();
        let naming = Naming::new(input.run_name(), input.iterations(), groups.list.len(), diagnose);
        let runtime = runtime.and_then(|at| dependencies.get(at));
        checks::names(&input, &groups, &naming, runtime, size, findings);
        let digits = checks::unique(&input, &groups, &naming, &copies, &templates.shared, findings);
        if input.delivery == Delivery::Controller {
            let queue = input.workflow.spec.gang_scheduler.as_ref().map(|g| g.queue_label_key.as_str());
            let queue = queue.map(|key| if key.is_empty() { "kai.scheduler/queue" } else { key });
            differences::same_names(dependencies, &copies, findings);
            differences::renamed_texts(dependencies, &job_spec, &scope, &copies, queue, findings);
            differences::placement(&input, &groups, size, &copies, &placement, runtime, findings);
        }
        if input.delivery == Delivery::Trainer {
            plan::check(&input, findings);
        }
        let planned = planned.cloned();
        Some(Self {
            input,
            groups,
            size,
            naming,
            digits,
            copies,
            templates,
            hosts,
            fixed_hosts,
            product_values,
            planned,
        })
    }

    /// The groups in launch order.
    pub fn groups(&self) -> &[Group] {
        &self.groups.list
    }

    /// Passes over all groups.
    pub fn iterations(&self) -> u64 {
        self.input.iterations()
    }

    /// Nodes per job as asked for.
    pub fn nodes_per_job(&self) -> i64 {
        self.size
    }

    /// Number of jobs.
    pub fn len(&self) -> usize {
        self.groups.list.len() * usize::try_from(self.iterations()).unwrap_or(0)
    }

    /// True when there is no job; never so for a run that could be prepared.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every job in launch order: iteration, then group (03 §5.8).
    pub fn jobs(&self) -> impl Iterator<Item = JobId> + use<> {
        let groups = u32::try_from(self.groups.list.len()).unwrap_or(u32::MAX);
        (1..=self.iterations()).flat_map(move |iteration| (0..groups).map(move |group| JobId { iteration, group }))
    }

    /// Nodes that are in two groups.
    pub fn repeated_nodes(&self) -> &[u32] {
        &self.groups.repeated
    }

    /// The groups that share a node with this one, ascending: they never run at the same time (03 §5.8).
    pub fn conflicts(&self, group: u32) -> impl Iterator<Item = u32> + '_ {
        self.groups.conflicts.get(&group).into_iter().flatten().copied()
    }

    /// True when two different groups share a node.
    pub fn overlap(&self, a: u32, b: u32) -> bool {
        self.groups.conflicts.get(&a).is_some_and(|others| others.contains(&b))
    }

    /// Names of a job's objects.
    pub fn names(&self, job: JobId) -> JobNames {
        let group = self.groups.list.get(job.group as usize).map(Group::name).unwrap_or_default();
        let digits = self.digits.jobs.get(&self.number(job)).copied().unwrap_or(HASH_DIGITS);
        let name = truncate_with(&self.naming.full_job(&group, job.iteration), JOB_NAME_MAX, digits);
        JobNames { train_job: train_job_name(&name), job: name, group }
    }

    /// The per-job copies of a job, in creation order.
    pub fn copy_names(&self, job: JobId) -> Vec<CopyName> {
        let group = self.groups.list.get(job.group as usize).map(Group::name).unwrap_or_default();
        let dependencies = self.templates.per_job.iter().filter(|t| t.manifest.role == super::Role::Dependency);
        dependencies
            .filter_map(|template| {
                let object = &template.manifest.value;
                let target = self.copies.own(object)?;
                let template = created_template(object);
                let template = template.and_then(|name| self.copies.target_of("ResourceClaimTemplate", name));
                Some(CopyName {
                    kind: super::references::kind_of(object).to_owned(),
                    original: super::references::name_of(object).to_owned(),
                    name: self.copy(target, &group, job),
                    claim_template: template.map(|t| self.copy(t, &group, job)),
                })
            })
            .collect()
    }

    /// Name of a job's copy of the runtime, which carries the mark of a started job (10 §3.4).
    pub fn runtime_copy(&self, job: JobId) -> Option<String> {
        let name = &self.input.train_job()?.runtime_ref.name;
        let target = self.copies.target_of("TrainingRuntime", name)?;
        let group = self.groups.list.get(job.group as usize)?.name();
        Some(self.copy(target, &group, job))
    }

    pub(super) fn copy_originals(&self) -> impl Iterator<Item = &str> {
        self.copies.targets.iter().map(|target| target.original.as_str())
    }

    pub(super) fn templates_of_jobs(&self) -> &[Template] {
        &self.templates.per_job
    }

    /// The dependencies that all jobs share, in creation order: [`Self::shared`] without the records.
    pub fn shared_dependencies(&self) -> &[Manifest] {
        &self.templates.shared
    }

    fn number(&self, job: JobId) -> usize {
        let before = usize::try_from(job.iteration.saturating_sub(1)).unwrap_or(usize::MAX);
        before.saturating_mul(self.groups.list.len()).saturating_add(job.group as usize)
    }

    fn copy(&self, target: usize, group: &str, job: JobId) -> String {
        let digits = self.digits.copies.get(&(target, self.number(job))).copied().unwrap_or(HASH_DIGITS);
        let original = self.copies.targets.get(target).map_or("", |t| t.original.as_str());
        truncate_with(&format!("{original}{}", self.naming.suffix(group, job.iteration)), COPY_NAME_MAX, digits)
    }

    pub(super) fn values(&self, job: JobId) -> Option<JobValues> {
        let group = self.groups.list.get(job.group as usize)?;
        if job.iteration == 0 || job.iteration > self.iterations() {
            return None;
        }
        let names = self.names(job);
        let inventory = self.input.inventory;
        let mut group_nodes = String::new();
        let mut hosts: Vec<String> = Vec::with_capacity(group.nodes.len());
        for node in &group.nodes {
            if !group_nodes.is_empty() {
                group_nodes.push(',');
            }
            group_nodes.push_str(name_of(inventory, *node));
            let host = self.hosts.get(*node as usize).map_or("", |id| inventory.text(*id));
            hosts.push(host.to_owned());
        }
        if !hosts.is_sorted_by(|a, b| a < b) {
            let mut seen = std::collections::BTreeSet::new();
            hosts.retain(|host| seen.insert(host.clone()));
        }
        Some(JobValues {
            copies: (0..self.copies.targets.len()).map(|target| self.copy(target, &names.group, job)).collect(),
            goodput: goodput_name(&names.job),
            bandwidth: bandwidth_name(&names.job),
            job: names.job,
            train_job: names.train_job,
            iteration: job.iteration.to_string(),
            size: group.nodes.len(),
            group: names.group,
            group_nodes,
            hosts,
        })
    }

    /// Objects of one job in creation order: its copies of dependencies, then Job, TrainJob and measurements
    /// (`controller`) or the TrainJob (`trainer`). Empty for a job that the run does not have.
    pub fn manifests(&self, job: JobId) -> Vec<Manifest> {
        let Some(values) = self.values(job) else { return Vec::new() };
        self.templates.per_job.iter().map(|template| template.of(&values)).collect()
    }

    /// Makes jobs one after the other in the same memory: for whole fleets.
    pub fn renderer(&self) -> Renderer<'_> {
        Renderer { prepared: self, manifests: self.templates.per_job.iter().map(|t| t.manifest.clone()).collect() }
    }

    /// Prints jobs one after the other as YAML: for whole fleets, and faster than printing what [`Self::renderer`] makes.
    pub fn printer(&self) -> YamlPrinter<'_> {
        YamlPrinter::new(self, &self.templates.per_job)
    }

    /// Objects of the whole run that come before any job, in creation order: the records (`trainer`), then the
    /// dependencies that all jobs share. `to_yaml` writes a value as YAML text.
    pub fn shared(&self, to_yaml: impl Fn(&Value) -> String) -> Vec<Manifest> {
        let records = match self.input.delivery {
            Delivery::Controller => Vec::new(),
            Delivery::Trainer => plan::records(&self.input, &self.plan(), to_yaml),
        };
        records.into_iter().chain(self.templates.shared.iter().cloned()).collect()
    }

    /// The plan of the run (10 §2).
    pub fn plan(&self) -> RunPlan {
        self.planned.clone().unwrap_or_else(|| RunPlan::of(self))
    }

    /// What differs in a job's objects from the dependencies and the job template: with the number of the object in
    /// [`Self::manifests`], for the trace.
    pub fn changes(&self, job: JobId) -> Vec<(usize, Change)> {
        let Some(values) = self.values(job) else { return Vec::new() };
        let mut out = Vec::new();
        for (number, template) in self.templates.per_job.iter().enumerate() {
            let mut filled = template.manifest.value.clone();
            template.fill(&mut filled, &values);
            out.extend(changes_of(template, &filled).map(|change| (number, change)));
        }
        out
    }
}

fn changes_of(template: &Template, filled: &Value) -> impl Iterator<Item = Change> {
    template.slots.iter().filter_map(move |(place, fill)| {
        let origin = match fill {
            Fill::Copy(_) => Origin::Renaming,
            Fill::Hosts | Fill::Size => Origin::Placement,
            _ => return None,
        };
        let old = at_place(&template.manifest.value, place).filter(|old| *fill != Fill::Hosts && !old.is_null());
        let new = at_place(filled, place);
        let subject = || Subject::Field { path: place_path(place) };
        (old != new).then(|| Change { subject: subject(), origin, old: old.cloned(), new: new.cloned() })
    })
}

/// Makes the objects of one job after the other without copying what they share.
#[derive(Debug, Clone)]
pub struct Renderer<'a> {
    prepared: &'a Prepared<'a>,
    manifests: Vec<Manifest>,
}

impl Renderer<'_> {
    /// The same objects as [`Prepared::manifests`]; valid until the next job is made.
    pub fn render(&mut self, job: JobId) -> &[Manifest] {
        let Some(values) = self.prepared.values(job) else { return &[] };
        for (template, manifest) in self.prepared.templates.per_job.iter().zip(&mut self.manifests) {
            template.fill(&mut manifest.value, &values);
        }
        &self.manifests
    }
}

#[cfg(test)]
#[path = "prepared_tests.rs"]
mod tests;
