//! Tests of whole fleets; what stands alone is tested beside its code.

mod eligibility;
mod health;
mod later;
mod made_up;
mod order;
mod vote;

use super::testing::{catalogue, gpu_node};
use super::*;
use crate::api::{NodeSelectorRequirement, TaintSelector, TargetSpec};
use crate::diagnostic::{Code, Diagnostic};

/// Discovers without a flag.
fn discover(inventory: &Inventory, target: Option<&TargetSpec>) -> (Fleet, Vec<Diagnostic>) {
    let (fleet, mut found) = Fleet::discover(inventory, target, &catalogue(), &DiscoverOptions::default());
    found.extend(fleet.health_findings(inventory));
    (fleet, found)
}

fn names(inventory: &Inventory, fleet: &Fleet) -> Vec<String> {
    fleet.names(inventory).map(str::to_owned).collect()
}

fn codes(found: &[Diagnostic]) -> Vec<Code> {
    found.iter().map(|d| d.code).collect()
}

fn finding(found: &[Diagnostic], code: Code) -> &Diagnostic {
    found.iter().find(|d| d.code == code).unwrap_or_else(|| panic!("{code:?} is missing in {found:#?}"))
}

/// A message and its help hold all these parts.
fn says(d: &Diagnostic, parts: &[&str]) {
    let text = format!("{} {}", d.message, d.help.as_deref().unwrap_or(""));
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

fn expression(key: &str, operator: &str, values: &[&str]) -> NodeSelectorRequirement {
    NodeSelectorRequirement {
        key: key.into(),
        operator: operator.into(),
        values: values.iter().map(|v| (*v).to_owned()).collect(),
    }
}

fn taint(key: &str) -> TaintSelector {
    TaintSelector { key: key.into(), ..TaintSelector::default() }
}
