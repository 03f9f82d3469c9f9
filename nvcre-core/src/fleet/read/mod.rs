//! Inventories as a stream: `kubectl get nodes -o yaml` or `-o json` as it is, of any length (00 D35, D70, D71).

mod convert;
#[cfg(test)]
mod tests;

use super::inventory::{Inventory, StringId};
use crate::diagnostic::{Code, Diagnostic, FieldPath, Position, Related, Span};
use crate::yaml::{Done, Keep, Kind, Limits, Node, Read, read_stream};
use convert::Found;
use std::collections::BTreeMap;
use std::io;

/// The fields that the rules read; everything else is passed over.
static OBJECT: Keep = Keep::Fields(&[
    ("apiVersion", Keep::All),
    ("kind", Keep::All),
    ("items", Keep::Emit(&OBJECT)),
    ("metadata", Keep::Fields(&[("name", Keep::All), ("labels", Keep::All)])),
    (
        "spec",
        Keep::Fields(&[
            ("providerID", Keep::All),
            ("unschedulable", Keep::All),
            ("taints", Keep::Each(&Keep::Fields(&[("key", Keep::All), ("value", Keep::All), ("effect", Keep::All)]))),
            ("driver", Keep::All),
            ("nodeName", Keep::All),
            ("pool", Keep::Fields(&[("generation", Keep::All)])),
            (
                "devices",
                Keep::Each(&Keep::Fields(&[
                    ("attributes", ATTRIBUTES),
                    ("basic", Keep::Fields(&[("attributes", ATTRIBUTES)])),
                ])),
            ),
        ]),
    ),
    (
        "status",
        Keep::Fields(&[
            ("allocatable", Keep::All),
            ("conditions", Keep::Each(&Keep::Fields(&[("type", Keep::All), ("status", Keep::All)]))),
            ("nodeInfo", Keep::Fields(&[("operatingSystem", Keep::All)])),
        ]),
    ),
]);
const ATTRIBUTES: Keep = Keep::Fields(&[
    ("type", Keep::Fields(&[("string", Keep::All)])),
    ("productName", Keep::Fields(&[("string", Keep::All)])),
]);
/// A document: an object, or a bare list of objects.
static DOCUMENT: Keep = Keep::Emit(&OBJECT);

/// Reads the files of an inventory one after another and keeps only what the rules read of every node.
///
/// ```
/// use nvcre_core::fleet::InventoryReader;
/// let mut reader = InventoryReader::new();
/// reader.read("nodes.yaml", "kind: Node\nmetadata:\n  name: gpu-1\n".as_bytes());
/// reader.read("more.json", r#"{"kind": "Node", "metadata": {"name": "gpu-2"}}"#.as_bytes());
/// let read = reader.finish();
/// assert_eq!(read.value.nodes.len(), 2);
/// assert!(read.diagnostics.is_empty());
/// ```
#[derive(Debug)]
pub struct InventoryReader {
    limits: Limits,
    inventory: Inventory,
    names: BTreeMap<StringId, usize>,
    slices: BTreeMap<StringId, usize>,
    findings: Vec<Diagnostic>,
}

impl Default for InventoryReader {
    fn default() -> Self {
        Self::new()
    }
}

impl InventoryReader {
    /// A reader with the limits of 00 D71: any length; depth 64, 1,000 aliases, 8 MiB in one scalar.
    pub fn new() -> Self {
        Self::with_limits(Limits::INVENTORY)
    }

    /// A reader with other limits.
    pub fn with_limits(limits: Limits) -> Self {
        Self {
            limits,
            inventory: Inventory::default(),
            names: BTreeMap::new(),
            slices: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Reads one file: YAML or JSON, one or several documents, any mix of Node, List, NodeList and ResourceSlice, or
    /// a bare list of nodes. Nothing of the file is kept but what [`Inventory`] holds. What is wrong with the file,
    /// also an error of `reader`, becomes a finding of [`InventoryReader::finish`].
    pub fn read<R: io::Read>(&mut self, file: &str, reader: R) {
        self.inventory.files.push(file.to_owned());
        let mut documents = 0_usize;
        let mut document = self.checkpoint(0);
        let limits = self.limits;
        let mut findings = read_stream(reader, file, &limits, DOCUMENT, |findings, done| match done {
            Done::Item(node, path) => self.item(&node, &path, false, findings),
            Done::Root(root) => {
                if !is_empty(&root) {
                    documents += 1;
                    self.root(&root, &document, findings);
                }
                document = self.checkpoint(findings.len());
            }
            Done::Partial(node) => {
                documents += 1;
                self.partial(&node, findings);
                document = self.checkpoint(findings.len());
            }
        });
        if documents == 0 && findings.is_empty() {
            let start = Position { offset: 0, line: 1, column: 1 };
            findings.push(
                Diagnostic::new(Code::InventoryEmpty, "the file is empty; nodes are wanted")
                    .with_help("write one with `kubectl get nodes -o yaml`")
                    .with_span(Span { start, end: start })
                    .with_file(file),
            );
        }
        for finding in &mut findings {
            finding.file.get_or_insert_with(|| file.to_owned());
        }
        crate::diagnostic::sort(&mut findings);
        self.findings.append(&mut findings);
    }

    /// What was read, and everything that was wrong: file by file, each in the order of its text.
    pub fn finish(self) -> Read<Inventory> {
        let mut inventory = self.inventory;
        inventory.incomplete = crate::diagnostic::has_errors(&self.findings);
        Read { value: inventory, diagnostics: self.findings }
    }

    /// What is there before a document begins.
    fn checkpoint(&self, findings: usize) -> Checkpoint {
        Checkpoint { nodes: self.inventory.nodes.len(), slices: self.inventory.slices.len(), findings }
    }

    fn root(&mut self, root: &Node, before: &Checkpoint, findings: &mut Vec<Diagnostic>) {
        let Kind::Map(_) = root.kind else {
            if !matches!(root.kind, Kind::List(_)) {
                findings.push(not_an_object(root, &FieldPath::root()));
            }
            // The elements of a bare list came one by one.
            return;
        };
        match root.get("kind").and_then(Node::as_str) {
            Some("Node" | "ResourceSlice") => self.item(root, &FieldPath::root(), true, findings),
            Some("List" | "NodeList" | "ResourceSliceList") => self.left_items(root, &FieldPath::root(), findings),
            other => {
                // What came as its items were no nodes.
                for node in self.inventory.nodes.drain(before.nodes..) {
                    self.names.remove(&node.name);
                }
                self.inventory.slices.truncate(before.slices);
                findings.truncate(before.findings);
                findings.push(wrong_kind(root, other, &FieldPath::root()));
            }
        }
    }

    /// What was read of an object before an error in the text: a node, as soon as it has a name.
    fn partial(&mut self, node: &Node, findings: &mut Vec<Diagnostic>) {
        let named = node.get("metadata").and_then(|m| m.get("name")).and_then(Node::as_str).is_some();
        match node.get("kind").and_then(Node::as_str) {
            Some("Node" | "ResourceSlice") | None if named => self.item(node, &FieldPath::root(), false, findings),
            Some("Node" | "ResourceSlice" | "List" | "NodeList" | "ResourceSliceList") | None => {}
            other => findings.push(wrong_kind(node, other, &FieldPath::root())),
        }
    }

    /// Items that came through an alias.
    fn left_items(&mut self, list: &Node, path: &FieldPath, findings: &mut Vec<Diagnostic>) {
        if let Some(items) = list.get("items") {
            match &items.kind {
                Kind::List(items) => {
                    for (at, item) in items.iter().enumerate() {
                        self.item(item, &path.key("items").index(at), false, findings);
                    }
                }
                Kind::Scalar(scalar) if scalar.value.is_null() => {}
                _ => findings.push(
                    Diagnostic::at(
                        Code::NodeFieldType,
                        path.key("items"),
                        "`items` must be a list, and this is something else",
                    )
                    .with_help("write the file again with `kubectl get nodes -o yaml`")
                    .with_span(items.span),
                ),
            }
        }
    }

    /// A node or a resource slice; `kind` must be there for a document of its own.
    fn item(&mut self, node: &Node, path: &FieldPath, root: bool, findings: &mut Vec<Diagnostic>) {
        if !matches!(node.kind, Kind::Map(_)) {
            findings.push(not_an_object(node, path));
            return;
        }
        let file = u32::try_from(self.inventory.files.len().saturating_sub(1)).unwrap_or(u32::MAX);
        match node.get("kind").map(|kind| kind.as_str().unwrap_or("")) {
            Some("ResourceSlice") => self.slice(node, path, findings),
            None if !root && node.get("spec").and_then(|spec| spec.get("driver")).is_some() => {
                self.slice(node, path, findings);
            }
            Some("Node") | None => match convert::node(&mut self.inventory, node, path, file, findings) {
                Found::Node(found) => self.add(found, node.span, path, findings),
                Found::Nothing => {}
            },
            // The items of a list inside a list came one by one, too.
            Some("List" | "NodeList" | "ResourceSliceList") => self.left_items(node, path, findings),
            other => findings.push(wrong_kind(node, other, path)),
        }
    }

    /// Adds a resource slice; the same one twice counts once.
    fn slice(&mut self, node: &Node, path: &FieldPath, findings: &mut Vec<Diagnostic>) {
        let found = convert::slice(&mut self.inventory, node, path, findings);
        let slices = &mut self.inventory.slices;
        if self.slices.get(&found.name).and_then(|at| slices.get(*at)) != Some(&found) {
            self.slices.insert(found.name, slices.len());
            slices.push(found);
        }
    }

    fn add(&mut self, found: super::InventoryNode, span: Span, path: &FieldPath, findings: &mut Vec<Diagnostic>) {
        let Some(first) = self.names.get(&found.name).and_then(|at| self.inventory.nodes.get(*at)) else {
            self.names.insert(found.name, self.inventory.nodes.len());
            self.inventory.nodes.push(found);
            return;
        };
        if convert::same(first, &found) {
            return;
        }
        let name = self.inventory.text(found.name);
        let file = |at: u32| self.inventory.files.get(at as usize).cloned().unwrap_or_default();
        let (here, there) = (file(found.file), file(first.file));
        let message = if found.file == first.file {
            format!("the node `{name}` stands twice in {here}, with different content")
        } else {
            format!("the node `{name}` stands in {there} and in {here}, with different content")
        };
        let start = Position { offset: 0, line: first.line, column: first.column };
        let mut finding = Diagnostic::at(Code::NodeTwice, path.clone(), message)
            .with_help("remove the older of the two; the first one was kept")
            .with_span(span);
        finding.related.push(Related {
            message: format!("`{name}` read here first"),
            path: None,
            file: Some(there),
            span: (found.file != first.file || start.line != 0).then_some(Span { start, end: start }),
        });
        findings.push(finding);
    }
}

struct Checkpoint {
    nodes: usize,
    slices: usize,
    findings: usize,
}

/// Reads an inventory that is one text in memory, as [`InventoryReader`] does.
pub fn read_inventory(text: &str) -> Read<Inventory> {
    let mut reader = InventoryReader::new();
    reader.read("inventory", text.as_bytes());
    reader.finish()
}

/// A document without content.
fn is_empty(root: &Node) -> bool {
    matches!(&root.kind, Kind::Scalar(scalar) if scalar.value.is_null())
}

fn not_an_object(node: &Node, path: &FieldPath) -> Diagnostic {
    let what = match &node.kind {
        Kind::List(_) => "a list",
        _ => "a single value",
    };
    Diagnostic::at(Code::InventoryKind, path.clone(), format!("found {what} where a Node is wanted"))
        .with_help("an inventory is the output of `kubectl get nodes -o yaml`")
        .with_span(node.span)
}

fn wrong_kind(node: &Node, kind: Option<&str>, path: &FieldPath) -> Diagnostic {
    const WANTED: &str = "an inventory holds Node, List, NodeList or ResourceSlice";
    let name = node.get("metadata").and_then(|m| m.get("name")).and_then(Node::as_str);
    let name = name.map(|name| format!(" `{name}`")).unwrap_or_default();
    let message = match kind {
        Some(kind) if !kind.is_empty() => format!("found {kind}{name}; {WANTED}"),
        _ => format!("found an object{name} without a kind; {WANTED}"),
    };
    let span = node.get("kind").map_or(node.span, |kind| kind.span);
    Diagnostic::at(Code::InventoryKind, path.key("kind"), message)
        .with_help("write the file with `kubectl get nodes -o yaml`")
        .with_span(span)
}
