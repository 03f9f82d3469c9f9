//! Domains of nodes, and the key that names them (03 §5.3, 06 §5.3, 00 D78).

use super::select::label_id;
use super::{DiscoverOptions, Fleet, Inventory};
use crate::api::TargetSpec;
use crate::catalogue::Catalogue;
use crate::diagnostic::{Code, Diagnostic};
use std::collections::BTreeSet;

/// The key that stands in a target until nodes are known (06 §4.1).
pub const AUTO_TOPOLOGY_KEY: &str = "__auto__";

/// The domain of a node: the value of the label; `None` when it is absent or empty.
pub fn domain_of<'a>(inventory: &'a Inventory, node: u32, key: &str) -> Option<&'a str> {
    let found = inventory.nodes.get(node as usize)?;
    inventory.label(found, key).filter(|domain| !domain.is_empty())
}

/// The label that names domains on a platform (06 §5.3).
///
/// # Errors
/// [`Code::NoDefaultTopologyKey`] when the platform has none; names the platform and `--topology-key`.
pub fn default_topology_key<'a>(catalogue: &'a Catalogue, platform: &str) -> Result<&'a str, Box<Diagnostic>> {
    let key = catalogue.platform(platform).and_then(|p| p.topology_key.as_deref());
    key.ok_or_else(|| {
        let message = format!("platform {platform} has no default label for topology domains");
        let error = Diagnostic::new(Code::NoDefaultTopologyKey, message);
        let help = "name the label with --topology-key, for example --topology-key nvidia.com/gpu.clique";
        Box::new(error.with_help(help))
    })
}

/// True when an expression of the target waits for the platform's key.
pub fn needs_topology_key(target: &TargetSpec) -> bool {
    target.match_expressions.iter().any(|e| e.key == AUTO_TOPOLOGY_KEY)
}

/// Replaces every `__auto__` of a target by the platform's key, once nodes are known (06 §5.3, 00 D48). The platform
/// is the one of `options`, else that of all GPU nodes.
///
/// # Errors
/// As [`default_topology_key`]; and the one of [`Fleet::discover`] when there is no GPU node to tell the platform.
pub fn resolve_topology_key(
    target: &mut TargetSpec,
    inventory: &Inventory,
    catalogue: &Catalogue,
    options: &DiscoverOptions<'_>,
) -> Result<(), Box<Diagnostic>> {
    if !needs_topology_key(target) {
        return Ok(());
    }
    let (all, found) = Fleet::discover(inventory, None, catalogue, options);
    if all.platform.is_empty() {
        let error = found.into_iter().find(|d| d.code == Code::NoEligibleNodes);
        return Err(Box::new(error.unwrap_or_else(super::no_inventory)));
    }
    declare_topology_key(target, catalogue, &all.platform)
}

/// Replaces every `__auto__` of a target by the key of a platform.
///
/// # Errors
/// As [`default_topology_key`].
pub fn declare_topology_key(
    target: &mut TargetSpec,
    catalogue: &Catalogue,
    platform: &str,
) -> Result<(), Box<Diagnostic>> {
    let key = default_topology_key(catalogue, platform).map_err(|e| Box::new(e.with_path("spec.target")))?;
    let waiting = target.match_expressions.iter_mut().filter(|e| e.key == AUTO_TOPOLOGY_KEY);
    waiting.for_each(|e| key.clone_into(&mut e.key));
    Ok(())
}

impl Fleet {
    /// Number of distinct non-empty domains among the nodes that take part (03 Appendix A `domainCount`). Capacity is
    /// to be applied later.
    pub fn domain_count(&self, inventory: &Inventory, key: &str) -> usize {
        let key = inventory.strings.find(key);
        let domains = self.members(inventory).filter_map(|node| label_id(node, key));
        domains.filter(|id| !inventory.text(*id).is_empty()).collect::<BTreeSet<_>>().len()
    }

    /// The nodes that take part and carry no value of a label, by name.
    pub fn without_domain(&self, inventory: &Inventory, key: &str) -> Vec<u32> {
        self.nodes.iter().copied().filter(|node| domain_of(inventory, *node, key).is_none()).collect()
    }
}
