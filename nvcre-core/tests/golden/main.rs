//! Reference test data (00 "Golden files"): every case of every suite goes through one harness.
//!
//! The folder is `NVCRE_GOLDEN_DIR`, else `shared/golden` beside the checkout; where it is absent the tests say so and
//! pass. A suite or a case that the table below does not name fails: somebody has to look at what it is about. Values
//! are compared, never bytes; what differs on purpose stands in `differences.rs`.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs
)]

mod controller;
mod detection;
mod differences;
mod gang;
mod platform;
mod render;
mod support;
mod workloadrun;

use support::{Case, Suite};

/// One test for each suite, and the table of all.
macro_rules! suites {
    ($($test:ident = $folder:literal, $check:path, [$($case:literal),* $(,)?];)+) => {
        const SUITES: &[Suite] = &[$(Suite { folder: $folder, cases: &[$($case),*], check: $check }),+];
        $(#[test] fn $test() { support::run($folder, SUITES) })+
    };
}

// The names of upstream's cases, also of those that are not in every copy of the folder (see each SOURCE.md).
suites! {
    apply_overrides = "controller/apply-overrides", controller::apply_overrides, [
        "add-new-field", "dependency-append", "dependency-merge", "job-template-patch", "json-patch-replace",
        "json-patch-with-test", "multiple-matches", "named-array-merge", "no-match", "null-field-deletion",
        "orchestration-iterations-override", "orchestration-topology-override", "strategic-then-json-patch",
        "trainer-env-replacement",
    ];
    build_replacement_map = "controller/build-replacement-map", controller::build_replacement_map, [
        "compute-domain-internal-name", "cross-dep-reference", "internal-string-excluded", "no-scoped-deps",
        "pvc-referenced-in-jobspec",
    ];
    classify_dependencies = "controller/classify-dependencies", controller::classify_dependencies, [
        "all-job-scoped", "cluster-scoped-skip", "mixed-scopes", "no-deps",
        "runtime-patch-metadata-values-are-not-references", "shared-reference-promotion", "transitive-promotion",
        "workload-metadata-value-is-not-reference",
    ];
    detect_gpu_arch_consistent = "controller/detect-gpu-arch-consistent", detection::one_architecture, [
        "empty", "heterogeneous", "homogeneous",
    ];
    detect_gpu_architecture = "controller/detect-gpu-architecture", detection::architecture, [
        "a100-sxm4", "empty-nodes", "gb200", "h100", "h100-hbm3", "h100-nvl", "l40s", "majority-beats-first-node",
        "no-label", "unknown", "unlabeled-does-not-vote",
    ];
    detect_nic_resource = "controller/detect-nic-resource", detection::nic_resource, [
        "below-count-on-all", "below-count-on-one-node", "candidate-missing-on-one-node", "count-satisfied",
        "field-set-bypass", "gate-arch-mismatch", "gate-hgx-b200", "gate-hgx-b300", "gate-platform-mismatch",
        "mlnxnics-exact-name", "multiple-candidates", "no-nodes", "none-found", "prefix-vs-exact-lookalike",
        "single-candidate", "zero-allocatable-on-one-node",
    ];
    detect_platform = "controller/detect-platform", detection::platform, [
        "aws", "azure", "empty-nodes", "forge", "forge-nke-label", "forge-no-match", "forge-providerid-wins", "gcp",
        "mistral", "oci", "onprem",
    ];
    get_group_job_name = "controller/get-group-job-name", controller::group_job_name, [
        "multi-group", "multi-iteration", "single-group-single-iter",
    ];
    apply_gang_scheduler_deps = "platform/apply-gang-scheduler-deps", gang::dependencies, [
        "custom-queue-label-key-runai", "empty-scheduler-name-is-a-no-op", "hardcoded-scheduler-is-overwritten",
        "malformed-shapes-are-skipped", "mpi-launcher-keeps-existing-labels", "non-training-runtime-untouched",
        "queue-label-key-omitted-uses-kai-default", "queue-omitted-uses-default-queue",
        "torch-single-job-creates-labels-map",
    ];
    apply_resolved_transforms = "platform/apply-resolved-transforms", gang::transforms, [
        "catalog-labels-are-the-base-map", "explicit-queue-label-conflicting-with-gang-fails",
        "explicit-queue-label-matching-gang-is-idempotent", "gang-scheduler-derives-queue-label",
        "gang-scheduler-queue-omitted-uses-default", "gang-scheduler-runai-custom-queue-label-key",
        "image-still-reaches-trainer-and-runtime", "labels-and-gang-scheduler-compose",
        "labels-only-no-gang-scheduler", "nothing-configured-is-a-no-op", "reserved-key-rejected",
    ];
    build_overrides = "platform/build-overrides", platform::build_overrides, [
        "exec-framework-single-node", "mpi-with-mnnvl", "nscale-gb300", "onprem-mpi-with-nic",
        "onprem-torch-with-nic", "onprem-torch-without-nic", "torch-without-mnnvl",
    ];
    override_mpi_args = "platform/override-mpi-args", platform::override_mpi_args, ["mpi-framework", "torch-framework"];
    preserve_scheduling_fields = "platform/preserve-scheduling-fields", gang::preserve, [
        "collision-with-dependency-name-is-restored", "conflicting-override-colliding-with-name-stays-conflicting",
        "conflicting-override-is-carried-through-not-repaired", "missing-label-stays-missing",
        "no-intent-leaves-renaming-alone", "scheduler-name-collision-is-restored",
    ];
    validate_resolved_gang = "platform/validate-resolved-gang", gang::validate, [
        "consistent-passes", "dependency-apigroup-mismatch-fails", "launcher-label-changed-fails",
        "no-intent-is-a-no-op", "runai-custom-queue-label-key-passes", "runtime-job-label-changed-fails",
        "runtime-label-missing-fails-and-stays-absent", "runtime-patch-redirects-job-label-fails",
        "runtime-patch-redirects-pod-label-fails", "runtime-patch-supplies-missing-label-passes",
        "runtime-pod-label-changed-fails", "runtime-ref-apigroup-explicit-trainer-passes",
        "runtime-ref-apigroup-explicitly-empty-fails", "runtime-ref-apigroup-mismatch-fails",
        "runtime-ref-kind-cluster-runtime-fails", "runtime-ref-kind-explicitly-empty-fails",
        "runtime-ref-kind-omitted-defaults-to-cluster-runtime-fails",
        "runtime-ref-redirected-outside-dependencies-fails", "runtime-without-replicated-jobs-fails",
        "scheduler-name-changed-fails", "scheduler-name-missing-fails", "unrelated-workload-labels-survive",
        "workload-label-changed-fails", "workload-label-removed-is-restored", "workload-without-trainjob-fails",
    ];
    workflow_render = "render", render::workflow, [
        "custom-nodes-gcp-a100", "embedded-aws-h100", "embedded-onprem-gb300",
    ];
    apply_platform_mpi_args = "workloadrun/apply-platform-mpi-args", workloadrun::platform_mpi_args, [
        "aws-gb300-mpi-gets-transport-pins", "aws-gb300-torch-is-untouched", "nscale-b200-mpi-spec-env-wins",
        "nscale-gb300-mpi-gets-ib-env", "oci-gb300-mpi-is-untouched",
    ];
    apply_run_overrides = "workloadrun/apply-run-overrides", workloadrun::run_overrides, [
        "no-flags-leaves-the-spec-alone", "node-list-clamps-numnodes-down", "node-list-never-raises-numnodes",
        "topology-domain-without-key-uses-auto",
    ];
    build_workflow_spec = "workloadrun/build-workflow-spec", workloadrun::workflow_spec, [
        "gang-scheduler-custom-queue-label-key", "gang-scheduler-propagates", "gang-scheduler-sets-schedulerName-and-queue",
        "inline-config-adds-volume-and-configmap", "intra-node-runs-one-node-per-job", "mpi-forwards-env-to-ranks",
        "mpi-ignores-spec-env", "mpi-keeps-spec-env", "mpi-mnnvl-enable", "mpi-nscale-spec-env-wins",
        "thresholds-enable-validation", "torch-keeps-spec-env", "torch-run-renders-the-default-workflow",
    ];
    read_workloadrun = "workloadrun/read-workloadrun", workloadrun::read, [
        "no-thresholds-pass", "unknown-threshold-key-rejected", "valid-threshold-keys-pass",
    ];
    validate_exec_framework = "workloadrun/validate-exec-framework", workloadrun::exec_framework, [
        "explicit-exec-allowed", "nil-exec-rejected",
    ];
    workload_metadata = "workloadrun/workload-metadata", workloadrun::metadata, [
        "explicit-queue-conflicting-with-gang-fails-at-construction", "explicit-queue-matching-gang-is-idempotent",
        "gang-scheduler-derives-queue-label", "gang-scheduler-queue-omitted-emits-default",
        "kueue-and-gang-scheduler-compose", "kueue-queue-label-only", "nothing-configured-leaves-metadata-absent",
        "override-adds-malformed-label-without-gang-scheduler-fails",
        "override-adds-reserved-label-without-gang-scheduler-fails",
        "override-adds-valid-label-without-gang-scheduler-passes",
        "override-appends-runtime-without-queue-label-fails", "override-redirects-both-levels-fails",
        "override-redirects-runtime-job-label-fails", "override-redirects-runtime-ref-fails",
        "override-redirects-workload-label-fails", "override-removes-workload-label-restores-intent",
        "reserved-key-fails-at-construction", "resolved-overrides-consistent-passes", "runai-custom-queue-label-key",
        "runai-queue-omitted-emits-default", "unrelated-override-passes",
    ];
}

/// No suite and no case is there that the table does not name, and every difference speaks of one that it does.
#[test]
fn everything_in_the_folder_is_known() {
    let unknown = support::unknown(SUITES, &["nodes"]);
    assert!(unknown.is_empty(), "not known to the harness: {unknown:?}");
    for difference in differences::ALL {
        let suite = SUITES.iter().find(|s| s.folder == difference.suite);
        let suite = suite.unwrap_or_else(|| panic!("a difference of the unknown suite {}", difference.suite));
        let known = difference.case == "*" || suite.cases.contains(&difference.case);
        assert!(known, "a difference of the unknown case {}/{}", difference.suite, difference.case);
        let number = difference.decision.strip_prefix('D').and_then(|n| n.parse::<u32>().ok());
        assert!(number.is_some_and(|n| (1..=99).contains(&n)), "{} is no decision", difference.decision);
    }
}

/// The harness itself: an unknown case and an unknown suite are found, an absent folder is not an error.
#[test]
fn the_harness_sees_what_it_does_not_know() {
    let root = std::env::temp_dir().join(format!("nvcre-golden-{}", std::process::id()));
    for folder in ["render/something-new", "controller/a-new-suite/case", "controller/detect-platform/oci"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::fs::write(root.join("controller/detect-platform/SOURCE.md"), "").unwrap();
    let unknown = support::unknown_below(&root, SUITES, &["nodes"]);
    assert_eq!(unknown, ["controller/a-new-suite", "render/something-new"]);
    std::fs::remove_dir_all(&root).unwrap();
    assert_eq!(support::unknown_below(&root, SUITES, &[]), Vec::<String>::new());
}

/// Differences are applied where they are listed and nowhere else.
#[test]
fn comparing_sees_every_other_difference() {
    let case = |name: &str| Case::made_up("platform/override-mpi-args", name);
    let list = |names: &[&str]| serde_json::json!(names);
    assert!(support::differences(&case("mpi-framework"), list(&["a", "b"]), list(&["a"])).len() == 1);
    assert!(support::differences(&case("mpi-framework"), list(&["a"]), list(&["b"])).len() == 1);
    assert!(support::differences(&case("mpi-framework"), list(&["a"]), list(&["a"])).is_empty());
    let words = support::named_values(
        "spec.a.labels[\"x/y\"]: conflicting label value \"other\", expected \"team\" on template.metadata.labels; valid: [p, q]",
    );
    assert_eq!(words.0.unwrap().to_string(), "spec.a.labels[\"x/y\"]");
    assert_eq!(words.1, ["other", "team", "template.metadata.labels", "p", "q"]);
}
