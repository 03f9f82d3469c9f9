//! Editions, platforms, detection and hardware.

use super::Checker;
use crate::catalogue::DetectionRule;
use crate::check::{Quantity, label_value_problem};
use crate::diagnostic::{Code, Diagnostic, FieldPath};

/// The way out for label values.
const LABEL_VALUE: &str = "use at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends";

impl DetectionRule {
    /// True when this rule holds for every node that the other one holds for.
    fn covers(&self, other: &Self) -> bool {
        (!self.no_provider_id || other.no_provider_id)
            && other.provider_id_prefix.starts_with(&self.provider_id_prefix)
            && (self.label.is_empty()
                || self.label == other.label && other.label_contains.contains(&self.label_contains))
    }
}

impl Checker<'_> {
    pub(super) fn facts(&mut self) {
        let catalogue = self.catalogue;
        let root = FieldPath::root();
        self.unique(&root.key("editions"), "name", catalogue.editions.iter().map(|e| e.name.as_str()));
        self.unique(&root.key("platforms"), "name", catalogue.platforms.iter().map(|p| p.name.as_str()));
        self.unique(&root.key("architectures"), "name", catalogue.architectures.iter().map(|a| a.name.as_str()));
        if catalogue.editions.is_empty() {
            self.value(
                root.key("editions"),
                "the catalogue has no edition; at least one is wanted, the first of which is the default",
                "add `editions: [{name: mine, title: Mine}]`",
            );
        }
        for (at, edition) in catalogue.editions.iter().enumerate() {
            self.kebab(root.key("editions").index(at).key("name"), &edition.name);
        }
        self.platforms(&root.key("platforms"));
        self.detection(&root.key("detection"));
        self.hardware(&root);
    }

    fn platforms(&mut self, list: &FieldPath) {
        let catalogue = self.catalogue;
        for (at, platform) in catalogue.platforms.iter().enumerate() {
            let path = list.index(at);
            self.kebab(path.key("name"), &platform.name);
            if let Some(key) = &platform.topology_key {
                self.label_key(path.key("topologyKey"), "label key", key);
            }
            let synthetic = path.key("synthetic");
            for (key, value) in &platform.synthetic.labels {
                let path = synthetic.key("labels").key(key.as_str());
                self.label_key(path.clone(), "label key", key);
                if let Some(problem) = label_value_problem(value) {
                    self.value(path, format!("{value:?} is no label value: {problem}"), LABEL_VALUE);
                }
            }
            for (resource, count) in &platform.synthetic.allocatable {
                self.quantity(synthetic.key("allocatable").key(resource.as_str()), resource, count);
            }
            let labels = &platform.synthetic.labels;
            let found =
                catalogue.detect_platform(&platform.synthetic.provider_id, |key| labels.get(key).map(String::as_str));
            let named = catalogue.detection.iter().any(|rule| rule.platform == platform.name);
            if !named {
                let text = format!("no detection rule leads to the platform {:?}", platform.name);
                let finding = Diagnostic::at(Code::CatalogueUnused, path.key("name"), text);
                self.add(finding.with_help("add a rule under `detection`, else it must be named by hand"));
            } else if found != platform.name {
                let text = format!("a node made up for {:?} is detected as {found:?}", platform.name);
                self.value(synthetic, text, "give it the provider id or the labels that its detection rule asks for");
            }
        }
    }

    pub(super) fn quantity(&mut self, path: FieldPath, resource: &str, count: &str) {
        if Quantity::parse(count).is_none_or(|q| q < Quantity::default()) {
            let found = format!("{count:?} is no quantity of {resource}; a number of 0 or more is wanted");
            self.add(
                Diagnostic::at(Code::CatalogueResource, path, found).with_help("write a number such as 8 or 64Gi"),
            );
        }
    }

    fn detection(&mut self, list: &FieldPath) {
        let rules = &self.catalogue.detection;
        for (at, rule) in rules.iter().enumerate() {
            let path = list.index(at);
            self.platform(path.key("platform"), &rule.platform);
            if !rule.label.is_empty() {
                self.label_key(path.key("label"), "label key", &rule.label);
            } else if !rule.label_contains.is_empty() {
                self.value(
                    path.key("labelContains"),
                    "labelContains says what a label holds, but label is not given",
                    "add `label`",
                );
            }
            if rule.no_provider_id && !rule.provider_id_prefix.is_empty() {
                self.value(
                    path.clone(),
                    "noProviderID and providerIDPrefix exclude each other: the rule never holds",
                    "remove one of the two",
                );
            }
            if let Some((first, earlier)) = rules.iter().take(at).enumerate().find(|(_, r)| r.covers(rule)) {
                let found = format!(
                    "this rule for {:?} is never reached: the rule for {:?} before it holds for every such node",
                    rule.platform, earlier.platform
                );
                let finding = Diagnostic::at(Code::CatalogueUnreachableRule, path, found)
                    .with_help("move it before the other rule, or remove it");
                self.add(finding.with_related(list.index(first), "the earlier rule"));
            }
        }
    }

    fn hardware(&mut self, root: &FieldPath) {
        let catalogue = self.catalogue;
        let mut count = |path: FieldPath, count: i32, least: i32| {
            if count < least {
                self.value(
                    path,
                    format!("{count} is too small; at least {least} is wanted"),
                    "give the number that the board has",
                );
            }
        };
        for (at, architecture) in catalogue.architectures.iter().enumerate() {
            let path = root.key("architectures").index(at);
            count(path.key("gpusPerNode"), architecture.gpus_per_node, 1);
            count(path.key("mlnxPerNode"), architecture.mlnx_per_node, 0);
        }
        count(root.key("fallback").key("gpusPerNode"), catalogue.fallback.gpus_per_node, 1);
        count(root.key("fallback").key("mlnxPerNode"), catalogue.fallback.mlnx_per_node, 0);
        for (at, exception) in catalogue.hardware_exceptions.iter().enumerate() {
            let path = root.key("hardwareExceptions").index(at);
            count(path.key("gpusPerNode"), exception.gpus_per_node.unwrap_or(1), 1);
            count(path.key("mlnxPerNode"), exception.mlnx_per_node.unwrap_or(0), 0);
        }
        for (at, architecture) in catalogue.architectures.iter().enumerate() {
            let path = root.key("architectures").index(at).key("product");
            if let Some(problem) = label_value_problem(&architecture.product) {
                self.value(path, format!("{:?} is no label value: {problem}", architecture.product), LABEL_VALUE);
            } else if architecture.product.is_empty() {
                self.value(
                    path,
                    "the product is empty; nodes made up for the architecture need one",
                    "give the product label of the board, for example NVIDIA-H100-80GB-HBM3",
                );
            }
        }
        for (at, exception) in catalogue.hardware_exceptions.iter().enumerate() {
            let path = root.key("hardwareExceptions").index(at);
            self.platform(path.key("platform"), &exception.platform);
            self.architecture(path.key("architecture"), &exception.architecture);
        }
        for (at, rule) in catalogue.nic_detection.iter().enumerate() {
            let path = root.key("nicDetection").index(at);
            self.platform(path.key("platform"), &rule.platform);
            for (at, name) in rule.architectures.iter().enumerate() {
                self.architecture(path.key("architectures").index(at), name);
            }
            if rule.prefixes.is_empty() && rule.names.is_empty() {
                self.value(
                    path,
                    "neither prefixes nor names are given: no resource can be a candidate",
                    "give prefixes or names of resources, for example rdma/",
                );
            }
        }
    }
}
