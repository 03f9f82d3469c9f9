//! The plan of a rendering.

use super::{PLAN_FORMAT, Plan, PlanGroup, Rendering};
use crate::jobs::Prepared;
use crate::schedule::Schedule;
use std::collections::BTreeMap;

impl Rendering<'_> {
    /// Who runs what, where, and who stays out. Without prepared jobs it has no groups.
    pub fn plan(&self, jobs: Option<&Prepared<'_>>) -> Plan {
        let orchestration = &self.workflow.spec.orchestration;
        let topology = orchestration.topology.as_ref();
        let trainer = self.workflow.spec.job_template.spec.workload.train_job.as_ref().and_then(|t| t.trainer.as_ref());
        let mut plan = Plan {
            format: PLAN_FORMAT.into(),
            run: self.run.metadata.name.clone(),
            namespace: self.run.metadata.namespace.clone(),
            edition: self.facts.edition.clone(),
            platform: self.facts.platform.clone(),
            gpu_architecture: self.facts.architecture.clone(),
            placement: if orchestration.placement == "Unpinned" { "Unpinned" } else { "Pinned" }.into(),
            gpus_per_node: self.facts.sizes.gpus_per_node,
            mlnx_per_node: self.facts.sizes.mlnx_per_node,
            enable_mnnvl: self.facts.sizes.enable_mnnvl,
            nic_resource_name: self.facts.nic_resource.clone(),
            nodes_per_job: trainer.and_then(|t| t.num_nodes).unwrap_or(0).into(),
            topology_key: topology.and_then(|t| t.topology_key.clone()),
            strict_domain: topology.is_some_and(|t| t.strict_domain == Some(true)),
            iterations: orchestration.iterations.max(1),
            max_concurrent: orchestration.execution.max_concurrent,
            timeout_per_job: orchestration.execution.timeout_per_job.map(|t| t.to_string()).unwrap_or_default(),
            applied_overrides: self.overrides.iter().filter(|o| o.matched).cloned().collect(),
            ..Plan::default()
        };
        if let (Some(inventory), Some(fleet)) = (self.inventory, &self.fleet) {
            plan.gpu_products.clone_from(&fleet.products);
            plan.total_nodes = fleet.nodes.len();
            plan.exclusion_reason = fleet.exclusion_reason(inventory);
            plan.excluded = fleet.exclusions(inventory).collect();
            if let Some(jobs) = jobs {
                let name = |node: &u32| fleet.name(inventory, *node).to_owned();
                let schedule = Schedule::new(jobs);
                plan.scheduling_needs = schedule.needs();
                for (number, group) in (0u32..).zip(jobs.groups()) {
                    let nodes: Vec<String> = group.nodes.iter().map(name).collect();
                    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
                    if let Some(key) = plan.topology_key.as_deref().filter(|_| group.domains.len() > 1) {
                        for node in &group.nodes {
                            if let Some(domain) = crate::fleet::domain_of(inventory, *node, key) {
                                *counts.entry(domain.to_owned()).or_default() += 1;
                            }
                        }
                    }
                    plan.groups.push(PlanGroup {
                        name: group.name(),
                        nodes,
                        domains: group.domains.iter().map(|d| inventory.text(*d).to_owned()).collect(),
                        domain_node_counts: counts,
                        overflow: group.overflow,
                        scheduling: schedule.verdict(number),
                    });
                }
            }
        }
        plan.total_groups = plan.groups.len();
        let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for group in &plan.groups {
            for node in &group.nodes {
                seen.entry(node.clone()).or_default().push(group.name.clone());
            }
        }
        seen.retain(|_, groups| groups.len() > 1);
        plan.nodes_run_twice = seen;
        plan
    }
}
