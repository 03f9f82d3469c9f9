//! Rows 1–13: the reference engine.

use crate::support::*;
use nvcre_core::api::{GPU_PRESENT_KEY, GPU_PRODUCT_KEY, GPU_RESOURCE, HOSTNAME_KEY};
use nvcre_core::diagnostic::Code;
use nvcre_core::engine::Options;
use nvcre_core::fleet::InventoryBuilder;
use nvcre_core::jobs::Role;
use nvcre_core::workflow::WAIT_FOR_WORKERS;
use nvcre_core::yaml;
use serde_json::{Value, json};

fn trace() -> Value {
    json!([{"name": "NCCL_DEBUG", "value": "TRACE"}])
}

#[test]
fn row_01_env_of_an_mpi_run_was_lost() {
    let out = on(&nodes("onprem", "h100", 4), &with(basic(), json!({"env": trace()}))).fine();
    for job in ["node", "launcher"] {
        assert_eq!(env(container(out.runtimes()[0], job))["NCCL_DEBUG"], "TRACE");
    }
    let pairs: Vec<_> = forwarded(&out.command()).into_iter().filter(|p| p.0 == "NCCL_DEBUG").collect();
    assert_eq!(pairs, [("NCCL_DEBUG".to_owned(), Some("TRACE".to_owned()))]);
}

#[test]
fn row_02_the_preview_was_not_what_was_submitted() {
    for (platform, gpu) in [("aws", "gb300"), ("onprem", "h100"), ("nscale", "b200"), ("gcp", "h100")] {
        for spec in [basic(), torch(), exec()] {
            let out = on(&nodes(platform, gpu, 8), &with(spec, json!({"env": trace()}))).fine();
            let shown = yaml::to_yaml(out.trainer());
            assert_eq!((out.jobs.len(), out.controller.len()), (2, 2));
            for manifests in out.jobs.iter().chain(&out.controller) {
                assert_eq!(yaml::to_yaml(&find(manifests, Role::TrainJob)["spec"]["trainer"]), shown);
                let runtime = manifests.iter().find(|m| m.value["kind"] == "TrainingRuntime").unwrap();
                for job in runtime.value["spec"]["template"]["spec"]["replicatedJobs"].as_array().unwrap() {
                    let name = job["name"].as_str().unwrap();
                    let ours = container(&runtime.value, name);
                    assert_eq!(yaml::to_yaml(ours), yaml::to_yaml(container(out.runtime(), name)), "{platform}");
                }
            }
            for job in out.engine_jobs() {
                assert_eq!(yaml::to_yaml(&job["spec"]["workload"]["trainJob"]["trainer"]), shown);
            }
        }
    }
}

#[test]
fn row_03_nvlink_was_on_in_one_place_and_off_in_another() {
    let off = json!({"enableMNNVL": false});
    for (gpu, fields, value) in [("gb300", json!({}), "1"), ("gb300", off, "0"), ("h100", json!({}), "0")] {
        let out = on(&nodes("onprem", gpu, 4), &with(basic(), fields)).fine();
        for job in ["node", "launcher"] {
            assert_eq!(env(container(out.runtimes()[0], job))["NCCL_MNNVL_ENABLE"], value, "{gpu}");
        }
        let pairs: Vec<_> = forwarded(&out.command()).into_iter().filter(|p| p.0 == "NCCL_MNNVL_ENABLE").collect();
        assert_eq!(pairs, [("NCCL_MNNVL_ENABLE".to_owned(), Some(value.to_owned()))], "{gpu}");
    }
}

#[test]
fn row_04_pods_were_outside_of_the_gang() {
    let gang = json!({"gangScheduler": {"schedulerName": "kai-scheduler", "queue": "training"}});
    let out = on(&nodes("onprem", "h100", 4), &with(basic(), gang)).fine();
    for manifests in out.jobs.iter().chain(&out.controller) {
        let runtime = &manifests.iter().find(|m| m.value["kind"] == "TrainingRuntime").unwrap().value;
        let jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"].as_array().unwrap();
        assert_eq!(jobs.len(), 2);
        for job in jobs {
            let pod = &job["template"]["spec"]["template"];
            assert_eq!(pod["spec"]["schedulerName"], "kai-scheduler");
            assert_eq!(pod["metadata"]["labels"]["kai.scheduler/queue"], "training");
            assert_eq!(job["template"]["metadata"]["labels"]["kai.scheduler/queue"], "training");
        }
        assert_eq!(find(manifests, Role::TrainJob)["metadata"]["labels"]["kai.scheduler/queue"], "training");
    }
}

#[test]
fn row_05_the_default_queue_key_came_beside_the_named_one() {
    let inventory = nodes("onprem", "h100", 4);
    let gang = json!({"schedulerName": "runai-scheduler", "queueLabelKey": "runai/queue", "queue": "team-a"});
    for spec in [basic(), torch()] {
        let ganged = on(&inventory, &with(spec.clone(), json!({"gangScheduler": gang}))).fine();
        assert!(ganged.text().contains("runai/queue: team-a") && !ganged.text().contains("kai.scheduler"));
        // A run without it renders what it would if gangs did not exist: all that is more is the gang's.
        let plain = on(&inventory, &spec).fine();
        for word in ["schedulerName", "queue", "gangScheduler"] {
            assert!(!plain.text().contains(word), "{word}");
        }
        let mut without = ganged.workflow["spec"].clone();
        without.as_object_mut().unwrap().remove("gangScheduler");
        without["jobTemplate"]["spec"].as_object_mut().unwrap().remove("workloadMetadata");
        for dependency in without["dependencies"].as_array_mut().unwrap() {
            strip_gang(dependency);
        }
        assert_eq!(without, plain.workflow["spec"]);
    }
}

fn strip_gang(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("schedulerName");
            map.remove("runai/queue");
            map.values_mut().for_each(strip_gang);
            map.retain(|key, v| !(matches!(key.as_str(), "labels" | "metadata") && *v == json!({})));
        }
        Value::Array(list) => list.iter_mut().for_each(strip_gang),
        _ => {}
    }
}

#[test]
fn row_06_a_gated_launcher_kept_kai_from_ever_starting_the_gang() {
    let run = |scheduler: &str| {
        let fields = json!({"numNodes": 2, "gangScheduler": {"schedulerName": scheduler, "queue": "q"}});
        on(&nodes("onprem", "h100", 2), &with(basic(), fields)).fine()
    };
    let out = run("kai-scheduler");
    assert!(!out.text().contains("dependsOn") && !out.text().contains("startupPolicy"));
    let launcher = &pod(out.runtimes()[0], "launcher")["spec"];
    let init = &launcher["initContainers"][0];
    assert!(init["args"][0].as_str().unwrap().ends_with(WAIT_FOR_WORKERS));
    let mounts: Vec<&str> =
        init["volumeMounts"].as_array().unwrap().iter().map(|m| m["mountPath"].as_str().unwrap()).collect();
    assert_eq!(mounts, ["/tmp/mpi-ssh-raw", "/root/.ssh", "/etc/mpi"]);
    // Every other scheduler keeps the gate and has no barrier.
    let other = run("volcano");
    let jobs = &other.runtimes()[0]["spec"]["template"]["spec"]["replicatedJobs"];
    assert_eq!(jobs[1]["dependsOn"], json!([{"name": "node", "status": "Ready"}]));
    assert!(!other.text().contains("/etc/mpi"));
}

#[test]
fn row_07_transport_pins_of_aws_gb300_were_missing() {
    let out = on(&nodes("aws", "gb300", 4), &basic()).fine();
    let pins: Vec<&str> =
        "--mca orte_keep_fqdn_hostnames true --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include \
        eth0 --mca oob tcp --mca oob_tcp_if_include eth0 --mca coll_ucc_enable 0 --mca coll_hcoll_enable 0 -x \
        NCCL_DEBUG_SUBSYS=NET,INIT -x NCCL_SOCKET_IFNAME=eth0 -x NCCL_IB_GID_INDEX=3 -x NCCL_NVLS_ENABLE=1 -x \
        NCCL_CUMEM_ENABLE=1 -x NCCL_NET_GDR_C2C=1 -x NCCL_NET_PLUGIN=none"
            .split_whitespace()
            .collect();
    for train_job in out.train_jobs() {
        assert!(holds(&command(&train_job["spec"]["trainer"]), &pins), "{train_job}");
    }
}

#[test]
fn row_08_an_entry_with_trainer_env_beat_the_user() {
    for (platform, gpu) in [("gcp", "h100"), ("togetherai", "h100"), ("nscale", "b200"), ("gcp", "rtxpro6000")] {
        let plain = declared(platform, gpu, &torch()).fine();
        assert_eq!(env(plain.trainer())["NCCL_DEBUG"], "INFO", "{platform}: the entry sets it");
        let out = declared(platform, gpu, &with(torch(), json!({"env": trace()}))).fine();
        assert_eq!(env(out.trainer())["NCCL_DEBUG"], "TRACE", "{platform}");
        assert_eq!(env(container(out.runtime(), "node"))["NCCL_DEBUG"], "TRACE", "{platform}");
    }
}

#[test]
fn row_09_a_platform_patch_took_the_runtime_apart() {
    let target = json!({"target": {"taintSelectors": [{"key": "reserved"}]}});
    let base = json!([
        {"key": "kubernetes.io/arch", "operator": "Equal", "value": "arm64", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"},
    ]);
    let mut builder = InventoryBuilder::new();
    for number in 0..4 {
        let name = format!("node-{number}");
        let node = builder.node(&name).label(HOSTNAME_KEY, &name).label(GPU_PRESENT_KEY, "true");
        node.label(GPU_PRODUCT_KEY, "NVIDIA-GB300").taint("reserved", "", "NoSchedule").allocatable(GPU_RESOURCE, "4");
    }
    let inventory = builder.build();
    for (spec, policy) in [(torch(), "torch"), (exec(), "torch"), (basic(), "mpi")] {
        let out = on(&inventory, &with(spec.clone(), json!({}))).fine();
        let runtime = out.runtimes()[0];
        let policies: Vec<&String> =
            runtime["spec"]["mlPolicy"].as_object().unwrap().keys().filter(|k| *k != "numNodes").collect();
        assert_eq!(policies, [policy]);
        assert_eq!(pod(runtime, "node")["spec"]["tolerations"], base, "{policy}");
        // Tolerations of the patch replace those of the runtime, so they carry them first.
        let out = on(&inventory, &with(spec, target.clone())).fine();
        let patched = patch(out.train_jobs()[0], "node")["spec"]["tolerations"].as_array().unwrap().clone();
        assert_eq!(Value::Array(patched[..2].to_vec()), base, "{policy}");
        assert_eq!(patched[2], json!({"key": "reserved", "operator": "Exists"}), "{policy}");
    }
    // A torch run without taints sets none in the patch, and so loses none.
    let out = on(&inventory, &torch()).fine();
    assert_eq!(patch(out.train_jobs()[0], "node")["spec"].get("tolerations"), None);
}

#[test]
fn row_10_no_nics_became_a_quantity_of_zero() {
    for (platform, gpu) in [("azure", "h100"), ("togetherai", "h100"), ("oci", "gb300"), ("onprem", "gb300")] {
        for spec in [basic(), torch()] {
            let fields = json!({"mlnxPerNode": 0, "nicResourceName": "rdma/ib"});
            let out = on(&nodes(platform, gpu, 4), &with(spec.clone(), fields)).fine();
            let mut objects = vec![out.runtime()];
            objects.extend(out.jobs.iter().flatten().map(|m| &m.value));
            for object in objects.iter().filter(|o| o["kind"] == "TrainingRuntime" || o["kind"] == "TrainJob") {
                let text = object.to_string();
                assert!(!text.contains("mlnxnics") && !text.contains("rdma/ib"), "{platform}: {text}");
            }
            if platform != "oci" {
                let one = with(spec, json!({"mlnxPerNode": 1, "nicResourceName": "rdma/ib"}));
                let text = on(&nodes(platform, gpu, 4), &one).fine().runtime().to_string();
                assert!(text.contains("mlnxnics") || text.contains("rdma/ib"), "{platform}: {text}");
            }
        }
    }
}

#[test]
fn row_11_nodes_with_too_few_gpus_took_part() {
    let mut builder = InventoryBuilder::new();
    for (name, gpus) in [("a", "1"), ("b", "1"), ("c", "2"), ("d", "2"), ("e", "2"), ("f", "2")] {
        let node = builder.node(name).label(HOSTNAME_KEY, name).label(GPU_PRESENT_KEY, "true");
        node.label(GPU_PRODUCT_KEY, "NVIDIA-L40S").allocatable(GPU_RESOURCE, gpus);
    }
    let out = on(&builder.build(), &with(basic(), json!({"gpusPerNode": 2, "numNodes": 2}))).fine();
    assert_eq!(out.groups().into_iter().flat_map(|g| g.1).collect::<Vec<_>>(), ["c", "d", "e", "f"]);
    let excluded = &out.plan.as_ref().unwrap().excluded;
    let names: Vec<&str> = excluded.iter().map(|e| e.node.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    for exclusion in excluded {
        assert!(exclusion.reason.contains('1') && exclusion.reason.contains('2'), "{}", exclusion.reason);
    }
    let text = out.one(Code::InsufficientGpuCapacity);
    assert!(text.contains("a has 1") && text.contains("b has 1") && text.contains('2'), "{text}");
    let plan = out.plan.unwrap();
    assert!(plan.exclusion_reason.contains("a has 1, b has 1"), "{}", plan.exclusion_reason);
}

#[test]
fn row_12_the_first_node_decided_the_architecture() {
    let inventory = |products: &[&str]| {
        let mut builder = InventoryBuilder::new();
        for (number, product) in products.iter().enumerate() {
            let name = format!("node-{number}");
            let node = builder.node(&name).label(HOSTNAME_KEY, &name).label(GPU_PRESENT_KEY, "true");
            node.label(GPU_PRODUCT_KEY, product).allocatable(GPU_RESOURCE, "8");
        }
        builder.build()
    };
    let (h, a) = ("NVIDIA-H100-80GB-HBM3", "NVIDIA-A100-SXM4-80GB");
    let one = with(basic(), json!({"numNodes": 1}));
    let out = on(&inventory(&[h, a, a, a]), &one).fine();
    let plan = out.plan.as_ref().unwrap();
    assert_eq!((plan.gpu_architecture.as_str(), plan.total_nodes), ("a100", 3));
    assert_eq!(plan.excluded.iter().map(|e| e.node.as_str()).collect::<Vec<_>>(), ["node-0"]);
    assert!(out.one(Code::HeterogeneousGpu).contains("a100"));
    // A tie goes to the architecture of the first name.
    for (products, winner) in [([h, a], "h100"), ([a, h], "a100")] {
        let plan = on(&inventory(&products), &one).fine().plan.unwrap();
        assert_eq!((plan.gpu_architecture.as_str(), plan.total_nodes), (winner, 1));
    }
}

#[test]
fn row_13_a_declared_platform_was_lost_against_the_nodes() {
    let options = Options { platform: Some("gcp".into()), ..Options::default() };
    let out = render(&run_text(&basic()), Some(&nodes("aws", "h100", 4)), &options).fine();
    assert_eq!(out.workflow["metadata"]["annotations"]["nvcrectl.nvidia.com/detected-platform"], "gcp");
    assert_eq!(out.plan.as_ref().unwrap().platform, "gcp");
    let text = out.one(Code::PlatformOverridden);
    assert!(text.contains("gcp") && text.contains("aws"), "{text}");
    assert!(!holds(&out.command(), &["-x", "NCCL_NET_PLUGIN=none"]), "no entry of aws applies");
    assert_eq!(env(out.trainer())["NCCL_FASTRAK_CTRL_DEV"], "eth0", "those of gcp do");
}
