//! Nodes and groups: who is where, and why.

use super::Explainer;
use super::model::{GroupAnswer, GroupsLine, LabelLine, Membership, NodeAnswer};
use crate::api::{GPU_PRESENT_KEY, GPU_PRODUCT_KEY, HOSTNAME_KEY};
use crate::fleet::{Inventory, InventoryNode, domain_of};
use crate::jobs::{Group, JobId, Prepared};
use crate::schedule::Schedule;
use serde_json::Value;

impl Explainer<'_> {
    /// A node; `Err` with names that look like it, or why nothing is known.
    pub(super) fn node(&self, name: &str) -> Result<NodeAnswer, (String, Vec<String>)> {
        let (Some(inventory), Some(fleet)) = (self.rendering.inventory, &self.rendering.fleet) else {
            return Err(("nodes are known only with --nodes or --assume-nodes".to_owned(), Vec::new()));
        };
        let text = |node: &InventoryNode| inventory.text(node.name).to_owned();
        let Some((index, node)) = (0u32..).zip(&inventory.nodes).find(|(_, node)| inventory.text(node.name) == name)
        else {
            let names = inventory.nodes.iter().map(|n| (text(n), format!("node/{}", text(n))));
            return Err((format!("no node of the inventory is {name}"), super::near::nearest(name, names)));
        };
        let excluded = fleet.excluded.iter().find(|e| e.node == index).map(|e| fleet.explain(inventory, e));
        let groups = match self.jobs {
            Some(jobs) => {
                let member = |group: &&Group| group.nodes.contains(&index);
                jobs.groups()
                    .iter()
                    .filter(member)
                    .map(|group| self.membership(jobs, inventory, group, index))
                    .collect()
            }
            None => Vec::new(),
        };
        let mut notes = Vec::new();
        if excluded.is_none() && groups.is_empty() {
            notes.push(match self.jobs {
                Some(_) => "it takes part; under Unpinned the scheduler chooses the nodes of the one job".to_owned(),
                None => "it takes part, but there are no groups: findings keep the run from having jobs".to_owned(),
            });
        }
        if groups.len() > 1 {
            notes.push("it runs twice: an overflow group borrows it to reach its size; the two groups never run at the same time".to_owned());
        }
        let labels = self.deciding_labels(inventory, index, node);
        Ok(NodeAnswer { node: name.to_owned(), groups, excluded, labels, notes })
    }

    /// Labels that rules read of a node.
    fn deciding_labels(&self, inventory: &Inventory, index: u32, node: &InventoryNode) -> Vec<LabelLine> {
        let label = |key: &str| inventory.label(node, key).map(str::to_owned);
        let mut out = Vec::new();
        let mut add = |key: &str, value: Option<String>, decides: String| {
            out.push(LabelLine { key: key.to_owned(), value, decides });
        };
        let spec = &self.rendering.workflow.spec;
        if let Some(target) = &spec.orchestration.target {
            for (key, wanted) in &target.node_selector {
                add(key, label(key), format!("the target wants {wanted:?}"));
            }
            for expression in &target.match_expressions {
                let wanted = format!("{} {}", expression.operator, expression.values.join(", "));
                add(&expression.key, label(&expression.key), format!("the target wants {}", wanted.trim_end()));
            }
        }
        add(GPU_PRESENT_KEY, label(GPU_PRESENT_KEY), "true: a GPU node".to_owned());
        add(
            GPU_PRODUCT_KEY,
            label(GPU_PRODUCT_KEY),
            format!("GPU architecture, here {}", self.rendering.facts.architecture),
        );
        let provider = node.provider_id.map(|id| inventory.text(id).to_owned());
        let platform = crate::fleet::detect_platform(inventory, index, self.catalogue);
        add("spec.providerID", provider, format!("platform, here {platform}"));
        let topology = spec.orchestration.topology.as_ref().and_then(|t| t.topology_key.as_deref());
        if let Some(key) = topology.filter(|k| !k.is_empty()) {
            add(key, label(key), "topology domain".to_owned());
        }
        add(HOSTNAME_KEY, label(HOSTNAME_KEY), "name in the affinity of the pods".to_owned());
        out
    }

    fn membership(&self, jobs: &Prepared<'_>, inventory: &Inventory, group: &Group, node: u32) -> Membership {
        let key = self.topology_key();
        let domain = key.and_then(|key| domain_of(inventory, node, key)).map(str::to_owned);
        Membership { group: group.name(), domain, reason: self.reason(jobs, inventory, group) }
    }

    fn topology_key(&self) -> Option<&str> {
        let topology = self.rendering.workflow.spec.orchestration.topology.as_ref()?;
        topology.topology_key.as_deref().filter(|key| !key.is_empty())
    }

    /// Why a group has these nodes (03 §5).
    fn reason(&self, jobs: &Prepared<'_>, inventory: &Inventory, group: &Group) -> String {
        let strict =
            self.rendering.workflow.spec.orchestration.topology.as_ref().is_some_and(|t| t.strict_domain == Some(true));
        let size = jobs.nodes_per_job();
        let domains: Vec<&str> = group.domains.iter().map(|d| inventory.text(*d)).collect();
        match self.topology_key() {
            _ if group.nodes.is_empty() => format!("Unpinned: the scheduler chooses {size} nodes"),
            _ if group.overflow => {
                let borrowed = group.nodes.iter().filter(|n| jobs.repeated_nodes().contains(n)).count();
                format!(
                    "leftovers: {} of its {} nodes fill no group of {size}, {borrowed} are borrowed from full groups",
                    group.nodes.len() - borrowed,
                    group.nodes.len()
                )
            }
            Some(key) if strict => format!("strict domains: all nodes whose label {key} is {}", domains.join(", ")),
            Some(key) if domains.len() > 1 => {
                format!(
                    "{size} nodes packed by {key}: no single domain had {size} left, so it spans {}",
                    domains.join(", ")
                )
            }
            Some(key) => format!("{size} nodes packed by {key}, all in {}", domains.join(", ")),
            None => format!("plain groups: {size} nodes one after the other by name"),
        }
    }

    /// A group; `Err` with names that look like it.
    pub(super) fn group(&self, name: &str) -> Result<GroupAnswer, (String, Vec<String>)> {
        let (Some(inventory), Some(jobs)) = (self.rendering.inventory, self.jobs) else {
            return Err((
                "groups are known only with nodes, and when no finding keeps the run from having jobs".to_owned(),
                Vec::new(),
            ));
        };
        let Some((number, group)) = (0u32..).zip(jobs.groups()).find(|(_, group)| group.name() == name) else {
            let names = jobs.groups().iter().map(|g| (g.name(), format!("group/{}", g.name())));
            return Err((format!("no group is {name}"), super::near::nearest(name, names)));
        };
        let objects = jobs.manifests(JobId { iteration: 1, group: number });
        let object = |value: &Value| crate::lookup::reference(value).unwrap_or_default();
        let conflicts = jobs.conflicts(number).filter_map(|n| jobs.groups().get(n as usize)).map(Group::name);
        Ok(GroupAnswer {
            group: name.to_owned(),
            nodes: group
                .nodes
                .iter()
                .filter_map(|n| inventory.nodes.get(*n as usize))
                .map(|n| inventory.text(n.name).to_owned())
                .collect(),
            domains: group.domains.iter().map(|d| inventory.text(*d).to_owned()).collect(),
            reason: self.reason(jobs, inventory, group),
            conflicts: conflicts.collect(),
            objects: objects.iter().map(|m| object(&m.value)).collect(),
            scheduling: Schedule::new(jobs).explain(number),
        })
    }

    /// The groups in one line.
    pub(super) fn groups_line(&self) -> Option<GroupsLine> {
        let fleet = self.rendering.fleet.as_ref()?;
        let jobs = self.jobs?;
        let sizes = || {
            jobs.groups().iter().map(|g| {
                if g.nodes.is_empty() { usize::try_from(jobs.nodes_per_job()).unwrap_or(0) } else { g.nodes.len() }
            })
        };
        Some(GroupsLine {
            nodes: fleet.nodes.len(),
            excluded: fleet.excluded.len(),
            groups: jobs.groups().len(),
            sizes: [sizes().min().unwrap_or(0), sizes().max().unwrap_or(0)],
            topology_key: self.topology_key().map(str::to_owned),
            jobs: jobs.len(),
        })
    }
}
