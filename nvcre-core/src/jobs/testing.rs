//! A small inventory for the tests of this module.

use crate::fleet::{Inventory, InventoryNode};

/// Nodes by name and labels.
#[derive(Default)]
pub struct Nodes(Inventory);

impl Nodes {
    pub fn add(mut self, name: &str, labels: &[(&str, &str)]) -> Self {
        let strings = &mut self.0.strings;
        let name = strings.intern(name);
        let labels = labels.iter().map(|(k, v)| (strings.intern(k), strings.intern(v))).collect();
        self.0.nodes.push(InventoryNode {
            name,
            provider_id: None,
            unschedulable: false,
            labels,
            taints: Box::default(),
            allocatable: Box::default(),
            ready: None,
            operating_system: None,
            file: 0,
            line: 1,
            column: 1,
        });
        self
    }

    /// `n01`, `n02`, … with host name labels equal to the names.
    pub fn named(prefix: &str, count: usize) -> Inventory {
        (1..=count)
            .fold(Self::default(), |nodes, i| {
                let name = format!("{prefix}{i:02}");
                nodes.add(&name, &[("kubernetes.io/hostname", &name)])
            })
            .build()
    }

    /// Nodes named after their domain and a number: `[("a", 2), ("b", 1)]` gives a1, a2, b1 with label `rack`.
    pub fn domains(sizes: &[(&str, usize)]) -> Inventory {
        let mut nodes = Self::default();
        for (domain, size) in sizes {
            for i in 1..=*size {
                nodes = nodes.add(&format!("{domain}{i}"), &[("rack", domain)]);
            }
        }
        nodes.build()
    }

    pub fn build(self) -> Inventory {
        self.0
    }
}

/// Every node of an inventory.
pub fn all(inventory: &Inventory) -> Vec<u32> {
    (0..u32::try_from(inventory.nodes.len()).unwrap()).collect()
}
