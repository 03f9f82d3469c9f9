//! What the walk finds, with the words people read.

use super::*;
use crate::api::{JobTemplate, OverrideSpec, WorkloadRun};
use crate::yaml::{Limits, Read, Source, read_documents};
use serde_json::json;

fn source(text: &str) -> Source {
    let read = read_documents(text.as_bytes(), "run.yaml", &Limits::default());
    assert_eq!(read.diagnostics, [], "{text}");
    read.value.into_iter().next().unwrap()
}

fn run(spec: &str) -> Read<WorkloadRun> {
    run_with(spec, false)
}

fn run_with(spec: &str, lenient: bool) -> Read<WorkloadRun> {
    let indented: String = spec.lines().map(|line| format!("  {line}\n")).collect();
    let framework = if spec.contains("framework:") { "" } else { "  framework: {exec: {command: [a]}}\n" };
    let nodes = if spec.lines().any(|line| line.starts_with("numNodes:")) { "" } else { "  numNodes: 2\n" };
    let text = format!(
        "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {{name: r}}\nspec:\n{indented}  image: i\n\
         {framework}{nodes}"
    );
    decode_run(&source(&text), lenient)
}

/// Each finding as `CODE path line:column message | help`.
fn told(findings: &[Diagnostic]) -> Vec<String> {
    findings
        .iter()
        .map(|d| {
            let start = d.span.map(|s| s.start).unwrap_or_default();
            let path = d.path.as_ref().map(ToString::to_string).unwrap_or_default();
            let help = d.help.as_deref().unwrap_or("-");
            format!("{} {path} {}:{} {} | {help}", d.code, start.line, start.column, d.message)
        })
        .collect()
}

fn only(spec: &str) -> String {
    let read = run(spec);
    let told = told(&read.diagnostics);
    assert_eq!(told.len(), 1, "{told:#?}");
    told.into_iter().next().unwrap()
}

#[test]
fn row_27_bools_and_numbers_where_a_string_is_wanted() {
    let env = |value: &str| format!("env:\n- name: A\n  value: {value}");
    for (value, wanted) in [
        ("true", "Kubernetes reads `true` as a bool | put it in quotes: `value: \"true\"`"),
        ("yes", "Kubernetes reads `yes` as the bool true | put it in quotes: `value: \"yes\"`"),
        ("off", "Kubernetes reads `off` as the bool false | put it in quotes: `value: \"off\"`"),
        ("8", "Kubernetes reads `8` as a number | put it in quotes: `value: \"8\"`"),
        ("017", "Kubernetes reads `017` as the number 15 | put it in quotes: `value: \"017\"`"),
        ("1_000", "Kubernetes reads `1_000` as the number 1000 | put it in quotes: `value: \"1_000\"`"),
    ] {
        let told = only(&env(value));
        assert_eq!(told, format!("NV004 spec.env[0].value 7:12 a string is wanted here, but {wanted}"));
        assert_eq!(run(&env(value)).value.spec.env[0].value, value);
    }
    for fine in ["\"true\"", "'8'", "abc", "2026-10-12", "12:30:45", "|\n    8"] {
        assert_eq!(run(&env(fine)).diagnostics, [], "{fine}");
    }
    assert_eq!(
        only("target:\n  nodeSelector:\n    gpu: true"),
        "NV004 spec.target.nodeSelector.gpu 7:10 a string is wanted here, but Kubernetes reads `true` as a bool \
         | put it in quotes: `gpu: \"true\"`"
    );
    assert_eq!(
        only("framework:\n  exec:\n    command: [sleep, 8]"),
        "NV004 spec.framework.exec.command[1] 7:22 a string is wanted here, but Kubernetes reads `8` as a number \
         | put it in quotes: `- \"8\"`"
    );
}

#[test]
fn row_29_strings_where_a_number_or_bool_is_wanted() {
    assert_eq!(
        only("numNodes: \"4\""),
        "NV004 spec.numNodes 5:13 a whole number is wanted here, but `\"4\"` is a string | remove the quotes: `numNodes: 4`"
    );
    assert_eq!(run("numNodes: \"4\"").value.spec.num_nodes, 4);
    assert_eq!(
        only("numNodes: four"),
        "NV004 spec.numNodes 5:13 a whole number is wanted here, but `four` is a string \
         | write a whole number without quotes"
    );
    assert_eq!(
        only("enableMNNVL: 'no'"),
        "NV004 spec.enableMNNVL 5:16 true or false is wanted here, but `\"no\"` is a string \
         | write it without quotes: `enableMNNVL: false`"
    );
    assert_eq!(run("enableMNNVL: 'no'").value.spec.enable_mnnvl, Some(false));
    assert_eq!(
        only("enableMNNVL: 1"),
        "NV004 spec.enableMNNVL 5:16 true or false is wanted here, but Kubernetes reads `1` as a number \
         | write true or false"
    );
    assert_eq!(
        only("numNodes: 1.5"),
        "NV004 spec.numNodes 5:13 a whole number is wanted here, but `1.5` is not one | write a whole number"
    );
}

#[test]
fn whole_numbers_in_every_form_and_their_range() {
    for (text, number) in [("4", 4), ("4.0", 4), ("1e1", 10), ("0x10", 16), ("-1", -1), ("2147483647", i32::MAX)] {
        let read = run(&format!("numNodes: {text}"));
        assert_eq!((read.diagnostics, read.value.spec.num_nodes), (vec![], number), "{text}");
    }
    assert_eq!(
        only("numNodes: 2147483648"),
        "NV009 spec.numNodes 5:13 `2147483648` does not fit into 32 bits | write a number from -2147483648 to 2147483647"
    );
    assert!(only("numNodes: 99999999999999999999").starts_with("NV009 spec.numNodes 5:13 "));
    assert!(only("numNodes: 1e300").starts_with("NV009 spec.numNodes 5:13 "));
}

#[test]
fn lists_mappings_and_scalars_in_each_others_place() {
    for (spec, wanted) in [
        (
            "env:\n  NCCL_DEBUG: INFO",
            "NV004 spec.env 5:3 a list is wanted here, but this is a mapping | write a list with `- name: NCCL_DEBUG` \
             and its `value` below, one element for each key",
        ),
        (
            "framework:\n  exec:\n    command: sleep 8",
            "NV004 spec.framework.exec.command 7:16 a list is wanted here, but this is the string `sleep 8` \
             | write it as a list, one element for each word: `command: [\"sleep\", \"8\"]`",
        ),
        (
            "config:\n- inline",
            "NV004 spec.config 5:3 a mapping is wanted here, but this is a list \
             | write it as a mapping: `key: value` on each line, without the leading `-`",
        ),
        (
            "checkpoint: 500Gi",
            "NV004 spec.checkpoint 5:15 a mapping is wanted here, but this is the string `500Gi` \
             | write it as a mapping: `key: value` on lines of their own, indented below this field",
        ),
        (
            "nicResourceName: [rdma/ib]",
            "NV004 spec.nicResourceName 5:3 a string is wanted here, but this is a list \
             | write the value alone, without `-` or brackets",
        ),
        (
            "volumes: 3",
            "NV004 spec.volumes 5:12 a list is wanted here, but this is a number \
             | write it as a list: one line with a leading `- ` for each element",
        ),
    ] {
        assert_eq!(only(spec), wanted);
    }
}

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
            "NV006 spec.volumes[0].name 6:5 spec.volumes[0] has no `name`, which is required | add `name`: a string",
        ),
        (
            "initContainers:\n- image: a\n  name:",
            "NV006 spec.initContainers[0].name 6:5 spec.initContainers[0] has no `name`, which is required \
             | add `name`: a string",
        ),
        (
            "framework:\n  mpi: {binary: a}",
            "NV006 spec.framework.mpi.mpirunPath 6:5 spec.framework.mpi has no `mpirunPath`, which is required \
             | add `mpirunPath`: a string",
        ),
        (
            "overrides:\n- mpiArgs: [a]",
            "NV006 spec.overrides[0].when 6:5 spec.overrides[0] has no `when`, which is required | add `when`: a mapping",
        ),
    ] {
        assert_eq!(only(spec), wanted);
    }
    let read =
        decode_run(&source("apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {name: r}\n"), false);
    assert_eq!(
        told(&read.diagnostics),
        ["NV006 spec 1:1 a WorkloadRun has no `spec`, which is required | add `spec`: a mapping"]
    );
    assert_eq!(read.value.metadata.name, "r");
}

#[test]
fn null_is_absent_in_a_mapping_and_wrong_in_a_list_or_map() {
    let read = run("env: ~\ntarget:\nconfig: null");
    assert_eq!(read.diagnostics, []);
    assert_eq!((read.value.spec.env.len(), read.value.spec.target), (0, None));
    assert_eq!(
        only("framework:\n  exec:\n    command:\n    - a\n    -"),
        "NV004 spec.framework.exec.command[1] 9:8 this element of the list is empty (null), but a string is wanted \
         | remove the element, or write \"\" for an empty string"
    );
    assert_eq!(
        only("target:\n  nodeSelector:\n    gpu:"),
        "NV004 spec.target.nodeSelector.gpu 7:7 `gpu` has no value (null), but a string is wanted \
         | remove the key, or write \"\" for an empty string"
    );
}

#[test]
fn grammars_of_quantities_and_durations() {
    assert_eq!(
        only("resources:\n  limits: {memory: 64GB}"),
        "NV012 spec.resources.limits.memory 6:22 \"64GB\" is not a quantity \
         | write a number, with a suffix if need be, for example 8, 500m, 1.5 or 64Gi"
    );
    assert_eq!(
        run("resources:\n  limits: {memory: 64Gi, cpu: 1.5, nvidia.com/gpu: 8, a: \"8\", b: 1e3}").diagnostics,
        []
    );
    let told = only("goodputMeasurement: {logProfileRef: a, sampleInterval: 1d}");
    assert!(
        told.starts_with("NV012 spec.goodputMeasurement.sampleInterval 5:58 \"1d\" is not a duration | write "),
        "{told}"
    );
    assert!(only("goodputMeasurement: {logProfileRef: a, sampleInterval: 60}").contains("as a number"));
    let probe = "initContainers:\n- name: a\n  readinessProbe:\n    httpGet: {port: ";
    for (port, findings) in [("http", 0), ("80", 0), ("\"80\"", 0), ("true", 1), ("80.5", 1)] {
        assert_eq!(run(&format!("{probe}{port}}}")).diagnostics.len(), findings, "{port}");
    }
}

#[test]
fn everything_is_found_at_once_and_once() {
    let read = run(
        "nodes: 3\nnumNodes: \"4\"\nenv:\n- name: A\n  value: 8\n- value: b\n- {name: C, valu: d}\nvolumes:\n\
         - hostpath: {path: /a}\n  emptyDir: {sizeLimit: 64GB, sizelimit: 1}\noverrides:\n- jobTemplate: {spec: {x: 1}}",
    );
    let codes: Vec<String> =
        read.diagnostics.iter().map(|d| format!("{} {}", d.code, d.path.as_ref().unwrap())).collect();
    assert_eq!(
        codes,
        [
            "NV005 spec.nodes",
            "NV004 spec.numNodes",
            "NV004 spec.env[0].value",
            "NV006 spec.env[1].name",
            "NV005 spec.env[2].valu",
            "NV005 spec.volumes[0].hostpath",
            "NV006 spec.volumes[0].name",
            "NV012 spec.volumes[0].emptyDir.sizeLimit",
            "NV005 spec.volumes[0].emptyDir.sizelimit",
            "NV006 spec.overrides[0].when",
            "NV005 spec.overrides[0].jobTemplate.spec.x",
        ]
    );
    assert!(
        read.diagnostics.iter().all(|d| d.span.is_some() && d.help.is_some() && d.file.as_deref() == Some("run.yaml"))
    );
    // What is sound is there, at its own index.
    assert_eq!(read.value.spec.env.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["A", "", "C"]);
}

#[test]
fn patches_take_null_and_directives_and_lack_required_fields() {
    let read = run(
        "overrides:\n- when: {}\n  jobTemplate:\n    spec:\n      workload:\n        trainJob:\n          trainer:\n\
         \x20           env: null\n            numNodes: 2\n            $patch: replace\n          runtimePatches:\n\
         \x20         - trainingRuntimeSpec: {}\n  dependencies:\n  - apiVersion: trainer.kubeflow.org/v1alpha1\n    \
         kind: TrainingRuntime\n    metadata: {name: r-runtime}\n    when: {x: y}\n    spec: {template: {spec: \
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
    assert_eq!(runtime.get("when"), Some(&json!({ "x": "y" })));
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
            "\"inOrder\" is not one of the allowed values | did you mean InOrder? Allowed: AnyOrder, InOrder"
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
fn what_a_server_sets_is_accepted() {
    let text = "apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata:
  name: r
  uid: 0c4b
  resourceVersion: \"7\"
  generation: 1
  creationTimestamp: \"2026-01-01T00:00:00Z\"
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}
  managedFields:
  - manager: kubectl
    fieldsV1: {'f:spec': {'f:image': {}}}
spec:
  image: i
  numNodes: 1
  framework: {exec: {command: [a]}}
status:
  conditions: [{type: Failed, status: True}]
  anything: [1]
";
    let read = decode_run(&source(text), false);
    assert_eq!(told(&read.diagnostics), [""; 0]);
    assert_eq!(read.value.spec.image, "i");
}

#[test]
fn kind_and_api_version() {
    let spec = "spec: {image: i, numNodes: 1, framework: {exec: {command: [a]}}}\n";
    for (head, wanted) in [
        ("apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\n", vec![]),
        (
            "kind: WorkloadRun\n",
            vec![
                "NV006 apiVersion 1:1 the document has no `apiVersion`, without which kubectl and the API server refuse it \
                  | add `apiVersion: nvcre.nvidia.com/v1alpha1`",
            ],
        ),
        (
            "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: \"\"\n",
            vec![
                "NV006 kind 1:1 the document has no `kind`, without which kubectl and the API server refuse it \
                  | add `kind: WorkloadRun`",
            ],
        ),
        (
            "apiVersion: cre.nvidia.com/v1alpha1\nkind: WorkloadRun\n",
            vec![
                "NV011 apiVersion 1:13 `cre.nvidia.com/v1alpha1` is the API group of releases before its rename to \
                  `nvcre.nvidia.com`; `nvcre.nvidia.com/v1alpha1` is wanted | write `apiVersion: nvcre.nvidia.com/v1alpha1`",
            ],
        ),
        (
            "apiVersion: nvcre.nvidia.com/v1\nkind: WorkloadRun\n",
            vec![
                "NV011 apiVersion 1:13 version `nvcre.nvidia.com/v1` of the API is not known; `nvcre.nvidia.com/v1alpha1` \
                  is wanted | write `apiVersion: nvcre.nvidia.com/v1alpha1`",
            ],
        ),
        (
            "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: Workloadrun\n",
            vec![
                "NV007 kind 2:7 this is a Workloadrun, but a WorkloadRun is wanted | did you mean `kind: WorkloadRun`?",
            ],
        ),
        (
            "apiVersion: v1\nkind: Pod\n",
            vec![
                "NV007 kind 2:7 this is a Pod, but a WorkloadRun is wanted \
                  | give a file that holds a WorkloadRun (`kind: WorkloadRun`)",
            ],
        ),
    ] {
        assert_eq!(told(&decode_run(&source(&format!("{head}{spec}")), false).diagnostics), wanted, "{head}");
    }
    let lenient = decode_run(&source(spec), true);
    assert_eq!(lenient.diagnostics.len(), 2);
    assert!(lenient.diagnostics.iter().all(|d| d.severity == Severity::Warning));
    let list = decode_run(&source("[1, 2]\n"), false);
    assert_eq!(
        told(&list.diagnostics)[0].split(" | ").next(),
        Some("NV004  1:1 a mapping is wanted here, but this is a list")
    );
}

#[test]
fn rules_do_not_repeat_what_reading_found() {
    let read = run("numNodes: x\nframework:\n  mpii: {}");
    let rule = |path: &str| Diagnostic::at(Code::MissingField, path, "a rule");
    let rules = vec![rule("spec.numNodes"), rule("spec.framework"), rule("spec.env"), rule("spec.image"), rule("spec")];
    let kept = without_repeats(&read.diagnostics, rules);
    let paths: Vec<String> = kept.iter().map(|d| d.path.as_ref().unwrap().to_string()).collect();
    assert_eq!(paths, ["spec.env", "spec.image"]);
    assert_eq!(without_repeats(&[], vec![rule("spec.image")]).len(), 1);
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

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-z0-9]{0,6}".prop_map(Value::from),
        ];
        let names: Vec<&'static str> =
            Table::get().structs().iter().flat_map(|s| s.fields.iter().map(|f| f.name)).collect();
        leaf.prop_recursive(8, 96, 8, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::btree_map(prop::sample::select(names.clone()), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
            ]
        })
    }

    proptest! {
        /// Whatever comes in, serde accepts what is left, and what is left has nothing more to find.
        #[test]
        fn what_is_left_is_sound(spec in json(), lenient: bool) {
            let value = json!({ "apiVersion": "a", "kind": "b", "metadata": {}, "spec": spec });
            let mut findings = Vec::new();
            let mode = Mode { lenient, partial: false };
            let left = check_value("WorkloadRun", &value, &FieldPath::root(), mode, &mut findings);
            serde_json::from_value::<WorkloadRun>(left.clone()).unwrap();
            let mut places: Vec<_> = findings.iter().map(|d| (d.code, d.path.clone())).collect();
            places.sort();
            let all = places.len();
            places.dedup();
            prop_assert_eq!(all, places.len(), "the same thing twice");
        }
    }
}
