//! Nodes made up for a declared platform and GPU (02 §12, 03 §7, 00 D62).

use super::{Inventory, InventoryBuilder};
use crate::api::{
    GPU_CLIQUE_KEY, GPU_PRESENT_KEY, GPU_PRODUCT_KEY, GPU_RESOURCE, HOSTNAME_KEY, NodeSelectorRequirement, TargetSpec,
};
use crate::catalogue::Catalogue;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the file that made-up nodes come from.
pub const SYNTHETIC_FILE: &str = "(assumed nodes)";

/// True for an inventory of made-up nodes only, which say nothing of NICs or other resources.
pub fn is_synthetic(inventory: &Inventory) -> bool {
    matches!(inventory.files.as_slice(), [file] if file == SYNTHETIC_FILE)
}

/// What made-up nodes must satisfy beside their platform and GPU, so that a run takes them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SyntheticFit {
    /// The target of the run: nodes get its labels, taints and names.
    pub target: TargetSpec,
    /// Labels of topology domains that nodes must carry; all are in one domain.
    pub domains: Vec<String>,
}

/// `count` nodes of a platform and an architecture, `synthetic-node-0` and so on: healthy, with the labels by which
/// both are detected again, all in one topology domain, and with as many GPUs as `gpus` says (`None`: the hardware
/// table). An unknown or empty architecture gives nodes without a product, an unknown platform nodes without a
/// provider.
pub fn synthetic_inventory(
    catalogue: &Catalogue,
    platform: &str,
    architecture: &str,
    count: u32,
    gpus: Option<i32>,
) -> Inventory {
    synthetic_inventory_for(catalogue, platform, architecture, count, gpus, &SyntheticFit::default())
}

/// As [`synthetic_inventory`], with nodes that a run takes: those that the target names come first, under their names.
pub fn synthetic_inventory_for(
    catalogue: &Catalogue,
    platform: &str,
    architecture: &str,
    count: u32,
    gpus: Option<i32>,
    fit: &SyntheticFit,
) -> Inventory {
    let known = catalogue.architecture(architecture);
    let product = match known {
        Some(known) => known.product.clone(),
        None if matches!(architecture, "" | super::UNKNOWN_ARCHITECTURE) => String::new(),
        None => format!("NVIDIA-{architecture}"),
    };
    let gpus = gpus.unwrap_or_else(|| catalogue.hardware(architecture, platform).gpus_per_node).to_string();
    let platform = catalogue.platform(platform);
    let width = count.saturating_sub(1).to_string().len();
    let mut named = BTreeSet::new();
    let mut names = fit.target.node_names.iter().filter(|name| named.insert(name.as_str()));
    let mut builder = InventoryBuilder::from_file(SYNTHETIC_FILE);
    for number in 0..count {
        let name = names.next().cloned().unwrap_or_else(|| format!("synthetic-node-{number:0width$}"));
        let mut labels = Labels::new();
        let mut set = |key: &str, value: &str| labels.insert(key.to_owned(), value.to_owned());
        set(HOSTNAME_KEY, &name);
        set(GPU_PRESENT_KEY, "true");
        if !product.is_empty() {
            set(GPU_PRODUCT_KEY, &product);
        }
        if known.is_some_and(|a| a.mnnvl) {
            set(GPU_CLIQUE_KEY, "synthetic-clique-0");
        }
        if let Some(platform) = platform {
            if let Some(key) = &platform.topology_key {
                set(key, DOMAIN);
            }
            for (key, value) in &platform.synthetic.labels {
                // The host name tells nodes apart; what the platform wants in it stays its beginning.
                let own = if key == HOSTNAME_KEY { format!("{value}-{number:0width$}") } else { value.clone() };
                set(key, &own);
            }
        }
        for key in &fit.domains {
            labels.entry(key.clone()).or_insert_with(|| DOMAIN.to_owned());
        }
        satisfy(&mut labels, &fit.target, number);
        let mut node = builder.node(&name).allocatable(GPU_RESOURCE, &gpus).operating_system("linux").ready("True");
        for (key, value) in &labels {
            node = node.label(key, value);
        }
        for taint in &fit.target.taint_selectors {
            let effect = if taint.effect.is_empty() { "NoSchedule" } else { &taint.effect };
            node = node.taint(&taint.key, &taint.value, effect);
        }
        let Some(platform) = platform else { continue };
        node = node.provider_id(&platform.synthetic.provider_id);
        for (resource, quantity) in &platform.synthetic.allocatable {
            node = node.allocatable(resource, quantity);
        }
    }
    builder.build()
}

const DOMAIN: &str = "synthetic-domain-0";

type Labels = BTreeMap<String, String>;

/// Gives labels what a target asks of them. A host name that it asks for belongs to one node.
fn satisfy(labels: &mut Labels, target: &TargetSpec, number: u32) {
    let number = number as usize;
    for (key, value) in target.node_selector.iter().filter(|(key, _)| number == 0 || *key != HOSTNAME_KEY) {
        labels.insert(key.clone(), value.clone());
    }
    let free = |e: &&NodeSelectorRequirement| !target.node_selector.contains_key(&e.key);
    for expression in target.match_expressions.iter().filter(free) {
        let (key, values) = (&expression.key, &expression.values);
        let same = || target.match_expressions.iter().filter(|e| e.key == *key);
        let allowed = |value: &String| {
            same().all(|e| match e.operator.as_str() {
                "In" => e.values.contains(value),
                "NotIn" => !e.values.contains(value),
                _ => true,
            })
        };
        let bound = || values.first().and_then(|v| v.parse::<i64>().ok());
        let has: Option<i64> = labels.get(key).and_then(|v| v.parse().ok());
        let wanted = match expression.operator.as_str() {
            "In" if key == HOSTNAME_KEY => values.iter().filter(|v| allowed(v)).nth(number).cloned(),
            "In" if labels.get(key).is_none_or(|has| !values.contains(has)) => {
                values.iter().find(|v| allowed(v)).cloned()
            }
            "Exists" if !labels.contains_key(key) => Some("true".to_owned()),
            "Gt" => bound().filter(|b| has.is_none_or(|h| h <= *b)).map(|b| b.saturating_add(1).to_string()),
            "Lt" => bound().filter(|b| has.is_none_or(|h| h >= *b)).map(|b| b.saturating_sub(1).to_string()),
            _ => None,
        };
        if let Some(value) = wanted {
            labels.insert(key.clone(), value);
        }
        let unwanted = match expression.operator.as_str() {
            "DoesNotExist" => true,
            "NotIn" => labels.get(key).is_some_and(|has| values.contains(has)),
            _ => false,
        };
        if unwanted {
            labels.remove(key);
        }
    }
}
