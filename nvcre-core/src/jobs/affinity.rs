//! Where the pods of a group may run: one required node affinity (03 §6.5; 00 D24, D61, D75, D79).

use super::patch::patches_of;
use super::references::at;
use crate::api::{GPU_PRODUCT_KEY, HOSTNAME_KEY, NodeSelectorRequirement, TargetSpec, TrainJobSpec};
use serde_json::{Value, json};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// The expressions that every pod of a run carries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Requirements {
    /// True when the first expression names the hosts of the group and is filled in per job.
    pub hosts_per_job: bool,
    /// The expressions in their order (03 §6.5).
    pub expressions: Vec<NodeSelectorRequirement>,
}

/// Hosts of the first expression.
pub(crate) enum Hosts {
    /// Those of each group (Pinned).
    PerJob,
    /// Always the same; empty gives no expression (Unpinned).
    Fixed(Vec<String>),
}

fn one_of(key: &str, values: Vec<String>) -> NodeSelectorRequirement {
    NodeSelectorRequirement { key: key.to_owned(), operator: "In".to_owned(), values }
}

/// The expressions of 03 §6.5 in order. An expression equal to an earlier one is left out; that of the hosts takes no
/// part in this.
pub(crate) fn requirements(target: Option<&TargetSpec>, hosts: Hosts, products: &[String]) -> Requirements {
    let mut rest: Vec<NodeSelectorRequirement> = Vec::new();
    let mut add = |expression: NodeSelectorRequirement| {
        if !rest.contains(&expression) {
            rest.push(expression);
        }
    };
    if let Some(target) = target {
        target.node_selector.iter().for_each(|(key, value)| add(one_of(key, vec![value.clone()])));
        target.match_expressions.iter().cloned().for_each(&mut add);
    }
    if !products.is_empty() {
        add(one_of(GPU_PRODUCT_KEY, products.to_vec()));
    }
    let (hosts_per_job, first) = match hosts {
        Hosts::PerJob => (true, Some(one_of(HOSTNAME_KEY, Vec::new()))),
        Hosts::Fixed(hosts) => (false, (!hosts.is_empty()).then(|| one_of(HOSTNAME_KEY, hosts))),
    };
    Requirements { hosts_per_job, expressions: first.into_iter().chain(rest).collect() }
}

/// The required terms that a pod of a replicated job has without ours: those of the last patch that sets any, else
/// those of the runtime. Patches replace the list (08 row 20).
pub(crate) fn existing_terms(train_job: &TrainJobSpec, pod: Option<&Value>, job: &str) -> Vec<Value> {
    let patched = patches_of(train_job, job).filter_map(|(_, spec)| spec.affinity.as_ref()).filter_map(terms);
    let own = pod.and_then(|pod| pod.get("affinity")).and_then(terms);
    patched.last().or(own).cloned().unwrap_or_default()
}

fn terms(affinity: &Value) -> Option<&Vec<Value>> {
    at(affinity, &["nodeAffinity", REQUIRED, "nodeSelectorTerms"]).and_then(Value::as_array)
}

/// True when a term matches no node, or holds an expression that Kubernetes refuses: no expression at all, or `In` and
/// `NotIn` without values (08 row 26).
pub(crate) fn is_empty_term(term: &Value) -> bool {
    let list = |key: &str| term.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let expressions = || list("matchExpressions").iter().chain(list("matchFields"));
    let without_values = |e: &Value| {
        let operator = e.get("operator").and_then(Value::as_str);
        matches!(operator, Some("In" | "NotIn")) && e.get("values").and_then(Value::as_array).is_none_or(Vec::is_empty)
    };
    expressions().next().is_none() || expressions().any(without_values)
}

/// Our expressions ANDed into every term that is there, or as the only term; and the place of the host list in each.
/// `base` is the affinity of the patch, whose other parts stay.
pub(crate) fn placed(base: Option<&Value>, existing: &[Value], ours: &Requirements) -> (Value, Vec<(usize, usize)>) {
    let expressions = ours.expressions.iter().map(|e| serde_json::to_value(e).unwrap_or_default());
    let expressions: Vec<Value> = expressions
        .enumerate()
        .map(|(index, mut e)| {
            // The list of hosts is there to be filled in, also while it is empty.
            if let (true, 0, Some(map)) = (ours.hosts_per_job, index, e.as_object_mut()) {
                map.insert("values".to_owned(), json!([]));
            }
            e
        })
        .collect();
    let mut hosts = Vec::new();
    let one = [json!({})];
    let existing = if existing.is_empty() { &one[..] } else { existing };
    let terms: Vec<Value> = existing
        .iter()
        .enumerate()
        .map(|(index, term)| {
            let there = term.get("matchExpressions").and_then(Value::as_array).cloned().unwrap_or_default();
            if ours.hosts_per_job {
                hosts.push((index, there.len()));
            }
            let mut term = term.as_object().cloned().unwrap_or_default();
            let all: Vec<Value> = there.into_iter().chain(expressions.iter().cloned()).collect();
            term.insert("matchExpressions".to_owned(), Value::Array(all));
            Value::Object(term)
        })
        .collect();
    let mut affinity = base.and_then(Value::as_object).cloned().unwrap_or_default();
    let node = affinity.entry("nodeAffinity").or_insert_with(|| json!({}));
    if !node.is_object() {
        *node = json!({});
    }
    if let Some(node) = node.as_object_mut() {
        node.insert(REQUIRED.to_owned(), json!({ "nodeSelectorTerms": terms }));
    }
    (Value::Object(affinity), hosts)
}

/// The keys from an affinity to a list of values in it.
pub(crate) fn values_path(term: usize, expression: usize) -> Vec<super::references::Step> {
    use super::references::{Step, keys};
    let mut place = keys(&["nodeAffinity", REQUIRED, "nodeSelectorTerms"]);
    place.push(Step::Index(term));
    place.extend(keys(&["matchExpressions"]));
    place.push(Step::Index(expression));
    place.extend(keys(&["values"]));
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn target() -> TargetSpec {
        TargetSpec {
            node_selector: BTreeMap::from([("z".into(), "1".into()), ("pool".into(), "train".into())]),
            match_expressions: vec![
                NodeSelectorRequirement {
                    key: "nvidia.com/gpu.clique".into(),
                    operator: "In".into(),
                    values: vec!["clique-0".into()],
                },
                one_of("pool", vec!["train".into()]),
            ],
            node_names: vec!["gpu-09".into()],
            ..TargetSpec::default()
        }
    }

    #[test]
    fn order_and_duplicates() {
        let products = ["NVIDIA-H100-80GB-HBM3".to_owned()];
        let found = requirements(Some(&target()), Hosts::PerJob, &products);
        let keys: Vec<&str> = found.expressions.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, [HOSTNAME_KEY, "pool", "z", "nvidia.com/gpu.clique", GPU_PRODUCT_KEY]);
        assert!(found.hosts_per_job);
        let unpinned = requirements(Some(&target()), Hosts::Fixed(vec!["b".into(), "a".into()]), &[]);
        assert_eq!(unpinned.expressions.first(), Some(&one_of(HOSTNAME_KEY, vec!["b".into(), "a".into()])));
        assert!(requirements(None, Hosts::Fixed(Vec::new()), &[]).expressions.is_empty());
    }

    #[test]
    fn a_hostname_in_the_selector_stands_twice_under_pinned() {
        let target = TargetSpec {
            node_selector: BTreeMap::from([(HOSTNAME_KEY.into(), "gpu-node-01".into())]),
            ..TargetSpec::default()
        };
        assert_eq!(requirements(Some(&target), Hosts::PerJob, &[]).expressions.len(), 2);
    }

    #[test]
    fn ours_go_into_every_term_and_other_parts_stay() {
        let ours = requirements(None, Hosts::PerJob, &["P".to_owned()]);
        let base =
            json!({"podAffinity": {"x": 1}, "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}});
        let existing = [
            json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]}),
            json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}),
        ];
        let (value, hosts) = placed(Some(&base), &existing, &ours);
        let product = json!({"key": GPU_PRODUCT_KEY, "operator": "In", "values": ["P"]});
        let host = json!({"key": HOSTNAME_KEY, "operator": "In", "values": []});
        assert_eq!(
            value,
            json!({
                "podAffinity": {"x": 1},
                "nodeAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [],
                    REQUIRED: {"nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "a", "operator": "Exists"}, host, product]},
                        {"matchExpressions": [host, product],
                         "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]},
                    ]},
                },
            })
        );
        assert_eq!(hosts, [(0, 1), (1, 0)]);
    }

    #[test]
    fn empty_terms_are_seen() {
        for bad in [
            json!({}),
            json!({"matchExpressions": []}),
            json!({"matchExpressions": [{"key": "a", "operator": "In", "values": []}]}),
            json!({"matchExpressions": [{"key": "a", "operator": "NotIn"}]}),
        ] {
            assert!(is_empty_term(&bad), "{bad}");
        }
        assert!(!is_empty_term(&json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]})));
    }
}
