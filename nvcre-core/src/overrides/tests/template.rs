//! 04 §4: strategic merge and JSON patch of the job template.

use super::*;

fn strategic(old: Value, new: Value) -> Outcome {
    let base = Base { job_template: old, ..Base::default() };
    run(base, &users(&[json!({ "jobTemplate": new })]))
}

#[test]
fn strategic_merge_table() {
    for (old, new, result) in [
        (json!({"a": 1, "b": 2}), json!({"a": null}), json!({"b": 2})),
        (json!({"b": 2}), json!({"a": null}), json!({"b": 2})),
        (json!({}), json!({"a": {"b": null, "c": 1}}), json!({"a": {"c": 1}})),
        (json!({}), json!({"a": [1], "b": "x"}), json!({"a": [1], "b": "x"})),
        (json!({"a": {"b": 1}}), json!({"a": {"c": 2}}), json!({"a": {"b": 1, "c": 2}})),
        (json!({"a": [{"name": "x"}]}), json!({"a": [{"name": "y"}]}), json!({"a": [{"name": "y"}]})),
        (json!({"a": 1}), json!({"a": 2}), json!({"a": 2})),
        (json!({"a": 1}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})),
        // Directives.
        (json!({"a": {"b": 1}}), json!({"a": {"$patch": "replace", "c": 2, "d": null}}), json!({"a": {"c": 2}})),
        (json!({"a": {"b": 1}, "x": 1}), json!({"a": {"$patch": "delete"}}), json!({"x": 1})),
        (json!({"x": 1}), json!({"a": {"$patch": "delete"}}), json!({"x": 1})),
        (json!({}), json!({"a": {"$patch": "replace", "c": 2}}), json!({"a": {"c": 2}})),
        // The two lists that merge.
        (
            json!({"metadata": {"finalizers": ["a", "b"]}}),
            json!({"metadata": {"finalizers": ["b", "c"]}}),
            json!({"metadata": {"finalizers": ["a", "b", "c"]}}),
        ),
        (
            json!({"metadata": {"ownerReferences": [{"uid": "1", "name": "a"}, {"uid": "2"}]}}),
            json!({"metadata": {"ownerReferences": [{"uid": "3"}, {"uid": "1", "name": "b"}]}}),
            json!({"metadata": {"ownerReferences": [{"uid": "1", "name": "b"}, {"uid": "2"}, {"uid": "3"}]}}),
        ),
        // Only there.
        (
            json!({"spec": {"finalizers": ["a"]}}),
            json!({"spec": {"finalizers": ["b"]}}),
            json!({"spec": {"finalizers": ["b"]}}),
        ),
    ] {
        let out = strategic(old.clone(), new.clone());
        assert_eq!(out.base.job_template, result, "{old} + {new}");
    }
}

#[test]
fn other_directives_are_refused_by_name() {
    for (patch, at, word) in [
        (json!({"$retainKeys": ["a"]}), "$retainKeys", "$retainKeys"),
        (json!({"spec": {"$setElementOrder/env": []}}), "spec[\"$setElementOrder/env\"]", "$setElementOrder/env"),
        (json!({"spec": {"$patch": "merge"}}), "spec.$patch", "merge"),
        (json!({"spec": {"a": [{"$patch": "delete", "name": "x"}]}}), "spec.a[0].$patch", "inside a list"),
        (json!({"$patch": "delete"}), "$patch", "whole job template"),
    ] {
        let out = strategic(template(json!({})), patch.clone());
        assert_eq!(out.codes(), [(Code::PatchDirective, format!("spec.overrides[0].jobTemplate.{at}"))], "{patch}");
        assert!(out.findings[0].message.contains(word), "{}", out.findings[0].message);
        assert_eq!(out.base.job_template, template(json!({})), "nothing of it is applied");
    }
}

#[test]
fn a_value_of_the_wrong_type_is_an_error() {
    let out = run(base(json!({})), &users(&[json!({"jobTemplate": patch(json!({"numNodes": "four"}))})]));
    assert_eq!(
        out.codes(),
        [(Code::WrongType, "spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.numNodes".into())]
    );
    // The next override is not blamed for it.
    let out = run(
        base(json!({})),
        &users(&[
            json!({"jobTemplatePatch": [{"op": "add", "path": "/spec/workload/trainJob/trainer/numNodes", "value": "x"}]}),
            json!({"jobTemplate": patch(json!({"image": "i"}))}),
        ]),
    );
    assert_eq!(out.codes(), [(Code::WrongType, "spec.overrides[0].jobTemplatePatch[0]".into())]);
}

const TRAINER: &str = "/spec/workload/trainJob/trainer";

fn patched(trainer: Value, operations: Value) -> Outcome {
    let text = operations.to_string().replace("T/", &format!("{TRAINER}/"));
    let operations: Value = serde_json::from_str(&text).unwrap();
    run(base(trainer), &users(&[json!({ "jobTemplatePatch": operations })]))
}

#[test]
fn json_patch_operations() {
    let env = |list: &[&str]| json!(list.iter().map(|n| json!({"name": n})).collect::<Vec<_>>());
    for (old, operations, result) in [
        (
            json!({"env": env(&["A"])}),
            json!([{"op": "add", "path": "T/env/-", "value": {"name": "B"}}]),
            json!({"env": env(&["A", "B"])}),
        ),
        (
            json!({"env": env(&["A"])}),
            json!([{"op": "add", "path": "T/env/0", "value": {"name": "B"}}]),
            json!({"env": env(&["B", "A"])}),
        ),
        (
            json!({"env": env(&["A"])}),
            json!([{"op": "add", "path": "T/env/1", "value": {"name": "B"}}]),
            json!({"env": env(&["A", "B"])}),
        ),
        (json!({}), json!([{"op": "add", "path": "T/env", "value": env(&["A"])}]), json!({"env": env(&["A"])})),
        (json!({"image": "a"}), json!([{"op": "replace", "path": "T/image", "value": "b"}]), json!({"image": "b"})),
        (json!({"image": "a"}), json!([{"op": "add", "path": "T/image", "value": "b"}]), json!({"image": "b"})),
        (json!({"args": ["a", "b"]}), json!([{"op": "remove", "path": "T/args/0"}]), json!({"args": ["b"]})),
        (
            json!({"args": ["a", "b", "c"]}),
            json!([{"op": "move", "from": "T/args/2", "path": "T/args/0"}]),
            json!({"args": ["c", "a", "b"]}),
        ),
        (
            json!({"args": ["a"]}),
            json!([{"op": "copy", "from": "T/args/0", "path": "T/args/-"}]),
            json!({"args": ["a", "a"]}),
        ),
        (
            json!({"image": "a"}),
            json!([{"op": "test", "path": "T/image", "value": "a"}, {"op": "replace", "path": "T/image", "value": "b"}]),
            json!({"image": "b"}),
        ),
        (
            json!({"resourcesPerNode": {"limits": {"nvidia.com/gpu": 4, "x~y": 1}}}),
            json!([
                {"op": "replace", "path": "T/resourcesPerNode/limits/nvidia.com~1gpu", "value": 8},
                {"op": "remove", "path": "T/resourcesPerNode/limits/x~0y"}
            ]),
            json!({"resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}),
        ),
    ] {
        let out = patched(old, operations.clone());
        assert_eq!(out.findings, [], "{operations}");
        assert_eq!(out.trainer(), &result, "{operations}");
        assert!(!out.outcomes[0].no_op);
    }
}

#[test]
fn json_patch_failures_name_the_operation_and_keep_nothing() {
    let old = json!({"image": "a", "args": ["x"]});
    for (operations, code, at, part) in [
        (json!([{"op": "add", "path": "T/env/-", "value": {}}]), Code::JsonPatchFailed, "[0].path", "trainer"),
        (json!([{"op": "add", "path": "T/args/2", "value": "y"}]), Code::JsonPatchFailed, "[0].path", "list of 1"),
        (json!([{"op": "add", "path": "T/args/x", "value": "y"}]), Code::JsonPatchFailed, "[0].path", "list of 1"),
        (json!([{"op": "add", "path": "T/args/-1", "value": "y"}]), Code::JsonPatchFailed, "[0].path", "list of 1"),
        (json!([{"op": "remove", "path": "T/env"}]), Code::JsonPatchFailed, "[0].path", "no such place"),
        (json!([{"op": "remove", "path": "T/args/-"}]), Code::JsonPatchFailed, "[0].path", "no such place"),
        (json!([{"op": "remove", "path": ""}]), Code::JsonPatchFailed, "[0].path", "no such place"),
        (json!([{"op": "replace", "path": "T/env", "value": []}]), Code::JsonPatchFailed, "[0].path", "no such place"),
        (json!([{"op": "replace", "path": "T/image/x", "value": 1}]), Code::JsonPatchFailed, "[0].path", "is \"a\""),
        (json!([{"op": "copy", "from": "T/no", "path": "T/args/-"}]), Code::JsonPatchFailed, "[0].from", "nothing at"),
        (json!([{"op": "move", "from": "T/no", "path": "T/args/-"}]), Code::JsonPatchFailed, "[0].from", "nothing at"),
        (json!([{"op": "move", "from": "/spec", "path": "/spec/x"}]), Code::JsonPatchFailed, "[0].from", "into itself"),
        // The source is taken out first, and comes back.
        (json!([{"op": "move", "from": "T/image", "path": "T/no/x"}]), Code::JsonPatchFailed, "[0].path", "no such"),
        (
            json!([{"op": "replace", "path": "T/image", "value": "b"}, {"op": "test", "path": "T/image", "value": "a"}]),
            Code::JsonPatchTest,
            "[1].value",
            "holds \"b\" there, the test wants \"a\"",
        ),
        (json!([{"op": "test", "path": "T/no", "value": 1}]), Code::JsonPatchTest, "[0].path", "nothing there"),
        (
            json!([{"op": "move", "from": "T/image", "path": ""}, {"op": "test", "path": "/x", "value": 1}]),
            Code::JsonPatchTest,
            "[1].path",
            "nothing there",
        ),
        (json!("[]"), Code::OverrideShape, "", "a text"),
        (json!({"op": "add"}), Code::OverrideShape, "", "no list"),
        (json!(["x"]), Code::JsonPatchOperation, "[0]", "an object"),
        (json!([{"op": "ad", "path": "T/x"}]), Code::JsonPatchOperation, "[0].op", "no operation"),
        (json!([{"path": "T/x"}]), Code::JsonPatchOperation, "[0]", "op is missing"),
        (json!([{"op": "add", "path": "T/x"}]), Code::JsonPatchOperation, "[0]", "value is missing"),
        (json!([{"op": "add", "value": 1}]), Code::JsonPatchOperation, "[0]", "path is missing"),
        (json!([{"op": "copy", "path": "T/x"}]), Code::JsonPatchOperation, "[0]", "from is missing"),
        (json!([{"op": "add", "path": "spec/x", "value": 1}]), Code::JsonPatchOperation, "[0].path", "no JSON pointer"),
        (json!([{"op": "add", "path": "/a~2", "value": 1}]), Code::JsonPatchOperation, "[0].path", "no JSON pointer"),
        (json!([{"op": "remove", "path": "/a", "valeu": 1}]), Code::JsonPatchOperation, "[0]", "valeu"),
    ] {
        let out = patched(old.clone(), operations.clone());
        assert_eq!(out.codes(), [(code, format!("spec.overrides[0].jobTemplatePatch{at}"))], "{operations}");
        assert!(out.findings[0].message.contains(part), "{operations}: {}", out.findings[0].message);
        assert_eq!(out.base.job_template, template(old.clone()), "{operations}");
        assert_eq!(out.changes, [], "{operations}");
    }
}

#[test]
fn every_malformed_operation_is_found() {
    let out = patched(json!({}), json!([{"op": "x"}, {"op": "add", "path": "T/a", "value": 1}, {"path": 1}]));
    assert_eq!(out.findings.len(), 2);
}

#[test]
fn patched_lists_are_recorded_by_name_or_whole() {
    let out = patched(
        json!({"env": [{"name": "A", "value": "1"}], "args": ["x"]}),
        json!([
            {"op": "add", "path": "T/env/0", "value": {"name": "B", "value": "2"}},
            {"op": "replace", "path": "T/args/0", "value": "y"}
        ]),
    );
    let at = "spec.jobTemplate.spec.workload.trainJob.trainer";
    assert_eq!(
        out.changed(),
        [
            (format!("{at}.args"), json!(["x"]), json!(["y"])),
            (format!("{at}.env[name=B].name"), json!("<absent>"), json!("B")),
            (format!("{at}.env[name=B].value"), json!("<absent>"), json!("2")),
        ]
    );
}
