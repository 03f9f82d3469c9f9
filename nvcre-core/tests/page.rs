//! What the user's page says, sentence by sentence (`page-*` fixtures hold its examples word for word).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::print_stderr, missing_docs)]

mod support;

use nvcre_core::diagnostic::Code;
use nvcre_core::engine::{Engine, Options};
use nvcre_core::jobs::Role;
use serde_json::{Value, json};
use support::*;

const HOSTNAME: &str = "kubernetes.io/hostname";

fn unpinned() -> Value {
    with(basic(), json!({"orchestration": {"placement": "Unpinned"}}))
}

// "numNodes is the number of nodes per job group, not a total: … numNodes: 4 on 16 eligible nodes produces four 4-node
// jobs."
#[test]
fn four_on_sixteen_nodes_are_four_jobs_of_four() {
    let out = on(&nodes("onprem", "h100", 16), &basic()).fine();
    let sizes: Vec<usize> = out.groups().iter().map(|g| g.1.len()).collect();
    assert_eq!(sizes, [4, 4, 4, 4]);
    let train_jobs = out.train_jobs();
    assert!(train_jobs.iter().all(|t| t["spec"]["trainer"]["numNodes"] == 4) && train_jobs.len() == 4);
    let mut all: Vec<String> = out.groups().into_iter().flat_map(|g| g.1).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 16);
}

// "runs one job per group, so numNodes: 2 against 18 eligible nodes runs nine jobs concurrently."
#[test]
fn two_on_eighteen_nodes_are_nine_jobs_at_once() {
    let out = on(&nodes("onprem", "h100", 18), &with(basic(), json!({"numNodes": 2}))).fine();
    assert_eq!((out.jobs.len(), out.plan.as_ref().unwrap().max_concurrent), (9, 0));
    assert!(out.plan.unwrap().nodes_run_twice.is_empty());
}

// "The target is carried onto every workload pod as a required node affinity."
#[test]
fn the_target_is_on_every_pod_as_a_required_affinity() {
    let target = json!({"nodeSelector": {HOSTNAME: "node-03"}});
    for (spec, pods) in [(basic(), &["node", "launcher"][..]), (torch(), &["node"]), (exec(), &["node"])] {
        let spec = with(spec, json!({"numNodes": 1, "target": target}));
        let out = on(&nodes("onprem", "h100", 4), &spec).fine();
        assert_eq!(out.groups(), [("group-0".to_owned(), vec!["node-03".to_owned()])]);
        for job in pods {
            let found = expressions(patch(out.train_jobs()[0], job));
            assert!(found.contains(&(HOSTNAME.into(), vec!["node-03".into()])), "{job}: {found:?}");
        }
    }
    let pools = labelled("onprem", "h100", &[&[("pool", "train")], &[("pool", "other")], &[("pool", "train")]]);
    let target = json!({"matchExpressions": [{"key": "pool", "operator": "In", "values": ["train"]}]});
    for placement in ["Pinned", "Unpinned"] {
        let orchestration = json!({"placement": placement});
        let fields = json!({"numNodes": 2, "target": target, "orchestration": orchestration});
        let out = on(&pools, &with(basic(), fields)).fine();
        for job in ["node", "launcher"] {
            let found = expressions(patch(out.train_jobs()[0], job));
            assert!(found.contains(&("pool".into(), vec!["train".into()])), "{placement} {job}: {found:?}");
        }
    }
}

// "Set placement: Unpinned to run a single job of exactly numNodes nodes"; "the other target nodes go untested"; "under
// Unpinned no kubernetes.io/hostname affinity is set".
#[test]
fn unpinned_is_one_job_of_the_size_without_hosts() {
    for spec in [unpinned(), with(torch(), json!({"orchestration": {"placement": "Unpinned"}}))] {
        let out = on(&nodes("onprem", "h100", 16), &spec).fine();
        assert_eq!(out.groups(), [("group-0".to_owned(), vec![])]);
        assert_eq!(out.train_jobs()[0]["spec"]["trainer"]["numNodes"], 4);
        assert_eq!(out.engine_jobs()[0]["spec"]["workload"]["trainJob"]["trainer"]["numNodes"], 4);
        let mut text = String::new();
        out.jobs.iter().chain(&out.controller).flatten().for_each(|m| text.push_str(&m.value.to_string()));
        assert!(!text.contains(HOSTNAME), "{text}");
        assert!(out.plan.unwrap().excluded.is_empty(), "nodes that are not used are not excluded");
    }
}

// "The requested size is honored exactly or the run fails saying why. It is never clamped to fit the fleet."
#[test]
fn a_size_that_does_not_fit_fails_and_says_why() {
    for spec in [unpinned(), basic()] {
        let out = on(&nodes("onprem", "h100", 3), &spec);
        let text = out.one(Code::NotEnoughNodes);
        assert!(text.contains("4 nodes") && text.contains('3'), "{text}");
        assert!(out.jobs.is_empty() && out.controller.is_empty() && out.plan.is_none());
    }
    let out = on(&nodes("onprem", "h100", 4), &unpinned()).fine();
    assert_eq!(out.train_jobs()[0]["spec"]["trainer"]["numNodes"], 4);
}

// "orchestration.topology.topologyKey only drives partitioning, so under Unpinned it does nothing. To keep a single job
// inside one domain, name the domain label in the target instead, which does reach the pods."
#[test]
fn a_topology_key_does_nothing_under_unpinned_and_the_target_reaches_the_pods() {
    let cliques: Vec<&[(&str, &str)]> = vec![&[("nvidia.com/gpu.clique", "clique-0")]; 8];
    let inventory = labelled("onprem", "gb200", &cliques);
    let key = json!({"placement": "Unpinned", "topology": {"topologyKey": "nvidia.com/gpu.clique"}});
    let out = on(&inventory, &with(basic(), json!({"orchestration": key}))).fine();
    assert_eq!(out.of(Code::TopologyUnused).len(), 1);
    let plain = on(&inventory, &unpinned()).fine();
    assert_eq!(out.train_jobs(), plain.train_jobs());

    let target = json!({"matchExpressions": [
        {"key": "nvidia.com/gpu.clique", "operator": "In", "values": ["clique-0"]},
    ]});
    let fields = json!({"target": target, "numNodes": 8, "orchestration": {"placement": "Unpinned"}});
    let out = on(&inventory, &with(basic(), fields)).fine();
    for job in ["node", "launcher"] {
        let found = expressions(patch(out.train_jobs()[0], job));
        assert!(found.contains(&("nvidia.com/gpu.clique".into(), vec!["clique-0".into()])), "{found:?}");
    }
}

// "Set spec.gangScheduler whenever numNodes > 1 under Unpinned."
#[test]
fn unpinned_jobs_of_several_nodes_are_advised_to_take_a_gang_scheduler() {
    let inventory = nodes("onprem", "h100", 4);
    assert_eq!(on(&inventory, &unpinned()).of(Code::UnpinnedWithoutGang).len(), 1);
    let gang = json!({"gangScheduler": {"schedulerName": "kai-scheduler"}});
    assert_eq!(on(&inventory, &with(unpinned(), gang)).of(Code::UnpinnedWithoutGang).len(), 0);
    assert_eq!(on(&inventory, &with(unpinned(), json!({"numNodes": 1}))).of(Code::UnpinnedWithoutGang).len(), 0);
    assert_eq!(on(&inventory, &basic()).of(Code::UnpinnedWithoutGang).len(), 0);
}

// "Pinned jobs name their nodes, so the group lands on the machines NVCRE chose or not at all."
#[test]
fn pinned_jobs_name_their_nodes() {
    let out = on(&nodes("onprem", "h100", 8), &basic()).fine();
    for (train_job, (_, names)) in out.train_jobs().iter().zip(out.groups()) {
        for job in ["node", "launcher"] {
            assert_eq!(expressions(patch(train_job, job))[0], (HOSTNAME.into(), names.clone()));
        }
    }
}

// "spec.env sets container-level environment on the workload containers for every framework — for MPI that is both the
// launcher and the worker containers … merged with the auto-detected NCCL defaults, and a value you set overrides a
// default with the same name."
#[test]
fn the_environment_is_on_the_containers_of_every_framework() {
    let own = json!([{"name": "NCCL_DEBUG", "value": "TRACE"}, {"name": "MINE", "value": "1"}]);
    for (spec, jobs) in [(basic(), &["node", "launcher"][..]), (torch(), &["node"]), (exec(), &["node"])] {
        let out = on(&nodes("onprem", "h100", 4), &with(spec, json!({"env": own}))).fine();
        for runtime in out.runtimes().into_iter().chain([out.runtime()]) {
            for job in jobs {
                let env = env(container(runtime, job));
                assert_eq!((&env["NCCL_DEBUG"], &env["MINE"]), (&json!("TRACE"), &json!("1")));
                assert_eq!((&env["NCCL_SOCKET_IFNAME"], &env["NCCL_CUMEM_ENABLE"]), (&json!("eth0"), &json!("1")));
            }
        }
    }
}

// "forwards the merged env to the ranks with mpirun -x NAME=value: the full set of auto-detected NCCL defaults plus
// spec.env, except names a platform override already forwards (the platform value then replaces the default). A
// valueFrom variable is forwarded as -x NAME … a spec.env value overrides both the defaults and a platform-forwarded
// value, and a -x NAME=value you pass in spec.framework.mpi.mpiArgs overrides spec.env."
#[test]
fn the_ranks_see_default_platform_run_and_mpi_args_in_this_order() {
    let secret = json!({"secretKeyRef": {"name": "token", "key": "value"}});
    let mut spec = with(
        basic(),
        json!({"env": [
            {"name": "NCCL_IB_GID_INDEX", "value": "7"},
            {"name": "NCCL_P2P_NET_CHUNKSIZE", "value": "1"},
            {"name": "NCCL_DEBUG", "value": "TRACE"},
            {"name": "TOKEN", "valueFrom": secret},
        ]}),
    );
    spec["framework"]["mpi"]["mpiArgs"] = json!(["-x", "NCCL_DEBUG=WARN"]);
    let out = declared("aws", "gb300", &spec).fine();
    let all = forwarded(&out.command());
    let last = |name: &str| all.iter().rev().find(|p| p.0 == name).unwrap().1.clone();
    let count = |name: &str| all.iter().filter(|p| p.0 == name).count();
    let text = |value: &str| Some(value.to_owned());
    assert_eq!(last("NCCL_SHM_DISABLE"), text("1"), "a default");
    assert_eq!((last("NCCL_NET_PLUGIN"), count("NCCL_NET_PLUGIN")), (text("none"), 1), "the platform's");
    assert_eq!((last("NCCL_SOCKET_IFNAME"), count("NCCL_SOCKET_IFNAME")), (text("eth0"), 1), "platform over default");
    assert_eq!((last("NCCL_IB_GID_INDEX"), count("NCCL_IB_GID_INDEX")), (text("7"), 1), "spec.env over platform");
    assert_eq!(last("NCCL_P2P_NET_CHUNKSIZE"), text("1"), "spec.env over default");
    assert_eq!((last("TOKEN"), count("TOKEN")), (None, 1), "valueFrom");
    assert_eq!((last("NCCL_DEBUG"), count("NCCL_DEBUG")), (text("WARN"), 1), "mpiArgs over spec.env");
    assert_eq!(env(container(out.runtime(), "launcher"))["TOKEN"], secret, "mpirun reads it there");
    // Every default reaches the ranks.
    for name in env(container(out.runtime(), "node")).keys() {
        assert!(count(name) >= 1, "{name}");
    }
}

// "With bandwidth measurement", "With goodput measurement".
#[test]
fn measurements_are_carried() {
    let measure = |key: &str, value: Value| {
        let out = on(&nodes("onprem", "h100", 8), &with(basic(), json!({ key: value }))).fine();
        assert_eq!(out.workflow["spec"]["jobTemplate"]["spec"][key], value);
        for (job, manifests) in out.engine_jobs().iter().zip(&out.controller) {
            assert_eq!(job["spec"][key], value);
            let child = find(manifests, Role::Measurement);
            assert_eq!(child["spec"]["logProfileRef"], value["logProfileRef"]);
            assert_eq!(child["spec"]["jobRef"]["name"], job["metadata"]["name"]);
        }
    };
    measure("bandwidthMeasurement", json!({"logProfileRef": "nccl-bandwidth", "testType": "all_reduce"}));
    measure("goodputMeasurement", json!({"logProfileRef": "megatron-training"}));
}

// "NVCRE labels the submitted workload object and modifies every pod template: schedulerName in each pod spec; the queue
// as a label on the TrainJob, on the Job template metadata, and on the pod template metadata." With the defaults of
// queue and key.
#[test]
fn the_gang_is_where_the_page_says() {
    let kai = "kai.scheduler/queue";
    for (gang, key, queue) in [
        (json!({"schedulerName": "kai-scheduler", "queue": "high-priority"}), kai, "high-priority"),
        (json!({"schedulerName": "kai-scheduler"}), kai, "default-queue"),
        (
            json!({"schedulerName": "runai-scheduler", "queueLabelKey": "runai/queue", "queue": "team-a"}),
            "runai/queue",
            "team-a",
        ),
    ] {
        for (spec, jobs) in [(basic(), &["node", "launcher"][..]), (torch(), &["node"]), (exec(), &["node"])] {
            let out = on(&nodes("onprem", "h100", 4), &with(spec, json!({"gangScheduler": gang}))).fine();
            let runtime = out.runtimes()[0];
            let all = runtime["spec"]["template"]["spec"]["replicatedJobs"].as_array().unwrap();
            assert_eq!(all.len(), jobs.len());
            for job in all {
                let pod = &job["template"]["spec"]["template"];
                assert_eq!(pod["spec"]["schedulerName"], gang["schedulerName"]);
                assert_eq!(pod["metadata"]["labels"], json!({ key: queue }));
                assert_eq!(job["template"]["metadata"]["labels"][key], queue);
            }
            assert_eq!(out.train_jobs()[0]["metadata"]["labels"][key], queue);
            assert_eq!(find(&out.controller[0], Role::TrainJob)["metadata"]["labels"][key], queue);
            assert_eq!(key == kai, out.text().contains(kai), "only the key that is asked for");
        }
    }
    // "on Run:ai that default is not a real queue, so always set queue explicitly".
    let gang = json!({"gangScheduler": {"schedulerName": "runai-scheduler", "queueLabelKey": "runai/queue"}});
    assert_eq!(on(&nodes("onprem", "h100", 4), &with(basic(), gang)).of(Code::RunaiQueue).len(), 1);
}

// "schedulerName is required … queue must be a valid Kubernetes label value … queueLabelKey must be a valid Kubernetes
// label key and cannot be app.kubernetes.io/managed-by or use the nvcre.nvidia.com/ prefix."
#[test]
fn gang_fields_are_checked() {
    let ok = |gang: Value| on(&nodes("onprem", "h100", 4), &with(basic(), json!({"gangScheduler": gang}))).errors();
    let gang = |queue: &str, key: &str| json!({"schedulerName": "s", "queue": queue, "queueLabelKey": key});
    let long = "q".repeat(63);
    for (queue, key) in [("", ""), ("team_a.b-1", "runai/queue"), (long.as_str(), "queue")] {
        assert_eq!(ok(gang(queue, key)), Vec::<String>::new(), "{queue} {key}");
    }
    let longer = "q".repeat(64);
    for (queue, key, named) in [
        (longer.as_str(), "", "spec.gangScheduler.queue"),
        ("-team", "", "spec.gangScheduler.queue"),
        ("team/a", "", "spec.gangScheduler.queue"),
        ("", "app.kubernetes.io/managed-by", "spec.gangScheduler.queueLabelKey"),
        ("", "nvcre.nvidia.com/queue", "spec.gangScheduler.queueLabelKey"),
        ("", "a b", "spec.gangScheduler.queueLabelKey"),
    ] {
        let found = ok(gang(queue, key));
        assert!(found.iter().any(|e| e.contains(named)), "{queue} {key}: {found:?}");
    }
    assert!(ok(json!({"queue": "a"})).iter().any(|e| e.contains("spec.gangScheduler")), "schedulerName is required");
}

// "The controller detects the platform (from spec.providerID) and GPU architecture (from the nvidia.com/gpu.product
// node label)", and the table of platform overrides.
#[test]
fn the_platform_table() {
    let out = on(&nodes("aws", "h100", 4), &basic()).fine();
    let annotations = &out.workflow["metadata"]["annotations"];
    assert_eq!(annotations["nvcrectl.nvidia.com/detected-platform"], "aws");
    assert_eq!(annotations["nvcrectl.nvidia.com/detected-gpu-architecture"], "h100");
    // AWS, all GPUs, all frameworks.
    for gpu in ["h100", "h200", "a100", "gb200", "gb300"] {
        for spec in [basic(), torch(), exec()] {
            let out = declared("aws", gpu, &spec).fine();
            let script = out.trainer()["args"][0].as_str().unwrap().to_owned();
            let lines: Vec<&str> = script.lines().collect();
            assert_eq!(lines[..2], ["rm -rf /opt/amazon", "unset NCCL_NET_PLUGIN"], "{gpu}");
            // AWS, all GPUs, MPI.
            let mpi = spec["framework"].get("mpi").is_some();
            assert_eq!(mpi, holds(&out.command(), &["-x", "NCCL_NET_PLUGIN=none"]), "{gpu}");
            // AWS GB300, MPI.
            let pinned = mpi && gpu == "gb300";
            for words in [
                &["--mca", "pml", "ob1"][..],
                &["--mca", "btl", "tcp,self"],
                &["--mca", "btl_tcp_if_include", "eth0"],
                &["--mca", "coll_ucc_enable", "0"],
                &["--mca", "coll_hcoll_enable", "0"],
                &["-x", "NCCL_IB_GID_INDEX=3"],
            ] {
                assert_eq!(pinned, holds(&out.command(), words), "{gpu} {words:?}");
            }
            // AWS GB200 and GB300.
            let kinds: Vec<&str> = out.workflow["spec"]["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .map(|d| d["kind"].as_str().unwrap())
                .collect();
            let domain = matches!(gpu, "gb200" | "gb300");
            assert_eq!(domain, kinds.contains(&"ComputeDomain"), "{gpu} {kinds:?}");
            assert_eq!(domain, pod(out.runtime(), "node")["spec"].get("resourceClaims").is_some(), "{gpu}");
            assert_eq!(gpu == "gb300", kinds.contains(&"ResourceClaimTemplate"), "{gpu} {kinds:?}");
        }
    }
    assert!(!holds(&declared("gcp", "h100", &basic()).command(), &["-x", "NCCL_NET_PLUGIN=none"]));
}

// "override mpiArgs are prepended to the launcher command ahead of your own spec.framework.mpi.mpiArgs, so your values
// still win under OpenMPI's duplicate-parameter handling."
#[test]
fn own_mpi_args_stand_behind_the_platforms() {
    let mut spec = basic();
    spec["framework"]["mpi"]["mpiArgs"] = json!(["--mca", "btl", "self", "-x", "NCCL_NET_PLUGIN=aws"]);
    let words = declared("aws", "gb300", &spec).fine().command();
    let at = |wanted: &[&str]| words.windows(wanted.len()).position(|w| w == wanted).unwrap();
    assert!(at(&["--mca", "btl", "tcp,self"]) < at(&["--mca", "btl", "self"]));
    assert!(at(&["-x", "NCCL_NET_PLUGIN=none"]) < at(&["-x", "NCCL_NET_PLUGIN=aws"]));
    assert!(at(&["-x", "NCCL_NET_PLUGIN=aws"]) < at(&["/usr/local/bin/all_reduce_perf_mpi", "-b", "8"]));
}

// "Use nvcrectl workloadrun render --platform aws my-workload.yaml to preview the exact rendered Workflow, including the
// platform-applied mpirun args."
#[test]
fn the_pages_own_command_works() {
    let options = Options { platform: Some("aws".into()), ..Options::default() };
    let out = render(&run_text(&basic()), None, &options).fine();
    assert!(holds(&out.command(), &["-x", "NCCL_NET_PLUGIN=none"]));
    assert_eq!(out.workflow["spec"].get("overrides"), None);
    assert_eq!(out.of(Code::NoArchitecture).len(), 1, "it says what a GPU would add");
    // The same function with nodes of the platform: the preview is what runs.
    let engine = Engine::new();
    let run = engine.read_run(run_text(&basic()).as_bytes(), "run.yaml", false);
    let inventory = nodes("aws", "gb300", 4);
    let with_nodes = render_input(&engine, &run, Some(&inventory), &Options::default()).fine();
    assert_eq!(with_nodes.trainer(), declared("aws", "gb300", &basic()).fine().trainer());
}
