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
    let mut out = Out { plan: None, manifests: Vec::new(), found: Vec::new() };
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
    let list = |v: &'_ Value| v.as_array().cloned().unwrap_or_default();
    let _ = list;
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
