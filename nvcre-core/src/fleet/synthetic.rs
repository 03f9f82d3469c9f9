//! Nodes made up for a declared platform and GPU (02 §12, 03 §7, 00 D62).

use super::{Inventory, InventoryBuilder};
use crate::api::{GPU_CLIQUE_KEY, GPU_PRESENT_KEY, GPU_PRODUCT_KEY, GPU_RESOURCE, HOSTNAME_KEY};
use crate::catalogue::Catalogue;

/// Name of the file that made-up nodes come from.
pub const SYNTHETIC_FILE: &str = "(assumed nodes)";

/// True for an inventory of made-up nodes only, which say nothing of NICs or other resources.
pub fn is_synthetic(inventory: &Inventory) -> bool {
    matches!(inventory.files.as_slice(), [file] if file == SYNTHETIC_FILE)
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
    let known = catalogue.architecture(architecture);
    let product = match known {
        Some(known) => known.product.clone(),
        None if matches!(architecture, "" | super::UNKNOWN_ARCHITECTURE) => String::new(),
        None => format!("NVIDIA-{architecture}"),
    };
    let gpus = gpus.unwrap_or_else(|| catalogue.hardware(architecture, platform).gpus_per_node).to_string();
    let platform = catalogue.platform(platform);
    let width = count.saturating_sub(1).to_string().len();
    let mut builder = InventoryBuilder::from_file(SYNTHETIC_FILE);
    for number in 0..count {
        let name = format!("synthetic-node-{number:0width$}");
        let mut node = builder
            .node(&name)
            .label(HOSTNAME_KEY, &name)
            .label(GPU_PRESENT_KEY, "true")
            .allocatable(GPU_RESOURCE, &gpus)
            .operating_system("linux")
            .ready("True");
        if !product.is_empty() {
            node = node.label(GPU_PRODUCT_KEY, &product);
        }
        if known.is_some_and(|a| a.mnnvl) {
            node = node.label(GPU_CLIQUE_KEY, "synthetic-clique-0");
        }
        let Some(platform) = platform else { continue };
        if let Some(key) = &platform.topology_key {
            node = node.label(key, "synthetic-domain-0");
        }
        node = node.provider_id(&platform.synthetic.provider_id);
        for (key, value) in &platform.synthetic.labels {
            // The host name tells nodes apart; what the platform wants in it stays its beginning.
            let own = if key == HOSTNAME_KEY { format!("{value}-{number:0width$}") } else { value.clone() };
            node = node.label(key, &own);
        }
        for (resource, quantity) in &platform.synthetic.allocatable {
            node = node.allocatable(resource, quantity);
        }
    }
    builder.build()
}
