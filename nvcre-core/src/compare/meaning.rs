//! What a difference means, as data and in words.

use super::change::ChangeKind;
use super::difference::{Difference, GroupChange, NodeChange, ObjectScope};
use crate::diagnostic::{Code, Severity};
use crate::fleet::Filter;
use crate::trace::Origin;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// One sentence about a difference, and what it says as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Meaning {
    /// The sentence, without capital and full stop: `NCCL_NET_PLUGIN is now none on all ranks (was not set)`.
    pub text: String,
    /// What it says.
    pub what: What,
}

/// What a [`Meaning`] says. Old is A, new is B.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum What {
    /// Something that holds for the whole run.
    Fact {
        /// Its name, as in the plan: `platform`, `nodesPerJob`.
        name: String,
        /// In A; null when it has none.
        old: Value,
        /// In B; null when it has none.
        new: Value,
    },
    /// Nodes that take part no longer, for one reason.
    NodesLeave {
        /// How many.
        nodes: usize,
        /// The filter that keeps them out in B; absent when they are not there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<Filter>,
    },
    /// Nodes that now take part, for one reason.
    NodesJoin {
        /// How many.
        nodes: usize,
        /// The filter that kept them out in A; absent when they were not there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<Filter>,
    },
    /// Nodes with another host name.
    Hosts {
        /// How many.
        nodes: usize,
    },
    /// Groups that only one side has.
    Groups {
        /// Groups of A only.
        gone: usize,
        /// Groups of B only.
        new: usize,
    },
    /// Groups with fewer, more or other nodes.
    Members {
        /// Groups that differ so.
        groups: usize,
        /// Nodes that they lose.
        lost: usize,
        /// Nodes that they gain.
        gained: usize,
    },
    /// Nodes in another group.
    NodesMove {
        /// How many.
        nodes: usize,
    },
    /// Nodes that run in more or fewer groups than before: groups borrow nodes to be full.
    NodesRepeat {
        /// How many.
        nodes: usize,
        /// True for more groups.
        more: bool,
    },
    /// Groups of the same nodes with another name.
    GroupsRenamed {
        /// How many.
        groups: usize,
    },
    /// An entry of the catalogue or an override that matches on one side only.
    Override {
        /// Which.
        origin: Origin,
        /// True when it matches in B.
        applies: bool,
    },
    /// A variable as the MPI ranks see it. An old or new value that is absent was not set or comes from the launcher.
    RankEnv {
        /// The variable.
        name: String,
        /// What happened.
        change: ChangeKind,
        /// In A.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<String>,
        /// In B.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        new: Option<String>,
    },
    /// A variable of containers.
    Env {
        /// The variable.
        name: String,
        /// In A; absent when it was not set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<String>,
        /// In B; absent when it is not set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        new: Option<String>,
        /// The pods, by replicated job, or `trainer`.
        pods: Vec<String>,
    },
    /// An option of mpirun, a word of the command or an argument of the program.
    Argument {
        /// The option with its key; empty for a plain word.
        name: String,
        /// True for options of mpirun.
        mpirun: bool,
        /// What happened.
        change: ChangeKind,
        /// In A.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<String>,
        /// In B.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        new: Option<String>,
    },
    /// A line that runs before the command.
    Line {
        /// The line.
        line: String,
        /// True when it is new.
        added: bool,
    },
    /// An image.
    Image {
        /// In A.
        old: String,
        /// In B.
        new: String,
    },
    /// A resource that pods ask for.
    Resource {
        /// The resource.
        name: String,
        /// In A; absent when it was not asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old: Option<String>,
        /// In B; absent when it is not asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        new: Option<String>,
        /// The pods, by replicated job, or `trainer`.
        pods: Vec<String>,
    },
    /// An object that only one side has.
    Object {
        /// Kind of the object.
        object: String,
        /// Its name, or what the names of all copies have in common.
        name: String,
        /// How often it is made.
        scope: ObjectScope,
        /// True when it is new.
        added: bool,
    },
    /// A finding of one side only.
    Finding {
        /// Its code.
        code: Code,
        /// True when it is new.
        added: bool,
    },
}

impl Meaning {
    pub(super) fn new(text: impl Into<String>, what: What) -> Self {
        Self { text: text.into(), what }
    }
}

/// `1 node`, `2 nodes`.
pub(super) fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

const fn verb(number: usize) -> &'static str {
    if number == 1 { "s" } else { "" }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The sentence about a fact.
pub(super) fn fact(name: &str, old: Value, new: Value) -> Meaning {
    let (a, b) = (shown(&old), shown(&new));
    let on = |value: &Value| *value == Value::Bool(true);
    let nodes = |value: &Value| value.as_u64().map_or_else(|| shown(value), |n| count(n as usize, "node"));
    let times = |value: &Value| value.as_u64().map_or_else(|| shown(value), |n| count(n as usize, "group"));
    let text = match name {
        "run" => format!("the run is called {b} instead of {a}"),
        "namespace" => format!("the namespace is {b} instead of {a}"),
        "edition" => format!("the edition of the catalogue is {b} instead of {a}"),
        "platform" => format!("the platform is {b} instead of {a}"),
        "gpuArchitecture" => format!("the GPU is {b} instead of {a}"),
        "gpuProducts" => format!("the GPU products are {b} instead of {a}"),
        "placement" => format!("the placement is {b} instead of {a}"),
        "gpusPerNode" => format!("a node has {b} GPUs instead of {a}"),
        "mlnxPerNode" => format!("a node has {b} NICs instead of {a}"),
        "nicResourceName" => format!("the NIC resource is {b} instead of {a}"),
        "enableMNNVL" if on(&new) => "multi-node NVLink is on now".to_owned(),
        "enableMNNVL" => "multi-node NVLink is off now".to_owned(),
        "nodesPerJob" => format!("jobs are of {} instead of {a}", nodes(&new)),
        "topologyKey" => format!("groups follow the label {b} instead of {a}"),
        "strictDomain" if on(&new) => "there is one group for each topology domain now".to_owned(),
        "strictDomain" => "groups may span topology domains now".to_owned(),
        "iterations" => format!("all groups run {b} times instead of {a}"),
        "maxConcurrent" => match (old.as_u64(), new.as_u64()) {
            (_, Some(0)) => format!("all groups run at once, not {a} at a time"),
            (Some(0), _) => format!("{b} groups run at a time, not all at once"),
            _ => format!("{b} groups run at a time instead of {a}"),
        },
        "timeoutPerJob" => format!("a job is stopped after {b} instead of {a}"),
        "domainCount" => format!("the nodes are in {b} topology domains instead of {a}"),
        "productsFromSlices" if on(&new) => "GPU products are read from ResourceSlices now".to_owned(),
        "productsFromSlices" => "GPU products are read from the nodes' own labels now".to_owned(),
        "delivery" => format!("the delivery is {b} instead of {a}"),
        "totalNodes" => format!("{} take part instead of {a}", nodes(&new)),
        "totalGroups" => format!("there are {} instead of {a}", times(&new)),
        _ => format!("{name} is {b} instead of {a}"),
    };
    Meaning::new(text, What::Fact { name: name.to_owned(), old, new })
}

/// Sentences about nodes and groups.
pub(super) fn of_nodes(difference: &Difference, out: &mut Vec<Meaning>) {
    for (filter, known, nodes) in by_filter(&difference.left) {
        let why = why(filter, known, "B", "");
        let text = format!("{} no longer take{} part{why}", count(nodes, "node"), verb(nodes));
        out.push(Meaning::new(text, What::NodesLeave { nodes, filter }));
    }
    for (filter, known, nodes) in by_filter(&difference.joined) {
        let why = why(filter, known, "A", " in A");
        let text = format!("{} now take{} part{why}", count(nodes, "node"), verb(nodes));
        out.push(Meaning::new(text, What::NodesJoin { nodes, filter }));
    }
    if let nodes @ 1.. = difference.hosts.len() {
        let text = format!("{} ha{} another host name", count(nodes, "node"), if nodes == 1 { "s" } else { "ve" });
        out.push(Meaning::new(text, What::Hosts { nodes }));
    }
    of_groups(&difference.groups, out);
    let moves = |order: Ordering| difference.moves.iter().filter(|m| m.to.len().cmp(&m.from.len()) == order).count();
    for (order, what) in [(Ordering::Equal, "to another group"), (Ordering::Greater, "more"), (Ordering::Less, "fewer")]
    {
        let nodes @ 1.. = moves(order) else { continue };
        let (subject, s) = (count(nodes, "node"), verb(nodes));
        out.push(match order {
            Ordering::Equal => Meaning::new(format!("{subject} move{s} {what}"), What::NodesMove { nodes }),
            order => {
                let text = format!("{subject} now run{s} in {what} groups than before");
                Meaning::new(text, What::NodesRepeat { nodes, more: order == Ordering::Greater })
            }
        });
    }
}

/// Why nodes take part on one side only.
fn why(filter: Option<Filter>, known: bool, other: &str, there: &str) -> String {
    match filter {
        Some(filter) => format!(": {}{there}", filter_word(filter)),
        None if known => format!(": not among the nodes of {other}"),
        None => String::new(),
    }
}

fn of_groups(groups: &[GroupChange], out: &mut Vec<Meaning>) {
    let gone = groups.iter().filter(|g| g.b.is_none()).count();
    let new = groups.iter().filter(|g| g.a.is_none()).count();
    let is = |n: usize| if n == 1 { "is" } else { "are" };
    let text = match (gone, new) {
        (0, 0) => String::new(),
        (gone, 0) => format!("{} {} gone", count(gone, "group"), is(gone)),
        (0, new) => format!("{} {} new", count(new, "group"), is(new)),
        (gone, new) => format!("{} {} gone and {new} {} new", count(gone, "group"), is(gone), is(new)),
    };
    if !text.is_empty() {
        out.push(Meaning::new(text, What::Groups { gone, new }));
    }
    // Groups that lose or gain as much are told together.
    let mut alike: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let both = || groups.iter().filter(|g| g.a.is_some() && g.b.is_some());
    for group in both().filter(|g| !g.lost.is_empty() || !g.gained.is_empty()) {
        *alike.entry((group.lost.len(), group.gained.len())).or_default() += 1;
    }
    for ((lost, gained), groups) in alike {
        let s = verb(groups);
        let nodes = |n: usize| if n == 1 { "a node".to_owned() } else { format!("{n} nodes") };
        let each = if groups > 1 && lost.max(gained) > 1 { " each" } else { "" };
        let what = match (lost, gained) {
            (lost, 0) => format!("lose{s} {}{each}", nodes(lost)),
            (0, gained) => format!("gain{s} {}{each}", nodes(gained)),
            (1, 1) => format!("lose{s} a node and gain{s} another"),
            (lost, gained) if lost == gained => format!("lose{s} {} and gain{s} {lost} others{each}", nodes(lost)),
            (lost, gained) => format!("lose{s} {} and gain{s} {}{each}", nodes(lost), nodes(gained)),
        };
        let what_all = What::Members { groups, lost: lost * groups, gained: gained * groups };
        out.push(Meaning::new(format!("{} {what}", count(groups, "group")), what_all));
    }
    let renamed = both().filter(|g| g.lost.is_empty() && g.gained.is_empty()).count();
    if renamed > 0 {
        let ha = if renamed == 1 { "has" } else { "have" };
        let text = format!("{} of the same nodes {ha} another name", count(renamed, "group"));
        out.push(Meaning::new(text, What::GroupsRenamed { groups: renamed }));
    }
}

/// Numbers of nodes by filter, and whether anything is known of them; the most first.
fn by_filter(nodes: &[NodeChange]) -> Vec<(Option<Filter>, bool, usize)> {
    let mut out: BTreeMap<(Option<Filter>, bool), usize> = BTreeMap::new();
    for node in nodes {
        *out.entry((node.filter, !node.reason.is_empty())).or_default() += 1;
    }
    let mut out: Vec<_> = out.into_iter().map(|((filter, known), nodes)| (filter, known, nodes)).collect();
    out.sort_by_key(|(.., nodes)| std::cmp::Reverse(*nodes));
    out
}

/// Why a filter keeps a node out, in a word or two.
const fn filter_word(filter: Filter) -> &'static str {
    match filter {
        Filter::NodeSelector => "not taken by target.nodeSelector",
        Filter::MatchExpressions => "not taken by target.matchExpressions",
        Filter::NodeNames => "not listed in target.nodeNames",
        Filter::TaintSelectors => "not taken by target.taintSelectors",
        Filter::Cordon => "cordoned",
        Filter::GpuPresent => "without the label nvidia.com/gpu.present=true",
        Filter::Health => "not healthy",
        Filter::Architecture => "of another GPU architecture",
        Filter::Capacity => "with too few GPUs",
    }
}

/// Sentences about overrides: those that match on one side only.
pub(super) fn of_overrides(a: &[Origin], b: &[Origin], out: &mut Vec<Meaning>) {
    let gone = a.iter().filter(|origin| !b.contains(origin)).map(|origin| (origin, false));
    let new = b.iter().filter(|origin| !a.contains(origin)).map(|origin| (origin, true));
    for (origin, applies) in gone.chain(new) {
        let name = match origin {
            Origin::Entry { id, name } => format!("platform entry {id} {name}"),
            Origin::Override { index } => format!("the run's override spec.overrides[{index}]"),
            _ => continue,
        };
        let text = if applies { format!("{name} now applies") } else { format!("{name} applies no more") };
        out.push(Meaning::new(text, What::Override { origin: origin.clone(), applies }));
    }
}

/// Sentences about findings.
pub(super) fn of_findings(difference: &Difference, out: &mut Vec<Meaning>) {
    let found = &difference.findings;
    for (finding, added) in found.added.iter().map(|f| (f, true)).chain(found.gone.iter().map(|f| (f, false))) {
        let word = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Notice => "notice",
        };
        let how = if added { format!("a new {word}") } else { format!("no more {word}") };
        let text = format!("{how} {}: {}", finding.code, finding.message);
        out.push(Meaning::new(text, What::Finding { code: finding.code, added }));
    }
}
