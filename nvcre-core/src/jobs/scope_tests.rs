use super::*;
use serde_json::json;

fn runtime(name: &str, pod: Value) -> Value {
    json!({
        "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime",
        "metadata": {"name": name, "labels": {"app": "my-run"}},
        "spec": {"template": {"spec": {"replicatedJobs": [
            {"name": "node", "template": {"spec": {"template": {"spec": pod}}}},
        ]}}},
    })
}

fn job(name: &str) -> Value {
    json!({"workload": {"trainJob": {"runtimeRef": {"name": name, "kind": "TrainingRuntime"}}}})
}

fn object(kind: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}})
}

#[test]
fn references_and_shared_texts_make_job_scope() {
    let dependencies = vec![
        object("ConfigMap", "alone"),
        runtime("rt", json!({"volumes": [{"configMap": {"name": "config"}}], "x": "shared-text"})),
        object("ConfigMap", "config"),
        json!({"kind": "Thing", "metadata": {"name": "thing"}, "spec": {"x": "shared-text"}}),
        json!({"kind": "ClusterThing", "metadata": {"name": "wide"}, "spec": {"x": "shared-text"}}),
        json!({"kind": "StorageClass", "metadata": {"name": "class"}, "spec": {"x": "shared-text"}}),
        json!({"kind": "Follower", "metadata": {"name": "other"}, "spec": {"x": "rt"}}),
    ];
    let scope = classify(&dependencies, &job("rt"));
    assert_eq!(scope, Scope { workflow: vec![0, 4, 5, 6], job: vec![1, 2, 3] });
}

#[test]
fn of_two_dependencies_with_one_name_the_later_one_is_found() {
    let dependencies = vec![object("A", "twin"), object("B", "twin"), runtime("rt", json!({"x": "twin"}))];
    assert_eq!(classify(&dependencies, &job("rt")), Scope { workflow: vec![0], job: vec![1, 2] });
}

#[test]
fn creation_order_puts_what_is_named_first() {
    let dependencies = vec![
        json!({"metadata": {"name": "a"}, "x": ["c", "b"]}),
        json!({"metadata": {"name": "b"}, "x": "c"}),
        json!({"metadata": {"name": "c"}}),
        json!({"metadata": {"name": "d"}}),
    ];
    assert_eq!(creation_order(&dependencies, &[0, 1, 2, 3]), [2, 3, 1, 0]);
    assert_eq!(creation_order(&dependencies, &[0, 3]), [0, 3], "only members count");
    let cycle = vec![
        json!({"metadata": {"name": "a"}, "x": "b"}),
        json!({"metadata": {"name": "b"}, "x": "a"}),
        json!({"metadata": {"name": "c"}}),
    ];
    assert_eq!(creation_order(&cycle, &[0, 1, 2]), [2, 0, 1]);
}

#[test]
fn cross_references_of_a_gb300_run() {
    let dependencies = vec![
        runtime(
            "my-run-runtime",
            json!({"resourceClaims": [
                {"name": "compute-domain", "resourceClaimTemplateName": "my-run-channel"},
                {"name": "roce-channel", "resourceClaimTemplateName": "my-run-roce"},
            ]}),
        ),
        json!({"kind": "ComputeDomain", "metadata": {"name": "my-run-compute-domain", "labels": {"app": "my-run"}},
               "spec": {"numNodes": 2, "channel": {"resourceClaimTemplate": {"name": "my-run-channel"}}}}),
        json!({"kind": "ResourceClaimTemplate", "metadata": {"name": "my-run-roce", "labels": {"app": "my-run"}}}),
    ];
    let spec = job("my-run-runtime");
    let scope = classify(&dependencies, &spec);
    assert_eq!(scope.job, [0, 1, 2]);
    let found = copies(&dependencies, &spec, &scope);
    assert_eq!(found.copied, [0, 1, 2]);
    let names: Vec<(&str, &str)> = found.targets.iter().map(|t| (t.original.as_str(), t.kind.as_str())).collect();
    assert_eq!(
        names,
        [
            ("my-run-runtime", "TrainingRuntime"),
            ("my-run-compute-domain", "ComputeDomain"),
            ("my-run-roce", "ResourceClaimTemplate"),
            ("my-run-channel", "ResourceClaimTemplate"),
            ("my-run", ""),
        ]
    );
    let engine: Vec<&str> = engine_replacements(&dependencies, &scope.job).into_iter().collect();
    assert_eq!(engine, ["my-run", "my-run-channel", "my-run-compute-domain", "my-run-roce", "my-run-runtime"]);
}

#[test]
fn texts_outside_of_references_do_not_make_copies() {
    let dependencies = vec![
        runtime("rt", json!({"containers": [{"args": ["dataset"], "env": [{"name": "A", "value": "settings"}]}]})),
        object("PersistentVolumeClaim", "dataset"),
        object("ConfigMap", "settings"),
    ];
    let scope = classify(&dependencies, &job("rt"));
    assert_eq!(scope.job, [0, 1, 2], "the engine copies all three");
    let found = copies(&dependencies, &job("rt"), &scope);
    assert_eq!((found.copied, found.shared), (vec![0], vec![1, 2]));
}

#[test]
fn a_reference_means_an_object_of_its_kind() {
    let pod = json!({"volumes": [{"secret": {"secretName": "data"}}, {"configMap": {"name": "data"}}]});
    let dependencies = vec![runtime("rt", pod), object("ConfigMap", "data")];
    let scope = classify(&dependencies, &job("rt"));
    let found = copies(&dependencies, &job("rt"), &scope);
    assert_eq!(found.copied, [0, 1]);
    let places = found.places(dependencies.first().unwrap(), &is_payload);
    assert_eq!(places.len(), 1, "the secret is the user's own: {places:?}");
}

#[test]
fn a_run_without_further_objects_keeps_its_app_label() {
    let dependencies = vec![runtime("my-run-runtime", json!({}))];
    let spec = job("my-run-runtime");
    let found = copies(&dependencies, &spec, &classify(&dependencies, &spec));
    assert_eq!(found.targets.len(), 1);
}
