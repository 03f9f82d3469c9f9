//! What Kubernetes reads: the tables of 09 and the rows 27–32 of 08.

use super::{Kind, Limits, Node, Read, Source, read_documents};
use crate::diagnostic::{Code, Diagnostic, Position, Span};
use serde_json::{Value, json};

mod texts;

fn read(text: &str) -> Read<Vec<Source>> {
    read_documents(text.as_bytes(), "run.yaml", &Limits::RUN)
}

/// The only document of a text without findings.
fn one(text: &str) -> Value {
    let read = read(text);
    assert_eq!(read.diagnostics, vec![], "{text:?}");
    assert_eq!(read.value.len(), 1, "{text:?}");
    read.value[0].root.as_ref().unwrap().to_value()
}

fn root(text: &str) -> Node {
    read(text).value.remove(0).root.unwrap()
}

fn codes(findings: &[Diagnostic]) -> Vec<Code> {
    findings.iter().map(|d| d.code).collect()
}

/// Line and column where a finding starts.
fn place(finding: &Diagnostic) -> (u32, u32) {
    let start = finding.span.unwrap().start;
    (start.line, start.column)
}

#[test]
fn scalars_are_read_as_kubernetes_reads_them() {
    let table: &[(&str, Value)] = &[
        ("yes", json!(true)),
        ("Yes", json!(true)),
        ("YES", json!(true)),
        ("yEs", json!("yEs")),
        ("no", json!(false)),
        ("No", json!(false)),
        ("NO", json!(false)),
        ("on", json!(true)),
        ("On", json!(true)),
        ("ON", json!(true)),
        ("off", json!(false)),
        ("Off", json!(false)),
        ("OFF", json!(false)),
        ("y", json!(true)),
        ("Y", json!(true)),
        ("n", json!(false)),
        ("N", json!(false)),
        ("true", json!(true)),
        ("True", json!(true)),
        ("TRUE", json!(true)),
        ("tRue", json!("tRue")),
        ("false", json!(false)),
        ("False", json!(false)),
        ("FALSE", json!(false)),
        ("017", json!(15)),
        ("0o17", json!(15)),
        ("0O17", json!(15)),
        ("0x1F", json!(31)),
        ("0X1f", json!(31)),
        ("0b11", json!(3)),
        ("-0b11", json!(-3)),
        ("-0x1F", json!(-31)),
        ("-017", json!(-15)),
        ("+12", json!(12)),
        ("1_000", json!(1000)),
        ("1__0_", json!(10)),
        ("-_0", json!(0)),
        ("_1", json!("_1")),
        ("1_000.5", json!(1000.5)),
        ("08", json!(8.0)),
        ("0o8", json!("0o8")),
        ("0b2", json!("0b2")),
        ("0x", json!("0x")),
        ("0", json!(0)),
        ("00", json!(0)),
        ("-0", json!(0)),
        ("0x-1", json!("0x-1")),
        ("0o+1", json!("0o+1")),
        ("1e3", json!(1000.0)),
        ("1E+3", json!(1000.0)),
        (".5", json!(0.5)),
        ("+.5", json!(0.5)),
        ("5.", json!(5.0)),
        (".5_0", json!(0.5)),
        ("._5", json!("._5")),
        (".", json!(".")),
        ("1.2.3", json!("1.2.3")),
        ("1e", json!("1e")),
        ("e3", json!("e3")),
        ("1e400", json!("1e400")),
        ("0x1p4", json!("0x1p4")),
        ("9223372036854775807", json!(i64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("18446744073709551615", json!(u64::MAX)),
        ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
        ("-9223372036854775809", json!(-9_223_372_036_854_775_809.0)),
        ("~", json!(null)),
        ("null", json!(null)),
        ("Null", json!(null)),
        ("NULL", json!(null)),
        ("nUll", json!("nUll")),
        ("2026-10-12", json!("2026-10-12")),
        ("12:30:45", json!("12:30:45")),
        ("2026-10-12T07:00:00Z", json!("2026-10-12T07:00:00Z")),
        ("4Gi", json!("4Gi")),
        ("500m", json!("500m")),
        ("-b", json!("-b")),
        ("=", json!("=")),
        ("+", json!("+")),
        ("'yes'", json!("yes")),
        ("\"017\"", json!("017")),
        ("\"\"", json!("")),
        ("!!str yes", json!("yes")),
        ("!!int \"4\"", json!(4)),
        ("!!float 3", json!(3.0)),
        ("!!bool yes", json!(true)),
        ("!!null ''", json!(null)),
        ("! 12", json!("12")),
    ];
    for (text, want) in table {
        assert_eq!(one(&format!("a: {text}\n")), json!({ "a": want }), "{text}");
    }
    assert_eq!(one("a:\nb:\n"), json!({"a": null, "b": null}));
}

#[test]
fn infinity_and_nan_cannot_be_held() {
    for text in [".inf", ".Inf", ".INF", "+.inf", "-.INF", ".nan", ".NaN", ".NAN"] {
        let read = read(&format!("a: {text}\n"));
        assert_eq!(codes(&read.diagnostics), [Code::UnsupportedYaml], "{text}");
        assert_eq!(read.value[0].root.as_ref().unwrap().to_value(), json!({ "a": text }));
    }
}

/// Every node and key with what stands at its place.
fn places<'a>(node: &Node, text: &'a str, out: &mut Vec<(String, &'a str)>, path: &str) {
    let slice = |span: Span| &text[span.start.offset as usize..span.end.offset as usize];
    for position in [node.span.start, node.span.end] {
        check_position(text, position);
    }
    out.push((path.to_owned(), slice(node.span)));
    match &node.kind {
        Kind::List(items) => {
            for (at, item) in items.iter().enumerate() {
                places(item, text, out, &format!("{path}[{at}]"));
            }
        }
        Kind::Map(entries) => {
            for entry in entries {
                check_position(text, entry.key_span.start);
                out.push((format!("{path}.{} key", entry.key), slice(entry.key_span)));
                places(&entry.value, text, out, &format!("{path}.{}", entry.key));
            }
        }
        Kind::Scalar(_) => {}
    }
}

/// Line and column are those of the offset.
fn check_position(text: &str, at: Position) {
    let head = &text[..at.offset as usize];
    let line = head.matches('\n').count() + 1;
    let start = head.rfind('\n').map_or(0, |i| i + 1);
    let column = head[start..].trim_start_matches('\u{feff}').chars().count() + 1;
    assert_eq!((at.line as usize, at.column as usize), (line, column), "{text:?} {at:?}");
}

#[test]
fn every_node_and_key_has_its_place() {
    let text = "\u{feff}a: 1 # x\nö: 'é'\nb:\n  - x y\n  - {y: 1, z: [ 2 ]}\n  - p: |\n      l\n\n    q: \"a\n      b\"\nc: &k\n  d: e\nf: *k\r\ng:\r\nh: -5\r\n";
    let mut out = Vec::new();
    places(&root(text), text, &mut out, "");
    let want = [
        ("", &text[3..text.len() - 2]),
        (".a key", "a"),
        (".a", "1"),
        (".ö key", "ö"),
        (".ö", "'é'"),
        (".b key", "b"),
        (".b", "- x y\n  - {y: 1, z: [ 2 ]}\n  - p: |\n      l\n\n    q: \"a\n      b\""),
        (".b[0]", "x y"),
        (".b[1]", "{y: 1, z: [ 2 ]}"),
        (".b[1].true key", "y"),
        (".b[1].true", "1"),
        (".b[1].z key", "z"),
        (".b[1].z", "[ 2 ]"),
        (".b[1].z[0]", "2"),
        (".b[2]", "p: |\n      l\n\n    q: \"a\n      b\""),
        (".b[2].p key", "p"),
        (".b[2].p", "l\n\n    "),
        (".b[2].q key", "q"),
        (".b[2].q", "\"a\n      b\""),
        (".c key", "c"),
        (".c", "d: e"),
        (".c.d key", "d"),
        (".c.d", "e"),
        (".f key", "f"),
        (".f", "d: e"),
        (".f.d key", "d"),
        (".f.d", "e"),
        (".g key", "g"),
        (".g", ""),
        (".h key", "h"),
        (".h", "-5"),
    ];
    for (found, want) in out.iter().zip(want) {
        assert_eq!((found.0.as_str(), found.1), want);
    }
    assert_eq!(out.len(), want.len());
    let json = "{\r\n\t\"a\": [1, \"ü\\n\", {}],\n\t\"b\" : null}";
    let mut out = Vec::new();
    places(&root(json), json, &mut out, "");
    let found: Vec<_> = out.iter().map(|(_, text)| *text).collect();
    assert_eq!(found, [json, "\"a\"", "[1, \"ü\\n\", {}]", "1", "\"ü\\n\"", "{}", "\"b\"", "null"]);
}

#[test]
fn scalars_say_how_they_were_written() {
    let node = root("a: 017\nb: '017'\nc: |\n  x\nd: >-\n  x\n  y\ne:\n");
    let scalar = |key: &str| match &node.get(key).unwrap().kind {
        Kind::Scalar(s) => (s.text.to_string(), s.value.clone(), s.quoted),
        other => panic!("{other:?}"),
    };
    assert_eq!(scalar("a"), ("017".to_owned(), json!(15), false));
    assert_eq!(scalar("b"), ("017".to_owned(), json!("017"), true));
    assert_eq!(scalar("c"), ("x\n".to_owned(), json!("x\n"), true));
    assert_eq!(scalar("d"), ("x y".to_owned(), json!("x y"), true));
    assert_eq!(scalar("e"), (String::new(), json!(null), false));
}

#[test]
fn merge_keys_are_expanded() {
    let base = "x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\n";
    let table = [
        ("{<<: *x, b: 9}", json!({"a": 1, "b": 9})),
        ("{b: 9, <<: *x}", json!({"a": 1, "b": 9})),
        ("{<<: [*x, *y]}", json!({"a": 1, "b": 2, "c": 4})),
        ("{<<: *y, <<: *x, d: 5}", json!({"a": 1, "b": 3, "c": 4, "d": 5})),
        ("{<<: {k: v}}", json!({"k": "v"})),
        ("{<<: []}", json!({})),
        ("{'<<': 1}", json!({"<<": 1})),
        ("&z {<<: *x, k: {<<: *y}}", json!({"a": 1, "b": 2, "k": {"b": 3, "c": 4}})),
    ];
    for (text, want) in table {
        assert_eq!(one(&format!("{base}z: {text}\n"))["z"], want, "{text}");
    }
    for text in ["{<<: 5, a: 1}", "{<<: [*x, 5], a: 1}", "{<<: [[*x]], a: 1}"] {
        let read = read(&format!("{base}z: {text}\n"));
        assert_eq!(codes(&read.diagnostics), [Code::UnsupportedYaml], "{text}");
        assert_eq!(read.value[0].root.as_ref().unwrap().get("z").unwrap().to_value()["a"], json!(1));
    }
}

#[test]
fn a_key_that_stands_twice_is_an_error_at_the_second() {
    let read = read(
        "spec:\n  a: 1\n  env:\n  - name: x\n    name: y\n  \"a\": 2\n  1: p\n  '1': q\n  <<: {a: 3}\nz: !foo 5\n",
    );
    assert_eq!(
        codes(&read.diagnostics),
        [Code::DuplicateKey, Code::DuplicateKey, Code::DuplicateKey, Code::UnsupportedYaml]
    );
    let first = &read.diagnostics[0];
    assert_eq!((place(first), first.path.as_ref().unwrap().to_string()), ((5, 5), "spec.env[0].name".to_owned()));
    assert_eq!(first.related[0].span.unwrap().start.line, 4);
    assert_eq!(first.file.as_deref(), Some("run.yaml"));
    assert_eq!(place(&read.diagnostics[1]), (6, 3));
    assert_eq!(place(&read.diagnostics[2]), (8, 3));
    let value = read.value[0].root.as_ref().unwrap().to_value();
    assert_eq!(value, json!({"spec": {"a": 1, "env": [{"name": "x"}], "1": "p"}, "z": "5"}));
    let many: String = (0..40).map(|i| format!("k{i}: {i}\n")).collect();
    let twice = self::read(&format!("{many}k3: x\nk39: y\n"));
    assert_eq!(twice.diagnostics.iter().map(place).collect::<Vec<_>>(), [(41, 1), (42, 1)]);
    assert_eq!(twice.diagnostics[0].related[0].span.unwrap().start.line, 4);
}

#[test]
fn keys_become_strings() {
    let text = "true: a\n1: b\n1.10: c\n1e6: d\n0x10: e\non: f\n-1.5: g\n";
    let read = read(text);
    let value = read.value[0].root.as_ref().unwrap().to_value();
    assert_eq!(value, json!({"true": "a", "1": "b", "1.1": "c", "1e+06": "d", "16": "e", "-1.5": "g"}));
    assert_eq!(codes(&read.diagnostics), [Code::DuplicateKey]);
    for (text, at) in [
        ("a: 1\n~: x\n", (2, 1)),
        ("? [a]\n: x\na: 1\n", (1, 3)),
        ("{{a: b}: {c: d}, a: 1}", (1, 2)),
        ("&k [1]: x\na: 1\n", (1, 4)),
        ("18446744073709551615: x\na: 1\n", (1, 1)),
    ] {
        let read = self::read(text);
        assert_eq!(codes(&read.diagnostics), [Code::UnsupportedYaml], "{text}");
        assert_eq!(place(&read.diagnostics[0]), at, "{text}");
        assert_eq!(read.value[0].root.as_ref().unwrap().to_value(), json!({"a": 1}), "{text}");
    }
}

#[test]
fn tags_and_aliases_that_kubernetes_does_not_read_are_named() {
    let table = [
        ("a: !foo x\n", json!({"a": "x"}), (1, 9)),
        ("a: !!binary aGk=\n", json!({"a": "aGk="}), (1, 13)),
        ("a: !!int x\n", json!({"a": "x"}), (1, 10)),
        ("a: !!set {x, y}\n", json!({"a": {"x": null, "true": null}}), (1, 10)),
        ("a: *b\nc: 1\n", json!({"a": null, "c": 1}), (1, 4)),
        ("a: &a [1, *a]\n", json!({"a": [1, null]}), (1, 11)),
    ];
    for (text, want, at) in table {
        let read = read(text);
        assert_eq!(codes(&read.diagnostics), [Code::UnsupportedYaml], "{text}");
        assert_eq!(place(&read.diagnostics[0]), at, "{text}");
        assert_eq!(read.value[0].root.as_ref().unwrap().to_value(), want, "{text}");
    }
    assert_eq!(one("a: &k x\n*k : z\n"), json!({"a": "x", "x": "z"}));
    assert_eq!(one("!!map {a: !!seq [1]}\n"), json!({"a": [1]}));
}
