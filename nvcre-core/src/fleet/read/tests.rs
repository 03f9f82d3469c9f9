//! Inventories as people have them (00 D35, D70, D71; 08 rows 30–32).

use super::*;
use crate::api::Taint;
use crate::yaml::{to_json_pretty, to_yaml, to_yaml_documents};
use serde_json::{Value, json};

fn node(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name, "labels": {"kubernetes.io/hostname": name, "nvidia.com/gpu.present": "true"},
            "annotations": {"big": "y: [", "z": {"q": [1, 2, {"k": null}]}}
        },
        "spec": {
            "providerID": "aws:///x", "podCIDRs": ["10.0.0.0/24"],
            "taints": [{"key": "k", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}]
        },
        "status": {
            "allocatable": {"nvidia.com/gpu": "8", "cpu": 128, "memory": 1.5},
            "conditions": [{"type": "DiskPressure", "status": "False"}, {"type": "Ready", "status": "True"}],
            "nodeInfo": {"operatingSystem": "linux", "architecture": "arm64"}, "images": [{"names": ["a"]}]
        }
    })
}

fn slice(name: &str) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name},
        "spec": {
            "driver": "gpu.nvidia.com", "nodeName": "n1", "pool": {"name": "n1", "generation": 3, "resourceSliceCount": 1},
            "devices": [
                {"name": "gpu-0", "attributes": {"type": {"string": "gpu"}, "productName": {"string": "NVIDIA GB300"}, "uuid": {"string": "x"}}},
                {"name": "gpu-1", "basic": {"attributes": {"productName": {"string": "NVIDIA B200"}, "type": {"int": 1}}}},
            ]
        }
    })
}

fn list(kind: &str, items: &[Value]) -> Value {
    json!({"apiVersion": "v1", "items": items, "kind": kind, "metadata": {"resourceVersion": ""}})
}

fn names(inventory: &Inventory) -> Vec<&str> {
    inventory.nodes.iter().map(|n| inventory.text(n.name)).collect()
}

fn codes(read: &Read<Inventory>) -> Vec<Code> {
    read.diagnostics.iter().map(|d| d.code).collect()
}

fn place(finding: &Diagnostic) -> (u32, u32) {
    let start = finding.span.unwrap().start;
    (start.line, start.column)
}

fn clean(text: &str) -> Inventory {
    let read = read_inventory(text);
    assert_eq!(read.diagnostics, vec![], "{text}");
    read.value
}

#[test]
fn every_field_that_the_rules_read_is_there_in_both_languages() {
    let value = list("List", &[node("n1"), slice("s1"), node("n2"), slice("s1")]);
    for text in [to_yaml(&value), to_json_pretty(&value), value.to_string()] {
        let inventory = clean(&text);
        assert_eq!(names(&inventory), ["n1", "n2"]);
        let node = &inventory.nodes[1];
        assert_eq!(inventory.label(node, "kubernetes.io/hostname"), Some("n2"));
        assert_eq!(inventory.label(node, "big"), None);
        assert_eq!(node.provider_id.map(|id| inventory.text(id)), Some("aws:///x"));
        assert!(!node.unschedulable);
        let taint = Taint { key: "k".into(), value: String::new(), effect: "NoSchedule".into() };
        assert_eq!(inventory.taints(node).collect::<Vec<_>>(), [&taint]);
        assert_eq!(inventory.taints.len(), 1);
        assert_eq!(inventory.allocatable(node, "nvidia.com/gpu"), Some("8"));
        assert_eq!(inventory.allocatable(node, "cpu"), Some("128"));
        assert_eq!(inventory.allocatable(node, "memory"), Some("1.5"));
        assert_eq!(node.ready.map(|id| inventory.text(id)), Some("True"));
        assert_eq!(node.operating_system.map(|id| inventory.text(id)), Some("linux"));
        assert_eq!(inventory.strings.find("arm64"), None, "not kept");
        let [slice] = &inventory.slices[..] else { panic!("{:?}", inventory.slices) };
        assert_eq!(
            (inventory.text(slice.name), inventory.text(slice.driver), slice.generation),
            ("s1", "gpu.nvidia.com", 3)
        );
        assert_eq!(slice.node_name.map(|id| inventory.text(id)), Some("n1"));
        let text = |id: Option<StringId>| id.map(|id| inventory.text(id));
        let devices: Vec<_> = slice.devices.iter().map(|(a, b)| (text(*a), text(*b))).collect();
        assert_eq!(devices, [(Some("gpu"), Some("NVIDIA GB300")), (None, Some("NVIDIA B200"))]);
    }
}

#[test]
fn every_form_of_an_inventory_is_read() {
    let (a, b, c) = (node("a"), node("b"), node("c"));
    let mut bare = a.clone();
    bare.as_object_mut().unwrap().remove("kind");
    bare.as_object_mut().unwrap().remove("apiVersion");
    let forms = [
        to_yaml(&list("NodeList", &[bare.clone(), b.clone(), c.clone()])),
        to_json_pretty(&list("NodeList", &[bare.clone(), b.clone(), c.clone()])),
        to_yaml(&json!([bare, b, c])),
        json!([bare, b, c]).to_string(),
        to_yaml_documents([&a, &list("List", &[b.clone(), list("List", std::slice::from_ref(&c))])]),
        format!("{a}\n{}\n", list("List", &[b.clone(), c.clone()])),
        format!("\n\u{20}{}", json!([[], a, b, c]).to_string().replace("[[],", "[")),
        format!(
            "\u{feff}# nodes\r\n---\r\n{}---\n---\n{}...\n---\n{}",
            to_yaml(&a).replace('\n', "\r\n"),
            to_yaml(&b),
            to_yaml(&c)
        ),
        "[{metadata: {name: a}}, {metadata: {name: b}}, {metadata: {name: c}}]".to_owned(),
        "- {kind: Node, metadata: {name: a}}\n- &b {metadata: {name: b}}\n- *b\n- metadata: {name: c}\n".to_owned(),
        "x: &all\n- metadata: {name: a}\n- metadata: {name: b}\n- metadata: {name: c}\nkind: List\nitems: *all\n"
            .to_owned(),
    ];
    for text in forms {
        assert_eq!(names(&clean(&text)), ["a", "b", "c"], "{text}");
    }
    assert_eq!(clean("kind: List\nitems: []\n").nodes.len(), 0);
    assert_eq!(clean("kind: List\nitems:\n").nodes.len(), 0);
}

#[test]
fn anchors_in_parts_that_are_passed_over_still_work() {
    let text = "kind: Node\nmetadata:\n  name: a\n  annotations: &labels\n    nvidia.com/gpu.present: \"true\"\n    x: &v y1\n\
                \u{20} labels:\n    <<: *labels\n    x: z\n    v: *v\n";
    let inventory = clean(text);
    let node = &inventory.nodes[0];
    let label = |key| inventory.label(node, key);
    assert_eq!((label("nvidia.com/gpu.present"), label("x"), label("v")), (Some("true"), Some("z"), Some("y1")));
}

#[test]
fn labels_must_be_strings() {
    let text = "kind: List\nitems:\n- kind: Node\n  metadata:\n    name: n1\n    labels:\n      a: true\n      b: 8\n      c: \"8\"\n      d:\n      e: [x]\n";
    let json = "{\"items\": [{\"metadata\": {\"name\": \"n1\", \"labels\": {\"a\": true,\n \"b\": 8 , \"c\": \"8\", \"d\": null, \"e\":\n[1]}}}], \"kind\": \"List\"}";
    for (text, places) in [(text, [(7, 10), (8, 10), (10, 8), (11, 10)]), (json, [(1, 56), (2, 7), (2, 26), (3, 1)])] {
        let read = read_inventory(text);
        assert_eq!(codes(&read), [Code::NodeLabelType; 4]);
        assert_eq!(read.diagnostics.iter().map(place).collect::<Vec<_>>(), places);
        let first = &read.diagnostics[0];
        assert_eq!(first.message, "the label `a` of node `n1` is the bool `true`; every label value must be a string");
        assert_eq!(first.path.as_ref().unwrap().to_string(), "items[0].metadata.labels.a");
        assert_eq!(read.value.label(&read.value.nodes[0], "a"), Some("true"));
    }
}

#[test]
fn wrong_types_of_other_fields_are_named() {
    let text = "kind: Node\nmetadata: {name: n1}\nspec:\n  providerID: 5\n  unschedulable: \"true\"\n  taints: {a: b}\nstatus:\n  allocatable: {cpu: true}\n  conditions: [{type: Ready, status: True}]\n  nodeInfo: {operatingSystem: 1}\n";
    let read = read_inventory(text);
    assert_eq!(codes(&read), [Code::NodeFieldType; 6]);
    let paths: Vec<_> = read.diagnostics.iter().map(|d| d.path.as_ref().unwrap().to_string()).collect();
    assert_eq!(
        paths,
        [
            "spec.providerID",
            "spec.unschedulable",
            "spec.taints",
            "status.allocatable.cpu",
            "status.conditions[0].status",
            "status.nodeInfo.operatingSystem"
        ]
    );
}

#[test]
fn nodes_without_a_name_and_other_kinds_are_errors() {
    let table: &[(&str, Code, (u32, u32), &str)] = &[
        ("kind: Node\nmetadata: {}\n", Code::NodeWithoutName, (1, 1), "a node has no metadata.name"),
        ("- kind: Node\n  metadata:\n    name: 5\n", Code::NodeWithoutName, (3, 11), "the number `5`"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n", Code::InventoryKind, (2, 7), "found Pod `p`"),
        ("kind: List\nitems:\n- {kind: Pod, metadata: {name: p}}\n", Code::InventoryKind, (3, 10), "found Pod `p`"),
        ("items:\n- {metadata: {name: p}}\nkind: PodList\n", Code::InventoryKind, (3, 7), "found PodList"),
        ("metadata: {name: p}\n", Code::InventoryKind, (1, 1), "without a kind"),
        ("- 5\n", Code::InventoryKind, (1, 3), "a single value"),
        ("- [a]\n", Code::InventoryKind, (1, 3), "a list"),
        ("gpu-1\n", Code::InventoryKind, (1, 1), "a single value"),
        ("", Code::InventoryEmpty, (1, 1), "empty"),
        ("# nothing\n---\n", Code::InventoryEmpty, (1, 1), "empty"),
        ("kind: List\nitems: 5\n", Code::NodeFieldType, (2, 8), "must be a list"),
    ];
    for (text, code, at, message) in table {
        let read = read_inventory(text);
        assert_eq!(codes(&read), [*code], "{text} {:?}", read.diagnostics);
        assert_eq!(place(&read.diagnostics[0]), *at, "{text}");
        assert!(read.diagnostics[0].message.contains(message), "{}", read.diagnostics[0].message);
        assert_eq!(read.value.nodes.len(), 0, "{text}");
    }
}

#[test]
fn a_node_in_two_files_is_one_when_it_is_the_same() {
    let mut reader = InventoryReader::new();
    reader.read("one.yaml", to_yaml(&list("List", &[node("a"), node("b")])).as_bytes());
    let mut other = node("a");
    other["status"]["images"] = json!([]);
    reader.read("two.json", other.to_string().as_bytes());
    let read = reader.finish();
    assert_eq!((names(&read.value), read.diagnostics), (vec!["a", "b"], vec![]));

    let mut reader = InventoryReader::new();
    reader.read("one.yaml", to_yaml(&node("a")).as_bytes());
    let mut other = node("a");
    other["metadata"]["labels"]["x"] = json!("y");
    reader.read("two.yaml", to_yaml_documents([&node("b"), &other, &other]).as_bytes());
    let read = reader.finish();
    assert_eq!(codes(&read), [Code::NodeTwice; 2]);
    let finding = &read.diagnostics[0];
    assert!(finding.message.contains("one.yaml") && finding.message.contains("two.yaml"), "{}", finding.message);
    assert_eq!(finding.file.as_deref(), Some("two.yaml"));
    assert_eq!(finding.related[0].file.as_deref(), Some("one.yaml"));
    assert_eq!(read.value.label(&read.value.nodes[0], "x"), None, "the first is kept");
}

#[test]
fn everything_before_an_error_in_the_text_is_kept() {
    let yaml = to_yaml(&list("List", &[node("a"), node("b"), node("c")]));
    let cut = yaml.find("    name: c").unwrap();
    let broken = format!("{}\tx\n---\n{}", &yaml[..cut], to_yaml(&node("d")));
    let read = read_inventory(&broken);
    assert_eq!(names(&read.value), ["a", "b", "d"], "{:?}", read.diagnostics);
    assert_eq!(codes(&read), [Code::Syntax]);
    let json = to_json_pretty(&list("List", &[node("a"), node("b"), node("c")]));
    for cut in [json.find("\"name\": \"c\"").unwrap(), json.find("\"name\": \"c\"").unwrap() - 20] {
        let read = read_inventory(&json[..cut]);
        assert_eq!(names(&read.value), ["a", "b"]);
        assert_eq!(codes(&read), [Code::Syntax]);
        assert_eq!(read.diagnostics[0].message, "the text ends inside a JSON value");
        let read = read_inventory(&format!("{}?", &json[..cut]));
        assert_eq!(names(&read.value), ["a", "b"]);
        assert_eq!(codes(&read), [Code::Syntax]);
    }
}

/// Gives a few bytes at a time, then an error.
struct Slow<'a>(&'a [u8], usize, bool);

impl io::Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(self.0.len()).min(out.len());
        if count == 0 && self.2 {
            return Err(io::Error::other("the disk is gone"));
        }
        let (head, tail) = self.0.split_at(count);
        out[..count].copy_from_slice(head);
        self.0 = tail;
        Ok(count)
    }
}

#[test]
fn readers_may_give_little_and_may_break_off() {
    let mut value = node("a");
    value["metadata"]["labels"]["gröẞe-😀"] = json!("é😀");
    for text in [to_yaml(&value), value.to_string()] {
        let want = format!("{:?}", clean(&text));
        for size in [1, 2, 3, 5] {
            let mut reader = InventoryReader::new();
            reader.read("inventory", Slow(text.as_bytes(), size, false));
            let read = reader.finish();
            assert_eq!(read.diagnostics, vec![]);
            assert_eq!(format!("{:?}", read.value), want);
        }
    }
    for text in [to_yaml(&list("List", &[node("a")])), list("List", &[node("a")]).to_string()] {
        let text = text.replace("List", "Lis");
        let end = text.len() - 60;
        let mut reader = InventoryReader::new();
        reader.read("inventory", Slow(&text.as_bytes()[..end], 1000, true));
        let read = reader.finish();
        assert_eq!(codes(&read), [Code::Unreadable], "{:?}", read.diagnostics);
        assert!(read.diagnostics[0].message.contains("the disk is gone"));
        assert_eq!(names(&read.value), ["a"]);
        assert!(read.value.incomplete, "nothing is sent on the ground of half an inventory");
    }
}

/// How much a reader gives at a time must not show: neither in the format that is seen, nor in findings about bytes
/// that were buffered behind an error.
#[test]
fn findings_do_not_depend_on_the_pieces_of_a_reader() {
    let texts: [&[u8]; 7] = [
        b"{\"kind\": \xFE}",
        b"{\"kind\" \"Node\"\xFE}",
        b"{\n    \"kind\": \"Node\",\n    \"metadata\": {\"name\": \"a\",}\n}",
        b"{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\",} }\n\xFE",
        b"[\n          \n {\"kind\": \"Node\", \"metadata\": {\"name\": \"a\", \"name\": \"b\"}}]",
        b"\xEF\xBB\xBF  {\"kind\": \"Node\", \"metadata\": {\"name\": 1}}",
        b"kind: Node\nmetadata: {name: a}}\nlabels: \xFE\n",
    ];
    for text in texts {
        let read = |size| {
            let mut reader = InventoryReader::new();
            reader.read("inventory", Slow(text, size, false));
            reader.finish().diagnostics
        };
        let whole = read(text.len());
        assert!(!whole.is_empty());
        for size in [1, 2, 3, 7] {
            assert_eq!(read(size), whole, "{} in pieces of {size}", text.escape_ascii());
        }
    }
}

#[test]
fn other_encodings_are_named() {
    let utf16: Vec<u8> = "\u{feff}kind: Node\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let plain16: Vec<u8> = "kind: Node\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, name) in [(utf16, "UTF-16 (little endian)"), (plain16, "UTF-16 (big endian)")] {
        let mut reader = InventoryReader::new();
        reader.read("n", &bytes[..]);
        let read = reader.finish();
        assert_eq!(codes(&read), [Code::Encoding]);
        assert!(read.diagnostics[0].message.contains(name));
    }
    for text in [
        "kind: Node\nmetadata:\n  name: a # gr\u{fc}n\n  labels: {x: v}\n",
        "{\"kind\": \"Node\",\n\"metadata\":\n{\"name\":\"a\",\"x\":\"\u{fc}\"}}",
    ] {
        let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        let mut reader = InventoryReader::new();
        reader.read("n", &latin[..]);
        let read = reader.finish();
        assert_eq!(codes(&read), [Code::Encoding]);
        assert!(read.diagnostics[0].message.contains("0xFC"));
        assert_eq!(place(&read.diagnostics[0]).0, 3);
        assert_eq!(names(&read.value), ["a"]);
    }
}

/// Gives a text, then a byte very often, then a text.
fn filled<'a>(head: &'a str, byte: u8, count: u64, tail: &'a str) -> impl io::Read + use<'a> {
    use std::io::Read;
    head.as_bytes().chain(io::repeat(byte).take(count)).chain(tail.as_bytes())
}

#[test]
fn hostile_inventories_are_refused_with_the_limit() {
    let big = 100 << 20;
    let long = [
        ("kind: Node\nmetadata: {name: a, annotations: {x: ", "}}"),
        ("kind: Node\nmetadata: {name: a, annotations: {x: \"", "\"}}"),
        ("kind: Node\nmetadata:\n  name: a\n  annotations:\n    x: |\n      ", "\n"),
        ("{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\", \"annotations\": {\"x\": \"", "\"}}}"),
    ];
    for (head, tail) in long {
        let mut reader = InventoryReader::new();
        reader.read("n", filled(head, b'a', big, tail));
        let read = reader.finish();
        assert_eq!(codes(&read), [Code::LimitExceeded], "{:?}", read.diagnostics);
        assert!(read.diagnostics[0].message.contains("8 MiB"), "{}", read.diagnostics[0].message);
    }
    let nested = "[".repeat(100_000);
    for text in [
        nested.clone(),
        format!("{{\"a\": {nested}"),
        format!("kind: Node\nmetadata:\n  annotations: {nested}\n"),
        format!("kind: Node\nx:\n {}\n", " -".repeat(100_000)),
    ] {
        let read = read_inventory(&text);
        assert_eq!(read.diagnostics[0].code, Code::LimitExceeded, "{:?}", read.diagnostics);
        assert!(read.diagnostics[0].message.contains("64 deep"));
    }
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, inner) in "bcdefghi".chars().zip("abcdefgh".chars()) {
        bomb.push_str(&format!("{name}: &{name} [{}]\n", vec![format!("*{inner}"); 10].join(", ")));
    }
    let read = read_inventory(&format!("kind: Node\nmetadata: {{name: a}}\n{bomb}"));
    assert_eq!(codes(&read), [Code::LimitExceeded]);
    assert!(read.diagnostics[0].message.contains("1000"));
    assert_eq!(names(&read.value), ["a"]);
}

#[test]
fn places_are_in_bytes_characters_and_lines() {
    let text = "kind: List\nitems:\n- kind: Node\n  metadata: {name: a, labels: {ö: 1, ü: 2}}\n";
    let json =
        "{\"items\": [\n {\"metadata\": {\"name\": \"a\", \"labels\": {\"ö\": 1, \"ü\": 2}}}], \"kind\": \"List\"}";
    for text in [text, json] {
        let read = read_inventory(text);
        assert_eq!(codes(&read), [Code::NodeLabelType; 2]);
        for (finding, digit) in read.diagnostics.iter().zip(["1", "2"]) {
            let span = finding.span.unwrap();
            assert_eq!(&text[span.start.offset as usize..span.end.offset as usize], digit);
            let line = text.lines().nth(span.start.line as usize - 1).unwrap();
            assert_eq!(line.chars().nth(span.start.column as usize - 1), digit.chars().next());
        }
    }
}
