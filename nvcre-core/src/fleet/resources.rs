//! Extended resources that a run requests and no node offers (00 D33).

use super::names::commas;
use super::synthetic::is_synthetic;
use super::{Fleet, Inventory};
use crate::api::GPU_RESOURCE;
use crate::check::{Quantity, is_extended_resource};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use std::collections::BTreeSet;

/// A request for an extended resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRequest {
    /// Who asks, as people know it: `E15 azure-infiniband`, `spec.resources`.
    pub origin: String,
    /// The resource.
    pub resource: String,
    /// The field that changes it, with the value that does, for the way out: `spec.mlnxPerNode: 0`.
    pub remedy: String,
    /// The field of the run that the finding points to, where there is one.
    pub path: Option<FieldPath>,
}

impl Fleet {
    /// A warning for each requested resource of which no node of the fleet offers any (00 D33). Nothing is said when
    /// no node tells what it offers, as made-up nodes do not.
    pub fn unoffered_resources(&self, inventory: &Inventory, requests: &[ResourceRequest]) -> Vec<Diagnostic> {
        if requests.is_empty() || is_synthetic(inventory) {
            return Vec::new();
        }
        let mut ids = BTreeSet::new();
        let mut informed = false;
        for node in self.members(inventory) {
            for (resource, quantity) in &node.allocatable {
                informed = true;
                if !ids.contains(resource)
                    && Quantity::parse(inventory.text(*quantity)).is_some_and(|q| q > Quantity::default())
                {
                    ids.insert(*resource);
                }
            }
        }
        if !informed {
            return Vec::new();
        }
        let offered: BTreeSet<&str> = ids.into_iter().map(|id| inventory.text(id)).collect();
        let shown = commas(offered.iter().filter(|r| **r != GPU_RESOURCE && is_extended_resource(r)));
        let shown = if shown.is_empty() { "nothing of that kind".to_owned() } else { shown };
        let missing = requests.iter().filter(|r| !offered.contains(r.resource.as_str()));
        missing
            .map(|r| {
                let message = format!(
                    "{} requests {}, which none of the nodes that take part offers: its pods would stay Pending; the \
                     nodes offer {shown}",
                    r.origin, r.resource
                );
                let out = Diagnostic::new(Code::ResourceNotOffered, message);
                let out = out.with_help(if r.remedy.is_empty() {
                    "install the device plugin that offers it, choose other nodes, or remove the request in an override"
                        .to_owned()
                } else {
                    format!("set {}", r.remedy)
                });
                match &r.path {
                    Some(path) => out.with_path(path),
                    None => out,
                }
            })
            .collect()
    }
}
