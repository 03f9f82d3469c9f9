//! Faults that were once accepted and that a cluster refuses or runs wrong (00 D25): each is refused by `check`, by
//! the Workflow and by the manifests alike, and the finding leads to the field that caused it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use nvcre_core::api::Value;
use nvcre_core::diagnostic::{Code, Diagnostic, Severity, has_errors};
use nvcre_core::engine::{Delivery, Engine, Options};
use nvcre_core::jobs::Role;
use serde_json::json;

/// A run of two nodes; `framework` is `mpi`, `torch` or `exec`.
fn run(framework: &str) -> Value {
    let framework = match framework {
        "mpi" => json!({"mpi": {"binary": "/opt/ar", "mpirunPath": "/usr/bin/mpirun"}}),
        "torch" => json!({"torch": {"script": "/t.py"}}),
        _ => json!({"exec": {"command": ["/t"]}}),
    };
    json!({
        "apiVersion": "nvcre.nvidia.com/v1alpha1",
        "kind": "WorkloadRun",
        "metadata": {"name": "demo"},
        "spec": {"image": "registry.example/nccl:1", "framework": framework, "numNodes": 2},
    })
}

/// The run with more fields in its spec.
fn with(framework: &str, fields: Value) -> Value {
    let mut run = run(framework);
    run["spec"].as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    run
}

/// The run with one override.
fn overridden(framework: &str, mut spec: Value) -> Value {
    spec["when"] = json!({});
    with(framework, json!({ "overrides": [spec] }))
}

/// The run with an override of its runtime's spec.
fn runtime(framework: &str, spec: Value) -> Value {
    let object = json!({
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "demo-runtime"},
        "spec": spec,
    });
    overridden(framework, json!({ "dependencies": [object] }))
}

/// The run with an override of a replicated job's pod.
fn pod(framework: &str, job: &str, pod: Value) -> Value {
    let job = json!({"name": job, "template": {"spec": {"template": {"spec": pod}}}});
    runtime(framework, json!({"template": {"spec": {"replicatedJobs": [job]}}}))
}

/// The run with an override of the container `node` of the workers.
fn container(framework: &str, mut fields: Value) -> Value {
    fields["name"] = json!("node");
    pod(framework, "node", json!({ "containers": [fields] }))
}

/// The run with an override of the TrainJob.
fn train_job(framework: &str, fields: Value) -> Value {
    overridden(framework, json!({"jobTemplate": {"spec": {"workload": {"trainJob": fields}}}}))
}

fn options() -> Options {
    Options { platform: Some("onprem".into()), gpu_arch: Some("h100".into()), ..Options::default() }
}

/// Findings of `check`, which are those of the Workflow, and with nodes those of the manifests.
fn findings(run: &Value) -> Vec<Diagnostic> {
    let engine = Engine::new();
    let input = engine.read_run(run.to_string().as_bytes(), "run.yaml", false);
    let workflow = engine.check(&input, None, &options());
    let nodes = engine.assume_nodes(&input, &options(), 4).value;
    let manifests = engine.check(&input, Some(&nodes), &options());
    let errors =
        |list: &[Diagnostic]| list.iter().filter(|d| d.severity == Severity::Error).cloned().collect::<Vec<_>>();
    assert_eq!(errors(&workflow), errors(&manifests), "the Workflow and the manifests give two answers");
    manifests
}

/// The run has this finding, at this field, and no other error.
fn refused(run: &Value, code: Code, path: &str) {
    let found = findings(run);
    let at: Vec<String> =
        found.iter().filter(|d| d.code == code).map(|d| d.path.clone().unwrap_or_default().to_string()).collect();
    assert!(at.iter().any(|p| p == path), "{code} at {path} is wanted: {at:?}\n{found:#?}");
    let others: Vec<&Diagnostic> = found.iter().filter(|d| d.severity == Severity::Error && d.code != code).collect();
    assert!(others.is_empty(), "{others:#?}");
    let mut seen = std::collections::BTreeSet::new();
    for d in found.iter().filter(|d| d.code == code) {
        assert!(d.help.is_some(), "{d:?}");
        assert!(seen.insert((d.path.clone(), d.message.clone())), "twice: {d:#?}");
    }
}

fn accepted(run: &Value) {
    let found = findings(run);
    assert!(!has_errors(&found), "{found:#?}");
}

const POD: &str =
    "spec.overrides[0].dependencies[0].spec.template.spec.replicatedJobs[name=node].template.spec.template.spec";

fn at_pod(rest: &str) -> String {
    format!("{POD}.{rest}")
}

#[test]
fn plain_runs_are_accepted() {
    for framework in ["mpi", "torch", "exec"] {
        accepted(&run(framework));
    }
    let fields = json!({
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "secret", "secret": {"secretName": "s"}}],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}, {"name": "data", "mountPath": "/more", "subPath": "a"}],
        "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
        "initContainers": [{"name": "prepare", "image": "i", "volumeMounts": [{"name": "data", "mountPath": "/dev/shm"}]}],
        "imagePullSecrets": [{"name": "a"}, {"name": "b"}],
        "resources": {"limits": {"cpu": "4", "nvidia.com/gpu": "8"}, "requests": {"cpu": "2", "nvidia.com/gpu": 8}},
        "config": {"inline": {"a": "b"}},
    });
    accepted(&with("mpi", fields.clone()));
    accepted(&with("torch", fields));
}

#[test]
fn duplicate_variables_in_a_container() {
    let env = json!([{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]);
    let pod_with = |key: &str| pod("torch", "node", json!({key: [{"name": "side", "image": "i", "env": env}]}));
    refused(&pod_with("containers"), Code::DuplicateName, &at_pod("containers[name=side].env[name=A].name"));
    refused(&pod_with("initContainers"), Code::DuplicateName, &at_pod("initContainers[name=side].env[name=A].name"));
    let init = json!({"initContainers": [{"name": "prepare", "image": "i", "env": env}]});
    refused(&with("torch", init), Code::DuplicateName, "spec.initContainers[0].env[1].name");
}

#[test]
fn duplicate_mount_paths() {
    let fields = json!({
        "volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}],
        "volumeMounts": [{"name": "a", "mountPath": "/x"}, {"name": "b", "mountPath": "//x/"}],
    });
    refused(&with("torch", fields), Code::DuplicateName, "spec.volumeMounts[1].mountPath");
    let second = json!({
        "volumes": [{"name": "big", "emptyDir": {"medium": "Memory"}}],
        "containers": [{"name": "node", "volumeMounts": [{"name": "big", "mountPath": "/dev/shm"}]}],
    });
    for framework in ["torch", "mpi"] {
        let path = at_pod("containers[name=node].volumeMounts[name=big].mountPath");
        refused(&pod(framework, "node", second.clone()), Code::DuplicateName, &path);
    }
}

#[test]
fn duplicate_pull_secrets() {
    let run = with("mpi", json!({"imagePullSecrets": [{"name": "a"}, {"name": "a"}]}));
    refused(&run, Code::DuplicateName, "spec.imagePullSecrets[1].name");
}

#[test]
fn duplicate_elements_of_pods() {
    // What an override adds stays as it is; lists that it merges keep one of each name.
    let mut run = pod(
        "torch",
        "node",
        json!({
            "volumes": [{"name": "x", "emptyDir": {}}, {"name": "x", "emptyDir": {}}],
            "containers": [{"name": "node", "image": "i"}],
        }),
    );
    run["spec"]["overrides"][0]["dependencies"][0]["metadata"]["name"] = json!("other");
    refused(&run, Code::DuplicateName, &at_pod("volumes[name=x].name"));
    let both = json!({
        "containers": [{"name": "side", "image": "i"}],
        "initContainers": [{"name": "side", "image": "i"}],
    });
    refused(&pod("torch", "node", both), Code::DuplicateName, &at_pod("initContainers[name=side].name"));
    let ports = json!({"ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}]});
    let path = at_pod("containers[name=node].ports[1].containerPort");
    refused(&container("torch", ports), Code::DuplicateName, &path);
    let named = json!({"ports": [{"name": "p", "containerPort": 80}, {"name": "p", "containerPort": 81}]});
    let path = at_pod("containers[name=node].ports[name=p].name");
    refused(&container("torch", named), Code::DuplicateName, &path);
    let claims = json!({"resourceClaims": [
        {"name": "c", "resourceClaimName": "a"}, {"name": "c", "resourceClaimName": "b"},
    ]});
    refused(&pod("torch", "node", claims), Code::DuplicateName, &at_pod("resourceClaims[name=c].name"));
}

#[test]
fn images_that_no_registry_has() {
    for image in ["a".repeat(501), "registry/a b:1".into(), "registry/a\n:1".into()] {
        refused(&with("torch", json!({ "image": image })), Code::BadImage, "spec.image");
        let path = "spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.image";
        refused(&train_job("torch", json!({"trainer": { "image": image }})), Code::BadImage, path);
    }
    accepted(&with("torch", json!({ "image": "a".repeat(500) })));
}

#[test]
fn variable_with_value_and_source_after_a_merge() {
    let env = json!({"env": [{"name": "NCCL_DEBUG", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]});
    for framework in ["torch", "mpi"] {
        let path = at_pod("containers[name=node].env[name=NCCL_DEBUG].valueFrom");
        refused(&container(framework, env.clone()), Code::EnvSource, &path);
    }
}

#[test]
fn size_of_a_job_taken_away() {
    let path = "spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer";
    for size in [json!(-1), json!(0), json!(null)] {
        let run = train_job("mpi", json!({"trainer": { "numNodes": size }}));
        refused(&run, Code::JobSize, &format!("{path}.numNodes"));
    }
    refused(&train_job("torch", json!({ "trainer": null })), Code::JobSize, path);
}

#[test]
fn runtime_without_what_the_trainer_speaks_to() {
    let base = "spec.overrides[0].dependencies[0].spec";
    for (framework, spec, path) in [
        ("torch", json!({ "template": null }), "template"),
        ("torch", json!({"template": {"spec": {"replicatedJobs": []}}}), "template.spec.replicatedJobs"),
    ] {
        refused(&runtime(framework, spec), Code::RuntimeShape, &format!("{base}.{path}"));
    }
    refused(&pod("torch", "node", json!({ "containers": [] })), Code::RuntimeShape, &at_pod("containers"));
    let other = json!({"containers": null});
    let run = |second: Value| {
        let mut run = pod("torch", "node", other.clone());
        let mut two = pod("torch", "node", second)["spec"]["overrides"][0].clone();
        two["when"] = json!({});
        run["spec"]["overrides"].as_array_mut().unwrap().push(two);
        run
    };
    let path = at_pod("containers").replace("overrides[0]", "overrides[1]");
    let main = json!({"containers": [{"name": "main", "image": "i"}]});
    refused(&run(main), Code::RuntimeShape, &path);
    let label = json!({"name": "node", "template": {"metadata": {"labels": {
        "trainer.kubeflow.org/trainjob-ancestor-step": null,
    }}}});
    let run = runtime("torch", json!({"template": {"spec": {"replicatedJobs": [label]}}}));
    refused(&run, Code::RuntimeShape, &format!("{base}.template.spec.replicatedJobs"));
}

#[test]
fn patch_of_a_replicated_job_or_container_that_is_not_there() {
    let renamed = json!([{
        "name": "workers",
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "i"}]}}},
        },
    }]);
    let mut run = runtime("torch", json!({"template": {"spec": { "replicatedJobs": null }}}));
    let second = runtime("torch", json!({"template": {"spec": { "replicatedJobs": renamed }}}));
    run["spec"]["overrides"].as_array_mut().unwrap().push(second["spec"]["overrides"][0].clone());
    let found = findings(&run);
    assert!(has_errors(&found), "{found:#?}");
    assert!(
        found.iter().any(|d| matches!(d.code, Code::RuntimePatches | Code::RuntimeShape) && d.message.contains("node")),
        "{found:#?}"
    );
    let patch = json!({"runtimePatches": [{"manager": "a", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [
        {"name": "node", "template": {"spec": {"template": {"spec": {"containers": [{"name": "side"}]}}}}},
    ]}}}}]});
    let found = findings(&train_job("torch", patch));
    assert!(found.iter().any(|d| d.code == Code::RuntimePatches && d.message.contains("side")), "{found:#?}");
}

#[test]
fn runtime_without_a_policy() {
    let path = "spec.overrides[0].dependencies[0].spec.mlPolicy";
    refused(&runtime("torch", json!({ "mlPolicy": null })), Code::MlPolicy, path);
    refused(&runtime("torch", json!({"mlPolicy": { "torch": null }})), Code::MlPolicy, path);
}

#[test]
fn object_of_another_kind_with_the_name_of_the_runtime() {
    let secret =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "demo-runtime"}, "stringData": {"a": "b"}});
    let run = overridden("mpi", json!({ "dependencies": [secret] }));
    let found = findings(&run);
    assert!(!has_errors(&found) && found.iter().all(|d| d.code != Code::SharedDependency), "{found:#?}");
    let engine = Engine::new();
    let input = engine.read_run(run.to_string().as_bytes(), "run.yaml", false);
    let nodes = engine.assume_nodes(&input, &options(), 4).value;
    let rendering = engine.render(&input, Some(&nodes), &options());
    let jobs = rendering.jobs(Delivery::Trainer).prepared.unwrap();
    let shared: Vec<Value> = jobs
        .shared(|_| String::new())
        .iter()
        .filter(|m| m.role == Role::Dependency)
        .map(|m| m.value["kind"].clone())
        .collect();
    assert_eq!(shared, ["Secret"]);
    for job in jobs.jobs() {
        let names: Vec<String> = jobs.copy_names(job).into_iter().map(|c| c.kind).collect();
        assert_eq!(names, ["TrainingRuntime"]);
    }
}

#[test]
fn dependency_in_the_place_of_the_run_record() {
    for name in ["demo-nvcre-run", "demo-nvcre-run-1"] {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": {"a": "b"}});
        let run = overridden("torch", json!({ "dependencies": [map] }));
        refused(&run, Code::NamesCollide, "spec.overrides[0].dependencies[0].metadata.name");
    }
}

#[test]
fn one_object_in_two_versions() {
    let template = |version: &str| {
        json!({
            "apiVersion": format!("resource.k8s.io/{version}"),
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "nics"},
            "spec": {"spec": {"devices": {"requests": [{"name": "nic", "exactly": {"deviceClassName": "nic"}}]}}},
        })
    };
    let run = overridden("torch", json!({"dependencies": [template("v1"), template("v1beta1")]}));
    refused(&run, Code::InvalidDependency, "spec.overrides[0].dependencies[0]");
}

#[test]
fn dependency_called_like_a_train_job_of_the_run() {
    let engine = Engine::new();
    let plain = engine.read_run(run("torch").to_string().as_bytes(), "run.yaml", false);
    let nodes = engine.assume_nodes(&plain, &options(), 4).value;
    let rendering = engine.render(&plain, Some(&nodes), &options());
    let jobs = rendering.jobs(Delivery::Trainer).prepared.unwrap();
    let name = jobs.names(jobs.jobs().next().unwrap()).train_job;
    let object =
        json!({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": { "name": name }});
    let run = overridden("torch", json!({ "dependencies": [object] }));
    let input = engine.read_run(run.to_string().as_bytes(), "run.yaml", false);
    let found = engine.check(&input, Some(&nodes), &options());
    assert!(found.iter().any(|d| d.code == Code::NamesCollide && d.message.contains(&name)), "{found:#?}");
}

#[test]
fn names_that_no_object_may_have() {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "Bad_Name"}, "data": {"a": "b"}});
    let run = overridden("torch", json!({ "dependencies": [map] }));
    refused(&run, Code::BadName, "spec.overrides[0].dependencies[0].metadata.name");
    let run = with("torch", json!({"config": {"configMapRef": {"name": "Bad_Name"}}}));
    refused(&run, Code::BadReference, "spec.config.configMapRef.name");
}

#[test]
fn job_template_fields_out_of_range() {
    let base = "spec.overrides[0].jobTemplate";
    for (field, value, path) in [
        ("stallMultiplier", json!(0), ""),
        ("startupStallTimeoutSeconds", json!(0), ""),
        ("schedulingStallGraceSeconds", json!(-1), ""),
        ("nodeHealthMonitor", json!({"cel": {"expression": ""}}), ".cel.expression"),
        ("nodeHealthMonitor", json!({"cel": {"expression": "x".repeat(2049)}}), ".cel.expression"),
        ("goodputMeasurement", json!({"logProfileRef": ""}), ".logProfileRef"),
        ("bandwidthMeasurement", json!({"logProfileRef": "nccl", "sampleInterval": "0s"}), ".sampleInterval"),
    ] {
        let run = overridden("torch", json!({"jobTemplate": {"spec": { field: value }}}));
        refused(&run, Code::JobTemplateField, &format!("{base}.spec.{field}{path}"));
    }
    let run = overridden("torch", json!({"jobTemplate": {"spec": {"thresholds": {"speed": "value > 1"}}}}));
    refused(&run, Code::UnknownThreshold, &format!("{base}.spec.thresholds.speed"));
    let run = overridden("torch", json!({"jobTemplate": {"metadata": {"labels": {"a b": "c"}}}}));
    refused(&run, Code::BadLabel, &format!("{base}.metadata.labels[\"a b\"]"));
    let run = overridden("torch", json!({"jobTemplate": {"metadata": {"annotations": {"a b": "c"}}}}));
    refused(&run, Code::BadLabel, &format!("{base}.metadata.annotations[\"a b\"]"));
}

#[test]
fn job_template_metadata_without_effect() {
    let run = overridden(
        "torch",
        json!({"jobTemplate": {"metadata": {
            "name": "mine", "namespace": "there", "labels": {"app.kubernetes.io/managed-by": "me"},
        }}}),
    );
    let found = findings(&run);
    for path in ["name", "namespace", "labels[\"app.kubernetes.io/managed-by\"]"] {
        let path = format!("spec.overrides[0].jobTemplate.metadata.{path}");
        let warned =
            found.iter().any(|d| d.code == Code::NoEffect && d.path.as_ref().is_some_and(|p| p.to_string() == path));
        assert!(warned, "{path}: {found:#?}");
    }
    assert!(!has_errors(&found), "{found:#?}");
}

#[test]
fn pod_parts_that_kubernetes_refuses() {
    let volume = json!({"name": "v", "emptyDir": {}});
    for (fields, code, path) in [
        (json!({"volumes": [{"name": "v"}]}), Code::VolumeSource, "spec.volumes[0]"),
        (
            json!({"volumes": [{"name": "v", "emptyDir": {}, "configMap": {"name": "c"}}]}),
            Code::VolumeSource,
            "spec.volumes[0]",
        ),
        (json!({"volumes": [{"name": "", "emptyDir": {}}]}), Code::EmptyField, "spec.volumes[0].name"),
        (
            json!({"volumes": [volume], "volumeMounts": [{"name": "v", "mountPath": ""}]}),
            Code::MountPath,
            "spec.volumeMounts[0].mountPath",
        ),
        (
            json!({"volumes": [volume], "volumeMounts": [{"name": "v", "mountPath": "/a:/b"}]}),
            Code::MountPath,
            "spec.volumeMounts[0].mountPath",
        ),
        (
            json!({"initContainers": [{"name": "i", "image": "i", "volumeMounts": [{"name": "no", "mountPath": "/a"}]}]}),
            Code::UnknownVolume,
            "spec.initContainers[0].volumeMounts[0].name",
        ),
        (
            json!({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "", "key": "k"}}}]}),
            Code::BadReference,
            "spec.env[0].valueFrom.secretKeyRef.name",
        ),
        (
            json!({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": ""}}}]}),
            Code::BadReference,
            "spec.env[0].valueFrom.secretKeyRef.key",
        ),
        (
            json!({"resources": {"limits": {"nvidia.com/gpu": "1.5"}}}),
            Code::ContainerResource,
            "spec.resources.limits[\"nvidia.com/gpu\"]",
        ),
        (
            json!({"resources": {"limits": {"nvidia.com/gpu": "-8"}}}),
            Code::ContainerResource,
            "spec.resources.limits[\"nvidia.com/gpu\"]",
        ),
        (json!({"resources": {"limits": {"gpu": "8"}}}), Code::ContainerResource, "spec.resources.limits.gpu"),
        (
            json!({"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}}),
            Code::ContainerResource,
            "spec.resources.requests.cpu",
        ),
        (
            json!({"resources": {"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "4"}}}),
            Code::ContainerResource,
            "spec.resources.requests[\"nvidia.com/gpu\"]",
        ),
    ] {
        for framework in ["torch", "mpi"] {
            refused(&with(framework, fields.clone()), code, path);
        }
    }
}

#[test]
fn reserved_paths_by_another_spelling() {
    for path in ["//dev//shm", "/dev/./shm/", "/tmp/../dev/shm", "dev/shm"] {
        let fields =
            json!({"volumes": [{"name": "v", "emptyDir": {}}], "volumeMounts": [{"name": "v", "mountPath": path}]});
        let found = findings(&with("torch", fields));
        assert!(found.iter().any(|d| d.code == Code::ReservedPodPart), "{path}: {found:#?}");
    }
}

#[test]
fn pods_of_an_override_that_kubernetes_refuses() {
    for (parts, code, path) in [
        (json!({"tolerations": [{"key": "a", "operator": "Has"}]}), Code::BadToleration, "tolerations[0].operator"),
        (json!({"tolerations": [{"key": "a", "effect": "Never"}]}), Code::BadToleration, "tolerations[0].effect"),
        (json!({"terminationGracePeriodSeconds": -1}), Code::NegativeCount, "terminationGracePeriodSeconds"),
        (json!({"nodeSelector": {"a b": "c"}}), Code::BadLabel, "nodeSelector[\"a b\"]"),
        (json!({"restartPolicy": "Always"}), Code::ReplicatedJobs, "restartPolicy"),
        (json!({"volumes": [{"name": "v"}]}), Code::VolumeSource, "volumes[name=v]"),
        (json!({"containers": [{"name": "side"}]}), Code::EmptyField, "containers[name=side].image"),
        (
            json!({"containers": [{"name": "node", "volumeMounts": [{"name": "no", "mountPath": "/a"}]}]}),
            Code::UnknownVolume,
            "containers[name=node].volumeMounts[name=no].name",
        ),
        (
            json!({"containers": [{"name": "node", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]}),
            Code::ContainerResource,
            "containers[name=node].resources.requests[\"nvidia.com/gpu\"]",
        ),
    ] {
        let found = findings(&pod("torch", "node", parts.clone()));
        let at = |d: &&Diagnostic| d.code == code;
        let finding = found.iter().find(at).unwrap_or_else(|| panic!("{parts}: {found:#?}"));
        // What is missing or contradicts the base belongs to the element that the override names.
        let place = finding.path.clone().unwrap().to_string();
        let element = path.split("].").next().unwrap();
        assert!(place == at_pod(path) || place == at_pod(&format!("{element}]")), "{place}");
    }
}

#[test]
fn checkpoint_that_no_container_sees() {
    let claim = "demo-checkpoint-pvc";
    let fields = json!({
        "checkpoint": {"storageSize": "1Gi"},
        "volumes": [{"name": "ckpt", "persistentVolumeClaim": {"claimName": claim}}],
    });
    let message = |run: &Value| {
        let found = findings(run);
        found.into_iter().find(|d| d.code == Code::CheckpointNotMounted).map(|d| d.message)
    };
    let mut run = with("torch", fields);
    assert_eq!(message(&run).unwrap(), format!("the claim {claim} is made, and no container mounts its volume ckpt"));
    run["spec"]["volumeMounts"] = json!([{"name": "ckpt", "mountPath": "/ckpt"}]);
    assert_eq!(message(&run), None);
    run["spec"]["overrides"] = json!([{
        "when": {},
        "jobTemplate": {"spec": {"checkpoint": {"pvcName": "other"}}},
        "dependencies": [{
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "other"},
            "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
        }],
    }]);
    let message = message(&run).unwrap();
    assert!(message.starts_with("checkpoints are kept in the claim other, which an override names"), "{message}");
    run["spec"]["overrides"][0]["dependencies"] = json!([]);
    let path = "spec.overrides[0].jobTemplate.spec.checkpoint.pvcName";
    refused(&run, Code::CheckpointPVCMissing, path);
}

#[test]
fn more_processes_than_gpus() {
    let fields = |gpus: &str| json!({"gpusPerNode": 4, "resources": {"limits": {"nvidia.com/gpu": gpus}}});
    for framework in ["torch", "mpi"] {
        let found = findings(&with(framework, fields("2")));
        let finding =
            found.iter().find(|d| d.code == Code::MoreProcessesThanGpus).unwrap_or_else(|| panic!("{found:#?}"));
        assert_eq!(finding.path.clone().unwrap().to_string(), "spec.resources.limits[\"nvidia.com/gpu\"]");
        let found = findings(&with(framework, fields("4")));
        assert!(found.iter().all(|d| d.code != Code::MoreProcessesThanGpus), "{found:#?}");
    }
}

#[test]
fn gate_that_keeps_a_kai_gang_from_starting() {
    let kai = |mut run: Value| {
        run["spec"]["gangScheduler"] = json!({"schedulerName": "kai-scheduler", "queue": "team"});
        run
    };
    accepted(&kai(run("mpi")));
    let gate = json!({"template": {"spec": {"replicatedJobs": [
        {"name": "launcher", "dependsOn": [{"name": "node", "status": "Ready"}]},
    ]}}});
    let base = "spec.overrides[0].dependencies[0].spec.template.spec";
    let path = format!("{base}.replicatedJobs[name=launcher].dependsOn");
    refused(&kai(runtime("mpi", gate)), Code::GangContract, &path);
    let order = json!({"template": {"spec": {"startupPolicy": {"startupPolicyOrder": "InOrder"}}}});
    refused(&kai(runtime("mpi", order)), Code::GangContract, &format!("{base}.startupPolicy"));
}
