//! Puts affinity and tolerations into the runtime patch of a TrainJob (03 §6.5–6.6).

use super::affinity::{Hosts, Requirements, existing_terms, is_empty_term, placed, requirements, values_path};
use super::input::JobsInput;
use super::patch::{LAUNCHER, edit_pod_patch, patches_of, put_last_if_overruled, target_jobs};
use super::references::{Place, Step, keys};
use super::runtime::pod_of;
use super::tolerations::{merged, ours};
use crate::api::{HOSTNAME_KEY, PodSpecPatch, Toleration, TrainJobSpec};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::fleet::{Filter, StringId};
use serde_json::Value;
use std::collections::BTreeMap;

/// The keys from the spec of a TrainJob to the pod template of a replicated job in a patch.
pub(crate) fn pod_template_path(patch: usize, job: usize) -> Place {
    let mut place = keys(&["runtimePatches"]);
    place.push(Step::Index(patch));
    place.extend(keys(&["trainingRuntimeSpec", "template", "spec", "replicatedJobs"]));
    place.push(Step::Index(job));
    place.extend(keys(&["template", "spec", "template"]));
    place
}

/// What placement adds to every job of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Placement {
    pub requirements: Requirements,
    pub tolerations: Vec<Toleration>,
}

impl Placement {
    /// `hosts` are those of an Unpinned run, `products` the values of the product expression.
    pub fn new(input: &JobsInput<'_>, hosts: &[String], products: &[String]) -> Self {
        let has_launcher = input
            .train_job()
            .is_some_and(|t| t.runtime_patches.iter().flat_map(super::patch::jobs_of).any(|j| j.name == LAUNCHER));
        let hosts = if input.unpinned() { Hosts::Fixed(hosts.to_vec()) } else { Hosts::PerJob };
        Self {
            requirements: requirements(input.target(), hosts, products),
            tolerations: ours(input.target(), has_launcher, input.unpinned()),
        }
    }

    /// Writes both into our patch. Returns the places of the host lists, from the spec of the TrainJob.
    pub fn apply(
        &self,
        train_job: &mut TrainJobSpec,
        runtime: Option<&Value>,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<Place> {
        let jobs = target_jobs(train_job);
        put_last_if_overruled(train_job, &jobs);
        let mut hosts = Vec::new();
        for job in &jobs {
            let pod = runtime.and_then(|runtime| pod_of(runtime, job));
            if !self.requirements.expressions.is_empty() {
                let existing = existing_terms(train_job, pod, job);
                if existing.iter().any(is_empty_term) {
                    findings.push(empty_term(train_job, runtime, job));
                }
                let base = base(train_job, job);
                let (affinity, lists) = placed(base.as_ref(), &existing, &self.requirements);
                let (patch, entry) = edit_pod_patch(train_job, job, |pod| {
                    pod.spec.get_or_insert_with(PodSpecPatch::default).affinity = Some(affinity);
                });
                for (term, expression) in lists {
                    let mut place = pod_template_path(patch, entry);
                    place.extend(keys(&["spec", "affinity"]));
                    place.extend(values_path(term, expression));
                    hosts.push(place);
                }
            }
            let own = pod.map(runtime_tolerations).unwrap_or_default();
            let there: Vec<Toleration> =
                own.into_iter().chain(patches_of(train_job, job).flat_map(|(_, p)| p.tolerations.clone())).collect();
            let list = merged(&there, &self.tolerations);
            if !list.is_empty() {
                edit_pod_patch(train_job, job, |pod| {
                    pod.spec.get_or_insert_with(PodSpecPatch::default).tolerations = list;
                });
            }
        }
        hosts
    }
}

/// The affinity that our patch has already.
fn base(train_job: &TrainJobSpec, job: &str) -> Option<Value> {
    let ours = train_job.runtime_patches.iter().position(|p| p.manager == crate::api::PATCH_MANAGER)?;
    patches_of(train_job, job).find(|(at, _)| *at == ours).and_then(|(_, spec)| spec.affinity.clone())
}

/// The tolerations in a pod of the runtime.
pub(crate) fn runtime_tolerations(pod: &Value) -> Vec<Toleration> {
    let list = pod.get("tolerations").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(|t| serde_json::from_value(t.clone()).ok()).collect()
}

/// At the patches, when they bring the affinity, else at the runtime.
fn empty_term(train_job: &TrainJobSpec, runtime: Option<&Value>, job: &str) -> Diagnostic {
    let patched = patches_of(train_job, job).any(|(_, spec)| spec.affinity.is_some());
    let path = match runtime.filter(|_| !patched) {
        Some(runtime) => ["spec", "template", "spec", "replicatedJobs"]
            .iter()
            .fold(super::differences::dependency_path(runtime), |path, key| path.key(*key))
            .named(job)
            .join(&FieldPath::parse("template.spec.template.spec.affinity")),
        None => FieldPath::parse("spec.jobTemplate.spec.workload.trainJob.runtimePatches"),
    };
    let message = format!(
        "the required node affinity of replicated job {job} has a term without expressions, or an In without values; such a term matches no node"
    );
    Diagnostic::at(Code::EmptyAffinityTerm, path, message)
        .with_help("give the term an expression with values, or remove it from the override")
}

/// The values of the product expression (03 §6.5 item 4, with the rule for products read from ResourceSlices).
pub(crate) fn product_values(input: &JobsInput<'_>, findings: &mut Vec<Diagnostic>) -> Vec<String> {
    let fleet = input.fleet;
    if fleet.products_are_labels() {
        return fleet.products.iter().filter(|p| !p.is_empty()).cloned().collect();
    }
    let excluded = || fleet.excluded.iter().filter(|e| e.reason.filter() == Filter::Architecture).map(|e| e.node);
    if input.unpinned() && excluded().next().is_some() {
        let unlabelled = || fleet.synthesized.iter().chain(&fleet.without_product).copied();
        let message = format!(
            "an Unpinned job would run on any node of the target, {} of which have another GPU architecture ({}), and {} \
             nodes that take part carry no product label of their own, so no label keeps the pods apart ({})",
            excluded().count(),
            input.node_list(excluded()),
            unlabelled().count(),
            input.node_list(unlabelled())
        );
        findings.push(Diagnostic::at(Code::SynthesizedProducts, "spec.target", message).with_help(
            "narrow spec.target by a label that the nodes really carry, or use placement Pinned, which names the nodes",
        ));
    }
    Vec::new()
}

/// Host names of an Unpinned run whose target names nodes: hostname labels, each once, in the order of the target
/// (00 D24, D61, D79).
pub(crate) fn fixed_hosts(input: &JobsInput<'_>, findings: &mut Vec<Diagnostic>) -> Vec<String> {
    let names = input.target().map_or(&[][..], |t| t.node_names.as_slice());
    if !input.unpinned() || names.is_empty() {
        return Vec::new();
    }
    let inventory = input.inventory;
    let by_name: BTreeMap<&str, u32> =
        (0u32..).zip(&inventory.nodes).map(|(i, n)| (inventory.text(n.name), i)).collect();
    let mut out: Vec<String> = Vec::new();
    let mut known = Vec::new();
    for name in names {
        let node = by_name.get(name.as_str());
        known.extend(node);
        let host = node.and_then(|n| inventory.nodes.get(*n as usize)).and_then(|n| inventory.label(n, HOSTNAME_KEY));
        let host = host.filter(|h| !h.is_empty()).unwrap_or(name).to_owned();
        if !out.contains(&host) {
            out.push(host);
        }
    }
    renamed_hosts(input, &known, findings);
    out
}

/// Host name of every node of the inventory, by index: the label where there is one, else the name.
pub(crate) fn host_ids(input: &JobsInput<'_>) -> Vec<StringId> {
    let key = input.inventory.strings.find(HOSTNAME_KEY);
    let host = |node: &crate::fleet::InventoryNode| {
        let label = node.labels.iter().find(|(k, _)| Some(*k) == key).map(|(_, v)| *v);
        label.filter(|v| !input.inventory.text(*v).is_empty()).unwrap_or(node.name)
    };
    input.inventory.nodes.iter().map(host).collect()
}

/// Nodes that the engine would send its pods past, since it writes names where we write hostname labels (00 D24, D60).
/// The fleet warns of nodes without a host name of their own.
pub(crate) fn renamed_hosts(input: &JobsInput<'_>, nodes: &[u32], findings: &mut Vec<Diagnostic>) {
    let hosts = host_ids(input);
    let renamed = |index: &u32| {
        let node = input.inventory.nodes.get(*index as usize);
        node.is_some_and(|node| hosts.get(*index as usize).is_some_and(|host| *host != node.name))
    };
    let renamed: Vec<u32> = nodes.iter().copied().filter(renamed).collect();
    if !renamed.is_empty() && input.delivery == super::Delivery::Controller {
        let message = format!(
            "{} nodes have another {HOSTNAME_KEY} label than name; the reference engine writes the names, and its pods \
             stay pending: {}",
            renamed.len(),
            input.node_list(renamed)
        );
        findings.push(Diagnostic::at(Code::EngineDiffers, "spec.target", message).with_help(super::differences::EXACT));
    }
}
