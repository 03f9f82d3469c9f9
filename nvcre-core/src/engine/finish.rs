//! What is done with a Workflow after its overrides.

use super::Rendering;
use crate::api::*;
use crate::diagnostic::{Code, Diagnostic, FieldPath, has_errors};
use crate::fleet::{Fleet, Inventory};
use crate::jobs;
use crate::overrides::Layer;
use crate::schema::{self, Mode};
use crate::trace::{Change, Origin, Recorder, Subject};
use crate::workflow::gang;

/// Puts a changed job template back into the typed spec; what does not fit its type is a finding.
pub(super) fn take_job_template(spec: &mut WorkflowSpec, template: Value, findings: &mut Vec<Diagnostic>) {
    let path = FieldPath::parse("spec.jobTemplate");
    let mut problems = Vec::new();
    let sound = schema::check_value("JobTemplate", &template, &path, Mode::STRICT, &mut problems);
    // A fault that an override brought was reported at the override.
    if !has_errors(findings) {
        findings.extend(problems.into_iter().map(|mut p| {
            p.message = format!("the job template is not sound after the overrides: {}", p.message);
            p
        }));
    }
    match serde_json::from_value(sound) {
        Ok(template) => spec.job_template = template,
        Err(error) if !has_errors(findings) => {
            let message = format!("the job template cannot be read after the overrides: {error}");
            findings.push(
                Diagnostic::at(Code::WrongType, path, message)
                    .with_help("check the overrides that change the job template"),
            );
        }
        Err(_) => {}
    }
}

/// An override as a Workflow stores it. Lines and mpirun words of the catalogue are used up while building (02 §8.5).
pub(super) fn stored(layer: &Layer) -> OverrideSpec {
    let mut spec = layer.spec.clone();
    if layer.is_entry() {
        spec.pre_command.clear();
        spec.mpi_args.clear();
    }
    spec
}

/// The contract of gang scheduling on the resolved result (02 §10.4); `labels` names the labels of the workload object
/// in findings.
pub(super) fn gang_contract(spec: &mut WorkflowSpec, labels: &FieldPath) -> Vec<Diagnostic> {
    let gang = spec.gang_scheduler.clone();
    gang::validate_resolved(&mut spec.job_template.spec, &spec.dependencies, gang.as_ref(), labels)
}

/// Does something that may bring a label of the workload object back, and records it.
pub(super) fn recording_labels<R: Recorder, T>(
    spec: &mut WorkflowSpec,
    recorder: &mut R,
    work: impl FnOnce(&mut WorkflowSpec) -> T,
) -> T {
    let labels = |spec: &WorkflowSpec| match &spec.job_template.spec.workload_metadata {
        Some(metadata) if R::ON => metadata.labels.clone(),
        _ => Default::default(),
    };
    let before = labels(spec);
    let out = work(spec);
    for (key, value) in labels(spec).into_iter().filter(|(key, value)| before.get(key) != Some(value)) {
        recorder.record(|| Change {
            subject: Subject::Field {
                path: FieldPath::parse("spec.jobTemplate.spec.workloadMetadata.labels").key(&key),
            },
            origin: Origin::Gang,
            old: before.get(&key).map(|old| old.as_str().into()),
            new: Some(value.into()),
        });
    }
    out
}

/// What the cluster refuses in the result (00 D25, 08 rows 6–24). `run` is the name of the run.
pub(super) fn trainer_limits(spec: &WorkflowSpec, run: &str) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    jobs::check_workload(spec, run, &mut out);
    out
}

/// Where the topology of the result is missing something (00 D3, D39): `None` when it is complete.
fn topology_gap(rendering: &Rendering<'_>) -> Option<Diagnostic> {
    let topology = rendering.workflow.spec.orchestration.topology.as_ref()?;
    let strict = topology.strict_domain == Some(true);
    let no_key = topology.topology_key.as_deref().unwrap_or("").is_empty();
    (strict && no_key).then(|| {
        let message =
            "strictDomain asks for one group per topology domain, and no node label that names the domain is known";
        Diagnostic::at(Code::NoTopologyKey, "spec.orchestration.topology.strictDomain", message)
            .with_help("name the label in spec.orchestration.topology.topologyKey, for example nvidia.com/gpu.clique")
    })
}

/// True when the key of the result is the one that intra-rack falls back to (00 D3).
fn fell_back(rendering: &Rendering<'_>) -> bool {
    let own = rendering.run.spec.orchestration.as_ref();
    let named = own.and_then(|o| o.topology.as_ref()).is_some_and(|t| t.topology_key.is_some());
    let intra_rack = own.is_some_and(|o| o.test_scale == "intra-rack");
    let key = rendering.workflow.spec.orchestration.topology.as_ref().and_then(|t| t.topology_key.as_deref());
    intra_rack && !named && key == Some(GPU_CLIQUE_KEY) && rendering.topology_origin.is_none()
}

/// Topology of a result without nodes.
pub(super) fn topology_without_nodes(rendering: &Rendering<'_>) -> Option<Diagnostic> {
    if !rendering.facts.resolved {
        return None;
    }
    if let Some(gap) = topology_gap(rendering) {
        return Some(gap);
    }
    fell_back(rendering).then(|| {
        let Facts { platform, architecture } = Facts::of(rendering);
        let message = format!(
            "testScale intra-rack makes one group per rack, and platform {platform} with GPU {architecture} has no known rack label"
        );
        Diagnostic::at(Code::NoTopologyKey, "spec.orchestration.testScale", message).with_help(
            "name the label in spec.orchestration.topology.topologyKey, or give --nodes, so that nvidia.com/gpu.clique can be looked for",
        )
    })
}

struct Facts<'a> {
    platform: &'a str,
    architecture: &'a str,
}

impl<'a> Facts<'a> {
    fn of(rendering: &'a Rendering<'_>) -> Self {
        Self { platform: &rendering.facts.platform, architecture: &rendering.facts.architecture }
    }
}

/// Topology of a result with nodes: intra-rack without any key takes the clique label only when every node has it.
pub(super) fn topology(rendering: &Rendering<'_>, inventory: &Inventory, fleet: &Fleet) -> Option<Diagnostic> {
    if let Some(gap) = topology_gap(rendering) {
        return Some(gap);
    }
    if !fell_back(rendering) {
        return None;
    }
    let without = fleet.without_domain(inventory, GPU_CLIQUE_KEY);
    let first = without.first()?;
    let Facts { platform, architecture } = Facts::of(rendering);
    let message = format!(
        "testScale intra-rack makes one group per rack; platform {platform} with GPU {architecture} has no known rack label, and {} of {} nodes lack {GPU_CLIQUE_KEY}, the first is {}",
        without.len(),
        fleet.nodes.len(),
        fleet.name(inventory, *first)
    );
    Some(
        Diagnostic::at(Code::NoTopologyKey, "spec.orchestration.testScale", message).with_help(
            "name the rack label of your nodes in spec.orchestration.topology.topologyKey, or label the nodes",
        ),
    )
}

/// Who brought the topology key, when an override did: the last one that set the topology, if it names a key.
pub(super) fn topology_origin(rendering: &Rendering<'_>) -> Option<Origin> {
    let matched = rendering.overrides.iter().rev().filter(|o| o.matched && o.patches.contains("orchestration"));
    let names_key = |origin: &Origin| match origin {
        Origin::Override { index } => {
            let spec = rendering.run.spec.overrides.get(*index)?.orchestration.as_ref()?;
            spec.topology.as_ref().map(|t| t.topology_key.is_some())
        }
        Origin::Entry { .. } => (!rendering.facts.inputs(&rendering.run).own_topology_key).then_some(true),
        _ => None,
    };
    let mut sets = matched.map(|o| &o.origin).filter_map(|o| Some((o, names_key(o)?)));
    sets.next().filter(|(_, named)| *named).map(|(origin, _)| origin.clone())
}

/// What is kept with the jobs.
pub(super) fn job_facts(rendering: &Rendering<'_>) -> jobs::Facts {
    let facts = &rendering.facts;
    jobs::Facts {
        edition: facts.edition.clone(),
        gpus_per_node: facts.sizes.gpus_per_node,
        mlnx_per_node: facts.sizes.mlnx_per_node,
        enable_mnnvl: facts.sizes.enable_mnnvl,
        nic_resource_name: Some(facts.nic_resource.clone()).filter(|n| !n.is_empty()),
        domain_count: Some(facts.domain_count),
    }
}
