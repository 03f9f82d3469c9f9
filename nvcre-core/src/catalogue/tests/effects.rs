//! What each entry holds (05 §2), and the worked examples as far as entries go (05 §4.1, §4.2).

use super::{EDITIONS, inputs, render, specified};
use crate::api::OverrideSpec;
use crate::catalogue::Framework::{Exec, Mpi, Torch};
use crate::catalogue::{Catalogue, Input, Inputs, ResourceRequest};
use serde_json::{Value, json};

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
    let onprem = |(platform, _): &(&str, &str)| *platform == "onprem";
    assert!(!Catalogue::builtin().topology_keys().any(|found| onprem(&found)));
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
        let ids = Catalogue::builtin().entries.iter().filter(|e| specified(e) && e.uses(input)).map(|e| e.id.as_str());
        ids.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(users(Input::Nics), "E15 E16 E20 E22 E24");
    assert_eq!(users(Input::NicResource), "E20 E22");
    assert_eq!(users(Input::Nodes), "E1");
    assert_eq!(users(Input::Gpus), "E23 E24");
}

#[test]
fn raw_parts_of_a_worker_meet_the_short_ones() {
    let entry = json!({
        "id": "X", "name": "x", "title": "x",
        "worker": [
            { "podAnnotations": { "a/b": "${run}" }, "pod": { "hostIPC": true, "containers": [{ "name": "side" }] } },
            {
                "container": { "securityContext": { "privileged": true }, "volumeMounts": [{ "name": "v" }] },
                "capabilities": ["IPC_LOCK"],
            },
            { "if": { "nodes": { "greaterThan": 4 } }, "capabilities": ["NEVER"] },
            { "if": { "mnnvl": true }, "capabilities": ["SYS_NICE"] },
        ],
        "jobTemplate": { "spec": { "workload": { "trainJob": { "trainer": { "numProcPerNode": "${gpus:number}" } } } } },
        "trainerEnv": [{ "name": "A", "value": "${nodes}" }],
        "jobTemplatePatch": [{ "op": "add", "path": "/metadata/labels/run", "value": "${run}" }],
        "preCommand": ["echo $${HOME} ${run}"],
        "mpiArgs": ["--tag-output"],
    });
    let catalogue = Catalogue { entries: vec![serde_json::from_value(entry).unwrap()], ..Catalogue::default() };
    let torch = catalogue.entries("", Torch).next().unwrap().render(&inputs(Torch));
    let job = &torch.dependencies[0]["spec"]["template"]["spec"]["replicatedJobs"][0]["template"];
    assert_eq!(
        job["spec"]["template"],
        json!({
            "metadata": { "annotations": { "a/b": "r" } },
            "spec": {
                "hostIPC": true,
                "containers": [
                    { "name": "side" },
                    {
                        "name": "node",
                        "securityContext": { "privileged": true, "capabilities": { "add": ["IPC_LOCK", "SYS_NICE"] } },
                        "volumeMounts": [{ "name": "v" }],
                    },
                ],
            },
        })
    );
    let trainer = json!({ "numProcPerNode": 4, "env": [{ "name": "A", "value": "4" }] });
    assert_eq!(torch.job_template.unwrap()["spec"]["workload"]["trainJob"]["trainer"], trainer);
    assert_eq!(torch.job_template_patch.unwrap()[0]["value"], "r");
    assert_eq!(torch.pre_command, ["echo ${HOME} r"]);
    assert!(torch.mpi_args.is_empty());
    let mpi = catalogue.entries("", Mpi).next().unwrap().render(&inputs(Mpi));
    assert_eq!(mpi.mpi_args, ["--tag-output"]);
}
