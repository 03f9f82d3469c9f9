//! Plans, and findings, of two renderings: what a snapshot keeps of them.

use super::difference::{Difference, FindingChanges, Side};
use super::groups::Group;
use super::meaning::{self, Meaning};
use super::model::{self, Member, Model, Reason};
use crate::diagnostic::Diagnostic;
use crate::engine::Plan;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What differs between two plans: facts, nodes, groups, overrides. `a` and `b` come with the names of their files.
pub(crate) fn plans(a: (&str, &Plan), b: (&str, &Plan)) -> Difference {
    model::compare(&model(a), &model(b))
}

/// Findings of one side only, and what that means.
pub(crate) fn finding_changes(a: &[Diagnostic], b: &[Diagnostic]) -> (FindingChanges, Vec<Meaning>) {
    let (a, b): (Vec<&Diagnostic>, Vec<&Diagnostic>) = (a.iter().collect(), b.iter().collect());
    let difference = Difference { findings: model::findings(&a, &b), ..Difference::default() };
    let mut meanings = Vec::new();
    meaning::of_findings(&difference, &mut meanings);
    (difference.findings, meanings)
}

fn model<'p>((file, plan): (&str, &'p Plan)) -> Model<'p> {
    let names: BTreeSet<&str> = plan.groups.iter().flat_map(|group| &group.nodes).map(String::as_str).collect();
    let reason = |node: &str| match plan.excluded.iter().find(|excluded| excluded.node == node) {
        Some(excluded) => Reason { filter: Some(excluded.filter), text: excluded.reason.clone() },
        None => Reason { filter: None, text: "is not among the nodes".to_owned() },
    };
    let group = |group: &'p crate::engine::PlanGroup| Group {
        name: group.name.clone(),
        nodes: group.nodes.iter().map(String::as_str).collect(),
    };
    Model {
        side: Side {
            file: file.to_owned(),
            run: plan.run.clone(),
            edition: plan.edition.clone(),
            platform: plan.platform.clone(),
            gpu_architecture: plan.gpu_architecture.clone(),
            nodes: Some(plan.total_nodes),
            groups: Some(plan.total_groups),
        },
        facts: facts(plan),
        members: names.into_iter().map(|name| Member { name, host: "" }).collect(),
        reason: Box::new(reason),
        groups: plan.groups.iter().map(group).collect(),
        variants: vec![0; plan.groups.len()],
        shared: Vec::new(),
        per_job: Vec::new(),
        overrides: plan.applied_overrides.iter().filter(|o| !o.no_op).map(|o| o.origin.clone()).collect(),
        findings: Vec::new(),
        run: Value::Null,
    }
}

fn facts(plan: &Plan) -> Vec<(&'static str, Value)> {
    vec![
        ("run", json!(plan.run)),
        ("namespace", json!(plan.namespace)),
        ("edition", json!(plan.edition)),
        ("platform", json!(plan.platform)),
        ("gpuArchitecture", json!(plan.gpu_architecture)),
        ("gpuProducts", json!(plan.gpu_products)),
        ("placement", json!(plan.placement)),
        ("gpusPerNode", json!(plan.gpus_per_node)),
        ("mlnxPerNode", json!(plan.mlnx_per_node)),
        ("enableMNNVL", json!(plan.enable_mnnvl)),
        ("nicResourceName", json!(plan.nic_resource_name)),
        ("nodesPerJob", json!(plan.nodes_per_job)),
        ("topologyKey", json!(plan.topology_key)),
        ("strictDomain", json!(plan.strict_domain)),
        ("iterations", json!(plan.iterations)),
        ("maxConcurrent", json!(plan.max_concurrent)),
        ("timeoutPerJob", json!(plan.timeout_per_job)),
        ("totalNodes", json!(plan.total_nodes)),
        ("totalGroups", json!(plan.total_groups)),
    ]
}
