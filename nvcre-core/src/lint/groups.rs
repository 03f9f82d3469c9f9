//! Nodes, groups and topology domains.

use super::count;
use crate::api::{GPU_CLIQUE_KEY, WorkflowSpec, WorkloadRun};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::fleet::{Fleet, Inventory, domain_of};
use crate::jobs::Group;
use std::collections::BTreeMap;

/// A run and the nodes that take part.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    /// The run after the caller's flags.
    pub run: &'a WorkloadRun,
    /// The Workflow.
    pub spec: &'a WorkflowSpec,
    /// Multi-node NVLink is on.
    pub mnnvl: bool,
    pub inventory: &'a Inventory,
    pub fleet: &'a Fleet,
}

/// Nodes by domain; `None` unless every node names its own.
fn domains<'a>(input: &Placed<'a>, key: &str) -> Option<BTreeMap<&'a str, usize>> {
    let Placed { inventory, fleet, .. } = *input;
    let mut out = BTreeMap::new();
    for node in &fleet.nodes {
        *out.entry(domain_of(inventory, *node, key)?).or_default() += 1;
    }
    Some(out)
}

/// Multi-node NVLink is on, and a ComputeDomain joins the nodes of a job by it.
fn nvlink_between_nodes(input: &Placed<'_>) -> bool {
    let domain = |d: &crate::api::Value| d.get("kind").is_some_and(|kind| kind == "ComputeDomain");
    input.mnnvl && input.spec.dependencies.iter().any(domain)
}

/// An unpinned job over several NVLink domains: without nodes of its own, the scheduler may spread it.
pub(crate) fn of_nodes(input: &Placed<'_>, out: &mut Vec<Diagnostic>) {
    let train_job = input.spec.job_template.spec.workload.train_job.as_ref();
    let size = train_job.and_then(|t| t.trainer.as_ref()?.num_nodes).map_or(0, i64::from);
    if input.spec.orchestration.placement != "Unpinned" || size < 2 || !nvlink_between_nodes(input) {
        return;
    }
    let Some(domains) = domains(input, GPU_CLIQUE_KEY).filter(|domains| domains.len() > 1) else { return };
    let fits = domains.values().any(|nodes| i64::try_from(*nodes).is_ok_and(|nodes| nodes >= size));
    if !fits {
        return;
    }
    let message = format!(
        "the scheduler may spread the {size} nodes of the job over {} NVLink domains, between which there is only the network",
        domains.len()
    );
    let help = format!("name one value of {GPU_CLIQUE_KEY} in spec.target.matchExpressions");
    out.push(Diagnostic::at(Code::UnpinnedAcrossDomains, "spec.orchestration.placement", message).with_help(help));
}

pub(crate) fn of_groups(input: &Placed<'_>, groups: &[Group], iterations: u64, out: &mut Vec<Diagnostic>) {
    out.extend(crossing(input, groups));
    let jobs = iterations.saturating_mul(groups.len().try_into().unwrap_or(u64::MAX));
    let own = input.run.spec.orchestration.as_ref().and_then(|o| o.max_concurrent).unwrap_or(0);
    let most = input.spec.orchestration.execution.max_concurrent;
    if own > 0 && most == i64::from(own) && u64::try_from(own).is_ok_and(|own| own > jobs) && jobs > 0 {
        let message = format!(
            "maxConcurrent allows {own} jobs at once, and the run has {}: it has no effect",
            count(jobs.try_into().unwrap_or(usize::MAX), "job")
        );
        let help = "remove it, or lower it to have fewer jobs at once";
        out.push(Diagnostic::at(Code::MaxConcurrentIdle, "spec.orchestration.maxConcurrent", message).with_help(help));
    }
}

/// Groups with nodes of several domains, although one domain would hold them.
fn crossing(input: &Placed<'_>, groups: &[Group]) -> Option<Diagnostic> {
    let inventory = input.inventory;
    let own = input.spec.orchestration.topology.as_ref().and_then(|t| t.topology_key.as_deref());
    let own = own.filter(|key| !key.is_empty());
    let key = own.or_else(|| nvlink_between_nodes(input).then_some(GPU_CLIQUE_KEY))?;
    let all = domains(input, key)?;
    let largest = all.values().copied().max()?;
    let crosses = |group: &&Group| {
        let mut names: Vec<&str> = group.nodes.iter().filter_map(|n| domain_of(inventory, *n, key)).collect();
        names.sort_unstable();
        names.dedup();
        names.len() > 1 && group.nodes.len() <= largest
    };
    let found: Vec<&Group> = groups.iter().filter(crosses).collect();
    found.first()?;
    let names: Vec<String> = found.iter().take(3).map(|g| g.name()).collect();
    let more = if found.len() > names.len() { ", …" } else { "" };
    let message = format!(
        "{} of {} {} nodes of several domains of the label {key} ({}{more}), although the largest domain has {}: their numbers are not those of one domain",
        found.len(),
        count(groups.len(), "group"),
        if found.len() == 1 { "holds" } else { "hold" },
        names.join(", "),
        count(largest, "node")
    );
    let finding = Diagnostic::at(Code::GroupsCrossDomains, "spec.numNodes", message);
    Some(match own {
        // Packing does what it can with the sizes that there are.
        Some(_) => finding.with_severity(Severity::Notice).with_help(
            "choose a numNodes that divides the sizes of the domains, or set strictDomain: true, for one group of each domain",
        ),
        None => finding.with_help(format!("set spec.orchestration.topology.topologyKey to {key}")),
    })
}
