//! The steps after discovery: size, NICs, resources, domains (03 §4, §5.1, 00 D33, D36, D78).

use super::*;
use crate::diagnostic::FieldPath;

fn size() -> FieldPath {
    "spec.numNodes".into()
}

#[test]
fn sizes_of_03_5_1() {
    let mut b = InventoryBuilder::new();
    for n in 1..=4 {
        gpu_node(&mut b, &format!("n{n}"), "NVIDIA-H100").allocatable("nvidia.com/gpu", "8");
    }
    let inventory = b.build();
    let (fleet, _) = discover(&inventory, None);
    for (needed, placement, code) in [
        (4, "", None),
        (1, "Unpinned", None),
        (0, "Pinned", None),
        (-1, "", None),
        (0, "Unpinned", Some(Code::UnpinnedWithoutSize)),
        (5, "", Some(Code::NotEnoughNodes)),
        (5, "Unpinned", Some(Code::NotEnoughNodes)),
    ] {
        let got = fleet.size_check(&inventory, needed, placement, &size());
        assert_eq!(got.map(|d| d.code), code, "{needed} {placement}");
    }
    let pinned = fleet.size_check(&inventory, 5, "Pinned", &size()).unwrap();
    assert_eq!(pinned.message, "one job needs 5 nodes, and only 4 take part");
    assert_eq!(pinned.path, Some(size()));
    let unpinned = fleet.size_check(&inventory, 5, "Unpinned", &size()).unwrap();
    says(&unpinned, &["make 5 nodes available"]);
    assert!(!unpinned.help.unwrap().contains("spec.numNodes"));
}

#[test]
fn every_cause_of_a_small_fleet_is_named() {
    let mut b = InventoryBuilder::new();
    for n in 1..=3 {
        gpu_node(&mut b, &format!("h{n}"), "NVIDIA-H100").allocatable("nvidia.com/gpu", "8");
    }
    gpu_node(&mut b, "a1", "NVIDIA-A100").allocatable("nvidia.com/gpu", "8");
    gpu_node(&mut b, "s1", "NVIDIA-H100").allocatable("nvidia.com/gpu", "2");
    gpu_node(&mut b, "c1", "NVIDIA-H100").cordoned(true);
    b.node("l1").allocatable("nvidia.com/gpu", "8");
    let inventory = b.build();
    let (mut fleet, _) = discover(&inventory, None);
    fleet.apply_capacity(&inventory, 8);
    let error = fleet.size_check(&inventory, 5, "Pinned", &size()).unwrap();
    says(
        &error,
        &[
            "needs 5 nodes, and only 3 take part",
            "architecture h100: 1 node: a1",
            "requested 8 nvidia.com/gpu: 1 node: s1 has 2",
            "cordoned: 1 node: c1",
            "nvidia.com/gpu.present=true: 1 node: l1",
            "narrow the target",
            "lower spec.gpusPerNode",
            "set spec.numNodes to 3",
        ],
    );
    // The hidden ones would not have been enough.
    let error = fleet.size_check(&inventory, 6, "Unpinned", &size()).unwrap();
    assert!(!error.message.contains("c1") && !error.message.contains("l1"), "{}", error.message);
    says(&error, &["a1", "s1 has 2", "make 6 nodes available"]);
    let clauses = fleet.exclusion_reason(&inventory);
    assert_eq!(clauses.matches(". ").count(), 2, "{clauses}");
    assert_eq!(fleet.excluded_nodes(&inventory).collect::<Vec<_>>(), ["c1", "a1", "s1"]);
}

/// Name, product and allocatable resources of a node.
type Row<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

fn nics(nodes: &[Row<'_>]) -> (Inventory, Fleet) {
    let mut b = InventoryBuilder::new();
    for (name, product, resources) in nodes {
        let mut node = gpu_node(&mut b, name, product);
        for (resource, quantity) in *resources {
            node = node.allocatable(resource, quantity);
        }
    }
    let inventory = b.build();
    let (fleet, _) = discover(&inventory, None);
    (inventory, fleet)
}

#[test]
fn nic_resources_of_03_4() {
    let gb = "NVIDIA-GB300";
    let cases: [(&[Row<'_>], i32, &str, &[&str]); 8] = [
        (&[("n1", gb, &[("rdma/ib", "8")]), ("n2", gb, &[("rdma/ib", "8")])], 8, "rdma/ib", &[]),
        (&[("n1", gb, &[("rdma/ib", "1")])], 0, "rdma/ib", &[]),
        (&[("n1", gb, &[("rdma/ib", "0")])], 0, "", &["(rdma/ib)", "count of 1", "mlnxPerNode"]),
        (&[("n1", gb, &[("rdma/ib", "8"), ("nvidia.com/mlnxnics", "8")])], 8, "", &["(nvidia.com/mlnxnics, rdma/ib)"]),
        (&[("n1", gb, &[("nvidia.com/mlnxnics", "8"), ("nvidia.com/mlnxnicsx", "8")])], 8, "nvidia.com/mlnxnics", &[]),
        (&[("n1", gb, &[("nvidia.com/gpu", "4")])], 8, "", &["rdma/*", "nvidia.com/mlnxnics"]),
        (
            &[("n1", gb, &[("rdma/ib", "8")]), ("n2", gb, &[("rdma/b", "8")])],
            8,
            "",
            &["(rdma/b, rdma/ib)", "count of 8"],
        ),
        (&[("n1", gb, &[("rdma/ib", "8k")]), ("n2", gb, &[("rdma/ib", "7999.5")])], 8000, "", &["count of 8000"]),
    ];
    for (nodes, count, name, parts) in cases {
        let (inventory, fleet) = nics(nodes);
        let got = fleet.nic_resource(&inventory, &catalogue(), None, count);
        assert_eq!(got.name(), name, "{nodes:?}");
        assert_eq!(got.notice().is_some(), name.is_empty(), "{nodes:?}");
        if let Some(notice) = got.notice() {
            assert_eq!(notice.code, Code::NicResourceDetection);
            says(notice, parts);
            says(notice, &["nicResourceName"]);
        }
    }
}

#[test]
fn nics_are_not_always_looked_up() {
    let (inventory, fleet) = nics(&[("n1", "NVIDIA-GB300", &[("rdma/ib", "8")])]);
    for given in ["example.com/nic", ""] {
        let got = fleet.nic_resource(&inventory, &catalogue(), Some(given), 8);
        assert_eq!(got, NicResource::Given(given.to_owned()));
    }
    for product in ["NVIDIA-H100", ""] {
        let (inventory, fleet) = nics(&[("n1", product, &[("rdma/ib", "8")])]);
        assert_eq!(fleet.nic_resource(&inventory, &catalogue(), None, 8), NicResource::NotLookedUp);
    }
    for product in ["NVIDIA-B200", "NVIDIA-B300-SXM6-AC", "NVIDIA-GB200"] {
        let (inventory, fleet) = nics(&[("n1", product, &[("rdma/ib", "8")])]);
        assert_eq!(fleet.nic_resource(&inventory, &catalogue(), None, 8).name(), "rdma/ib", "{product}");
    }
    // No node says what it offers.
    let (inventory, fleet) = nics(&[("n1", "NVIDIA-GB300", &[])]);
    assert_eq!(fleet.nic_resource(&inventory, &catalogue(), None, 8), NicResource::NotLookedUp);
}

#[test]
fn nodes_that_do_not_take_part_can_decide_on_nics() {
    let gb = "NVIDIA-GB300";
    let ib: &[(&str, &str)] = &[("rdma/ib", "8")];
    let (inventory, fleet) = nics(&[("n1", gb, ib), ("n2", gb, ib), ("n3", "NVIDIA-H100", &[("rdma/x", "8")])]);
    let got = fleet.nic_resource(&inventory, &catalogue(), None, 8);
    assert_eq!(got.name(), "");
    says(got.notice().unwrap(), &["all nodes that take part offer rdma/ib", "nodes that do not take part decide: n3"]);
}

#[test]
fn resources_that_nobody_offers() {
    let request = |resource: &str| ResourceRequest {
        origin: "E15 azure-infiniband".into(),
        resource: resource.into(),
        remedy: "spec.mlnxPerNode: 0".into(),
        path: Some("spec.mlnxPerNode".into()),
    };
    let requests = [request("nvidia.com/mlnxnics"), request("rdma/ib"), request("rdma/none")];
    let offers: &[(&str, &str)] = &[("rdma/ib", "8"), ("rdma/none", "0"), ("cpu", "8"), ("nvidia.com/gpu", "8")];
    let (inventory, fleet) = nics(&[("n1", "NVIDIA-H100", offers), ("n2", "NVIDIA-H100", &[])]);
    let found = fleet.unoffered_resources(&inventory, &requests);
    assert_eq!(codes(&found), [Code::ResourceNotOffered; 2]);
    says(&found[0], &["E15 azure-infiniband requests nvidia.com/mlnxnics", "offer rdma/ib", "spec.mlnxPerNode: 0"]);
    let (inventory, fleet) = nics(&[("n1", "NVIDIA-H100", &[])]);
    assert!(fleet.unoffered_resources(&inventory, &requests).is_empty());
}

#[test]
fn domains() {
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "NVIDIA-GB200").label("rack", "a");
    gpu_node(&mut b, "n2", "NVIDIA-GB200").label("rack", "b");
    gpu_node(&mut b, "n3", "NVIDIA-GB200").label("rack", "a");
    gpu_node(&mut b, "n4", "NVIDIA-GB200").label("rack", "");
    gpu_node(&mut b, "n5", "NVIDIA-GB200");
    gpu_node(&mut b, "n6", "NVIDIA-H100").label("rack", "c");
    let inventory = b.build();
    let (fleet, _) = discover(&inventory, None);
    assert_eq!(fleet.domain_count(&inventory, "rack"), 2);
    assert_eq!(fleet.domain_count(&inventory, "gone"), 0);
    assert_eq!(domain_of(&inventory, 0, "rack"), Some("a"));
    assert_eq!(domain_of(&inventory, 3, "rack"), None);
    let without: Vec<_> =
        fleet.without_domain(&inventory, "rack").into_iter().map(|n| fleet.name(&inventory, n)).collect();
    assert_eq!(without, ["n4", "n5"]);
}

#[test]
fn the_automatic_topology_key() {
    for (platform, key) in [
        ("aws", Some("topology.k8s.aws/network-node-layer-1")),
        ("gcp", Some("cloud.google.com/gce-topology-block")),
        ("azure", Some("kubernetes.azure.com/ppg")),
        ("onprem", None),
        ("oci", None),
    ] {
        let catalogue = catalogue();
        let inventory = synthetic_inventory(&catalogue, platform, "gb300", 2, None);
        let mut target = TargetSpec {
            match_expressions: vec![expression(AUTO_TOPOLOGY_KEY, "In", &["rack-a"]), expression("x", "Exists", &[])],
            ..TargetSpec::default()
        };
        let got = resolve_topology_key(&mut target, &inventory, &catalogue, &DiscoverOptions::default());
        match (key, got) {
            (Some(key), Ok(())) => {
                assert_eq!(target.match_expressions[0].key, key);
                assert_eq!(target.match_expressions[1].key, "x");
            }
            (None, Err(error)) => {
                assert_eq!(error.code, Code::NoDefaultTopologyKey);
                says(&error, &[platform, "--topology-key"]);
            }
            (_, got) => panic!("{platform}: {got:?}"),
        }
    }
    let mut target =
        TargetSpec { match_expressions: vec![expression(AUTO_TOPOLOGY_KEY, "In", &["a"])], ..TargetSpec::default() };
    let got = resolve_topology_key(&mut target, &Inventory::default(), &catalogue(), &DiscoverOptions::default());
    assert_eq!(got.unwrap_err().code, Code::NoEligibleNodes);
    says(&no_inventory(), &["--nodes", "--assume-nodes N"]);
}
