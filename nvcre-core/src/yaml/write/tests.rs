//! Written text reads back as the same value, in our reader and in others.

use super::*;
use crate::yaml::{Limits, read_documents};
use proptest::prelude::*;
use serde_json::json;

fn read_back(text: &str) -> Value {
    let read = read_documents(text.as_bytes(), "out.yaml", &Limits { depth: 200, ..Limits::RUN });
    assert_eq!(read.diagnostics, vec![], "{text}");
    read.value.first().and_then(|s| s.root.as_ref()).map_or(Value::Null, crate::yaml::Node::to_value)
}

#[test]
fn strings_that_others_misread_are_quoted() {
    let table = [
        ("yes", "\"yes\""),
        ("y", "\"y\""),
        ("On", "\"On\""),
        ("null", "\"null\""),
        ("~", "\"~\""),
        ("", "\"\""),
        ("1_000", "\"1_000\""),
        ("0o7", "\"0o7\""),
        ("017", "\"017\""),
        ("1e3", "\"1e3\""),
        (".5", "\".5\""),
        (".inf", "\".inf\""),
        ("-", "\"-\""),
        ("- a", "\"- a\""),
        ("a: b", "\"a: b\""),
        ("a #b", "\"a #b\""),
        ("a:", "\"a:\""),
        (" a", "\" a\""),
        ("a ", "\"a \""),
        ("12:30:45", "\"12:30:45\""),
        ("2026-10-12", "\"2026-10-12\""),
        ("2026-10-12T07:00:00Z", "\"2026-10-12T07:00:00Z\""),
        ("*a", "\"*a\""),
        ("&a", "\"&a\""),
        ("!a", "\"!a\""),
        ("%a", "\"%a\""),
        ("@a", "\"@a\""),
        ("`a", "\"`a\""),
        ("[a", "\"[a\""),
        ("{a", "\"{a\""),
        ("? a", "\"? a\""),
        ("<<", "\"<<\""),
        ("=", "\"=\""),
        ("---", "\"---\""),
        ("...", "\"...\""),
        ("say \"hi\": \\n", "'say \"hi\": \\n'"),
        ("it's: \"x\"", "'it''s: \"x\"'"),
        ("a\tb", "\"a\\tb\""),
        ("a\u{85}b", "\"a\\x85b\""),
        ("\u{2028}", "\"\\u2028\""),
        ("\u{1F600}", "\u{1F600}"),
        ("a\rb\n", "\"a\\rb\\n\""),
        ("a:b", "a:b"),
        ("a#b", "a#b"),
        ("-b", "-b"),
        ("--mca", "--mca"),
        ("4Gi", "4Gi"),
        ("nvcr.io/nvidia/pytorch:26.01-py3", "nvcr.io/nvidia/pytorch:26.01-py3"),
        ("${HOME}, [x]", "${HOME}, [x]"),
        ("größe", "größe"),
        ("8", "\"8\""),
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n\n", "|+\n  a\n"),
        ("  a\nb", "|2-\n    a\n  b"),
        ("\na\n", "|2\n\n  a"),
        ("\n", "\"\\n\""),
        ("a\n  ", "\"a\\n  \""),
    ];
    for (text, want) in table {
        assert_eq!(to_yaml(&json!({ "k": text })), format!("k: {want}\n"), "{text:?}");
        assert_eq!(read_back(&to_yaml(&json!({ "k": text }))), json!({ "k": text }));
        assert_eq!(
            read_back(&to_yaml(&json!({ text: text, "z": [text, [text]] }))),
            json!({ text: text, "z": [text, [text]] })
        );
    }
}

#[test]
fn the_form_is_that_of_kubectl() {
    let value = json!({
        "kind": "A", "apiVersion": "v1",
        "spec": {"list": [{"name": "x", "args": ["a", "b"]}, [1, [2.5, null]], {}, []], "empty": {}, "none": [], "t": true, "big": 1e300, "small": -1.5e-7, "long": "word ".repeat(60)},
        "script": "#!/bin/sh\nset -e\n\necho  'x'\n"
    });
    let long = "word ".repeat(60);
    assert_eq!(
        to_yaml(&value),
        format!(
            "apiVersion: v1\nkind: A\nscript: |\n  #!/bin/sh\n  set -e\n\n  echo  'x'\nspec:\n  big: 1.0e+300\n  empty: {{}}\n  list:\n  - args:\n    - a\n    - b\n    name: x\n  - - 1\n    - - 2.5\n      - null\n  - {{}}\n  - []\n  long: \"{long}\"\n  none: []\n  small: -1.5e-7\n  t: true\n"
        )
    );
    assert_eq!(to_yaml_documents([&json!({"a": 1}), &json!([]), &json!("x")]), "a: 1\n---\n[]\n---\nx\n");
    assert_eq!(
        to_json_pretty(&json!({"b": [1, {}], "a": "x"})),
        "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    {}\n  ]\n}"
    );
    let mut bytes = Vec::new();
    write_yaml_to(&mut bytes, &value).unwrap();
    assert_eq!(bytes, to_yaml(&value).into_bytes());
}

#[test]
fn long_keys_are_written_so_that_they_can_be_read() {
    for key in ["k".repeat(2000), "\n".repeat(900), "ä: ".repeat(500)] {
        let value = json!({ key: {"a": ["x\ny\n"]} });
        assert_eq!(read_back(&to_yaml(&value)), value);
    }
}

fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ -~]{0,12}",
        2 => "[-+.0-9_xobe:TZ ]{1,8}",
        3 => "[ \t\n\ra#:-]{0,10}",
        2 => proptest::sample::select(vec!["y", "No", "ON", "off", "TRUE", "null", "~", ".inf", ".NaN", "<<", "---", "...", "-", "?", ":", "1_0", "0b1", "=", "\u{feff}", "\u{85}", "é\u{2029}"]).prop_map(str::to_owned),
        2 => any::<String>(),
        1 => "([ a]{0,3}\n){1,4}[ a]{0,3}",
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<f64>().prop_filter_map("finite", |f| serde_json::Number::from_f64(f).map(Value::Number)),
        1 => (-1000i32..1000).prop_map(|n| Value::from(f64::from(n))),
        6 => nasty().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((nasty(), inner), 0..6).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn what_is_written_reads_back(value in values()) {
        let text = to_yaml(&value);
        prop_assert_eq!(&read_back(&text), &value, "{}", text);
        prop_assert_eq!(to_yaml(&value), text);
        prop_assert_eq!(&read_back(&to_json_pretty(&value)), &value);
    }

    #[test]
    fn other_readers_read_the_same(value in values()) {
        let text = to_yaml(&value);
        let options = serde_yaml::options! { no_schema: true, legacy_octal_numbers: true, strict_booleans: false };
        let other: Value = serde_yaml::from_str_with_options(&text, options).unwrap();
        prop_assert_eq!(other, value, "{}", text);
    }
}
