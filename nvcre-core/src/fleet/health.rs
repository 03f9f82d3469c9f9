//! Nodes that the rules keep although they will not run the pods (00 D28).

use super::names::{commas, nodes};
use super::select::label_id;
use super::{Fleet, Inventory, InventoryNode, StringId};
use crate::api::GPU_RESOURCE;
use crate::check::Quantity;
use crate::diagnostic::{Code, Diagnostic};
use std::collections::BTreeSet;

/// What is wrong with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HealthProblem {
    /// Allocatable GPUs are zero, and no resource slice offers any.
    NoAllocatableGpus,
    /// GPUs are split by MIG.
    Mig,
    /// GPUs are shared in time.
    Shared,
    /// Condition `Ready` is not `True`.
    NotReady,
    /// A taint says that the node is broken or going away.
    BadTaint,
    /// No real machine.
    VirtualKubelet,
    /// Another operating system than Linux.
    NotLinux,
}

impl HealthProblem {
    /// Every problem, in the order of codes.
    pub const ALL: [Self; 7] = [
        Self::NoAllocatableGpus,
        Self::Mig,
        Self::Shared,
        Self::NotReady,
        Self::BadTaint,
        Self::VirtualKubelet,
        Self::NotLinux,
    ];

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The problem as the end of a sentence about one node.
    pub const fn state(self) -> &'static str {
        match self {
            Self::NoAllocatableGpus => "offers no GPU (allocatable nvidia.com/gpu is 0)",
            Self::Mig => "has its GPUs split by MIG",
            Self::Shared => "has its GPUs shared in time",
            Self::NotReady => "is not Ready",
            Self::BadTaint => "carries a taint of a broken or leaving node",
            Self::VirtualKubelet => "is a virtual kubelet",
            Self::NotLinux => "does not run Linux",
        }
    }

    const fn code(self) -> Code {
        match self {
            Self::NoAllocatableGpus => Code::NoAllocatableGpus,
            Self::Mig => Code::MigNodes,
            Self::Shared => Code::SharedGpus,
            Self::NotReady => Code::NodesNotReady,
            Self::BadTaint => Code::UnhealthyTaint,
            Self::VirtualKubelet => Code::VirtualKubelet,
            Self::NotLinux => Code::OtherOperatingSystem,
        }
    }

    /// What was found, what will happen, and the remedy.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::NoAllocatableGpus => (
                "with 0 allocatable nvidia.com/gpu and no ResourceSlice of GPUs",
                "pods that request GPUs stay Pending there",
                "check the device plugin or the GPU operator on these nodes",
            ),
            Self::Mig => (
                "with GPUs split by MIG",
                "the GPUs a pod gets there are slices or none at all: collective communication between MIG slices does \
                 not work and pods that request whole GPUs stay Pending",
                "turn MIG off on these nodes",
            ),
            Self::Shared => (
                "with GPUs shared in time (a -SHARED product, or more GPUs than the board has)",
                "several ranks can get the same GPU: NCCL refuses that, and bandwidth is not measured right",
                "turn time-slicing off on these nodes",
            ),
            Self::NotReady => (
                "whose condition Ready is not True",
                "pods placed there do not start",
                "repair these nodes or wait until they are Ready",
            ),
            Self::BadTaint => (
                "with a taint of a broken or leaving node",
                "pods placed there do not start, or are evicted",
                "repair or remove these nodes",
            ),
            Self::VirtualKubelet => (
                "that a virtual kubelet stands for",
                "there is no machine behind such a node that could run the pods with GPUs and RDMA",
                "exclude these nodes by a label in spec.target",
            ),
            Self::NotLinux => (
                "with another operating system than linux",
                "the images of the run are for Linux and do not start there",
                "set kubernetes.io/os: linux in spec.target.nodeSelector",
            ),
        }
    }
}

/// A set of problems of one node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HealthProblems(u8);

impl HealthProblems {
    /// True without problems.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True when the problem is one of these.
    pub const fn contains(self, problem: HealthProblem) -> bool {
        self.0 & problem.bit() != 0
    }

    /// The problems, in the order of codes.
    pub fn iter(self) -> impl Iterator<Item = HealthProblem> {
        HealthProblem::ALL.into_iter().filter(move |p| self.contains(*p))
    }

    fn add(&mut self, problem: HealthProblem, when: bool) {
        if when {
            self.0 |= problem.bit();
        }
    }
}

/// Taints by which Kubernetes and its scalers mark a node that will not run pods (any effect but `PreferNoSchedule`).
const BAD_TAINTS: [&str; 10] = [
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/out-of-service",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.cloudprovider.kubernetes.io/shutdown",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "ToBeDeletedByClusterAutoscaler",
];

/// The driver whose resource slices describe GPUs.
pub(crate) const GPU_DRIVER: &str = "gpu.nvidia.com";

/// Names of the nodes for which a resource slice of GPUs exists.
pub(crate) fn nodes_with_slices(inventory: &Inventory) -> BTreeSet<StringId> {
    let slices = inventory.slices.iter().filter(|s| inventory.text(s.driver) == GPU_DRIVER);
    slices.filter_map(|s| s.node_name).collect()
}

/// The checks, prepared once for an inventory.
pub(crate) struct HealthCheck<'a> {
    inventory: &'a Inventory,
    bad_taints: Vec<bool>,
    virtual_taints: Vec<bool>,
    with_slices: BTreeSet<StringId>,
    gpu: Option<StringId>,
    os_label: Option<StringId>,
    type_label: Option<StringId>,
}

impl<'a> HealthCheck<'a> {
    pub(crate) fn new(inventory: &'a Inventory) -> Self {
        let strings = &inventory.strings;
        let bad = |t: &crate::api::Taint| BAD_TAINTS.contains(&t.key.as_str()) && t.effect != "PreferNoSchedule";
        Self {
            inventory,
            bad_taints: inventory.taints.iter().map(bad).collect(),
            virtual_taints: inventory.taints.iter().map(|t| t.key.starts_with("virtual-kubelet.io/")).collect(),
            with_slices: nodes_with_slices(inventory),
            gpu: strings.find(GPU_RESOURCE),
            os_label: strings.find("kubernetes.io/os"),
            type_label: strings.find("type"),
        }
    }

    /// The problems of a node with this effective product and this many GPUs on its board (`None`: board unknown).
    pub(crate) fn of(&self, node: &InventoryNode, product: &str, board: Option<i32>) -> HealthProblems {
        let text = |id: StringId| self.inventory.text(id);
        let quantity = |id: StringId| Quantity::parse(text(id));
        let zero = Quantity::default();
        let gpus = self
            .gpu
            .and_then(|gpu| node.allocatable.iter().find(|(k, _)| *k == gpu))
            .and_then(|(_, value)| quantity(*value));
        let mig = product.contains("-MIG-")
            || node
                .allocatable
                .iter()
                .any(|(k, value)| text(*k).starts_with("nvidia.com/mig-") && quantity(*value).is_none_or(|q| q > zero));
        let taint = |set: &[bool]| node.taints.iter().any(|id| set.get(id.0 as usize).is_some_and(|b| *b));
        let system = node.operating_system.or_else(|| label_id(node, self.os_label)).map(text).unwrap_or_default();
        let more = |board: i32| gpus.is_some_and(|g| g > Quantity::from_whole(i64::from(board)));

        let mut out = HealthProblems::default();
        let none = gpus.is_some_and(|g| g <= zero) && !self.with_slices.contains(&node.name);
        out.add(HealthProblem::NoAllocatableGpus, none);
        out.add(HealthProblem::Mig, mig);
        out.add(HealthProblem::Shared, product.ends_with("-SHARED") || !mig && board.is_some_and(more));
        out.add(HealthProblem::NotReady, node.ready.is_some_and(|r| text(r) != "True"));
        out.add(HealthProblem::BadTaint, taint(&self.bad_taints));
        let virtual_label = label_id(node, self.type_label).is_some_and(|v| text(v) == "virtual-kubelet");
        out.add(HealthProblem::VirtualKubelet, virtual_label || taint(&self.virtual_taints));
        out.add(HealthProblem::NotLinux, !system.is_empty() && !system.eq_ignore_ascii_case("linux"));
        out
    }
}

impl Fleet {
    /// Warnings about nodes that take part and will not run the pods, one per kind of problem (00 D28). To be asked
    /// after [`Fleet::apply_capacity`], which leaves some of them out.
    pub fn health_findings(&self, inventory: &Inventory) -> Vec<Diagnostic> {
        let part: BTreeSet<u32> = match self.unhealthy.is_empty() {
            true => BTreeSet::new(),
            false => self.nodes.iter().copied().collect(),
        };
        let mut out = Vec::new();
        for problem in HealthProblem::ALL {
            let with =
                self.unhealthy.iter().filter(|(node, problems)| problems.contains(problem) && part.contains(node));
            let members: Vec<u32> = with.map(|(node, _)| *node).collect();
            let Some(first) = members.first() else { continue };
            let names: Vec<&str> = members.iter().map(|node| self.name(inventory, *node)).collect();
            let (found, consequence, remedy) = problem.words();
            let verb = if names.len() == 1 { "takes" } else { "take" };
            let message = format!("{} {found} {verb} part: {}; {consequence}", nodes(names.len()), commas(&names));
            let finding = Diagnostic::new(problem.code(), message)
                .with_help(format!("{remedy}, or leave them out with --only-healthy"));
            out.push(inventory.place(finding, Some(*first), &self.target_path));
        }
        out
    }
}
