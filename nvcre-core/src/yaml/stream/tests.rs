//! The JSON scanner accepts and reads what `serde_json` does; the YAML stream reads what the whole-text reader does.

use super::*;
use crate::yaml::{Node, read_documents, to_json_pretty, to_yaml};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Gives a few bytes at a time.
struct Slow<'a>(&'a [u8], usize);

impl io::Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (head, tail) = self.0.split_at(self.1.min(self.0.len()).min(out.len()));
        out[..head.len()].copy_from_slice(head);
        self.0 = tail;
        Ok(head.len())
    }
}

fn stream(text: &str, step: usize) -> (Vec<Node>, Vec<Diagnostic>) {
    let mut roots = Vec::new();
    let findings = read_stream(Slow(text.as_bytes(), step), "n", &Limits::INVENTORY, Keep::All, |_, done| match done {
        Done::Root(node) | Done::Partial(node) | Done::Item(node, _) => roots.push(node),
    });
    (roots, findings)
}

/// Reads text as JSON whatever it begins with.
fn scan(text: &str, step: usize) -> (Vec<Value>, Vec<Diagnostic>) {
    let mut roots = Vec::new();
    let input = Input::new(Slow(text.as_bytes(), step), 8 << 20);
    let findings = json::read(input, Builder::new(Limits::INVENTORY, Keep::All), |_, done| match done {
        Done::Root(node) | Done::Partial(node) | Done::Item(node, _) => roots.push(node.to_value()),
    });
    (roots, findings)
}

#[test]
fn json_is_read_as_serde_json_reads_it() {
    let texts = [
        "0",
        "1",
        "-1",
        "01",
        "1.5",
        "1.",
        ".5",
        "-",
        "+1",
        "1e5",
        "1E+5",
        "1e",
        "1e-",
        "1.5e3",
        "--1",
        "1-1",
        "18446744073709551615",
        "-9223372036854775808",
        "18446744073709551616",
        "true",
        "tru",
        "trues",
        "null",
        "nul",
        "false",
        "\"\"",
        "\"a",
        "\"\\n\\t\\r\\b\\f\\/\\\\\\\"\"",
        "\"\\x\"",
        "\"\\u00e9\\uD83D\\uDE00\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "\"\u{7f}\"",
        "[]",
        "[ ]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1",
        "{}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" : [ { } ] }",
        "{\"a\":1 \"b\":2}",
        "[}",
        "{]",
        "]",
        ",",
        ":",
        "\u{e9}",
        " [1]\r\n",
        "'a'",
        "[1]x",
        "1e400",
    ];
    for text in texts {
        for step in [1, 2, 1000] {
            let (roots, findings) = scan(text, step);
            match serde_json::from_str::<Value>(text) {
                Ok(want) => assert_eq!((roots, findings), (vec![want], vec![]), "{text}"),
                Err(error) => assert!(!findings.is_empty(), "{text}: {error}"),
            }
        }
    }
    assert_eq!(scan("1 2\n---\n[3]{}", 1), (vec![json!(1), json!(2), json!([3]), json!({})], vec![]));
    // Half a surrogate pair is U+FFFD, as in Go.
    for text in ["\"\\uD83D\"", "\"\\uDE00\"", "\"\\uD83Dx\"", "\"\\uD83D\\n\"", "\"\\uD83D\\uD83D\\uDE00\""] {
        let (roots, findings) = scan(text, 1);
        assert_eq!(findings, vec![]);
        assert!(roots[0].as_str().unwrap().starts_with('\u{FFFD}'), "{text} {roots:?}");
    }
}

#[test]
fn json_findings_say_what_was_wanted() {
    let table = [
        ("{\"a\" 1}", "found a number where a colon is wanted", (1, 7)),
        ("{\"a\": 1 \"b\"", "found a string where a comma or `}` is wanted", (1, 12)),
        ("[1,\n ?]", "found `?` where a value is wanted", (2, 2)),
        ("{'a': 1}", "found `'` where a key in double quotes is wanted", (1, 2)),
        ("[01]", "found `01`, which is not a number of JSON where a value is wanted", (1, 4)),
        ("[\"a\nb\"]", "found `\\n` inside a string", (1, 4)),
    ];
    for (text, message, at) in table {
        let (_, findings) = scan(text, 1000);
        assert_eq!(findings.len(), 1, "{text}");
        assert!(findings[0].message.contains(message), "{}", findings[0].message);
        let start = findings[0].span.unwrap().start;
        assert_eq!((start.line, start.column), at, "{text}");
    }
    assert_eq!(scan("{\"a\": 1, \"a\": 2}", 1).1[0].code, Code::DuplicateKey);
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000i32..1000).prop_map(|n| Value::from(f64::from(n) / 8.0)),
        any::<String>().prop_map(Value::from),
        "[a-zé😀\\\\\"\n ]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn streams_read_what_was_written(value in values(), step in 1_usize..40) {
        let (roots, findings) = scan(&to_json_pretty(&value), step);
        prop_assert_eq!((roots, findings), (vec![value.clone()], vec![]));
        let yaml = to_yaml(&value);
        let (roots, findings) = stream(&yaml, step);
        let whole = read_documents(yaml.as_bytes(), "n", &Limits::RUN);
        prop_assert_eq!(findings, vec![]);
        prop_assert_eq!(&roots[0].to_value(), &value);
        if let Some(source) = whole.value.first() {
            prop_assert_eq!(source.root.as_ref(), roots.first(), "{}", yaml);
        }
    }

    #[test]
    fn both_scanners_refuse_the_same(text in "[\\[\\]{},:0-9a\"\\\\ue.\n -]{0,12}") {
        let (_, findings) = scan(&text, 3);
        let mut all = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let good = all.by_ref().all(|value| value.is_ok());
        // Between values serde_json wants a blank, and knows no duplicate keys.
        if good {
            prop_assert!(findings.iter().all(|f| f.code == Code::DuplicateKey), "{:?}", findings);
        } else if !text.contains("---") && !text.contains("\\u") {
            let first_bad = serde_json::from_str::<Value>(&text).is_err();
            prop_assert!(!findings.is_empty() || first_bad, "{}", text);
        }
    }
}
