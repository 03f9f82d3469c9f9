//! The verdict on a group.

use super::assign::{Problem, Slot};
use super::causes::What;
use super::greedy::{self, Stop};
use super::kinds::Kind;
use super::model::{GroupVerdict, Verdict};
use super::nodes::{Gate, Grants, Nodes, PLENTY};
use super::rules::PodRules;
use super::taints::Closed;
use crate::api::GPU_RESOURCE;
use crate::jobs::Prepared;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The pods of a run before the scheduler: everything that all groups share, made once.
#[derive(Debug, Clone)]
pub struct Schedule<'a> {
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) kinds: Vec<Kind>,
    pub(super) rules: PodRules,
    pub(super) nodes: Nodes,
    /// Nodes by gate, for each kind.
    totals: Vec<BTreeMap<Reason, usize>>,
    /// Verdicts by what decides them: the classes of the nodes of a group.
    known: RefCell<BTreeMap<Vec<u32>, GroupVerdict>>,
    /// Reasons by kind, for kinds whose nodes are the same in every group.
    pub(super) told: RefCell<BTreeMap<usize, Vec<What>>>,
}

/// Why a node is closed, as the scheduler counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    Cordoned,
    Taint,
    Elsewhere,
    OfGroup,
    Open,
}

impl From<Gate> for Reason {
    fn from(gate: Gate) -> Self {
        match gate {
            Gate::Closed(Closed::Cordoned) => Self::Cordoned,
            Gate::Closed(Closed::Taint(_)) => Self::Taint,
            Gate::Elsewhere => Self::Elsewhere,
            Gate::OfGroup => Self::OfGroup,
            Gate::Open => Self::Open,
        }
    }
}

/// The nodes that a group may use.
pub(super) struct Candidates {
    /// Nodes that carry a host name of the group, by index; each once.
    pub nodes: Vec<u32>,
    /// Other nodes that are open to some pods, as classes with numbers.
    pub others: Vec<(u32, usize)>,
}

impl<'a> Schedule<'a> {
    /// Compiles the pods of a run for its nodes.
    pub fn new(prepared: &'a Prepared<'a>) -> Self {
        let inventory = prepared.input.inventory;
        let kinds = Kind::all(prepared, inventory);
        let rules = PodRules::new(&kinds);
        let largest = prepared.groups().iter().map(|g| g.nodes.len()).max().unwrap_or(0);
        let pods = kinds.iter().map(|k| prepared.pod_count(k.count, largest).saturating_mul(k.times));
        let most = pods.max().unwrap_or(0);
        let nodes = Nodes::new(inventory, &kinds, &rules, most);
        let mut totals = vec![BTreeMap::new(); kinds.len()];
        for (class, size) in nodes.classes.iter().zip(&nodes.sizes) {
            for (totals, gate) in totals.iter_mut().zip(&class.gates) {
                *totals.entry(Reason::from(*gate)).or_default() += size;
            }
        }
        Self { prepared, kinds, rules, nodes, totals, known: RefCell::default(), told: RefCell::default() }
    }

    /// The verdict on a group, by its position in [`Prepared::groups`]. Every iteration of the group has the same.
    pub fn verdict(&self, group: u32) -> GroupVerdict {
        let candidates = self.candidates(group);
        let mut key: Vec<u32> =
            candidates.nodes.iter().filter_map(|n| self.nodes.class_of.get(*n as usize)).copied().collect();
        key.sort_unstable();
        key.push(u32::try_from(self.size(group)).unwrap_or(u32::MAX));
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let verdict = self.decide(group, &candidates);
        self.known.borrow_mut().insert(key, verdict.clone());
        verdict
    }

    /// Nodes of a group.
    pub(super) fn size(&self, group: u32) -> usize {
        self.prepared.groups().get(group as usize).map_or(0, |g| g.nodes.len())
    }

    pub(super) fn candidates(&self, group: u32) -> Candidates {
        self.candidates_with(group, Grants::default())
    }

    fn candidates_with(&self, group: u32, grants: Grants) -> Candidates {
        let mut nodes = Vec::new();
        if self.kinds.iter().any(|kind| kind.affinity.is_by_group()) {
            let members = self.prepared.groups().get(group as usize).map_or(&[][..], |g| g.nodes.as_slice());
            let hosts = members.iter().filter_map(|node| self.prepared.hosts.get(*node as usize));
            nodes.extend(hosts.flat_map(|host| self.nodes.of_host(*host)));
            nodes.sort_unstable();
            nodes.dedup();
        }
        let mut inside: BTreeMap<u32, usize> = BTreeMap::new();
        for class in nodes.iter().filter_map(|n| self.nodes.class_of.get(*n as usize)) {
            *inside.entry(*class).or_default() += 1;
        }
        let open = (0u32..).zip(self.nodes.classes.iter().zip(&self.nodes.sizes));
        let open = open.filter(|(_, (class, _))| class.gates(grants).contains(&Gate::Open));
        let others = open.map(|(at, (_, size))| (at, size - inside.get(&at).copied().unwrap_or(0)));
        Candidates { nodes, others: others.filter(|(_, count)| *count > 0).collect() }
    }

    /// The pods of a group and its nodes.
    pub(super) fn problem(&self, group: u32, candidates: &Candidates) -> Problem {
        self.problem_with(group, candidates, Grants::default())
    }

    fn problem_with(&self, group: u32, candidates: &Candidates, grants: Grants) -> Problem {
        let size = self.size(group);
        let counts =
            self.kinds.iter().map(|k| self.prepared.pod_count(k.count, size).saturating_mul(k.times)).collect();
        let slot = |class: u32, count: usize, inside: bool| {
            let class = self.nodes.class(class)?;
            let open = |gate: &Gate| *gate == Gate::Open || inside && *gate == Gate::OfGroup;
            let mut free = class.free.clone();
            let gpus =
                self.nodes.resources.iter().position(|r| r == GPU_RESOURCE).filter(|_| grants.mapping && class.sliced);
            if let Some(gpus) = gpus.and_then(|at| free.get_mut(at)) {
                *gpus = PLENTY;
            }
            Some(Slot { free, allowed: class.gates(grants).iter().map(open).collect(), count, domain: class.domain })
        };
        let mut inside: BTreeMap<u32, usize> = BTreeMap::new();
        for class in candidates.nodes.iter().filter_map(|n| self.nodes.class_of.get(*n as usize)) {
            *inside.entry(*class).or_default() += 1;
        }
        let inside = inside.into_iter().filter_map(|(class, count)| slot(class, count, true));
        let others = candidates.others.iter().filter_map(|(class, count)| slot(*class, *count, false));
        Problem {
            counts,
            requests: self.nodes.requests.clone(),
            slots: inside.chain(others).collect(),
            rules: self.rules.rules.clone(),
        }
    }

    fn decide(&self, group: u32, candidates: &Candidates) -> GroupVerdict {
        let unknown = |message: &str| GroupVerdict { message: message.to_owned(), ..GroupVerdict::default() };
        if self.kinds.is_empty() {
            return unknown("the runtime is not part of the run, so its pods are not known");
        }
        let problem = self.problem(group, candidates);
        let stop = greedy::stop(&problem);
        let ruled = !problem.rules.is_empty();
        let solvable = match (&stop, ruled) {
            (None, false) => Some(true),
            _ => problem.is_solvable(),
        };
        match solvable {
            None => unknown("too many kinds of pods and nodes to try every way of sharing them out"),
            Some(false) => self.waits(group, candidates, stop),
            Some(true) if self.rules.unclear.is_some() => unknown(self.rules.unclear.as_deref().unwrap_or_default()),
            Some(true) if !self.informed(candidates) => {
                unknown("the nodes do not tell what they offer (status.allocatable)")
            }
            Some(true) => GroupVerdict { verdict: Verdict::Fits, ..GroupVerdict::default() },
        }
    }

    /// True when every node that counts tells what it offers.
    fn informed(&self, candidates: &Candidates) -> bool {
        let inside = candidates.nodes.iter().filter_map(|n| self.nodes.class_of.get(*n as usize));
        let mut classes = inside.chain(candidates.others.iter().map(|(class, _)| class));
        classes.all(|class| self.nodes.class(*class).is_some_and(|c| c.informed))
    }

    fn waits(&self, group: u32, candidates: &Candidates, stop: Option<Stop>) -> GroupVerdict {
        let mut out = GroupVerdict { verdict: Verdict::Waits, ..GroupVerdict::default() };
        let Some(stop) = stop else {
            out.pods = self.kinds.last().map(|k| k.name.clone()).unwrap_or_default();
            "what the pods of the job require of each other (pod affinity, exclusive topology) holds on no choice of nodes"
                .clone_into(&mut out.message);
            return out;
        };
        let Some(kind) = self.kinds.get(stop.kind) else { return out };
        out.pods.clone_from(&kind.name);
        out.message = self.message(candidates, &stop);
        out.unless = self.unless(group);
        out
    }

    /// What a cluster may grant that would let the pods of a waiting group find nodes; empty when nothing helps.
    fn unless(&self, group: u32) -> String {
        const ADMISSION: &str = "the API server runs the admission plugin ExtendedResourceToleration, which makes pods tolerate taints of the resources that they request";
        const MAPPING: &str = "a DeviceClass of the cluster offers nvidia.com/gpu (extendedResourceName) from the GPUs in the ResourceSlices of the nodes";
        let granted = |grants: Grants| {
            let candidates = self.candidates_with(group, grants);
            self.problem_with(group, &candidates, grants).is_solvable() == Some(true)
        };
        let admits = self.nodes.classes.iter().any(|class| class.admitted != class.gates);
        let maps = self.nodes.classes.iter().any(|class| class.sliced);
        match () {
            () if admits && granted(Grants { admission: true, mapping: false }) => ADMISSION.to_owned(),
            () if maps && granted(Grants { admission: false, mapping: true }) => MAPPING.to_owned(),
            () if admits && maps && granted(Grants { admission: true, mapping: true }) => {
                format!("{ADMISSION}, and {MAPPING}")
            }
            () => String::new(),
        }
    }

    /// What the scheduler says of the pod that finds no node.
    fn message(&self, candidates: &Candidates, stop: &Stop) -> String {
        let mut totals = self.totals.get(stop.kind).cloned().unwrap_or_default();
        let inside = candidates.nodes.iter().filter_map(|n| self.nodes.class_of.get(*n as usize));
        for class in inside.filter_map(|class| self.nodes.class(*class)) {
            if class.gates.get(stop.kind) == Some(&Gate::OfGroup) {
                totals.entry(Reason::OfGroup).and_modify(|n| *n -= 1);
            }
        }
        let of = |reason: Reason| totals.get(&reason).copied().unwrap_or(0);
        let mut reasons = BTreeMap::from([
            ("node(s) were unschedulable".to_owned(), of(Reason::Cordoned)),
            ("node(s) had untolerated taint(s)".to_owned(), of(Reason::Taint)),
            (
                "node(s) didn't match Pod's node affinity/selector".to_owned(),
                of(Reason::Elsewhere) + of(Reason::OfGroup),
            ),
        ]);
        let request = self.nodes.requests.get(stop.kind).map_or(&[][..], Vec::as_slice);
        for (free, count, _) in stop.left.iter().filter(|(_, _, allowed)| *allowed) {
            for reason in greedy::reasons(free, request, &self.nodes.resources) {
                *reasons.entry(reason).or_default() += count;
            }
        }
        greedy::message(self.nodes.class_of.len(), &reasons)
    }
}
