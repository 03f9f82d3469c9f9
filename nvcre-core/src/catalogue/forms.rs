//! Fields that may be written in a short form: a name for a list of one, a list of words, a list under a name.

use super::Variable;
use crate::api::{StringMatch, TopologyMatch, WhenSpec};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

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
            Matcher::Several(mut one_of) => match one_of.pop() {
                Some(equals) if one_of.is_empty() => Self { equals, ..Self::default() },
                last => Self { one_of: one_of.into_iter().chain(last).collect(), ..Self::default() },
            },
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn short_forms_of_when() {
        for (short, full) in [
            (json!("aws"), json!({ "equals": "aws" })),
            (json!(["aws"]), json!({ "equals": "aws" })),
            (json!(["aws", "gcp"]), json!({ "in": ["aws", "gcp"] })),
            (json!([]), json!({})),
            (json!({ "notIn": ["aws"] }), json!({ "notIn": ["aws"] })),
        ] {
            let when: When = serde_json::from_value(json!({ "platform": short })).unwrap();
            assert_eq!(json!(when), json!({ "platform": full }), "{short}");
        }
        for bad in [json!({ "platform": 7 }), json!({ "gpu": "h100" }), json!({ "config": {} }), Value::Null] {
            assert!(serde_json::from_value::<When>(bad.clone()).is_err(), "{bad}");
        }
    }
}
