//! Inventories made in code: by embedders that hold nodes in another form, and by tests.

use super::{Inventory, InventoryNode, ResourceSlice, StringId, TaintId};
use crate::api::Taint;

/// Collects nodes and resource slices into an [`Inventory`].
///
/// ```
/// use nvcre_core::fleet::InventoryBuilder;
/// let mut builder = InventoryBuilder::new();
/// builder.node("gpu-01").label("nvidia.com/gpu.present", "true").allocatable("nvidia.com/gpu", "8");
/// let inventory = builder.build();
/// assert_eq!(inventory.nodes.len(), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct InventoryBuilder {
    inventory: Inventory,
    nodes: Vec<Draft>,
}

#[derive(Debug, Clone)]
struct Draft {
    name: StringId,
    provider_id: Option<StringId>,
    unschedulable: bool,
    labels: Vec<(StringId, StringId)>,
    taints: Vec<TaintId>,
    allocatable: Vec<(StringId, StringId)>,
    ready: Option<StringId>,
    operating_system: Option<StringId>,
}

/// A node that is being described; see [`InventoryBuilder::node`].
#[derive(Debug)]
pub struct NodeBuilder<'a> {
    inventory: &'a mut Inventory,
    draft: &'a mut Draft,
}

impl InventoryBuilder {
    /// An empty inventory.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty inventory whose nodes come from a file of this name.
    pub fn from_file(file: impl Into<String>) -> Self {
        let mut out = Self::default();
        out.inventory.files.push(file.into());
        out
    }

    /// Adds a node. Names must be unique (00 D70).
    pub fn node(&mut self, name: &str) -> NodeBuilder<'_> {
        let name = self.inventory.strings.intern(name);
        let draft = self.nodes.push_mut(Draft {
            name,
            provider_id: None,
            unschedulable: false,
            labels: Vec::new(),
            taints: Vec::new(),
            allocatable: Vec::new(),
            ready: None,
            operating_system: None,
        });
        NodeBuilder { inventory: &mut self.inventory, draft }
    }

    /// Adds a resource slice: devices are pairs of the attributes `type` and `productName`.
    pub fn slice<'a>(
        &mut self,
        name: &str,
        driver: &str,
        node: Option<&str>,
        generation: i64,
        devices: impl IntoIterator<Item = (Option<&'a str>, Option<&'a str>)>,
    ) -> &mut Self {
        let strings = &mut self.inventory.strings;
        let slice = ResourceSlice {
            name: strings.intern(name),
            driver: strings.intern(driver),
            node_name: node.map(|n| strings.intern(n)),
            generation,
            devices: devices
                .into_iter()
                .map(|(kind, product)| (kind.map(|k| strings.intern(k)), product.map(|p| strings.intern(p))))
                .collect(),
        };
        self.inventory.slices.push(slice);
        self
    }

    /// The inventory.
    pub fn build(self) -> Inventory {
        let mut inventory = self.inventory;
        let nodes = self.nodes.into_iter().map(|draft| InventoryNode {
            name: draft.name,
            provider_id: draft.provider_id,
            unschedulable: draft.unschedulable,
            labels: draft.labels.into(),
            taints: draft.taints.into(),
            allocatable: draft.allocatable.into(),
            ready: draft.ready,
            operating_system: draft.operating_system,
            file: 0,
            line: 1,
            column: 1,
        });
        inventory.nodes.extend(nodes);
        inventory
    }
}

impl NodeBuilder<'_> {
    /// Sets a label; a later value of the same key replaces the earlier one.
    pub fn label(self, key: &str, value: &str) -> Self {
        let pair = (self.inventory.strings.intern(key), self.inventory.strings.intern(value));
        self.draft.labels.retain(|(k, _)| *k != pair.0);
        self.draft.labels.push(pair);
        self
    }

    /// Sets an allocatable resource.
    pub fn allocatable(self, resource: &str, quantity: &str) -> Self {
        let pair = (self.inventory.strings.intern(resource), self.inventory.strings.intern(quantity));
        self.draft.allocatable.retain(|(k, _)| *k != pair.0);
        self.draft.allocatable.push(pair);
        self
    }

    /// Adds a taint.
    pub fn taint(self, key: &str, value: &str, effect: &str) -> Self {
        let taint = Taint { key: key.into(), value: value.into(), effect: effect.into() };
        let (index, _) = self.inventory.taints.insert_full(taint);
        self.draft.taints.push(TaintId(u32::try_from(index).unwrap_or(u32::MAX)));
        self
    }

    /// Sets `spec.providerID`.
    pub fn provider_id(self, id: &str) -> Self {
        self.draft.provider_id = (!id.is_empty()).then(|| self.inventory.strings.intern(id));
        self
    }

    /// Sets `spec.unschedulable`.
    pub fn cordoned(self, cordoned: bool) -> Self {
        self.draft.unschedulable = cordoned;
        self
    }

    /// Sets the status of the condition `Ready`.
    pub fn ready(self, status: &str) -> Self {
        self.draft.ready = Some(self.inventory.strings.intern(status));
        self
    }

    /// Sets `status.nodeInfo.operatingSystem`.
    pub fn operating_system(self, name: &str) -> Self {
        self.draft.operating_system = Some(self.inventory.strings.intern(name));
        self
    }
}
