//! Two renderings.

use super::difference::{Difference, Side};
use super::groups::Group;
use super::model::{self, Member, Model, Reason};
use crate::engine::{Jobs, Rendering};
use crate::fleet::Excluded;
use crate::trace::Origin;
use serde_json::{Value, json};

/// One side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct RenderedSide<'r> {
    /// The file, for people.
    pub file: &'r str,
    /// The rendering.
    pub rendering: &'r Rendering<'r>,
    /// Its jobs, when groups and manifests are to be compared; without them Workflows are.
    pub jobs: Option<&'r Jobs<'r>>,
}

/// What differs between two renderings, with what it means. What all jobs of a side share is compared once, so that the
/// cost does not grow with their number; what differs from job to job (names, hosts, sizes) follows from the groups.
///
/// Both sides should have jobs of the same delivery. Where one has none, for example because of an error, Workflows are
/// compared.
pub fn renderings(a: &RenderedSide<'_>, b: &RenderedSide<'_>) -> Difference {
    let has_jobs = |side: &RenderedSide<'_>| side.jobs.is_some_and(|jobs| jobs.prepared.is_some());
    let both = has_jobs(a) && has_jobs(b);
    model::compare(&model(a, both), &model(b, both))
}

fn model<'r>(side: &RenderedSide<'r>, with_jobs: bool) -> Model<'r> {
    let RenderedSide { file, rendering, jobs } = *side;
    let prepared = jobs.and_then(|jobs| jobs.prepared.as_ref()).filter(|_| with_jobs);
    let nodes = rendering.inventory.zip(rendering.fleet.as_ref());
    let mut members = Vec::new();
    let mut groups = Vec::new();
    if let Some((inventory, fleet)) = nodes {
        let member =
            |node: &u32| Member { name: fleet.name(inventory, *node), host: fleet.hostname_value(inventory, *node) };
        members = fleet.nodes.iter().map(member).collect();
        let group = |group: &crate::jobs::Group| Group {
            name: group.name(),
            nodes: group.nodes.iter().map(|node| fleet.name(inventory, *node)).collect(),
        };
        groups = prepared.into_iter().flat_map(|p| p.groups()).map(group).collect();
    }
    let reason = move |node: &str| {
        let absent = || Reason { filter: None, text: "is not among the nodes".to_owned() };
        let Some((inventory, fleet)) = nodes else { return absent() };
        let name = |excluded: &Excluded| fleet.name(inventory, excluded.node);
        let place = fleet.excluded.binary_search_by(|excluded| name(excluded).cmp(node));
        let Some(excluded) = place.ok().and_then(|place| fleet.excluded.get(place)) else { return absent() };
        let explained = fleet.explain(inventory, excluded);
        Reason { filter: Some(explained.filter), text: explained.reason }
    };
    let facts = facts(rendering, groups.len(), prepared.is_some());
    let known = |text: &str| text.to_owned();
    let applied = rendering.overrides.iter().filter(|o| o.matched && !o.no_op).map(|o| o.origin.clone());
    Model {
        side: Side {
            file: file.to_owned(),
            run: known(&rendering.run.metadata.name),
            edition: known(&rendering.facts.edition),
            platform: known(&rendering.facts.platform),
            gpu_architecture: known(&rendering.facts.architecture),
            nodes: nodes.map(|(_, fleet)| fleet.nodes.len()),
            groups: prepared.map(|_| groups.len()),
        },
        facts,
        members,
        reason: Box::new(reason),
        variants: vec![0; groups.len()],
        groups,
        shared: match prepared {
            None => vec![rendering.workflow_value()],
            Some(prepared) => prepared.shared_dependencies().iter().map(|m| m.value.clone()).collect(),
        },
        per_job: prepared.map(|p| p.shape().into_iter().map(|m| m.value).collect()).into_iter().collect(),
        overrides: applied.collect::<Vec<Origin>>(),
        findings: rendering.diagnostics.iter().chain(jobs.into_iter().flat_map(|j| &j.diagnostics)).collect(),
        run: serde_json::to_value(&rendering.run).unwrap_or_default(),
    }
}

/// What holds for the whole run, named as in the plan.
fn facts(rendering: &Rendering<'_>, groups: usize, has_groups: bool) -> Vec<(&'static str, Value)> {
    let orchestration = &rendering.workflow.spec.orchestration;
    let topology = orchestration.topology.as_ref();
    let key = topology.and_then(|t| t.topology_key.as_deref()).filter(|key| !key.is_empty());
    let trainer =
        rendering.workflow.spec.job_template.spec.workload.train_job.as_ref().and_then(|t| t.trainer.as_ref());
    let facts = &rendering.facts;
    let mut out = vec![
        ("run", json!(rendering.run.metadata.name)),
        ("namespace", json!(rendering.run.metadata.namespace)),
        ("edition", json!(facts.edition)),
        ("platform", json!(facts.platform)),
        ("gpuArchitecture", json!(facts.architecture)),
        ("placement", json!(if orchestration.placement == "Unpinned" { "Unpinned" } else { "Pinned" })),
        ("gpusPerNode", json!(facts.sizes.gpus_per_node)),
        ("mlnxPerNode", json!(facts.sizes.mlnx_per_node)),
        ("enableMNNVL", json!(facts.sizes.enable_mnnvl)),
        ("nicResourceName", json!(facts.nic_resource)),
        ("nodesPerJob", json!(trainer.and_then(|t| t.num_nodes).unwrap_or(0))),
        ("topologyKey", json!(key)),
        ("strictDomain", json!(topology.is_some_and(|t| t.strict_domain == Some(true)))),
        ("iterations", json!(orchestration.iterations.max(1))),
        ("maxConcurrent", json!(orchestration.execution.max_concurrent)),
        ("timeoutPerJob", json!(orchestration.execution.timeout_per_job.map(|t| t.to_string()))),
    ];
    if let Some(fleet) = &rendering.fleet {
        out.push(("gpuProducts", json!(fleet.products)));
        out.push(("totalNodes", json!(fleet.nodes.len())));
        out.push(("productsFromSlices", json!(!fleet.synthesized.is_empty())));
        out.push(("domainCount", json!(rendering.job_facts.domain_count)));
    }
    if has_groups {
        out.push(("totalGroups", json!(groups)));
    }
    out
}
