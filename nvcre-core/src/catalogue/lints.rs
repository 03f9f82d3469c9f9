//! What lints know about platforms and about the variables of NCCL. What is not listed is not known: then no lint
//! speaks of it.

use super::Catalogue;
use serde::{Deserialize, Serialize};

/// Network interfaces that pods of a platform see, unless they share the network of their host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Interfaces {
    /// The platform.
    pub platform: String,
    /// Its GPU architectures; empty is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub architectures: Vec<String>,
    /// The interfaces.
    pub names: Vec<String>,
}

/// A kind of network between nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Fabric {
    /// Plain TCP, or TCP with a plugin of its own.
    #[default]
    Tcp,
    /// InfiniBand.
    Infiniband,
    /// RDMA over Converged Ethernet.
    Roce,
    /// Elastic Fabric Adapter.
    Efa,
}

impl Fabric {
    /// True where NCCL's own InfiniBand transport works.
    pub const fn is_rdma(self) -> bool {
        matches!(self, Self::Infiniband | Self::Roce)
    }

    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Infiniband => "InfiniBand",
            Self::Roce => "RoCE",
            Self::Efa => "EFA",
        }
    }
}

/// The network between the nodes of a platform.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FabricRule {
    /// The platform.
    pub platform: String,
    /// Its GPU architectures; empty is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub architectures: Vec<String>,
    /// The network.
    pub fabric: Fabric,
}

/// Network plugins of NCCL that an entry takes out of the image.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemovedPlugin {
    /// Number of the entry.
    pub entry: String,
    /// Values of `NCCL_NET_PLUGIN` that name it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<String>,
    /// Values of `NCCL_NET` that name its network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<String>,
    /// Folders that go with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// A variable that NCCL knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NcclVariable {
    /// Name.
    pub name: String,
    /// NCCL reads a whole number, and ignores everything else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// Words that NCCL knows beside whole numbers; empty is any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}

fn fits(platform: &str, architectures: &[String], of: (&str, &str)) -> bool {
    platform == of.0 && (architectures.is_empty() || architectures.iter().any(|a| a == of.1))
}

impl Catalogue {
    /// Interfaces that a pod sees; `None` when nothing is known.
    pub fn interfaces(&self, platform: &str, architecture: &str) -> Option<&[String]> {
        let rule = self.interfaces.iter().find(|r| fits(&r.platform, &r.architectures, (platform, architecture)))?;
        Some(&rule.names)
    }

    /// The network between nodes; `None` when nothing is known.
    pub fn fabric(&self, platform: &str, architecture: &str) -> Option<Fabric> {
        let rule = self.fabrics.iter().find(|r| fits(&r.platform, &r.architectures, (platform, architecture)))?;
        Some(rule.fabric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_is_not_known() {
        let catalogue = Catalogue::builtin();
        for (platform, architecture, fabric, interfaces) in [
            ("aws", "gb300", Some(Fabric::Roce), Some(1)),
            ("aws", "h100", Some(Fabric::Efa), Some(1)),
            ("aws", "l40s", None, Some(1)),
            ("gcp", "gb200", Some(Fabric::Roce), Some(5)),
            ("togetherai", "b200", Some(Fabric::Infiniband), Some(1)),
            ("onprem", "h100", None, None),
            ("", "", None, None),
        ] {
            assert_eq!(catalogue.fabric(platform, architecture), fabric, "{platform} {architecture}");
            assert_eq!(catalogue.interfaces(platform, architecture).map(<[String]>::len), interfaces, "{platform}");
        }
    }
}
