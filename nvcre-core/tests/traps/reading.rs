//! Rows 27–32: YAML that comes in.

use crate::support::*;
use nvcre_core::diagnostic::{Code, Diagnostic, has_errors};
use nvcre_core::engine::{Engine, RunInput};
use nvcre_core::fleet::{InventoryReader, read_inventory};
use serde_json::json;

const GOOD: &str = "apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: sweep}
spec:
  image: registry.example/nccl:1
  numNodes: 2
  framework: {torch: {script: /t.py}}
";

fn read(bytes: &[u8]) -> RunInput {
    Engine::new().read_run(bytes, "run.yaml", false)
}

/// The only finding of a code; it has a place.
fn finding(found: &[Diagnostic], code: Code) -> &Diagnostic {
    let all: Vec<&Diagnostic> = found.iter().filter(|d| d.code == code).collect();
    assert_eq!(all.len(), 1, "{code:?} among {found:#?}");
    all[0]
}

fn place(d: &Diagnostic) -> (u32, u32) {
    let start = d.span.unwrap_or_else(|| panic!("without a place: {d:#?}")).start;
    (start.line, start.column)
}

#[test]
fn row_27_unquoted_values_of_env_became_bools_and_numbers() {
    for (value, what) in [
        ("true", "bool"),
        ("yes", "bool"),
        ("On", "bool"),
        ("y", "bool"),
        ("8", "number"),
        ("1_000", "number"),
        ("017", "number"),
        ("1e3", "number"),
        (".5", "number"),
    ] {
        let text = format!("{GOOD}  env:\n  - name: A\n    value: {value}\n");
        let read = read(text.as_bytes());
        let d = finding(&read.diagnostics, Code::WrongType);
        assert_eq!(d.path.as_ref().unwrap().to_string(), "spec.env[0].value");
        assert_eq!(place(d), (10, 12), "{value}");
        let all = format!("{} {}", d.message, d.help.as_deref().unwrap());
        assert!(all.contains("Kubernetes") && all.contains(what) && all.contains("quote"), "{value}: {all}");
    }
    for value in ["\"true\"", "'8'", "2026-10-12", "\"yes\"", "nope"] {
        let text = format!("{GOOD}  env:\n  - name: A\n    value: {value}\n");
        assert_eq!(read(text.as_bytes()).diagnostics, [], "{value}");
    }
}

#[test]
fn row_28_the_last_of_equal_keys_won_in_silence() {
    let text = GOOD.replace("  numNodes: 2\n", "  numNodes: 2\n  numNodes: 3\n");
    let read = read(text.as_bytes());
    let d = finding(&read.diagnostics, Code::DuplicateKey);
    assert_eq!(place(d), (7, 3), "the second key");
    assert!(d.message.contains("numNodes"));
    // Deep inside, and in JSON.
    let text = GOOD.replace("metadata: {name: sweep}", "metadata: {name: sweep, labels: {a: b, a: c}}");
    finding(&self::read(text.as_bytes()).diagnostics, Code::DuplicateKey);
    let json = r#"{"apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "WorkloadRun", "kind": "WorkloadRun"}"#;
    finding(&self::read(json.as_bytes()).diagnostics, Code::DuplicateKey);
}

#[test]
fn row_29_a_text_was_taken_for_a_number() {
    let text = GOOD.replace("numNodes: 2", "numNodes: \"4\"");
    let read = read(text.as_bytes());
    let d = finding(&read.diagnostics, Code::WrongType);
    assert_eq!((d.path.as_ref().unwrap().to_string().as_str(), place(d)), ("spec.numNodes", (6, 13)));
    assert!(d.message.contains("string") && d.message.contains("whole number"), "{}", d.message);
}

#[test]
fn row_30_bombs_took_all_memory() {
    let mut bomb = String::from("a0: &a0 [x]\n");
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    let deep = "[".repeat(100_000);
    let large = format!("a: {}", "x".repeat(100 << 20));
    for (what, text, limit) in [("aliases", bomb, "1000"), ("depth", deep, "64"), ("length", large, "8")] {
        let read = read(text.as_bytes());
        let d = read.diagnostics.iter().find(|d| d.code == Code::LimitExceeded);
        let d = d.unwrap_or_else(|| panic!("{what}: {:#?}", read.diagnostics));
        let all = format!("{} {}", d.message, d.help.as_deref().unwrap_or("")).replace(',', "");
        assert!(all.contains(limit), "{what}: {all}");
        assert!(has_errors(&read.diagnostics), "{what}");
    }
}

#[test]
fn row_31_files_of_windows_and_of_other_editors() {
    let crlf = format!("\u{feff}{}", GOOD.replace('\n', "\r\n"));
    let read_crlf = read(crlf.as_bytes());
    assert_eq!(read_crlf.diagnostics, []);
    assert_eq!(read_crlf.run, read(GOOD.as_bytes()).run);

    let tabs = GOOD.replace("  image", "\timage");
    let read_tabs = read(tabs.as_bytes());
    let d = read_tabs.diagnostics.iter().find(|d| d.message.to_lowercase().contains("tab"));
    assert_eq!(place(d.unwrap_or_else(|| panic!("{:#?}", read_tabs.diagnostics))).0, 5);

    for big in [false, true] {
        let mut bytes = if big { vec![0xfe, 0xff] } else { vec![0xff, 0xfe] };
        for unit in GOOD.encode_utf16() {
            bytes.extend(if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
        }
        let read = read(&bytes);
        let d = finding(&read.diagnostics, Code::Encoding);
        assert!(d.message.contains("UTF-16"), "{}", d.message);
    }
}

#[test]
fn row_32_other_documents_were_ignored() {
    let two = format!("{GOOD}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: other}}\n");
    let read_two = read(two.as_bytes());
    let d = finding(&read_two.diagnostics, Code::ExtraDocument);
    assert!(d.message.contains("ConfigMap") && d.message.contains('2'), "{}", d.message);
    assert_eq!(read_two.run.metadata.name, "sweep", "the run is read all the same");
    finding(&read(b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n").diagnostics, Code::WrongKind);
    finding(&read(b"").diagnostics, Code::WrongKind);
    finding(&read(format!("{GOOD}---\n{GOOD}").as_bytes()).diagnostics, Code::ExtraDocument);
    let behind = read(format!("apiVersion: v1\nkind: ConfigMap\n---\n{GOOD}").as_bytes());
    assert!(finding(&behind.diagnostics, Code::ExtraDocument).message.contains("document 1"));
    assert_eq!(behind.run.metadata.name, "sweep", "the run is found behind other documents");

    // An inventory takes any mix.
    let node = |name: &str| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"nvidia.com/gpu.present": "true"}}});
    let slice = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {
        "driver": "gpu.nvidia.com", "nodeName": "a", "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0", "attributes": {"productName": {"string": "NVIDIA GB300"}}}],
    }});
    let mut bare = node("d");
    bare.as_object_mut().unwrap().remove("kind");
    let documents = [
        node("a"),
        json!({"apiVersion": "v1", "kind": "List", "items": [node("b"), slice]}),
        json!({"apiVersion": "v1", "kind": "NodeList", "items": [node("c"), bare]}),
    ];
    let text = nvcre_core::yaml::to_yaml_documents(&documents);
    let inventory = read_inventory(&text);
    assert_eq!(inventory.diagnostics, []);
    let names: Vec<&str> = inventory.value.nodes.iter().map(|n| inventory.value.text(n.name)).collect();
    assert_eq!((names, inventory.value.slices.len()), (vec!["a", "b", "c", "d"], 1));
    let mut reader = InventoryReader::new();
    reader.read("pods.yaml", &b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"[..]);
    let read = reader.finish();
    let text = line(finding(&read.diagnostics, Code::InventoryKind));
    assert!(text.contains("Pod"), "{text}");
}
