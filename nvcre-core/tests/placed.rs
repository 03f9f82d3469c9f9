//! Overrides change what earlier steps decided: each test is named after the fault that it guards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::print_stderr, missing_docs)]

use nvcre_core::api::Value;
use nvcre_core::diagnostic::{Code, Diagnostic, has_errors};
use nvcre_core::engine::{Delivery, Engine, Options, Plan};
use nvcre_core::fleet::{Inventory, InventoryBuilder, NodeBuilder};

const HEAD: &str = "apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: sweep}
spec:
  image: registry.example/nccl:1
";
const MPI: &str = "  framework: {mpi: {binary: /opt/ar, mpirunPath: /usr/bin/mpirun}}
  numNodes: 2
";
const TORCH: &str = "  framework: {torch: {script: /train.py}}
  numNodes: 2
";

struct Out {
    workflow: Value,
    plan: Option<Plan>,
    manifests: Vec<Value>,
    found: Vec<Diagnostic>,
}

impl Out {
    fn of(&self, code: Code) -> Vec<&Diagnostic> {
        self.found.iter().filter(|d| d.code == code).collect()
    }

    /// The one finding of a code.
    fn one(&self, code: Code) -> &Diagnostic {
        match self.of(code).as_slice() {
            [one] => one,
            _ => panic!("not one {code}: {:#?}", self.found),
        }
    }

    fn sound(&self) -> &Self {
        assert!(!has_errors(&self.found), "{:#?}", self.found);
        self
    }

    fn kind(&self, kind: &str) -> Vec<&Value> {
        self.manifests.iter().filter(|m| m["kind"] == kind).collect()
    }

    fn train_job(&self) -> &Value {
        &self.sound().kind("TrainJob")[0]["spec"]
    }
}

fn path(d: &Diagnostic) -> String {
    d.path.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn render(run: &str, inventory: Option<&Inventory>, options: &Options) -> Out {
    let engine = Engine::new();
    let input = engine.read_run(run.as_bytes(), "run.yaml", false);
    let rendering = engine.render(&input, inventory, options);
    let mut found = rendering.diagnostics.clone();
    let mut out = Out { workflow: rendering.workflow_value(), plan: None, manifests: Vec::new(), found: Vec::new() };
    if inventory.is_some() {
        let jobs = rendering.jobs(Delivery::Trainer);
        found.extend(jobs.diagnostics);
        if let Some(prepared) = &jobs.prepared {
            out.plan = Some(rendering.plan(Some(prepared)));
            out.manifests = prepared.jobs().flat_map(|job| prepared.manifests(job)).map(|m| m.value).collect();
        }
    }
    for finding in &found {
        // What comes of a field of the file names its place.
        assert!(finding.file.is_some() || finding.path.is_none(), "{finding:?}");
    }
    out.found = found;
    out
}

fn on(inventory: &Inventory, run: String) -> Out {
    render(&run, Some(inventory), &Options::default())
}

fn declared(platform: &str, arch: &str) -> Options {
    Options { platform: Some(platform.into()), gpu_arch: Some(arch.into()), ..Options::default() }
}

fn run(framework: &str, rest: &str) -> String {
    format!("{HEAD}{framework}{rest}")
}

fn node<'b>(builder: &'b mut InventoryBuilder, name: &str, product: &str) -> NodeBuilder<'b> {
    builder
        .node(name)
        .label("kubernetes.io/hostname", name)
        .label("nvidia.com/gpu.present", "true")
        .label("nvidia.com/gpu.product", product)
        .allocatable("nvidia.com/gpu", "8")
}

/// On-prem H100 nodes with 8 GPUs.
fn h100(names: &[&str], more: impl Fn(NodeBuilder<'_>, &str)) -> Inventory {
    let mut builder = InventoryBuilder::new();
    for name in names {
        more(node(&mut builder, name, "NVIDIA-H100-80GB-HBM3"), name);
    }
    builder.build()
}

fn plain(names: &[&str]) -> Inventory {
    h100(names, |_, _| ())
}

fn patches(train_job: &Value) -> Vec<(&str, Vec<&str>)> {
    train_job["runtimePatches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| {
            let jobs = p.pointer("/trainingRuntimeSpec/template/spec/replicatedJobs").and_then(Value::as_array);
            let names = jobs.into_iter().flatten().map(|j| j["name"].as_str().unwrap()).collect();
            (p["manager"].as_str().unwrap(), names)
        })
        .collect()
}

const PATCHED: &str = "  imagePullSecrets: [{name: pull}]
  overrides:
  - when: {}
    jobTemplate: {spec: {workload: {trainJob: {runtimePatches: [{manager: team.example/me, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {metadata: {labels: {team: a}}}}}}]}}}}]}}}}
";

#[test]
fn replaced_runtime_patches_lose_pull_secrets_and_launcher() {
    for framework in [MPI, TORCH] {
        let out = on(&plain(&["a", "b"]), run(framework, PATCHED));
        let train_job = out.train_job();
        let jobs = if framework == MPI { vec!["node", "launcher"] } else { vec!["node"] };
        assert_eq!(
            patches(train_job),
            [("team.example/me", vec!["node"]), ("nvcre.nvidia.com/controller", jobs.clone())]
        );
        let ours = &train_job["runtimePatches"][1]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"];
        for (at, _) in jobs.iter().enumerate() {
            let pod = &ours[at]["template"]["spec"]["template"]["spec"];
            assert_eq!(pod["imagePullSecrets"][0]["name"], "pull", "{pod}");
            assert!(pod["affinity"].is_object(), "{pod}");
        }
    }
}

#[test]
fn own_entry_of_our_manager_is_kept() {
    let list = "  imagePullSecrets: [{name: pull}]
  overrides:
  - when: {}
    jobTemplate: {spec: {workload: {trainJob: {runtimePatches: [{manager: nvcre.nvidia.com/controller, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {imagePullSecrets: [{name: mine}]}}}}}]}}}}]}}}}
";
    let out = on(&plain(&["a", "b"]), run(MPI, list));
    let train_job = out.train_job();
    assert_eq!(patches(train_job), [("nvcre.nvidia.com/controller", vec!["node", "launcher"])]);
    let jobs = &train_job["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"];
    let secret = |at: usize| jobs[at]["template"]["spec"]["template"]["spec"]["imagePullSecrets"][0]["name"].clone();
    assert_eq!((secret(0), secret(1)), ("mine".into(), "pull".into()));
}

#[test]
fn execution_replaced_loses_the_deadline() {
    let rest = |own: &str| {
        format!(
            "  orchestration: {{{own}}}\n  overrides: [{{when: {{}}, orchestration: {{execution: {{maxConcurrent: 2}}}}}}]\n"
        )
    };
    let out = on(&plain(&["a", "b"]), run(TORCH, &rest("timeoutPerJob: 30m")));
    assert_eq!(out.train_job()["activeDeadlineSeconds"], 24 * 3600);
    let found = out.one(Code::TimeoutReplaced);
    assert!(found.message.contains("30m0s") && found.span.is_some(), "{found:?}");
    assert_eq!(path(found), "spec.overrides[0].orchestration.execution");
    let out = on(&plain(&["a", "b"]), run(TORCH, &rest("")));
    assert_eq!(out.train_job()["activeDeadlineSeconds"], 24 * 3600);
    assert_eq!(out.of(Code::TimeoutReplaced).len(), 0, "nothing of the run is lost");
}

#[test]
fn placement_findings_are_those_of_the_result() {
    let inventory = plain(&["a", "b", "c", "d"]);
    let orchestration = |own: &str, over: &str| {
        run(TORCH, &format!("  orchestration: {{{own}}}\n  overrides: [{{when: {{}}, orchestration: {{{over}}}}}]\n"))
    };
    // Unpinned only as written.
    let out = on(
        &inventory,
        orchestration(
            "placement: Unpinned, topology: {topologyKey: rack}",
            "placement: Pinned, topology: {topologyKey: ''}",
        ),
    );
    out.sound();
    for code in [Code::UnpinnedWithoutGang, Code::TopologyUnused, Code::PlacementConflict] {
        assert_eq!(out.of(code).len(), 0, "{code}");
    }
    // Unpinned only by the override.
    let out = on(&inventory, orchestration("topology: {topologyKey: rack}", "placement: Unpinned"));
    assert_eq!(path(out.one(Code::UnpinnedWithoutGang)), "spec.overrides[0].orchestration.placement");
    assert_eq!(path(out.one(Code::TopologyUnused)), "spec.orchestration.topology.topologyKey");
    // Strictness only as written.
    let out = on(
        &inventory,
        orchestration(
            "placement: Unpinned, topology: {topologyKey: rack, strictDomain: true}",
            "topology: {topologyKey: rack}",
        ),
    );
    assert_eq!(out.of(Code::PlacementConflict).len(), 0);
    // Racks as written, Unpinned by the override.
    let out = on(&inventory, orchestration("testScale: intra-rack", "placement: Unpinned"));
    let found = out.one(Code::PlacementConflict);
    assert_eq!(path(&found.clone()), "spec.orchestration.topology.strictDomain");
    assert_eq!(found.related[0].path.as_ref().unwrap().to_string(), "spec.overrides[0].orchestration.placement");
    // As written, whatever an override does later.
    let out =
        on(&inventory, orchestration("testScale: intra-rack, placement: Unpinned", "topology: {topologyKey: ''}"));
    assert_eq!(path(out.one(Code::PlacementConflict)), "spec.orchestration.testScale");
}

#[test]
fn sizes_in_findings_are_the_resolved_ones() {
    let inventory = plain(&["a", "b", "c", "d"]);
    let rest = "  orchestration: {placement: Unpinned}\n  overrides: [{when: {}, jobTemplate: {spec: {workload: {trainJob: {trainer: {numNodes: 3}}}}}}]\n";
    let out = on(&inventory, run(TORCH, rest));
    assert!(out.one(Code::UnpinnedWithoutGang).message.contains("the 3 pods"));
}

#[test]
fn strictness_from_an_override_falls_back_to_the_clique() {
    let racks = h100(&["a", "b", "c"], |n, name| {
        n.label("nvidia.com/gpu.clique", if name == "a" { "x" } else { "y" });
    });
    let rest = "  orchestration: {testScale: intra-rack}\n  overrides: [{when: {}, orchestration: {topology: {strictDomain: true}}}]\n";
    let out = on(&racks, run(TORCH, rest));
    let groups =
        |out: &Out| -> Vec<usize> { out.plan.as_ref().unwrap().groups.iter().map(|g| g.nodes.len()).collect() };
    out.sound();
    assert_eq!(groups(&out), [2, 1]);
    let out = on(&plain(&["a", "b"]), run(TORCH, rest));
    assert_eq!(path(out.one(Code::NoTopologyKey)), "spec.orchestration.testScale");
}

#[test]
fn intra_rack_emptied_by_an_override_is_said() {
    let racks = h100(&["a", "b", "c", "d"], |n, _| {
        n.label("nvidia.com/gpu.clique", "x").label("rack", "r");
    });
    for topology in ["{topologyKey: ''}", "{topologyKey: rack}", "{topologyKey: rack, strictDomain: false}"] {
        let rest = format!(
            "  orchestration: {{testScale: intra-rack}}\n  overrides: [{{when: {{}}, orchestration: {{topology: {topology}}}}}]\n"
        );
        let out = on(&racks, run(TORCH, &rest));
        assert_eq!(out.sound().plan.as_ref().unwrap().groups.len(), 2, "{topology}");
        let found = out.one(Code::TestScaleReplaced);
        assert!(found.message.contains("testScale intra-rack"), "{found:?}");
        assert_eq!(path(found), "spec.overrides[0].orchestration.topology");
    }
    let rest = "  orchestration: {testScale: intra-rack}\n  overrides: [{when: {}, orchestration: {topology: {topologyKey: rack, strictDomain: true}}}]\n";
    assert_eq!(on(&racks, run(TORCH, rest)).sound().of(Code::TestScaleReplaced).len(), 0);
}

#[test]
fn strict_domains_do_not_make_intra_node_groups_larger() {
    let racks = h100(&["a", "b"], |n, _| {
        n.label("rack", "r");
    });
    let out = on(
        &racks,
        run(TORCH, "  orchestration: {testScale: intra-node, topology: {topologyKey: rack, strictDomain: true}}\n"),
    );
    let found = out.one(Code::PlacementConflict);
    assert!(found.message.contains("testScale") && found.message.contains("strictDomain"), "{found:?}");
    let out = on(&racks, run(TORCH, "  orchestration: {testScale: intra-node, topology: {topologyKey: rack}}\n"));
    assert_eq!(out.sound().plan.as_ref().unwrap().groups.len(), 2);
}

#[test]
fn priority_class_of_an_override_vanishes_in_silence() {
    let rest = "  priorityClassName: high
  overrides:
  - when: {}
    dependencies:
    - apiVersion: trainer.kubeflow.org/v1alpha1
      kind: TrainingRuntime
      metadata: {name: sweep-runtime}
      spec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {priorityClassName: low}}}}}]}}}
";
    let out = on(&plain(&["a", "b"]), run(TORCH, rest));
    let found = out.sound().one(Code::NoEffect);
    assert!(
        found.message.contains("\"low\"") && path(found).starts_with("spec.overrides[0].dependencies[0]"),
        "{found:?}"
    );
}

#[test]
fn half_a_wrapped_command_is_replaced_in_silence() {
    let trainer = |fields: &str| {
        let rest = format!(
            "  overrides: [{{when: {{}}, jobTemplate: {{spec: {{workload: {{trainJob: {{trainer: {{{fields}}}}}}}}}}}}}]\n"
        );
        render(&run(MPI, &rest), None, &declared("aws", "gb300"))
    };
    for (fields, field) in [("args: [sleep, '1']", "args"), ("command: [sh]", "command")] {
        let out = trainer(fields);
        let found = out.sound().one(Code::HalfCommand);
        assert_eq!(path(found), format!("spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.{field}"));
    }
    assert_eq!(trainer("command: [sh], args: [-c, 'true']").of(Code::HalfCommand).len(), 0);
    let rest = "  overrides: [{when: {}, jobTemplate: {spec: {workload: {trainJob: {trainer: {args: ['1']}}}}}}]\n";
    let out = render(&run(MPI, rest), None, &declared("onprem", "h100"));
    assert_eq!(out.of(Code::HalfCommand).len(), 0, "nothing is wrapped there");
}

/// Two pools of the same platform and GPU: `one` offers one NIC resource, `two` another.
fn pools() -> Inventory {
    let mut builder = InventoryBuilder::new();
    for (name, pool, nic) in
        [("a", "one", "rdma/x"), ("b", "one", "rdma/x"), ("c", "two", "rdma/y"), ("d", "two", "rdma/y")]
    {
        node(&mut builder, name, "NVIDIA-B200")
            .label("pool", pool)
            .label("rack", if pool == "one" { "r1" } else { name })
            .allocatable(nic, "8");
    }
    node(&mut builder, "e", "NVIDIA-B200").label("pool", "one").cordoned(true);
    node(&mut builder, "f", "NVIDIA-B200")
        .label("pool", "two")
        .label("rack", "f")
        .allocatable("rdma/y", "8")
        .cordoned(true);
    builder.build()
}

const TO_TWO: &str = "  target: {nodeSelector: {pool: one}, nodeNames: [a, b, e, gone]}
  orchestration: {topology: {topologyKey: rack}}
  overrides: [{when: {}, orchestration: {target: {nodeSelector: {pool: two}}}}]
";

#[test]
fn a_target_set_by_an_override_keeps_facts_of_the_old_nodes() {
    let out = on(&pools(), run(MPI, TO_TWO));
    let plan = out.sound().plan.as_ref().unwrap();
    assert_eq!(plan.groups[0].nodes, ["c", "d"]);
    assert_eq!(plan.nic_resource_name, "rdma/y");
    let worker = out.workflow.to_string();
    assert!(worker.contains("rdma/y") && !worker.contains("rdma/x"), "{worker}");
    assert_eq!(out.of(Code::UnknownNodeNames).len(), 0);
    let cordoned = out.one(Code::CordonedNodesExcluded);
    assert!(cordoned.message.contains(": f"), "{cordoned:?}");
    assert_eq!(path(cordoned), "spec.overrides[0].orchestration.target.includeUnschedulable");
    assert_eq!(out.of(Code::NicResourceDetection).len(), 0);
}

fn azure() -> Inventory {
    let mut builder = InventoryBuilder::new();
    for name in ["a", "b"] {
        node(&mut builder, name, "NVIDIA-H100-80GB-HBM3").provider_id("azure:///x").allocatable("rdma/ib", "8");
    }
    builder.build()
}

#[test]
fn unoffered_resources_are_those_of_the_result() {
    let out = on(&azure(), run(MPI, ""));
    let before = out.of(Code::ResourceNotOffered).len();
    assert!(before >= 1, "{:#?}", out.found);
    let resource = out.of(Code::ResourceNotOffered)[0]
        .message
        .split(" requests ")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .to_owned();
    let runtime = |resources: &str| {
        format!("  overrides:
  - when: {{}}
    dependencies:
    - apiVersion: trainer.kubeflow.org/v1alpha1
      kind: TrainingRuntime
      metadata: {{name: sweep-runtime}}
      spec: {{template: {{spec: {{replicatedJobs: [{{name: node, template: {{spec: {{template: {{spec: {{containers: [{{name: node, resources: {resources}}}]}}}}}}}}}}]}}}}}}
")
    };
    let gone = format!("{{requests: {{{resource}: null}}, limits: {{{resource}: null}}}}");
    let out = on(&azure(), run(MPI, &runtime(&gone)));
    assert_eq!(out.of(Code::ResourceNotOffered).len(), before - 1, "{:#?}", out.found);
    let out =
        on(&azure(), run(TORCH, &runtime("{requests: {example.com/fpga: '1'}, limits: {example.com/fpga: '1'}}")));
    let found = out.of(Code::ResourceNotOffered).into_iter().find(|d| d.message.contains("fpga")).unwrap();
    assert!(found.message.starts_with("spec.overrides[0] requests") && found.span.is_some(), "{found:?}");
}

#[test]
fn unpinned_compute_domains_are_as_large_as_the_job() {
    let options = Options { ..declared("aws", "gb300") };
    let engine = Engine::new();
    let rest = "  orchestration: {placement: Unpinned}\n  overrides: [{when: {}, jobTemplate: {spec: {workload: {trainJob: {trainer: {numNodes: 4}}}}}}]\n";
    let text = run(MPI, rest);
    let nodes = engine.assume_nodes(&engine.read_run(text.as_bytes(), "run.yaml", false), &options, 8).value;
    let out = on(&nodes, text);
    let domains = out.sound().kind("ComputeDomain");
    assert_eq!(domains.len(), 1);
    assert_eq!(domains[0]["spec"]["numNodes"], 4);
    assert_eq!(out.train_job()["trainer"]["numNodes"], 4);
}

#[test]
fn num_nodes_of_a_compute_domain_has_no_effect() {
    let options = declared("aws", "gb300");
    let engine = Engine::new();
    let rest = "  overrides:
  - when: {}
    dependencies:
    - {apiVersion: resource.nvidia.com/v1beta1, kind: ComputeDomain, metadata: {name: NAME}, spec: {numNodes: 7}}
";
    let first = render(&run(MPI, ""), None, &options);
    let domain =
        first.workflow["spec"]["dependencies"].as_array().unwrap().iter().find(|d| d["kind"] == "ComputeDomain");
    let domain = domain.unwrap();
    let rest = rest.replace("NAME", domain["metadata"]["name"].as_str().unwrap());
    let text = run(MPI, &rest.replace("resource.nvidia.com/v1beta1", domain["apiVersion"].as_str().unwrap()));
    let nodes = engine.assume_nodes(&engine.read_run(text.as_bytes(), "run.yaml", false), &options, 4).value;
    let out = on(&nodes, text);
    assert!(out.sound().kind("ComputeDomain").iter().all(|d| d["spec"]["numNodes"] == 2));
    let found = out.of(Code::NoEffect).into_iter().find(|d| d.message.contains("ComputeDomain")).unwrap();
    assert_eq!(path(found), "spec.overrides[0].dependencies[0].spec.numNodes");
}

#[test]
fn findings_on_results_name_the_override() {
    let job = |fields: &str| {
        let rest = format!("  overrides:\n  - when: {{}}\n    jobTemplate: {{spec: {{{fields}}}}}\n");
        render(&run(MPI, &rest), None, &declared("onprem", "h100"))
    };
    let trainer = |fields: &str| job(&format!("workload: {{trainJob: {{trainer: {{{fields}}}}}}}"));
    let gang = "  gangScheduler: {schedulerName: kai-scheduler, queue: a}\n  overrides: [{when: {}, jobTemplate: {spec: {workloadMetadata: {labels: {kai.scheduler/queue: b}}}}}]\n";
    let gang = render(&run(MPI, gang), None, &declared("onprem", "h100"));
    let cases = [
        (gang, "jobTemplate.spec.workloadMetadata.labels[\"kai.scheduler/queue\"]"),
        (job("workloadMetadata: {labels: {app: x}}"), "jobTemplate.spec.workloadMetadata.labels.app"),
        (trainer("numProcPerNode: 0"), "jobTemplate.spec.workload.trainJob.trainer.numProcPerNode"),
        (trainer("numNodes: -1"), "jobTemplate.spec.workload.trainJob.trainer.numNodes"),
    ];
    for (out, field) in &cases {
        let errors: Vec<&Diagnostic> = out.found.iter().filter(|d| has_errors(std::slice::from_ref(*d))).collect();
        assert!(!errors.is_empty(), "{field}");
        for error in errors {
            assert_eq!(path(error), format!("spec.overrides[0].{field}"), "{error:?}");
            assert!(error.span.is_some_and(|s| s.start.line > 1), "{error:?}");
        }
    }
}

#[test]
fn an_override_with_an_error_is_no_override_without_effect() {
    for patch in [
        "jobTemplate: {spec: {nonsense: 1}}",
        "dependencies: [{kind: ConfigMap, spec: 1}]",
        "orchestration: {iterations: x}",
    ] {
        let rest = format!("  overrides:\n  - when: {{}}\n    {patch}\n");
        let out = render(&run(MPI, &rest), None, &declared("onprem", "h100"));
        assert!(has_errors(&out.found), "{patch}");
        assert_eq!(out.of(Code::OverrideNoOp).len(), 0, "{patch}: {:#?}", out.found);
    }
}

#[test]
fn host_names_of_unpinned_targets_are_looked_at() {
    let mut builder = InventoryBuilder::new();
    for name in ["a", "b", "c"] {
        let n =
            builder.node(name).label("nvidia.com/gpu.present", "true").label("nvidia.com/gpu.product", "NVIDIA-H100");
        if name == "c" {
            n.label("kubernetes.io/hostname", "c");
        }
    }
    let inventory = builder.build();
    let unpinned =
        |names: &str| run(TORCH, &format!("  target: {{{names}}}\n  orchestration: {{placement: Unpinned}}\n"));
    let out = on(&inventory, unpinned("nodeNames: [a, c]"));
    assert!(out.one(Code::MissingHostnameLabel).message.contains(": a;"), "{:#?}", out.found);
    assert_eq!(
        on(&inventory, unpinned("nodeSelector: {nvidia.com/gpu.present: 'true'}")).of(Code::MissingHostnameLabel).len(),
        0
    );
}

#[test]
fn nodes_without_enough_gpus_do_not_take_part_in_health_warnings() {
    let mut builder = InventoryBuilder::new();
    for (name, product, gpus) in [
        ("a", "NVIDIA-H100-80GB-HBM3", "8"),
        ("b", "NVIDIA-H100-80GB-HBM3", "8"),
        ("c", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "2"),
    ] {
        builder
            .node(name)
            .label("kubernetes.io/hostname", name)
            .label("nvidia.com/gpu.present", "true")
            .label("nvidia.com/gpu.product", product)
            .allocatable("nvidia.com/gpu", gpus);
    }
    let out = on(&builder.build(), run(TORCH, ""));
    out.one(Code::InsufficientGpuCapacity);
    assert_eq!(out.of(Code::MigNodes).len(), 0, "{:#?}", out.found);
}

#[test]
fn a_topology_domain_without_nodes_takes_the_key_of_the_platform() {
    let mut options = declared("aws", "gb300");
    options.flags.topology_domain = "nn1".into();
    let out = render(&run(MPI, ""), None, &options);
    let target = &out.sound().workflow["spec"]["orchestration"]["target"]["matchExpressions"][0];
    assert_eq!(target["key"], "topology.k8s.aws/network-node-layer-1", "{target}");
    assert_eq!(out.of(Code::NoInventory).len(), 0);
    out.one(Code::DomainSizeUnknown);
    let mut options = declared("onprem", "h100");
    options.flags.topology_domain = "nn1".into();
    render(&run(MPI, ""), None, &options).one(Code::NoDefaultTopologyKey);
}

fn assumed(text: &str, options: &Options, count: u32) -> Out {
    let engine = Engine::new();
    let nodes = engine.assume_nodes(&engine.read_run(text.as_bytes(), "run.yaml", false), options, count).value;
    render(text, Some(&nodes), options)
}

#[test]
fn assumed_nodes_satisfy_the_target_of_the_run() {
    let options = declared("aws", "gb300");
    for rest in [
        "  target: {nodeSelector: {pool: gpu, team: a}}\n",
        "  target: {nodeNames: [b, a]}\n",
        "  target: {taintSelectors: [{key: dedicated, value: gpu}, {key: other, effect: NoExecute}]}\n",
        "  target: {matchExpressions: [{key: rack, operator: In, values: [r1, r2]}, {key: rack, operator: NotIn, values: [r1]}, {key: gen, operator: Exists}, {key: gone, operator: DoesNotExist}]}\n",
        "  target: {matchExpressions: [{key: rank, operator: Gt, values: ['3']}, {key: rank, operator: Lt, values: ['9']}]}\n",
        "  target: {matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [h1, h2]}]}\n",
        "  orchestration: {topology: {topologyKey: example.org/rack, strictDomain: true}}\n",
        "  orchestration: {testScale: intra-rack}\n",
    ] {
        let out = assumed(&run(MPI, rest), &options, 2);
        let plan = out.sound().plan.as_ref().unwrap();
        assert_eq!(plan.groups.len(), 1, "{rest}");
        assert_eq!(plan.groups[0].nodes.len(), 2, "{rest}: {:#?}", out.found);
    }
    let out = assumed(&run(MPI, "  target: {nodeNames: [b, a]}\n"), &options, 2);
    assert_eq!(out.plan.unwrap().groups[0].nodes, ["a", "b"]);
    let racks = assumed(&run(TORCH, "  orchestration: {testScale: intra-rack}\n"), &declared("onprem", "h100"), 2);
    assert_eq!(racks.sound().plan.as_ref().unwrap().groups.len(), 1);
    let mut options = options;
    options.flags.topology_domain = "nn1".into();
    assert_eq!(assumed(&run(MPI, ""), &options, 3).sound().plan.as_ref().unwrap().groups[0].nodes.len(), 3);
}

#[test]
fn no_assumed_node_is_a_clear_finding() {
    let out = assumed(&run(MPI, ""), &declared("aws", "gb300"), 0);
    let found = out.one(Code::NoEligibleNodes);
    assert!(found.message.contains("no node is assumed") && found.help.as_ref().unwrap().contains("--assume-nodes"));
}
