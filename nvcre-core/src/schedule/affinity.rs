//! Node selector and required node affinity of a pod (03 §6.5), compiled for one inventory.

use crate::api::{NodeSelectorRequirement, Value};
use crate::check::pod_parts::{list, text};
use crate::fleet::{Inventory, InventoryNode, StringId, Test, label_id};

/// What a pod wants of the labels and fields of its node.
#[derive(Debug, Clone, Default)]
pub(super) struct Affinity {
    selector: Vec<(Option<StringId>, Option<StringId>, String)>,
    /// `None`: no required affinity. One of the terms must hold.
    terms: Option<Vec<Term>>,
    /// `spec.nodeName`.
    name: Option<Option<StringId>>,
}

/// All of it must hold.
#[derive(Debug, Clone)]
struct Term {
    /// The node must be one of the group.
    of_group: bool,
    labels: Vec<(Option<StringId>, Test, String)>,
    /// `metadata.name` among these, or not among them.
    fields: Vec<(bool, Vec<StringId>)>,
    /// Without anything, or with a field that there is not: no node passes.
    never: bool,
}

/// How a node fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    /// Never.
    No,
    /// When its host name is one of the group's.
    OfGroup,
    /// In every group.
    Always,
}

impl Affinity {
    /// Of the spec of a pod, in which `true` stands for the host names of the group.
    pub(super) fn new(inventory: &Inventory, spec: &Value) -> Self {
        let find = |text: &str| inventory.strings.find(text);
        let selector = spec.get("nodeSelector").and_then(Value::as_object).into_iter().flatten();
        let shown = |key: &String, value: &Value| format!("{key}={}", value.as_str().unwrap_or_default());
        let selector = selector.map(|(k, v)| (find(k), v.as_str().and_then(find), shown(k, v))).collect();
        let required = spec.pointer("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
        let required = required.filter(|required| !required.is_null());
        let terms = required.map(|r| list(r, "nodeSelectorTerms").iter().map(|t| Term::new(inventory, t)).collect());
        let name = Some(text(spec, "nodeName")).filter(|name| !name.is_empty()).map(find);
        Self { selector, terms, name }
    }

    /// True when the pod names its hosts by group.
    pub(super) fn is_by_group(&self) -> bool {
        self.terms.iter().flatten().any(|term| term.of_group)
    }

    /// How a node fares.
    pub(super) fn of(&self, inventory: &Inventory, node: &InventoryNode) -> Match {
        if self.name.is_some_and(|name| name != Some(node.name)) || self.unlike(node).is_some() {
            return Match::No;
        }
        let Some(terms) = &self.terms else { return Match::Always };
        let of = |term: &Term| match term.holds(inventory, node) {
            false => Match::No,
            true if term.of_group => Match::OfGroup,
            true => Match::Always,
        };
        terms.iter().map(of).max().unwrap_or(Match::No)
    }

    /// The first entry of the node selector that a node does not have.
    fn unlike(&self, node: &InventoryNode) -> Option<&str> {
        let has = |key: Option<StringId>, value: Option<StringId>| {
            let found = label_id(node, key);
            found.is_some() && found == value
        };
        self.selector.iter().find(|(key, value, _)| !has(*key, *value)).map(|(_, _, text)| text.as_str())
    }

    /// The first thing that a pod wants of a node and that the node does not have, for people.
    pub(super) fn missing(&self, inventory: &Inventory, node: &InventoryNode) -> Option<&str> {
        let expression = || {
            let term = self.terms.iter().flatten().find(|term| !term.holds(inventory, node))?;
            let lacks =
                |(key, test, _): &&(Option<StringId>, Test, String)| !test.holds(inventory, label_id(node, *key));
            term.labels.iter().find(lacks).map(|(_, _, text)| text.as_str())
        };
        self.unlike(node).or_else(expression)
    }
}

impl Term {
    fn new(inventory: &Inventory, term: &Value) -> Self {
        let (labels, fields) = (list(term, "matchExpressions"), list(term, "matchFields"));
        let mut out = Self { of_group: false, labels: Vec::new(), fields: Vec::new(), never: false };
        out.never = labels.is_empty() && fields.is_empty();
        for expression in labels {
            if expression.get("values") == Some(&Value::Bool(true)) {
                out.of_group = true;
                continue;
            }
            let requirement: NodeSelectorRequirement = serde_json::from_value(expression.clone()).unwrap_or_default();
            let text = format!("{} {} {}", requirement.key, requirement.operator, requirement.values.join(", "));
            let test = Test::new(inventory, &requirement);
            out.labels.push((inventory.strings.find(&requirement.key), test, text.trim_end().to_owned()));
        }
        for field in fields {
            let values: Vec<StringId> =
                list(field, "values").iter().filter_map(|v| inventory.strings.find(v.as_str()?)).collect();
            match (text(field, "key"), text(field, "operator")) {
                ("metadata.name", "In") => out.fields.push((true, values)),
                ("metadata.name", "NotIn") => out.fields.push((false, values)),
                _ => out.never = true,
            }
        }
        out
    }

    fn holds(&self, inventory: &Inventory, node: &InventoryNode) -> bool {
        !self.never
            && self.labels.iter().all(|(key, test, _)| test.holds(inventory, label_id(node, *key)))
            && self.fields.iter().all(|(wanted, names)| names.contains(&node.name) == *wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::InventoryBuilder;
    use serde_json::json;

    /// What a spec says of the nodes `n1` (pool a, rank 7) and `n2` (pool b).
    fn of(spec: Value) -> [Match; 2] {
        let mut builder = InventoryBuilder::new();
        builder.node("n1").label("pool", "a").label("rank", "7");
        builder.node("n2").label("pool", "b");
        let inventory = builder.build();
        let affinity = Affinity::new(&inventory, &spec);
        [0, 1].map(|at: usize| affinity.of(&inventory, &inventory.nodes[at]))
    }

    fn terms(terms: Value) -> Value {
        json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}})
    }

    #[test]
    fn what_a_node_lacks() {
        let mut builder = InventoryBuilder::new();
        builder.node("n").label("pool", "a");
        let inventory = builder.build();
        let missing =
            |spec: Value| Affinity::new(&inventory, &spec).missing(&inventory, &inventory.nodes[0]).map(str::to_owned);
        assert_eq!(missing(json!({"nodeSelector": {"pool": "b"}})).as_deref(), Some("pool=b"));
        let expression = |operator: &str, values: Value| {
            missing(terms(json!([{"matchExpressions": [{"key": "pool", "operator": operator, "values": values}]}])))
        };
        assert_eq!(expression("In", json!(["b", "c"])).as_deref(), Some("pool In b, c"));
        assert_eq!(expression("DoesNotExist", json!([])).as_deref(), Some("pool DoesNotExist"));
        assert_eq!(expression("Exists", json!([])), None);
    }

    #[test]
    fn selector_and_terms() {
        use Match::{Always, No, OfGroup};
        let one = |key: &str, operator: &str, values: Value| {
            terms(json!([{"matchExpressions": [{"key": key, "operator": operator, "values": values}]}]))
        };
        for (spec, wanted) in [
            (json!({}), [Always, Always]),
            (json!({"nodeSelector": {"pool": "a"}}), [Always, No]),
            (json!({"nodeSelector": {"pool": "nowhere"}}), [No, No]),
            (json!({"nodeSelector": {"gone": "a"}}), [No, No]),
            (json!({"nodeName": "n2"}), [No, Always]),
            (one("pool", "In", json!(["a"])), [Always, No]),
            (one("pool", "NotIn", json!(["a"])), [No, Always]),
            (one("rank", "Exists", json!([])), [Always, No]),
            (one("rank", "DoesNotExist", json!([])), [No, Always]),
            (one("rank", "Gt", json!(["6"])), [Always, No]),
            (one("rank", "Lt", json!(["7"])), [No, No]),
            (one("kubernetes.io/hostname", "In", json!(true)), [OfGroup, OfGroup]),
            // Expressions of a term hold together, terms one or the other.
            (
                terms(json!([{"matchExpressions": [
                    {"key": "pool", "operator": "In", "values": ["a"]}, {"key": "rank", "operator": "Gt", "values": ["7"]},
                ]}])),
                [No, No],
            ),
            (
                terms(json!([
                    {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}, {"key": "h", "operator": "In", "values": true}]},
                    {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["b"]}]},
                ])),
                [OfGroup, Always],
            ),
            (terms(json!([])), [No, No]),
            (terms(json!([{}])), [No, No]),
            (
                terms(json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}])),
                [No, Always],
            ),
            (
                terms(json!([{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n2"]}]}])),
                [Always, No],
            ),
            (terms(json!([{"matchFields": [{"key": "metadata.uid", "operator": "In", "values": ["n2"]}]}])), [No, No]),
        ] {
            assert_eq!(of(spec.clone()), wanted, "{spec}");
        }
    }
}
