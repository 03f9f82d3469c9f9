//! An entry of the catalogue as it stands in a data file: conditions and effects, with placeholders (05 §2).

use super::Input;
use crate::api::{StringMatch, TopologyMatch, WhenSpec, is_default};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// One entry: a conditional patch whose texts may hold placeholders such as `${run}`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// Number, for example `E7`.
    pub id: String,
    /// Name in kebab case, for example `aws-gb300-mpi-transport`.
    pub name: String,
    /// What it does, for people.
    pub title: String,
    /// Paragraph that it rests on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What a reader of the result should know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Frameworks of which the entry exists at all (05 §1).
    #[serde(default, skip_serializing_if = "is_default")]
    pub framework: Guard,
    /// Editions that have it; empty is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub editions: Vec<String>,
    /// When it matches.
    #[serde(default)]
    pub when: When,
    /// When it matches instead, by edition.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when_by_edition: BTreeMap<String, When>,
    /// Shell lines before the command (04 §8.2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pre_command: Vec<String>,
    /// Arguments of mpirun; words that belong together may stand in one list (04 §8.1).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mpi_args: Vec<Words>,
    /// Variables of the workload: `-x NAME=value` of mpirun (after `mpiArgs`) for MPI, `trainer.env` otherwise.
    #[serde(default, skip_serializing_if = "Variables::is_empty")]
    pub env: Variables,
    /// Variables for `trainer.env` whatever the framework.
    #[serde(default, skip_serializing_if = "Variables::is_empty")]
    pub trainer_env: Variables,
    /// Node label of the topology domain (05 E2–E4).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub topology_key: String,
    /// Objects that become dependencies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// Patches on the worker of the run's runtime, put together into one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worker: Vec<WorkerPatch>,
    /// Patch on the job template as in `spec.overrides` (04 §4.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_template: Option<Value>,
    /// RFC 6902 patch on the job template as in `spec.overrides` (04 §4.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_template_patch: Option<Value>,
}

/// Frameworks of which an entry exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Guard {
    /// All.
    #[default]
    Any,
    /// MPI only.
    Mpi,
    /// Torch and exec.
    NonMpi,
}

/// When an entry matches. In a file a single name stands for `equals`, a list for `in` (00 D50).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "WhenForm")]
pub struct When(pub WhenSpec);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for When {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CatalogueWhen".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WhenForm::json_schema(generator)
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WhenForm {
    #[serde(default)]
    platform: Option<Matcher>,
    #[serde(default)]
    gpu_architecture: Option<Matcher>,
    #[serde(default)]
    workload_kind: String,
    #[serde(default)]
    topology: Option<TopologyMatch>,
    #[serde(default)]
    expression: String,
}

impl From<WhenForm> for When {
    fn from(form: WhenForm) -> Self {
        Self(WhenSpec {
            platform: form.platform.map(Into::into),
            gpu_architecture: form.gpu_architecture.map(Into::into),
            workload_kind: form.workload_kind,
            topology: form.topology,
            config: None,
            expression: form.expression,
        })
    }
}

/// Reads a text, a list or (where there is a third form) a mapping. `#[serde(untagged)]` would lose the place and the
/// reason of an error inside.
macro_rules! forms {
    ($type:ident, $wanted:literal, $text:expr, $list:expr $(, $map:expr)?) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Forms;
                impl<'de> Visitor<'de> for Forms {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($wanted)
                    }
                    fn visit_str<E>(self, text: &str) -> Result<$type, E> {
                        Ok($text(text.to_owned()))
                    }
                    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<$type, A::Error> {
                        Deserialize::deserialize(SeqAccessDeserializer::new(list)).map($list)
                    }
                    $(fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$type, A::Error> {
                        Deserialize::deserialize(MapAccessDeserializer::new(map)).map($map)
                    })?
                }
                deserializer.deserialize_any(Forms)
            }
        }
    };
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
enum Matcher {
    One(String),
    Several(Vec<String>),
    Full(StringMatch),
}
forms!(
    Matcher,
    "a name, a list of names, or a mapping with equals, in or notIn",
    Matcher::One,
    Matcher::Several,
    Matcher::Full
);

impl From<Matcher> for StringMatch {
    fn from(matcher: Matcher) -> Self {
        match matcher {
            Matcher::One(equals) => Self { equals, ..Self::default() },
            Matcher::Several(one_of) => Self { one_of, ..Self::default() },
            Matcher::Full(full) => full,
        }
    }
}

/// One word of a command line, or several that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Words {
    /// One word.
    One(String),
    /// Several.
    Several(Vec<String>),
}
forms!(Words, "a word or a list of words", Words::One, Words::Several);

impl Words {
    /// The words.
    pub fn iter(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::One(word) => std::slice::from_ref(word).iter(),
            Self::Several(words) => words.iter(),
        }
    }
}

/// A list of variables: written in place, or the name of one of [`super::Catalogue::environments`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Variables {
    /// The name of a list.
    Named(String),
    /// The list.
    Inline(Vec<Variable>),
}
forms!(Variables, "a list of variables, or the name of one of the environments", Variables::Named, Variables::Inline);

impl Default for Variables {
    fn default() -> Self {
        Self::Inline(Vec::new())
    }
}

impl Variables {
    /// True for no variables at all.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Inline(list) if list.is_empty())
    }
}

/// One variable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// When it is there.
    #[serde(default, rename = "if", skip_serializing_if = "is_default")]
    pub condition: Condition,
}

/// A list of variables under a name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Environment {
    /// Name.
    pub name: String,
    /// The variables.
    pub variables: Vec<Variable>,
}

/// A toleration under a name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamedToleration {
    /// Name.
    pub name: String,
    /// Taint key; empty with `Exists` tolerates every taint.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// `Exists` or `Equal`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// Taint value for `Equal`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Effect; empty tolerates every effect.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub effect: String,
}

/// Conditions on the edition and on what a run gives; those given must all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Condition {
    /// One of these editions; empty is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub editions: Vec<String>,
    /// Nodes per job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Count>,
    /// GPUs per node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<Count>,
    /// NICs per node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nics: Option<Count>,
    /// Whether the NIC resource has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nic_resource: Option<Presence>,
    /// Whether multi-node NVLink is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mnnvl: Option<bool>,
}

/// Whether a text is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Presence {
    /// Not empty.
    Set,
    /// Empty.
    Unset,
}

/// Conditions on a number; those given must all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Count {
    /// Exactly this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<i32>,
    /// One of these; empty is no condition.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<i32>,
    /// More than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greater_than: Option<i32>,
    /// Less than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub less_than: Option<i32>,
}

/// A Kubernetes object, with the condition under which it exists.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Object {
    /// When it exists.
    #[serde(default, rename = "if", skip_serializing_if = "is_default")]
    pub condition: Condition,
    /// The object.
    #[serde(flatten)]
    pub body: Map<String, Value>,
}

/// A patch on the worker pods of the run's runtime (05 §1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkerPatch {
    /// When it applies.
    #[serde(default, rename = "if", skip_serializing_if = "is_default")]
    pub condition: Condition,
    /// Resource claims of pod and container.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Limits and requests of the container alike; null removes what the runtime has.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Value>,
    /// Linux capabilities that the container is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Variables of the container; MPI ranks do not see them.
    #[serde(default, skip_serializing_if = "Variables::is_empty")]
    pub env: Variables,
    /// Names of tolerations, which replace those of the runtime.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<String>,
    /// Annotations of the Job.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub job_annotations: BTreeMap<String, String>,
    /// Annotations of the pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pod_annotations: BTreeMap<String, String>,
    /// Anything else in the spec of the pods, as Kubernetes spells it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub pod: Map<String, Value>,
    /// Anything else in the container.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub container: Map<String, Value>,
}

/// A claim made from a template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Claim {
    /// Name within the pod.
    pub name: String,
    /// The ResourceClaimTemplate.
    pub template: String,
}

/// Something to know about a platform and GPU under an edition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Advice {
    /// Where it holds.
    #[serde(default)]
    pub when: When,
    /// Editions of which it holds; empty is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub editions: Vec<String>,
    /// What there is to know.
    pub message: String,
    /// The way out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub help: String,
}

impl Entry {
    /// When the entry matches under an edition.
    pub fn when(&self, edition: &str) -> &WhenSpec {
        &self.when_by_edition.get(edition).unwrap_or(&self.when).0
    }

    /// True when some part of the entry depends on an input, in a placeholder or in a condition.
    pub fn uses(&self, input: Input) -> bool {
        fn walk(value: &Value, input: Input) -> bool {
            match value {
                Value::String(text) => super::expand::mentions(text, input),
                Value::Array(items) => items.iter().any(|v| walk(v, input)),
                Value::Object(map) => map.iter().any(|(key, value)| {
                    super::expand::mentions(key, input)
                        || (key == "if" && value.get(input.name()).is_some())
                        || walk(value, input)
                }),
                _ => false,
            }
        }
        serde_json::to_value(self).is_ok_and(|value| walk(&value, input))
    }
}
