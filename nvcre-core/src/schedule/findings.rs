//! What is said when groups wait: one finding for each reason, whatever the number of groups (warnings: the files are
//! right, and the jobs would wait).

use super::Verdict;
use super::causes::{Cause, What};
use super::nodes::PODS;
use super::taints::shown as taint_text;
use super::verdict::Schedule;
use crate::api::{GPU_RESOURCE, HOSTNAME_KEY};
use crate::check::{Quantity, is_extended_resource, shown};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::fleet::{HealthProblem, HealthProblems, ResourceRequest, TaintId, commas, nodes};
use std::collections::BTreeMap;

/// Who asks for resources.
pub(crate) struct Asked<'a> {
    /// Extended resources, by who brought them.
    pub requests: &'a [ResourceRequest],
    /// `spec.resources` of the run.
    pub own: Option<&'a serde_json::Value>,
}

/// A reason over all groups that wait for it.
struct Told {
    cause: Cause,
    groups: Vec<u32>,
    nodes: BTreeMap<u32, String>,
}

/// What is wrong with nodes, by index.
type Health = BTreeMap<u32, HealthProblems>;

/// Findings about the groups of a run that would wait.
pub(crate) fn findings(schedule: &Schedule<'_>, asked: &Asked<'_>) -> Vec<Diagnostic> {
    let groups = schedule.prepared.groups().len();
    let mut told: BTreeMap<(What, usize), Told> = BTreeMap::new();
    for group in 0..u32::try_from(groups).unwrap_or(u32::MAX) {
        if schedule.verdict(group).verdict != Verdict::Waits {
            continue;
        }
        for mut cause in schedule.causes(group) {
            let nodes = std::mem::take(&mut cause.nodes);
            let of = told.entry((cause.what.clone(), cause.kind)).or_insert_with(|| Told {
                cause,
                groups: Vec::new(),
                nodes: BTreeMap::new(),
            });
            of.groups.push(group);
            of.nodes.extend(nodes);
        }
    }
    let health: Health = schedule.prepared.input.fleet.unhealthy.iter().copied().collect();
    told.into_values().filter_map(|told| schedule.finding(told, asked, &health)).collect()
}

fn verb(told: &Told, plural: &str) -> String {
    if told.nodes.len() == 1 { format!("{plural}s") } else { plural.to_owned() }
}

fn be(told: &Told) -> &'static str {
    if told.nodes.len() == 1 { "is" } else { "are" }
}

impl Schedule<'_> {
    fn finding(&self, mut told: Told, asked: &Asked<'_>, health: &Health) -> Option<Diagnostic> {
        let named = !told.nodes.is_empty();
        told.nodes.retain(|node, _| !self.said(&told.cause.what, *node, health));
        if named && told.nodes.is_empty() || self.nobody_offers(&told.cause.what) {
            return None;
        }
        let inventory = self.prepared.input.inventory;
        let (code, message) = self.words(&told);
        let finding = Diagnostic::new(code, format!("{message}: {}", self.who_waits(&told)));
        let finding = finding.with_help(self.help(&told.cause, asked));
        let first = told.nodes.keys().next().copied();
        Some(match self.path(&told.cause, asked) {
            Some(path) => finding.with_path(&path),
            None => inventory.place(finding, first, &FieldPath::parse("spec.target")),
        })
    }

    fn name(&self, node: u32) -> &str {
        let inventory = self.prepared.input.inventory;
        inventory.nodes.get(node as usize).map_or("", |n| inventory.text(n.name))
    }

    /// True for what another finding says of a node already.
    fn said(&self, what: &What, node: u32, health: &Health) -> bool {
        let inventory = self.prepared.input.inventory;
        let has = |problem| health.get(&node).is_some_and(|found| found.contains(problem));
        match what {
            What::NoGpus => has(HealthProblem::NoAllocatableGpus) || has(HealthProblem::Mig),
            What::Taint(_) => has(HealthProblem::BadTaint),
            What::Elsewhere => inventory
                .nodes
                .get(node as usize)
                .is_some_and(|n| inventory.label(n, HOSTNAME_KEY).is_none_or(str::is_empty)),
            _ => false,
        }
    }

    /// True when no node of the run offers any of an extended resource, which has a finding of its own (00 D33).
    fn nobody_offers(&self, what: &What) -> bool {
        let What::Short(resource) = what else { return false };
        let (inventory, fleet) = (self.prepared.input.inventory, self.prepared.input.fleet);
        let some = |node: &u32| {
            let text = inventory.nodes.get(*node as usize).and_then(|n| inventory.allocatable(n, resource));
            text.and_then(Quantity::parse).is_some_and(|q| q > Quantity::default())
        };
        resource != GPU_RESOURCE && is_extended_resource(resource) && !fleet.nodes.iter().any(some)
    }

    fn words(&self, told: &Told) -> (Code, String) {
        let kind = self.kinds.get(told.cause.kind);
        let pods = kind.map_or("", |k| k.name.as_str());
        let wanted = |resource: &str| {
            let one = if resource == PODS { Some(&1) } else { kind.and_then(|k| k.requests.get(resource)) };
            one.map(|amount| shown(resource, *amount)).unwrap_or_default()
        };
        let listed = || commas(told.nodes.keys().map(|node| self.name(*node)));
        let values = || commas(told.nodes.iter().map(|(node, has)| format!("{} {has}", self.name(*node))));
        let count = nodes(told.nodes.len());
        let (all, fit) = (told.cause.count, told.cause.fit);
        match &told.cause.what {
            What::Cordon => (
                Code::TaintNotTolerated,
                format!("{count} {} cordoned, and the pods of {pods} do not tolerate that ({})", be(told), listed()),
            ),
            What::Taint(taints) => {
                let inventory = self.prepared.input.inventory;
                let shown = taints.iter().filter_map(|id| inventory.taints.get_index(id.0 as usize)).map(taint_text);
                let word = if taints.len() == 1 { "taint" } else { "taints" };
                let taints = commas(shown);
                (
                    Code::TaintNotTolerated,
                    format!("the pods of {pods} do not tolerate the {word} {taints} of {count} ({})", listed()),
                )
            }
            What::NoGpus => (
                Code::NoGpuResource,
                format!("{count} {} no resource {GPU_RESOURCE}, of which a pod of {pods} requests {} ({})", verb(told, "offer"), wanted(GPU_RESOURCE), listed()),
            ),
            What::Short(resource) if resource == PODS => {
                (Code::PodsPerNode, format!("{count} {} no pod at all ({})", verb(told, "take"), values()))
            }
            What::Short(resource) => (
                Code::NotEnoughOfResource,
                format!("a pod of {pods} requests {} {resource}, and {count} never {} as much ({})", wanted(resource), if told.nodes.len() == 1 { "has" } else { "have" }, values()),
            ),
            What::Taken(resource) if resource == PODS => {
                (Code::PodsPerNode, format!("{count} {} no more pods ({})", verb(told, "take"), values()))
            }
            What::Taken(resource) => (
                Code::NothingLeft,
                format!("a pod of {pods} requests {} {resource}, and what runs already leaves less on {count} ({})", wanted(resource), values()),
            ),
            What::Full(resource) if resource.starts_with("port ") => (
                Code::PodsKeepApart,
                format!("the {all} pods of {pods} each take {resource} of their node, and the nodes are {fit}"),
            ),
            What::Full(resource) if resource == PODS => {
                (Code::PodsPerNode, format!("the nodes take {fit} of the {all} pods of {pods}"))
            }
            What::Full(resource) => (
                Code::PodsDoNotFitTogether,
                format!("each of the {all} pods of {pods} requests {} {resource}, and the nodes hold {fit} of them", wanted(resource)),
            ),
            What::Together(resource) if resource == PODS => {
                (Code::PodsPerNode, format!("the nodes take fewer pods than the {} of a job", self.pods(told)))
            }
            What::Together(resource) if resource.starts_with("port ") => (
                Code::PodsKeepApart,
                format!("pods of several kinds take {resource} of their node, and there are too few nodes for them"),
            ),
            What::Together(resource) => (
                Code::PodsDoNotFitTogether,
                format!("each kind of pods of a job finds room, and all together do not ({})", self.asks(resource)),
            ),
            What::Elsewhere if told.nodes.is_empty() => {
                (Code::NoNodeOfLabels, format!("no node has the labels that the pods of {pods} want"))
            }
            What::Elsewhere => {
                (Code::NoNodeOfLabels, format!("{count} {} labels that the pods of {pods} want ({})", verb(told, "lack"), values()))
            }
            What::Rules => (
                Code::PodsKeepApart,
                "pods of a job keep each other away (pod affinity, anti-affinity or exclusive topology), and the nodes have too few topology domains for that".to_owned(),
            ),
        }
    }

    /// Who asks for a resource, and how much.
    fn asks(&self, resource: &str) -> String {
        let one = |kind: &super::kinds::Kind| {
            let amount = kind.requests.get(resource)?;
            Some(format!("a pod of {} requests {} {resource}", kind.name, shown(resource, *amount)))
        };
        commas(self.kinds.iter().filter_map(one))
    }

    /// How many pods a job of the first of these groups has.
    fn pods(&self, told: &Told) -> usize {
        let size = told.groups.first().map_or(0, |group| self.size(*group));
        self.kinds.iter().map(|k| self.prepared.pod_count(k.count, size) * k.times).sum()
    }

    fn who_waits(&self, told: &Told) -> String {
        let groups = self.prepared.groups();
        let names = || commas(told.groups.iter().filter_map(|g| groups.get(*g as usize)).map(|g| g.name()));
        match (told.groups.len(), groups.len()) {
            (_, 1) => "the job waits".to_owned(),
            (all, of) if all == of => format!("all {of} groups wait"),
            (1, of) => format!("1 of {of} groups waits ({})", names()),
            (some, of) => format!("{some} of {of} groups wait ({})", names()),
        }
    }

    fn help(&self, cause: &Cause, asked: &Asked<'_>) -> String {
        let remedy = self.remedy(cause);
        match (&cause.what, self.request(cause, asked)) {
            (What::Short(_), Some(request)) if !request.remedy.is_empty() => format!("set {}", request.remedy),
            (What::NoGpus, _) if self.nodes.classes.iter().any(|c| c.sliced) => {
                format!(
                    "{remedy}; GPUs in ResourceSlices count when a DeviceClass has extendedResourceName {GPU_RESOURCE}"
                )
            }
            (What::Taint(taints), _) if self.is_admitted(cause.kind, taints) => format!(
                "{remedy}; clusters whose API server runs the admission plugin ExtendedResourceToleration add this one by themselves"
            ),
            _ => remedy,
        }
    }

    fn is_admitted(&self, kind: usize, taints: &[TaintId]) -> bool {
        self.kinds.get(kind).is_some_and(|kind| taints.iter().all(|id| kind.borne.is_admitted(*id)))
    }

    fn request<'q>(&self, cause: &Cause, asked: &Asked<'q>) -> Option<&'q ResourceRequest> {
        let (What::Short(resource) | What::Full(resource)) = &cause.what else { return None };
        asked.requests.iter().find(|r| r.resource == *resource)
    }

    /// The field of the run that asks.
    fn path(&self, cause: &Cause, asked: &Asked<'_>) -> Option<FieldPath> {
        let own = |resource: &str| {
            let sides = ["requests", "limits"].into_iter();
            let side = sides.into_iter().find(|side| asked.own.and_then(|r| r.get(side)?.get(resource)).is_some())?;
            Some(FieldPath::parse("spec.resources").key(side).key(resource))
        };
        match &cause.what {
            What::Taint(_) => Some(FieldPath::parse("spec.target.taintSelectors")),
            What::Cordon => Some(FieldPath::parse("spec.target.includeUnschedulable")),
            What::Short(resource) if resource == GPU_RESOURCE => {
                own(resource).or_else(|| Some(FieldPath::parse("spec.gpusPerNode")))
            }
            What::Short(resource) | What::Together(resource) => {
                own(resource).or_else(|| self.request(cause, asked)?.path.clone())
            }
            What::Full(_) => Some(FieldPath::parse("spec.numNodes")),
            What::NoGpus | What::Taken(_) | What::Elsewhere | What::Rules => None,
        }
    }
}
