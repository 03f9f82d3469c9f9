//! 04 §5: identity, object merge, named lists, the example.

use super::*;

fn object(kind: &str, name: &str, spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "spec": spec})
}

/// What merging an override's spec into a base's spec gives.
fn merged(old: Value, new: Value) -> Value {
    let base = Base { dependencies: vec![object("K", "n", old)], ..base(json!({})) };
    let out = run(base, &users(&[json!({"when": {}, "dependencies": [object("K", "n", new)]})]));
    assert_eq!(out.base.dependencies.len(), 1);
    out.base.dependencies[0].get("spec").cloned().unwrap_or_default()
}

#[test]
fn object_merge_table() {
    for (old, new, result) in [
        (json!({"a": 1}), json!({"a": null}), json!({})),
        (json!({}), json!({"a": null}), json!({})),
        (json!({"a": {"b": 1}}), json!({"a": {"c": 2}}), json!({"a": {"b": 1, "c": 2}})),
        (json!({"a": [1, 2]}), json!({"a": [3]}), json!({"a": [3]})),
        (json!({"a": 1}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})),
        (json!({"a": {"b": 1}}), json!({"a": "x"}), json!({"a": "x"})),
        (json!({"n": 4}), json!({"n": "4"}), json!({"n": "4"})),
        // Nulls in inserted subtrees are dropped, a deliberate difference.
        (json!({}), json!({"a": {"b": null, "c": [{"d": null, "e": 1}]}}), json!({"a": {"c": [{"e": 1}]}})),
        (json!({"a": 1}), json!({"a": {"b": null}}), json!({"a": {}})),
    ] {
        assert_eq!(merged(old.clone(), new.clone()), result, "{old} + {new}");
    }
}

#[test]
fn named_list_table() {
    let env = |list: Value| json!({ "env": list });
    for (old, new, result) in [
        // Existing variables keep their place, new ones go to the end.
        (
            json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]),
            json!([{"name": "C", "value": "3"}, {"name": "B", "value": "4"}]),
            json!([{"name": "A", "value": "1"}, {"name": "B", "value": "4"}, {"name": "C", "value": "3"}]),
        ),
        // An element is merged, not replaced: value and valueFrom both stay.
        (
            json!([{"name": "A", "value": "1"}]),
            json!([{"name": "A", "valueFrom": {"x": 1}}]),
            json!([{"name": "A", "value": "1", "valueFrom": {"x": 1}}]),
        ),
        (
            json!([{"name": "A", "valueFrom": {"x": 1}}]),
            json!([{"name": "A", "value": "1", "valueFrom": null}]),
            json!([{"name": "A", "value": "1"}]),
        ),
        // Either side not named: replaced.
        (json!([{"name": "A"}]), json!([]), json!([])),
        (json!([]), json!([{"name": "A"}]), json!([{"name": "A"}])),
        (json!([{"name": "A"}]), json!([{"key": "k"}]), json!([{"key": "k"}])),
        (json!([{"name": "A"}, {"key": "k"}]), json!([{"name": "B"}]), json!([{"name": "B"}])),
        (json!([{"name": "A"}]), json!([{"name": ""}]), json!([{"name": ""}])),
        (json!([{"name": "A"}]), json!([{"name": 1}]), json!([{"name": 1}])),
        (json!(["a", "b"]), json!(["c"]), json!(["c"])),
        // Equal names in the base: each stays, the last is merged. In the override: the last counts.
        (
            json!([{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}]),
            json!([{"name": "v", "readOnly": true}]),
            json!([{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b", "readOnly": true}]),
        ),
        (
            json!([{"name": "A", "value": "1"}]),
            json!([{"name": "A", "x": 1}, {"name": "N", "v": 1}, {"name": "A", "y": 2}, {"name": "N", "v": 2}]),
            json!([{"name": "A", "value": "1", "y": 2}, {"name": "N", "v": 2}]),
        ),
    ] {
        assert_eq!(merged(env(old.clone()), env(new.clone())), env(result), "{old} + {new}");
    }
}

#[test]
fn lists_of_chapter_5_3() {
    for (list, old, new, merges) in [
        ("replicatedJobs", json!({"name": "launcher"}), json!({"name": "node"}), true),
        ("containers", json!({"name": "node"}), json!({"name": "side"}), true),
        ("initContainers", json!({"name": "a"}), json!({"name": "b"}), true),
        ("volumes", json!({"name": "a", "emptyDir": {}}), json!({"name": "b"}), true),
        ("resourceClaims", json!({"name": "a"}), json!({"name": "b"}), true),
        ("claims", json!({"name": "a"}), json!({"name": "b"}), true),
        ("imagePullSecrets", json!({"name": "a"}), json!({"name": "b"}), true),
        ("ports", json!({"containerPort": 1}), json!({"name": "b"}), false),
        ("tolerations", json!({"operator": "Exists"}), json!({"key": "k"}), false),
        ("envFrom", json!({"prefix": "a"}), json!({"prefix": "b"}), false),
        ("nodeSelectorTerms", json!({"matchExpressions": []}), json!({}), false),
        ("matchExpressions", json!({"key": "a"}), json!({"key": "b"}), false),
        ("command", json!("a"), json!("b"), false),
        ("args", json!("a"), json!("b"), false),
    ] {
        let result = merged(json!({list: [old]}), json!({list: [new]}));
        assert_eq!(result, if merges { json!({list: [old, new]}) } else { json!({list: [new]}) }, "{list}");
    }
}

#[test]
fn a_mount_of_a_mounted_volume_overwrites_it() {
    let mount = |path: &str| json!({"volumeMounts": [{"name": "w", "mountPath": path}]});
    assert_eq!(merged(mount("/a"), mount("/b")), mount("/b"));
}

#[test]
fn example_of_5_5() {
    let result = merged(
        json!({
            "containers": [{
                "name": "node",
                "env": [{"name": "NCCL_DEBUG", "value": "INFO"}, {"name": "FOO", "value": "a"}],
                "resources": {"limits": {"nvidia.com/gpu": 4}}
            }],
            "tolerations": [{"operator": "Exists"}]
        }),
        json!({
            "containers": [{
                "name": "node",
                "env": [{"name": "BAR", "value": "1"}, {"name": "NCCL_DEBUG", "value": "WARN"}],
                "resources": {"limits": {"rdma/ib": "1"}}
            }],
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}]
        }),
    );
    assert_eq!(
        result,
        json!({
            "containers": [{
                "name": "node",
                "env": [
                    {"name": "NCCL_DEBUG", "value": "WARN"},
                    {"name": "FOO", "value": "a"},
                    {"name": "BAR", "value": "1"}
                ],
                "resources": {"limits": {"nvidia.com/gpu": 4, "rdma/ib": "1"}}
            }],
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}]
        })
    );
}

#[test]
fn maps_that_a_deletion_emptied_go_away_under_resources() {
    let off = json!({"limits": {"nvidia.com/gpu": null}, "requests": {"nvidia.com/gpu": null}});
    for (old, new, result) in [
        (
            json!({"resources": {"limits": {"nvidia.com/gpu": 4}, "claims": [{"name": "c"}]}}),
            json!({ "resources": off }),
            json!({"resources": {"claims": [{"name": "c"}]}}),
        ),
        (
            json!({"resources": {"limits": {"nvidia.com/gpu": 4, "cpu": 1}}}),
            json!({ "resources": off }),
            json!({"resources": {"limits": {"cpu": 1}}}),
        ),
        (json!({"resources": {"limits": {}}}), json!({ "resources": off }), json!({"resources": {"limits": {}}})),
        (json!({}), json!({ "resources": off }), json!({"resources": {}})),
        (json!({}), json!({"resources": {"limits": {}}}), json!({"resources": {"limits": {}}})),
        (json!({"emptyDir": {"medium": "Memory"}}), json!({"emptyDir": {"medium": null}}), json!({"emptyDir": {}})),
    ] {
        assert_eq!(merged(old.clone(), new.clone()), result, "{old} + {new}");
    }
}

#[test]
fn identity_is_version_kind_and_name() {
    let claim = |version: &str, value: u8| json!({"apiVersion": version, "kind": "ResourceClaimTemplate", "metadata": {"name": "c"}, "spec": {"v": value}});
    let other = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
        "metadata": {"name": "c", "namespace": "elsewhere"}, "spec": {"w": 1}});
    let base = Base { dependencies: vec![claim("resource.k8s.io/v1", 1)], ..base(json!({})) };
    let out = run(
        base,
        &users(&[
            json!({"dependencies": [claim("resource.k8s.io/v1beta1", 2), claim("resource.k8s.io/v1beta1", 3)]}),
            json!({"dependencies": [other]}),
        ]),
    );
    assert_eq!(out.base.dependencies.len(), 2);
    assert_eq!(out.base.dependencies[0]["spec"], json!({"v": 1, "w": 1}));
    assert_eq!(out.base.dependencies[0]["metadata"]["namespace"], "elsewhere");
    assert_eq!(out.base.dependencies[1], claim("resource.k8s.io/v1beta1", 3));
}

#[test]
fn the_first_of_equal_dependencies_is_merged_into() {
    let base = Base { dependencies: vec![object("K", "n", json!({})), object("K", "n", json!({}))], ..base(json!({})) };
    let out = run(base, &users(&[json!({"dependencies": [object("K", "n", json!({"a": 1}))]})]));
    assert_eq!(out.base.dependencies, vec![object("K", "n", json!({"a": 1})), object("K", "n", json!({}))]);
}

#[test]
fn changes_are_recorded_by_name() {
    let old = json!({"containers": [{"name": "node", "env": [{"name": "A", "value": "1"}], "args": ["x"]}]});
    let new = json!({"containers": [{"name": "node", "env": [{"name": "A", "value": "2"}, {"name": "B", "value": "3"}], "args": ["y"]}]});
    let base = Base { dependencies: vec![object("K", "n", old)], ..base(json!({})) };
    let out = run(base, &users(&[json!({"dependencies": [object("K", "n", new)]})]));
    let at = "spec.dependencies[name=K/n].spec.containers[name=node]";
    assert_eq!(
        out.changed(),
        [
            (format!("{at}.args"), json!(["x"]), json!(["y"])),
            (format!("{at}.env[name=A].value"), json!("1"), json!("2")),
            (format!("{at}.env[name=B].name"), json!("<absent>"), json!("B")),
            (format!("{at}.env[name=B].value"), json!("<absent>"), json!("3")),
        ]
    );
    assert!(out.changes.iter().all(|c| c.origin == user_origin(0)));
}
