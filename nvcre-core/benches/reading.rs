//! Reading inventories of 10,000 nodes, each beside its yardstick, all of them from the same kind of reader.
//!
//! Targets: in YAML at most 1.5 × a bare event pass of the same parser; in JSON at most 2 × `serde_json` passing over it.
//! `cargo bench -p nvcre-core --bench reading`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

mod turns;

use granit_parser::Parser;
use nvcre_core::fleet::InventoryReader;
use nvcre_core::yaml::{to_json_pretty, to_yaml};
use serde_json::{Value, json};
use std::hint::black_box;
use std::io::{BufReader, Read};
use turns::{Side, compare};

const NODES: usize = 10_000;

/// A node as a GPU cluster reports it: labels of feature discovery, annotations, managed fields, images.
fn node(at: usize) -> Value {
    let name = format!("gpu-node-{at:05}");
    let mut labels = json!({
        "kubernetes.io/hostname": name, "kubernetes.io/arch": "arm64", "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "p6e-gb300.36xlarge", "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "NVIDIA-GB300", "nvidia.com/gpu.count": "4", "nvidia.com/gpu.memory": "284208",
        "nvidia.com/gpu.clique": format!("4f3c2b1a-9d8e-4c7b-a6f5-{:012}.{}", at / 18, at / 18),
        "topology.kubernetes.io/zone": format!("us-west-2{}", ["a", "b", "c"][at % 3]),
    });
    for feature in 0..60 {
        labels[format!("feature.node.kubernetes.io/cpu-cpuid.FEATURE{feature:03}")] = json!("true");
    }
    let fields: Value = (0..60)
        .map(|f| (format!("f:feature.node.kubernetes.io/cpu-{f:03}"), json!({})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let managed: Vec<Value> = ["kubelet", "nfd-master", "kube-controller-manager"]
        .iter()
        .map(|manager| json!({"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": fields}}, "manager": manager, "operation": "Update", "time": "2026-10-12T07:00:00Z"}))
        .collect();
    let images: Vec<Value> = (0..40)
        .map(|i| json!({"names": [format!("nvcr.io/nvidia/image-{i}@sha256:{:064x}", i * 7919), format!("nvcr.io/nvidia/image-{i}:26.01")], "sizeBytes": 1_000_000_000u64 + i}))
        .collect();
    let conditions: Vec<Value> = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"]
        .iter()
        .map(|kind| json!({"type": kind, "status": if *kind == "Ready" { "True" } else { "False" }, "lastHeartbeatTime": "2026-10-12T07:00:00Z", "reason": "KubeletReady", "message": "kubelet is posting ready status"}))
        .collect();
    let quantities =
        json!({"cpu": "144", "memory": "960Gi", "nvidia.com/gpu": "4", "pods": "250", "ephemeral-storage": "3Ti"});
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {"csi.volume.kubernetes.io/nodeid": format!("{{\"ebs.csi.aws.com\":\"i-{at:017x}\"}}"), "nfd.node.kubernetes.io/feature-labels": "cpu-a,cpu-b,".repeat(40)}, "managedFields": managed, "uid": format!("00000000-0000-0000-0000-{at:012}")},
        "spec": {"providerID": format!("aws:///us-west-2a/i-{at:017x}"), "podCIDRs": ["10.0.0.0/24"], "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule", "value": "present"}]},
        "status": {"allocatable": quantities, "capacity": quantities, "conditions": conditions, "images": images, "nodeInfo": {"operatingSystem": "linux", "architecture": "arm64", "kubeletVersion": "v1.34.1"}}
    })
}

fn list(nodes: usize) -> Value {
    json!({"apiVersion": "v1", "items": (0..nodes).map(node).collect::<Vec<_>>(), "kind": "List", "metadata": {"resourceVersion": ""}})
}

fn main() {
    let nodes = list(NODES);
    let (yaml, json) = (to_yaml(&nodes), to_json_pretty(&nodes));
    drop(nodes);
    let sides: Vec<Side<'_>> = vec![
        ("YAML, events only", Box::new(|| events(&yaml))),
        ("YAML, inventory", Box::new(|| inventory(&yaml))),
        ("JSON, skipped by serde_json", Box::new(|| skip(&json))),
        ("JSON, inventory", Box::new(|| inventory(&json))),
    ];
    let ratios = [
        ("at most 1.5", "YAML, inventory", "YAML, events only"),
        ("at most 2", "JSON, inventory", "JSON, skipped by serde_json"),
    ];
    compare(sides, 5, &ratios);
}

/// The bare reader: a buffer, decoded character by character.
struct Chars<R> {
    reader: R,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
}

impl<R: Read> Iterator for Chars<R> {
    type Item = char;
    fn next(&mut self) -> Option<char> {
        if self.at >= self.end {
            self.at = 0;
            self.end = self.reader.read(&mut self.buffer).ok()?;
            if self.end == 0 {
                return None;
            }
        }
        let byte = self.buffer[self.at];
        assert!(byte < 0x80, "the inventory of this benchmark is ASCII");
        self.at += 1;
        Some(char::from(byte))
    }
}

fn events(text: &str) {
    let chars = Chars { reader: text.as_bytes(), buffer: vec![0; 64 * 1024], at: 0, end: 0 };
    assert!(black_box(Parser::new_from_iter(chars)).all(|event| event.is_ok()));
}

fn skip(text: &str) {
    let reader = BufReader::with_capacity(64 * 1024, text.as_bytes());
    serde_json::from_reader::<_, serde::de::IgnoredAny>(reader).unwrap();
}

fn inventory(text: &str) {
    let mut reader = InventoryReader::new();
    reader.read("nodes", text.as_bytes());
    let read = reader.finish();
    assert!(read.diagnostics.is_empty());
    assert_eq!(read.value.nodes.len(), NODES);
    black_box(read);
}
