//! Made-up nodes and the summary of a cluster (02 §12, 03 §7, 06 §12, 00 D62).

use super::*;

#[test]
fn made_up_nodes_are_detected_as_what_they_stand_for() {
    let catalogue = catalogue();
    for platform in &catalogue.platforms {
        for architecture in &catalogue.architectures {
            let (p, a) = (&platform.name, &architecture.name);
            let inventory = synthetic_inventory(&catalogue, p, a, 12, None);
            let (mut fleet, found) = discover(&inventory, None);
            assert!(found.is_empty(), "{p} {a}: {found:?}");
            assert_eq!((&fleet.platform, &fleet.architecture, fleet.nodes.len()), (p, a, 12));
            assert_eq!(fleet.names(&inventory).nth(2), Some("synthetic-node-02"));
            let gpus = catalogue.hardware(a, p).gpus_per_node;
            assert!(fleet.apply_capacity(&inventory, gpus).is_empty(), "{p} {a}");
            assert_eq!(fleet.nodes.len(), 12);
            assert!(fleet.hostname_findings(&inventory).is_empty(), "{p} {a}");
            assert_eq!(fleet.nic_resource(&inventory, &catalogue, None, 8), NicResource::NotLookedUp);
            if let Some(key) = &platform.topology_key {
                assert_eq!(fleet.domain_count(&inventory, key), 1, "{p}");
            }
        }
    }
}

#[test]
fn unknown_gpus_and_counts_of_the_caller() {
    let catalogue = catalogue();
    let inventory = synthetic_inventory(&catalogue, "aws", "unknown", 1, Some(3));
    let (fleet, _) = discover(&inventory, None);
    assert_eq!(names(&inventory, &fleet), ["synthetic-node-0"]);
    assert_eq!((fleet.platform.as_str(), fleet.architecture.as_str()), ("aws", "unknown"));
    assert_eq!(inventory.allocatable(&inventory.nodes[0], "nvidia.com/gpu"), Some("3"));
    let inventory = synthetic_inventory(&catalogue, "oci", "gh200", 1, None);
    let (fleet, _) = discover(&inventory, None);
    assert_eq!(fleet.architecture, "gh200");
    assert!(synthetic_inventory(&catalogue, "aws", "h100", 0, None).nodes.is_empty());
}

#[test]
fn cluster_info() {
    let key = "topology.k8s.aws/network-node-layer-1";
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n2", "NVIDIA-GB300")
        .provider_id("aws://x")
        .allocatable("nvidia.com/gpu", "4")
        .ready("True")
        .label(key, "r2");
    gpu_node(&mut b, "n1", "NVIDIA-GB300").provider_id("aws://x").label(key, "r1").ready("False");
    gpu_node(&mut b, "n3", "NVIDIA-GB300").provider_id("aws://x").allocatable("nvidia.com/gpu", "-1");
    b.node("cpu");
    let gpu = (Some("gpu"), None);
    b.slice("old", "gpu.nvidia.com", Some("n1"), 1, [gpu, gpu, gpu]);
    for _ in 0..2 {
        b.slice("s1", "gpu.nvidia.com", Some("n1"), 2, [gpu, (Some("mig"), None), (Some("vfio"), None)]);
    }
    b.slice("s2", "gpu.nvidia.com", Some("n1"), 2, [(None, None)]);
    let inventory = b.build();
    let (info, found) = ClusterInfo::of(&inventory, &catalogue(), None, &DiscoverOptions::default());
    assert_eq!(codes(&found), [Code::NoAllocatableGpus, Code::NodesNotReady]);
    assert_eq!(
        serde_json::to_value(&info).unwrap(),
        serde_json::json!({
            "platform": "aws", "gpuArchitecture": "gb300", "gpuProduct": "NVIDIA-GB300",
            "gpusPerNode": 0, "catalogGpusPerNode": 4, "totalNodes": 3, "totalGPUs": 6,
            "nodes": [
                {"name": "n1", "gpus": 2, "ready": false, "rack": "r1"},
                {"name": "n2", "gpus": 4, "ready": true, "rack": "r2"},
                {"name": "n3", "gpus": 0, "ready": false},
            ],
            "topology": {"key": key, "racks": [
                {"name": "r1", "nodes": ["n1"], "nodeCount": 1},
                {"name": "r2", "nodes": ["n2"], "nodeCount": 1},
            ]},
        })
    );
    let (info, _) = ClusterInfo::of(&inventory, &catalogue(), Some("rack"), &DiscoverOptions::default());
    assert_eq!(info.topology, None);
    let (info, _) = ClusterInfo::of(&Inventory::default(), &catalogue(), None, &DiscoverOptions::default());
    assert_eq!((info.total_nodes, info.gpus_per_node), (0, 0));
}
