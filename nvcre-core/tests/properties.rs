//! What holds for every run: properties over generated runs, platforms, GPUs and small inventories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::print_stderr, missing_docs)]

mod support;

use nvcre_core::api::EnvVar;
use nvcre_core::catalogue::{Catalogue, Framework, Inputs};
use nvcre_core::diagnostic::Code;
use nvcre_core::engine::{Engine, Options};
use nvcre_core::fleet::Inventory;
use nvcre_core::jobs::{Manifest, Role};
use nvcre_core::overrides::{Context, matches};
use nvcre_core::yaml::{self, Limits};
use nvcre_core::{FieldPath, jobs};
use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use support::*;

/// One generated run with its nodes.
#[derive(Debug, Clone)]
struct Made {
    platform: &'static str,
    architecture: &'static str,
    spec: Value,
    /// Extra labels of each node.
    racks: Vec<usize>,
    /// The same nodes in another order.
    order: Vec<usize>,
}

const RACK: &str = "example.org/rack";
const RACKS: [&str; 3] = ["rack-a", "rack-b", "rack-c"];

impl Made {
    fn inventory(&self) -> Inventory {
        let labels: Vec<[(&str, &str); 2]> =
            self.racks.iter().map(|r| [(RACK, RACKS[*r]), ("nvidia.com/gpu.clique", RACKS[*r])]).collect();
        let labels: Vec<&[(&str, &str)]> = labels.iter().map(|l| &l[..]).collect();
        labelled(self.platform, self.architecture, &labels)
    }

    fn shuffled(&self) -> Inventory {
        let mut inventory = self.inventory();
        let nodes = inventory.nodes.clone();
        inventory.nodes = self.order.iter().map(|at| nodes[*at].clone()).collect();
        inventory
    }

    fn render(&self) -> Out {
        on(&self.inventory(), &self.spec)
    }

    fn mpi(&self) -> bool {
        self.spec["framework"].get("mpi").is_some()
    }

    fn unpinned(&self) -> bool {
        self.spec["orchestration"]["placement"] == "Unpinned"
    }
}

fn platforms() -> impl Strategy<Value = (&'static str, &'static str)> {
    let catalogue = Catalogue::builtin();
    let all: Vec<(&'static str, &'static str)> = catalogue
        .platforms
        .iter()
        .flat_map(|p| catalogue.architectures.iter().map(|a| (p.name.as_str(), a.name.as_str())))
        .collect();
    // Those that entries speak of come up more often.
    let spoken = vec![
        ("aws", "gb300"),
        ("aws", "gb200"),
        ("aws", "h100"),
        ("gcp", "h100"),
        ("gcp", "gb200"),
        ("gcp", "rtxpro6000"),
        ("azure", "h100"),
        ("mistral", "gb300"),
        ("nscale", "b200"),
        ("onprem", "gb300"),
        ("togetherai", "h100"),
    ];
    prop_oneof![proptest::sample::select(all), proptest::sample::select(spoken)]
}

fn framework() -> impl Strategy<Value = Value> {
    let words = subsequence(
        vec![
            vec!["--tag-output"],
            vec!["-x", "NCCL_DEBUG=WARN"],
            vec!["-x", "MINE"],
            vec!["--mca", "pml", "ucx"],
            vec!["-x", "NCCL_NET_PLUGIN=own"],
            vec!["-x", "NCCL_SHM_DISABLE=2", "-x", "NCCL_SHM_DISABLE=3"],
        ],
        0..4,
    );
    prop_oneof![
        2 => words.prop_map(|words| json!({"mpi": {
            "binary": "/opt/perf", "mpirunPath": "/usr/bin/mpirun", "args": ["-b", "8"],
            "mpiArgs": words.concat(),
        }})),
        1 => Just(json!({"torch": {"module": "train", "args": ["--steps", "10"]}})),
        1 => Just(json!({"exec": {"command": ["/bin/sh", "-c"], "args": ["echo \"$HOME\""]}})),
    ]
}

fn variables() -> impl Strategy<Value = Value> {
    let secret = json!({"secretKeyRef": {"name": "s", "key": "k"}});
    let all: Vec<Value> =
        ["NCCL_DEBUG", "NCCL_SOCKET_IFNAME", "NCCL_IB_GID_INDEX", "NCCL_NVLS_ENABLE", "MINE", "EMPTY"]
            .iter()
            .map(|name| match *name {
                "EMPTY" => json!({"name": name}),
                name => json!({"name": name, "value": format!("of the run {name}")}),
            })
            .chain([
                json!({"name": "NCCL_P2P_NET_CHUNKSIZE", "valueFrom": secret}),
                json!({"name": "NCCL_DEBUG", "value": "2"}),
            ])
            .collect();
    subsequence(all.clone(), 0..all.len()).prop_shuffle().prop_map(Value::Array)
}

fn user_overrides() -> impl Strategy<Value = Value> {
    let runtime = |spec: Value| {
        json!([{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime",
        "metadata": {"name": "my-workload-runtime"}, "spec": {"template": {"spec": {"replicatedJobs": [
            {"name": "node", "template": {"spec": {"template": {"spec": spec}}}},
        ]}}}}])
    };
    let all = vec![
        json!({"when": {}, "mpiArgs": ["-x", "NCCL_DEBUG=OVER", "--bind-to", "none"]}),
        json!({"when": {"platform": {"notIn": ["aws"]}}, "preCommand": ["ulimit -n 4096", "export X=1"]}),
        json!({"when": {}, "dependencies": runtime(json!({"containers": [
            {"name": "node", "env": [{"name": "NCCL_DEBUG", "value": "OF_THE_RUNTIME"}, {"name": "NEW", "value": "1"}]},
        ]}))}),
        json!({"when": {}, "dependencies": runtime(json!({"tolerations": [{"key": "own", "operator": "Exists"}]}))}),
        json!({"when": {"gpuArchitecture": {"in": ["gb200", "gb300", "h100"]}},
            "dependencies": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "extra"}, "data": {"a": "y"}}]}),
        json!({"when": {}, "orchestration": {"iterations": 2}}),
        json!({"when": {}, "jobTemplate": {"spec": {"workloadMetadata": {"labels": {"team": "a"}}}}}),
        json!({"when": {}, "orchestration": {"topology": {"topologyKey": RACK}}}),
    ];
    subsequence(all, 0..4).prop_map(Value::Array)
}

fn orchestration() -> impl Strategy<Value = Value> {
    let topology = json!({"topologyKey": RACK});
    let strict = json!({"topologyKey": RACK, "strictDomain": true});
    prop_oneof![
        4 => Just(json!({})),
        2 => Just(json!({"placement": "Unpinned"})),
        1 => Just(json!({"testScale": "intra-node"})),
        1 => Just(json!({"testScale": "intra-rack"})),
        1 => Just(json!({"testScale": "full-scale", "maxConcurrent": 2})),
        1 => Just(json!({"repeatCount": 3, "timeoutPerJob": "45m"})),
        2 => Just(json!({ "topology": topology })),
        1 => Just(json!({ "topology": strict })),
    ]
}

fn gang() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(Value::Null),
        1 => Just(json!({"schedulerName": "kai-scheduler"})),
        1 => Just(json!({"schedulerName": "kai-scheduler", "queue": "my-workload-runtime"})),
        1 => Just(json!({"schedulerName": "runai-scheduler", "queueLabelKey": "runai/queue", "queue": "team-a"})),
    ]
}

/// Fields that add objects or parts of pods.
fn extras() -> impl Strategy<Value = Value> {
    let all = vec![
        json!({"config": {"inline": {"y": "on\n", "run.sh": "echo  hi \n\n"}}}),
        json!({"checkpoint": {"storageSize": "10Gi", "maxRestarts": 1}}),
        json!({"imagePullSecrets": [{"name": "regcred"}]}),
        json!({"enableMNNVL": false}),
        json!({"mlnxPerNode": 0}),
        json!({"thresholds": {"busBandwidthGBps": "value >= 400"}}),
        json!({"bandwidthMeasurement": {"logProfileRef": "nccl-bandwidth", "testType": "all_reduce"}}),
        json!({"priorityClassName": "high"}),
        json!({"resources": {"limits": {"memory": "64Gi"}}}),
        json!({"target": {"matchExpressions": [{"key": RACK, "operator": "Exists"}]}}),
    ];
    subsequence(all, 0..4).prop_map(|parts| parts.into_iter().fold(json!({}), with))
}

fn made() -> impl Strategy<Value = Made> {
    let spec = (framework(), 1..5, variables(), user_overrides(), orchestration(), gang(), extras());
    (platforms(), spec, proptest::collection::vec(0..3usize, 1..10)).prop_flat_map(
        |((platform, architecture), spec, racks)| {
            let (framework, size, env, overrides, orchestration, gang, extras) = spec;
            let mut spec = json!({"image": "registry.example/nccl:1", "numNodes": size, "framework": framework,
            "env": env, "overrides": overrides, "orchestration": orchestration});
            if !gang.is_null() {
                spec["gangScheduler"] = gang;
            }
            let spec = with(spec, extras);
            let order: Vec<usize> = (0..racks.len()).collect();
            Just(order).prop_shuffle().prop_map(move |order| Made {
                platform,
                architecture,
                spec: spec.clone(),
                racks: racks.clone(),
                order,
            })
        },
    )
}

/// Few cases by default; `PROPTEST_CASES=2000` looks longer.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 32 };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

fn all(out: &Out) -> impl Iterator<Item = &Manifest> {
    out.shared.iter().chain(out.jobs.iter().flatten()).chain(out.controller.iter().flatten())
}

fn reads_back(value: &Value) {
    let text = yaml::to_yaml(value);
    let read = yaml::read_documents(text.as_bytes(), "printed", &Limits::RUN);
    assert_eq!(read.diagnostics, [], "{text}");
    assert_eq!(&read.value[0].root.as_ref().unwrap().to_value(), value, "{text}");
    assert_eq!(yaml::to_yaml(value), text);
    assert_eq!(&serde_json::from_str::<Value>(&yaml::to_json_pretty(value)).unwrap(), value);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_order_of_nodes_changes_no_byte(made in made()) {
        let (one, other) = (made.render(), on(&made.shuffled(), &made.spec));
        prop_assert_eq!(one.text(), other.text());
        prop_assert_eq!(one.diagnostics, other.diagnostics);
        let plan = |p: &Option<nvcre_core::engine::Plan>| yaml::to_json_pretty(&json!(p));
        prop_assert_eq!(plan(&one.plan), plan(&other.plan));
    }

    #[test]
    fn every_eligible_node_runs_once_unless_the_plan_says_twice(made in made()) {
        let out = made.render();
        let Some(plan) = &out.plan else { return Ok(()) };
        if made.unpinned() {
            return Ok(());
        }
        let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for group in &plan.groups {
            for node in &group.nodes {
                seen.entry(node).or_default().push(&group.name);
            }
        }
        prop_assert_eq!(seen.len() + plan.excluded.len(), made.racks.len(), "every node is in the plan");
        prop_assert_eq!(seen.len(), plan.total_nodes);
        for (node, groups) in &seen {
            match plan.nodes_run_twice.get(*node) {
                Some(said) => prop_assert_eq!(said, groups),
                None => prop_assert_eq!(groups.len(), 1, "{}", node),
            }
        }
        prop_assert!(plan.nodes_run_twice.keys().all(|n| seen.contains_key(n.as_str())));
        prop_assert_eq!(plan.nodes_run_twice.is_empty(), out.of(Code::NodesRunTwice).is_empty());
        // Sizes are as asked, or a finding says which are not.
        for group in &plan.groups {
            let asked = group.nodes.len() as i64 == plan.nodes_per_job;
            let said = out.of(Code::GroupSize).iter().any(|d| d.message.contains(&group.name));
            prop_assert!(asked || said || plan.strict_domain, "{}: {:?}", group.name, out.of(Code::GroupSize));
        }
    }

    #[test]
    fn unpinned_honours_the_size_or_fails(made in made(), size in 1..9i64) {
        let spec = with(made.spec.clone(), json!({"numNodes": size, "orchestration": {"placement": "Unpinned"}, "overrides": []}));
        let out = on(&made.inventory(), &spec);
        if size as usize > made.racks.len() {
            let text = out.one(Code::NotEnoughNodes);
            prop_assert!(text.contains(&size.to_string()) && text.contains(&made.racks.len().to_string()), "{}", text);
            prop_assert!(out.jobs.is_empty() && out.controller.is_empty());
        } else {
            prop_assert_eq!(out.errors(), Vec::<String>::new());
            prop_assert_eq!(out.groups(), [("group-0".to_owned(), vec![])]);
            for train_job in out.train_jobs() {
                prop_assert_eq!(&train_job["spec"]["trainer"]["numNodes"], size);
            }
            prop_assert!(!json!(out.train_jobs()).to_string().contains("kubernetes.io/hostname"));
        }
    }

    #[test]
    fn what_is_printed_reads_back(made in made()) {
        let out = made.render();
        reads_back(&out.workflow);
        out.shared.iter().for_each(|m| reads_back(&m.value));
        out.jobs.iter().chain(&out.controller).take(2).flatten().for_each(|m| reads_back(&m.value));
        // The record holds the run, which reads back as the same run.
        for record in out.shared.iter().filter(|m| m.role == Role::Record) {
            let Some(text) = record.value["data"]["run.yaml"].as_str() else { continue };
            let engine = Engine::new();
            let again = engine.read_run(text.as_bytes(), "record", false);
            prop_assert_eq!(&again.diagnostics, &Vec::new());
            prop_assert_eq!(again.run, engine.read_run(run_text(&made.spec).as_bytes(), "run.yaml", false).run);
        }
    }

    #[test]
    fn no_container_has_a_variable_twice_and_no_object_a_name_twice(made in made()) {
        let out = made.render();
        let mut check = |key: &str, value: &Value| {
            if key == "env" && value.is_array() {
                // Fails when a name stands twice.
                env(&json!({ "env": value }));
            }
        };
        walk(&out.workflow["spec"]["jobTemplate"], &mut check);
        walk(&out.workflow["spec"]["dependencies"], &mut check);
        for manifest in all(&out).filter(|m| m.role != Role::Record) {
            walk(&manifest.value, &mut check);
        }
        for jobs in [&out.jobs, &out.controller] {
            let mut seen = BTreeSet::new();
            let shared = out.shared.iter().filter(|_| !jobs.is_empty());
            for manifest in shared.chain(jobs.iter().flatten()) {
                let v = &manifest.value;
                let name = v["metadata"]["name"].as_str().unwrap();
                prop_assert!(name.len() <= 63 || manifest.role == Role::Record, "{}", name);
                prop_assert!(seen.insert(format!("{} {name}", v["kind"])), "{} {} twice", v["kind"], name);
            }
        }
    }

    #[test]
    fn the_ranks_see_the_user(made in made()) {
        if !made.mpi() {
            return Ok(());
        }
        let out = made.render();
        if !out.errors().is_empty() {
            return Ok(());
        }
        // The model: default < platform < spec.env < -x of user overrides < -x of the run's own mpiArgs.
        let mut model: BTreeMap<String, Option<String>> = BTreeMap::new();
        let plain = |v: &EnvVar| v.value_from.is_none().then(|| v.value.clone());
        let run = Engine::new().read_run(run_text(&made.spec).as_bytes(), "run.yaml", false).run;
        let catalogue = Catalogue::builtin();
        let mnnvl = run.spec.enable_mnnvl.unwrap_or(catalogue.mnnvl(made.architecture));
        model.extend(catalogue.base_env("documented", mnnvl).iter().map(|v| (v.name.clone(), plain(v))));
        let context = Context {
            platform: made.platform.into(), gpu_architecture: made.architecture.into(), workload_kind: "TrainJob".into(),
            topology_mode: "simple".into(), domain_count: 0,
        };
        let hardware = catalogue.hardware(made.architecture, made.platform);
        let inputs = Inputs {
            run: "my-workload", nodes: 1, gpus: hardware.gpus_per_node, nics: hardware.mlnx_per_node, mnnvl,
            framework: Framework::Mpi, ..Inputs::default()
        };
        for entry in catalogue.entries("documented", Framework::Mpi) {
            if matches(entry.when(), &context, &FieldPath::root()).unwrap().holds() {
                model.extend(forwarded(&entry.render(&inputs).mpi_args));
            }
        }
        model.extend(run.spec.env.iter().map(|v| (v.name.clone(), plain(v))));
        for own in &run.spec.overrides {
            model.extend(forwarded(&own.mpi_args));
        }
        model.extend(forwarded(&run.spec.framework.mpi.as_ref().unwrap().mpi_args));
        let seen: BTreeMap<String, Option<String>> = forwarded(&out.command()).into_iter().collect();
        prop_assert_eq!(seen, model);
        // And so do the containers, unless a user override says otherwise.
        let over = run.spec.overrides.iter().any(|o| !o.dependencies.is_empty());
        for job in ["node", "launcher"].into_iter().filter(|_| !over) {
            let env = env(container(out.runtime(), job));
            for variable in &run.spec.env {
                let last = run.spec.env.iter().rfind(|v| v.name == variable.name).unwrap();
                prop_assert_eq!(&env[&variable.name], &last.value_from.clone().unwrap_or(json!(last.value)));
            }
        }
    }

    #[test]
    fn workflow_jobs_and_manifests_agree(made in made()) {
        let out = made.render();
        let Some(plan) = &out.plan else { return Ok(()) };
        prop_assert_eq!(out.jobs.len(), plan.groups.len() * plan.iterations as usize);
        let shown = out.trainer();
        for (number, manifests) in out.jobs.iter().enumerate() {
            let group = &plan.groups[number % plan.groups.len()];
            let mut wanted = shown.clone();
            if !made.unpinned() {
                wanted["numNodes"] = json!(group.nodes.len());
            }
            let train_job = find(manifests, Role::TrainJob);
            prop_assert_eq!(&train_job["spec"]["trainer"], &wanted);
            let runtime = &manifests.iter().find(|m| m.value["kind"] == "TrainingRuntime").unwrap().value;
            prop_assert_eq!(&runtime["metadata"]["name"], &train_job["spec"]["runtimeRef"]["name"]);
            for job in out.runtime()["spec"]["template"]["spec"]["replicatedJobs"].as_array().unwrap() {
                let name = job["name"].as_str().unwrap();
                prop_assert_eq!(container(runtime, name), container(out.runtime(), name));
                prop_assert_eq!(&pod(runtime, name)["spec"]["schedulerName"], &pod(out.runtime(), name)["spec"]["schedulerName"]);
                prop_assert_eq!(&pod(runtime, name)["metadata"], &pod(out.runtime(), name)["metadata"]);
            }
            for domain in manifests.iter().filter(|m| m.value["kind"] == "ComputeDomain") {
                prop_assert_eq!(&domain.value["spec"]["numNodes"], &wanted["numNodes"]);
            }
            // The other delivery sends the same, up to what its own controller adds.
            let Some(other) = out.controller.get(number) else { continue };
            let job = find(other, Role::Job);
            prop_assert_eq!(&job["spec"]["workload"]["trainJob"]["trainer"], &wanted);
            let mut direct = train_job["spec"].clone();
            direct.as_object_mut().unwrap().remove("activeDeadlineSeconds");
            prop_assert_eq!(&direct, &find(other, Role::TrainJob)["spec"]);
            let nodes = &job["metadata"]["annotations"]["nvcre.nvidia.com/group-nodes"];
            let listed = if group.nodes.is_empty() { Value::Null } else { json!(group.nodes.join(",")) };
            prop_assert_eq!(nodes, &listed);
        }
    }

    #[test]
    fn tracing_changes_nothing(made in made()) {
        let engine = Engine::new();
        let run = engine.read_run(run_text(&made.spec).as_bytes(), "run.yaml", false);
        let inventory = made.inventory();
        for options in [Options::default(), Options { edition: Some("latest".into()), ..Options::default() }] {
            let plain = engine.render(&run, Some(&inventory), &options);
            let (traced, trace) = engine.render_traced(&run, Some(&inventory), &options);
            prop_assert!(!trace.changes.is_empty());
            prop_assert_eq!(&plain.workflow, &traced.workflow);
            prop_assert_eq!(&plain.diagnostics, &traced.diagnostics);
            prop_assert_eq!(&plain.facts, &traced.facts);
            prop_assert_eq!(&plain.topology_origin, &traced.topology_origin);
            // What did not match may be summed up more exactly, when somebody asks.
            let short = |r: &nvcre_core::engine::Rendering<'_>| -> Vec<(usize, bool, bool)> {
                r.overrides.iter().map(|o| (o.index, o.matched, o.no_op)).collect()
            };
            prop_assert_eq!(short(&plain), short(&traced));
        }
    }

    #[test]
    fn with_an_error_nothing_is_made(made in made(), breakage in 0..4usize) {
        let bad = [
            json!({"image": ""}),
            json!({"env": [{"name": "A=B", "value": "x"}]}),
            json!({"workloadMetadata": {"labels": {"nvcre.nvidia.com/x": "y"}}}),
            json!({"numNodes": 99}),
        ];
        let mut spec = with(made.spec.clone(), bad[breakage].clone());
        if breakage == 3 {
            spec["orchestration"] = json!({});
        }
        let out = on(&made.inventory(), &spec);
        prop_assert!(!out.errors().is_empty());
        prop_assert!(out.jobs.is_empty() && out.controller.is_empty() && out.shared.is_empty() && out.plan.is_none());
    }
}

/// Most generated runs render, so the properties above are about something.
#[test]
fn most_generated_runs_render() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut fine = 0;
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..100 {
        let out = made().new_tree(&mut runner).unwrap().current().render();
        match out.errors().first() {
            None => fine += 1,
            Some(error) => *why.entry(error.split(' ').next().unwrap().to_owned()).or_default() += 1,
        }
    }
    assert!(fine >= 50, "{fine} of 100 render: {why:?}");
}

/// Names of 25,000 groups differ (00 D57); the property above has few groups.
#[test]
fn names_of_a_large_run_differ() {
    let inventory = nodes("onprem", "h100", 3000);
    let spec = with(torch(), json!({"numNodes": 1, "orchestration": {"repeatCount": 2}}));
    let engine = Engine::new();
    let run = engine.read_run(named_text("nccl-all-reduce-fleet-sweep", &spec).as_bytes(), "run.yaml", false);
    let rendering = engine.render(&run, Some(&inventory), &Options::default());
    let prepared = rendering.jobs(jobs::Delivery::Trainer).prepared.unwrap();
    let (mut names, mut copies) = (BTreeSet::new(), BTreeSet::new());
    for job in prepared.jobs() {
        assert!(names.insert(prepared.names(job).train_job));
        assert!(copies.insert(prepared.runtime_copy(job).unwrap()));
    }
    assert_eq!(names.len(), 6000);
}
