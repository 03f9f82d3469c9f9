//! The matrix against chapter 05.

use super::*;
use crate::compare::{ChangeKind, Meaning, What};
use crate::diagnostic::Code;
use crate::engine::{Engine, RunInput};
use crate::trace::Origin;

fn run(framework: &str, more: &str) -> RunInput {
    let text = format!(
        "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {{name: sweep}}\nspec:\n  image: registry.example/nccl:1\n  numNodes: 2\n  framework: {framework}\n{more}"
    );
    Engine::new().read_run(text.as_bytes(), "run.yaml", false)
}

const MPI: &str = "{mpi: {binary: /opt/ar, mpirunPath: /usr/bin/mpirun}}";
const TORCH: &str = "{torch: {script: /workspace/train.py}}";

fn of(framework: &str, more: &str, editions: &[&str]) -> Matrix {
    let options = MatrixOptions { editions: editions.iter().map(|e| (*e).to_owned()).collect(), ..Default::default() };
    matrix(&Engine::new(), &run(framework, more), &options)
}

fn cell<'m>(matrix: &'m Matrix, platform: &str, gpu: &str) -> &'m Variant {
    let row = matrix.combination(platform, gpu).unwrap_or_else(|| panic!("{platform} {gpu}"));
    matrix.variant(row).unwrap()
}

fn ids(variant: &Variant) -> String {
    variant.differences.entries.iter().map(|e| e.id()).collect::<Vec<_>>().join(" ")
}

fn environment(variant: &Variant) -> Vec<String> {
    let pair =
        |v: &VariableDifference| format!("{}={}", v.name, v.new.as_ref().and_then(|n| n.as_str()).unwrap_or("-"));
    variant.differences.environment.iter().map(pair).collect()
}

fn resources(variant: &Variant) -> Vec<String> {
    let one = |m: &Meaning| match &m.what {
        What::Resource { name, new, .. } => format!("{name} {}", new.as_deref().unwrap_or("-")),
        other => panic!("{other:?}"),
    };
    variant.differences.resources.iter().map(one).collect()
}

fn objects(variant: &Variant) -> Vec<String> {
    let one = |m: &Meaning| match &m.what {
        What::Object { object, name, .. } => format!("{object}/{name}"),
        other => panic!("{other:?}"),
    };
    variant.differences.objects.iter().map(one).collect()
}

fn texts(list: &[Meaning]) -> Vec<&str> {
    list.iter().map(|m| m.text.as_str()).collect()
}

/// 05 §4, edition `latest`, MPI.
#[test]
fn entries_are_those_of_the_matrix_of_chapter_05() {
    let matrix = of(MPI, "", &["latest"]);
    for (platform, gpu, wanted) in [
        ("aws", "h100", "E11 E12"),
        ("aws", "gb200", "E1 E2 E8 E9"),
        ("aws", "gb300", "E1 E2 E5 E6 E7 E10"),
        ("aws", "a100", ""),
        ("gcp", "h100", "E13"),
        ("gcp", "gb200", "E1 E3 E14"),
        ("gcp", "gb300", "E1 E3 E14"),
        ("gcp", "rtxpro6000", "E23"),
        ("azure", "gb300", "E1 E4 E15"),
        ("azure", "l40", "E15"),
        ("togetherai", "gb200", "E1 E16"),
        ("mistral", "gb300", "E1 E18"),
        ("mistral", "gb200", "E1"),
        ("onprem", "gb300", "E1 E20"),
        ("onprem", "b300", "E22"),
        ("nscale", "gb300", "E1 E24 E25"),
        ("nscale", "b200", "E24 E25"),
        ("oci", "gb200", "E1"),
        ("forge", "h100", ""),
        ("azure", "unknown", "E15"),
        ("nscale", "unknown", ""),
    ] {
        assert_eq!(ids(cell(&matrix, platform, gpu)), wanted, "{platform} {gpu}");
    }
    let torch = of(TORCH, "", &["latest"]);
    for (platform, gpu, wanted) in [
        ("aws", "gb300", "E1 E2 E5 E10"),
        ("togetherai", "h100", "E16 E17"),
        ("mistral", "gb300", "E1 E18 E19"),
        ("onprem", "gb200", "E1 E20 E21"),
    ] {
        assert_eq!(ids(cell(&torch, platform, gpu)), wanted, "{platform} {gpu}");
    }
}

/// 05 §4.1.
#[test]
fn the_worked_example_of_aws_gb300() {
    let matrix = of(MPI, "", &[]);
    let aws = cell(&matrix, "aws", "gb300");
    assert_eq!(environment(aws), ["NCCL_MNNVL_ENABLE=1", "NCCL_IB_GID_INDEX=3", "NCCL_NET_PLUGIN=none"]);
    let by: Vec<&str> = aws
        .differences
        .environment
        .iter()
        .map(|v| match v.origin.as_ref().unwrap() {
            Origin::Entry { id, .. } => id.as_str(),
            _ => "",
        })
        .collect();
    assert_eq!(by, ["", "E7", "E6"]);
    assert_eq!(
        texts(&aws.differences.arguments),
        [
            "mpirun also gets --mca orte_keep_fqdn_hostnames true",
            "mpirun also gets --mca pml ob1",
            "mpirun also gets --mca btl tcp,self",
            "mpirun also gets --mca btl_tcp_if_include eth0",
            "mpirun also gets --mca oob tcp",
            "mpirun also gets --mca oob_tcp_if_include eth0",
            "mpirun also gets --mca coll_ucc_enable 0",
            "mpirun also gets --mca coll_hcoll_enable 0",
            "before the command now runs: rm -rf /opt/amazon",
            "before the command now runs: unset NCCL_NET_PLUGIN",
            "before the command now runs: unset NCCL_TUNER_PLUGIN",
            "before the command now runs: unset AWS_OFI_NCCL_VERSION",
        ]
    );
    assert_eq!(objects(aws), ["ComputeDomain/sweep-compute-domain", "ResourceClaimTemplate/sweep-roce"]);
    assert_eq!(resources(aws), [""; 0]);
    assert_eq!(aws.sizes, Sizes { nodes_per_job: 2, gpus_per_node: 4, mlnx_per_node: 8, enable_mnnvl: true });
    assert!(
        texts(&aws.differences.values)
            .contains(&"groups follow the label topology.k8s.aws/network-node-layer-1 instead of none")
    );
    let fields: Vec<String> = aws.differences.fields.iter().map(|c| c.path.to_string()).collect();
    let ends = |end: &str| fields.iter().any(|f| f.ends_with(end));
    assert!(fields.len() == 2 && ends(".resources.claims") && ends(".resourceClaims"), "{fields:?}");
}

/// 05 §4.2, E8, E11, E14–E16, E18, E24.
#[test]
fn resources_and_objects_of_chapter_05() {
    let matrix = of(TORCH, "", &[]);
    for (platform, gpu, wanted) in [
        ("aws", "h100", &["nvidia.com/gpu 8", "vpc.amazonaws.com/efa 32"][..]),
        ("aws", "gb200", &["vpc.amazonaws.com/efa 4"]),
        ("azure", "l40", &["nvidia.com/gpu 8", "nvidia.com/mlnxnics 4"]),
        ("azure", "rtxpro6000", &["nvidia.com/gpu 8"]),
        ("togetherai", "gb200", &["nvidia.com/mlnxnics 8"]),
        ("mistral", "gb300", &["rdma/ib 1"]),
        ("nscale", "gb300", &["nvidia.com/gpu -"]),
        ("nscale", "gb200", &[]),
        (
            "gcp",
            "gb300",
            &[
                "networking.gke.io.networks/rdma-0 1",
                "networking.gke.io.networks/rdma-1 1",
                "networking.gke.io.networks/rdma-2 1",
                "networking.gke.io.networks/rdma-3 1",
            ],
        ),
    ] {
        assert_eq!(resources(cell(&matrix, platform, gpu)), wanted, "{platform} {gpu}");
    }
    let nscale = cell(&matrix, "nscale", "gb300");
    let made =
        ["ComputeDomain/sweep-compute-domain", "ResourceClaimTemplate/sweep-gpu", "ResourceClaimTemplate/sweep-rdma"];
    assert_eq!(objects(nscale), made);
    // Of the ten variables of E25, those that the defaults do not have so already.
    let new = environment(nscale);
    for pair in ["NCCL_IB_PCI_RELAXED_ORDERING=1", "PMIX_MCA_gds=^ds12", "NCCL_MNNVL_ENABLE=1"] {
        assert!(new.contains(&pair.to_owned()), "{pair}: {new:?}");
    }
}

/// 05 §4: variables of worker containers do not reach the ranks of MPI.
#[test]
fn variables_that_only_containers_see_stand_apart() {
    let matrix = of(MPI, "", &[]);
    let gcp = cell(&matrix, "gcp", "gb300");
    assert_eq!(environment(gcp), ["NCCL_MNNVL_ENABLE=1"]);
    assert!(texts(&gcp.differences.containers).contains(&"NCCL_NET_GDR_LEVEL is now 5 in the pods of node (was PHB)"));
    let torch = of(TORCH, "", &[]);
    assert!(environment(cell(&torch, "gcp", "gb300")).contains(&"NCCL_NET_GDR_LEVEL=5".to_owned()));
}

#[test]
fn every_combination_stands_once_in_every_edition() {
    let catalogue = Engine::new().catalogue().clone();
    let matrix = of(MPI, "", &["documented", "latest"]);
    assert_eq!(matrix.plain.len(), 2);
    let mut wanted = Vec::new();
    for edition in &catalogue.editions {
        for platform in &catalogue.platforms {
            let gpus = catalogue.architectures.iter().map(|a| a.name.as_str()).chain(["unknown"]);
            wanted.extend(gpus.map(|gpu| (edition.name.as_str(), platform.name.as_str(), gpu)));
        }
    }
    let rows = matrix.combinations.iter();
    let rows: Vec<_> = rows.map(|c| (c.edition.as_str(), c.platform.as_str(), c.gpu_architecture.as_str())).collect();
    assert_eq!(rows, wanted);
    assert!(rows.len() >= 198);
    // Equal combinations share a variant, and each variant is of one.
    for (place, variant) in matrix.variants.iter().enumerate() {
        assert_eq!(matrix.variants.iter().position(|v| v == variant), Some(place));
        assert!(matrix.combinations.iter().any(|c| c.variant == place));
    }
}

#[test]
fn what_is_not_known_is_marked() {
    let matrix = of(MPI, "", &[]);
    for (platform, gpu, wanted) in [
        ("aws", "gb300", &[][..]),
        ("aws", "h100", &[]),
        ("aws", "a100", &[Mark::PairUnknown]),
        ("aws", "unknown", &[Mark::GpuUnknown]),
        ("oci", "l40s", &[]),
        ("forge", "gb300", &[Mark::PairUnknown]),
        ("onprem", "b200", &[Mark::PlatformGeneric]),
        ("onprem", "h100", &[Mark::PairUnknown, Mark::PlatformGeneric]),
        ("onprem", "unknown", &[Mark::GpuUnknown, Mark::PlatformGeneric]),
    ] {
        assert_eq!(matrix.combination(platform, gpu).unwrap().marks, wanted, "{platform} {gpu}");
    }
}

#[test]
fn filters_choose_combinations() {
    let engine = Engine::new();
    let rows = |options: &MatrixOptions| -> Vec<String> {
        let matrix = matrix(&engine, &run(MPI, ""), options);
        matrix.combinations.iter().map(|c| format!("{} {}", c.platform, c.gpu_architecture)).collect()
    };
    let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let options =
        MatrixOptions { platforms: list(&["gcp", "aws"]), gpu_archs: list(&["h100", "unknown"]), ..Default::default() };
    assert_eq!(rows(&options), ["aws h100", "aws unknown", "gcp h100", "gcp unknown"]);
    assert_eq!(parse_matrix_architecture("unknown", engine.catalogue()), Ok("unknown".to_owned()));
    assert_eq!(parse_matrix_architecture("NVIDIA-GB300", engine.catalogue()), Ok("gb300".to_owned()));
    assert_eq!(parse_matrix_architecture("gb30", engine.catalogue()).unwrap_err().code, Code::UnknownArchitecture);
}

/// A target that names a product makes the unnamed GPU that one (00 D58): no row of its own when the catalogue knows it.
#[test]
fn the_target_of_the_run_may_name_the_gpu() {
    let target = |product: &str| format!("  target: {{nodeSelector: {{nvidia.com/gpu.product: {product}}}}}\n");
    let known = of(MPI, &target("NVIDIA-H100-80GB-HBM3"), &[]);
    assert_eq!(known.combinations.iter().filter(|c| c.platform == "aws").count(), 10);
    let other = of(MPI, &target("NVIDIA-GH200-480GB"), &[]);
    let row = other.combination("aws", "gh200").unwrap();
    assert_eq!(row.marks, [Mark::GpuUnknown]);
    // That the catalogue does not know it holds wherever the run is rendered.
    let codes: Vec<Code> = other.findings.iter().map(|f| f.code).collect();
    assert_eq!(codes, [Code::GpuArchitectureDefaults]);
}

#[test]
fn findings_of_the_run_and_of_combinations_stand_apart() {
    let matrix = of(MPI, "  nicResourceName: rdma/ib\n  orchestration: {testScale: intra-rack}\n", &[]);
    assert_eq!(matrix.findings, []);
    // A platform without a rack label cannot make groups of one rack.
    let failed = cell(&matrix, "oci", "h100");
    assert!(!failed.rendered && failed.changes.is_empty() && failed.differences.entries.is_empty());
    assert!(failed.differences.findings.iter().any(|f| f.code == Code::NoTopologyKey));
    let aws = cell(&matrix, "aws", "gb300");
    let codes: Vec<Code> = aws.differences.findings.iter().map(|f| f.code).collect();
    assert!(aws.rendered && codes == [Code::NoEffect], "{codes:?}");
    // An error of the run itself keeps everything from being rendered.
    let broken = of(MPI, "  numNode: 2\n", &[]);
    assert!(!broken.is_printable() && broken.combinations.is_empty() && broken.variants.is_empty());
}

#[test]
fn overrides_of_the_run_count_where_they_need_the_platform() {
    let more = "  overrides:\n  - when: {platform: {equals: gcp}}\n    mpiArgs: [-x, NCCL_ALGO=Ring]\n  - when: {}\n    mpiArgs: [-x, NCCL_DEBUG=WARN]\n";
    let matrix = of(MPI, more, &[]);
    assert_eq!(ids(cell(&matrix, "gcp", "a100")), "override");
    assert!(environment(cell(&matrix, "gcp", "a100")).contains(&"NCCL_ALGO=Ring".to_owned()));
    assert_eq!(ids(cell(&matrix, "oci", "a100")), "");
    assert!(matrix.plain[0].workflow.to_string().contains("NCCL_DEBUG=WARN"));
}

#[test]
fn what_all_have_in_common_is_told_once() {
    let engine = Engine::new();
    let options = MatrixOptions {
        platforms: vec!["aws".into()],
        gpu_archs: vec!["gb200".into(), "gb300".into()],
        ..MatrixOptions::default()
    };
    let matrix = matrix(&engine, &run(MPI, ""), &options);
    let common: Vec<&str> = matrix.common.entries.iter().map(|e| e.id()).collect();
    assert_eq!(common, ["E1", "E2", "E5", "E6"]);
    for variant in &matrix.variants {
        let own = variant.differences.without(&matrix.common);
        assert_eq!(variant.differences.and(&matrix.common), matrix.common);
        assert!(!own.entries.is_empty() && own.and(&matrix.common).is_empty());
    }
    let removed = |v: &VariableDifference| v.change == ChangeKind::Removed;
    assert!(!matrix.common.environment.iter().any(removed));
}
