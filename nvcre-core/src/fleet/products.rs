//! The product of every candidate: its label, or what a `ResourceSlice` says (03 §3.3, 00 D31, D32).

use super::health::GPU_DRIVER;
use super::product::{is_placeholder_product, parse_product, product_label_value};
use super::select::label_id;
use super::{Inventory, StringId};
use crate::api::GPU_PRODUCT_KEY;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A product that occurs in the inventory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// The label value.
    pub text: String,
    /// The architecture it stands for; never empty.
    pub architecture: String,
}

/// The product of one node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct NodeProduct {
    /// Index into the table; `None` for a node that counts as unlabelled.
    pub index: Option<u32>,
    /// The product comes from a slice, not from the node's own label.
    pub synthesized: bool,
    /// The label, when it is a placeholder.
    pub placeholder: Option<StringId>,
}

/// What a label value is worth.
#[derive(Clone, Copy)]
enum Worth {
    Product(u32),
    Placeholder,
    Nothing,
}

/// The table of products, sorted by text, and the product of every node asked for.
pub(crate) fn assign(inventory: &Inventory, nodes: impl Iterator<Item = u32>) -> (Vec<Product>, Vec<NodeProduct>) {
    let mut table = Table::default();
    let key = inventory.strings.find(GPU_PRODUCT_KEY);
    let mut by_label: BTreeMap<StringId, Worth> = BTreeMap::new();
    let mut slices: Option<BTreeMap<StringId, String>> = None;
    let mut out = Vec::new();
    for node in nodes.filter_map(|n| inventory.nodes.get(n as usize)) {
        let label = label_id(node, key);
        let worth =
            label.map_or(Worth::Nothing, |id| *by_label.entry(id).or_insert_with(|| table.judge(inventory.text(id))));
        let fill = |table: &mut Table, slices: &mut Option<BTreeMap<StringId, String>>| {
            let slices = slices.get_or_insert_with(|| slice_products(inventory));
            slices.get(&node.name).and_then(|text| match table.judge(text) {
                Worth::Product(index) => Some(index),
                _ => None,
            })
        };
        out.push(match worth {
            Worth::Product(index) => NodeProduct { index: Some(index), ..NodeProduct::default() },
            worth => {
                let index = fill(&mut table, &mut slices);
                let placeholder = if matches!(worth, Worth::Placeholder) { label } else { None };
                NodeProduct { index, synthesized: index.is_some(), placeholder }
            }
        });
    }
    (table.products, out)
}

#[derive(Default)]
struct Table {
    products: Vec<Product>,
    numbers: BTreeMap<String, u32>,
}

impl Table {
    fn judge(&mut self, text: &str) -> Worth {
        if let Some(index) = self.numbers.get(text) {
            return Worth::Product(*index);
        }
        if is_placeholder_product(text) {
            return Worth::Placeholder;
        }
        let architecture = parse_product(text);
        if architecture.is_empty() {
            return Worth::Nothing;
        }
        let index = u32::try_from(self.products.len()).unwrap_or(u32::MAX);
        self.products.push(Product { text: text.to_owned(), architecture });
        self.numbers.insert(text.to_owned(), index);
        Worth::Product(index)
    }
}

/// The product label that resource slices give to nodes, by node name. Of several slices of a node the one of the
/// highest pool generation counts, then the one whose name is last (00 D31).
pub(crate) fn slice_products(inventory: &Inventory) -> BTreeMap<StringId, String> {
    let text = |id: StringId| inventory.text(id);
    let mut best: BTreeMap<StringId, (i64, &str, Reverse<String>)> = BTreeMap::new();
    for slice in inventory.slices.iter().filter(|s| text(s.driver) == GPU_DRIVER) {
        let Some(node) = slice.node_name else { continue };
        let named = slice.devices.iter().find_map(|(kind, product)| match (kind.map(text), product) {
            (Some("vfio"), _) | (_, None) => None,
            (_, Some(product)) => Some(text(*product)),
        });
        let Some(label) = named.map(product_label_value).filter(|l| !l.is_empty()) else { continue };
        let rank = (slice.generation, text(slice.name), Reverse(label));
        match best.get_mut(&node) {
            Some(held) if *held >= rank => {}
            Some(held) => *held = rank,
            None => drop(best.insert(node, rank)),
        }
    }
    best.into_iter().map(|(node, (_, _, Reverse(label)))| (node, label)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::InventoryBuilder;

    #[test]
    fn slices_fill_in_what_labels_leave_open() {
        let mut builder = InventoryBuilder::new();
        builder.node("n1").label(GPU_PRODUCT_KEY, "NVIDIA-H100-NVL");
        builder.node("n2");
        builder.node("n3").label(GPU_PRODUCT_KEY, "");
        builder.node("n4").label(GPU_PRODUCT_KEY, "NVIDIA-Graphics-Device");
        builder.node("n5").label(GPU_PRODUCT_KEY, "NVIDIA-");
        builder.node("n6");
        builder.node("n7");
        let gpu = |product| [(Some("gpu"), Some(product))];
        for node in ["n1", "n2", "n4"] {
            builder.slice(&format!("{node}-a"), "gpu.nvidia.com", Some(node), 1, gpu("NVIDIA GB300"));
        }
        // vfio is skipped, a missing type is not; a device without a name is passed over.
        let devices = [(Some("vfio"), Some("NVIDIA A100")), (Some("gpu"), None), (None, Some("  NVIDIA  B200 "))];
        builder.slice("n3-a", "gpu.nvidia.com", Some("n3"), 1, devices);
        builder.slice("n6-a", "other.example.com", Some("n6"), 1, gpu("NVIDIA GB300"));
        builder.slice("n6-b", "gpu.nvidia.com", None, 1, gpu("NVIDIA GB300"));
        builder.slice("n7-a", "gpu.nvidia.com", Some("n7"), 1, gpu("NVIDIA Graphics Device"));
        let inventory = builder.build();
        let (table, nodes) = assign(&inventory, 0..7);
        let text = |p: &NodeProduct| p.index.map(|i| table[i as usize].text.as_str());
        let got: Vec<_> = nodes.iter().map(|p| (text(p), p.synthesized, p.placeholder.is_some())).collect();
        assert_eq!(
            got,
            [
                (Some("NVIDIA-H100-NVL"), false, false),
                (Some("NVIDIA-GB300"), true, false),
                (Some("NVIDIA-B200"), true, false),
                (Some("NVIDIA-GB300"), true, true),
                (None, false, false),
                (None, false, false),
                (None, false, false),
            ]
        );
    }

    #[test]
    fn the_highest_generation_counts_whatever_the_order() {
        let slices =
            [("b", 1, "NVIDIA A100"), ("a", 7, "NVIDIA H100"), ("c", 7, "NVIDIA H200"), ("z", 2, "NVIDIA B200")];
        for turn in 0..4 {
            let mut builder = InventoryBuilder::new();
            builder.node("n1");
            for (name, generation, product) in slices.iter().cycle().skip(turn).take(4) {
                builder.slice(name, "gpu.nvidia.com", Some("n1"), *generation, [(None, Some(*product))]);
            }
            let inventory = builder.build();
            let got: Vec<String> = slice_products(&inventory).into_values().collect();
            assert_eq!(got, ["NVIDIA-H200"], "{turn}");
        }
    }
}
