//! Suites `controller/detect-*` and `nodes`: platform, architecture and NIC detection, and the nodes made up for a
//! platform and a GPU.

use nvcre_core::catalogue::Catalogue;
use nvcre_core::fleet::{
    DiscoverOptions, Fleet, Inventory, InventoryBuilder, NicResource, detect_platform, parse_product,
    synthetic_inventory,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn suite(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("NVCRE_GOLDEN_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden"), PathBuf::from);
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("no golden files at {}: suite {name} skipped", folder.display());
    None
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Calls a check for every case of a suite with its input and its expectation. A suite without cases fails.
fn cases(name: &str, check: impl Fn(&str, &Value, &Value)) {
    let Some(folder) = suite(name) else { return };
    let entries = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|p| p.is_dir()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "suite {name} has no case");
    for case in folders {
        let title = format!("{name}/{}", case.file_name().unwrap().to_string_lossy());
        check(&title, &read(&case.join("input.yaml")), &read(&case.join("expected.json")));
    }
}

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

#[test]
fn detect_platforms() {
    cases("controller/detect-platform", |title, input, expected| {
        let inventory = inventory(&input["nodes"]);
        let fleet = discover(&inventory, &DiscoverOptions::default());
        assert_eq!(fleet.platform, expected["platform"].as_str().unwrap(), "{title}");
    });
}

#[test]
fn detect_architectures() {
    cases("controller/detect-gpu-architecture", |title, input, expected| {
        let inventory = inventory(&input["nodes"]);
        let fleet = discover(&inventory, &DiscoverOptions::default());
        assert_eq!(fleet.architecture, expected["gpuArchitecture"].as_str().unwrap(), "{title}");
    });
}

#[test]
fn detect_one_architecture() {
    cases("controller/detect-gpu-arch-consistent", |title, input, expected| {
        let inventory = inventory(&input["nodes"]);
        let fleet = discover(&inventory, &DiscoverOptions::default());
        assert_eq!(fleet.architecture, expected["gpuArchitecture"].as_str().unwrap(), "{title}");
        let kept: Vec<Value> = fleet.names(&inventory).map(Value::from).collect();
        assert_eq!(&kept, expected["filteredNodes"].as_array().unwrap_or(&Vec::new()), "{title}");
    });
}

#[test]
fn detect_nic_resources() {
    cases("controller/detect-nic-resource", |title, input, expected| {
        let inventory = inventory(&input["nodes"]);
        let text = |key: &str| input[key].as_str();
        let options = DiscoverOptions {
            platform: text("platform"),
            gpu_arch: text("gpuArchitecture"),
            ..DiscoverOptions::default()
        };
        let nics = i32::try_from(input["mlnxPerNode"].as_i64().unwrap_or(0)).unwrap();
        let fleet = discover(&inventory, &options);
        let got = fleet.nic_resource(&inventory, Catalogue::builtin(), text("field"), nics);
        assert_eq!(got.name(), expected["name"].as_str().unwrap(), "{title}");
        let (ran, candidates) = match &got {
            NicResource::Given(_) | NicResource::NotLookedUp => (false, Vec::new()),
            NicResource::Found(name) => (true, vec![name.clone()]),
            NicResource::Undecided { qualifying, .. } => (true, qualifying.clone()),
        };
        assert_eq!(ran, expected["detectionRan"].as_bool().unwrap(), "{title}");
        let wanted: Vec<&str> =
            expected["candidates"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        assert_eq!(candidates, wanted, "{title}");
        // 00 D46: the names, not the wording.
        assert_eq!(got.notice().is_some(), expected.get("message").is_some(), "{title}");
        if let Some(notice) = got.notice() {
            let all = format!("{} {}", notice.message, notice.help.as_deref().unwrap_or(""));
            assert!(wanted.iter().all(|name| all.contains(name)) && all.contains("nicResourceName"), "{title}: {all}");
        }
    });
}

#[test]
fn made_up_nodes() {
    let Some(folder) = suite("nodes") else { return };
    let catalogue = Catalogue::builtin();
    let mut count = 0;
    for path in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        let title = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some((platform, architecture)) = title.strip_suffix(".yaml").and_then(|t| t.split_once('-')) else {
            continue;
        };
        count += 1;
        let template = read(&path);
        let made = synthetic_inventory(catalogue, platform, architecture, 1, None);
        let node = &made.nodes[0];
        assert_eq!(detect_platform(&made, 0, catalogue), platform, "{title}");
        let wanted = template["spec"]["providerID"].as_str().unwrap_or("");
        assert_eq!(node.provider_id.map_or("", |id| made.text(id)), wanted, "{title}");
        for (key, value) in template["metadata"]["labels"].as_object().unwrap() {
            assert_eq!(made.label(node, key), value.as_str(), "{title}: {key}");
        }
        // And the template itself is detected as what its file is called.
        let templates = inventory(&Value::Array(vec![template]));
        let fleet = discover(&templates, &DiscoverOptions::default());
        assert_eq!((fleet.platform.as_str(), fleet.architecture.as_str()), (platform, architecture), "{title}");
        assert_eq!(parse_product(&fleet.products[0]), architecture, "{title}");
    }
    assert_eq!(count, 15, "a template is new or gone");
}
