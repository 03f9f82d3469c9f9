//! Platforms, detection, hardware, base variables and advice.

use crate::catalogue::{Advice, Catalogue};

#[test]
fn platforms_in_order() {
    let names: Vec<&str> = Catalogue::builtin().platforms.iter().map(|p| p.name.as_str()).collect();
    assert!(names.starts_with(&["aws", "gcp", "azure", "oci", "onprem", "togetherai", "mistral", "forge", "nscale"]));
}

#[test]
fn detection() {
    // 03 §2, rule by rule, and the near misses.
    let host = ("kubernetes.io/hostname", "x-forge-1");
    let site = ("nke.nvidia.com/site-name", "");
    let together = ("node-role.together.ai/worker", "");
    for (provider, labels, platform) in [
        ("", vec![host], "forge"),
        ("", vec![site], "forge"),
        ("", vec![("kubernetes.io/hostname", "Forge-1")], "onprem"),
        ("", vec![], "onprem"),
        ("aws:///us-east-1a/i-1", vec![host, site], "aws"),
        ("AWS://x", vec![], "onprem"),
        ("gce://p/z/n", vec![], "gcp"),
        ("azure:///subscriptions/x", vec![], "azure"),
        ("ocid1.instance.oc1.x", vec![], "oci"),
        ("oci://x", vec![], "onprem"),
        ("openstack:///x", vec![], "onprem"),
        ("nscale://x", vec![], "nscale"),
        ("kubevirt://x", vec![together], "togetherai"),
        ("kubevirt://x", vec![], "onprem"),
        ("metal3://x", vec![], "mistral"),
        ("kind://x", vec![host], "onprem"),
    ] {
        let label = |key: &str| labels.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
        assert_eq!(Catalogue::builtin().detect_platform(provider, label), platform, "{provider} {labels:?}");
    }
}

#[test]
fn hardware() {
    let catalogue = Catalogue::builtin();
    for (architecture, platform, gpus, nics) in [
        ("h100", "aws", 8, 8),
        ("l40", "", 8, 4),
        ("l40s", "aws", 8, 8),
        ("l40s", "oci", 4, 2),
        ("gb200", "", 4, 8),
        ("gb200", "oci", 4, 0),
        ("gb300", "oci", 4, 4),
        ("gb300", "nscale", 4, 4),
        ("gb300", "onprem", 4, 8),
        ("b300", "onprem", 8, 8),
        ("rtxpro6000", "gcp", 8, 0),
        ("gh200", "aws", 4, 0),
        ("unknown", "", 4, 0),
        ("", "oci", 4, 0),
    ] {
        let found = catalogue.hardware(architecture, platform);
        assert_eq!((found.gpus_per_node, found.mlnx_per_node), (gpus, nics), "{architecture} {platform}");
    }
    let on: Vec<&str> = catalogue.architecture_names().into_iter().filter(|a| catalogue.mnnvl(a)).collect();
    assert_eq!(on, ["gb200", "gb300"]);
    for (platform, architecture, there) in
        [("onprem", "gb200", true), ("onprem", "b300", true), ("onprem", "h100", false), ("aws", "gb300", false)]
    {
        assert_eq!(catalogue.nic_rule(platform, architecture).is_some(), there, "{platform} {architecture}");
    }
}

#[test]
fn advice_of_the_editions() {
    let catalogue = Catalogue::builtin();
    for (edition, platform, architecture, count) in [
        ("documented", "aws", "h100", 1),
        ("documented", "aws", "gb200", 1),
        ("documented", "aws", "gb300", 0),
        ("documented", "gcp", "h100", 0),
        ("latest", "aws", "h100", 0),
    ] {
        let advice: Vec<_> = catalogue.advice(edition, platform, architecture).map(Advice::diagnostic).collect();
        assert_eq!(advice.len(), count, "{edition} {platform} {architecture}");
        for finding in advice {
            assert!(finding.message.contains("EFA") && finding.help.unwrap().contains("latest"));
        }
    }
}

#[test]
fn base_environment_of_the_editions() {
    let catalogue = Catalogue::builtin();
    let list = |edition, mnnvl| {
        let env = catalogue.base_env(edition, mnnvl);
        env.iter().map(|v| format!("{}={}", v.name, v.value)).collect::<Vec<_>>()
    };
    let nine = |mnnvl: &str| {
        ["DEBUG=INFO", "NVLS_ENABLE=1", "CUMEM_ENABLE=1", "NET_GDR_C2C=1", "NET_GDR_LEVEL=PHB"]
            .into_iter()
            .chain(["P2P_NET_CHUNKSIZE=2097152", "SHM_DISABLE=1", mnnvl, "SOCKET_IFNAME=eth0"])
            .map(|v| format!("NCCL_{v}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(list("latest", true), nine("MNNVL_ENABLE=1"));
    assert_eq!(list("latest", false), nine("MNNVL_ENABLE=0"));
    let mut ten = nine("MNNVL_ENABLE=0");
    ten.insert(1, "NCCL_DEBUG_SUBSYS=NET,INIT".into());
    assert_eq!(list("documented", false), ten);
    assert_eq!(catalogue.default_edition(), "documented");
}
