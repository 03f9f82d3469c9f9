//! Rows 25–26: affinity.

use crate::support::*;
use nvcre_core::diagnostic::Code;
use serde_json::{Value, json};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// An override that gives both replicated jobs of the runtime an affinity of their own.
fn own_affinity(terms: &Value) -> Value {
    let job = |name: &str| {
        let affinity = json!({"nodeAffinity": { REQUIRED: {"nodeSelectorTerms": terms}}});
        json!({"name": name, "template": {"spec": {"template": {"spec": {"affinity": affinity}}}}})
    };
    json!([{"when": {}, "dependencies": [{
        "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime",
        "metadata": {"name": "my-workload-runtime"},
        "spec": {"template": {"spec": {"replicatedJobs": [job("node"), job("launcher")]}}},
    }]}])
}

fn is(key: &str, value: &str) -> Value {
    json!({"key": key, "operator": "In", "values": [value]})
}

#[test]
fn row_25_a_constraint_became_one_more_alternative() {
    let terms_given = json!([{"matchExpressions": [is("zone", "a")]}, {"matchExpressions": [is("zone", "b")]}]);
    let labels: Vec<&[(&str, &str)]> = vec![&[("pool", "train")]; 4];
    let target = json!({"nodeSelector": {"pool": "train"}});
    let spec = with(basic(), json!({"target": target, "overrides": own_affinity(&terms_given)}));
    let out = on(&labelled("onprem", "h100", &labels), &spec).fine();
    for job in ["node", "launcher"] {
        let found = terms(patch(out.train_jobs()[0], job));
        assert_eq!(found.len(), 2, "{found:#?}");
        for (term, zone) in found.iter().zip(["a", "b"]) {
            let expressions = term["matchExpressions"].as_array().unwrap();
            for wanted in [is("zone", zone), is("pool", "train")] {
                assert!(expressions.contains(&wanted), "{job}: {term}");
            }
            let hosts = expressions.iter().find(|e| e["key"] == "kubernetes.io/hostname").unwrap();
            assert_eq!(hosts["values"], json!(["node-01", "node-02", "node-03", "node-04"]));
        }
    }
}

#[test]
fn row_26_an_empty_term_matched_nothing_or_everything() {
    // A user's empty list is refused, whatever the operator.
    for operator in ["In", "NotIn"] {
        let target = json!({"matchExpressions": [{"key": "pool", "operator": operator, "values": []}]});
        let out = on(&nodes("onprem", "h100", 4), &with(basic(), json!({"target": target})));
        let text = out.one(Code::BadSelector);
        assert!(text.contains("spec.target.matchExpressions[0]") && text.contains(operator), "{text}");
        assert!(out.jobs.is_empty());
    }
    for empty in [
        json!([{}]),
        json!([{"matchExpressions": []}]),
        json!([{"matchExpressions": [
            {"key": "zone", "operator": "In", "values": []},
        ]}]),
    ] {
        let out = on(&nodes("onprem", "h100", 4), &with(basic(), json!({"overrides": own_affinity(&empty)})));
        assert!(!out.of(Code::EmptyAffinityTerm).is_empty(), "{empty}: {:?}", out.errors());
        assert!(out.jobs.is_empty() && out.controller.is_empty());
    }
    // Nothing to say: no affinity at all, no term without expressions, no list without values.
    let unpinned = json!({"numNodes": 2, "orchestration": {"placement": "Unpinned"}});
    let bare = labelled("onprem", "h100", &[&[("nvidia.com/gpu.product", "")][..]; 4]);
    for (inventory, spec) in [
        (nodes("onprem", "h100", 4), basic()),
        (nodes("onprem", "h100", 4), with(torch(), unpinned.clone())),
        (bare, with(basic(), unpinned)),
    ] {
        let out = on(&inventory, &spec).fine();
        for manifest in out.jobs.iter().chain(&out.controller).flatten() {
            walk(&manifest.value, &mut |key, value| {
                if matches!(key, "nodeSelectorTerms" | "matchExpressions" | "values") {
                    assert_ne!(value, &json!([]), "{key}");
                }
                if key == "nodeSelectorTerms" {
                    for term in value.as_array().unwrap() {
                        assert_ne!(term["matchExpressions"], Value::Null, "{term}");
                    }
                }
            });
        }
    }
}
