//! Made-up fleets, and what a caller says beside the run.

use crate::made::{one_in, word};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use nvcre_core::api::Value;
use nvcre_core::engine::{Options, RunFlags};
use nvcre_core::fleet::{Inventory, InventoryReader};
use nvcre_core::yaml::{Limits, read_documents};
use serde_json::json;
use std::sync::LazyLock;

static NODES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let read = read_documents(include_bytes!("nodes.yaml"), "nodes.yaml", &Limits::RUN);
    let list = read.value.first().and_then(|s| s.root.as_ref()).map(|r| r.to_value());
    list.and_then(|l| l.as_array().cloned()).expect("nodes.yaml is a list")
});

const DOMAINS: [&str; 5] = [
    "nvidia.com/gpu.clique",
    "topology.k8s.aws/network-node-layer-1",
    "example.com/rack",
    "cloud.google.com/gce-topology-block",
    "kubernetes.io/hostname",
];

/// Nodes of a fleet, as documents.
pub fn nodes(u: &mut Unstructured<'_>) -> Result<Vec<Value>> {
    let mut out = Vec::new();
    for _ in 0..*u.choose(&[1, 1, 1, 1, 1, 2, 3])? {
        let model = u.choose(&NODES)?;
        let key = *u.choose(&DOMAINS)?;
        let size = u.int_in_range(1..=6)?;
        for _ in 0..u.int_in_range(1..=12)? {
            let mut node = model.clone();
            let name = format!("node-{:02}", out.len());
            node["metadata"]["labels"]["kubernetes.io/hostname"] = name.clone().into();
            node["metadata"]["labels"][key] = format!("d{}", out.len() / size).into();
            node["metadata"]["name"] = name.into();
            if one_in(u, 10)? {
                odd(u, &mut node)?;
            }
            out.push(node);
        }
    }
    Ok(out)
}

/// Changes something about a node.
fn odd(u: &mut Unstructured<'_>, node: &mut Value) -> Result<()> {
    let word = word(u)?;
    match u.int_in_range(0..=9)? {
        0 => node["metadata"]["name"] = word.into(),
        1 => node["metadata"]["labels"]["kubernetes.io/hostname"] = word.into(),
        2 => node["metadata"]["labels"][*u.choose(&DOMAINS)?] = word.into(),
        3 => node["metadata"]["labels"]["nvidia.com/gpu.product"] = word.into(),
        4 => node["spec"]["unschedulable"] = true.into(),
        5 => node["spec"]["taints"] = json!([{ "key": word, "effect": u.choose(&["NoSchedule", "NoExecute", "x"])? }]),
        6 => node["status"]["allocatable"]["nvidia.com/gpu"] = word.into(),
        7 => node["status"]["allocatable"][&word] = "8".into(),
        8 => node["status"]["conditions"] = json!([{ "type": "Ready", "status": word }]),
        _ => node["metadata"]["labels"][&word] = "true".into(),
    }
    Ok(())
}

/// The inventory of some nodes.
pub fn inventory<'a>(nodes: impl Iterator<Item = &'a Value>) -> Inventory {
    let list = json!({ "kind": "List", "items": nodes.collect::<Vec<_>>() });
    let mut reader = InventoryReader::new();
    reader.read("nodes.json", list.to_string().as_bytes());
    reader.finish().value
}

/// Options of a caller.
pub fn options(u: &mut Unstructured<'_>) -> Result<Options> {
    let mut options = Options::default();
    let maybe = |u: &mut Unstructured<'_>, known: &[&str]| -> Result<Option<String>> {
        Ok(match u.int_in_range(0..=19)? {
            19 => Some(word(u)?),
            16..=18 => Some((*u.choose(known)?).to_owned()),
            _ => None,
        })
    };
    options.platform = maybe(u, &["aws", "azure", "gcp", "oci", "nscale", "onprem", "forge", "mistral", "togetherai"])?;
    options.gpu_arch = maybe(u, &["a100", "h100", "h200", "b200", "b300", "gb200", "gb300", "rtxpro6000", "l40s"])?;
    options.edition = maybe(u, &["documented", "latest"])?;
    options.only_healthy = one_in(u, 4)?;
    if one_in(u, 3)? {
        options.flags = RunFlags {
            name: maybe(u, &["other"])?.unwrap_or_default(),
            namespace: maybe(u, &["team-a"])?.unwrap_or_default(),
            node_list: maybe(u, &["node-00,node-01", "node-03"])?.unwrap_or_default(),
            topology_domain: maybe(u, &["d0", "d1"])?.unwrap_or_default(),
            topology_key: maybe(u, &DOMAINS)?.unwrap_or_default(),
            test_scale: maybe(u, &["intra-node", "intra-rack", "full-scale"])?.unwrap_or_default(),
        };
    }
    Ok(options)
}
