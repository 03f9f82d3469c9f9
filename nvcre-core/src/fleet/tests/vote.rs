//! Platform and architecture (03 §1.6, §2, 00 D13, D30, D32, D64, D78).

use super::*;

fn fleet_of(products: &[&str], options: &DiscoverOptions<'_>) -> (Inventory, Fleet, Vec<Diagnostic>) {
    let mut b = InventoryBuilder::new();
    for (n, product) in (1..).zip(products) {
        gpu_node(&mut b, &format!("n{n}"), product);
    }
    let inventory = b.build();
    let (fleet, found) = Fleet::discover(&inventory, None, &catalogue(), options);
    (inventory, fleet, found)
}

#[test]
fn the_table_of_03_1_6() {
    for (products, winner, excluded) in [
        (&["NVIDIA-A100-SXM4-80GB", "NVIDIA-H100-NVL", "NVIDIA-H100-NVL"][..], "h100", &["n1"][..]),
        (&["NVIDIA-H100-NVL", "NVIDIA-A100-SXM4-80GB"], "h100", &["n2"]),
        (&["", "", "NVIDIA-GB200"], "gb200", &["n1", "n2"]),
        (&["", ""], "unknown", &[]),
        (&["NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-NVL"], "h100", &[]),
    ] {
        let (inventory, fleet, found) = fleet_of(products, &DiscoverOptions::default());
        assert_eq!(fleet.architecture, winner, "{products:?}");
        assert_eq!(fleet.excluded_nodes(&inventory).collect::<Vec<_>>(), excluded, "{products:?}");
        assert_eq!(codes(&found).contains(&Code::HeterogeneousGpu), !excluded.is_empty(), "{products:?}");
        // 00 D32: two without a label against one.
        assert_eq!(codes(&found).contains(&Code::UndeterminedArchitecture), winner == "gb200", "{products:?}");
    }
    let (inventory, fleet, _) = fleet_of(&["NVIDIA-A100", "NVIDIA-H100", "NVIDIA-H100"], &DiscoverOptions::default());
    let reason = fleet.exclusion_reason(&inventory);
    assert_eq!(reason, "the target holds more than one GPU architecture and only h100 is certified (1 node left out)");
    assert_eq!(
        fleet.exclusions(&inventory).next().unwrap().reason,
        "is of GPU architecture a100; only h100 takes part"
    );
    assert_eq!(fleet.products, ["NVIDIA-H100"]);
}

#[test]
fn placeholders_do_not_vote() {
    let options = DiscoverOptions::default();
    let odd = "NVIDIA-Graphics-Device";
    let (_, fleet, found) = fleet_of(&[odd, "NVIDIA-B200"], &options);
    assert_eq!(fleet.architecture, "b200");
    says(finding(&found, Code::PlaceholderProduct), &["1 node", odd, "n1"]);
    assert!(!codes(&found).contains(&Code::UndeterminedArchitecture));
    let (_, fleet, found) = fleet_of(&[odd, "NVIDIA-DGX-Display", ""], &options);
    assert_eq!((fleet.architecture.as_str(), fleet.nodes.len()), ("unknown", 3));
    assert!(fleet.products.is_empty() && fleet.products_are_labels());
    assert_eq!(codes(&found), [Code::PlaceholderProduct]);
    let (_, _, found) = fleet_of(&[odd, "", "NVIDIA-B200"], &options);
    let error = finding(&found, Code::UndeterminedArchitecture);
    says(error, &["1 node of GPU architecture b200 (n3)", "2 nodes", "(n1, n2)", "--gpu-arch"]);
}

#[test]
fn slices_vote_and_are_remembered() {
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "");
    gpu_node(&mut b, "n2", "NVIDIA-Graphics-Device");
    gpu_node(&mut b, "n3", "NVIDIA-GB300");
    for node in ["n1", "n2", "n3"] {
        b.slice(&format!("{node}-s"), "gpu.nvidia.com", Some(node), 1, [(Some("gpu"), Some("NVIDIA GB300"))]);
    }
    let inventory = b.build();
    let (fleet, found) = discover(&inventory, None);
    assert_eq!(names(&inventory, &fleet), ["n1", "n2", "n3"]);
    assert_eq!(fleet.products, ["NVIDIA-GB300"]);
    let filled: Vec<_> = fleet.synthesized.iter().map(|n| fleet.name(&inventory, *n)).collect();
    assert_eq!(filled, ["n1", "n2"]);
    assert!(!fleet.products_are_labels());
    says(finding(&found, Code::PlaceholderProduct), &["n2", "ResourceSlices say NVIDIA-GB300"]);
}

#[test]
fn the_flag_takes_the_place_of_the_vote() {
    let options = DiscoverOptions { gpu_arch: Some("NVIDIA-GB300"), ..DiscoverOptions::default() };
    let (inventory, fleet, found) = fleet_of(&["NVIDIA-H100", "NVIDIA-H100", "", "NVIDIA-GB300"], &options);
    assert_eq!(fleet.architecture, "gb300");
    assert_eq!(names(&inventory, &fleet), ["n3", "n4"]);
    assert_eq!(
        fleet.exclusions(&inventory).next().unwrap().reason,
        "is of GPU architecture h100; only gb300 takes part"
    );
    assert!(!fleet.products_are_labels());
    assert_eq!(codes(&found), [Code::HeterogeneousGpu]);

    let (_, fleet, found) = fleet_of(&["NVIDIA-H100", "NVIDIA-H100", "NVIDIA-A100"], &options);
    assert!(fleet.nodes.is_empty());
    says(finding(&found, Code::NoNodeOfArchitecture), &["gb300", "a100: 1 node, h100: 2 nodes"]);

    let options = DiscoverOptions { gpu_arch: Some("h999"), ..DiscoverOptions::default() };
    let (_, fleet, found) = fleet_of(&["NVIDIA-H100"], &options);
    assert_eq!((fleet.architecture.as_str(), codes(&found)), ("h100", vec![Code::UnknownArchitecture]));
}

fn mixed() -> Inventory {
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "NVIDIA-H100").provider_id("gce://p/z/i");
    gpu_node(&mut b, "n2", "NVIDIA-H100").provider_id("aws:///us-east-1a/i-1");
    gpu_node(&mut b, "n3", "NVIDIA-H100").provider_id("aws:///us-east-1a/i-2");
    gpu_node(&mut b, "n4", "NVIDIA-H100").provider_id("metal3://x").cordoned(true);
    b.build()
}

#[test]
fn several_platforms_are_an_error() {
    let inventory = mixed();
    let (fleet, found) = discover(&inventory, None);
    let error = finding(&found, Code::HeterogeneousPlatform);
    says(error, &["aws: 2 nodes, gcp: 1 node", "--platform"]);
    assert_eq!(fleet.platform, "gcp");
    assert_eq!(fleet.nodes.len(), 3);
}

#[test]
fn the_platform_flag_wins_and_is_reported() {
    let inventory = mixed();
    for (flag, code) in [("aws", Code::PlatformOverridden), ("oci", Code::PlatformOverridden)] {
        let options = DiscoverOptions { platform: Some(flag), ..DiscoverOptions::default() };
        let (fleet, found) = Fleet::discover(&inventory, None, &catalogue(), &options);
        assert_eq!(fleet.platform, flag);
        says(finding(&found, code), &[flag, "aws: 2 nodes, gcp: 1 node"]);
        assert!(!codes(&found).contains(&Code::HeterogeneousPlatform));
    }
    // 08 row 13.
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "NVIDIA-H100").provider_id("aws:///us-east-1a/i-1");
    let inventory = b.build();
    for (flag, reported) in [("gcp", true), ("aws", false)] {
        let options = DiscoverOptions { platform: Some(flag), ..DiscoverOptions::default() };
        let (fleet, found) = Fleet::discover(&inventory, None, &catalogue(), &options);
        assert_eq!(fleet.platform, flag);
        assert_eq!(codes(&found).contains(&Code::PlatformOverridden), reported);
    }
    let options = DiscoverOptions { platform: Some("nowhere"), ..DiscoverOptions::default() };
    let (fleet, found) = Fleet::discover(&inventory, None, &catalogue(), &options);
    assert_eq!((fleet.platform.as_str(), codes(&found)), ("aws", vec![Code::UnknownPlatform]));
}

#[test]
fn platforms_of_03_2() {
    let hostname = "kubernetes.io/hostname";
    for (provider, label, platform) in [
        ("", Some((hostname, "my-forge-1")), "forge"),
        ("", Some(("nke.nvidia.com/site-name", "")), "forge"),
        ("", Some((hostname, "Forge")), "onprem"),
        ("", None, "onprem"),
        ("aws://x", Some((hostname, "forge")), "aws"),
        ("gce://x", None, "gcp"),
        ("azure://x", None, "azure"),
        ("ocid1.instance", None, "oci"),
        ("oci://x", None, "onprem"),
        ("openstack://x", None, "onprem"),
        ("nscale://x", None, "nscale"),
        ("kubevirt://x", Some(("node-role.together.ai/worker", "")), "togetherai"),
        ("kubevirt://x", None, "onprem"),
        ("metal3://x", None, "mistral"),
        ("AWS://x", None, "onprem"),
        ("kind://x", None, "onprem"),
    ] {
        let mut b = InventoryBuilder::new();
        let node = gpu_node(&mut b, "n1", "NVIDIA-H100").provider_id(provider);
        if let Some((key, value)) = label {
            node.label(key, value);
        }
        assert_eq!(detect_platform(&b.build(), 0, &catalogue()), platform, "{provider} {label:?}");
    }
}

#[test]
fn an_override_may_not_change_what_the_run_was_rendered_for() {
    let mut b = InventoryBuilder::new();
    gpu_node(&mut b, "n1", "NVIDIA-H100").label("p", "a");
    gpu_node(&mut b, "n2", "NVIDIA-H100").label("p", "b");
    gpu_node(&mut b, "n3", "NVIDIA-A100").label("p", "c").provider_id("aws://x");
    let inventory = b.build();
    let select = |value: &str| {
        let mut target = TargetSpec::default();
        target.node_selector.insert("p".into(), value.into());
        target
    };
    let (before, _) = discover(&inventory, Some(&select("a")));
    let path = "spec.overrides[2].orchestration.target".into();
    let options = DiscoverOptions::default();
    let again = |target| before.discover_again(&inventory, &target, &catalogue(), &options, "spec.overrides[2]", &path);
    let (fleet, found) = again(select("b"));
    assert_eq!(names(&inventory, &fleet), ["n2"]);
    assert!(found.is_empty(), "{found:?}");
    let (_, found) = again(select("c"));
    assert_eq!(codes(&found), [Code::OverrideChangesFleet; 2]);
    says(&found[0], &["spec.overrides[2]", "platform aws", "platform onprem"]);
    says(&found[1], &["GPU architecture a100", "GPU architecture h100"]);
    let (fleet, _) = again(select("b"));
    let own = fleet.exclusions(&inventory).next().unwrap();
    assert!(own.reason.contains("spec.overrides[2].orchestration.target.nodeSelector.p"), "{}", own.reason);
    assert_eq!(own.key.as_deref(), Some("p"));
}
