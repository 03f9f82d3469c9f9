//! Will it be placed: verdicts and words, filter by filter, with the values of nodes and pods.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod support;

use nvcre_core::diagnostic::{Code, Diagnostic};
use nvcre_core::engine::{Delivery, Engine, Options};
use nvcre_core::fleet::{Inventory, InventoryBuilder, NodeBuilder, PodsReader};
use nvcre_core::schedule::{GroupScheduling, GroupVerdict, Need, Schedule, Verdict};
use serde_json::{Value, json};
use support::{basic, exec, run_text, torch, with};

/// On-prem H100 nodes with everything that a kubelet tells.
fn nodes(names: &[&str], more: impl for<'b> Fn(NodeBuilder<'b>, &str) -> NodeBuilder<'b>) -> Inventory {
    let mut builder = InventoryBuilder::new();
    for name in names {
        let node = builder
            .node(name)
            .label("kubernetes.io/hostname", name)
            .label("nvidia.com/gpu.present", "true")
            .label("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3")
            .allocatable("nvidia.com/gpu", "8")
            .allocatable("cpu", "96")
            .allocatable("memory", "1Ti")
            .allocatable("pods", "110");
        more(node, name);
    }
    builder.build()
}

fn plain(names: &[&str]) -> Inventory {
    nodes(names, |n, _| n)
}

struct Out {
    verdicts: Vec<GroupVerdict>,
    explained: GroupScheduling,
    needs: Vec<Need>,
    found: Vec<Diagnostic>,
}

impl Out {
    /// Verdict and words of the first group.
    fn says(&self) -> (Verdict, &str, &str) {
        let first = &self.verdicts[0];
        (first.verdict, &first.pods, &first.message)
    }

    fn codes(&self) -> Vec<Code> {
        let mut out: Vec<Code> =
            self.found.iter().map(|d| d.code).filter(|c| (320..340).contains(&c.number())).collect();
        out.sort();
        out
    }
}

fn on(inventory: &Inventory, spec: &Value) -> Out {
    let engine = Engine::new();
    let text = run_text(spec);
    let run = engine.read_run(text.as_bytes(), "run.yaml", false);
    let rendering = engine.render(&run, Some(inventory), &Options::default());
    let jobs = rendering.jobs(Delivery::Trainer);
    let prepared =
        jobs.prepared.as_ref().unwrap_or_else(|| panic!("{:#?} {:#?}", rendering.diagnostics, jobs.diagnostics));
    let schedule = Schedule::new(prepared);
    let groups = 0..u32::try_from(prepared.groups().len()).unwrap();
    Out {
        verdicts: groups.map(|group| schedule.verdict(group)).collect(),
        explained: schedule.explain(0),
        needs: schedule.needs(),
        found: jobs.diagnostics.clone(),
    }
}

fn pairs(spec: Value) -> Value {
    with(spec, json!({"numNodes": 2}))
}

/// What an override changes in the pods of a replicated job.
fn pod(spec: Value, job: &str, pod: Value) -> Value {
    let runtime = json!({
        "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": {"name": "my-workload-runtime"},
        "spec": {"template": {"spec": {"replicatedJobs": [
            {"name": job, "template": {"spec": {"template": {"spec": pod}}}},
        ]}}},
    });
    with(spec, json!({"overrides": [{"when": {}, "dependencies": [runtime]}]}))
}

#[test]
fn healthy_nodes_hold_workers_and_launcher() {
    for spec in [pairs(basic()), pairs(torch()), pairs(exec())] {
        let out = on(&plain(&["a", "b", "c", "d"]), &spec);
        assert_eq!(
            out.verdicts.iter().map(|v| v.verdict).collect::<Vec<_>>(),
            [Verdict::Fits, Verdict::Fits],
            "{spec}"
        );
        assert_eq!(out.codes(), []);
        assert!(out.explained.remedies.is_empty() && out.needs.is_empty());
    }
    let out = on(&plain(&["a", "b"]), &pairs(basic()));
    let kinds = &out.explained.kinds;
    assert_eq!((kinds[0].pods.as_str(), kinds[0].count, kinds[0].fit), ("node", 2, 2));
    assert_eq!((kinds[1].pods.as_str(), kinds[1].count, kinds[1].fit), ("launcher", 1, 1));
    assert_eq!(kinds[1].requests["memory"], "1Gi");
}

#[test]
fn taints_stop_pods_without_a_toleration() {
    let tainted = nodes(&["a", "b"], |n, _| n.taint("nvidia.com/gpu", "present", "NoSchedule"));
    assert_eq!(on(&tainted, &pairs(basic())).says().0, Verdict::Fits, "MPI pods tolerate everything");
    let out = on(&tainted, &pairs(torch()));
    assert_eq!(out.says(), (Verdict::Waits, "node", "0/2 nodes are available: 2 node(s) had untolerated taint(s)."));
    assert!(out.verdicts[0].unless.contains("ExtendedResourceToleration"));
    assert_eq!(out.codes(), [Code::TaintNotTolerated]);
    let filters = &out.explained.kinds[0].filters;
    assert_eq!((filters[1].nodes, filters[1].pass), (2, 0));
    assert_eq!(filters[1].stops, ["nvidia.com/gpu=present:NoSchedule on a, b"]);
    assert!(out.explained.remedies[0].contains("spec.target.taintSelectors"), "{:?}", out.explained.remedies);
    // Where that would not be enough, it is not said.
    let large = with(pairs(torch()), json!({"resources": {"requests": {"memory": "2Ti"}}}));
    assert_eq!(on(&tainted, &large).verdicts[0].unless, "");
    // The way out is one.
    let tolerant = with(pairs(torch()), json!({"target": {"taintSelectors": [{"key": "nvidia.com/gpu"}]}}));
    assert_eq!(on(&tainted, &tolerant).says().0, Verdict::Fits);
    // A soft taint stops nobody, and no plugin helps against one that evicts.
    let soft = nodes(&["a", "b"], |n, _| n.taint("x", "", "PreferNoSchedule"));
    assert_eq!(on(&soft, &pairs(torch())).says().0, Verdict::Fits);
    let evicts = nodes(&["a", "b"], |n, _| n.taint("x", "", "NoExecute"));
    let out = on(&evicts, &pairs(torch()));
    assert_eq!((out.says().0, out.verdicts[0].unless.as_str()), (Verdict::Waits, ""));
}

#[test]
fn cordoned_nodes_that_were_asked_for_are_tolerated() {
    let cordoned = nodes(&["a", "b"], |n, _| n.cordoned(true));
    let spec = with(pairs(torch()), json!({"target": {"includeUnschedulable": true}}));
    assert_eq!(on(&cordoned, &spec).says().0, Verdict::Fits);
}

#[test]
fn every_resource_counts() {
    let efa = |second: &str| {
        nodes(&["a", "b"], |n, name| n.allocatable("vpc.amazonaws.com/efa", if name == "a" { "32" } else { second }))
    };
    let spec = with(pairs(torch()), json!({"resources": {"limits": {"vpc.amazonaws.com/efa": "32"}}}));
    assert_eq!(on(&efa("32"), &spec).says().0, Verdict::Fits);
    let out = on(&efa("16"), &spec);
    assert_eq!(
        out.says(),
        (
            Verdict::Waits,
            "node",
            "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 2 Insufficient vpc.amazonaws.com/efa."
        )
    );
    assert_eq!(out.codes(), [Code::NotEnoughOfResource]);
    assert!(
        out.found.iter().any(|d| d.message.contains("requests 32") && d.message.contains("b has 16")),
        "{:#?}",
        out.found
    );
    let stops = &out.explained.kinds[0].filters[3].stops;
    assert_eq!(stops[..], ["vpc.amazonaws.com/efa: 32 wanted, and b has 16"]);
    // A node that says nothing of a device has none of it; of what every kubelet tells, the inventory was cut.
    let none = plain(&["a", "b"]);
    assert_eq!(on(&none, &spec).says().0, Verdict::Waits);
    assert_eq!(on(&none, &spec).codes(), [], "nobody offers it, which NV134 says");
    let disk = with(pairs(torch()), json!({"resources": {"requests": {"ephemeral-storage": "1Ti"}}}));
    assert_eq!(on(&none, &disk).says().0, Verdict::Fits);
}

#[test]
fn nodes_without_gpus_as_a_resource() {
    let mut builder = InventoryBuilder::new();
    for name in ["a", "b"] {
        builder
            .node(name)
            .label("kubernetes.io/hostname", name)
            .label("nvidia.com/gpu.present", "true")
            .label("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3")
            .allocatable("cpu", "96");
    }
    let bare = builder.clone().build();
    let out = on(&bare, &pairs(torch()));
    assert_eq!(out.says().2, "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
    assert_eq!((out.codes(), out.verdicts[0].unless.as_str()), (vec![Code::NoGpuResource], ""));
    for name in ["a", "b"] {
        builder.slice(&format!("slice-{name}"), "gpu.nvidia.com", Some(name), 1, [(Some("gpu"), None)]);
    }
    let out = on(&builder.build(), &pairs(torch()));
    assert_eq!(out.says().0, Verdict::Waits);
    assert!(out.verdicts[0].unless.contains("DeviceClass"), "{:?}", out.verdicts);
}

#[test]
fn pods_of_one_job_on_one_node_count_together() {
    let one = |cpu: &str| nodes(&["a"], |n, _| n.allocatable("cpu", cpu));
    let spec = with(basic(), json!({"numNodes": 1, "resources": {"requests": {"cpu": "6"}}}));
    assert_eq!(on(&one("8"), &spec).says().0, Verdict::Fits);
    let out = on(&one("7999m"), &spec);
    assert_eq!(out.says(), (Verdict::Waits, "launcher", "0/1 nodes are available: 1 Insufficient cpu."));
    assert_eq!(out.codes(), [Code::PodsDoNotFitTogether]);
    assert_eq!(out.explained.kinds.iter().map(|k| k.fit).collect::<Vec<_>>(), [1, 1], "each alone fits");
    let full = nodes(&["a"], |n, _| n.allocatable("pods", "1"));
    let out = on(&full, &with(basic(), json!({"numNodes": 1})));
    assert_eq!(out.says(), (Verdict::Waits, "launcher", "0/1 nodes are available: 1 Too many pods."));
    assert_eq!(out.codes(), [Code::PodsPerNode]);
}

#[test]
fn what_runs_already_is_taken_off() {
    let running = |pods: &[(&str, &str, &str)]| {
        let mut inventory = plain(&["a", "b"]);
        let mut reader = PodsReader::new();
        let items: Vec<Value> = pods
            .iter()
            .enumerate()
            .map(|(at, (node, phase, gpus))| {
                json!({"metadata": {"name": format!("p{at}")}, "status": {"phase": phase}, "spec": {"nodeName": node,
                    "containers": [{"resources": {"requests": {"nvidia.com/gpu": gpus}}}]}})
            })
            .collect();
        reader.read("pods.json", json!({"kind": "List", "items": items}).to_string().as_bytes());
        assert_eq!(reader.finish(&mut inventory), []);
        on(&inventory, &pairs(basic()))
    };
    assert_eq!(running(&[("a", "Succeeded", "8"), ("b", "Failed", "8"), ("", "Pending", "8")]).says().0, Verdict::Fits);
    let out = running(&[("a", "Running", "1"), ("b", "Pending", "8")]);
    assert_eq!(out.says().2, "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
    assert_eq!(out.codes(), [Code::NothingLeft]);
    let message = &out.found.iter().find(|d| d.code == Code::NothingLeft).unwrap().message;
    assert!(message.contains("a has 7 of 8 left, b has 0 of 8 left"), "{message}");
}

#[test]
fn labels_that_a_runtime_wants() {
    let pool = nodes(&["a", "b"], |n, name| n.label("pool", name));
    let out = on(&pool, &pod(pairs(torch()), "node", json!({"nodeSelector": {"pool": "a"}})));
    assert_eq!(
        out.says().2,
        "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) didn't match Pod's node affinity/selector."
    );
    assert_eq!(out.codes(), [Code::NoNodeOfLabels]);
    assert!(out.found.iter().any(|d| d.message.contains("b is not pool=a")), "{:#?}", out.found);
}

#[test]
fn host_ports_and_anti_affinity_keep_pods_apart() {
    let port = |job: &str, spec: Value| {
        pod(spec, job, json!({"containers": [{"name": "node", "ports": [{"containerPort": 22, "hostPort": 22}]}]}))
    };
    assert_eq!(on(&plain(&["a", "b"]), &port("node", pairs(torch()))).says().0, Verdict::Fits);
    // Half a node each: two pods would fit on one, and the port keeps them apart.
    let half = |names: &[&str], target: &str| {
        let spec = with(
            torch(),
            json!({"numNodes": 2, "gpusPerNode": 4, "orchestration": {"placement": "Unpinned"}, "target": {"nodeSelector": {"pool": target}}}),
        );
        on(&nodes(names, |n, _| n.label("pool", "x")), &port("node", spec))
    };
    assert_eq!(half(&["a", "b"], "x").says().0, Verdict::Fits);
    let apart = |key: &str| {
        json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {}}, "topologyKey": key},
        ]}}})
    };
    let racks = |of_b: &str| nodes(&["a", "b"], |n, name| n.label("rack", if name == "a" { "r1" } else { of_b }));
    let spec = pod(pairs(torch()), "node", apart("rack"));
    assert_eq!(on(&racks("r2"), &spec).says().0, Verdict::Fits);
    let out = on(&racks("r1"), &spec);
    assert_eq!((out.says().0, out.codes()), (Verdict::Waits, vec![Code::PodsKeepApart]));
    // Pods of others decide what is not known here.
    let beside = json!({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "rack"},
    ]}}});
    let out = on(&racks("r1"), &pod(pairs(torch()), "node", beside));
    assert_eq!((out.says().0, out.codes()), (Verdict::Unknown, Vec::new()));
}

#[test]
fn an_unpinned_job_takes_any_nodes() {
    let spec = with(torch(), json!({"numNodes": 2, "orchestration": {"placement": "Unpinned"}}));
    let some = nodes(&["a", "b", "c"], |n, name| if name == "b" { n.taint("x", "", "NoSchedule") } else { n });
    assert_eq!(on(&some, &spec).says().0, Verdict::Fits);
    let most = nodes(&["a", "b", "c"], |n, name| if name == "a" { n } else { n.taint("x", "", "NoSchedule") });
    let out = on(&most, &spec);
    assert_eq!(
        out.says().2,
        "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint(s)."
    );
    assert_eq!(out.codes(), [Code::TaintNotTolerated]);
}

#[test]
fn what_only_the_cluster_knows_is_no_verdict() {
    let spec = with(
        pairs(torch()),
        json!({
            "priorityClassName": "urgent",
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "imagenet"}}],
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            "gangScheduler": {"schedulerName": "kai-scheduler"},
        }),
    );
    let out = on(&plain(&["a", "b"]), &spec);
    assert_eq!(out.says().0, Verdict::Fits);
    let needs: Vec<(&str, &str)> = out.needs.iter().map(|n| (n.kind.as_str(), n.name.as_str())).collect();
    assert_eq!(
        needs,
        [("PersistentVolumeClaim", "imagenet"), ("PriorityClass", "urgent"), ("scheduler", "kai-scheduler")]
    );
    assert_eq!(out.codes(), []);
}

#[test]
fn nodes_that_tell_nothing_give_no_verdict() {
    let mut builder = InventoryBuilder::new();
    for name in ["a", "b"] {
        builder
            .node(name)
            .label("kubernetes.io/hostname", name)
            .label("nvidia.com/gpu.present", "true")
            .label("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3");
    }
    let out = on(&builder.build(), &pairs(basic()));
    assert_eq!((out.says().0, out.codes()), (Verdict::Unknown, Vec::new()));
    let engine = Engine::new();
    let text = run_text(&pairs(basic()));
    let run = engine.read_run(text.as_bytes(), "run.yaml", false);
    let options = Options { platform: Some("aws".into()), gpu_arch: Some("h100".into()), ..Options::default() };
    let assumed = engine.assume_nodes(&run, &options, 2).value;
    assert_eq!(on(&assumed, &pairs(basic())).says().0, Verdict::Unknown);
}
