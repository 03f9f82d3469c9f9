//! The table: name, number, severity, area, and what the rule rests on.

use super::{Area, Severity};

codes! {
    // Reading: NV001–NV029.
    /// The text is not YAML or JSON.
    Syntax = 1, Error, Reading;
    /// A key stands twice in one mapping.
    DuplicateKey = 2, Error, Reading, "09; 08 row 28";
    /// A limit on size, depth or aliases is exceeded.
    LimitExceeded = 3, Error, Reading, "00 D71";
    /// A scalar is read by Kubernetes as another type than the field wants.
    WrongType = 4, Error, Reading, "09; 08 rows 27, 29";
    /// A field that the type does not have.
    UnknownField = 5, Error, Reading, "00 D5";
    /// A required field is missing.
    MissingField = 6, Error, Reading;
    /// The file holds another kind of object than the one wanted, or none.
    WrongKind = 7, Error, Reading, "08 row 32";
    /// The text is in an encoding that is not read: UTF-16, UTF-32, Latin-1.
    Encoding = 8, Error, Reading, "08 row 31";
    /// A number is outside of the range of its type.
    OutOfRange = 9, Error, Reading;
    /// A YAML feature that Kubernetes does not read (tags, complex keys, undefined aliases).
    UnsupportedYaml = 10, Error, Reading;
    /// The apiVersion is not the one of this version of the API.
    WrongApiVersion = 11, Error, Reading;
    /// A text that the grammar of its field does not allow: no quantity, no duration, none of the allowed words.
    BadValue = 12, Error, Reading;
    /// The input cannot be opened, or broke off before its end.
    Unreadable = 13, Error, Reading;
    /// The file of a run holds a second object.
    ExtraDocument = 14, Error, Reading, "08 row 32";

    // Run: NV030–NV099.
    /// A required text is empty.
    EmptyField = 30, Error, Run, "01 §5.5 WR-01, 04, 05, 16, 21, 22";
    /// Not exactly one framework.
    FrameworkChoice = 31, Error, Run, "WR-02";
    /// Not exactly one of script and module.
    TorchChoice = 32, Error, Run, "WR-03";
    /// A number below its minimum.
    BelowMinimum = 33, Error, Run, "WR-06, 08, 09, 11, 13; 08 row 16";
    /// Both inline files and a ConfigMap reference.
    ConfigChoice = 34, Error, Run, "WR-07";
    /// A NIC resource name that is no extended resource of a domain of its own.
    BadResourceName = 35, Error, Run, "WR-10";
    /// A storage size outside of its grammar.
    BadStorageSize = 36, Error, Run, "WR-11";
    /// A word that is none of the allowed ones.
    NotAllowed = 37, Error, Run, "WR-12; 00 D51";
    /// A timeout that does not parse: 24h is used.
    TimeoutUnreadable = 38, Warning, Run, "00 D6";
    /// A duration that does not parse where one must, or a limit per job of zero or less.
    BadDuration = 39, Error, Run, "00 D45";
    /// Settings of orchestration that exclude each other.
    PlacementConflict = 40, Error, Run, "WR-15; 02 §7.6; 00 D39";
    /// A queue that is no label value.
    BadQueue = 41, Error, Run, "WR-17";
    /// A label key that the engine, Trainer or JobSet set themselves.
    ReservedLabel = 42, Error, Run, "WR-18, 19; 00 D44";
    /// A label key or value outside of its grammar.
    BadLabel = 43, Error, Run, "WR-18, 19";
    /// More than 32 labels on the workload object.
    TooManyLabels = 44, Error, Run, "WR-19, 20";
    /// A label of the run contradicts the queue of its gang scheduler.
    LabelConflict = 45, Error, Run, "WR-20";
    /// A threshold on a metric that nobody measures.
    UnknownThreshold = 46, Error, Run, "WR-25";
    /// A priority class name outside of its grammar.
    BadPriorityClass = 47, Error, Run, "WR-24";
    /// A name of an object outside of its grammar.
    BadName = 48, Error, Run;
    /// An image that is longer than Trainer takes, or that holds blanks or control characters.
    BadImage = 49, Error, Run, "01 §3.2";
    /// A name stands twice in `spec.env`: the last one counts.
    DuplicateEnv = 50, Warning, Run, "00 D37";
    /// A variable that Trainer sets itself.
    ReservedEnv = 51, Warning, Run, "08 row 18";
    /// A variable whose name no container takes.
    BadEnvName = 52, Error, Run;
    /// A variable with a value and a source, or with none or several sources.
    EnvSource = 53, Error, Run;
    /// A volume, mount or init container that takes a name or path of the engine's own.
    ReservedPodPart = 54, Error, Run, "00 D43";
    /// `config` without a file and without a reference: nothing is mounted.
    EmptyConfig = 55, Warning, Run, "00 D42";
    /// A word that bash changes where a platform wraps the command.
    ShellExpansion = 56, Warning, Run, "00 D9";
    /// A job of several nodes without fixed nodes and without a gang scheduler.
    UnpinnedWithoutGang = 57, Warning, Run, "00 D55";
    /// Run:ai without a queue of its own.
    RunaiQueue = 58, Warning, Run, "00 D55";
    /// The launcher's own limit of an hour ends the job before its timeout.
    LauncherLimit = 59, Warning, Run, "00 D45";
    /// A field that is accepted and has no effect here.
    NoEffect = 60, Warning, Run, "00 D52, D69, D81";
    /// A node selector that can never hold or that Kubernetes refuses.
    BadSelector = 61, Error, Run, "00 D12";
    /// The checkpoint volume is claimed, and no pod mounts it.
    CheckpointNotMounted = 62, Warning, Run, "00 D52";
    /// A volume without a source, with several, or with one that Kubernetes refuses.
    VolumeSource = 63, Error, Run, "00 D25";
    /// A mount whose path Kubernetes refuses.
    MountPath = 64, Error, Run, "00 D25";
    /// A mount of a volume that the pod does not have.
    UnknownVolume = 65, Error, Run, "00 D25";
    /// No GPU architecture is known, so entries with a GPU condition do not apply.
    NoArchitecture = 66, Warning, Run, "00 D58";
    /// A flag that contradicts the run or another flag.
    FlagConflict = 67, Error, Run, "06 §4.1, §5.3";
    /// A flag lowers the size of the groups.
    SizeLowered = 68, Warning, Run, "00 D48";
    /// An edition that the catalogue does not have.
    UnknownEdition = 69, Error, Run;
    /// A pull secret, volume, mount, container, variable or another element of a list that is keyed by name stands twice.
    DuplicateName = 70, Error, Run;
    /// A topology that has no key: no domain can be told.
    NoTopologyKey = 72, Error, Run, "00 D3, D39";
    /// A topology key without effect under Unpinned.
    TopologyUnused = 73, Warning, Run, "00 D4";
    /// A resource of a container whose name or amount Kubernetes refuses, or requests that do not fit the limits.
    ContainerResource = 75, Error, Run, "00 D25, D34";
    /// A reference to an object that cannot exist: an empty or illegal name or key.
    BadReference = 76, Error, Run, "00 D25";
    /// A toleration that Kubernetes refuses.
    BadToleration = 77, Error, Run, "00 D25";
    /// More processes per node than a pod has GPUs.
    MoreProcessesThanGpus = 78, Warning, Run, "02 §4.4";
    /// A threshold that is no CEL expression over `value`.
    BadThreshold = 94, Error, Run, "01 §7; 00 D18";
    /// An option at the end of `mpiArgs` that takes what follows: the binary of the run.
    DanglingOption = 95, Warning, Run;
    /// The annotation that accepts findings holds something that is no code.
    AllowedUnknown = 96, Warning, Run;
    /// The annotation that accepts findings names an error.
    AllowedError = 97, Warning, Run;
    /// An accepted finding does not occur.
    AllowedUnused = 98, Notice, Run;

    // Fleet: NV100–NV139.
    /// The value of a node's label is no string.
    NodeLabelType = 100, Error, Fleet, "00 D35";
    /// A node of the inventory has no name.
    NodeWithoutName = 101, Error, Fleet, "00 D35";
    /// The inventory holds something that is no Node, List, NodeList or ResourceSlice.
    InventoryKind = 102, Error, Fleet, "00 D35; 08 row 32";
    /// A node stands twice in the inventory with different content.
    NodeTwice = 103, Error, Fleet, "00 D70";
    /// A file of the inventory holds no document.
    InventoryEmpty = 104, Error, Fleet;
    /// A field of a node or ResourceSlice is of another type than Kubernetes writes.
    NodeFieldType = 105, Error, Fleet;
    /// No node takes part: the inventory is empty, or a filter keeps every node out.
    NoEligibleNodes = 106, Error, Fleet, "03 §0, 00 D27";
    /// Nodes of several platforms match the target, and no flag settles which one counts.
    HeterogeneousPlatform = 107, Error, Fleet, "03 §2, 00 D13";
    /// The platform flag says something else than the nodes; the flag wins.
    PlatformOverridden = 108, Warning, Fleet, "00 D30, D78";
    /// A platform that the catalogue does not have.
    UnknownPlatform = 109, Error, Fleet, "06 §3.1";
    /// A GPU architecture given by hand that the hardware table does not have.
    UnknownArchitecture = 110, Error, Fleet, "03 §3.2";
    /// No node is of the GPU architecture that the flag asks for.
    NoNodeOfArchitecture = 111, Error, Fleet, "00 D64";
    /// More nodes name no GPU architecture than the most frequent one has.
    UndeterminedArchitecture = 112, Error, Fleet, "00 D32";
    /// Nodes of other GPU architectures than the most frequent one are left out.
    HeterogeneousGpu = 113, Warning, Fleet, "03 §1.6";
    /// A product label names no GPU; such nodes count as unlabelled.
    PlaceholderProduct = 114, Warning, Fleet, "00 D32";
    /// Cordoned GPU nodes of the target are left out.
    CordonedNodesExcluded = 115, Warning, Fleet, "03 §1.5";
    /// Nodes look like GPU nodes but lack the label `nvidia.com/gpu.present`.
    UnlabelledGpuNodes = 116, Notice, Fleet, "00 D27";
    /// `nodeNames` lists names that no node of the inventory has.
    UnknownNodeNames = 117, Warning, Fleet, "00 D79";
    /// Nodes that take part have no allocatable GPU.
    NoAllocatableGpus = 118, Warning, Fleet, "00 D28";
    /// Nodes that take part have their GPUs split by MIG.
    MigNodes = 119, Warning, Fleet, "00 D28";
    /// Nodes that take part share their GPUs in time.
    SharedGpus = 120, Warning, Fleet, "00 D28";
    /// Nodes that take part are not Ready.
    NodesNotReady = 121, Warning, Fleet, "00 D28";
    /// Nodes that take part carry a taint of a broken or leaving node.
    UnhealthyTaint = 122, Warning, Fleet, "00 D28";
    /// Nodes that take part are virtual kubelets.
    VirtualKubelet = 123, Warning, Fleet, "00 D28";
    /// Nodes that take part run another operating system than Linux.
    OtherOperatingSystem = 124, Warning, Fleet, "00 D28";
    /// A node's number of GPUs is no whole number; the node is kept.
    GpuCountNotWhole = 125, Warning, Fleet, "03 §1.7, 00 D34";
    /// Nodes with fewer GPUs than a pod requests are left out.
    InsufficientGpuCapacity = 126, Warning, Fleet, "03 §1.7";
    /// No node has as many GPUs as a pod requests.
    NoNodeWithEnoughGpus = 127, Error, Fleet, "03 §1.7";
    /// One job needs more nodes than take part.
    NotEnoughNodes = 128, Error, Fleet, "03 §5.1";
    /// An unpinned job without an explicit size.
    UnpinnedWithoutSize = 129, Error, Fleet, "03 §5.1";
    /// The RDMA NIC resource could not be told from the nodes; none is requested.
    NicResourceDetection = 130, Notice, Fleet, "03 §4";
    /// The GPU architecture is in no row of the hardware table; the fallback counts.
    GpuArchitectureDefaults = 131, Notice, Fleet, "03 §3.4";
    /// Nodes lack the label that pods are bound by.
    MissingHostnameLabel = 132, Warning, Fleet, "00 D24";
    /// Nodes share the host name that pods are bound by.
    DuplicateHostnameLabel = 133, Warning, Fleet, "00 D24";
    /// A requested extended resource that no node of the fleet offers.
    ResourceNotOffered = 134, Warning, Fleet, "00 D33";
    /// The platform has no default label for topology domains.
    NoDefaultTopologyKey = 135, Error, Fleet, "06 §5.3, 00 D78";
    /// An override sets a target whose nodes are of another platform or GPU architecture.
    OverrideChangesFleet = 136, Error, Fleet, "00 D76";
    /// Jobs and manifests are wanted without nodes.
    NoInventory = 137, Error, Fleet, "00 D62";

    // Catalogue: NV140–NV159.
    /// Two parts of a catalogue have the same name or number.
    CatalogueDuplicate = 140, Error, Catalogue;
    /// A catalogue speaks of a platform, architecture, edition, environment or toleration that it does not have.
    CatalogueUnknownName = 141, Error, Catalogue;
    /// A placeholder that does not exist, or a number in the middle of a text.
    CataloguePlaceholder = 142, Error, Catalogue;
    /// Two entries can match the same platform, GPU and framework and both set `trainer.env`: the second would wipe the
    /// first.
    CatalogueTrainerEnv = 143, Error, Catalogue, "05 §6.5";
    /// A variable stands twice in one list, or its name is no variable name.
    CatalogueVariable = 144, Error, Catalogue, "05 §6.6";
    /// A variable that Trainer keeps for itself would land in `trainer.env`.
    CatalogueReservedVariable = 145, Error, Catalogue, "08 row 18";
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

    /// What the catalogue advises for the platform, GPU and edition of a run.
    PlatformAdvice = 159, Warning, Catalogue, "00 D1";

    // Overrides: NV160–NV199.
    /// A CEL expression of an override does not compile, is not of type bool or cannot be evaluated.
    OverrideExpression = 160, Error, Overrides, "04 §2.5";
    /// This build of the library has no CEL, so an override with an expression cannot be decided.
    ExpressionUnsupported = 161, Error, Overrides, "00 D18";
    /// A part of an override has another shape than its kind of patch: a job template that is no object, a JSON patch
    /// that is no list, a dependency that is no object.
    OverrideShape = 162, Error, Overrides, "04 §1";
    /// A key beginning with `$` in a job template patch that is not supported.
    PatchDirective = 163, Error, Overrides, "04 §4.1";
    /// An operation of a JSON patch is malformed.
    JsonPatchOperation = 164, Error, Overrides, "04 §4.2";
    /// An operation of a JSON patch cannot be applied to the job template.
    JsonPatchFailed = 165, Error, Overrides, "04 §4.2";
    /// A `test` of a JSON patch does not hold.
    JsonPatchTest = 166, Error, Overrides, "04 §4.2";
    /// A dependency of an override lacks apiVersion, kind or name.
    DependencyIdentity = 167, Error, Overrides, "04 §5.1";
    /// A dependency has a condition of its own, which nothing evaluates.
    DependencyCondition = 168, Error, Overrides, "00 D16";
    /// An override with a condition on the validation config never applies.
    ConfigCondition = 169, Warning, Overrides, "00 D16";
    /// A condition names a platform that is not known.
    ConditionPlatform = 170, Warning, Overrides, "04 §2.1";
    /// A condition names a GPU architecture that is not known.
    ConditionArchitecture = 171, Warning, Overrides, "04 §2.1";
    /// A condition wants a value that never occurs.
    ConditionNeverHolds = 172, Warning, Overrides, "04 §2.1, §11";
    /// An override adds mpirun arguments to a run without mpirun.
    MpiArgsWithoutMpi = 173, Warning, Overrides, "04 §8.1";
    /// An override puts a variable into the trainer's env that Kubeflow Trainer sets itself.
    ReservedTrainerEnv = 174, Error, Overrides, "08 row 18";
    /// An override leaves a name twice in the trainer's env.
    DuplicateTrainerEnv = 175, Error, Overrides, "08 row 19";
    /// mpirun gets an option twice with different values; Open MPI 5 refuses that.
    RepeatedMpiOption = 180, Warning, Overrides, "00 D59";
    /// A null stands in a list, where it deletes nothing.
    NullElement = 181, Error, Overrides, "04 §5.2";
    /// An override holds nothing but its condition.
    OverrideEmpty = 182, Warning, Overrides;
    /// An override applies but changes nothing.
    OverrideNoOp = 183, Notice, Overrides, "04 §10";

    // Workflow: NV200–NV249.
    /// The resolved manifests contradict the gang scheduler of the run.
    GangContract = 200, Error, Workflow, "02 §10.4";
    /// A template without a platform leaves out what is only known with one.
    Unresolved = 207, Notice, Workflow, "02 §12";
    /// An override takes away what the test scale of the run asks for.
    TestScaleReplaced = 208, Warning, Workflow, "00 D3";
    /// An override replaces the limits of the execution whole, and the run's limit per job is lost.
    TimeoutReplaced = 209, Warning, Workflow, "04 §6, 00 D11";
    /// An override replaces one of command and arguments where they are wrapped into one script.
    HalfCommand = 210, Warning, Workflow, "04 §8.2";
    /// The job is as large as a topology domain, and without nodes nobody knows how large that is.
    DomainSizeUnknown = 211, Notice, Workflow, "06 §5.3, §5.5";
    /// An override replaces command and arguments whole, and what the platform or mpirun did there is gone.
    CommandReplaced = 212, Notice, Workflow, "04 §8.2";

    // Jobs: NV250–NV299.
    /// The size of a job is missing, zero or negative.
    JobSize = 250, Error, Jobs, "03 §5.1; 08 row 16";
    /// Nodes lack the label that names their topology domain.
    MissingTopologyLabel = 252, Error, Jobs, "03 §5.3, 00 D29";
    /// A group is larger or smaller than the size asked for.
    GroupSize = 254, Warning, Jobs, "03 §5.3–5.4, 00 D74";
    /// Nodes are in a full group and in an overflow group.
    NodesRunTwice = 255, Notice, Jobs, "03 §5.2–5.3, 00 D14";
    /// Two jobs or two per-job copies would have the same name.
    NamesCollide = 258, Error, Jobs, "00 D57";
    /// Names of Jobs and pods below a TrainJob become longer than a cluster allows.
    NameTooLong = 260, Error, Jobs, "08 row 22, 00 D21, D26";
    /// A run has more jobs than can be named.
    TooManyJobs = 261, Error, Jobs;
    /// A dependency has no kind or name, or two have the same.
    InvalidDependency = 262, Error, Jobs, "03 §6.4";
    /// A checkpoint names a claim that is not among the dependencies.
    CheckpointPVCMissing = 263, Error, Jobs, "03 §6.2";
    /// A dependency is mentioned only outside of reference fields: all jobs share it.
    SharedDependency = 264, Warning, Jobs, "00 D72";
    /// The reference engine does something else in delivery `controller` than what is shown.
    EngineDiffers = 265, Warning, Jobs, "00 D60";
    /// A node affinity that is there matches nothing.
    EmptyAffinityTerm = 266, Error, Jobs, "08 rows 25, 26";
    /// An Unpinned job would be pinned to product labels that only a ResourceSlice knows.
    SynthesizedProducts = 267, Error, Jobs, "03 §6.5";
    /// Runtime patches that Trainer refuses.
    RuntimePatches = 268, Error, Jobs, "08 rows 21, 24a";
    /// Replicated jobs that JobSet refuses.
    ReplicatedJobs = 269, Error, Jobs, "08 rows 14, 16";
    /// The trainer has more variables than Kubeflow Trainer takes.
    TooManyVariables = 271, Error, Jobs, "08 rows 19, 23";
    /// Command or arguments of the trainer have too many or too long words.
    TooManyWords = 272, Error, Jobs, "08 row 23, 00 D54";
    /// A runtime has more than one ML policy, or fields that Trainer no longer has.
    MlPolicy = 273, Error, Jobs, "08 rows 17, 24a";
    /// A count is zero or negative.
    NegativeCount = 274, Error, Jobs, "08 row 16";
    /// A field that has no effect without the engine's controller.
    NoEffectInDelivery = 275, Warning, Jobs, "00 D69, D81";
    /// The run does not fit into a run record.
    RecordTooLarge = 276, Error, Jobs, "10 §2";
    /// A field of the job template outside of what the engine takes.
    JobTemplateField = 277, Error, Jobs, "01 §3.1, §3.3–3.6";
    /// The runtime lacks what the trainer speaks to: a replicated job, its container `node`, or the label that marks the
    /// trainer's step.
    RuntimeShape = 278, Error, Jobs, "02 §4; 08 rows 15, 21";

    // diff: NV300–NV303; snapshots: NV304–NV319.
    /// The two sides of a comparison are of different kinds: a run and rendered output, or outputs that show different
    /// things.
    DifferentKinds = 300, Error, Compare;
    /// A file that is to be compared holds neither a run nor rendered output.
    NotComparable = 301, Error, Compare;
    /// Rendered output of another version, or one that is not whole.
    RenderedVersion = 302, Error, Compare;
    /// An object stands twice in rendered output.
    RenderedTwice = 303, Error, Compare;
    /// A scenario renders to something else than its snapshot says.
    SnapshotDiffers = 304, Error, Compare;
    /// A scenario has no snapshot yet.
    SnapshotMissing = 305, Error, Compare;
    /// A snapshot belongs to no scenario.
    SnapshotOrphaned = 306, Error, Compare;
    /// A file of a snapshot is not what was written: cut, with marks of a merge, or no YAML or JSON.
    SnapshotBroken = 307, Error, Compare;
    /// A snapshot has the form of another version.
    SnapshotVersion = 308, Error, Compare;
    /// A folder has a `scenario.yaml` and no run.
    ScenarioWithoutRun = 309, Error, Compare;
    /// Two scenarios have one name on file systems that do not tell upper and lower case apart.
    ScenarioTwice = 310, Error, Compare;
    /// A root of scenarios holds none.
    NoScenarios = 311, Error, Compare;
    /// A link among scenarios leads back to a folder that it is in.
    ScenarioLink = 312, Error, Compare;
    /// A file or folder of a scenario cannot be read.
    ScenarioUnreadable = 313, Error, Compare;
    /// A field of `scenario.yaml` or `snapshots.yaml` holds a value that cannot be.
    ScenarioValue = 314, Error, Compare;
    /// A rendering is not what `scenario.yaml` expects.
    ScenarioExpectation = 315, Error, Compare;
    /// A file that is no snapshot stands where one belongs.
    SnapshotForeign = 316, Error, Compare;

    // Will it be placed: NV320–NV339.
    /// Pods do not tolerate a taint of nodes that they are bound to, so they wait.
    TaintNotTolerated = 320, Warning, Schedule, "03 §6.6";
    /// A pod requests more of a resource than a node that it is bound to ever has.
    NotEnoughOfResource = 321, Warning, Schedule;
    /// Nodes that pods with GPUs are bound to offer no resource `nvidia.com/gpu` at all.
    NoGpuResource = 322, Warning, Schedule;
    /// What runs on the nodes already leaves too little for a pod.
    NothingLeft = 323, Warning, Schedule;
    /// A node takes no more pods.
    PodsPerNode = 324, Warning, Schedule;
    /// Pods of a job find room one by one, and not all at the same time.
    PodsDoNotFitTogether = 325, Warning, Schedule;
    /// Nodes lack the labels that pods want of their node.
    NoNodeOfLabels = 326, Warning, Schedule;
    /// Pods of a job keep each other away: by a port of the node, pod affinity or exclusive topology.
    PodsKeepApart = 327, Warning, Schedule;
    /// A list of pods holds something that is no Pod, List or PodList.
    PodsKind = 330, Error, Schedule;
    /// A field of a pod is of another type than Kubernetes writes.
    PodFieldType = 331, Error, Schedule;
    /// A list of pods holds no document.
    PodsEmpty = 332, Error, Schedule;
    /// The pods run on nodes that the inventory does not have.
    PodsOfOtherNodes = 333, Warning, Schedule;

    // Lints: NV340–NV399.
    /// An image without a tag and digest, or with the tag `latest`: what runs changes without a change of the run.
    ImageUntagged = 343, Warning, Lint, "Kubernetes documentation, Images: without a tag, `latest` is meant; avoid it, as it is hard to tell which version runs";
    /// A pull policy that keeps whatever a node pulled once under a tag that moves.
    StaleImage = 344, Warning, Lint, "Kubernetes documentation, Images: IfNotPresent and Never do not look whether the registry has something newer";
    /// Pulling always what a digest fixes.
    PullAlwaysDigest = 345, Notice, Lint, "Kubernetes documentation, Images: a digest always names the same image, and Always asks the registry at every start";
    /// A digest that no image can have.
    BadDigest = 346, Warning, Lint, "OCI image specification, Digests: sha256 has 64 hexadecimal digits in lower case, sha512 has 128";
    /// The value of a variable begins or ends with a blank or a line break.
    EnvBlanks = 347, Warning, Lint, "Kubernetes API reference, EnvVar: a value is taken as it is; NCCL and most programs compare it whole";
    /// The value of a variable is in quotes that stay in it.
    EnvQuotes = 348, Warning, Lint, "Kubernetes API reference, EnvVar: no shell reads the value, so that quotes stay in it";
    /// A variable that looks like a password holds its value in plain text.
    SecretInEnv = 349, Warning, Lint, "Kubernetes documentation, Good practices for Secrets: keep them out of manifests; a variable can refer to a Secret";
    /// A variable that refers to its own value in the image, which nobody puts in.
    EnvSelfReference = 350, Warning, Lint, "Kubernetes API reference, EnvVar: only variables defined before in the container are expanded, not those of the image";
    /// A variable with `$NAME` or `${NAME}`, which no shell reads.
    EnvShellSyntax = 351, Warning, Lint, "Kubernetes API reference, EnvVar: only the form `$(NAME)` is expanded";
    /// A variable that refers with `$(NAME)` to one that is not defined before it.
    EnvUndefined = 352, Warning, Lint, "Kubernetes API reference, EnvVar: a reference that cannot be resolved stays as it is";
    /// An operator of the shell as a word of a command that no shell reads.
    ShellOperator = 353, Warning, Lint, "Kubernetes documentation, Define a Command and Arguments: the command does not run in a shell";
    /// A program and its arguments in one word.
    CommandInOneWord = 354, Warning, Lint, "Kubernetes documentation, Define a Command and Arguments: the first word is the name of the program, and every argument is a word";
    /// Hosts in `mpiArgs`, which Kubeflow Trainer decides.
    MpiHosts = 355, Warning, Lint, "Kubeflow Trainer, MPI plugin: it writes the file of hosts of every job";
    /// A number of processes in `mpiArgs` that is not that of the job.
    MpiProcesses = 356, Warning, Lint, "mpirun manual of Open MPI: -n is the number of processes in all; -N is that of each node";
    /// A variable that `mpiArgs` forwards with another value than `spec.env`.
    ForwardedOtherwise = 357, Notice, Lint, "the page Run a WorkloadRun, Environment variables: -x in mpiArgs overrides spec.env at the ranks, and only there";
    /// A variable of the run that takes the place of what a platform entry sets.
    PlatformValueReplaced = 358, Notice, Lint, "the page Run a WorkloadRun, Environment variables: a value of spec.env overrides the one that a platform forwards";
    /// NCCL is told to use a network interface that no pod of the platform has.
    NoSuchInterface = 359, Warning, Lint, "NCCL user guide, Environment variables, NCCL_SOCKET_IFNAME; the interfaces of platforms are in the catalogue";
    /// NCCL is told to use a network plugin that a platform entry removes.
    RemovedPlugin = 360, Warning, Lint, "the page Run a WorkloadRun, Platform overrides: the EFA plugin is removed on AWS; NCCL user guide, NCCL_NET and NCCL_NET_PLUGIN";
    /// RDMA is switched off on a platform that has it.
    RdmaOff = 361, Warning, Lint, "NCCL user guide, Environment variables, NCCL_IB_DISABLE and NCCL_NET; the networks of platforms are in the catalogue";
    /// A libfabric provider that does not fit the network of the platform.
    FabricProvider = 362, Warning, Lint, "libfabric manual, fi_efa: the provider efa is for Elastic Fabric Adapters, which AWS has; the networks of platforms are in the catalogue";
    /// InfiniBand devices are named on a platform without any.
    NoIbDevices = 363, Warning, Lint, "NCCL user guide, Environment variables, NCCL_IB_HCA: it chooses among InfiniBand and RoCE devices; the networks of platforms are in the catalogue";
    /// Multi-node NVLink is forced on boards without it.
    MnnvlForced = 364, Warning, Lint, "NCCL user guide, Environment variables, NCCL_MNNVL_ENABLE: 1 fails where multi-node NVLink is missing; the boards are in the catalogue";
    /// `enableMNNVL` and `NCCL_MNNVL_ENABLE` contradict each other.
    MnnvlContradiction = 365, Warning, Lint, "the page Run a WorkloadRun, Environment variables: a value of spec.env overrides the default of the same name, which enableMNNVL makes";
    /// Groups whose nodes are in several topology domains.
    GroupsCrossDomains = 366, Warning, Lint, "the page Run a WorkloadRun, Confining an unpinned job to one topology domain; GPU Operator, label nvidia.com/gpu.clique: NVLink ends where the clique ends";
    /// An unpinned job that the scheduler may spread over several NVLink domains.
    UnpinnedAcrossDomains = 367, Warning, Lint, "the page Run a WorkloadRun, Confining an unpinned job to one topology domain";
    /// GPUs of one node are kept from talking to each other directly.
    PeerToPeerOff = 368, Warning, Lint, "NCCL user guide, Environment variables, NCCL_P2P_DISABLE: it switches NVLink off; the boards with NVLink are in the catalogue";
    /// A variable that hides GPUs which the job asks for, or shows others than it was given.
    VisibleDevices = 369, Warning, Lint, "CUDA programming guide, CUDA_VISIBLE_DEVICES; NVIDIA device plugin: it sets NVIDIA_VISIBLE_DEVICES to the GPUs of the pod";
    /// A threshold on a metric that no measurement of the run gives.
    ThresholdUnmeasured = 370, Warning, Lint, "API reference, thresholds: bandwidths are of bandwidthMeasurement, the rest of goodputMeasurement";
    /// The measurement names another collective than the program runs.
    TestTypeMismatch = 371, Warning, Lint, "nccl-tests README: every program runs the collective of its name";
    /// More jobs may run at once than there are.
    MaxConcurrentIdle = 372, Notice, Lint, "API reference, orchestration.maxConcurrent: jobs that run at the same time";
    /// A volume that no container mounts.
    VolumeNotMounted = 373, Notice, Lint, "Kubernetes documentation, Volumes: a pod waits for all its volumes; containers see those that they mount";
    /// A limit per job that is over before images are pulled.
    TimeoutShort = 374, Warning, Lint, "API reference, orchestration.timeoutPerJob: it runs from the creation of the job, so scheduling and pulling images count";
    /// A variable of NCCL that is one letter away from one that NCCL knows.
    VariableMisspelt = 375, Warning, Lint, "NCCL user guide, Environment variables; the list is in the catalogue";
    /// A value that NCCL does not read in this variable.
    VariableValue = 376, Warning, Lint, "NCCL user guide, Environment variables: values that are no number or known word are ignored; the list is in the catalogue";
    /// Options of torchrun among the arguments of the script.
    TorchrunOption = 377, Warning, Lint, "PyTorch documentation, torchrun: what stands after the script goes to the script";
    /// An NCCL test that wants more GPUs than its node has.
    GpusPerProcess = 378, Warning, Lint, "nccl-tests README: -g is the number of GPUs of every thread, -t that of threads of every process";
    /// A search path that takes the place of the one of the image.
    LibraryPathReplaced = 379, Notice, Lint, "Kubernetes documentation, Define Environment Variables: they override those of the image";
}
