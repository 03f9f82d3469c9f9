//! Nodes that are kept and will not run the pods (00 D28).

use super::*;

/// One node of each kind; the letter says which.
fn ward() -> Inventory {
    let mut b = InventoryBuilder::new();
    let h100 = "NVIDIA-H100-80GB-HBM3";
    gpu_node(&mut b, "a-fine", h100)
        .allocatable("nvidia.com/gpu", "8")
        .ready("True")
        .operating_system("Linux")
        .taint("nvidia.com/gpu", "present", "NoSchedule")
        .allocatable("nvidia.com/mig-1g.10gb", "0");
    gpu_node(&mut b, "b-silent", h100);
    gpu_node(&mut b, "c-zero", h100).allocatable("nvidia.com/gpu", "0");
    gpu_node(&mut b, "d-zero-dra", h100).allocatable("nvidia.com/gpu", "0");
    b.slice("s", "gpu.nvidia.com", Some("d-zero-dra"), 1, [(Some("gpu"), Some("NVIDIA H100"))]);
    gpu_node(&mut b, "e-mig", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb").allocatable("nvidia.com/gpu", "56");
    gpu_node(&mut b, "f-mig", h100).allocatable("nvidia.com/mig-1g.10gb", "7");
    gpu_node(&mut b, "g-shared", "NVIDIA-H100-80GB-HBM3-SHARED").allocatable("nvidia.com/gpu", "8");
    gpu_node(&mut b, "h-shared", h100).allocatable("nvidia.com/gpu", "32");
    gpu_node(&mut b, "i-away", h100).ready("Unknown");
    gpu_node(&mut b, "j-taint", h100).taint("node.kubernetes.io/unreachable", "", "NoExecute");
    gpu_node(&mut b, "k-soft", h100).taint("node.kubernetes.io/disk-pressure", "", "PreferNoSchedule");
    gpu_node(&mut b, "l-virtual", h100).label("type", "virtual-kubelet");
    gpu_node(&mut b, "m-virtual", h100).taint("virtual-kubelet.io/provider", "azure", "NoSchedule");
    gpu_node(&mut b, "n-windows", h100).operating_system("windows");
    gpu_node(&mut b, "o-windows", h100).label("kubernetes.io/os", "Windows");
    b.build()
}

const WARNINGS: [(Code, &str, &[&str]); 7] = [
    (Code::NoAllocatableGpus, "1 node", &["c-zero"]),
    (Code::MigNodes, "2 nodes", &["e-mig", "f-mig"]),
    (Code::SharedGpus, "2 nodes", &["g-shared", "h-shared"]),
    (Code::NodesNotReady, "1 node", &["i-away"]),
    (Code::UnhealthyTaint, "1 node", &["j-taint"]),
    (Code::VirtualKubelet, "2 nodes", &["l-virtual", "m-virtual"]),
    (Code::OtherOperatingSystem, "2 nodes", &["n-windows", "o-windows"]),
];

#[test]
fn kept_with_a_warning_of_its_own_code() {
    let inventory = ward();
    let (fleet, found) = discover(&inventory, None);
    assert_eq!(fleet.nodes.len(), 15);
    assert_eq!(codes(&found), WARNINGS.map(|(code, _, _)| code));
    for (code, count, nodes) in WARNINGS {
        let warning = finding(&found, code);
        says(warning, &[count, &nodes.join(", "), "--only-healthy"]);
    }
}

#[test]
fn left_out_on_demand() {
    let inventory = ward();
    let options = DiscoverOptions { only_healthy: true, ..DiscoverOptions::default() };
    let (fleet, found) = Fleet::discover(&inventory, None, &catalogue(), &options);
    assert_eq!(names(&inventory, &fleet), ["a-fine", "b-silent", "d-zero-dra", "k-soft"]);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(fleet.excluded_nodes(&inventory).count(), 11);
    let reason = fleet.exclusions(&inventory).find(|e| e.node == "i-away").unwrap().reason;
    assert_eq!(reason, "is not Ready; only healthy nodes are wanted (--only-healthy)");
    assert!(
        fleet.exclusion_reason(&inventory).starts_with("11 nodes left out as unhealthy (--only-healthy): c-zero, ")
    );
    let error = fleet.size_check(&inventory, 8, "Pinned", &"spec.numNodes".into()).unwrap();
    says(&error, &["needs 8 nodes, and only 4 take part", "11 nodes: c-zero", "leave --only-healthy out"]);
}

#[test]
fn the_sick_do_not_vote() {
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "NVIDIA-A100").ready("False").provider_id("aws://x");
    gpu_node(&mut b, "n2", "NVIDIA-A100").ready("False");
    gpu_node(&mut b, "n3", "NVIDIA-H100").ready("True");
    let inventory = b.build();
    let options = DiscoverOptions { only_healthy: true, ..DiscoverOptions::default() };
    let (fleet, found) = Fleet::discover(&inventory, None, &catalogue(), &options);
    assert_eq!((fleet.architecture.as_str(), fleet.platform.as_str()), ("h100", "onprem"));
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn boards_differ_by_platform_and_unknown_ones_say_nothing() {
    for (provider, product, gpus, shared) in [
        ("", "NVIDIA-L40S", "8", false),
        ("ocid1.x", "NVIDIA-L40S", "8", true),
        ("", "NVIDIA-GH200-480GB", "64", false),
        ("", "", "64", false),
    ] {
        let mut b = InventoryBuilder::new();
        gpu_node(&mut b, "n1", product).provider_id(provider).allocatable("nvidia.com/gpu", gpus);
        let (_, found) = discover(&b.build(), None);
        assert_eq!(codes(&found).contains(&Code::SharedGpus), shared, "{provider} {product}");
    }
}
