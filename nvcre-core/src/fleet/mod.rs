//! From an inventory to the nodes that take part: eligibility with a reason for every node that stays out, platform,
//! GPU architecture and NIC resource (03 §1–4).

mod inventory;
mod read;

pub use inventory::{Inventory, InventoryNode, ResourceSlice, StringId, Strings, TaintId};
pub use read::{InventoryReader, read_inventory};
