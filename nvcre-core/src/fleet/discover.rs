//! Discovery: an inventory and a target become a [`Fleet`] (03 §1–3).

use super::architecture::{none_left, undetermined, vote};
use super::exclusion::{Excluded, ExclusionReason};
use super::health::{HealthCheck, HealthProblems};
use super::names::{commas, nodes};
use super::product::{UNKNOWN_ARCHITECTURE, parse_architecture_flag, parse_platform_flag};
use super::products::{NodeProduct, Product, assign};
use super::select::Selector;
use super::{Fleet, Inventory, findings};
use crate::api::TargetSpec;
use crate::catalogue::Catalogue;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use std::collections::{BTreeMap, BTreeSet};

/// What the caller says about nodes, beside the target.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiscoverOptions<'a> {
    /// `--platform`: settles the platform, whatever the nodes say (00 D30, D78). Empty is "not given".
    pub platform: Option<&'a str>,
    /// `--gpu-arch`: takes the place of the vote (00 D64). Empty is "not given".
    pub gpu_arch: Option<&'a str>,
    /// `--only-healthy`: leaves nodes out that will not run the pods (00 D28).
    pub only_healthy: bool,
    /// The field that holds the target, for findings; `None` is `spec.target`.
    pub target_path: Option<&'a FieldPath>,
}

/// A node that passed filters 1–6.
struct Candidate<'a> {
    node: u32,
    name: &'a str,
    product: NodeProduct,
    platform: &'a str,
    health: HealthProblems,
}

impl Candidate<'_> {
    fn architecture<'t>(&self, table: &'t [Product]) -> &'t str {
        let product = self.product.index.and_then(|at| table.get(at as usize));
        product.map_or("", |p| &p.architecture)
    }
}

/// The platform of a node by the catalogue's rules (03 §2).
pub fn detect_platform<'c>(inventory: &Inventory, node: u32, catalogue: &'c Catalogue) -> &'c str {
    let Some(node) = inventory.nodes.get(node as usize) else { return "" };
    let provider_id = node.provider_id.map_or("", |id| inventory.text(id));
    catalogue.detect_platform(provider_id, |key| inventory.label(node, key))
}

impl Fleet {
    /// Who takes part, on which platform and GPU architecture (03 §1–3). Every node of the inventory ends either in
    /// [`Fleet::nodes`] or in [`Fleet::excluded`]; the result does not depend on the order of nodes and slices.
    ///
    /// `target` is `spec.target` of the run; `None` takes every GPU node. The findings hold everything that is wrong
    /// or worth knowing; a fleet comes back in any case. Capacity and
    /// the health of those that are left are later steps ([`Fleet::apply_capacity`], [`Fleet::health_findings`]).
    pub fn discover(
        inventory: &Inventory,
        target: Option<&TargetSpec>,
        catalogue: &Catalogue,
        options: &DiscoverOptions<'_>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut found = Vec::new();
        let path = options.target_path.cloned().unwrap_or_else(|| FieldPath::parse("spec.target"));
        let platform_flag = parse_platform_flag(options.platform.unwrap_or(""), catalogue).unwrap_or_else(|error| {
            found.push(*error);
            None
        });
        let arch_flag = parse_architecture_flag(options.gpu_arch.unwrap_or(""), catalogue).unwrap_or_else(|error| {
            found.push(*error);
            None
        });

        let mut fleet = Self {
            target: target.cloned().unwrap_or_default(),
            target_path: path,
            architecture: UNKNOWN_ARCHITECTURE.to_owned(),
            declared_architecture: arch_flag.is_some(),
            ..Self::default()
        };
        let mut candidates = fleet.filter(inventory, catalogue, platform_flag);
        found.extend(findings::unknown_names(inventory, &fleet));
        if options.only_healthy {
            candidates.retain(|c| {
                if !c.health.is_empty() {
                    let reason = ExclusionReason::Unhealthy(c.health);
                    fleet.excluded.push(Excluded { node: c.node, reason });
                }
                c.health.is_empty()
            });
        }

        found.extend(fleet.decide_platform(&candidates, platform_flag, catalogue));
        found.extend(placeholders(inventory, &candidates, &fleet.product_table, &fleet.target_path));
        if candidates.is_empty() {
            fleet.architecture = arch_flag.unwrap_or(fleet.architecture);
            fleet.sort_excluded(inventory);
            found.push(findings::no_eligible_nodes(inventory, &fleet));
            return (fleet, found);
        }
        found.extend(fleet.decide_architecture(&mut candidates, arch_flag));

        let taking_part = |c: &&Candidate<'_>| c.product.synthesized;
        fleet.synthesized = candidates.iter().filter(taking_part).map(|c| c.node).collect();
        fleet.without_product = candidates.iter().filter(|c| c.product.index.is_none()).map(|c| c.node).collect();
        let products: BTreeSet<u32> = candidates.iter().filter_map(|c| c.product.index).collect();
        let text = |at: u32| fleet.product_table.get(at as usize).map(|p| p.text.clone());
        fleet.products = products.into_iter().filter_map(text).collect();
        fleet.products.sort_unstable();
        fleet.nodes = candidates.iter().map(|c| c.node).collect();
        fleet.sort_excluded(inventory);
        found.extend(findings::exclusions(inventory, &fleet));
        fleet.unhealthy = candidates.iter().filter(|c| !c.health.is_empty()).map(|c| (c.node, c.health)).collect();
        (fleet, found)
    }

    /// Filters 1–8; the candidates come in the order of names.
    fn filter<'a>(
        &mut self,
        inventory: &'a Inventory,
        catalogue: &'a Catalogue,
        platform_flag: Option<&str>,
    ) -> Vec<Candidate<'a>> {
        let selector = Selector::new(inventory, Some(&self.target));
        let mut order: Vec<(&str, u32)> =
            (0u32..).zip(&inventory.nodes).map(|(n, x)| (inventory.text(x.name), n)).collect();
        order.sort_unstable();
        let mut passed = Vec::with_capacity(order.len());
        for (name, index) in order {
            let Some(node) = inventory.nodes.get(index as usize) else { continue };
            match selector.excludes(inventory, node) {
                Some(reason) => self.excluded.push(Excluded { node: index, reason }),
                None => passed.push((name, index)),
            }
        }
        let (table, products) = assign(inventory, passed.iter().map(|(_, node)| *node));
        let check = HealthCheck::new(inventory);
        let mut out = Vec::with_capacity(passed.len());
        for ((name, index), product) in passed.into_iter().zip(products) {
            let Some(node) = inventory.nodes.get(index as usize) else { continue };
            let platform = detect_platform(inventory, index, catalogue);
            let known = product.index.and_then(|at| table.get(at as usize));
            let board = known
                .filter(|p| catalogue.architecture(&p.architecture).is_some())
                .map(|p| catalogue.hardware(&p.architecture, platform_flag.unwrap_or(platform)).gpus_per_node);
            let health = check.of(node, known.map_or("", |p| &p.text), board);
            out.push(Candidate { node: index, name, product, platform, health });
        }
        self.product_table = table;
        out
    }

    /// One platform for all (03 §2, 00 D13, D30, D78).
    fn decide_platform(
        &mut self,
        candidates: &[Candidate<'_>],
        flag: Option<&str>,
        catalogue: &Catalogue,
    ) -> Option<Diagnostic> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for candidate in candidates {
            *counts.entry(candidate.platform).or_default() += 1;
        }
        let first = candidates.first().map_or("", |c| c.platform);
        self.platform = flag.unwrap_or(first).to_owned();
        self.detected_platforms = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        let listed = commas(counts.iter().map(|(name, count)| format!("{name}: {}", nodes(*count))));
        match flag {
            Some(flag) if counts.keys().any(|name| *name != flag) => {
                let message = format!("the platform is {flag}, as --platform says, but the nodes look like {listed}");
                Some(Diagnostic::new(Code::PlatformOverridden, message).with_help(
                    "leave --platform out to go by the nodes; keep it when their providerID and labels mislead",
                ))
            }
            None if counts.len() > 1 => {
                let message = format!("the target holds nodes of several platforms, one is wanted: {listed}");
                let known = commas(catalogue.platforms.iter().map(|p| p.name.as_str()));
                Some(Diagnostic::at(Code::HeterogeneousPlatform, self.target_path.clone(), message).with_help(format!(
                    "narrow the target to the nodes of one platform, or settle it with --platform ({known})"
                )))
            }
            _ => None,
        }
    }

    /// One architecture for all: the flag or the vote (03 §1.6, 00 D32, D64).
    fn decide_architecture(&mut self, candidates: &mut Vec<Candidate<'_>>, flag: Option<String>) -> Option<Diagnostic> {
        let table = std::mem::take(&mut self.product_table);
        let mut finding = None;
        let winner = match flag {
            Some(flag) => {
                let fits = |c: &Candidate<'_>| matches!(c.architecture(&table), "") || c.architecture(&table) == flag;
                if !candidates.iter().any(fits) {
                    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
                    candidates.iter().for_each(|c| *counts.entry(c.architecture(&table)).or_default() += 1);
                    let counts: Vec<_> = counts.into_iter().map(|(a, n)| (a.to_owned(), n)).collect();
                    finding = Some(none_left(&flag, &counts, &self.target_path));
                }
                Some(flag)
            }
            None => vote(candidates.iter().map(|c| c.architecture(&table))).map(|vote| {
                if vote.abstained > vote.votes {
                    let of = |wanted: &str| -> Vec<&str> {
                        candidates.iter().filter(|c| c.architecture(&table) == wanted).map(|c| c.name).collect()
                    };
                    finding = Some(undetermined(vote, &of(vote.winner), &of(""), &self.target_path));
                }
                vote.winner.to_owned()
            }),
        };
        if let Some(winner) = winner {
            let unlabelled_fit = self.declared_architecture;
            candidates.retain(|c| {
                let own = c.architecture(&table);
                let fits = own == winner || own.is_empty() && unlabelled_fit;
                if !fits {
                    let reason = ExclusionReason::Architecture { product: c.product.index };
                    self.excluded.push(Excluded { node: c.node, reason });
                }
                fits
            });
            self.architecture = winner;
        }
        self.product_table = table;
        finding
    }
}

/// The warning about products that name no GPU (00 D32).
fn placeholders(
    inventory: &Inventory,
    candidates: &[Candidate<'_>],
    table: &[Product],
    target: &FieldPath,
) -> Option<Diagnostic> {
    let marked: Vec<&Candidate<'_>> = candidates.iter().filter(|c| c.product.placeholder.is_some()).collect();
    if marked.is_empty() {
        return None;
    }
    let labels: BTreeSet<&str> =
        marked.iter().filter_map(|c| c.product.placeholder).map(|id| inventory.text(id)).collect();
    let filled: BTreeSet<&str> = marked
        .iter()
        .filter_map(|c| c.product.index.and_then(|at| table.get(at as usize)))
        .map(|p| p.text.as_str())
        .collect();
    let mut message = format!(
        "{} with the placeholder product {} counted as unlabelled: {}",
        nodes(marked.len()),
        commas(labels),
        commas(marked.iter().map(|c| c.name)),
    );
    if !filled.is_empty() {
        message.push_str(&format!("; ResourceSlices say {}", commas(filled)));
    }
    let finding = Diagnostic::new(Code::PlaceholderProduct, message).with_help(
        "the driver does not know the board: update the driver and GPU feature discovery, label the nodes with \
         nvidia.com/gpu.product, or name the architecture with --gpu-arch",
    );
    Some(inventory.place(finding, marked.first().map(|c| c.node), target))
}
