//! The plan of a direct run and the records that keep it (10 §2, §3.7).

use super::input::{Delivery, Facts, JobsInput};
use super::names::{RECORD_NAME_MAX, record_name, truncate};
use super::partition::{Group, Grouping, name_of};
use super::prepared::Prepared;
use super::template::{Manifest, Role};
use crate::api::{HOSTNAME_KEY, RUN_KEY};
use crate::check::GoDuration;
use crate::diagnostic::{Code, Diagnostic};
use crate::fleet::{Fleet, Inventory, InventoryBuilder, domain_of};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Version of the form of `plan.json` and of the rules by which names follow from it.
pub const PLAN_FORMAT: u32 = 1;
/// Most bytes of a plan in one record.
const MOST_PLAN_BYTES: usize = 900 * 1024;
/// Most bytes of all data of a record; the API server takes 1 MiB with everything else of the object.
const MOST_RECORD_BYTES: usize = 1000 * 1024;

/// A group of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PlannedGroup {
    /// Its name.
    pub name: String,
    /// Names of its nodes; empty when the scheduler chooses them.
    pub nodes: Vec<String>,
    /// Topology domains of the nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    /// Nodes per domain, when there is more than one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub domain_node_counts: BTreeMap<String, usize>,
    /// It borrows nodes of another group.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overflow: bool,
}

/// Everything that going on with a run needs, so that nobody has to ask for the nodes again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RunPlan {
    /// Version of this form.
    pub format: u32,
    /// Name of the run.
    pub name: String,
    /// Namespace; empty when nobody says.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Who carries the run out.
    pub delivery: Delivery,
    /// Platform; empty when unknown.
    pub platform: String,
    /// GPU architecture.
    pub architecture: String,
    /// Distinct product labels of the nodes of that architecture, sorted.
    pub products: Vec<String>,
    /// Some products were read from ResourceSlices.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub products_from_slices: bool,
    /// Edition and counts.
    pub facts: Facts,
    /// `Pinned` or `Unpinned`.
    pub placement: String,
    /// Node label of the topology domains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_key: Option<String>,
    /// One group per domain.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict_domain: bool,
    /// Nodes that take part.
    pub total_nodes: usize,
    /// Nodes per job as asked for.
    pub nodes_per_job: i64,
    /// Passes over all groups.
    pub iterations: u64,
    /// Jobs at a time; 0 is no limit.
    pub max_concurrent: i64,
    /// Limit per job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_per_job: Option<GoDuration>,
    /// Values of the product expression on the pods (03 §6.5).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub affinity_products: Vec<String>,
    /// Host names of an Unpinned run whose target names nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed_hosts: Vec<String>,
    /// Hostname labels of the nodes whose label is not their name (00 D24).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hostnames: BTreeMap<String, String>,
    /// The groups in launch order.
    pub groups: Vec<PlannedGroup>,
}

/// Why records give no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The run was started by a binary that writes another form.
    #[error(
        "the run record has format {found}, and this version reads {PLAN_FORMAT}: go on with the binary that started the run, or cancel it"
    )]
    Format {
        /// The format of the record.
        found: String,
    },
    /// A record is missing.
    #[error("part {0} of the plan is missing")]
    MissingPart(usize),
    /// The text is no plan.
    #[error("the plan of the run record cannot be read: {0}")]
    Text(String),
}

impl RunPlan {
    pub(crate) fn of(prepared: &Prepared<'_>) -> Self {
        let input = &prepared.input;
        let inventory = input.inventory;
        let orchestration = &input.workflow.spec.orchestration;
        let (topology_key, strict_domain) = match input.grouping() {
            Grouping::Packed(key) => (Some(key), false),
            Grouping::Strict(key) => (Some(key), true),
            Grouping::Plain | Grouping::Unpinned => (None, false),
        };
        let mut hostnames = BTreeMap::new();
        let mut groups = Vec::with_capacity(prepared.groups().len());
        for group in prepared.groups() {
            for node in group.nodes.iter().filter_map(|n| inventory.nodes.get(*n as usize)) {
                let name = inventory.text(node.name);
                match inventory.label(node, HOSTNAME_KEY) {
                    Some(host) if !host.is_empty() && host != name => {
                        hostnames.insert(name.to_owned(), host.to_owned());
                    }
                    _ => {}
                }
            }
            groups.push(PlannedGroup {
                name: group.name(),
                nodes: group.nodes.iter().map(|n| name_of(inventory, *n).to_owned()).collect(),
                domains: group.domains.iter().map(|d| inventory.text(*d).to_owned()).collect(),
                domain_node_counts: domain_counts(inventory, group, topology_key),
                overflow: group.overflow,
            });
        }
        Self {
            format: PLAN_FORMAT,
            name: input.run_name().to_owned(),
            namespace: input.namespace.to_owned(),
            delivery: input.delivery,
            platform: input.fleet.platform.clone(),
            architecture: input.fleet.architecture.clone(),
            products: input.fleet.products.clone(),
            products_from_slices: !input.fleet.synthesized.is_empty(),
            facts: input.facts.clone(),
            placement: if input.unpinned() { "Unpinned" } else { "Pinned" }.to_owned(),
            topology_key: topology_key.map(str::to_owned),
            strict_domain,
            total_nodes: input.fleet.nodes.len(),
            nodes_per_job: prepared.size,
            iterations: prepared.iterations(),
            max_concurrent: orchestration.execution.max_concurrent,
            timeout_per_job: orchestration.execution.timeout_per_job,
            affinity_products: prepared.product_values.clone(),
            fixed_hosts: prepared.fixed_hosts.clone(),
            hostnames,
            groups,
        }
    }

    /// The nodes of the plan as an inventory, in the order of their names, for [`Prepared::resume`].
    pub fn inventory(&self) -> Inventory {
        let mut builder = InventoryBuilder::new();
        let mut names: Vec<&str> = self.groups.iter().flat_map(|g| &g.nodes).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            builder.node(name).label(HOSTNAME_KEY, self.hostnames.get(name).map_or(name, String::as_str));
        }
        let mut out = builder.build();
        for domain in self.groups.iter().flat_map(|g| &g.domains) {
            out.strings.intern(domain);
        }
        out
    }

    /// The fleet of the plan, over an inventory made by [`Self::inventory`].
    pub fn fleet(&self, inventory: &Inventory) -> Fleet {
        Fleet {
            nodes: (0u32..).zip(&inventory.nodes).map(|(index, _)| index).collect(),
            platform: self.platform.clone(),
            architecture: self.architecture.clone(),
            products: self.products.clone(),
            ..Fleet::default()
        }
    }

    /// The groups, with nodes of an inventory made by [`Self::inventory`].
    pub(crate) fn groups(&self, inventory: &Inventory) -> Vec<Group> {
        let by_name: BTreeMap<&str, u32> =
            (0u32..).zip(&inventory.nodes).map(|(index, node)| (inventory.text(node.name), index)).collect();
        let group = |(index, planned): (u32, &PlannedGroup)| Group {
            index,
            overflow: planned.overflow,
            nodes: planned.nodes.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect(),
            domains: planned.domains.iter().filter_map(|domain| inventory.strings.find(domain)).collect(),
        };
        (0u32..).zip(&self.groups).map(group).collect()
    }

    /// Reads the plan out of the data of the first record; `part(n)` gives the data of record `n`, counted from 1,
    /// when the plan is split.
    ///
    /// # Errors
    /// [`PlanError`]: another format, a missing part, or a text that is no plan.
    pub fn read<'d>(
        data: &'d BTreeMap<String, String>,
        part: impl Fn(usize) -> Option<&'d BTreeMap<String, String>>,
    ) -> Result<Self, PlanError> {
        let format = data.get("format").map_or("", String::as_str);
        if format != PLAN_FORMAT.to_string() {
            return Err(PlanError::Format { found: format.to_owned() });
        }
        let text = match data.get("plan.json") {
            Some(text) => text.clone(),
            None => {
                let parts = data.get("parts").and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
                let mut text = String::new();
                for number in 1..=parts {
                    let piece = part(number).and_then(|data| data.get("plan.json"));
                    text.push_str(piece.ok_or(PlanError::MissingPart(number))?);
                }
                text
            }
        };
        serde_json::from_str(&text).map_err(|error| PlanError::Text(error.to_string()))
    }
}

/// Nodes of a group per domain (03 §0); empty unless it spans several.
fn domain_counts(inventory: &Inventory, group: &Group, key: Option<&str>) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    if let Some(key) = key.filter(|_| group.domains.len() > 1) {
        for domain in group.nodes.iter().filter_map(|node| domain_of(inventory, *node, key)) {
            *out.entry(domain.to_owned()).or_default() += 1;
        }
    }
    out
}

/// Name of a numbered record that carries a part of a plan.
pub fn record_part_name(run: &str, number: usize) -> String {
    truncate(&format!("{run}-nvcre-run-{number}"), RECORD_NAME_MAX)
}

/// A run that fits into no record.
pub(crate) fn check(input: &JobsInput<'_>, findings: &mut Vec<Diagnostic>) {
    // YAML is at most a few times longer than JSON; the JSON decides, so that the finding comes before any text is made.
    let bytes = serde_json::to_string(input.run).map_or(0, |text| text.len());
    if bytes > MOST_PLAN_BYTES / 2 {
        let message = format!(
            "the run has {bytes} bytes and is kept in a ConfigMap beside its plan, which takes at most {} of them",
            MOST_PLAN_BYTES / 2
        );
        findings.push(Diagnostic::at(Code::RecordTooLarge, "spec", message).with_help(
            "put large files into a ConfigMap or volume of your own and name it in spec.config.configMapRef",
        ));
    }
}

/// The run record, and numbered ones for a plan that is too large for it. The first one owns the others.
pub(crate) fn records(input: &JobsInput<'_>, plan: &RunPlan, to_yaml: impl Fn(&Value) -> String) -> Vec<Manifest> {
    let run_yaml = to_yaml(&serde_json::to_value(input.run).unwrap_or_default());
    let text = serde_json::to_string(plan).unwrap_or_default();
    let mut first = Map::new();
    first.insert("format".to_owned(), PLAN_FORMAT.to_string().into());
    let whole = text.len() <= MOST_PLAN_BYTES && text.len() + run_yaml.len() <= MOST_RECORD_BYTES;
    first.insert("run.yaml".to_owned(), run_yaml.into());
    let parts = if whole { Vec::new() } else { split(&text, MOST_PLAN_BYTES) };
    if whole {
        first.insert("plan.json".to_owned(), text.clone().into());
    } else {
        first.insert("parts".to_owned(), parts.len().to_string().into());
    }
    let record = |name: String, data: Value, owner: Option<super::Owner>| {
        let mut metadata = json!({
            "name": name,
            "labels": { crate::api::MANAGED_BY_KEY: "nvcrectl", RUN_KEY: input.run_name() },
        });
        if let Some(map) = metadata.as_object_mut().filter(|_| !input.namespace.is_empty()) {
            map.insert("namespace".to_owned(), input.namespace.into());
        }
        let value = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "immutable": true, "data": data,
        });
        Manifest { value, owner, role: Role::Record }
    };
    let mut out = vec![record(record_name(input.run_name()), Value::Object(first), None)];
    out.extend((1..).zip(parts).map(|(number, piece)| {
        record(record_part_name(input.run_name(), number), json!({ "plan.json": piece }), Some(super::Owner::Record))
    }));
    out
}

/// Pieces of at most `most` bytes, cut between characters.
fn split(text: &str, most: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while rest.len() > most {
        let mut end = most;
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, tail) = rest.split_at(end);
        out.push(piece);
        rest = tail;
    }
    out.push(rest);
    out
}
