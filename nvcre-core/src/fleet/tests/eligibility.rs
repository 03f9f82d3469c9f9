//! Filters 1–6 and what is said of nodes that do not pass (03 §1, 00 D27, D79).

use super::*;
use crate::api::GPU_PRESENT_KEY;

fn pool() -> Inventory {
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "a1", "NVIDIA-H100-NVL").label("pool", "train").label("rank", "1").taint(
        "team",
        "x",
        "NoSchedule",
    );
    gpu_node(&mut b, "a2", "NVIDIA-H100-NVL").label("pool", "train").label("rank", "2");
    gpu_node(&mut b, "b1", "NVIDIA-H100-NVL").label("pool", "eval").label("rank", "3");
    gpu_node(&mut b, "b2", "NVIDIA-H100-NVL").label("pool", "train").cordoned(true);
    b.node("c1").label("pool", "train").cordoned(true);
    b.node("c2").label("pool", "train");
    b.node("c3").label("pool", "train").label(GPU_PRESENT_KEY, "false").allocatable("nvidia.com/gpu", "8");
    b.build()
}

fn reasons(inventory: &Inventory, fleet: &Fleet) -> Vec<(String, String)> {
    fleet.exclusions(inventory).map(|e| (e.node, e.reason)).collect()
}

#[test]
fn no_target_takes_every_gpu_node() {
    let inventory = pool();
    let (fleet, found) = discover(&inventory, None);
    assert_eq!(names(&inventory, &fleet), ["a1", "a2", "b1"]);
    let wanted = [
        ("b2", "is cordoned (spec.unschedulable: true)"),
        ("c1", "is cordoned (spec.unschedulable: true) and carries no label nvidia.com/gpu.present=true"),
        ("c2", "has no label nvidia.com/gpu.present; \"true\" is wanted"),
        ("c3", "label nvidia.com/gpu.present is \"false\"; \"true\" is wanted"),
    ];
    let wanted = wanted.map(|(n, r)| (n.to_owned(), r.to_owned()));
    assert_eq!(reasons(&inventory, &fleet), wanted);
    assert_eq!(codes(&found), [Code::CordonedNodesExcluded, Code::UnlabelledGpuNodes]);
    says(&found[1], &["c3", "kubectl label nodes c3 nvidia.com/gpu.present=true"]);
    // Only cordoned GPU nodes are reported (03 §1.5).
    assert_eq!(fleet.excluded_nodes(&inventory).collect::<Vec<_>>(), ["b2"]);
    assert!(fleet.exclusion_reason(&inventory).ends_with("(cordoned): b2"));
}

#[test]
fn the_first_filter_that_fails_is_named() {
    let inventory = pool();
    let mut target = TargetSpec::default();
    target.node_selector.insert("pool".into(), "train".into());
    target.match_expressions = vec![expression("rank", "Lt", &["2"])];
    let (fleet, _) = discover(&inventory, Some(&target));
    assert_eq!(names(&inventory, &fleet), ["a1"]);
    let got = reasons(&inventory, &fleet);
    let text = |node: &str| got.iter().find(|(n, _)| n == node).unwrap().1.as_str();
    assert_eq!(text("b1"), "label pool is \"eval\"; spec.target.nodeSelector.pool wants \"train\"");
    assert_eq!(text("a2"), "label rank is \"2\"; spec.target.matchExpressions[0] wants Lt [2]");
    assert_eq!(text("b2"), "has no label rank; spec.target.matchExpressions[0] wants Lt [2]");
    let one = fleet.exclusions(&inventory).find(|e| e.node == "b1").unwrap();
    assert_eq!(
        serde_json::to_value(&one).unwrap(),
        serde_json::json!({
            "node": "b1", "filter": "nodeSelector", "path": "spec.target.nodeSelector.pool", "key": "pool",
            "found": "eval", "wanted": "train", "reason": text("b1"),
        })
    );
}

#[test]
fn node_names_and_taints_filter_too() {
    let inventory = pool();
    let target = TargetSpec {
        node_names: ["a2", "a1", "gone", "a1", "gone", "pool"].map(str::to_owned).to_vec(),
        taint_selectors: vec![taint("team")],
        ..TargetSpec::default()
    };
    let (fleet, found) = discover(&inventory, Some(&target));
    assert_eq!(names(&inventory, &fleet), ["a1"]);
    let got = reasons(&inventory, &fleet);
    assert_eq!(got[0], ("a2".into(), "carries no taint team, which spec.target.taintSelectors[0] wants".into()));
    assert_eq!(got[1], ("b1".into(), "is not listed in spec.target.nodeNames".into()));
    // `pool` is a label key of the inventory, not a node.
    let unknown = finding(&found, Code::UnknownNodeNames);
    says(unknown, &["2 names: gone, pool"]);
    assert_eq!(unknown.path.as_ref().unwrap().to_string(), "spec.target.nodeNames");
}

#[test]
fn cordoned_nodes_can_be_kept() {
    let inventory = pool();
    let keep = TargetSpec { include_unschedulable: true, ..TargetSpec::default() };
    let (fleet, found) = discover(&inventory, Some(&keep));
    assert_eq!(names(&inventory, &fleet), ["a1", "a2", "b1", "b2"]);
    assert!(!codes(&found).contains(&Code::CordonedNodesExcluded));
    // The taint selector keeps them as well, but selects only nodes that carry the taint (03 §1.5).
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "NVIDIA-B200").cordoned(true).taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
    gpu_node(&mut b, "n2", "NVIDIA-B200");
    let inventory = b.build();
    let target =
        TargetSpec { taint_selectors: vec![taint("node.kubernetes.io/unschedulable")], ..TargetSpec::default() };
    let (fleet, found) = discover(&inventory, Some(&target));
    assert_eq!(names(&inventory, &fleet), ["n1"]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn nobody_left_is_an_error_with_every_reason() {
    let inventory = pool();
    let mut target = TargetSpec::default();
    target.node_selector.insert("pool".into(), "none".into());
    let (fleet, found) = discover(&inventory, Some(&target));
    assert_eq!((fleet.nodes.len(), fleet.excluded.len()), (0, 7));
    let error = finding(&found, Code::NoEligibleNodes);
    says(error, &["of 7 nodes", "7 without the label pool=none (spec.target.nodeSelector.pool)"]);

    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "NVIDIA-B200").cordoned(true);
    b.node("n2").allocatable("nvidia.com/gpu", "8");
    b.node("n3").label("nvidia.com/gpu.product", "NVIDIA-B200");
    b.node("n4").allocatable("nvidia.com/gpu", "0");
    let inventory = b.build();
    let (_, found) = discover(&inventory, None);
    let error = finding(&found, Code::NoEligibleNodes);
    let command = "kubectl label nodes n2 n3 nvidia.com/gpu.present=true";
    says(error, &["1 cordoned", "3 without the label nvidia.com/gpu.present=true", "2 of these", command, "uncordon"]);

    let (_, found) = discover(&Inventory::default(), None);
    says(finding(&found, Code::NoEligibleNodes), &["holds no nodes"]);
}

#[test]
fn long_lists_are_cut() {
    let mut b = InventoryBuilder::new();
    for n in 0..1000 {
        gpu_node(&mut b, &format!("n{n:03}"), "NVIDIA-B200").cordoned(n > 0);
    }
    let inventory = b.build();
    let (fleet, found) = discover(&inventory, None);
    says(finding(&found, Code::CordonedNodesExcluded), &["999 nodes", "n001, n002,", "n010 and 989 more"]);
    assert_eq!(fleet.excluded_nodes(&inventory).count(), 999);
}

#[test]
fn host_names() {
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "NVIDIA-B200").label("kubernetes.io/hostname", "host-1");
    gpu_node(&mut b, "n2", "NVIDIA-B200");
    gpu_node(&mut b, "n3", "NVIDIA-B200").label("kubernetes.io/hostname", "host-3");
    b.node("n4").label("kubernetes.io/hostname", "host-3");
    let inventory = b.build();
    let (fleet, _) = discover(&inventory, None);
    let hosts: Vec<_> = fleet.nodes.iter().map(|n| fleet.hostname_value(&inventory, *n)).collect();
    assert_eq!(hosts, ["host-1", "n2", "host-3"]);
    let found = fleet.hostname_findings(&inventory);
    assert_eq!(codes(&found), [Code::MissingHostnameLabel, Code::DuplicateHostnameLabel]);
    says(&found[0], &["1 node", "n2"]);
    says(&found[1], &["n3 (host-3)"]);
}
