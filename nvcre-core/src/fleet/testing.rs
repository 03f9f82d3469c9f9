//! Small inventories for tests.

use super::{InventoryBuilder, NodeBuilder};
use crate::api::{GPU_PRESENT_KEY, GPU_PRODUCT_KEY};
use crate::catalogue::Catalogue;

/// The built-in catalogue.
pub(crate) fn catalogue() -> Catalogue {
    Catalogue::builtin().clone()
}

/// A GPU node of a product (none when empty).
pub(crate) fn gpu_node<'a>(builder: &'a mut InventoryBuilder, name: &str, product: &str) -> NodeBuilder<'a> {
    let node = builder.node(name).label(GPU_PRESENT_KEY, "true");
    if product.is_empty() { node } else { node.label(GPU_PRODUCT_KEY, product) }
}
