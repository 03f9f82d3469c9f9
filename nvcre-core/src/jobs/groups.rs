//! The groups of a run, with every finding about sizes and domains (03 §5; 00 D14, D29, D36, D74).

use super::input::{JobsInput, listed};
use super::partition::{Group, Grouping, PartitionError, partition};
use crate::diagnostic::{Code, Diagnostic};
use crate::trace::Origin;
use std::collections::{BTreeMap, BTreeSet};

const SIZE: &str = "spec.numNodes";
const TOPOLOGY_KEY: &str = "spec.orchestration.topology.topologyKey";

/// The groups of a run and the nodes they share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    pub list: Vec<Group>,
    /// Groups that share a node with a group, by group.
    pub conflicts: BTreeMap<u32, BTreeSet<u32>>,
    /// Nodes that are in two groups, in the order of the groups that borrow them.
    pub repeated: Vec<u32>,
}

impl Groups {
    pub fn new(list: Vec<Group>) -> Self {
        let mut first: BTreeMap<u32, u32> = BTreeMap::new();
        let mut conflicts: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut repeated = Vec::new();
        // Only groups that borrow can share nodes, so nothing is built for a fleet that divides evenly.
        if list.iter().any(|g| g.overflow) {
            for (place, group) in (0u32..).zip(&list) {
                for node in &group.nodes {
                    if let Some(other) = first.insert(*node, place) {
                        conflicts.entry(place).or_default().insert(other);
                        conflicts.entry(other).or_default().insert(place);
                        repeated.push(*node);
                    }
                }
            }
        }
        Self { list, conflicts, repeated }
    }

    /// Nodes of the largest group.
    pub fn largest(&self) -> usize {
        self.list.iter().map(|g| g.nodes.len()).max().unwrap_or(0)
    }
}

/// Groups of `size` nodes with all findings; `None` when there are none.
pub(crate) fn groups(input: &JobsInput<'_>, size: i64, findings: &mut Vec<Diagnostic>) -> Option<Groups> {
    conflicts_with_unpinned(input, findings);
    let found = input.fleet.nodes.len();
    let placement = &input.workflow.spec.orchestration.placement;
    if let Some(finding) = input.fleet.size_check(input.inventory, size, placement, &SIZE.into()) {
        findings.push(finding);
        return None;
    }
    if found == 0 {
        let message = "no node takes part, so there is nothing to group";
        findings.push(
            Diagnostic::at(Code::JobSize, SIZE, message)
                .with_help("see which nodes spec.target leaves out, and why, with nvcrectl workloadrun plan"),
        );
        return None;
    }
    let grouping = input.grouping();
    match partition(input.inventory, &input.fleet.nodes, size, grouping) {
        Ok(list) => {
            let groups = Groups::new(list);
            odd_sizes(&groups, size, grouping, findings);
            if !groups.repeated.is_empty() {
                let message = format!(
                    "{} of {} nodes {} twice, in an overflow group that takes what the full groups leave over: {}",
                    groups.repeated.len(),
                    found,
                    if groups.repeated.len() == 1 { "runs" } else { "run" },
                    input.node_list(groups.repeated.iter().copied())
                );
                findings.push(Diagnostic::at(Code::NodesRunTwice, SIZE, message).with_help(
                    "nothing to do; choose a numNodes that divides the number of nodes to have each run once",
                ));
            }
            Some(groups)
        }
        Err(PartitionError::MissingLabel(missing)) => {
            findings.push(missing_label(input, grouping, &missing));
            None
        }
        Err(error @ (PartitionError::Size(_) | PartitionError::NoNodes)) => {
            findings.push(
                Diagnostic::at(Code::JobSize, SIZE, error.to_string()).with_help("set spec.numNodes to 1 or more"),
            );
            None
        }
    }
}

/// 03 §5.7, on the resolved orchestration.
fn conflicts_with_unpinned(input: &JobsInput<'_>, findings: &mut Vec<Diagnostic>) {
    let orchestration = &input.workflow.spec.orchestration;
    if !input.unpinned() {
        return;
    }
    if orchestration.diagnose.is_some() {
        let message = "orchestration.placement Unpinned runs exactly one job, and orchestration.diagnose needs many";
        findings.push(
            Diagnostic::at(Code::PlacementConflict, "spec.orchestration.placement", message)
                .with_help("remove one of the two"),
        );
    }
    if orchestration.topology.as_ref().is_some_and(|t| t.strict_domain == Some(true)) {
        let message =
            "orchestration.placement Unpinned runs one job anywhere, and topology.strictDomain wants one per domain";
        findings.push(
            Diagnostic::at(Code::PlacementConflict, "spec.orchestration.topology.strictDomain", message).with_help(
                "to keep one job inside of a domain, name the label of the domain in spec.target.matchExpressions",
            ),
        );
    }
}

/// Groups that are not of the size asked for (00 D74).
fn odd_sizes(groups: &Groups, size: i64, grouping: Grouping<'_>, findings: &mut Vec<Diagnostic>) {
    let wanted = usize::try_from(size).unwrap_or(0);
    if grouping == Grouping::Unpinned {
        return;
    }
    let odd: Vec<&Group> = groups.list.iter().filter(|g| g.nodes.len() != wanted).collect();
    let Some(first) = odd.first() else { return };
    let (cause, help) = match (grouping, first.overflow) {
        (Grouping::Strict(key), _) => (
            format!("with strictDomain every value of the node label {key} is one group, whatever numNodes says"),
            "leave strictDomain (or testScale intra-rack) out to have groups of exactly numNodes nodes",
        ),
        (_, true) => (
            "the nodes that are left do not fill an overflow group".to_owned(),
            "nothing to do; choose a numNodes that divides the number of nodes to have equal groups",
        ),
        _ => (
            format!(
                "no {wanted} nodes can be taken out of as few topology domains as they would fit into, so all nodes are one group"
            ),
            "choose a smaller numNodes, or set spec.orchestration.topology.topologyKey: \"\" for plain groups by name",
        ),
    };
    let list = listed(odd.iter().map(|g| format!("{} has {}", g.name(), g.nodes.len())));
    let message = format!(
        "numNodes asks for groups of {wanted}, and {} {}: {list}; {cause}",
        odd.len(),
        if odd.len() == 1 { "differs" } else { "differ" }
    );
    findings.push(Diagnostic::at(Code::GroupSize, SIZE, message).with_help(help));
}

fn missing_label(input: &JobsInput<'_>, grouping: Grouping<'_>, missing: &[u32]) -> Diagnostic {
    let key = match grouping {
        Grouping::Packed(key) | Grouping::Strict(key) => key,
        Grouping::Plain | Grouping::Unpinned => "",
    };
    let origin = match input.topology_origin {
        Some(Origin::Entry { id, name }) => format!("which entry {id} {name} of the platform catalogue sets"),
        Some(Origin::Override { index }) => format!("which spec.overrides[{index}] sets"),
        Some(Origin::Run { path }) => format!("which {path} sets"),
        Some(Origin::Flag { name }) => format!("which {name} sets"),
        _ => "which names the topology domain".to_owned(),
    };
    let message = format!(
        "{} of {} nodes {} the label {key}, {origin}: {}",
        missing.len(),
        input.fleet.nodes.len(),
        if missing.len() == 1 { "lacks" } else { "lack" },
        input.node_list(missing.iter().copied())
    );
    Diagnostic::at(Code::MissingTopologyLabel, TOPOLOGY_KEY, message).with_help(format!(
        "label the nodes (kubectl label node <name> {key}=<domain>), or set {TOPOLOGY_KEY}: \"\" for plain groups by name"
    ))
}
