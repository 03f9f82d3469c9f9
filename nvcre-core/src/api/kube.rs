//! The few Kubernetes types that rules look into. All other pod types stay JSON.

use super::is_default;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Metadata of an object, as far as it is read or written here. Fields that only a server sets are accepted in a run
/// and not rendered (00 D65).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    /// Name, unique in the namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Namespace; empty when the file does not say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Labels.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// A variable of a container: a value, or a source that the kubelet reads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["name"])))]
#[serde(rename_all = "camelCase", default)]
pub struct EnvVar {
    /// Name of the variable.
    pub name: String,
    /// Value; left out when empty (01 §0.4).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Source of the value: `configMapKeyRef`, `secretKeyRef`, `fieldRef`, `resourceFieldRef` or `fileKeyRef`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "k8s::env_var_source"))]
    pub value_from: Option<Value>,
}

impl EnvVar {
    /// A variable with a value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), value_from: None }
    }
}

/// As serde writes it.
impl From<&EnvVar> for Value {
    fn from(variable: &EnvVar) -> Self {
        let mut map = serde_json::Map::new();
        map.insert("name".into(), variable.name.as_str().into());
        if !variable.value.is_empty() {
            map.insert("value".into(), variable.value.as_str().into());
        }
        if let Some(source) = &variable.value_from {
            map.insert("valueFrom".into(), source.clone());
        }
        Self::Object(map)
    }
}

/// Name of an object in the same namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LocalObjectReference {
    /// The name.
    pub name: String,
}

/// One label expression.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["key", "operator"])))]
#[serde(default)]
pub struct NodeSelectorRequirement {
    /// Label key.
    pub key: String,
    /// `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])))]
    pub operator: String,
    /// Values: at least one for `In` and `NotIn`, none for `Exists` and `DoesNotExist`, one integer for `Gt` and `Lt`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// A toleration of a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Toleration {
    /// Taint key; empty with operator `Exists` tolerates everything.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// `Exists` or `Equal`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// Taint value for `Equal`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Effect; empty tolerates every effect.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub effect: String,
    /// How long a `NoExecute` taint is tolerated.
    #[serde(skip_serializing_if = "is_default")]
    pub toleration_seconds: Option<i64>,
}

/// JSON schemas of Kubernetes types that stay JSON in Rust: each is a reference that the schema writer fills in from
/// the schemas that k8s-openapi ships.
#[cfg(feature = "schema")]
pub(crate) mod k8s {
    use schemars::{Schema, SchemaGenerator, json_schema};

    macro_rules! references {
        ($($function:ident => $name:literal),+ $(,)?) => {
            $(pub fn $function(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "$ref": concat!("#/$defs/k8s.", $name) })
            })+
        };
    }
    references! {
        env_var_source => "EnvVarSource",
        volume => "Volume",
        volume_mount => "VolumeMount",
        container => "Container",
        resources => "ResourceRequirements",
        affinity => "Affinity",
        pod_security_context => "PodSecurityContext",
        security_context => "SecurityContext",
        scheduling_gate => "PodSchedulingGate",
    }

    pub fn volumes(g: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": volume(g) })
    }
    pub fn volume_mounts(g: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": volume_mount(g) })
    }
    pub fn containers(g: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": container(g) })
    }
    pub fn scheduling_gates(g: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": scheduling_gate(g) })
    }
}
