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
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $number:literal, $severity:ident, $area:ident;)+) => {
        /// A rule, by its stable number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
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
            /// The rule in one paragraph, as in the documentation.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii_start(),)+ }
            }
        }
    };
}

codes! {
    // Reading: NV001–NV029.
    /// The text is not YAML or JSON.
    Syntax = 1, Error, Reading;
    /// A key stands twice in one mapping (09; 08 row 28).
    DuplicateKey = 2, Error, Reading;
    /// A limit on size, depth or aliases is exceeded (00 D71).
    LimitExceeded = 3, Error, Reading;
    /// A scalar is read by Kubernetes as another type than the field wants (09; 08 rows 27, 29).
    WrongType = 4, Error, Reading;
    /// A field that the type does not have (00 D5).
    UnknownField = 5, Error, Reading;
    /// A required field is missing.
    MissingField = 6, Error, Reading;
    /// The file holds another kind of object than the one wanted, or not exactly one (08 row 32).
    WrongKind = 7, Error, Reading;
    /// The text is in an encoding that is not read (UTF-16, UTF-32, Latin-1; 08 row 31).
    Encoding = 8, Error, Reading;
    /// A number is outside of the range of its type.
    OutOfRange = 9, Error, Reading;
    /// A YAML feature that Kubernetes does not read (tags, complex keys, undefined aliases).
    UnsupportedYaml = 10, Error, Reading;
    /// The apiVersion is not the one of this version of the API.
    WrongApiVersion = 11, Error, Reading;
    /// The input broke off before its end.
    Unreadable = 12, Error, Reading;

    // Run: NV030–NV099.

    // Fleet: NV100–NV139.
    /// The value of a node's label is no string (00 D35).
    NodeLabelType = 100, Error, Fleet;
    /// A node of the inventory has no name (00 D35).
    NodeWithoutName = 101, Error, Fleet;
    /// The inventory holds something that is no Node, List, NodeList or ResourceSlice (00 D35; 08 row 32).
    InventoryKind = 102, Error, Fleet;
    /// A node stands twice in the inventory with different content (00 D70).
    NodeTwice = 103, Error, Fleet;
    /// A file of the inventory holds no document.
    InventoryEmpty = 104, Error, Fleet;
    /// A field of a node or ResourceSlice is of another type than Kubernetes writes.
    NodeFieldType = 105, Error, Fleet;

    // Catalogue: NV140–NV159.

    // Overrides: NV160–NV199.

    // Workflow: NV200–NV249.

    // Jobs: NV250–NV299.
}

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
