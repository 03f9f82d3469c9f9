//! Unknown and missing fields, patches, dependencies.

use super::*;

#[test]
fn unknown_fields_at_every_depth() {
    for (spec, wanted) in [
        ("nodes: 3", "NV005 spec.nodes 5:3 spec has no field `nodes` | did you mean `numNodes`?"),
        ("envs: []", "NV005 spec.envs 5:3 spec has no field `envs` | did you mean `env`?"),
        ("mpi: {binary: a}", "NV005 spec.mpi 5:3 spec has no field `mpi` | did you mean `spec.framework.mpi`?"),
        (
            "framework:\n  args: []\n  exec: {command: [a]}",
            "NV005 spec.framework.args 6:5 spec.framework has no field `args` | did you mean `spec.framework.exec.args` \
             or `spec.framework.mpi.args` or `spec.framework.torch.args`?",
        ),
        (
            "framework:\n  exec: {command: [a]}\n  volumes: []",
            "NV005 spec.framework.volumes 7:5 spec.framework has no field `volumes` | did you mean `spec.volumes`? \
             Check the indentation",
        ),
        (
            "volumes:\n- name: a\n  hostpath: {path: /a}",
            "NV005 spec.volumes[0].hostpath 7:5 spec.volumes[0] has no field `hostpath` | did you mean `hostPath`?",
        ),
        (
            "initContainers:\n- name: a\n  resources:\n    limit: {}",
            "NV005 spec.initContainers[0].resources.limit 8:7 spec.initContainers[0].resources has no field `limit` \
             | did you mean `limits`?",
        ),
        (
            "overrides:\n- when: {}\n  jobTemplate:\n    spec:\n      workload:\n        trainJob:\n          labels: {a: b}",
            "NV005 spec.overrides[0].jobTemplate.spec.workload.trainJob.labels 11:13 \
             spec.overrides[0].jobTemplate.spec.workload.trainJob has no field `labels` \
             | remove it with everything below it; the fields here are activeDeadlineSeconds, initializer, managedBy, \
             runtimePatches, runtimeRef, suspend, trainer",
        ),
    ] {
        assert_eq!(only(spec), wanted);
    }
}

#[test]
fn unknown_fields_are_warnings_when_lenient_and_dropped_either_way() {
    let spec = "volumes:\n- name: a\n  hostpath: {path: /a}";
    let read = run_with(spec, true);
    assert_eq!(
        told(&read.diagnostics),
        ["NV005 spec.volumes[0].hostpath 7:5 spec.volumes[0] has no field `hostpath`; it is ignored \
             | did you mean `hostPath`?"]
    );
    assert_eq!(read.diagnostics[0].severity, Severity::Warning);
    assert_eq!(read.value.spec.volumes, [json!({ "name": "a" })]);
    assert_eq!(run(spec).value.spec.volumes, [json!({ "name": "a" })]);
    assert_eq!(run_with("numNodes: \"4\"", true).diagnostics[0].severity, Severity::Error);
}

#[test]
fn required_fields() {
    for (spec, wanted) in [
        (
            "volumes:\n- emptyDir: {}",
            "NV006 spec.volumes[0].name 6:5 spec.volumes[0] has no `name`, which is required | add `name`, a string",
        ),
        (
            "initContainers:\n- image: a\n  name:",
            "NV006 spec.initContainers[0].name 6:5 spec.initContainers[0] has no `name`, which is required \
             | add `name`, a string",
        ),
        (
            "framework:\n  mpi: {binary: a}",
            "NV006 spec.framework.mpi.mpirunPath 6:5 spec.framework.mpi has no `mpirunPath`, which is required \
             | add `mpirunPath`, a string",
        ),
        (
            "overrides:\n- mpiArgs: [a]",
            "NV006 spec.overrides[0].when 6:5 spec.overrides[0] has no `when`, which is required | add `when`, a mapping",
        ),
    ] {
        assert_eq!(only(spec), wanted);
    }
    let read =
        decode_run(&source("apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {name: r}\n"), false);
    assert_eq!(
        told(&read.diagnostics),
        ["NV006 spec 1:1 a WorkloadRun has no `spec`, which is required | add `spec`, a mapping"]
    );
    assert_eq!(read.value.metadata.name, "r");
}

#[test]
fn patches_take_null_and_directives_and_lack_required_fields() {
    let read = run(
        "overrides:\n- when: {}\n  jobTemplate:\n    spec:\n      workload:\n        trainJob:\n          trainer:\n\
         \x20           env: null\n            numNodes: 2\n            $patch: replace\n          runtimePatches:\n\
         \x20         - trainingRuntimeSpec: {}\n  dependencies:\n  - apiVersion: trainer.kubeflow.org/v1alpha1\n    \
         kind: TrainingRuntime\n    metadata: {name: r-runtime}\n    when: {x: a}\n    spec: {template: {spec: \
         {replicatedJobs: [{name: node, template: {spec: {template: {spec: {containers: [{name: node, resources: \
         {limits: {nvidia.com/gpu: null}}}]}}}}}]}}}\n  - {apiVersion: example.com/v1, kind: Anything, free: [1, ~]}",
    );
    assert_eq!(read.diagnostics, []);
    let patch = read.value.spec.overrides[0].job_template.clone().unwrap();
    assert_eq!(
        patch.pointer("/spec/workload/trainJob/trainer").unwrap(),
        &json!({"env": null, "numNodes": 2, "$patch": "replace"})
    );
    let runtime = &read.value.spec.overrides[0].dependencies[0];
    assert_eq!(runtime.get("when"), Some(&json!({ "x": "a" })));
    assert!(
        runtime
            .pointer("/spec/template/spec/replicatedJobs/0/template/spec/template/spec/containers/0/resources/limits")
            .is_some_and(|l| l == &json!({ "nvidia.com/gpu": null }))
    );
    assert_eq!(read.value.spec.overrides[0].dependencies[1]["free"], json!([1, null]));
}

#[test]
fn dependencies_of_known_kinds_are_checked_deeply() {
    let spec = |runtime: &str| {
        format!(
            "overrides:\n- when: {{}}\n  dependencies:\n  - apiVersion: trainer.kubeflow.org/v1alpha1\n    kind: TrainingRuntime\n    spec: {runtime}"
        )
    };
    for (runtime, wanted) in [
        (
            "{mlPolicy: {torch: {numProcPerNode: 8}}}",
            "NV005 spec.overrides[0].dependencies[0].spec.mlPolicy.torch.numProcPerNode",
        ),
        (
            "{template: {spec: {replicatedJobs: [{template: {spec: {template: {spec: {containers: [{env: [{value: 1}]}]}}}}}]}}}",
            "NV004 spec.overrides[0].dependencies[0].spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[0].value",
        ),
        (
            "{template: {spec: {startupPolicy: {startupPolicyOrder: inOrder}}}}",
            "NV012 spec.overrides[0].dependencies[0].spec.template.spec.startupPolicy.startupPolicyOrder",
        ),
    ] {
        let told = only(&spec(runtime));
        assert!(told.starts_with(wanted), "{told}");
    }
    let order = only(&spec("{template: {spec: {startupPolicy: {startupPolicyOrder: inOrder}}}}"));
    assert!(
        order.ends_with(
            "\"inOrder\" is not one of the allowed values | did you mean `InOrder`? Allowed are AnyOrder, InOrder"
        ),
        "{order}"
    );
}

#[test]
fn values_without_a_text_are_checked_alike() {
    let base = FieldPath::parse("spec.overrides[2].jobTemplate");
    let patch = json!({ "spec": { "workload": { "trainJob": { "podTemplateOverrides": [], "trainer": { "numNodes": "x" } } } } });
    let mut findings = Vec::new();
    let left = check_value("JobTemplate", &patch, &base, Mode::PATCH, &mut findings);
    assert_eq!(left, json!({ "spec": { "workload": { "trainJob": { "trainer": {} } } } }));
    let told = told(&findings);
    assert!(
        told[0].starts_with("NV005 spec.overrides[2].jobTemplate.spec.workload.trainJob.podTemplateOverrides 0:0 ")
    );
    assert_eq!(
        told[1],
        "NV004 spec.overrides[2].jobTemplate.spec.workload.trainJob.trainer.numNodes 0:0 a whole number is wanted here, \
         but `\"x\"` is a string | write a whole number without quotes"
    );
    let mut findings = Vec::new();
    let value = json!({ "when": {}, "jobTemplate": { "metadata": { "labels": { "a": 1 } } } });
    check_value("OverrideSpec", &value, &FieldPath::root(), Mode::STRICT, &mut findings);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].message, "a string is wanted here, but Kubernetes reads `1` as a number");
}

#[test]
fn types_that_the_crate_names_are_in_the_table() {
    for name in ["WorkloadRun", "OverrideSpec", "JobTemplate", "Workflow", "JobSpec", "TrainJobSpec", "TrainingRuntime"]
    {
        assert!(!field_names(name).is_empty(), "{name}");
    }
    assert_eq!(field_names("WorkloadSpec"), ["trainJob"]);
    let mut findings = Vec::new();
    let job: JobTemplate = decode(
        "JobTemplate",
        source("spec: {workload: {trainJob: {}}}").root.as_ref().unwrap(),
        &FieldPath::root(),
        false,
        &mut findings,
    );
    assert!(job.spec.workload.train_job.is_some() && findings.is_empty());
    let whole: OverrideSpec = decode(
        "OverrideSpec",
        source("when: {platform: {in: aws}}").root.as_ref().unwrap(),
        &FieldPath::root(),
        false,
        &mut findings,
    );
    assert_eq!((whole.when.platform.unwrap().one_of.len(), findings.len()), (0, 1));
}
