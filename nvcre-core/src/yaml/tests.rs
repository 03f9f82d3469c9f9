//! What Kubernetes reads: the tables of 09 and the rows 27–32 of 08.

use super::{Kind, Limits, Node, Read, Source, read_documents};
use crate::diagnostic::{Code, Diagnostic, Position, Span};
use proptest::prelude::*;
use serde_json::{Value, json};

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

#[test]
fn documents_are_read_one_by_one() {
    let read = read("%YAML 1.1\n---\na: 1\n...\n# none\n---\n---\n- b\n--- c\n");
    assert_eq!(read.diagnostics, vec![]);
    let values: Vec<_> = read.value.iter().map(|s| s.root.as_ref().unwrap().to_value()).collect();
    assert_eq!(values, [json!({"a": 1}), json!(["b"]), json!("c")]);
    assert_eq!(self::read("").value, vec![]);
    assert_eq!(self::read("# nothing\n---\n").value, vec![]);
    // An anchor lives in its own document.
    assert_eq!(codes(&self::read("a: &x 1\n---\nb: *x\n").diagnostics), [Code::UnsupportedYaml]);
}

#[test]
fn after_an_error_everything_else_is_still_there() {
    let read = read("a: 1\nb: [1, {c: 2\n---\nd: 4\ne: 'x\n---\nf: 5\n");
    let values: Vec<_> = read.value.iter().map(|s| s.root.as_ref().unwrap().to_value()).collect();
    assert_eq!(values[0], json!({"a": 1, "b": [1]}));
    assert_eq!(values[1], json!({"d": 4}));
    assert!(codes(&read.diagnostics).iter().all(|c| *c == Code::Syntax));
    assert!(read.diagnostics.iter().all(|d| d.span.is_some() && d.file.is_some()));
}

#[test]
fn encodings_and_line_ends() {
    assert_eq!(one("\u{feff}a: 1\r\nb:\r\n- |\r\n  x\r\n  y\r\n"), json!({"a": 1, "b": ["x\ny\n"]}));
    let wide = |units: Vec<u8>| read_documents(&units, "run.yaml", &Limits::RUN);
    let le: Vec<u8> = "\u{feff}a: 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be: Vec<u8> = "a: 1\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, name) in [(le, "UTF-16 (little endian)"), (be, "UTF-16 (big endian)")] {
        let read = wide(bytes);
        assert_eq!(codes(&read.diagnostics), [Code::Encoding]);
        assert!(read.diagnostics[0].message.contains(name), "{}", read.diagnostics[0].message);
        assert_eq!(read.value, vec![]);
    }
    let read = read_documents(b"a: 1\nb: gr\xFCn\nc: 3\n", "run.yaml", &Limits::RUN);
    assert_eq!(codes(&read.diagnostics), [Code::Encoding]);
    assert_eq!((place(&read.diagnostics[0]), read.diagnostics[0].message.contains("0xFC")), ((2, 6), true));
    assert_eq!(read.value[0].root.as_ref().unwrap().to_value(), json!({"a": 1, "b": "gr?n", "c": 3}));
}

#[test]
fn tabs_as_indentation_are_named() {
    for text in ["a:\n\tb: 1\n", "a:\n  - x\n\t- y\n", "-\tb:\n\tc: 1\n", "a: b\n\tc: d\n"] {
        let read = read(text);
        assert!(codes(&read.diagnostics).contains(&Code::Syntax), "{text:?}");
        assert!(read.diagnostics.iter().any(|d| d.message.contains("tab")), "{text:?} {:?}", read.diagnostics);
        assert!(read.diagnostics.iter().any(|d| d.help.as_deref().is_some_and(|h| h.contains("spaces"))));
    }
}

#[test]
fn hostile_texts_are_refused_with_the_limit() {
    let bomb = {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, inner) in "bcdefghi".chars().zip("abcdefgh".chars()) {
            bomb.push_str(&format!("{name}: &{name} [{}]\n", vec![format!("*{inner}"); 10].join(", ")));
        }
        bomb
    };
    let wide = format!("a: &a [{}]\nb: [{}]\n", "xxxxxxx,".repeat(100_000), "*a,".repeat(500));
    let nest = "[".repeat(100_000);
    let block = " -".repeat(100_000);
    let table: &[(String, &str)] = &[
        (bomb, "limit of aliases is 1000"),
        (wide, "8 MiB"),
        (nest.clone(), "64"),
        (format!("a: {nest}"), "64"),
        (block, "64"),
        (format!("{nest}{}", "]".repeat(100_000)), "64"),
        ("{a: ".repeat(100_000), "64"),
        (format!("a: {}", "x".repeat(100 << 20)), "limit of size is 8 MiB"),
        (format!("x: &x 1\ny: [{}]\n", "*x,".repeat(1001)), "limit of aliases is 1000"),
    ];
    for (text, limit) in table {
        let read = read(text);
        let head: String = text.chars().take(20).collect();
        assert_eq!(
            codes(&read.diagnostics).first(),
            Some(&Code::LimitExceeded),
            "{head} {:?}",
            read.diagnostics.first()
        );
        assert!(read.diagnostics[0].message.contains(limit), "{}", read.diagnostics[0].message);
        assert!(read.diagnostics[0].help.is_some());
        assert!(read.diagnostics.len() < 5, "{head}: {}", read.diagnostics.len());
    }
    assert!(codes(&read(&"? ".repeat(100_000)).diagnostics).contains(&Code::LimitExceeded));
    assert_eq!(read(&format!("x: &x 1\ny: [{}]\n", "*x,".repeat(1000))).diagnostics, vec![]);
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert_eq!(read(&deep(64)).diagnostics, vec![]);
    assert_eq!(codes(&read(&deep(65)).diagnostics), [Code::LimitExceeded]);
    let small = Limits { scalar: 10, ..Limits::RUN };
    let read = read_documents(b"a: 12345678901\nb: 1\n", "run.yaml", &small);
    assert_eq!(codes(&read.diagnostics), [Code::LimitExceeded]);
    assert_eq!(
        (place(&read.diagnostics[0]), read.diagnostics[0].path.as_ref().unwrap().to_string()),
        ((1, 4), "a".to_owned())
    );
}

/// As serde-saphyr reads it with the rules of Kubernetes (09).
fn oracle(text: &str) -> Option<Value> {
    let options = serde_yaml::options! { no_schema: true, legacy_octal_numbers: true, strict_booleans: false };
    serde_yaml::from_str_with_options(text, options).ok()
}

fn plain() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z/_.$-][a-zA-Z0-9/_.:@-]{0,8}[a-zA-Z0-9]",
        proptest::sample::select(vec![
            "yes",
            "No",
            "on",
            "OFF",
            "true",
            "False",
            "null",
            "~",
            "017",
            "0x1F",
            "0b11",
            "1e3",
            ".5",
            "-12",
            "+3",
            "2026-10-12",
            "12:30:45",
            "4Gi",
            "500m",
            "'yes'",
            "\"a\\nb\"",
            "''",
            "1.5",
            "0",
            "18446744073709551615",
            "[]",
            "{}",
        ])
        .prop_map(str::to_owned),
        "[1-9][0-9]{0,17}",
        "-?[0-9]\\.[0-9]{1,5}",
    ]
}

fn document() -> impl Strategy<Value = String> {
    plain().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(|items| { format!("[{}]", items.join(", ")) }),
            proptest::collection::vec(inner, 1..4).prop_map(|items| {
                let entries: Vec<_> = items.iter().enumerate().map(|(at, v)| format!("k{at}: {v}")).collect();
                format!("{{{}}}", entries.join(", "))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn serde_saphyr_reads_the_same(values in proptest::collection::vec(document(), 1..6)) {
        let text: String = values.iter().enumerate().map(|(at, v)| format!("key{at}: {v}\n- {v}\n").replace("\n- ", &format!("\nlist{at}:\n- ")).clone()).collect();
        prop_assert_eq!(Some(one(&text)), oracle(&text), "{}", text);
    }

    #[test]
    fn nothing_panics_and_places_are_in_the_text(text in "[-a:?{}\\[\\], \n\t#&*!|>'\"%@`<0é\r\\\\]{0,60}") {
        let read = read(&text);
        for finding in &read.diagnostics {
            let span = finding.span.unwrap();
            prop_assert!(span.start.offset <= text.len() as u64 && span.start.offset <= span.end.offset);
            prop_assert!(text.is_char_boundary(span.start.offset as usize));
        }
    }
}
