//! Pruned objects into the dense form.

use crate::api::Taint;
use crate::check::is_dns1123_subdomain;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::fleet::inventory::{Inventory, InventoryNode, ResourceSlice, StringId, TaintId};
use crate::yaml::{Entry, Kind, Node, Scalar};
use serde_json::Value;

/// What an object gave.
pub(super) enum Found {
    Node(InventoryNode),
    /// No name: nothing can be said about it.
    Nothing,
}

/// Where findings go, and about what.
struct Notes<'a> {
    findings: &'a mut Vec<Diagnostic>,
    path: &'a FieldPath,
    /// `node` or `ResourceSlice`, and its name.
    what: &'a str,
}

impl Notes<'_> {
    fn wrong(&mut self, at: &Node, keys: &[&str], wanted: &str) {
        let place = keys.iter().fold(FieldPath::root(), |path, key| path.key(*key));
        self.wrong_at(at, &place, wanted);
    }

    fn wrong_at(&mut self, at: &Node, place: &FieldPath, wanted: &str) {
        let message = format!("`{place}` of {} is {}, but must be {wanted}", self.what, found(at));
        self.findings.push(
            Diagnostic::at(Code::NodeFieldType, self.path.join(place), message)
                .with_help("write the file again with `kubectl get nodes -o yaml`")
                .with_span(at.span),
        );
    }

    /// The text of a string field; absent, null and (after a finding) anything else give nothing.
    fn text<'n>(&mut self, root: &'n Node, keys: &[&str]) -> Option<&'n str> {
        self.string(field(root, keys)?, || keys.iter().fold(FieldPath::root(), |path, key| path.key(*key)))
    }

    /// The text of a string field of an element of a list.
    fn element<'n>(&mut self, item: &'n Node, list: [&str; 2], index: usize, key: &str) -> Option<&'n str> {
        let [outer, inner] = list;
        self.string(item.get(key)?, || FieldPath::root().key(outer).key(inner).index(index).key(key))
    }

    fn string<'n>(&mut self, node: &'n Node, place: impl FnOnce() -> FieldPath) -> Option<&'n str> {
        match scalar(node).map(|s| &s.value) {
            Some(Value::String(text)) => Some(text),
            Some(Value::Null) => None,
            _ => {
                self.wrong_at(node, &place(), "a string");
                None
            }
        }
    }

    fn list<'n>(&mut self, root: &'n Node, keys: &[&str]) -> &'n [Node] {
        let Some(node) = field(root, keys) else { return &[] };
        match &node.kind {
            Kind::List(items) => items,
            Kind::Scalar(s) if s.value.is_null() => &[],
            _ => {
                self.wrong(node, keys, "a list");
                &[]
            }
        }
    }

    fn map<'n>(&mut self, root: &'n Node, keys: &[&str]) -> &'n [Entry] {
        let Some(node) = field(root, keys) else { return &[] };
        match &node.kind {
            Kind::Map(entries) => entries,
            Kind::Scalar(s) if s.value.is_null() => &[],
            _ => {
                self.wrong(node, keys, "a mapping");
                &[]
            }
        }
    }
}

fn field<'n>(root: &'n Node, keys: &[&str]) -> Option<&'n Node> {
    keys.iter().try_fold(root, |node, key| node.get(key))
}

fn scalar(node: &Node) -> Option<&Scalar> {
    match &node.kind {
        Kind::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}

/// What a value is to Kubernetes, for messages.
fn found(node: &Node) -> String {
    match &node.kind {
        Kind::List(_) => "a list".to_owned(),
        Kind::Map(_) => "a mapping".to_owned(),
        Kind::Scalar(s) => match &s.value {
            Value::Bool(_) => format!("the bool `{}`", s.text),
            Value::Number(_) => format!("the number `{}`", s.text),
            Value::Null => "null".to_owned(),
            _ => format!("the string `{}`", s.text),
        },
    }
}

pub(super) fn node(
    inventory: &mut Inventory,
    root: &Node,
    path: &FieldPath,
    file: u32,
    findings: &mut Vec<Diagnostic>,
) -> Found {
    let name = field(root, &["metadata", "name"]);
    let Some(name) = name.and_then(Node::as_str).filter(|name| !name.is_empty()) else {
        let (message, span) = match name {
            Some(at) if scalar(at).is_none_or(|s| !s.value.is_null() && !s.text.is_empty()) => {
                (format!("the name of a node is {}, but must be a string", found(at)), at.span)
            }
            _ => ("a node has no metadata.name".to_owned(), root.span),
        };
        findings.push(
            Diagnostic::at(Code::NodeWithoutName, path.key("metadata").key("name"), message)
                .with_help("every node of a cluster has one; put it in quotes when it looks like a number")
                .with_span(span),
        );
        return Found::Nothing;
    };
    if !is_dns1123_subdomain(name) {
        let message = format!("{name:?} is no name of a node");
        findings.push(
            Diagnostic::at(Code::NodeFieldType, path.key("metadata").key("name"), message)
                .with_help("names of nodes hold lower-case letters, digits, '-' and '.'; write the inventory with kubectl get nodes -o yaml")
                .with_span(root.get("metadata").and_then(|m| m.get("name")).map_or(root.span, |n| n.span)),
        );
    }
    let what = format!("node `{name}`");
    let mut notes = Notes { findings, path, what: &what };
    let name = inventory.strings.intern(name);
    let labels = labels(inventory, root, &mut notes);
    let provider_id = notes.text(root, &["spec", "providerID"]).filter(|id| !id.is_empty());
    let provider_id = provider_id.map(|id| inventory.strings.intern(id));
    let unschedulable = match field(root, &["spec", "unschedulable"]) {
        None => false,
        Some(at) => match scalar(at).map(|s| &s.value) {
            Some(Value::Bool(value)) => *value,
            Some(Value::Null) => false,
            _ => {
                notes.wrong(at, &["spec", "unschedulable"], "true or false");
                false
            }
        },
    };
    let taints = notes.list(root, &["spec", "taints"]).iter().enumerate();
    let taints = taints.map(|(at, taint)| self::taint(inventory, taint, at, &mut notes)).collect();
    let allocatable = allocatable(inventory, root, &mut notes);
    let mut conditions = notes.list(root, &["status", "conditions"]).iter().enumerate();
    let ready = conditions.find(|(_, c)| c.get("type").and_then(Node::as_str) == Some("Ready"));
    let ready = ready.and_then(|(at, c)| notes.element(c, ["status", "conditions"], at, "status"));
    let ready = ready.map(|status| inventory.strings.intern(status));
    let system = notes.text(root, &["status", "nodeInfo", "operatingSystem"]).filter(|os| !os.is_empty());
    let operating_system = system.map(|system| inventory.strings.intern(system));
    let at = root.span.start;
    Found::Node(InventoryNode {
        name,
        provider_id,
        unschedulable,
        labels,
        taints,
        allocatable,
        ready,
        operating_system,
        file,
        line: at.line,
        column: at.column,
    })
}

fn labels(inventory: &mut Inventory, root: &Node, notes: &mut Notes<'_>) -> Box<[(StringId, StringId)]> {
    let mut out = Vec::new();
    for label in notes.map(root, &["metadata", "labels"]) {
        let value = match &label.value.kind {
            Kind::Scalar(Scalar { value: Value::String(text), .. }) => text,
            other => {
                let path = notes.path.key("metadata").key("labels").key(&*label.key);
                let message = format!(
                    "the label `{}` of {} is {}; every label value must be a string",
                    label.key,
                    notes.what,
                    found(&label.value)
                );
                notes.findings.push(
                    Diagnostic::at(Code::NodeLabelType, path, message)
                        .with_help("put the value in quotes")
                        .with_span(label.value.span),
                );
                match other {
                    Kind::Scalar(scalar) => &*scalar.text,
                    _ => continue,
                }
            }
        };
        out.push((inventory.strings.intern(&label.key), inventory.strings.intern(value)));
    }
    out.into_boxed_slice()
}

fn taint(inventory: &mut Inventory, taint: &Node, at: usize, notes: &mut Notes<'_>) -> TaintId {
    let mut text = |key| notes.element(taint, ["spec", "taints"], at, key).unwrap_or_default().to_owned();
    let taint = Taint { key: text("key"), value: text("value"), effect: text("effect") };
    let index = match inventory.taints.get_index_of(&taint) {
        Some(index) => index,
        None => inventory.taints.insert_full(taint).0,
    };
    TaintId(u32::try_from(index).unwrap_or(u32::MAX))
}

fn allocatable(inventory: &mut Inventory, root: &Node, notes: &mut Notes<'_>) -> Box<[(StringId, StringId)]> {
    let mut out = Vec::new();
    for entry in notes.map(root, &["status", "allocatable"]) {
        let key = inventory.strings.intern(&entry.key);
        let value = match scalar(&entry.value) {
            Some(Scalar { value: Value::String(text), .. }) => inventory.strings.intern(text),
            Some(Scalar { value: Value::Number(number), text, .. }) => {
                let decimal = text.bytes().all(|b| matches!(b, b'1'..=b'9' | b'0' | b'.')) && !text.starts_with('0');
                if decimal { inventory.strings.intern(text) } else { inventory.strings.intern(&number.to_string()) }
            }
            _ => {
                notes.wrong(&entry.value, &["status", "allocatable", &entry.key], "a quantity");
                continue;
            }
        };
        out.push((key, value));
    }
    out.into_boxed_slice()
}

pub(super) fn slice(
    inventory: &mut Inventory,
    root: &Node,
    path: &FieldPath,
    findings: &mut Vec<Diagnostic>,
) -> ResourceSlice {
    let name = field(root, &["metadata", "name"]).and_then(Node::as_str).unwrap_or_default();
    let what = format!("ResourceSlice `{name}`");
    let mut notes = Notes { findings, path, what: &what };
    let driver = notes.text(root, &["spec", "driver"]).unwrap_or_default();
    let node_name = notes.text(root, &["spec", "nodeName"]).filter(|name| !name.is_empty());
    let generation = match field(root, &["spec", "pool", "generation"]) {
        None => 0,
        Some(at) => match scalar(at).map(|s| &s.value) {
            Some(Value::Number(number)) if number.is_i64() => number.as_i64().unwrap_or(0),
            Some(Value::Null) => 0,
            _ => {
                notes.wrong(at, &["spec", "pool", "generation"], "an integer");
                0
            }
        },
    };
    let strings = &mut inventory.strings;
    let devices = notes.list(root, &["spec", "devices"]).iter().map(|device| {
        let mut attribute = |key: &str| {
            let direct = field(device, &["attributes", key, "string"]);
            let text = direct.or_else(|| field(device, &["basic", "attributes", key, "string"]))?.as_str()?;
            Some(strings.intern(text))
        };
        (attribute("type"), attribute("productName"))
    });
    let devices = devices.collect();
    ResourceSlice {
        name: strings.intern(name),
        driver: strings.intern(driver),
        node_name: node_name.map(|name| strings.intern(name)),
        generation,
        devices,
    }
}

/// True when two readings of a node are the same in everything that the rules read (00 D70).
pub(super) fn same(a: &InventoryNode, b: &InventoryNode) -> bool {
    fn sorted<T: Ord + Copy>(items: &[T]) -> Vec<T> {
        let mut items = items.to_vec();
        items.sort_unstable();
        items
    }
    a.provider_id == b.provider_id
        && a.unschedulable == b.unschedulable
        && a.ready == b.ready
        && a.operating_system == b.operating_system
        && sorted(&a.labels) == sorted(&b.labels)
        && sorted(&a.taints) == sorted(&b.taints)
        && sorted(&a.allocatable) == sorted(&b.allocatable)
}
