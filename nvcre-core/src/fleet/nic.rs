//! The RDMA NIC resource, found from what the nodes offer (03 §4, 00 D30, D36).

use super::names::commas;
use super::synthetic::is_synthetic;
use super::{Fleet, Inventory, StringId};
use crate::catalogue::{Catalogue, NicRule};
use crate::check::Quantity;
use crate::diagnostic::{Code, Diagnostic};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the NIC resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NicResource {
    /// `spec.nicResourceName`; nothing was looked up. May be empty.
    Given(String),
    /// The only candidate that every node offers in the wanted count.
    Found(String),
    /// The platform and architecture have no such resource, or no node says what it offers.
    NotLookedUp,
    /// No candidate, or more than one, qualifies: nothing is requested.
    Undecided {
        /// Candidates that qualify, sorted; empty or at least two.
        qualifying: Vec<String>,
        /// Why, and what to set (`NICResourceDetection`).
        notice: Box<Diagnostic>,
    },
}

impl NicResource {
    /// The resource to request; empty when none is.
    pub fn name(&self) -> &str {
        match self {
            Self::Given(name) | Self::Found(name) => name,
            Self::NotLookedUp | Self::Undecided { .. } => "",
        }
    }

    /// The notice, when detection ran and chose nothing.
    pub fn notice(&self) -> Option<&Diagnostic> {
        match self {
            Self::Undecided { notice, .. } => Some(notice),
            _ => None,
        }
    }
}

/// The candidates of some nodes.
struct Survey {
    /// Every candidate that a node lists, in any quantity.
    seen: BTreeSet<String>,
    /// Those that every node offers in the wanted count.
    qualifying: BTreeSet<String>,
    /// Whether any node says what it offers at all.
    informed: bool,
}

fn survey(inventory: &Inventory, nodes: &[u32], rule: &NicRule, required: i64) -> Survey {
    let required = Quantity::from_whole(required);
    let mut counts: BTreeMap<StringId, Option<usize>> = BTreeMap::new();
    let mut informed = false;
    for node in nodes.iter().filter_map(|n| inventory.nodes.get(*n as usize)) {
        informed |= !node.allocatable.is_empty();
        for (resource, quantity) in &node.allocatable {
            let count = counts.entry(*resource).or_insert_with(|| {
                let text = inventory.text(*resource);
                let candidate =
                    rule.prefixes.iter().any(|p| text.starts_with(p.as_str())) || rule.names.iter().any(|n| text == n);
                candidate.then_some(0)
            });
            if let Some(count) = count
                && Quantity::parse(inventory.text(*quantity)).is_some_and(|q| q >= required)
            {
                *count += 1;
            }
        }
    }
    let text = |id: &StringId| inventory.text(*id).to_owned();
    let candidates = || counts.iter().filter_map(|(id, count)| count.map(|count| (id, count)));
    Survey {
        seen: candidates().map(|(id, _)| text(id)).collect(),
        qualifying: candidates().filter(|(_, count)| *count == nodes.len()).map(|(id, _)| text(id)).collect(),
        informed,
    }
}

impl Fleet {
    /// The RDMA NIC resource of the run (03 §4). `given` is `spec.nicResourceName`, `nics` the resolved `mlnxPerNode`.
    ///
    /// All nodes of the target are looked at, also those that the architecture or capacity filter leaves out; the
    /// notice says so when these decide (00 D36).
    pub fn nic_resource(
        &self,
        inventory: &Inventory,
        catalogue: &Catalogue,
        given: Option<&str>,
        nics: i32,
    ) -> NicResource {
        if let Some(name) = given {
            return NicResource::Given(name.to_owned());
        }
        let Some(rule) = catalogue.nic_rule(&self.platform, &self.architecture) else {
            return NicResource::NotLookedUp;
        };
        let nodes = self.discovered(inventory);
        if nodes.is_empty() || is_synthetic(inventory) {
            return NicResource::NotLookedUp;
        }
        let required = i64::from(nics.max(1));
        let all = survey(inventory, &nodes, rule, required);
        if !all.informed {
            return NicResource::NotLookedUp;
        }
        let one = |s: &Survey| (s.qualifying.len() == 1).then(|| s.qualifying.first().cloned()).flatten();
        if let Some(name) = one(&all) {
            return NicResource::Found(name);
        }
        let wanted = commas(rule.prefixes.iter().map(|p| format!("{p}*")).chain(rule.names.iter().cloned()));
        let mut message = if all.qualifying.len() > 1 {
            format!(
                "several NIC resources cover every node of the target ({}), so none is requested",
                commas(&all.qualifying)
            )
        } else if all.seen.is_empty() {
            format!("no node of the target offers a NIC resource ({wanted}), so none is requested")
        } else {
            format!(
                "of the NIC resources on the nodes of the target ({}) none reaches the count of {required} on every \
                 node, so none is requested",
                commas(&all.seen)
            )
        };
        if nodes.len() > self.nodes.len()
            && let Some(name) = one(&survey(inventory, &self.nodes, rule, required))
        {
            let out = self.excluded.iter().filter(|e| e.reason.is_late()).map(|e| self.name(inventory, e.node));
            message.push_str(&format!(
                "; all nodes that take part offer {name}; nodes that do not take part decide: {}",
                commas(out),
            ));
        }
        let help = if all.qualifying.is_empty() && !all.seen.is_empty() {
            "set spec.nicResourceName to the resource to request, or spec.mlnxPerNode to a count that every node offers"
        } else {
            "set spec.nicResourceName to the resource to request"
        };
        let notice = Diagnostic::at(Code::NicResourceDetection, "spec.nicResourceName", message).with_help(help);
        NicResource::Undecided { qualifying: all.qualifying.into_iter().collect(), notice: Box::new(notice) }
    }
}
