//! Whole texts: documents, errors, encodings, limits, and the comparison with another reader.

use super::{codes, one, place, read};
use crate::diagnostic::Code;
use crate::yaml::{Limits, read_documents};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn documents_are_read_one_by_one() {
    let all = read("%YAML 1.1\n---\na: 1\n...\n# none\n---\n---\n- b\n--- c\n");
    assert_eq!(all.diagnostics, vec![]);
    let values: Vec<_> = all.value.iter().map(|s| s.root.as_ref().unwrap().to_value()).collect();
    assert_eq!(values, [json!({"a": 1}), json!(["b"]), json!("c")]);
    assert_eq!(read("").value, vec![]);
    assert_eq!(read("# nothing\n---\n").value, vec![]);
    // An anchor lives in its own document.
    assert_eq!(codes(&read("a: &x 1\n---\nb: *x\n").diagnostics), [Code::UnsupportedYaml]);
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
        (bomb, "limit is 1000 aliases"),
        (wide, "8 MiB"),
        (nest.clone(), "64"),
        (format!("a: {nest}"), "64"),
        (block, "64"),
        (format!("{nest}{}", "]".repeat(100_000)), "64"),
        ("{a: ".repeat(100_000), "64"),
        (format!("a: {}", "x".repeat(100 << 20)), "limit of size is 8 MiB"),
        (format!("x: &x 1\ny: [{}]\n", "*x,".repeat(1001)), "limit is 1000 aliases"),
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
        "[a-zA-Z/_.$-][a-zA-Z0-9/_.:@-]{0,8}[a-zA-Z0-9]"
            .prop_filter("`-_0` is a number for Kubernetes, and a text for serde-saphyr", |t| !t.starts_with("-_")),
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
        // Kubernetes drops underscores before it looks at a number: `-_0` and `.0_0` are 0. The oracle looks at sign and
        // point first.
        let signed = |word: &str| word.starts_with(['-', '+', '.']) && word.contains('_');
        prop_assume!(!text.split([' ', ',', '[', ']', '{', '}', '\n']).any(signed));
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

#[test]
fn findings_point_at_the_value_or_at_the_key() {
    use crate::diagnostic::{Code, Diagnostic, FieldPath};
    let source =
        read_documents(b"a:\n  b c: 1\n  list:\n  - {name: x, k: 2}\n", "f.yaml", &Limits::RUN).value.remove(0);
    let a = FieldPath::parse("a");
    for (path, at_key, line, column) in [
        (a.key("b c"), false, 2, 8),
        (a.key("b c"), true, 2, 3),
        (a.key("list"), false, 3, 3),
        (a.key("list").index(0).key("k"), false, 4, 18),
        (a.key("list").named("x").key("k"), true, 4, 15),
        // What is not there is looked for above it.
        (a.key("list").index(0).key("no"), true, 4, 5),
        (a.key("no"), false, 1, 1),
    ] {
        let finding = Diagnostic::at(Code::BadLabel, &path, "x");
        let mut found = [if at_key { finding.at_key() } else { finding }];
        source.locate(&mut found);
        let at = found[0].span.unwrap().start;
        assert_eq!((at.line, at.column, found[0].file.as_deref()), (line, column, Some("f.yaml")), "{path} {at_key}");
    }
}
