//! tests
use super::*;
use serde_json::json;

fn node(name: &str) -> serde_json::Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"a/b": "x", "nvidia.com/gpu.present": "true"}, "annotations": {"big": "y: [", "z": {"q": [1, 2, {"k": null}]}}},
        "spec": {"providerID": "aws:///x", "taints": [{"key": "k", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}], "podCIDRs": ["10.0.0.0/24"]},
        "status": {"allocatable": {"nvidia.com/gpu": "8", "cpu": 128}, "conditions": [{"type": "DiskPressure", "status": "False"}, {"type": "Ready", "status": "True"}], "nodeInfo": {"operatingSystem": "linux", "architecture": "arm64"}, "images": [{"names": ["a"]}]}
    })
}

#[test]
fn both_front_ends_read_the_same() {
    let list = json!({"apiVersion": "v1", "items": [node("n1"), node("n2")], "kind": "List", "metadata": {"resourceVersion": ""}});
    let yaml = read_inventory(&crate::yaml::to_yaml(&list));
    let json = read_inventory(&crate::yaml::to_json_pretty(&list));
    for read in [&yaml, &json] {
        assert_eq!(read.diagnostics, vec![]);
        println!("{:#?}", read.value);
    }
}
