//! The catalogue as plain data, and the questions that other modules ask it.

use super::render::includes;
use super::{
    Advice, Entry, Environment, FabricRule, Interfaces, NamedToleration, NcclVariable, RemovedPlugin, Variable,
};
use crate::api::{StringMatch, Toleration, WhenSpec};
use crate::diagnostic::{Code, Diagnostic};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything the renderer knows about platforms and GPUs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Catalogue {
    /// Editions; the first one is the default (05 §5, 00 D1).
    #[serde(default)]
    pub editions: Vec<Edition>,
    /// Platforms in the order in which messages list them.
    pub platforms: Vec<Platform>,
    /// Rules that turn a node into a platform; the first that holds decides (03 §2).
    pub detection: Vec<DetectionRule>,
    /// GPU architectures and their boards (03 §3.4).
    pub architectures: Vec<Architecture>,
    /// Counts for every architecture that is not listed.
    pub fallback: Hardware,
    /// Platforms whose boards differ (03 §3.4).
    #[serde(default)]
    pub hardware_exceptions: Vec<HardwareException>,
    /// Where the RDMA NIC resource is detected from the nodes (03 §4, 00 D30).
    #[serde(default)]
    pub nic_detection: Vec<NicRule>,
    /// Variables of every workload container, in order (02 §8.1).
    #[serde(default)]
    pub base_environment: Vec<Variable>,
    /// Lists of variables that entries use by name.
    #[serde(default)]
    pub environments: Vec<Environment>,
    /// Tolerations that entries use by name.
    #[serde(default)]
    pub tolerations: Vec<NamedToleration>,
    /// The platform entries, in order (05 §2).
    #[serde(default)]
    pub entries: Vec<Entry>,
    /// What a platform and GPU should know about an edition.
    #[serde(default)]
    pub advice: Vec<Advice>,
    /// Network interfaces that pods see.
    #[serde(default)]
    pub interfaces: Vec<Interfaces>,
    /// Networks between nodes.
    #[serde(default)]
    pub fabrics: Vec<FabricRule>,
    /// Network plugins that entries remove.
    #[serde(default)]
    pub removed_plugins: Vec<RemovedPlugin>,
    /// Variables that NCCL knows.
    #[serde(default)]
    pub nccl_variables: Vec<NcclVariable>,
}

/// A state of the engine's code and documentation that can be chosen by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edition {
    /// Name, as it is chosen by.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// What sets it apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A platform.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Platform {
    /// Name as in `when.platform`.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Node label of the default topology domain (06 §5.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology_key: Option<String>,
    /// What a node made up for this platform carries (02 §12).
    #[serde(default)]
    pub synthetic: SyntheticNode,
}

/// What a node made up for a platform carries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyntheticNode {
    /// `spec.providerID`; empty when the platform has none.
    #[serde(default, rename = "providerID", skip_serializing_if = "String::is_empty")]
    pub provider_id: String,
    /// Labels by which the platform is detected.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Allocatable resources of the platform, besides GPUs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub allocatable: BTreeMap<String, String>,
}

/// One rule of platform detection: all conditions given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DetectionRule {
    /// The platform when the rule holds.
    pub platform: String,
    /// The provider id is absent or empty.
    #[serde(default, rename = "noProviderID", skip_serializing_if = "std::ops::Not::not")]
    pub no_provider_id: bool,
    /// The provider id starts with this.
    #[serde(default, rename = "providerIDPrefix", skip_serializing_if = "String::is_empty")]
    pub provider_id_prefix: String,
    /// The node carries this label, with any value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The value of the label contains this.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label_contains: String,
}

/// Counts of one board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hardware {
    /// GPUs per node.
    pub gpus_per_node: i32,
    /// Mellanox NICs per node.
    pub mlnx_per_node: i32,
}

/// A GPU architecture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Architecture {
    /// Name as in `when.gpuArchitecture`.
    pub name: String,
    /// GPUs per node.
    pub gpus_per_node: i32,
    /// Mellanox NICs per node.
    pub mlnx_per_node: i32,
    /// Multi-node NVLink is on unless the run says otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mnnvl: bool,
    /// The GPUs of a node are joined by NVLink.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nvlink: bool,
    /// Product label of nodes made up for this architecture.
    pub product: String,
}

/// A platform whose boards differ; a field that is not given falls through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HardwareException {
    /// The platform.
    pub platform: String,
    /// The architecture.
    pub architecture: String,
    /// GPUs per node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus_per_node: Option<i32>,
    /// Mellanox NICs per node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mlnx_per_node: Option<i32>,
}

/// Where and how the NIC resource is detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NicRule {
    /// The platform.
    pub platform: String,
    /// The architectures.
    pub architectures: Vec<String>,
    /// Candidates: resources whose name starts with one of these.
    #[serde(default)]
    pub prefixes: Vec<String>,
    /// Candidates: resources of exactly these names.
    #[serde(default)]
    pub names: Vec<String>,
}

impl Catalogue {
    /// A platform by name.
    pub fn platform(&self, name: &str) -> Option<&Platform> {
        self.platforms.iter().find(|p| p.name == name)
    }

    /// An architecture by name.
    pub fn architecture(&self, name: &str) -> Option<&Architecture> {
        self.architectures.iter().find(|a| a.name == name)
    }

    /// Names of the architectures, sorted.
    pub fn architecture_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.architectures.iter().map(|a| a.name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// The platform of a node (03 §2); empty when no rule holds.
    pub fn detect_platform<'a>(&self, provider_id: &str, label: impl Fn(&str) -> Option<&'a str>) -> &str {
        let holds = |rule: &&DetectionRule| {
            (!rule.no_provider_id || provider_id.is_empty())
                && provider_id.starts_with(&rule.provider_id_prefix)
                && (rule.label.is_empty() || label(&rule.label).is_some_and(|v| v.contains(&rule.label_contains)))
        };
        self.detection.iter().find(holds).map_or("", |rule| &rule.platform)
    }

    /// GPUs and NICs per node (03 §3.4). `platform` may be empty; an unknown architecture gives the fallback.
    pub fn hardware(&self, architecture: &str, platform: &str) -> Hardware {
        let mut out = self
            .architecture(architecture)
            .map_or(self.fallback, |a| Hardware { gpus_per_node: a.gpus_per_node, mlnx_per_node: a.mlnx_per_node });
        let exceptions = self.hardware_exceptions.iter();
        for e in exceptions.filter(|e| e.platform == platform && e.architecture == architecture) {
            out.gpus_per_node = e.gpus_per_node.unwrap_or(out.gpus_per_node);
            out.mlnx_per_node = e.mlnx_per_node.unwrap_or(out.mlnx_per_node);
        }
        out
    }

    /// The row of the hardware table that holds: `gb300`, or `gb300 on aws` where the platform's boards differ. `None`
    /// for a GPU that the table does not know: then [`Catalogue::fallback`] holds.
    pub fn hardware_row(&self, architecture: &str, platform: &str) -> Option<String> {
        let exception = |e: &HardwareException| e.platform == platform && e.architecture == architecture;
        match self.hardware_exceptions.iter().any(exception) {
            true => Some(format!("{architecture} on {platform}")),
            false => self.architecture(architecture).map(|a| a.name.clone()),
        }
    }

    /// Whether multi-node NVLink is on by default for an architecture.
    pub fn mnnvl(&self, architecture: &str) -> bool {
        self.architecture(architecture).is_some_and(|a| a.mnnvl)
    }

    /// How the NIC resource is detected; `None` where it is not.
    pub fn nic_rule(&self, platform: &str, architecture: &str) -> Option<&NicRule> {
        let holds = |r: &&NicRule| r.platform == platform && r.architectures.iter().any(|a| a == architecture);
        self.nic_detection.iter().find(holds)
    }

    /// An edition by name.
    pub fn edition(&self, name: &str) -> Option<&Edition> {
        self.editions.iter().find(|e| e.name == name)
    }

    /// Name of the edition that is used when none is asked for; empty when the catalogue has none.
    pub fn default_edition(&self) -> &str {
        self.editions.first().map_or("", |e| &e.name)
    }

    /// Platforms with a default topology domain, and its node label (06 §5.3).
    pub fn topology_keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.platforms.iter().filter_map(|p| Some((p.name.as_str(), p.topology_key.as_deref()?)))
    }

    /// What a platform and GPU should know about an edition (00 D1).
    pub fn advice<'a>(
        &'a self,
        edition: &'a str,
        platform: &'a str,
        architecture: &'a str,
    ) -> impl Iterator<Item = &'a Advice> {
        let holds = move |a: &&Advice| includes(&a.editions, edition) && may_match(&a.when.0, platform, architecture);
        self.advice.iter().filter(holds)
    }
}

impl Advice {
    /// The advice as a finding.
    pub fn diagnostic(&self) -> Diagnostic {
        let finding = Diagnostic::new(Code::PlatformAdvice, self.message.as_str());
        if self.help.is_empty() { finding } else { finding.with_help(self.help.clone()) }
    }
}

impl NamedToleration {
    /// The toleration without its name.
    pub fn toleration(&self) -> Toleration {
        Toleration {
            key: self.key.clone(),
            operator: self.operator.clone(),
            value: self.value.clone(),
            effect: self.effect.clone(),
            ..Toleration::default()
        }
    }
}

/// True when platform and architecture fit; other conditions are not looked at, so the whole may still not match.
pub(super) fn may_match(when: &WhenSpec, platform: &str, architecture: &str) -> bool {
    let fits = |matcher: &Option<StringMatch>, value: &str| {
        matcher.as_ref().is_none_or(|m| {
            (m.equals.is_empty() || m.equals == value)
                && (m.one_of.is_empty() || m.one_of.iter().any(|v| v == value))
                && !m.not_in.iter().any(|v| v == value)
        })
    };
    fits(&when.platform, platform) && fits(&when.gpu_architecture, architecture)
}
