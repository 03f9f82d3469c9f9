//! Is the fleet large enough for one job (03 §5.1, 00 D36)?

use super::exclusion::{Excluded, ExclusionReason, Filter};
use super::findings::unlabelled;
use super::names::{commas, nodes};
use super::{Fleet, Inventory};
use crate::api::{GPU_PRESENT_KEY, GPU_PRODUCT_KEY, GPU_RESOURCE};
use crate::diagnostic::{Code, Diagnostic, FieldPath};

impl Fleet {
    /// Compares the size of a job with the fleet (03 §5.1): `None` when it fits. `placement` is `Pinned` (or empty) or
    /// `Unpinned`, `path` the field that holds the size (`spec.numNodes`).
    ///
    /// A pinned job of a size below 1 takes all nodes; an unpinned one needs a size. A fleet without nodes is not
    /// reported here: discovery and the capacity filter have done that.
    pub fn size_check(
        &self,
        inventory: &Inventory,
        nodes_per_job: i64,
        placement: &str,
        path: &FieldPath,
    ) -> Option<Diagnostic> {
        let unpinned = placement == "Unpinned";
        if nodes_per_job < 1 {
            return unpinned.then(|| {
                let message = match nodes_per_job {
                    0 => "an Unpinned job needs an explicit size, and numNodes is missing or 0".to_owned(),
                    below => format!("an Unpinned job needs an explicit size, and numNodes is {below}"),
                };
                Diagnostic::at(Code::UnpinnedWithoutSize, path, message)
                    .with_help("set spec.numNodes to the number of nodes of the one job")
            });
        }
        let found = self.nodes.len();
        let needed = usize::try_from(nodes_per_job).unwrap_or(usize::MAX);
        if found == 0 || needed <= found {
            return None;
        }
        let mut message = format!("one job needs {}, and only {found} take part", nodes(needed));
        let mut remedies = Vec::new();
        self.name_causes(inventory, &mut message, &mut remedies);
        self.name_hidden(inventory, needed - found, &mut message, &mut remedies);
        if unpinned {
            remedies.push(format!(
                "make {} available that meet the target; the size of an Unpinned job is not lowered to fit",
                nodes(needed)
            ));
        } else if remedies.is_empty() {
            remedies.push(format!("set {path} to at most {found}, or widen the target"));
        } else {
            remedies.push(format!("or set {path} to {found}"));
        }
        Some(Diagnostic::at(Code::NotEnoughNodes, path, message).with_help(remedies.join("; ")))
    }

    /// Exclusions that made the fleet smaller.
    fn name_causes(&self, inventory: &Inventory, message: &mut String, remedies: &mut Vec<String>) {
        let of = |filter: Filter| -> Vec<&Excluded> { self.excluded_by(filter).collect() };
        let names = |list: &[&Excluded]| commas(list.iter().map(|e| self.name(inventory, e.node)));
        let sick = of(Filter::Health);
        if !sick.is_empty() {
            message.push_str(&format!("; left out as not healthy: {}: {}", nodes(sick.len()), names(&sick)));
            remedies.push("repair the unhealthy nodes, or leave --only-healthy out".to_owned());
        }
        let other = of(Filter::Architecture);
        if !other.is_empty() {
            message.push_str(&format!(
                "; left out as not of GPU architecture {}: {}: {}",
                self.architecture,
                nodes(other.len()),
                names(&other)
            ));
            remedies.push("narrow the target to one GPU architecture that has enough nodes".to_owned());
        }
        let small = of(Filter::Capacity);
        if !small.is_empty() {
            message.push_str(&format!(
                "; left out with fewer than the requested {} {GPU_RESOURCE}: {}: {}",
                self.requested_gpus,
                nodes(small.len()),
                self.has_list(inventory, &small)
            ));
            remedies.push("lower spec.gpusPerNode to what these nodes have".to_owned());
        }
    }

    /// Nodes that would have been enough together with those that take part (00 D36).
    fn name_hidden(&self, inventory: &Inventory, lacking: usize, message: &mut String, remedies: &mut Vec<String>) {
        let cordoned: Vec<&str> = self.excluded_by(Filter::Cordon).map(|e| self.name(inventory, e.node)).collect();
        let absent: Vec<&str> = unlabelled(inventory, self).collect();
        let silent = |e: &&Excluded| matches!(e.reason, ExclusionReason::Architecture { product: None });
        let silent: Vec<&str> = self.excluded.iter().filter(silent).map(|e| self.name(inventory, e.node)).collect();
        if cordoned.len() + absent.len() + silent.len() < lacking {
            return;
        }
        let mut add = |list: &[&str], what: &str, remedy: String| {
            if !list.is_empty() {
                message.push_str(&format!("; {what}: {}: {}", nodes(list.len()), commas(list)));
                remedies.push(remedy);
            }
        };
        add(&cordoned, "cordoned", "uncordon the cordoned nodes, or set target.includeUnschedulable: true".to_owned());
        let remedy = format!("label the GPU nodes that lack it with {GPU_PRESENT_KEY}=true");
        add(&absent, &format!("offering GPUs without the label {GPU_PRESENT_KEY}=true"), remedy);
        let remedy = format!("label the nodes without a product with {GPU_PRODUCT_KEY}, or name it with --gpu-arch");
        add(&silent, "without a product label", remedy);
    }
}
