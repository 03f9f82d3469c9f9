//! What runs already: `kubectl get pods -A -o yaml` or `-o json` as a stream, of any length. Of every pod only its name,
//! its node and what it requests is kept.

use super::inventory::{Inventory, Taken};
use crate::api::Value;
use crate::check::{Quantity, pod_requests};
use crate::diagnostic::{Code, Diagnostic, FieldPath, Position, Span};
use crate::yaml::{Done, Keep, Kind, Limits, Node, read_stream};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

const RESOURCES: Keep = Keep::Fields(&[("requests", Keep::All), ("limits", Keep::All)]);
static CONTAINER: Keep = Keep::Fields(&[("name", Keep::All), ("restartPolicy", Keep::All), ("resources", RESOURCES)]);
static OBJECT: Keep = Keep::Fields(&[
    ("kind", Keep::All),
    ("items", Keep::Emit(&OBJECT)),
    ("metadata", Keep::Fields(&[("name", Keep::All), ("namespace", Keep::All), ("deletionTimestamp", Keep::All)])),
    (
        "spec",
        Keep::Fields(&[
            ("nodeName", Keep::All),
            ("containers", Keep::Each(&CONTAINER)),
            ("initContainers", Keep::Each(&CONTAINER)),
            ("resources", RESOURCES),
            ("overhead", Keep::All),
        ]),
    ),
    ("status", Keep::Fields(&[("phase", Keep::All)])),
]);
static DOCUMENT: Keep = Keep::Emit(&OBJECT);
const HELP: &str = "write the file with `kubectl get pods -A -o yaml`";

/// Reads lists of pods and takes what they request off the nodes of an inventory.
///
/// ```
/// use nvcre_core::fleet::{InventoryBuilder, PodsReader};
/// let mut builder = InventoryBuilder::new();
/// builder.node("gpu-1").allocatable("nvidia.com/gpu", "8");
/// let mut inventory = builder.build();
/// let mut reader = PodsReader::new();
/// let pods = r#"{"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "a"}, "spec": {"nodeName": "gpu-1",
///     "containers": [{"resources": {"limits": {"nvidia.com/gpu": "2"}}}]}, "status": {"phase": "Running"}}]}"#;
/// reader.read("pods.json", pods.as_bytes());
/// assert!(reader.finish(&mut inventory).is_empty());
/// assert_eq!(inventory.taken[&0].pods, 1);
/// ```
#[derive(Debug, Default)]
pub struct PodsReader {
    /// By name of the node.
    taken: BTreeMap<String, Taken>,
    /// Namespace and name of every pod, so that one in two files counts once.
    seen: BTreeSet<(String, String)>,
    files: Vec<String>,
    findings: Vec<Diagnostic>,
}

/// Findings of one file.
struct Notes<'a> {
    findings: &'a mut Vec<Diagnostic>,
    /// A kind that does not belong here was told of.
    told: bool,
}

impl PodsReader {
    /// A reader with the limits of inventories (00 D71).
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one file: YAML or JSON, one or several documents of Pod, List or PodList, or a bare list of pods. What is
    /// wrong with it, also an error of `reader`, becomes a finding of [`Self::finish`].
    pub fn read<R: io::Read>(&mut self, file: &str, reader: R) {
        self.files.push(file.to_owned());
        let (mut documents, mut told) = (0_usize, false);
        let mut findings = read_stream(reader, file, &Limits::INVENTORY, DOCUMENT, |findings, done| {
            let mut notes = Notes { findings, told };
            match done {
                Done::Item(node, path) => self.item(&node, &path, false, &mut notes),
                Done::Root(root) if !matches!(&root.kind, Kind::Scalar(scalar) if scalar.value.is_null()) => {
                    documents += 1;
                    self.root(&root, &mut notes);
                }
                Done::Root(_) => {}
                // What was read before an error in the text; the error is told.
                Done::Partial(_) => documents += 1,
            }
            told = notes.told;
        });
        if documents == 0 && findings.is_empty() {
            let start = Position { offset: 0, line: 1, column: 1 };
            findings.push(
                Diagnostic::new(Code::PodsEmpty, "the file is empty; pods are wanted")
                    .with_help(HELP)
                    .with_span(Span { start, end: start }),
            );
        }
        for finding in &mut findings {
            finding.file.get_or_insert_with(|| file.to_owned());
        }
        crate::diagnostic::sort(&mut findings);
        self.findings.append(&mut findings);
    }

    /// Takes what was read off the nodes of an inventory, in addition to what was taken before. Returns everything that
    /// was wrong: file by file, each in the order of its text.
    pub fn finish(self, inventory: &mut Inventory) -> Vec<Diagnostic> {
        let mut findings = self.findings;
        let mut found = false;
        for (index, node) in (0u32..).zip(&inventory.nodes) {
            let Some(taken) = self.taken.get(inventory.strings.text(node.name)) else { continue };
            found = true;
            let held = inventory.taken.entry(index).or_default();
            held.pods += taken.pods;
            held.leaving += taken.leaving;
            for (resource, amount) in &taken.amounts {
                let sum = held.amounts.entry(resource.clone()).or_default();
                *sum = sum.saturating_add(*amount);
            }
        }
        if let (false, Some(other), Some(file)) = (found, self.taken.keys().next(), self.files.first()) {
            let message = format!("no pod of the list runs on a node of the inventory; one of their nodes is {other}");
            findings.push(
                Diagnostic::new(Code::PodsOfOtherNodes, message)
                    .with_help("write nodes and pods of one cluster, at one time")
                    .with_file(file),
            );
        }
        findings
    }

    fn root(&mut self, root: &Node, notes: &mut Notes<'_>) {
        let path = FieldPath::root();
        match (&root.kind, root.get("kind").and_then(Node::as_str)) {
            // The elements of a bare list came one by one.
            (Kind::List(_), _) => {}
            (Kind::Map(_), Some("List" | "PodList")) => self.left_items(root, &path, notes),
            (Kind::Map(_), _) => self.item(root, &path, true, notes),
            (Kind::Scalar(_), _) => wrong_kind(root, &path, None, notes),
        }
    }

    /// Items that came through an alias.
    fn left_items(&mut self, list: &Node, path: &FieldPath, notes: &mut Notes<'_>) {
        if let Some(Node { kind: Kind::List(items), .. }) = list.get("items") {
            for (at, item) in items.iter().enumerate() {
                self.item(item, &path.key("items").index(at), false, notes);
            }
        }
    }

    fn item(&mut self, pod: &Node, path: &FieldPath, root: bool, notes: &mut Notes<'_>) {
        match (&pod.kind, pod.get("kind").map(|kind| kind.as_str().unwrap_or_default())) {
            (Kind::Map(_), Some("Pod")) => self.pod(pod, path, notes),
            (Kind::Map(_), None) if !root => self.pod(pod, path, notes),
            (Kind::Map(_), Some("List" | "PodList")) => self.left_items(pod, path, notes),
            (_, kind) => wrong_kind(pod, path, kind, notes),
        }
    }

    fn pod(&mut self, pod: &Node, path: &FieldPath, notes: &mut Notes<'_>) {
        let mut wrong = false;
        let mut text = |keys: [&str; 2]| {
            let [outer, inner] = keys;
            let at = pod.get(outer)?.get(inner)?;
            match &at.kind {
                Kind::Scalar(scalar) if scalar.value.is_null() => None,
                Kind::Scalar(scalar) if scalar.value.is_string() => scalar.value.as_str().map(str::to_owned),
                _ => {
                    wrong = true;
                    let message = format!("`{outer}.{inner}` of a pod must be a string, and this is something else");
                    notes.findings.push(
                        Diagnostic::at(Code::PodFieldType, path.key(outer).key(inner), message)
                            .with_help(HELP)
                            .with_span(at.span),
                    );
                    None
                }
            }
        };
        let name = text(["metadata", "name"]);
        let namespace = text(["metadata", "namespace"]).unwrap_or_default();
        let node = text(["spec", "nodeName"]).filter(|node| !node.is_empty());
        let phase = text(["status", "phase"]).unwrap_or_default();
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            if !wrong {
                let message = "a pod has no metadata.name";
                let path = path.key("metadata").key("name");
                notes
                    .findings
                    .push(Diagnostic::at(Code::PodFieldType, path, message).with_help(HELP).with_span(pod.span));
            }
            return;
        };
        quantities(pod, &name, path, notes);
        // Pods that have ended hold nothing any more, and those without a node hold nothing yet.
        let Some(node) = node.filter(|_| !matches!(phase.as_str(), "Succeeded" | "Failed")) else { return };
        if !self.seen.insert((namespace, name)) {
            return;
        }
        let spec = pod.get("spec").map(Node::to_value).unwrap_or_default();
        let leaving =
            pod.get("metadata").and_then(|m| m.get("deletionTimestamp")).is_some_and(|at| at.as_str().is_some());
        let taken = self.taken.entry(node).or_default();
        taken.pods += 1;
        taken.leaving += u32::from(leaving);
        for (resource, amount) in pod_requests(&spec) {
            let sum = taken.amounts.entry(resource).or_default();
            *sum = sum.saturating_add(amount);
        }
    }
}

/// Requests and limits that are no quantities.
fn quantities(pod: &Node, name: &str, path: &FieldPath, notes: &mut Notes<'_>) {
    let Some(spec) = pod.get("spec") else { return };
    for key in ["containers", "initContainers"] {
        let list = spec.get(key);
        let Some(Node { kind: Kind::List(items), .. }) = list else {
            if let Some(list) = list.filter(|list| !matches!(&list.kind, Kind::Scalar(s) if s.value.is_null())) {
                let message = format!("`spec.{key}` of the pod {name} must be a list, and this is something else");
                notes.findings.push(
                    Diagnostic::at(Code::PodFieldType, path.key("spec").key(key), message)
                        .with_help(HELP)
                        .with_span(list.span),
                );
            }
            continue;
        };
        for (at, container) in items.iter().enumerate() {
            for side in ["requests", "limits"] {
                let entries = container.get("resources").and_then(|r| r.get(side)).map(|side| &side.kind);
                let Some(Kind::Map(entries)) = entries else { continue };
                for entry in entries {
                    let fine = match &entry.value.kind {
                        Kind::Scalar(scalar) => match &scalar.value {
                            Value::String(text) => Quantity::parse(text).is_some(),
                            value => value.is_number(),
                        },
                        _ => false,
                    };
                    if !fine {
                        let place = path.key("spec").key(key).index(at).key("resources").key(side).key(&*entry.key);
                        let message = format!("{side} of {} of the pod {name} is no quantity", entry.key);
                        notes.findings.push(
                            Diagnostic::at(Code::PodFieldType, place, message)
                                .with_help(HELP)
                                .with_span(entry.value.span),
                        );
                    }
                }
            }
        }
    }
}

/// Told once a file: a list of other things has many.
fn wrong_kind(node: &Node, path: &FieldPath, kind: Option<&str>, notes: &mut Notes<'_>) {
    if std::mem::replace(&mut notes.told, true) {
        return;
    }
    let message = match kind {
        Some(kind) if !kind.is_empty() => format!("found {kind}; a list of pods holds Pod, List or PodList"),
        _ => "found something without a kind; a list of pods holds Pod, List or PodList".to_owned(),
    };
    let span = node.get("kind").map_or(node.span, |kind| kind.span);
    notes.findings.push(Diagnostic::at(Code::PodsKind, path.key("kind"), message).with_help(HELP).with_span(span));
}

#[cfg(test)]
#[path = "tests/pods.rs"]
mod tests;
