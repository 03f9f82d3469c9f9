//! Values: what is told, and that it is exact.

use crate::compare::{ChangeKind, ValueChange, WordPart, apply, values};
use crate::overrides::wrap_command;
use proptest::prelude::*;
use serde_json::{Value, json};

fn told(a: &Value, b: &Value) -> Vec<String> {
    let show = |c: &ValueChange| {
        let text = |v: &Option<Value>| v.as_ref().map(|v| format!(" {v}")).unwrap_or_default();
        let place = |p: &Option<usize>| p.map(|p| format!(" @{p}")).unwrap_or_default();
        format!("{:?} {}{}{}{}{}", c.kind, c.path, text(&c.old), text(&c.new), place(&c.from), place(&c.to))
    };
    let changes = values(a, b);
    let mut made = a.clone();
    apply(&mut made, &changes).unwrap();
    assert_eq!(&made, b);
    changes.iter().map(show).collect()
}

#[test]
fn fields_and_elements_are_told_by_path() {
    for (a, b, wanted) in [
        (json!({"x": 1}), json!({"x": 1}), vec![]),
        (json!({"x": 1, "y": 2}), json!({"x": 2, "z": null}), vec!["Changed x 1 2", "Removed y 2", "Added z null"]),
        (json!(1), json!([1]), vec!["Changed  1 [1]"]),
        (
            json!({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}),
            json!({"env": [{"name": "C"}, {"name": "B", "value": "3"}]}),
            vec![
                r#"Removed env[name=A] {"name":"A","value":"1"} @0"#,
                r#"Added env[name=C] {"name":"C"} @0"#,
                r#"Changed env[name=B].value "2" "3""#,
            ],
        ),
        (
            json!([{"name": "A"}, {"name": "B"}, {"name": "C"}]),
            json!([{"name": "C", "x": 1}, {"name": "A"}, {"name": "B"}]),
            vec!["Moved [name=C] @2 @0", "Added [name=C].x 1"],
        ),
        (
            json!([{"kind": "A", "metadata": {"name": "x"}}, {"kind": "B", "metadata": {"name": "x"}, "spec": 1}]),
            json!([{"kind": "A", "metadata": {"name": "x"}}, {"kind": "B", "metadata": {"name": "x"}, "spec": 2}]),
            vec!["Changed [name=B/x].spec 1 2"],
        ),
        (
            json!({"volumeMounts": [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}]}),
            json!({"volumeMounts": [{"name": "v", "mountPath": "/a"}, {"name": "w", "mountPath": "/b"}]}),
            // The names are unique in B only, so they tell nothing apart.
            vec![r#"Changed volumeMounts[mountPath=/b].name "v" "w""#],
        ),
        (
            json!({"ports": [{"containerPort": 80}]}),
            json!({"ports": [{"containerPort": 81}, {"containerPort": 80, "hostPort": 1}]}),
            vec![
                r#"Added ports[containerPort=81] {"containerPort":81} @0"#,
                "Added ports[containerPort=80].hostPort 1",
            ],
        ),
        (
            json!({"tolerations": [{"key": "a", "effect": "x"}, {"key": "b"}]}),
            json!({"tolerations": [{"key": "a", "effect": "y"}, {"key": "b"}, {"key": "c"}]}),
            vec![r#"Added tolerations[2] {"key":"c"} @2"#, r#"Changed tolerations[0].effect "x" "y""#],
        ),
        (
            json!({"matchExpressions": [{"key": "a", "values": ["1"]}, {"key": "x"}, {"key": "x"}]}),
            json!({"matchExpressions": [{"key": "b", "values": ["1"]}, {"key": "x"}, {"key": "x"}]}),
            // Another key is another expression.
            vec![
                r#"Removed matchExpressions[0] {"key":"a","values":["1"]} @0"#,
                r#"Added matchExpressions[0] {"key":"b","values":["1"]} @0"#,
            ],
        ),
        (
            json!({"values": ["a", "b", "c"]}),
            json!({"values": ["b", "c", "d"]}),
            vec![r#"Removed values[0] "a" @0"#, r#"Added values[2] "d" @2"#],
        ),
    ] {
        assert_eq!(told(&a, &b), wanted, "{a} {b}");
    }
}

fn words(a: Value, b: Value) -> Vec<String> {
    told(&a, &b);
    let changes = values(&a, &b);
    let all = changes.iter().flat_map(|c| &c.words);
    all.map(|w| {
        let text = |v: &Option<String>| v.as_deref().unwrap_or("–").to_owned();
        format!("{:?} {:?} {} {} {}", w.part, w.kind, w.name, text(&w.old), text(&w.new))
    })
    .collect()
}

fn strings(text: &str) -> Vec<String> {
    text.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

#[test]
fn options_of_mpirun_are_pairs() {
    let trainer = |lines: &[&str], args: &str| {
        let (command, args) = wrap_command(lines, strings("timeout 60 /opt/mpirun"), strings(args));
        json!({"trainer": {"command": command, "args": args}})
    };
    let a = "-N 8 --allow-run-as-root -x NCCL_DEBUG=INFO -x A=1 --mca pml ob1 /opt/ar -b 8 -e 32G";
    let b =
        "-N 4 --allow-run-as-root -x NCCL_DEBUG=INFO -x NCCL_NET_PLUGIN=none -x A --mca pml ucx /opt/ar -b 8 -e 1G -c";
    let pairs = [
        "Option Changed -N 8 4",
        "Option Added -x NCCL_NET_PLUGIN – none",
        "Option Changed -x A 1 –",
        "Option Changed --mca pml ob1 ucx",
        "Program Changed -e 32G 1G",
        "Program Added -c – –",
    ];
    assert_eq!(words(trainer(&[], a), trainer(&[], b)), pairs);
    // The same inside of a wrapped script, whose lines are lines.
    let mut wrapped = vec!["Line Removed  unset B –", "Line Added  – unset C"];
    wrapped.extend(pairs);
    assert_eq!(words(trainer(&["unset A", "unset B"], a), trainer(&["unset A", "unset C"], b)), wrapped);
    // And when only one side is wrapped.
    wrapped.splice(..2, ["Line Added  – unset A"]);
    assert_eq!(words(trainer(&[], a), trainer(&["unset A"], b)), wrapped);
    // Of several with one name the last one counts; order is told.
    assert_eq!(
        words(trainer(&[], "-x A=1 -x B=1 /x"), trainer(&[], "-x A=0 -x B=1 -x A=1 /x")),
        ["Option Added -x A – 0", "Option Moved -x A 1 1"]
    );
    assert_eq!(
        words(json!({"mpiArgs": ["-x", "A=1"]}), json!({"mpiArgs": ["-x", "A=2"]})),
        ["Option Changed -x A 1 2"]
    );
}

#[test]
fn texts_are_compared_by_lines() {
    let script = |text: &str| json!({"command": ["sh", "-c"], "args": [text]});
    assert_eq!(words(script("a\nb\nc\n"), script("a\nx\nc\n")), ["Line Removed  b –", "Line Added  – x"]);
    assert_eq!(words(json!({"data": {"x": "a\nb"}}), json!({"data": {"x": "a"}})), ["Line Removed  b –"]);
    let changes = values(&json!({"x": "a\nb"}), &json!({"x": "a"}));
    assert_eq!(changes[0].words[0].part, WordPart::Line);
    assert_eq!(changes[0].kind, ChangeKind::Changed);
}

/// JSON in which lists of named things, in any order and also with names twice, are frequent.
fn any_value() -> impl Strategy<Value = Value> {
    let name = prop_oneof![Just("a"), Just("b"), Just("c"), Just("a]b"), Just("\"q"), Just("")];
    let text = prop_oneof!["[a-c\n]{0,3}", Just("-x".to_owned()), Just("mpirun".to_owned()), Just("A=1".to_owned())];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..4i32).prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        let key = prop_oneof![
            Just("command"),
            Just("args"),
            Just("mpiArgs"),
            Just("name"),
            Just("x"),
            Just("metadata"),
            Just("a.b[0]")
        ];
        let element = (name.clone(), 0..5u8, inner.clone()).prop_map(|(name, kind, value)| match kind {
            0 => json!({"mountPath": name, "value": value}),
            1 => json!({"kind": "K", "metadata": {"name": name}, "value": value}),
            2 => json!({"name": name, "mountPath": "m", "value": value}),
            _ => json!({"name": name, "value": value}),
        });
        let words =
            prop::collection::vec(prop_oneof![Just("-x"), Just("A=1"), Just("mpirun"), Just("-c"), Just("a\nb")], 0..5);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(element, 0..6).prop_map(Value::from),
            words.prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    #[test]
    fn applying_the_changes_of_a_to_b_gives_b(a in any_value(), b in any_value(), shuffle in any::<prop::sample::Selector>()) {
        let mut changes = values(&a, &b);
        prop_assert_eq!(changes.is_empty(), a == b);
        // Through JSON, and in any order.
        let text = serde_json::to_string(&changes).unwrap();
        let read: Vec<ValueChange> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &changes);
        if !changes.is_empty() {
            let at = shuffle.select(0..changes.len());
            changes.rotate_left(at);
        }
        let mut made = a;
        apply(&mut made, &changes).unwrap();
        prop_assert_eq!(made, b);
    }

    #[test]
    fn nothing_differs_from_itself(a in any_value()) {
        prop_assert_eq!(values(&a, &a.clone()), []);
    }

    #[test]
    fn the_order_of_named_things_is_a_change(names in prop::collection::btree_set("[a-f]", 0..6), seed in any::<u64>()) {
        let a: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
        let mut b = a.clone();
        if !b.is_empty() {
            let length = b.len() as u64;
            b.rotate_left((seed % length) as usize);
            b.swap(0, (seed / 7 % length) as usize);
        }
        let changes = values(&Value::from(a.clone()), &Value::from(b.clone()));
        prop_assert!(changes.iter().all(|c| c.kind == ChangeKind::Moved));
        prop_assert_eq!(changes.is_empty(), a == b);
    }

    #[test]
    fn foreign_changes_never_panic(a in any_value(), b in any_value(), c in any_value()) {
        let mut made = c;
        let _ = apply(&mut made, &values(&a, &b));
    }
}
