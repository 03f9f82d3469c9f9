//! Suites `controller/detect-*` and `nodes`: platform, architecture and NIC detection, and the nodes made up for a
//! platform and a GPU.

use super::support::{self, Case, number, text};
use nvcre_core::catalogue::Catalogue;
use nvcre_core::fleet::{
    DiscoverOptions, Fleet, Inventory, InventoryBuilder, NicResource, detect_platform, parse_product,
    synthetic_inventory,
};
use serde_json::{Value, json};

/// An inventory of the nodes of a case. The functions of these suites begin after the GPU filter, so the label that it
/// wants is added; a node may be given as an object or, in the NIC suite, by name and resources.
fn inventory(nodes: &Value) -> Inventory {
    let mut builder = InventoryBuilder::new();
    for (n, node) in nodes.as_array().into_iter().flatten().enumerate() {
        let text = |pointer: &str| node.pointer(pointer).and_then(Value::as_str);
        let fallback = format!("node-{n}");
        let name = text("/metadata/name").or_else(|| text("/name")).unwrap_or(&fallback);
        let mut out = builder.node(name).label("nvidia.com/gpu.present", "true");
        out = out.provider_id(text("/spec/providerID").unwrap_or(""));
        for (key, value) in node.pointer("/metadata/labels").and_then(Value::as_object).into_iter().flatten() {
            out = out.label(key, value.as_str().unwrap());
        }
        for (key, value) in node.get("allocatable").and_then(Value::as_object).into_iter().flatten() {
            out = out.allocatable(key, value.as_str().unwrap());
        }
    }
    builder.build()
}

fn discover(inventory: &Inventory, options: &DiscoverOptions<'_>) -> Fleet {
    Fleet::discover(inventory, None, Catalogue::builtin(), options).0
}

pub fn platform(case: &Case) {
    let inventory = inventory(&case.input()["nodes"]);
    let fleet = discover(&inventory, &DiscoverOptions::default());
    // An empty list is `onprem` in a function that nobody reaches with one (03 §2): without nodes a run fails.
    let platform = if inventory.nodes.is_empty() { "onprem" } else { &fleet.platform };
    case.compare(json!({ "platform": platform }));
}

pub fn architecture(case: &Case) {
    let inventory = inventory(&case.input()["nodes"]);
    case.compare(json!({ "gpuArchitecture": discover(&inventory, &DiscoverOptions::default()).architecture }));
}

pub fn one_architecture(case: &Case) {
    let inventory = inventory(&case.input()["nodes"]);
    let fleet = discover(&inventory, &DiscoverOptions::default());
    let kept: Vec<&str> = fleet.names(&inventory).collect();
    let kept = if kept.is_empty() { Value::Null } else { json!(kept) };
    case.compare(json!({ "gpuArchitecture": fleet.architecture, "filteredNodes": kept }));
}

pub fn nic_resource(case: &Case) {
    let (input, expected) = (case.input(), case.expected());
    let inventory = inventory(&input["nodes"]);
    let options = DiscoverOptions {
        platform: input["platform"].as_str(),
        gpu_arch: input["gpuArchitecture"].as_str(),
        ..DiscoverOptions::default()
    };
    let fleet = discover(&inventory, &options);
    let found =
        fleet.nic_resource(&inventory, Catalogue::builtin(), input["field"].as_str(), number(&input, "mlnxPerNode"));
    let (ran, candidates) = match &found {
        NicResource::Given(_) | NicResource::NotLookedUp => (false, Vec::new()),
        NicResource::Found(name) => (true, vec![name.clone()]),
        NicResource::Undecided { qualifying, .. } => (true, qualifying.clone()),
    };
    let mut value = json!({ "name": found.name(), "detectionRan": ran, "candidates": candidates });
    if let Some(notice) = found.notice() {
        // 00 D46: the names, not the wording.
        let all = format!("{} {}", notice.message, notice.help.as_deref().unwrap_or(""));
        assert!(candidates.iter().all(|name| all.contains(name)), "{}: {all}", case.title());
        assert!(all.contains("nicResourceName"), "{}: {all}", case.title());
        value["message"] = expected["message"].clone();
    }
    case.compare(value);
}

/// Templates of nodes, one file for each platform and GPU: our made-up nodes carry what they carry, and both are
/// detected as what the file is called.
#[test]
fn nodes() {
    const FILES: [&str; 15] = [
        "aws-gb200",
        "aws-gb300",
        "aws-h100",
        "azure-gb200",
        "azure-gb300",
        "azure-h100",
        "gcp-gb200",
        "gcp-gb300",
        "gcp-h100",
        "mistral-gb300",
        "oci-gb200",
        "oci-gb300",
        "oci-h100",
        "onprem-b300",
        "onprem-gb300",
    ];
    let Some(folder) = support::root().map(|r| r.join("nodes")).filter(|f| f.is_dir()) else { return };
    let catalogue = Catalogue::builtin();
    let files = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut seen = 0;
    for title in files.filter_map(|f| f.strip_suffix(".yaml").map(str::to_owned)) {
        assert!(FILES.contains(&title.as_str()), "nodes/{title}.yaml is not known to the harness");
        seen += 1;
        let (platform, architecture) = title.split_once('-').unwrap();
        let case = Case { suite: "nodes".into(), folder: folder.clone(), name: title.clone() };
        let template = case.yaml(&format!("{title}.yaml"));
        let made = synthetic_inventory(catalogue, platform, architecture, 1, None);
        let node = &made.nodes[0];
        assert_eq!(detect_platform(&made, 0, catalogue), platform, "{title}");
        let wanted = text(&template["spec"], "providerID");
        assert_eq!(node.provider_id.map_or("", |id| made.text(id)), wanted, "{title}");
        for (key, value) in template["metadata"]["labels"].as_object().unwrap() {
            assert_eq!(made.label(node, key), value.as_str(), "{title}: {key}");
        }
        let templates = inventory(&Value::Array(vec![template]));
        let fleet = discover(&templates, &DiscoverOptions::default());
        assert_eq!((fleet.platform.as_str(), fleet.architecture.as_str()), (platform, architecture), "{title}");
        assert_eq!(parse_product(&fleet.products[0]), architecture, "{title}");
    }
    assert_eq!(seen, FILES.len(), "a template is gone");
}
