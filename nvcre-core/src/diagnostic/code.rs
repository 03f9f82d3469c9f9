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

    // Workflow: NV200–NV249.

    // Jobs: NV250–NV299.
    /// The size of a job is missing, zero or negative (03 §5.1; 08 row 16).
    JobSize = 250, Error, Jobs;
    /// A job needs more nodes than take part; sizes are never clamped (03 §5.1, 00 D36).
    TooFewNodes = 251, Error, Jobs;
    /// Nodes lack the label that names their topology domain (03 §5.3, 00 D29).
    MissingTopologyLabel = 252, Error, Jobs;
    /// Placement `Unpinned` together with something that needs several jobs (03 §5.7).
    PlacementConflict = 253, Error, Jobs;
    /// A group is larger or smaller than the size asked for (03 §5.3–5.4, 00 D74).
    GroupSize = 254, Warning, Jobs;
    /// Nodes are in a full group and in an overflow group (03 §5.2–5.3, 00 D14).
    NodesRunTwice = 255, Notice, Jobs;
    /// A node has no hostname label, or two nodes share one: pods may not land there (00 D24).
    HostnameLabel = 256, Warning, Jobs;
    /// The target names nodes that the inventory does not have (00 D79).
    UnknownNodeNames = 257, Warning, Jobs;
    /// Two jobs or two per-job copies would have the same name (00 D57).
    NamesCollide = 258, Error, Jobs;
    /// The name of the run makes illegal TrainJob names or labels (08 row 22, 00 D21).
    IllegalRunName = 259, Error, Jobs;
    /// Names of Jobs and pods below a TrainJob become longer than a cluster allows (08 row 22, 00 D21, D26).
    NameTooLong = 260, Error, Jobs;
    /// A run has more jobs than can be named.
    TooManyJobs = 261, Error, Jobs;
    /// A dependency has no kind or name, or two have the same (03 §6.4).
    InvalidDependency = 262, Error, Jobs;
    /// A checkpoint names a claim that is not among the dependencies (03 §6.2).
    CheckpointPVCMissing = 263, Error, Jobs;
    /// A dependency is mentioned only outside of reference fields: all jobs share it (00 D72).
    SharedDependency = 264, Warning, Jobs;
    /// The reference engine does something else than what is shown (00 D60).
    EngineDiffers = 265, Warning, Jobs;
    /// A node affinity that is there matches nothing (08 rows 25, 26).
    EmptyAffinityTerm = 266, Error, Jobs;
    /// An Unpinned job would be pinned to product labels that only a ResourceSlice knows (03 §6.5).
    SynthesizedProducts = 267, Error, Jobs;
    /// Runtime patches that Trainer refuses (08 rows 21, 24a).
    RuntimePatches = 268, Error, Jobs;
    /// Replicated jobs that JobSet refuses (08 rows 14, 16).
    ReplicatedJobs = 269, Error, Jobs;
    /// A variable that Trainer sets itself (08 row 18).
    ReservedTrainerEnv = 270, Error, Jobs;
    /// Duplicate or too many variables of the trainer (08 rows 19, 23).
    TrainerEnv = 271, Error, Jobs;
    /// Command or arguments of the trainer have too many or too long words (08 row 23, 00 D54).
    TooManyWords = 272, Error, Jobs;
    /// A runtime has more than one ML policy, or fields that Trainer no longer has (08 rows 17, 24a).
    MlPolicy = 273, Error, Jobs;
    /// A count is zero or negative (08 row 16).
    NegativeCount = 274, Error, Jobs;
    /// A field that has no effect without the engine's controller (00 D69, D81).
    NoEffectInDelivery = 275, Warning, Jobs;
    /// The run does not fit into a run record (10 §2).
    RecordTooLarge = 276, Error, Jobs;
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
