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
    /// A text that the grammar of its field does not allow: no quantity, no duration, none of the allowed words.
    BadValue = 12, Error, Reading;
    /// The input broke off before its end.
    Unreadable = 13, Error, Reading;

    // Run: NV030–NV099.
    /// A required text is empty (01 §5.5 WR-01, 04, 05, 16, 21, 22).
    EmptyField = 30, Error, Run;
    /// Not exactly one framework (WR-02).
    FrameworkChoice = 31, Error, Run;
    /// Not exactly one of script and module (WR-03).
    TorchChoice = 32, Error, Run;
    /// A number below its minimum (WR-06, 08, 09, 11, 13; 08 row 16).
    BelowMinimum = 33, Error, Run;
    /// Both inline files and a ConfigMap reference (WR-07).
    ConfigChoice = 34, Error, Run;
    /// A NIC resource name that is no extended resource of a domain of its own (WR-10).
    BadResourceName = 35, Error, Run;
    /// A storage size outside of its grammar (WR-11).
    BadStorageSize = 36, Error, Run;
    /// A word that is none of the allowed ones (WR-12; 00 D51).
    NotAllowed = 37, Error, Run;
    /// A timeout that does not parse: 24h is used (00 D6).
    TimeoutUnreadable = 38, Warning, Run;
    /// A duration that does not parse, or a timeout of zero or below (00 D45).
    BadDuration = 39, Error, Run;
    /// Settings of orchestration that exclude each other (WR-15; 02 §7.6; 00 D39).
    PlacementConflict = 40, Error, Run;
    /// A queue that is no label value (WR-17).
    BadQueue = 41, Error, Run;
    /// A label key that the engine, Trainer or JobSet set themselves (WR-18, 19; 00 D44).
    ReservedLabel = 42, Error, Run;
    /// A label key or value outside of its grammar (WR-18, 19).
    BadLabel = 43, Error, Run;
    /// More than 32 labels on the workload object (WR-19, 20).
    TooManyLabels = 44, Error, Run;
    /// A label of the run contradicts the queue of its gang scheduler (WR-20).
    LabelConflict = 45, Error, Run;
    /// A threshold on a metric that nobody measures (WR-25).
    UnknownThreshold = 46, Error, Run;
    /// A priority class name outside of its grammar (WR-24).
    BadPriorityClass = 47, Error, Run;
    /// A name of an object outside of its grammar.
    BadName = 48, Error, Run;
    /// A name stands twice in `spec.env`: the last one counts (00 D37).
    DuplicateEnv = 50, Warning, Run;
    /// A variable that Trainer sets itself (08 row 18).
    ReservedEnv = 51, Warning, Run;
    /// A variable whose name no container takes.
    BadEnvName = 52, Error, Run;
    /// A variable with a value and a source, or with none or several sources.
    EnvSource = 53, Error, Run;
    /// A volume, mount or init container that takes a name or path of the engine's own (00 D43).
    ReservedPodPart = 54, Error, Run;
    /// `config` without a file and without a reference: nothing is mounted (00 D42).
    EmptyConfig = 55, Warning, Run;
    /// A word that bash changes where a platform wraps the command (00 D9).
    ShellExpansion = 56, Warning, Run;
    /// A job of several nodes without fixed nodes and without a gang scheduler (00 D55).
    UnpinnedWithoutGang = 57, Warning, Run;
    /// Run:ai without a queue of its own (00 D55).
    RunaiQueue = 58, Warning, Run;
    /// The launcher's own limit of an hour ends the job before its timeout (00 D45).
    LauncherLimit = 59, Warning, Run;
    /// A field that is accepted and has no effect here (00 D52, D69, D81).
    NoEffect = 60, Warning, Run;
    /// A node selector that can never hold or that Kubernetes refuses (00 D12).
    BadSelector = 61, Error, Run;
    /// The checkpoint volume is claimed, and no pod mounts it (00 D52).
    CheckpointNotMounted = 62, Warning, Run;
    /// No GPU architecture is known, so entries with a GPU condition do not apply (00 D58).
    NoArchitecture = 66, Warning, Run;
    /// A flag that contradicts the run or another flag (06 §4.1, §5.3).
    FlagConflict = 67, Error, Run;
    /// A flag lowers the size of the groups (00 D48).
    SizeLowered = 68, Warning, Run;
    /// An edition that the catalogue does not have.
    UnknownEdition = 69, Error, Run;
    /// A pull secret, volume, mount or container stands twice under one name.
    DuplicateName = 70, Error, Run;
    /// A topology that has no key: no domain can be told (00 D3, D39).
    NoTopologyKey = 72, Error, Run;
    /// A topology key without effect under Unpinned (00 D4).
    TopologyUnused = 73, Warning, Run;

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
    /// No node takes part: the inventory is empty, or a filter keeps every node out (03 §0, 00 D27).
    NoEligibleNodes = 106, Error, Fleet;
    /// Nodes of several platforms match the target, and no flag settles which one counts (03 §2, 00 D13).
    HeterogeneousPlatform = 107, Error, Fleet;
    /// The platform flag says something else than the nodes; the flag wins (00 D30, D78).
    PlatformOverridden = 108, Warning, Fleet;
    /// A platform that the catalogue does not have (06 §3.1).
    UnknownPlatform = 109, Error, Fleet;
    /// A GPU architecture given by hand that the hardware table does not have (03 §3.2).
    UnknownArchitecture = 110, Error, Fleet;
    /// No node is of the GPU architecture that the flag asks for (00 D64).
    NoNodeOfArchitecture = 111, Error, Fleet;
    /// More nodes name no GPU architecture than the most frequent one has (00 D32).
    UndeterminedArchitecture = 112, Error, Fleet;
    /// Nodes of other GPU architectures than the most frequent one are left out (03 §1.6).
    HeterogeneousGpu = 113, Warning, Fleet;
    /// A product label names no GPU; such nodes count as unlabelled (00 D32).
    PlaceholderProduct = 114, Warning, Fleet;
    /// Cordoned GPU nodes of the target are left out (03 §1.5).
    CordonedNodesExcluded = 115, Warning, Fleet;
    /// Nodes look like GPU nodes but lack the label `nvidia.com/gpu.present` (00 D27).
    UnlabelledGpuNodes = 116, Notice, Fleet;
    /// `nodeNames` lists names that no node of the inventory has (00 D79).
    UnknownNodeNames = 117, Warning, Fleet;
    /// Nodes that take part have no allocatable GPU (00 D28).
    NoAllocatableGpus = 118, Warning, Fleet;
    /// Nodes that take part have their GPUs split by MIG (00 D28).
    MigNodes = 119, Warning, Fleet;
    /// Nodes that take part share their GPUs in time (00 D28).
    SharedGpus = 120, Warning, Fleet;
    /// Nodes that take part are not Ready (00 D28).
    NodesNotReady = 121, Warning, Fleet;
    /// Nodes that take part carry a taint of a broken or leaving node (00 D28).
    UnhealthyTaint = 122, Warning, Fleet;
    /// Nodes that take part are virtual kubelets (00 D28).
    VirtualKubelet = 123, Warning, Fleet;
    /// Nodes that take part run another operating system than Linux (00 D28).
    OtherOperatingSystem = 124, Warning, Fleet;
    /// A node's number of GPUs is no whole number; the node is kept (03 §1.7, 00 D34).
    GpuCountNotWhole = 125, Warning, Fleet;
    /// Nodes with fewer GPUs than a pod requests are left out (03 §1.7).
    InsufficientGpuCapacity = 126, Warning, Fleet;
    /// No node has as many GPUs as a pod requests (03 §1.7).
    NoNodeWithEnoughGpus = 127, Error, Fleet;
    /// One job needs more nodes than take part (03 §5.1).
    NotEnoughNodes = 128, Error, Fleet;
    /// An unpinned job without an explicit size (03 §5.1).
    UnpinnedWithoutSize = 129, Error, Fleet;
    /// The RDMA NIC resource could not be told from the nodes; none is requested (03 §4).
    NicResourceDetection = 130, Notice, Fleet;
    /// The GPU architecture is in no row of the hardware table; the fallback counts (03 §3.4).
    GpuArchitectureDefaults = 131, Notice, Fleet;
    /// Nodes lack the label that pods are bound by (00 D24).
    MissingHostnameLabel = 132, Warning, Fleet;
    /// Nodes share the host name that pods are bound by (00 D24).
    DuplicateHostnameLabel = 133, Warning, Fleet;
    /// A requested extended resource that no node of the fleet offers (00 D33).
    ResourceNotOffered = 134, Warning, Fleet;
    /// The platform has no default label for topology domains (06 §5.3, 00 D78).
    NoDefaultTopologyKey = 135, Error, Fleet;
    /// An override sets a target whose nodes are of another platform or GPU architecture (00 D76).
    OverrideChangesFleet = 136, Error, Fleet;
    /// Jobs and manifests are wanted without nodes (00 D62).
    NoInventory = 137, Error, Fleet;

    // Catalogue: NV140–NV159.
    /// Two parts of a catalogue have the same name or number.
    CatalogueDuplicate = 140, Error, Catalogue;
    /// A catalogue speaks of a platform, architecture, edition, environment or toleration that it does not have.
    CatalogueUnknownName = 141, Error, Catalogue;
    /// A placeholder that does not exist, or a number in the middle of a text.
    CataloguePlaceholder = 142, Error, Catalogue;
    /// Two entries can match the same platform, GPU and framework and both set `trainer.env`: the second would wipe the
    /// first (05 §6.5).
    CatalogueTrainerEnv = 143, Error, Catalogue;
    /// A variable stands twice in one list (05 §6.6), or its name is no variable name.
    CatalogueVariable = 144, Error, Catalogue;
    /// A variable that Trainer keeps for itself would land in `trainer.env` (08 row 18).
    CatalogueReservedVariable = 145, Error, Catalogue;
    /// A resource whose name or quantity Kubernetes does not take.
    CatalogueResource = 146, Error, Catalogue;
    /// A label or annotation key that Kubernetes does not take.
    CatalogueLabelKey = 147, Error, Catalogue;
    /// A `jobTemplatePatch` that is no list of RFC 6902 operations.
    CatalogueJobTemplatePatch = 148, Error, Catalogue;
    /// A detection rule that is never reached, because an earlier one holds for every node that it holds for.
    CatalogueUnreachableRule = 149, Error, Catalogue;
    /// A value that makes no sense where it stands: an empty name, a name that is not in kebab case, a negative count.
    CatalogueValue = 150, Error, Catalogue;
    /// An object without `apiVersion`, `kind` or `metadata.name`.
    CatalogueObject = 151, Error, Catalogue;
    /// A part of a catalogue that nothing uses or that has no effect.
    CatalogueUnused = 152, Warning, Catalogue;

    /// What the catalogue advises for the platform, GPU and edition of a run (00 D1).
    PlatformAdvice = 159, Warning, Catalogue;

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
    ConditionPlatform = 170, Warning, Overrides;
    /// A condition names a GPU architecture that is not known (04 §2.1).
    ConditionArchitecture = 171, Warning, Overrides;
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
    /// mpirun gets an option twice with different values; Open MPI 5 refuses that (00 D59).
    RepeatedMpiOption = 180, Warning, Overrides;
    /// A null stands in a list, where it deletes nothing (04 §5.2).
    NullElement = 181, Error, Overrides;
    /// An override holds nothing but its condition.
    OverrideEmpty = 182, Warning, Overrides;
    /// An override applies but changes nothing (04 §10).
    OverrideNoOp = 183, Notice, Overrides;

    // Workflow: NV200–NV249.
    /// The resolved manifests contradict the gang scheduler of the run (02 §10.4).
    GangContract = 200, Error, Workflow;
    /// The resolved job template does not fit its type.
    BadResult = 203, Error, Workflow;
    /// The reference engine does something else in delivery `controller` (00 D60).
    ControllerDiffers = 205, Warning, Workflow;
    /// A template without a platform leaves out what is only known with one (02 §12).
    Unresolved = 207, Notice, Workflow;

    // Jobs: NV250–NV299.
    /// The size of a job is missing, zero or negative (03 §5.1; 08 row 16).
    JobSize = 250, Error, Jobs;
    /// Nodes lack the label that names their topology domain (03 §5.3, 00 D29).
    MissingTopologyLabel = 252, Error, Jobs;
    /// A group is larger or smaller than the size asked for (03 §5.3–5.4, 00 D74).
    GroupSize = 254, Warning, Jobs;
    /// Nodes are in a full group and in an overflow group (03 §5.2–5.3, 00 D14).
    NodesRunTwice = 255, Notice, Jobs;
    /// A node has no hostname label, or two nodes share one: pods may not land there (00 D24).
    HostnameLabel = 256, Warning, Jobs;
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
