//! The table of all findings. A code never changes its meaning and is never used again.
//!
//! `docs/findings.md` is made from this table and from `fixtures/findings/` by a test.

use super::Severity;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The part of the road that raises a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// Reading text (09).
    Reading,
    /// The fields of a run (01).
    Run,
    /// Nodes (03 §1–4).
    Fleet,
    /// Catalogue files (05).
    Catalogue,
    /// Overrides (04).
    Overrides,
    /// The Workflow (02).
    Workflow,
    /// Groups, names and manifests (03 §5–6, 10).
    Jobs,
    /// Comparing two renderings.
    Compare,
    /// What renders and is likely not meant.
    Lint,
    /// Whether the pods find nodes.
    Schedule,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $number:literal, $severity:ident, $area:ident $(, $basis:literal)?;)+) => {
        /// A rule, by its stable number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $(#[doc = concat!("\n\nRests on ", $basis, ".")])? $name,)+
        }
        impl Code {
            /// Every code, in the order of numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];
            /// The number behind `NV`.
            pub const fn number(self) -> u16 {
                match self { $(Self::$name => $number,)+ }
            }
            /// The severity that a finding of this code has unless a mode says otherwise.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)+ }
            }
            /// Who raises it.
            pub const fn area(self) -> Area {
                match self { $(Self::$name => Area::$area,)+ }
            }
            /// What the rule rests on; for lints a public fact by name, for others a chapter of the specification.
            pub const fn basis(self) -> &'static str {
                match self { $(Self::$name => concat!($($basis)?),)+ }
            }
            /// The rule in one paragraph, as in the documentation.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii_start(),)+ }
            }
        }
    };
}

mod table;

pub use table::Code;

impl Code {
    /// The code of a text such as `NV005`.
    pub fn parse(text: &str) -> Option<Self> {
        let number: u16 = text.strip_prefix("NV")?.parse().ok()?;
        Self::ALL.iter().copied().find(|c| c.number() == number)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NV{:03}", self.number())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("{text} is not a code of this version")))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Code {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^NV[0-9]{3}$" })
    }
}
