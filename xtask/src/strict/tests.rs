//! Everything that we render, and what must be refused.

use super::fixtures::Scenario;
use super::{Server, server};
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::{FieldPath, has_errors};
use nvcre_core::engine::{Delivery, Engine, Options, Rendering};
use nvcre_core::schema::{self, Mode};
use nvcre_core::yaml;
use serde_json::{Value, json};

/// Groups of which every one is looked at; of larger fleets the first and the last.
const FEW_GROUPS: usize = 24;
/// Kinds that only the engine's own controller serves.
const OWN: [&str; 3] = ["Job", "BandwidthMeasurement", "GoodputMeasurement"];

#[test]
fn every_manifest_of_every_fixture_is_accepted() {
    let Some(server) = server() else { return };
    let mut wrong = Vec::new();
    let (mut runs, mut manifests) = (0, 0);
    for scenario in Scenario::all() {
        let engine = Engine::new();
        let bytes = std::fs::read(scenario.folder.join("run.yaml")).unwrap();
        let run = engine.read_run(&bytes, "run.yaml", scenario.lenient);
        let (mut inventory, found) = scenario.inventory();
        if let Some(count) = scenario.assume {
            inventory = Some(engine.assume_nodes(&run, &scenario.options, count).value);
        }
        let rendering = engine.render(&run, inventory.as_ref(), &scenario.options);
        if has_errors(&found) || !rendering.is_printable() {
            continue;
        }
        workflow(&scenario.name, &rendering, &mut wrong);
        let seen = deliveries(&server, &scenario.name, &rendering, &mut wrong);
        manifests += seen;
        runs += usize::from(seen > 0);
    }
    assert!(runs > 150 && manifests > 2_000, "{runs} runs, {manifests} manifests");
    assert!(wrong.is_empty(), "{} refusals\n{}", wrong.len(), wrong.join("\n"));
}

/// Delivery `controller` sends the run itself. With `env` keyed by name the CRD refused a name that stands twice (D37).
#[test]
fn the_crd_takes_every_run_that_renders() {
    let Some(server) = server() else { return };
    let mut wrong = Vec::new();
    let mut runs = 0;
    for scenario in Scenario::all().into_iter().filter(|s| !s.lenient) {
        let engine = Engine::new();
        let bytes = std::fs::read(scenario.folder.join("run.yaml")).unwrap();
        let run = engine.read_run(&bytes, "run.yaml", false);
        if engine.render(&run, scenario.inventory().0.as_ref(), &scenario.options).is_printable() {
            let text = std::str::from_utf8(&bytes).unwrap().trim_start_matches('\u{feff}');
            let value = without_nulls(serde_yaml::from_str(text).unwrap());
            wrong.extend(server.refusals(&value).into_iter().map(|r| format!("{}: {r}", scenario.name)));
            runs += 1;
        }
    }
    assert!(runs > 150, "{runs} runs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A server takes a null in a place that is not nullable as a field that is not there.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            map.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, without_nulls(v))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

#[test]
fn every_platform_and_gpu_is_accepted() {
    let Some(server) = server() else { return };
    let engine = Engine::new();
    let catalogue = Catalogue::builtin();
    let frameworks = [
        ("mpi", "{mpi: {binary: /opt/all_reduce_perf, mpirunPath: /usr/bin/mpirun, args: [-b, '8']}}"),
        ("torch", "{torch: {script: /workspace/train.py, args: [--steps, '10']}}"),
        ("exec", "{exec: {command: [/bin/fieldiag], args: [--all]}}"),
    ];
    let mut wrong = Vec::new();
    let mut runs = 0;
    for edition in &catalogue.editions {
        for platform in &catalogue.platforms {
            for architecture in catalogue.architecture_names() {
                for (framework, text) in frameworks {
                    let text = format!(
                        "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {{name: sweep}}\nspec:\n  \
                         image: registry.example/suite:1\n  numNodes: 2\n  imagePullSecrets: [{{name: pull}}]\n  framework: {text}\n"
                    );
                    let name = format!("{}/{architecture}/{framework}/{}", platform.name, edition.name);
                    let options = Options {
                        platform: Some(platform.name.clone()),
                        gpu_arch: Some(architecture.to_owned()),
                        edition: Some(edition.name.clone()),
                        ..Options::default()
                    };
                    let run = engine.read_run(text.as_bytes(), "run.yaml", false);
                    let nodes = engine.assume_nodes(&run, &options, 4).value;
                    let rendering = engine.render(&run, Some(&nodes), &options);
                    assert!(rendering.is_printable(), "{name}: {:?}", rendering.diagnostics);
                    workflow(&name, &rendering, &mut wrong);
                    assert!(deliveries(&server, &name, &rendering, &mut wrong) > 0, "{name}");
                    runs += 1;
                }
            }
        }
    }
    assert!(runs >= 540, "{runs}");
    assert!(wrong.is_empty(), "{} refusals\n{}", wrong.len(), wrong.join("\n"));
}

/// The Workflow against the field table.
fn workflow(name: &str, rendering: &Rendering<'_>, wrong: &mut Vec<String>) {
    table("Workflow", &rendering.workflow_value(), &format!("{name}: Workflow"), wrong);
}

/// The manifests of both deliveries; gives their number.
fn deliveries(server: &Server, name: &str, rendering: &Rendering<'_>, wrong: &mut Vec<String>) -> usize {
    let mut seen = 0;
    for delivery in [Delivery::Trainer, Delivery::Controller] {
        // The one delivery refuses what the other can carry (00 D57, D69).
        let Some(prepared) = rendering.jobs(delivery).prepared else { continue };
        let mut manifests = prepared.shared(yaml::to_yaml);
        let count = prepared.groups().len();
        for job in prepared.jobs() {
            let at = job.group as usize;
            if count <= FEW_GROUPS || at == 0 || at + 1 == count {
                manifests.extend(prepared.manifests(job));
            }
        }
        for manifest in manifests {
            let value = manifest.value;
            let what = format!("{name}: {} {}", value["kind"], value["metadata"]["name"]);
            seen += 1;
            let kind = value["kind"].as_str().unwrap();
            if value["apiVersion"].as_str().unwrap().starts_with("nvcre.nvidia.com/") {
                assert!(OWN.contains(&kind), "{what}");
                let mut refusals = Vec::new();
                super::objects::check(&value, &mut refusals);
                wrong.extend(refusals.into_iter().map(|r| format!("{what} {r}")));
                table(kind, &value, &what, wrong);
                continue;
            }
            wrong.extend(server.refusals(&value).into_iter().map(|r| format!("{what} {r}")));
            match kind {
                "TrainJob" => table("TrainJobSpec", &value["spec"], &what, wrong),
                "TrainingRuntime" | "ComputeDomain" => table(kind, &value, &what, wrong),
                kind => table(&format!("k8s.{kind}"), &value, &what, wrong),
            }
        }
    }
    seen
}

/// The field table must know what we write ourselves.
fn table(kind: &str, value: &Value, what: &str, wrong: &mut Vec<String>) {
    let mut findings = Vec::new();
    schema::check_value(kind, value, &FieldPath::default(), Mode::STRICT, &mut findings);
    wrong.extend(
        findings.iter().map(|f| format!("{what} {}: {} (field table)", f.path.clone().unwrap_or_default(), f.message)),
    );
}

/// One good object of each kind and what is done to it; each must be refused with a sentence that holds these words.
#[test]
fn what_a_strict_server_refuses_is_refused() {
    let Some(server) = server() else { return };
    let job = "/spec/template/spec/replicatedJobs/0";
    let pod = format!("{job}/template/spec/template/spec");
    let container = format!("{pod}/containers/0");
    let node = json!({ "name": "node", "image": "i" });
    let cases: Vec<(&str, String, Value, &str)> = vec![
        ("runtime", "/spec/mlPolicy/torch/numProcPerNode".into(), json!(8), "numProcPerNode"),
        (
            "runtime",
            "/spec/mlPolicy/mpi".into(),
            json!({ "numProcPerNode": 1 }),
            "Only one of the policy|has(self.torch)",
        ),
        ("runtime", "/spec/mlPolicy/numNodes".into(), json!("two"), "integer"),
        ("runtime", "/spec/podGroupPolicy/volcano/networkTopology/mode".into(), json!("firm"), "hard"),
        ("runtime", "/spec/template/metadata/finalizer".into(), json!("x"), "finalizer"),
        ("runtime", format!("{job}/dependsOn"), json!([{ "name": "node", "status": "Ready" }]), "before it"),
        ("runtime", format!("{job}/replicas"), json!(1.5), "integer"),
        ("runtime", format!("{pod}/gpus"), json!(8), "gpus"),
        ("runtime", format!("{container}/env"), json!([{ "name": "A" }, { "name": "A" }]), "two elements"),
        ("runtime", format!("{container}/env"), json!([{ "name": "A", "value": 1 }]), "string"),
        (
            "runtime",
            format!("{container}/ports"),
            json!([{ "containerPort": 1 }, { "containerPort": 1, "protocol": "TCP" }]),
            "two elements",
        ),
        ("runtime", format!("{container}/resources/limits/nvidia.com~1gpu"), json!("8 GB"), "8 GB"),
        ("runtime", format!("{container}/resources"), json!({ "requests": { "nvidia.com/gpu": 8 } }), "nvidia.com/gpu"),
        (
            "runtime",
            format!("{container}/resources"),
            json!({ "limits": { "cpu": "1" }, "requests": { "cpu": "2" } }),
            "cpu",
        ),
        ("runtime", format!("{container}/resources/claims"), json!([{ "name": "roce" }]), "no claim"),
        ("runtime", format!("{container}/volumeMounts"), json!([{ "name": "data", "mountPath": "/d" }]), "no volume"),
        ("runtime", format!("{pod}/containers"), json!([node, node]), "two"),
        ("runtime", format!("{job}/template/metadata/labels"), json!({ "a b": "c" }), "a b"),
        ("runtime", "/metadata/name".into(), json!("My_Run"), "My_Run"),
        ("job", "/metadata/name".into(), json!("1st"), "metadata.name"),
        ("job", "/metadata/owner".into(), json!("me"), "owner"),
        ("job", "/spec/labels".into(), json!({}), "labels"),
        ("job", "/spec/activeDeadlineSeconds".into(), json!(0), "self >= 1|minimum"),
        ("job", "/spec/trainer/numNodes".into(), json!(5_000_000_000_i64), "maximum"),
        ("job", "/spec/trainer/env".into(), json!([{ "name": "A" }, { "name": "A" }]), "two elements"),
        ("job", "/spec/trainer/args".into(), json!(vec!["x"; 129]), "128"),
        ("job", "/spec/runtimePatches".into(), json!([{ "manager": "a.b/c" }, { "manager": "a.b/c" }]), "two elements"),
        ("job", "/spec/runtimePatches".into(), json!([{ "manager": "a.b/c", "time": "soon" }]), "soon"),
        ("job", "/spec/managedBy".into(), json!("me"), "trainjob-controller"),
        ("domain", "/spec/channel/allocationMode".into(), json!("Some"), "All"),
        ("domain", "/spec/channel".into(), json!({}), "resourceClaimTemplate"),
        ("config", "/data/a".into(), json!(1), "string"),
        ("config", "/data/a b".into(), json!("x"), "no key"),
        ("config", "/spec".into(), json!({}), "spec"),
        ("config", "/kind".into(), json!("ConfigMaps"), "no kind"),
        ("claims", "/spec/spec/devices/requests/0/exactly/number".into(), json!(1), "number"),
    ];
    for (kind, place, value, words) in cases {
        let mut object = good(kind);
        assert_eq!(server.refusals(&object), [""; 0], "{kind}");
        set(&mut object, &place, value);
        let refusals = server.refusals(&object).join("\n");
        assert!(words.split('|').any(|w| refusals.contains(w)), "{kind} {place}: {words:?} not in {refusals:?}");
    }
}

fn good(kind: &str) -> Value {
    match kind {
        "runtime" => json!({
            "apiVersion": "trainer.kubeflow.org/v1alpha1",
            "kind": "TrainingRuntime",
            "metadata": { "name": "r" },
            "spec": { "mlPolicy": { "numNodes": 1, "torch": {} }, "template": { "spec": { "replicatedJobs": [{
                "name": "node",
                "template": { "spec": { "template": { "spec": {
                    "containers": [{ "name": "node", "image": "i", "resources": { "limits": { "nvidia.com/gpu": "8" } } }],
                } } } },
            }] } } },
        }),
        "job" => json!({
            "apiVersion": "trainer.kubeflow.org/v1alpha1",
            "kind": "TrainJob",
            "metadata": { "name": "j" },
            "spec": { "runtimeRef": { "name": "r", "kind": "TrainingRuntime" }, "trainer": { "numNodes": 2 } },
        }),
        "domain" => json!({
            "apiVersion": "resource.nvidia.com/v1beta1",
            "kind": "ComputeDomain",
            "metadata": { "name": "d" },
            "spec": { "numNodes": 2, "channel": { "resourceClaimTemplate": { "name": "c" } } },
        }),
        "config" => {
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" }, "data": { "a": "b" } })
        }
        _ => json!({
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": { "name": "c" },
            "spec": { "spec": { "devices": { "requests": [{ "name": "x", "exactly": { "deviceClassName": "y", "count": 1 } }] } } },
        }),
    }
}

/// Sets the value at a JSON pointer and makes the objects on the way.
fn set(object: &mut Value, pointer: &str, value: Value) {
    let mut at = object;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/");
        at = match step.parse::<usize>() {
            Ok(index) if at.is_array() => &mut at[index],
            _ => &mut at[step.as_str()],
        };
    }
    *at = value;
}
