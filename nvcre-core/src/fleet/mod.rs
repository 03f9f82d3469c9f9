//! From an inventory to the nodes that take part: eligibility with a reason for every node that stays out, platform,
//! GPU architecture and NIC resource (03 §1–4).
//!
//! [`Fleet::discover`] is the way in. What depends on the rendered run comes after it, each in its own step:
//! [`Fleet::apply_capacity`], [`Fleet::size_check`], [`Fleet::nic_resource`], [`Fleet::unoffered_resources`],
//! [`Fleet::hostname_findings`].
//!
//! ```
//! use nvcre_core::catalogue::Catalogue;
//! use nvcre_core::fleet::{DiscoverOptions, Fleet, synthetic_inventory};
//! let catalogue = Catalogue::builtin();
//! let inventory = synthetic_inventory(catalogue, "aws", "gb300", 16, None);
//! let (mut fleet, findings) = Fleet::discover(&inventory, None, catalogue, &DiscoverOptions::default());
//! assert_eq!((fleet.platform.as_str(), fleet.architecture.as_str(), fleet.nodes.len()), ("aws", "gb300", 16));
//! assert!(findings.is_empty() && fleet.apply_capacity(&inventory, 4).is_empty());
//! ```

mod again;
mod architecture;
mod builder;
mod capacity;
mod discover;
mod exclusion;
mod findings;
mod health;
mod info;
mod inventory;
mod model;
mod names;
mod nic;
mod pods;
mod product;
mod products;
mod read;
mod resources;
mod select;
mod size;
mod synthetic;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod topology;

pub use architecture::{Vote, vote};
pub use builder::{InventoryBuilder, NodeBuilder};
pub use capacity::requested_gpus;
pub use discover::{DiscoverOptions, detect_platform};
pub use exclusion::{Excluded, Exclusion, ExclusionReason, Filter};
pub use findings::no_inventory;
pub(crate) use health::nodes_with_slices;
pub use health::{HealthProblem, HealthProblems};
pub use info::{CLUSTER_INFO_FORMAT, ClusterInfo, NodeInfo, RackInfo, TopologyInfo};
pub use inventory::{Inventory, InventoryNode, ResourceSlice, StringId, Strings, TaintId, Taken};
pub use model::{Fleet, FleetPlan};
pub(crate) use names::{commas, nodes};
pub use nic::NicResource;
pub use pods::PodsReader;
pub use product::{
    UNKNOWN_ARCHITECTURE, architecture_of_target, hardware_notice, is_placeholder_product, parse_architecture_flag,
    parse_platform_flag, parse_product, product_label_value,
};
pub use read::{InventoryReader, read_inventory};
pub use resources::ResourceRequest;
pub(crate) use select::{Test, UNSCHEDULABLE_TAINT, label_id};
pub use synthetic::{SYNTHETIC_FILE, SyntheticFit, is_synthetic, synthetic_inventory, synthetic_inventory_for};
pub use topology::{
    AUTO_TOPOLOGY_KEY, declare_topology_key, default_topology_key, domain_of, needs_topology_key, resolve_topology_key,
};
