//! Does a node pass a target? Filters 1–5 of 03 §1, compiled once against the numbers of an inventory, so that a node
//! costs comparisons of numbers and no allocation.

use super::health::nodes_with_slices;
use super::{ExclusionReason, Inventory, InventoryNode, StringId};
use crate::api::{
    GPU_PRESENT_KEY, GPU_PRODUCT_KEY, GPU_RESOURCE, NodeSelectorRequirement, Taint, TaintSelector, TargetSpec,
};
use crate::check::{Quantity, label_key_problem, label_value_problem};
use std::collections::BTreeSet;

/// Taint that Kubernetes puts on a cordoned node.
pub(crate) const UNSCHEDULABLE_TAINT: &str = "node.kubernetes.io/unschedulable";

/// A target, compiled for one inventory.
pub(crate) struct Selector {
    labels: Vec<(Option<StringId>, Option<StringId>)>,
    expressions: Vec<(Option<StringId>, Test)>,
    /// Sorted; `None` when the target names no nodes.
    names: Option<Vec<StringId>>,
    /// Per entry of `taintSelectors`: which taints of the inventory it matches.
    taints: Vec<Vec<bool>>,
    keep_cordoned: bool,
    present: Option<StringId>,
    yes: Option<StringId>,
    with_slices: BTreeSet<StringId>,
}

/// One expression about a label.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    In(Vec<StringId>),
    NotIn(Vec<StringId>),
    Exists,
    DoesNotExist,
    Greater(i64),
    Less(i64),
    /// No operator of Kubernetes, or a wrong number or form of values (03 §1.2).
    Never,
}

impl Test {
    /// Compiles an expression for the numbers of an inventory.
    pub(crate) fn new(inventory: &Inventory, expression: &NodeSelectorRequirement) -> Self {
        let values = &expression.values;
        if label_key_problem(&expression.key).is_some() {
            return Self::Never;
        }
        let known = || {
            let mut ids: Vec<StringId> = values.iter().filter_map(|v| inventory.strings.find(v)).collect();
            ids.sort_unstable();
            ids
        };
        let good = !values.is_empty() && values.iter().all(|v| label_value_problem(v).is_none());
        let integer = match values.as_slice() {
            [one] => one.parse::<i64>().ok(),
            _ => None,
        };
        match (expression.operator.as_str(), integer) {
            ("In", _) if good => Self::In(known()),
            ("NotIn", _) if good => Self::NotIn(known()),
            ("Exists", _) if values.is_empty() => Self::Exists,
            ("DoesNotExist", _) if values.is_empty() => Self::DoesNotExist,
            ("Gt", Some(bound)) => Self::Greater(bound),
            ("Lt", Some(bound)) => Self::Less(bound),
            _ => Self::Never,
        }
    }

    /// Whether it holds for the value of a label, `None` when there is no such label.
    pub(crate) fn holds(&self, inventory: &Inventory, found: Option<StringId>) -> bool {
        let number = || found.and_then(|id| inventory.text(id).parse::<i64>().ok());
        match self {
            Self::In(values) => found.is_some_and(|v| values.binary_search(&v).is_ok()),
            Self::NotIn(values) => found.is_none_or(|v| values.binary_search(&v).is_err()),
            Self::Exists => found.is_some(),
            Self::DoesNotExist => found.is_none(),
            Self::Greater(bound) => number().is_some_and(|n| n > *bound),
            Self::Less(bound) => number().is_some_and(|n| n < *bound),
            Self::Never => false,
        }
    }
}

/// True when a taint selector matches a taint (03 §1.4).
fn taint_matches(selector: &TaintSelector, taint: &Taint) -> bool {
    selector.key == taint.key
        && (selector.value.is_empty() || selector.value == taint.value)
        && (selector.effect.is_empty() || selector.effect == taint.effect)
}

/// The value of a label of a node, by the number of its key.
pub(crate) fn label_id(node: &InventoryNode, key: Option<StringId>) -> Option<StringId> {
    let key = key?;
    node.labels.iter().find(|(k, _)| *k == key).map(|(_, value)| *value)
}

impl Selector {
    pub(crate) fn new(inventory: &Inventory, target: Option<&TargetSpec>) -> Self {
        let strings = &inventory.strings;
        let none = TargetSpec::default();
        let target = target.unwrap_or(&none);
        let names = (!target.node_names.is_empty()).then(|| {
            let mut ids: Vec<StringId> = target.node_names.iter().filter_map(|n| strings.find(n)).collect();
            ids.sort_unstable();
            ids
        });
        Self {
            labels: target.node_selector.iter().map(|(k, v)| (strings.find(k), strings.find(v))).collect(),
            expressions: target
                .match_expressions
                .iter()
                .map(|e| (strings.find(&e.key), Test::new(inventory, e)))
                .collect(),
            names,
            taints: target
                .taint_selectors
                .iter()
                .map(|s| inventory.taints.iter().map(|t| taint_matches(s, t)).collect())
                .collect(),
            keep_cordoned: target.include_unschedulable
                || target.taint_selectors.iter().any(|s| s.key == UNSCHEDULABLE_TAINT),
            present: strings.find(GPU_PRESENT_KEY),
            yes: strings.find("true"),
            with_slices: nodes_with_slices(inventory),
        }
    }

    /// True for a node that offers GPUs, as a resource or in a slice, or carries a product label (00 D27).
    fn looks_like_gpu(&self, inventory: &Inventory, node: &InventoryNode) -> bool {
        let offered = || inventory.allocatable(node, GPU_RESOURCE).and_then(Quantity::parse);
        inventory.label(node, GPU_PRODUCT_KEY).is_some_and(|p| !p.is_empty())
            || offered().is_some_and(|q| q > Quantity::default())
            || self.with_slices.contains(&node.name)
    }

    /// The first filter of 1–6 that a node does not pass; `None` when it passes all.
    pub(crate) fn excludes(&self, inventory: &Inventory, node: &InventoryNode) -> Option<ExclusionReason> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        for (at, (key, value)) in self.labels.iter().enumerate() {
            let found = label_id(node, *key);
            if found.is_none() || found != *value {
                return Some(ExclusionReason::NodeSelector { entry: number(at), found });
            }
        }
        for (at, (key, test)) in self.expressions.iter().enumerate() {
            let found = label_id(node, *key);
            if !test.holds(inventory, found) {
                return Some(ExclusionReason::MatchExpression { index: number(at), found });
            }
        }
        if self.names.as_ref().is_some_and(|names| names.binary_search(&node.name).is_err()) {
            return Some(ExclusionReason::NodeNames);
        }
        for (at, matching) in self.taints.iter().enumerate() {
            let carries = node.taints.iter().any(|id| matching.get(id.0 as usize).is_some_and(|m| *m));
            if !carries {
                return Some(ExclusionReason::TaintSelector { index: number(at) });
            }
        }
        let found = label_id(node, self.present);
        let gpu = found.is_some() && found == self.yes;
        if node.unschedulable && !self.keep_cordoned {
            return Some(ExclusionReason::Cordoned { gpu });
        }
        (!gpu).then(|| ExclusionReason::GpuPresent { found, looks_like_gpu: self.looks_like_gpu(inventory, node) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::InventoryBuilder;

    fn expression(key: &str, operator: &str, values: &[&str]) -> NodeSelectorRequirement {
        NodeSelectorRequirement {
            key: key.into(),
            operator: operator.into(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
        }
    }

    /// What the selector says of one node with the labels `pool=train`, `rank=7`, `empty=`.
    fn holds(e: NodeSelectorRequirement) -> bool {
        let mut builder = InventoryBuilder::new();
        builder.node("n1").label("pool", "train").label("rank", "7").label("empty", "").label("word", "x");
        builder.node("n2").label("other", "eval");
        let inventory = builder.build();
        let target = TargetSpec { match_expressions: vec![e], ..TargetSpec::default() };
        let node = &inventory.nodes[0];
        !matches!(
            Selector::new(&inventory, Some(&target)).excludes(&inventory, node),
            Some(ExclusionReason::MatchExpression { .. })
        )
    }

    #[test]
    fn operators_of_03_1_2() {
        for (key, operator, values, wanted) in [
            ("pool", "In", &["train", "eval"][..], true),
            ("pool", "In", &["eval"], false),
            ("pool", "In", &["nowhere"], false),
            ("gone", "In", &["train"], false),
            ("pool", "In", &[], false),
            ("empty", "In", &[""], true),
            ("pool", "NotIn", &["eval"], true),
            ("pool", "NotIn", &["train"], false),
            ("gone", "NotIn", &["train"], true),
            ("pool", "NotIn", &[], false),
            ("pool", "Exists", &[], true),
            ("empty", "Exists", &[], true),
            ("gone", "Exists", &[], false),
            ("pool", "Exists", &["train"], false),
            ("gone", "DoesNotExist", &[], true),
            ("pool", "DoesNotExist", &[], false),
            ("gone", "DoesNotExist", &["x"], false),
            // 00 D12.
            ("rank", "Gt", &["6"], true),
            ("rank", "Gt", &["7"], false),
            ("rank", "Lt", &["8"], true),
            ("rank", "Lt", &["7"], false),
            ("rank", "Gt", &["-1"], true),
            ("rank", "Gt", &["6", "5"], false),
            ("rank", "Gt", &["six"], false),
            ("rank", "Gt", &[], false),
            ("word", "Gt", &["1"], false),
            ("word", "Lt", &["1"], false),
            ("gone", "Gt", &["1"], false),
            // Anything else never holds.
            ("pool", "in", &["train"], false),
            ("pool", "Matches", &["train"], false),
            ("-bad-", "DoesNotExist", &[], false),
            ("pool", "NotIn", &["not a label"], false),
        ] {
            assert_eq!(holds(expression(key, operator, values)), wanted, "{key} {operator} {values:?}");
        }
    }

    #[test]
    fn taints_of_03_1_4() {
        let mut builder = InventoryBuilder::new();
        builder.node("n1").taint("a", "1", "NoSchedule").taint("b", "", "NoExecute");
        let inventory = builder.build();
        let selector = |key: &str, value: &str, effect: &str| TaintSelector {
            key: key.into(),
            value: value.into(),
            effect: effect.into(),
        };
        for (selectors, wanted) in [
            (vec![selector("a", "", "")], None),
            (vec![selector("a", "1", "")], None),
            (vec![selector("a", "1", "NoSchedule")], None),
            (vec![selector("a", "2", "")], Some(0)),
            (vec![selector("a", "", "NoExecute")], Some(0)),
            (vec![selector("a", "", ""), selector("b", "", "")], None),
            (vec![selector("a", "", ""), selector("c", "", "")], Some(1)),
        ] {
            let target = TargetSpec { taint_selectors: selectors.clone(), ..TargetSpec::default() };
            let got = match Selector::new(&inventory, Some(&target)).excludes(&inventory, &inventory.nodes[0]) {
                Some(ExclusionReason::TaintSelector { index }) => Some(index),
                _ => None,
            };
            assert_eq!(got, wanted, "{selectors:?}");
        }
    }
}
