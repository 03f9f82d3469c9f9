//! The built-in catalogue against the tables of 05: who matches what, and what each entry holds.

use super::model::may_match;
use super::*;
use crate::api::OverrideSpec;
use crate::catalogue::Framework::{Exec, Mpi, Torch};
use serde_json::{Value, json};

const EDITIONS: [&str; 2] = ["documented", "latest"];

fn inputs(framework: Framework) -> Inputs<'static> {
    Inputs { run: "r", nodes: 4, gpus: 4, nics: 4, mnnvl: true, framework, ..Inputs::default() }
}

/// Numbers of the entries that match.
fn matching(edition: &str, platform: &str, architecture: &str, framework: Framework) -> String {
    let entries = Catalogue::builtin().entries(edition, framework);
    let ids = entries.filter(|e| may_match(e.when(), platform, architecture)).map(|e| e.entry.id.as_str());
    ids.collect::<Vec<_>>().join(" ")
}

fn render(edition: &str, id: &str, inputs: &Inputs<'_>) -> OverrideSpec {
    let catalogue = Catalogue::builtin();
    catalogue.entries(edition, inputs.framework).find(|e| e.entry.id == id).unwrap().render(inputs)
}

/// Pod spec of the worker in the runtime patch of an entry.
fn pod(rendered: &OverrideSpec) -> Value {
    let patch = rendered.dependencies.iter().find(|d| d["kind"] == "TrainingRuntime").unwrap();
    patch["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"].clone()
}

fn trainer_env(rendered: &OverrideSpec) -> Vec<String> {
    let template = rendered.job_template.as_ref().unwrap();
    let env = template["spec"]["workload"]["trainJob"]["trainer"]["env"].as_array().unwrap();
    env.iter().map(|v| format!("{}={}", v["name"].as_str().unwrap(), v["value"].as_str().unwrap())).collect()
}

#[test]
fn matrix() {
    // Platform, GPUs, every framework, MPI, torch and exec (05 §4); "other" stands for a GPU without entries.
    let rows = [
        ("aws", "h100", "E11", "E12", "E12"),
        ("aws", "gb200", "E1 E2 E8", "E9", "E9"),
        ("aws", "gb300", "E1 E2 E5 E10", "E6 E7", ""),
        ("aws", "h200 a100 l40 l40s b200 b300 rtxpro6000 unknown", "", "", ""),
        ("gcp", "h100", "E13", "", ""),
        ("gcp", "gb200 gb300", "E1 E3 E14", "", ""),
        ("gcp", "rtxpro6000", "E23", "", ""),
        ("gcp", "h200 a100 b200 b300 unknown", "", "", ""),
        ("azure", "gb200 gb300", "E1 E4 E15", "", ""),
        ("azure", "h100 a100 b200 unknown", "E15", "", ""),
        ("togetherai", "gb200 gb300", "E1 E16", "", "E17"),
        ("togetherai", "h100 b200 unknown", "E16", "", "E17"),
        ("mistral", "gb300", "E1 E18", "", "E19"),
        ("mistral", "gb200", "E1", "", ""),
        ("mistral", "h100 b200 unknown", "", "", ""),
        ("onprem", "gb200 gb300", "E1 E20", "", "E21"),
        ("onprem", "b200 b300", "E22", "", ""),
        ("onprem", "h100 unknown", "", "", ""),
        ("nscale", "gb300", "E1 E24 E25", "", ""),
        ("nscale", "b200", "E24 E25", "", ""),
        ("nscale", "gb200", "E1", "", ""),
        ("nscale", "h100 b300 unknown", "", "", ""),
        ("oci", "gb200 gb300", "E1", "", ""),
        ("oci", "h100 l40s unknown", "", "", ""),
        ("forge", "gb200 gb300", "E1", "", ""),
        ("forge", "h100 unknown", "", "", ""),
        ("", "gb200 gb300", "E1", "", ""),
        ("", "h100", "", "", ""),
    ];
    let join = |a: &str, b: &str| {
        let mut ids: Vec<u32> =
            a.split(' ').chain(b.split(' ')).filter_map(|id| id.strip_prefix('E')?.parse().ok()).collect();
        ids.sort_unstable();
        ids.iter().map(|n| format!("E{n}")).collect::<Vec<_>>().join(" ")
    };
    for (platform, architectures, all, mpi, other) in rows {
        for architecture in architectures.split(' ') {
            for (framework, more) in [(Mpi, mpi), (Torch, other), (Exec, other)] {
                let place = format!("{platform} {architecture} {framework:?}");
                assert_eq!(matching("latest", platform, architecture, framework), join(all, more), "latest {place}");
                // V1 = A and V1b = A (05 §5): the cleanup on all of AWS, no EFA variables.
                let documented = match (platform, framework) {
                    ("aws", Mpi) => join(&join(all, more), "E5 E6"),
                    ("aws", _) => join(&join(all, more), "E5"),
                    _ => join(all, more),
                };
                let mut documented: Vec<&str> = documented.split(' ').filter(|e| !["E9", "E12"].contains(e)).collect();
                documented.dedup();
                assert_eq!(matching("documented", platform, architecture, framework), documented.join(" "), "{place}");
            }
        }
    }
}

#[test]
fn order_and_number_of_entries() {
    let catalogue = Catalogue::builtin();
    let ids: Vec<String> = catalogue.entries.iter().map(|e| e.id.clone()).collect();
    assert_eq!(ids, (1..=25).map(|n| format!("E{n}")).collect::<Vec<_>>());
    let count = |edition, framework| catalogue.entries(edition, framework).count();
    assert_eq!((count("latest", Mpi), count("latest", Torch), count("latest", Exec)), (22, 23, 23));
    assert_eq!((count("documented", Mpi), count("documented", Torch)), (20, 21));
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

#[test]
fn compute_domain() {
    let rendered = render("documented", "E1", &inputs(Torch));
    assert_eq!(
        json!(rendered),
        json!({
            "when": { "gpuArchitecture": { "in": ["gb200", "gb300"] } },
            "dependencies": [
                {
                    "apiVersion": "resource.nvidia.com/v1beta1", "kind": "ComputeDomain",
                    "metadata": { "name": "r-compute-domain", "labels": { "app": "r" } },
                    "spec": {
                        "numNodes": 4,
                        "channel": { "allocationMode": "Single", "resourceClaimTemplate": { "name": "r-channel" } },
                    },
                },
                {
                    "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime",
                    "metadata": { "name": "r-runtime" },
                    "spec": { "template": { "spec": { "replicatedJobs": [{
                        "name": "node",
                        "template": { "spec": { "template": { "spec": {
                            "resourceClaims": [
                                { "name": "compute-domain", "resourceClaimTemplateName": "r-channel" },
                            ],
                            "containers": [
                                { "name": "node", "resources": { "claims": [{ "name": "compute-domain" }] } },
                            ],
                        } } } },
                    }] } } },
                },
            ],
        })
    );
}

#[test]
fn topology_fits_the_run() {
    let run = inputs(Torch);
    for (id, platform, key) in [
        ("E2", "aws", "topology.k8s.aws/network-node-layer-1"),
        ("E3", "gcp", "cloud.google.com/gce-topology-block"),
        ("E4", "azure", "kubernetes.azure.com/ppg"),
    ] {
        let loose = json!(render("latest", id, &run));
        assert_eq!(loose["orchestration"], json!({ "topology": { "topologyKey": key } }));
        let strict = json!(render("latest", id, &Inputs { strict_domain: true, ..run }));
        let topology = json!({ "topologyKey": key, "strictDomain": true });
        assert_eq!(strict["orchestration"], json!({ "topology": topology }));
        let own = render("latest", id, &Inputs { own_topology_key: true, ..run });
        assert_eq!(own.orchestration, None);
        let catalogue = Catalogue::builtin();
        assert!(catalogue.topology_keys().any(|found| found == (platform, key)));
    }
    assert_eq!(Catalogue::builtin().topology_keys().count(), 3);
}

#[test]
fn aws_gb300_mpi() {
    // 05 §4.1, block by block.
    let run = inputs(Mpi);
    for edition in EDITIONS {
        let cleanup = render(edition, "E5", &run);
        assert_eq!(
            cleanup.pre_command,
            ["rm -rf /opt/amazon", "unset NCCL_NET_PLUGIN", "unset NCCL_TUNER_PLUGIN", "unset AWS_OFI_NCCL_VERSION"]
        );
        assert_eq!(render(edition, "E6", &run).mpi_args, ["-x", "NCCL_NET_PLUGIN=none"]);
        let transport = render(edition, "E7", &run);
        assert_eq!(
            transport.mpi_args.join(" "),
            "--mca orte_keep_fqdn_hostnames true --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include eth0 \
             --mca oob tcp --mca oob_tcp_if_include eth0 --mca coll_ucc_enable 0 --mca coll_hcoll_enable 0 \
             -x NCCL_DEBUG_SUBSYS=NET,INIT -x NCCL_SOCKET_IFNAME=eth0 -x NCCL_IB_GID_INDEX=3 -x NCCL_NVLS_ENABLE=1 \
             -x NCCL_CUMEM_ENABLE=1 -x NCCL_NET_GDR_C2C=1"
        );
        assert_eq!(transport.mpi_args.len(), 36);
        let roce = render(edition, "E10", &run);
        assert_eq!(roce.dependencies[0]["metadata"]["name"], "r-roce");
        assert_eq!(
            roce.dependencies[0]["spec"]["spec"]["devices"]["requests"],
            json!([{ "name": "roce", "exactly": { "deviceClassName": "roce.networking.k8s.aws", "count": 8 } }])
        );
        let names = |list: &Value| list.as_array().unwrap().iter().map(|c| c["name"].clone()).collect::<Vec<_>>();
        assert_eq!(names(&pod(&roce)["resourceClaims"]), ["compute-domain", "roce-channel"]);
        assert_eq!(names(&pod(&roce)["containers"][0]["resources"]["claims"]), ["compute-domain", "roce-channel"]);
    }
}

#[test]
fn aws_efa() {
    for (id, count) in [("E8", 4), ("E11", 32)] {
        let efa = json!({ "vpc.amazonaws.com/efa": count });
        let resources = json!({ "limits": efa, "requests": efa });
        let old = pod(&render("documented", id, &inputs(Mpi)));
        assert_eq!(old["containers"], json!([{ "name": "node", "resources": resources }]));
        let new = pod(&render("latest", id, &inputs(Mpi)));
        let security = json!({ "capabilities": { "add": ["IPC_LOCK"] } });
        assert_eq!(new["containers"], json!([{ "name": "node", "resources": resources, "securityContext": security }]));
    }
    for id in ["E9", "E12"] {
        let values = ["FI_PROVIDER=efa", "FI_EFA_USE_DEVICE_RDMA=1", "FI_EFA_FORK_SAFE=1"];
        let mpi = render("latest", id, &inputs(Mpi));
        assert_eq!(mpi.mpi_args, values.map(|v| ["-x", v]).concat());
        assert_eq!(mpi.job_template, None);
        let exec = render("latest", id, &inputs(Exec));
        assert_eq!(trainer_env(&exec), values);
        assert!(exec.mpi_args.is_empty());
    }
}

#[test]
fn gcp() {
    for framework in [Mpi, Torch] {
        let fastrak = render("latest", "E13", &inputs(framework));
        let env = trainer_env(&fastrak);
        assert_eq!((env.len(), env[0].as_str()), (29, "CUDA_DEVICE_MAX_CONNECTIONS=1"));
        assert_eq!(env[28], "NCCL_NET_GDR_C2C=1");
        assert!(fastrak.mpi_args.is_empty() && fastrak.dependencies.is_empty());
    }
    let networks = render("latest", "E14", &inputs(Mpi));
    let template = &networks.dependencies[0]["spec"]["template"]["spec"]["replicatedJobs"][0]["template"];
    let text = "[\n  {\"interfaceName\":\"eth0\",\"network\":\"default\"},\n  {\"interfaceName\":\"rdma0\",\"network\":\"rdma-0\"},\n  \
                {\"interfaceName\":\"rdma1\",\"network\":\"rdma-1\"},\n  {\"interfaceName\":\"rdma2\",\"network\":\"rdma-2\"},\n  \
                {\"interfaceName\":\"rdma3\",\"network\":\"rdma-3\"}\n]\n";
    assert_eq!(
        template["metadata"],
        json!({ "annotations": {
            "networking.gke.io/default-interface": "eth0", "networking.gke.io/interfaces": text,
        } })
    );
    let spec = pod(&networks);
    let rdma: Value = (0..4).map(|n| (format!("networking.gke.io.networks/rdma-{n}"), json!("1"))).collect();
    assert_eq!(
        spec["containers"],
        json!([{
            "name": "node",
            "resources": { "limits": rdma, "requests": rdma },
            "env": [{ "name": "NCCL_NET_GDR_LEVEL", "value": "5" }, { "name": "NCCL_DEBUG", "value": "INFO" }],
        }])
    );
    assert_eq!(
        spec["tolerations"],
        json!([tolerate("kubernetes.io/arch", "arm64"), tolerate("nvidia.com/gpu", "present")])
    );
}

fn tolerate(key: &str, value: &str) -> Value {
    json!({ "key": key, "operator": "Equal", "value": value, "effect": "NoSchedule" })
}

#[test]
fn gcp_rtx_pro_6000() {
    for (gpus, level) in [(8, Some("SYS")), (4, Some("PHB")), (2, Some("PHB")), (1, None), (6, None)] {
        let mut want = vec!["NCCL_DEBUG=INFO", "NCCL_IB_DISABLE=1", "NCCL_NET_PLUGIN=none", "NCCL_SOCKET_IFNAME=eth0"];
        let last = level.map(|level| format!("NCCL_P2P_LEVEL={level}"));
        want.extend(last.as_deref());
        let torch = render("documented", "E23", &Inputs { gpus, ..inputs(Torch) });
        assert_eq!(trainer_env(&torch), want);
        let mpi = render("documented", "E23", &Inputs { gpus, ..inputs(Mpi) });
        assert_eq!(mpi.mpi_args, want.iter().flat_map(|v| ["-x", v]).collect::<Vec<_>>());
        assert_eq!(pod(&mpi), json!({ "tolerations": [tolerate("nvidia.com/gpu", "present")] }));
    }
}

#[test]
fn nics() {
    // 08 row 10: at 0 the key is absent, not 0, not "0", not null.
    for id in ["E15", "E16"] {
        let none = render("latest", id, &Inputs { nics: 0, ..inputs(Mpi) });
        assert_eq!(none, OverrideSpec { when: none.when.clone(), ..OverrideSpec::default() });
    }
    let resources = |id, inputs: &Inputs<'_>| pod(&render("latest", id, inputs))["containers"][0]["resources"].clone();
    let both = |name: &str, count: Value| json!({ "limits": { name: count }, "requests": { name: count } });
    assert_eq!(resources("E15", &inputs(Mpi)), both("nvidia.com/mlnxnics", json!(4)));
    assert_eq!(resources("E16", &inputs(Mpi)), both("nvidia.com/mlnxnics", json!("4")));
    assert_eq!(resources("E18", &inputs(Mpi)), both("rdma/ib", json!("1")));
    let named = Inputs { nic_resource: "rdma/ib", ..inputs(Mpi) };
    for id in ["E20", "E22"] {
        assert_eq!(resources(id, &named), both("rdma/ib", json!("4")));
        assert_eq!(resources(id, &inputs(Mpi)), Value::Null);
        assert_eq!(resources(id, &Inputs { nics: 0, ..named }), Value::Null);
    }
    let bare = pod(&render("latest", "E22", &inputs(Mpi)));
    assert_eq!(bare, json!({ "tolerations": [tolerate("nvidia.com/gpu", "present")] }));
}

#[test]
fn shared_lists_stand_on_worker_and_trainer() {
    for (patch, entry, count) in [("E18", "E19", 10), ("E20", "E21", 9)] {
        let trainer = trainer_env(&render("latest", entry, &inputs(Torch)));
        assert_eq!(trainer.len(), count);
        let worker = pod(&render("latest", patch, &inputs(Torch)));
        let worker = worker["containers"][0]["env"].as_array().unwrap();
        let worker: Vec<String> = worker
            .iter()
            .map(|v| format!("{}={}", v["name"].as_str().unwrap(), v["value"].as_str().unwrap()))
            .collect();
        assert_eq!(worker, trainer);
        let off = trainer_env(&render("latest", entry, &Inputs { mnnvl: false, ..inputs(Torch) }));
        assert!(trainer.contains(&"NCCL_MNNVL_ENABLE=1".into()) && off.contains(&"NCCL_MNNVL_ENABLE=0".into()));
    }
    let together = trainer_env(&render("latest", "E17", &inputs(Exec)));
    assert_eq!(together.len(), 10);
    assert!(together[7].starts_with("NCCL_IB_HCA==mlx5_7:1,mlx5_8:1,"));
}

#[test]
fn nscale_gb300_torch() {
    // 05 §4.2 as far as one entry goes.
    let claims = render("latest", "E24", &inputs(Torch));
    let names: Vec<&Value> = claims.dependencies.iter().map(|d| &d["metadata"]["name"]).collect();
    assert_eq!(names, ["r-gpu", "r-rdma", "r-runtime"]);
    for (at, name, class) in [(0, "gpu", "gpu.nvidia.com"), (1, "rdma", "rdma.nscale.com")] {
        let requests = &claims.dependencies[at]["spec"]["spec"]["devices"]["requests"];
        assert_eq!(*requests, json!([{ "name": name, "exactly": { "deviceClassName": class, "count": 4 } }]));
        assert!(claims.dependencies[at].get("if").is_none());
    }
    assert_eq!(
        pod(&claims),
        json!({
            "resourceClaims": [
                { "name": "gpu", "resourceClaimTemplateName": "r-gpu" },
                { "name": "rdma", "resourceClaimTemplateName": "r-rdma" },
            ],
            "tolerations": [tolerate("kubernetes.io/arch", "arm64"), tolerate("nvidia.com/gpu", "present")],
            "containers": [{
                "name": "node",
                "resources": {
                    "limits": { "nvidia.com/gpu": null },
                    "requests": { "nvidia.com/gpu": null },
                    "claims": [{ "name": "gpu" }, { "name": "rdma" }],
                },
            }],
        })
    );
    let without = render("latest", "E24", &Inputs { nics: 0, ..inputs(Torch) });
    assert_eq!(without.dependencies.len(), 2);
    assert_eq!(pod(&without)["resourceClaims"].as_array().unwrap().len(), 1);
    let env = trainer_env(&render("latest", "E25", &inputs(Torch)));
    assert_eq!(env.len(), 10);
    assert_eq!(env[0], "NCCL_SOCKET_IFNAME=eth0");
    assert!(!env.iter().any(|v| v.starts_with("NCCL_NET=")), "00 D15");
}

#[test]
fn resource_requests() {
    let requests = |id: &str, run: Inputs<'_>| {
        let entry = Catalogue::builtin().entries("documented", run.framework).find(|e| e.entry.id == id).unwrap();
        entry.requests(&run)
    };
    let one = |resource: &str, count: &str, fields: &[&'static str]| {
        vec![ResourceRequest { resource: resource.into(), count: count.into(), fields: fields.to_vec() }]
    };
    assert_eq!(requests("E15", inputs(Mpi)), one("nvidia.com/mlnxnics", "4", &["spec.mlnxPerNode"]));
    assert_eq!(requests("E15", Inputs { nics: 0, ..inputs(Mpi) }), []);
    assert_eq!(requests("E11", inputs(Mpi)), one("vpc.amazonaws.com/efa", "32", &[]));
    assert_eq!(
        requests("E20", Inputs { nic_resource: "rdma/ib", ..inputs(Mpi) }),
        one("rdma/ib", "4", &["spec.mlnxPerNode", "spec.nicResourceName"])
    );
    assert_eq!(requests("E24", inputs(Mpi)), [], "null removes");
    let users = |input| {
        let ids = Catalogue::builtin().entries.iter().filter(|e| e.uses(input)).map(|e| e.id.as_str());
        ids.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(users(Input::Nics), "E15 E16 E20 E22 E24");
    assert_eq!(users(Input::NicResource), "E20 E22");
    assert_eq!(users(Input::Nodes), "E1");
    assert_eq!(users(Input::Gpus), "E23 E24");
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
