//! Conditional patches (01 §2.8–2.9, 04 §1).

use super::{ExecutionSpec, TargetSpec, TopologySpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A conditional patch: the form of `spec.overrides` and of the platform catalogue alike.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["when"])))]
#[serde(rename_all = "camelCase", default)]
pub struct OverrideSpec {
    /// Conditions, all of which must hold; `{}` always holds.
    pub when: WhenSpec,
    /// Strategic merge patch on the job template.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("type" = "object")))]
    pub job_template: Option<Value>,
    /// RFC 6902 patch on the job template, after `jobTemplate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "json_patch"))]
    pub job_template_patch: Option<Value>,
    /// Objects merged into the dependencies of the same identity, or appended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("items" = { "type": "object" })))]
    pub dependencies: Vec<Value>,
    /// Parts of the orchestration, each replacing the base field whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orchestration: Option<OrchestrationOverride>,
    /// Shell lines that run before the command (00 D17).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pre_command: Vec<String>,
    /// Arguments of mpirun (00 D17).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mpi_args: Vec<String>,
}

/// Conditions of an override (04 §2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct WhenSpec {
    /// Detected GPU architecture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_architecture: Option<StringMatch>,
    /// Detected platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<StringMatch>,
    /// `TrainJob`; empty is no condition.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("examples" = ["TrainJob"])))]
    pub workload_kind: String,
    /// Topology of the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<TopologyMatch>,
    /// Subset of the validation config; never matches (00 D16).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("type" = "object")))]
    pub config: Option<Value>,
    /// CEL expression that gives a boolean.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub expression: String,
}

/// Conditions on a text; those given must all hold (04 §2.2).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StringMatch {
    /// Exactly this; empty is no condition.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub equals: String,
    /// One of these; empty is no condition.
    #[serde(rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
    /// None of these; empty is no condition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_in: Vec<String>,
}

/// Conditions on the topology (04 §2.1).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TopologyMatch {
    /// `topology` or `simple`; empty is no condition.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// Number of domains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain_count: Option<IntMatch>,
}

/// Conditions on a number; those given must all hold (04 §2.3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct IntMatch {
    /// Exactly this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<i64>,
    /// More than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greater_than: Option<i64>,
    /// Less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub less_than: Option<i64>,
}

/// Parts of the orchestration that an override replaces whole (04 §6, 00 D41).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct OrchestrationOverride {
    /// Which nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetSpec>,
    /// Topology of the groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<TopologySpec>,
    /// Limits of the execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<ExecutionSpec>,
    /// Passes over all groups; at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub iterations: Option<i64>,
    /// `Pinned` or `Unpinned`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["Pinned", "Unpinned"])))]
    pub placement: Option<String>,
}

/// Schema of an RFC 6902 patch.
#[cfg(feature = "schema")]
fn json_patch(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["op", "path"],
            "properties": {
                "op": { "type": "string", "enum": ["add", "remove", "replace", "move", "copy", "test"] },
                "path": { "type": "string", "description": "JSON pointer below the job template, for example /spec/workload" },
                "from": { "type": "string", "description": "JSON pointer of the source of move and copy" },
                "value": { "description": "Value of add, replace and test" }
            }
        }
    })
}
