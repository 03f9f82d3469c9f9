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

    // Run: NV030–NV099.

    // Fleet: NV100–NV139.

    // Catalogue: NV140–NV159.

    // Overrides: NV160–NV199.
    /// A CEL expression of an override does not compile, is not of type bool or cannot be evaluated (04 §2.5).
    OverrideExpression = 160, Error, Overrides;
    /// This build of the library has no CEL, so an override with an expression cannot be decided (00 D18).
    ExpressionUnsupported = 161, Error, Overrides;
    /// A part of an override has another shape than its kind of patch: a job template that is no object, a JSON patch
    /// that is no list, a dependency that is no object (04 §1).
    OverrideShape = 162, Error, Overrides;
    /// A key beginning with `$` in a job template patch that is not supported (04 §4.1).
    PatchDirective = 163, Error, Overrides;
    /// An operation of a JSON patch is malformed (04 §4.2).
    JsonPatchOperation = 164, Error, Overrides;
    /// An operation of a JSON patch cannot be applied to the job template (04 §4.2).
    JsonPatchFailed = 165, Error, Overrides;
    /// A `test` of a JSON patch does not hold (04 §4.2).
    JsonPatchTest = 166, Error, Overrides;
    /// A dependency of an override lacks apiVersion, kind or name (04 §5.1).
    DependencyIdentity = 167, Error, Overrides;
    /// A dependency has a condition of its own, which nothing evaluates (00 D16).
    DependencyCondition = 168, Error, Overrides;
    /// An override with a condition on the validation config never applies (00 D16).
    ConfigCondition = 169, Warning, Overrides;
    /// A condition names a platform that is not known (04 §2.1).
    UnknownPlatform = 170, Warning, Overrides;
    /// A condition names a GPU architecture that is not known (04 §2.1).
    UnknownArchitecture = 171, Warning, Overrides;
    /// A condition wants a value that never occurs (04 §2.1, §11).
    ConditionNeverHolds = 172, Warning, Overrides;
    /// An override adds mpirun arguments to a run without mpirun (04 §8.1).
    MpiArgsWithoutMpi = 173, Warning, Overrides;
    /// An override puts a variable into the trainer's env that Kubeflow Trainer sets itself (08 row 18).
    ReservedTrainerEnv = 174, Error, Overrides;
    /// An override leaves a name twice in the trainer's env (08 row 19).
    DuplicateTrainerEnv = 175, Error, Overrides;
    /// The timeout of an override is zero or negative (00 D45).
    OverrideTimeout = 176, Error, Overrides;
    /// A number in the orchestration of an override is out of range (04 §6).
    OverrideRange = 177, Error, Overrides;
    /// The placement of an override is no placement (00 D41).
    OverridePlacement = 178, Error, Overrides;
    /// After an override the job template cannot be read any more (04 §4.1).
    JobTemplateType = 179, Error, Overrides;
    /// mpirun gets an option twice with different values; Open MPI 5 refuses that (00 D59).
    RepeatedMpiOption = 180, Warning, Overrides;
    /// A null stands in a list, where it deletes nothing (04 §5.2).
    NullElement = 181, Error, Overrides;
    /// An override holds nothing but its condition.
    OverrideEmpty = 182, Warning, Overrides;
    /// An override applies but changes nothing (04 §10).
    OverrideNoOp = 183, Notice, Overrides;

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
