//! The dense form of an inventory: every text once, a node as numbers. 100,000 real nodes fit into 100 MB.

use crate::api::Taint;
use crate::check::Amounts;
use crate::diagnostic::{Diagnostic, FieldPath, Position, Span};
use indexmap::IndexSet;
use std::collections::BTreeMap;

/// A text of an inventory, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StringId(pub(crate) u32);

/// A taint of an inventory, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaintId(pub(crate) u32);

/// Every text of an inventory once.
#[derive(Debug, Clone, Default)]
pub struct Strings {
    texts: IndexSet<Box<str>>,
}

impl Strings {
    /// The number of a text, which is added when it is new.
    pub fn intern(&mut self, text: &str) -> StringId {
        let index = match self.texts.get_index_of(text) {
            Some(index) => index,
            None => self.texts.insert_full(text.into()).0,
        };
        StringId(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The number of a text that is already there.
    pub fn find(&self, text: &str) -> Option<StringId> {
        self.texts.get_index_of(text).and_then(|index| u32::try_from(index).ok()).map(StringId)
    }

    /// The text of a number; empty for a number of another inventory.
    pub fn text(&self, id: StringId) -> &str {
        self.texts.get_index(id.0 as usize).map_or("", |text| text)
    }
}

/// What the rules read of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InventoryNode {
    /// `metadata.name`.
    pub name: StringId,
    /// `spec.providerID`; absent and empty are the same.
    pub provider_id: Option<StringId>,
    /// `spec.unschedulable`.
    pub unschedulable: bool,
    /// Labels in the order of the file.
    pub labels: Box<[(StringId, StringId)]>,
    /// `spec.taints` in the order of the file.
    pub taints: Box<[TaintId]>,
    /// `status.allocatable`: resource and quantity text (numbers in their decimal form).
    pub allocatable: Box<[(StringId, StringId)]>,
    /// Status of the condition `Ready`: `True`, `False` or `Unknown`; `None` when there is no such condition.
    pub ready: Option<StringId>,
    /// `status.nodeInfo.operatingSystem`.
    pub operating_system: Option<StringId>,
    /// Index into [`Inventory::files`].
    pub file: u32,
    /// Line of the node in its file, from 1.
    pub line: u32,
    /// Column of the node in its file, from 1.
    pub column: u32,
}

/// What the rules read of a `ResourceSlice` (03 §3.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceSlice {
    /// `metadata.name`.
    pub name: StringId,
    /// `spec.driver`.
    pub driver: StringId,
    /// `spec.nodeName`.
    pub node_name: Option<StringId>,
    /// `spec.pool.generation`.
    pub generation: i64,
    /// Devices: attribute `type` and attribute `productName`, each when it is a string.
    pub devices: Vec<(Option<StringId>, Option<StringId>)>,
}

/// What pods that run already take of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Pods.
    pub pods: u32,
    /// Those of them that are being deleted.
    pub leaving: u32,
    /// What they request.
    pub(crate) amounts: Amounts,
}

/// All nodes and resource slices that were read.
#[derive(Debug, Clone, Default)]
pub struct Inventory {
    /// Names of the files, as the caller gave them.
    pub files: Vec<String>,
    /// Every text.
    pub strings: Strings,
    /// Every taint.
    pub taints: IndexSet<Taint>,
    /// The nodes in the order in which they were read; names are unique (00 D70).
    pub nodes: Vec<InventoryNode>,
    /// The resource slices.
    pub slices: Vec<ResourceSlice>,
    /// What runs on the nodes already, by index of the node; empty unless somebody told
    /// ([`PodsReader`](super::PodsReader)).
    pub taken: BTreeMap<u32, Taken>,
    /// Reading found errors, so that nodes may be missing: nothing may be sent on its ground.
    pub incomplete: bool,
}

impl Inventory {
    /// The text of a number.
    pub fn text(&self, id: StringId) -> &str {
        self.strings.text(id)
    }

    /// Names file and place of a node in a finding about it, or without a node the first file. Nodes that stand in no
    /// file leave the finding to the field of the run that chooses them.
    pub(crate) fn place(&self, finding: Diagnostic, node: Option<u32>, field: &FieldPath) -> Diagnostic {
        if super::is_synthetic(self) || self.files.is_empty() {
            return finding.with_path(field);
        }
        let node = node.and_then(|index| self.nodes.get(index as usize));
        let Some(file) = self.files.get(node.map_or(0, |node| node.file as usize)) else {
            return finding.with_path(field);
        };
        let finding = finding.with_file(file);
        let Some(node) = node.filter(|node| node.line > 0) else { return finding };
        let start = Position { offset: 0, line: node.line, column: node.column };
        finding.with_span(Span { start, end: start })
    }

    /// The value of a label of a node.
    pub fn label<'a>(&'a self, node: &InventoryNode, key: &str) -> Option<&'a str> {
        let key = self.strings.find(key)?;
        node.labels.iter().find(|(k, _)| *k == key).map(|(_, value)| self.text(*value))
    }

    /// The quantity text of an allocatable resource of a node.
    pub fn allocatable<'a>(&'a self, node: &InventoryNode, resource: &str) -> Option<&'a str> {
        let key = self.strings.find(resource)?;
        node.allocatable.iter().find(|(k, _)| *k == key).map(|(_, value)| self.text(*value))
    }

    /// The taints of a node.
    pub fn taints<'a>(&'a self, node: &'a InventoryNode) -> impl Iterator<Item = &'a Taint> {
        node.taints.iter().filter_map(|id| self.taints.get_index(id.0 as usize))
    }
}
