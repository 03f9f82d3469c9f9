//! A small inventory for the tests of this module.

use crate::fleet::{Inventory, InventoryBuilder};

/// Nodes by name and labels.
#[derive(Default)]
pub struct Nodes(InventoryBuilder);

impl Nodes {
    pub fn add(mut self, name: &str, labels: &[(&str, &str)]) -> Self {
        let mut node = self.0.node(name);
        for (key, value) in labels {
            node = node.label(key, value);
        }
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
        self.0.build()
    }
}

/// Every node of an inventory.
pub fn all(inventory: &Inventory) -> Vec<u32> {
    (0..u32::try_from(inventory.nodes.len()).unwrap()).collect()
}
