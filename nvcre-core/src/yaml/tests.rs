//! What Kubernetes reads: the tables of 09 and the rows 27–32 of 08.

use super::{Kind, Limits, Node, Read, Source, read_documents};
use crate::diagnostic::{Code, Diagnostic};
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

/// Places in short: `line:column-line:column` of every node.
fn places(node: &Node, out: &mut Vec<String>) {
    let s = node.span;
    let what = match &node.kind {
        Kind::Scalar(s) => format!("{:?}", &*s.text),
        Kind::List(_) => "list".to_owned(),
        Kind::Map(_) => "map".to_owned(),
    };
    out.push(format!(
        "{what} {}:{}-{}:{} @{}-{}",
        s.start.line, s.start.column, s.end.line, s.end.column, s.start.offset, s.end.offset
    ));
    match &node.kind {
        Kind::List(items) => items.iter().for_each(|n| places(n, out)),
        Kind::Map(entries) => {
            for e in entries {
                let s = e.key_span;
                out.push(format!(
                    "{}: {}:{}-{}:{} @{}-{}",
                    e.key, s.start.line, s.start.column, s.end.line, s.end.column, s.start.offset, s.end.offset
                ));
                places(&e.value, out);
            }
        }
        Kind::Scalar(_) => {}
    }
}

#[test]
fn dump() {
    for text in [
        "a: 1\nb:\n  - x\n  - {y: 1, z: [ 2 ]}\nc:\nd: |\n  foo\n  bar\ne: 'x'\n",
        "ä: ö\r\nb: *x\r\n",
        "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t2\n\t]\n}",
        "\u{feff}a: [1\n---\nb: 2\n",
        "a:\n\tb: 1\n",
        "- [[[1]]]\n- ? [a]\n  : b\n- ? |\n    x\n  : 5\n",
        "",
        "# hi\n",
        "---\n---\na: &x 1\nb: [*x, &y {c: d}, *y]\n",
        "a: b: c\n",
        "a: 1\na: 2\n",
    ] {
        let read = read(text);
        println!("{text:?}");
        for s in &read.value {
            let mut v = vec![];
            places(s.root.as_ref().unwrap(), &mut v);
            println!("  {}", v.join("\n  "));
        }
        for d in &read.diagnostics {
            println!(
                "  ! {:?} {} {:?} path {:?}",
                d.code,
                d.message,
                place(d),
                d.path.as_ref().map(ToString::to_string)
            );
        }
    }
}
