//! The GPU capacity filter (03 §1.7, 00 D34).

use super::exclusion::{Excluded, ExclusionReason, Filter};
use super::names::{commas, nodes};
use super::{Fleet, Inventory};
use crate::api::{GPU_RESOURCE, Value};
use crate::check::Quantity;
use crate::diagnostic::{Code, Diagnostic};

/// The largest number of GPUs that a container of these documents requests: every `nvidia.com/gpu` inside of a
/// `requests` or `limits` map, wherever it stands. What is no positive whole number counts as 0, what is larger than 32
/// bits as the largest number of 32 bits (03 §1.7).
pub fn requested_gpus<'a>(documents: impl IntoIterator<Item = &'a Value>) -> i32 {
    documents.into_iter().map(|d| walk(d, false)).max().unwrap_or(0)
}

fn walk(value: &Value, counted: bool) -> i32 {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let here = if counted && key == GPU_RESOURCE { gpus(value) } else { 0 };
                here.max(walk(value, counted || matches!(key.as_str(), "requests" | "limits")))
            })
            .max()
            .unwrap_or(0),
        Value::Array(items) => items.iter().map(|v| walk(v, counted)).max().unwrap_or(0),
        _ => 0,
    }
}

fn gpus(value: &Value) -> i32 {
    let whole = match value {
        Value::String(text) => Quantity::parse(text).and_then(Quantity::whole),
        Value::Number(n) => {
            n.as_i64().map(i128::from).or_else(|| n.as_u64().map(i128::from)).or_else(|| n.as_f64().map(|f| f as i128))
        }
        _ => None,
    };
    i32::try_from(whole.unwrap_or(0).clamp(0, i128::from(i32::MAX))).unwrap_or(0)
}

impl Fleet {
    /// Leaves nodes out that have fewer allocatable GPUs than a pod requests (03 §1.7). A node whose count is absent,
    /// zero or no whole number stays; the last gets a warning. With `gpus_per_node` below 1 nothing is left out.
    ///
    /// Calling it again with another number starts from the nodes before the first call. The findings are an error
    /// when no node is left, naming the requested and the largest count, else a warning for the nodes left out.
    pub fn apply_capacity(&mut self, inventory: &Inventory, gpus_per_node: i32) -> Vec<Diagnostic> {
        let before = |e: &Excluded| matches!(e.reason, ExclusionReason::Capacity { .. });
        if self.excluded.iter().any(before) {
            self.nodes.extend(self.excluded.iter().filter(|e| before(e)).map(|e| e.node));
            self.excluded.retain(|e| !before(e));
            let names = |n: &u32| inventory.nodes.get(*n as usize).map_or("", |x| inventory.text(x.name));
            self.nodes.sort_by_key(names);
        }
        self.requested_gpus = gpus_per_node.max(0);
        if gpus_per_node < 1 || self.nodes.is_empty() {
            return Vec::new();
        }
        let mut fractions = Vec::new();
        let mut first = None;
        let excluded = &mut self.excluded;
        self.nodes.retain(|index| {
            let Some(node) = inventory.nodes.get(*index as usize) else { return false };
            let Some(text) = inventory.allocatable(node, GPU_RESOURCE) else { return true };
            match Quantity::parse(text).and_then(Quantity::whole) {
                Some(has) if has > 0 && has < i128::from(gpus_per_node) => {
                    let has = i32::try_from(has).unwrap_or(i32::MAX);
                    excluded.push(Excluded { node: *index, reason: ExclusionReason::Capacity { has } });
                    false
                }
                Some(_) => true,
                None => {
                    first.get_or_insert(*index);
                    fractions.push(format!("{} has {text}", inventory.text(node.name)));
                    true
                }
            }
        });
        self.sort_excluded(inventory);
        let mut out = Vec::new();
        if !fractions.is_empty() {
            let message = format!(
                "{} kept although the allocatable {GPU_RESOURCE} is no whole number: {}",
                nodes(fractions.len()),
                commas(&fractions)
            );
            let finding = Diagnostic::new(Code::GpuCountNotWhole, message)
                .with_help("check the device plugin of these nodes: extended resources are whole numbers");
            out.push(inventory.place(finding, first, &self.target_path));
        }
        out.extend(self.capacity_finding(inventory));
        out
    }

    fn capacity_finding(&self, inventory: &Inventory) -> Option<Diagnostic> {
        let members: Vec<&Excluded> = self.excluded_by(Filter::Capacity).collect();
        let largest = members.iter().filter_map(|e| match e.reason {
            ExclusionReason::Capacity { has } => Some(has),
            _ => None,
        });
        let largest = largest.max()?;
        let needs = self.requested_gpus;
        let listed = self.has_list(inventory, &members);
        Some(if self.nodes.is_empty() {
            let message = format!(
                "no node has the {needs} {GPU_RESOURCE} that a pod requests; the largest number is {largest}: {listed}"
            );
            Diagnostic::at(Code::NoNodeWithEnoughGpus, "spec.gpusPerNode", message)
                .with_help(format!("set spec.gpusPerNode to at most {largest}, or choose other nodes"))
        } else {
            let message = format!(
                "{} left out with fewer than the {needs} {GPU_RESOURCE} that a pod requests: {listed}",
                nodes(members.len())
            );
            Diagnostic::at(Code::InsufficientGpuCapacity, "spec.gpusPerNode", message)
                .with_help(format!("set spec.gpusPerNode to at most {} to keep them", self.smallest(&members)))
        })
    }

    fn smallest(&self, members: &[&Excluded]) -> i32 {
        let has = |e: &&Excluded| match e.reason {
            ExclusionReason::Capacity { has } => Some(has),
            _ => None,
        };
        members.iter().filter_map(has).min().unwrap_or(self.requested_gpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::testing::{catalogue, gpu_node};
    use crate::fleet::{DiscoverOptions, InventoryBuilder};
    use serde_json::json;

    #[test]
    fn the_largest_request_of_all_documents() {
        let pod =
            |gpus: Value| json!({"spec": {"containers": [{"resources": {"requests": {"nvidia.com/gpu": gpus}}}]}});
        for (value, wanted) in [
            (json!("8"), 8),
            (json!(4), 4),
            (json!(4.9), 4),
            (json!("4000m"), 4),
            (json!("8k"), 8000),
            (json!("7.5"), 0),
            (json!("-1"), 0),
            (json!(-3), 0),
            (json!("x"), 0),
            (json!(null), 0),
            (json!("18446744073709551615"), i32::MAX),
            (json!(18446744073709551615u64), i32::MAX),
            (json!(1e30), i32::MAX),
        ] {
            assert_eq!(requested_gpus([&pod(value.clone())]), wanted, "{value}");
        }
        let outside = json!({"nvidia.com/gpu": "8", "limits": {"cpu": "1"}});
        assert_eq!(requested_gpus([&outside]), 0);
        let limits = json!({"a": [{"limits": {"nvidia.com/gpu": "2"}}]});
        assert_eq!(requested_gpus([&limits, &pod(json!("1"))]), 2);
        assert_eq!(requested_gpus([]), 0);
    }

    fn fleet(counts: &[(&str, Option<&str>)]) -> (Inventory, Fleet) {
        let mut builder = InventoryBuilder::new();
        for (name, count) in counts {
            let node = gpu_node(&mut builder, name, "NVIDIA-H100-80GB-HBM3");
            if let Some(count) = count {
                node.allocatable(GPU_RESOURCE, count);
            }
        }
        let inventory = builder.build();
        let (fleet, _) = Fleet::discover(&inventory, None, &catalogue(), &DiscoverOptions::default());
        (inventory, fleet)
    }

    #[test]
    fn small_nodes_are_left_out() {
        // 08 row 11.
        let counts =
            [("a", "2"), ("b", "1"), ("c", "2"), ("d", "2"), ("e", "1"), ("f", "2")].map(|(n, c)| (n, Some(c)));
        let (inventory, mut fleet) = fleet(&counts);
        let found = fleet.apply_capacity(&inventory, 2);
        assert_eq!(fleet.names(&inventory).collect::<Vec<_>>(), ["a", "c", "d", "f"]);
        let reasons: Vec<_> = fleet.exclusions(&inventory).map(|e| (e.node, e.reason)).collect();
        let sentence = "has 1, needs 2 (allocatable nvidia.com/gpu)".to_owned();
        assert_eq!(reasons, [("b".to_owned(), sentence.clone()), ("e".to_owned(), sentence)]);
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::InsufficientGpuCapacity]);
        let reason = fleet.exclusion_reason(&inventory);
        assert_eq!(reason, "2 nodes with fewer than the requested 2 nvidia.com/gpu per node: b has 1, e has 1");
        // Another number starts again.
        assert!(fleet.apply_capacity(&inventory, 1).is_empty());
        assert_eq!(fleet.nodes.len(), 6);
        assert!(fleet.excluded.is_empty());
    }

    #[test]
    fn quantities_are_exact() {
        for (count, kept) in [
            (None, true),
            (Some("0"), true),
            (Some("4"), true),
            (Some("4000m"), true),
            (Some("3"), false),
            (Some("3000m"), false),
            (Some("8k"), true),
            (Some("18446744073709551615"), true),
            (Some("3.5"), true),
            (Some("-1"), true),
            (Some("x"), true),
        ] {
            let (inventory, mut fleet) = fleet(&[("a", count), ("b", Some("4"))]);
            let found = fleet.apply_capacity(&inventory, 4);
            assert_eq!(fleet.names(&inventory).any(|n| n == "a"), kept, "{count:?}");
            let warned = found.iter().any(|d| d.code == Code::GpuCountNotWhole);
            assert_eq!(warned, matches!(count, Some("3.5" | "x")), "{count:?}");
        }
    }

    #[test]
    fn nothing_left_is_an_error() {
        let (inventory, mut fleet) = fleet(&[("a", Some("1")), ("b", Some("2"))]);
        let found = fleet.apply_capacity(&inventory, 4);
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::NoNodeWithEnoughGpus]);
        assert!(found[0].message.contains("the 4 ") && found[0].message.contains("is 2"), "{}", found[0].message);
        assert!(fleet.apply_capacity(&inventory, 0).is_empty());
        assert_eq!(fleet.nodes.len(), 2);
    }
}
