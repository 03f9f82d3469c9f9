//! Why a node does not take part: in a dense form for 100,000 nodes, and in words (00 D27).

use super::health::HealthProblems;
use super::names::{commas, nodes};
use super::{Fleet, Inventory, StringId};
use crate::api::{GPU_PRESENT_KEY, GPU_PRODUCT_KEY, GPU_RESOURCE};
use crate::diagnostic::FieldPath;
use serde::{Deserialize, Serialize};

/// A node that does not take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excluded {
    /// Index into [`Inventory::nodes`].
    pub node: u32,
    /// The filter that decided: the first one that the node does not pass.
    pub reason: ExclusionReason,
}

/// The filter that keeps a node out, with the numbers from which [`Fleet::explain`] makes words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExclusionReason {
    /// Filter 1: an entry of `target.nodeSelector`.
    NodeSelector {
        /// Which entry, in the order of keys.
        entry: u32,
        /// The node's value of that label.
        found: Option<StringId>,
    },
    /// Filter 2: an expression of `target.matchExpressions`.
    MatchExpression {
        /// Which expression.
        index: u32,
        /// The node's value of that label.
        found: Option<StringId>,
    },
    /// Filter 3: `target.nodeNames` does not list the node.
    NodeNames,
    /// Filter 4: an entry of `target.taintSelectors` that no taint of the node matches.
    TaintSelector {
        /// Which entry.
        index: u32,
    },
    /// Filter 5: the node is cordoned.
    Cordoned {
        /// Whether it is a GPU node; only these are reported as excluded (03 §1.5).
        gpu: bool,
    },
    /// Filter 6: the label `nvidia.com/gpu.present` is not `true`.
    GpuPresent {
        /// The node's value of that label.
        found: Option<StringId>,
        /// The node offers GPUs or carries a product label all the same (00 D27).
        looks_like_gpu: bool,
    },
    /// The caller wants healthy nodes only (00 D28).
    Unhealthy(HealthProblems),
    /// The node is not of the architecture of the run (03 §1.6, 00 D64).
    Architecture {
        /// Index into the fleet's table of products; `None` for a node without a product.
        product: Option<u32>,
    },
    /// The node has fewer GPUs than a pod requests (03 §1.7).
    Capacity {
        /// Allocatable GPUs.
        has: i32,
    },
}

/// The kinds of [`ExclusionReason`], as the plan shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Filter {
    /// `target.nodeSelector`.
    NodeSelector,
    /// `target.matchExpressions`.
    MatchExpressions,
    /// `target.nodeNames`.
    NodeNames,
    /// `target.taintSelectors`.
    TaintSelectors,
    /// Cordoned.
    Cordon,
    /// The label `nvidia.com/gpu.present`.
    GpuPresent,
    /// Healthy nodes only.
    Health,
    /// GPU architecture.
    Architecture,
    /// Allocatable GPUs.
    Capacity,
}

/// A node that does not take part, in words; this is what the plan's JSON holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Exclusion {
    /// Name of the node.
    pub node: String,
    /// The filter that decided.
    pub filter: Filter,
    /// The field of the run that decided, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FieldPath>,
    /// The label or resource that decided, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What the node has there; absent when it has nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What is wanted there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// All of it as a sentence without subject: `has 1, needs 2 (allocatable nvidia.com/gpu)`.
    pub reason: String,
}

impl ExclusionReason {
    /// The filter.
    pub const fn filter(self) -> Filter {
        match self {
            Self::NodeSelector { .. } => Filter::NodeSelector,
            Self::MatchExpression { .. } => Filter::MatchExpressions,
            Self::NodeNames => Filter::NodeNames,
            Self::TaintSelector { .. } => Filter::TaintSelectors,
            Self::Cordoned { .. } => Filter::Cordon,
            Self::GpuPresent { .. } => Filter::GpuPresent,
            Self::Unhealthy(_) => Filter::Health,
            Self::Architecture { .. } => Filter::Architecture,
            Self::Capacity { .. } => Filter::Capacity,
        }
    }

    /// True for the filters that come after the nodes of a run have been discovered (03 §4): architecture, capacity.
    pub(crate) const fn is_late(self) -> bool {
        matches!(self, Self::Architecture { .. } | Self::Capacity { .. })
    }

    /// True when the exclusion is one that a report names as such (03 §1.8): the node passed the target and is a GPU
    /// node, yet it does not take part.
    pub const fn is_reported(self) -> bool {
        matches!(
            self,
            Self::Cordoned { gpu: true } | Self::Unhealthy(_) | Self::Architecture { .. } | Self::Capacity { .. }
        )
    }
}

/// `key=value:effect`, as `kubectl taint` writes it.
pub(crate) fn taint_text(key: &str, value: &str, effect: &str) -> String {
    let mut out = key.to_owned();
    for (sign, part) in [('=', value), (':', effect)] {
        if !part.is_empty() {
            out.push(sign);
            out.push_str(part);
        }
    }
    out
}

/// What a node shows for a label.
fn label_state(key: &str, found: Option<&str>) -> String {
    match found {
        Some(value) => format!("label {key} is {value:?}"),
        None => format!("has no label {key}"),
    }
}

impl Fleet {
    /// Why a node does not take part, in words.
    pub fn explain(&self, inventory: &Inventory, excluded: &Excluded) -> Exclusion {
        let node = self.name(inventory, excluded.node).to_owned();
        let target = &self.target;
        let text = |id: Option<StringId>| id.map(|id| inventory.text(id).to_owned());
        let mut out = Exclusion {
            node,
            filter: excluded.reason.filter(),
            path: None,
            key: None,
            found: None,
            wanted: None,
            reason: String::new(),
        };
        match excluded.reason {
            ExclusionReason::NodeSelector { entry, found } => {
                if let Some((key, value)) = target.node_selector.iter().nth(entry as usize) {
                    let path = self.target_path.key("nodeSelector").key(key);
                    out.found = text(found);
                    out.reason = format!("{}; {path} wants {value:?}", label_state(key, out.found.as_deref()));
                    (out.path, out.key, out.wanted) = (Some(path), Some(key.clone()), Some(value.clone()));
                }
            }
            ExclusionReason::MatchExpression { index, found } => {
                if let Some(e) = target.match_expressions.get(index as usize) {
                    let path = self.target_path.key("matchExpressions").index(index as usize);
                    let values = commas(e.values.iter());
                    let wanted =
                        if values.is_empty() { e.operator.clone() } else { format!("{} [{values}]", e.operator) };
                    out.found = text(found);
                    out.reason = format!("{}; {path} wants {wanted}", label_state(&e.key, out.found.as_deref()));
                    (out.path, out.key, out.wanted) = (Some(path), Some(e.key.clone()), Some(wanted));
                }
            }
            ExclusionReason::NodeNames => {
                let path = self.target_path.key("nodeNames");
                out.reason = format!("is not listed in {path}");
                out.path = Some(path);
            }
            ExclusionReason::TaintSelector { index } => {
                if let Some(s) = target.taint_selectors.get(index as usize) {
                    let path = self.target_path.key("taintSelectors").index(index as usize);
                    let wanted = taint_text(&s.key, &s.value, &s.effect);
                    out.reason = format!("carries no taint {wanted}, which {path} wants");
                    (out.path, out.key, out.wanted) = (Some(path), Some(s.key.clone()), Some(wanted));
                }
            }
            ExclusionReason::Cordoned { gpu } => {
                out.key = Some("spec.unschedulable".to_owned());
                out.found = Some("true".to_owned());
                out.reason = "is cordoned (spec.unschedulable: true)".to_owned();
                if !gpu {
                    out.reason.push_str(&format!(" and carries no label {GPU_PRESENT_KEY}=true"));
                }
            }
            ExclusionReason::GpuPresent { found, .. } => {
                out.found = text(found);
                out.reason = format!("{}; \"true\" is wanted", label_state(GPU_PRESENT_KEY, out.found.as_deref()));
                (out.key, out.wanted) = (Some(GPU_PRESENT_KEY.to_owned()), Some("true".to_owned()));
            }
            ExclusionReason::Unhealthy(problems) => {
                let list: Vec<&str> = problems.iter().map(|p| p.state()).collect();
                out.reason = format!("{}; only healthy nodes are wanted (--only-healthy)", list.join(" and "));
            }
            ExclusionReason::Architecture { product } => {
                let product = product.and_then(|at| self.product_table.get(at as usize));
                let kept = &self.architecture;
                out.reason = match product {
                    Some(p) => format!("is of GPU architecture {}; only {kept} takes part", p.architecture),
                    None => format!("carries no product that names a GPU architecture; only {kept} takes part"),
                };
                out.key = Some(GPU_PRODUCT_KEY.to_owned());
                out.found = product.map(|p| p.text.clone());
                out.wanted = Some(kept.clone());
            }
            ExclusionReason::Capacity { has } => {
                let needs = self.requested_gpus;
                out.reason = format!("has {has}, needs {needs} (allocatable {GPU_RESOURCE})");
                out.key = Some(GPU_RESOURCE.to_owned());
                (out.found, out.wanted) = (Some(has.to_string()), Some(needs.to_string()));
            }
        }
        out
    }

    /// Every node that does not take part, in the order of names.
    pub fn exclusions<'a>(&'a self, inventory: &'a Inventory) -> impl Iterator<Item = Exclusion> + 'a {
        self.excluded.iter().map(|excluded| self.explain(inventory, excluded))
    }

    /// The excluded nodes of one filter, in the order of names.
    pub(crate) fn excluded_by(&self, filter: Filter) -> impl Iterator<Item = &Excluded> {
        self.excluded.iter().filter(move |e| e.reason.is_reported() && e.reason.filter() == filter)
    }

    /// Names of the nodes that a report calls excluded: cordoned, unhealthy (when only healthy ones are wanted), of
    /// another architecture, too small; each part in the order of names (03 §1.8).
    pub fn excluded_nodes<'a>(&'a self, inventory: &'a Inventory) -> impl Iterator<Item = &'a str> {
        REPORTED.into_iter().flat_map(|f| self.excluded_by(f)).map(|e| self.name(inventory, e.node))
    }

    /// One clause per kind of exclusion, joined with full stops; empty when nothing was excluded (03 §1.8).
    pub fn exclusion_reason(&self, inventory: &Inventory) -> String {
        let clauses = REPORTED.into_iter().filter_map(|filter| {
            let members: Vec<&Excluded> = self.excluded_by(filter).collect();
            let count = nodes(members.len());
            let names = || commas(members.iter().map(|e| self.name(inventory, e.node)));
            match filter {
                _ if members.is_empty() => None,
                Filter::Cordon => {
                    Some(format!("{count} matched the target but cannot be scheduled on (cordoned): {}", names()))
                }
                Filter::Health => Some(format!("{count} left out as unhealthy (--only-healthy): {}", names())),
                Filter::Architecture => Some(format!(
                    "the target holds more than one GPU architecture and only {} is certified ({count} left out)",
                    self.architecture
                )),
                _ => Some(format!(
                    "{count} with fewer than the requested {} {GPU_RESOURCE} per node: {}",
                    self.requested_gpus,
                    self.has_list(inventory, &members)
                )),
            }
        });
        clauses.collect::<Vec<_>>().join(". ")
    }

    /// `n1 has 1, n2 has 2`.
    pub(crate) fn has_list(&self, inventory: &Inventory, members: &[&Excluded]) -> String {
        commas(members.iter().filter_map(|e| match e.reason {
            ExclusionReason::Capacity { has } => Some(format!("{} has {has}", self.name(inventory, e.node))),
            _ => None,
        }))
    }
}

/// The filters whose exclusions a report names, in its order.
const REPORTED: [Filter; 4] = [Filter::Cordon, Filter::Health, Filter::Architecture, Filter::Capacity];
