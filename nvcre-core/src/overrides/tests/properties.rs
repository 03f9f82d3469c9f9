//! The trace tells the truth and costs nothing that shows; merging twice is merging once.

use super::super::track::by_name;
use super::*;
use crate::diagnostic::{FieldPath, Segment};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// JSON with few keys and names, so that merges meet.
fn value(nulls: bool) -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(json!(1)),
        Just(json!("x")),
        Just(json!(true)),
        if nulls { Just(Value::Null).boxed() } else { Just(json!("y")).boxed() },
    ];
    scalar.prop_recursive(4, 24, 4, move |inner| {
        let key = prop_oneof![Just("a"), Just("b"), Just("resources"), Just("env")];
        let name = prop_oneof![Just("n1"), Just("n2"), Just("n3")];
        let object = prop::collection::btree_map(key, inner.clone(), 0..4)
            .prop_map(|m| Value::Object(m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()));
        let named = prop::collection::vec((name, inner.clone()), 0..4)
            .prop_map(|list| list.into_iter().map(|(n, v)| json!({"name": n, "v": v})).collect());
        // A null in a list is an error before anything is applied.
        let plain = prop::collection::vec(inner, 0..3)
            .prop_map(|list| Value::Array(list.into_iter().filter(|v| !v.is_null()).collect()));
        prop_oneof![object, named, plain]
    })
}

fn object(nulls: bool) -> impl Strategy<Value = Value> {
    value(nulls).prop_map(|v| if v.is_object() { v } else { json!({ "a": v }) })
}

fn dependency(spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "n"}, "spec": spec})
}

/// `annotations` takes anything here, since only the engine's own part is under test.
fn layers_of(patches: &[(Value, Value)]) -> Vec<Layer> {
    let one = |(at, (template, spec)): (usize, &(Value, Value))| {
        let mut layer = entry(at, json!({"jobTemplate": {"x": template}}));
        layer.spec.dependencies = vec![dependency(spec.clone())];
        layer
    };
    patches.iter().enumerate().map(one).collect()
}

/// Every leaf of a value with its path, as the trace counts leaves.
fn leaves(value: &Value, path: &FieldPath, out: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) if !map.is_empty() => map.iter().for_each(|(k, v)| leaves(v, &path.key(k), out)),
        Value::Array(list) if by_name(list) => {
            for element in list {
                leaves(element, &path.named(element["name"].as_str().unwrap()), out);
            }
        }
        leaf => drop(out.insert(path.to_string(), leaf.clone())),
    }
}

fn all_leaves(base: &Base) -> BTreeMap<String, Value> {
    let mut out = BTreeMap::new();
    leaves(&base.job_template, &"spec.jobTemplate".into(), &mut out);
    for object in &base.dependencies {
        let at = FieldPath::parse("spec.dependencies").with(Segment::Named("K/n".into()));
        leaves(object, &at, &mut out);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_trace_replays_to_the_result(
        start in (object(false), prop::option::of(object(false))),
        patches in prop::collection::vec((value(true), object(true)), 1..5),
    ) {
        let start = Base {
            job_template: json!({"x": start.0}),
            dependencies: start.1.map(dependency).into_iter().collect(),
            ..Base::default()
        };
        let layers = layers_of(&patches);
        let matches = vec![Match::Holds; layers.len()];
        let (mut silent, mut findings) = (start.clone(), Vec::new());
        let outcomes = apply(&mut silent, &layers, &matches, &mut (), &mut findings);
        let traced = run(start.clone(), &layers);
        // Recorder or not: the same result.
        prop_assert_eq!(&traced.base, &silent);
        prop_assert_eq!(&traced.outcomes, &outcomes);
        prop_assert_eq!(&traced.findings, &findings);

        // The last change of every leaf is its value; a leaf without a change is as it was.
        let mut last: BTreeMap<String, Value> = all_leaves(&start);
        for (path, _, new) in traced.changed() {
            last.insert(path, new);
        }
        for (path, value) in all_leaves(&silent) {
            prop_assert_eq!(last.get(&path), Some(&value), "{}", path);
        }
        // And what a change replaced is what was there.
        let (before, absent) = (all_leaves(&start), json!("<absent>"));
        if layers.len() == 1 {
            for (path, old, _) in traced.changed() {
                prop_assert_eq!(&old, before.get(&path).unwrap_or(&absent), "{}", path);
            }
        }
        // noOp is exact in this direction: what is called one changed nothing.
        if outcomes.iter().all(|o| o.no_op) {
            prop_assert_eq!(&silent, &start);
            prop_assert_eq!(traced.changes.len(), 0);
        }
    }

    #[test]
    fn merging_twice_is_merging_once(old in object(false), new in object(false)) {
        let start = Base { job_template: json!({"x": old.clone()}), dependencies: vec![dependency(old)], ..Base::default() };
        let layers = layers_of(&[(new.clone(), new.clone()), (new.clone(), new)]);
        let out = run(start, &layers);
        prop_assert!(out.outcomes[1].no_op);
    }

    #[test]
    fn no_null_is_left(old in object(false), new in object(true)) {
        let start = Base { dependencies: vec![dependency(old)], ..base(json!({})) };
        let out = run(start, &layers_of(&[(json!({}), new)]));
        prop_assert!(!all_leaves(&out.base).values().any(|v| v.to_string().contains("null")));
    }

    #[test]
    fn nothing_panics(patch in value(true), operations in prop::collection::vec((0..6usize, "(/[a-d0-2-]){0,3}", "(/[a-d0-2-]){0,3}", value(true)), 0..5)) {
        let names = ["add", "remove", "replace", "move", "copy", "test"];
        let operations: Vec<Value> = operations.into_iter().map(|(at, path, from, value)| match names[at] {
            "remove" => json!({"op": "remove", "path": path}),
            op @ ("move" | "copy") => json!({"op": op, "path": path, "from": from}),
            op => json!({"op": op, "path": path, "value": value}),
        }).collect();
        let start = Base { job_template: json!({"a": [1, {"b": 2}], "b": {"c": [[]], "a": "x"}, "c": 1}), ..Base::default() };
        let layer = Layer::user(0, 0, spec(json!({"jobTemplatePatch": operations})));
        let out = run(start.clone(), &[layer]);
        if out.findings.iter().any(|d| matches!(d.code, Code::JsonPatchFailed | Code::JsonPatchTest)) {
            prop_assert_eq!(&out.base, &start);
        }
        let _ = run(start, &users(&[json!({"jobTemplate": patch.clone(), "dependencies": [patch]})]));
    }

    #[cfg(feature = "cel")]
    #[test]
    fn no_expression_panics(text in "[a-z(){}\\[\\]!?:.,'\" +*/%<>=&|0-9-]{0,60}") {
        let _ = expression::evaluate(&text, &aws());
    }

    #[test]
    fn quoted_words_read_back(word in "\\PC*|[\\x00-\\x7f]*") {
        let quoted = go_quote(&word);
        prop_assert!(quoted.starts_with('"') && quoted.ends_with('"'));
        prop_assert!(!quoted.chars().any(char::is_control));
        if word.is_ascii() && !word.chars().any(|c| c.is_control()) {
            prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), word);
        }
    }
}
