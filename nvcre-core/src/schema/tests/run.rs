//! Whole runs.

use super::*;

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
                "NV007 kind 2:7 the kind is `Workloadrun`, but a WorkloadRun is wanted | did you mean `kind: WorkloadRun`?",
            ],
        ),
        (
            "apiVersion: v1\nkind: Pod\n",
            vec![
                "NV007 kind 2:7 the kind is `Pod`, but a WorkloadRun is wanted \
                  | name a file that holds a WorkloadRun (`kind: WorkloadRun`)",
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
        Some("NV004  1:1 a WorkloadRun is a mapping, but the document is a list")
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
fn rules_are_silent_about_a_document_that_is_something_else() {
    let read = decode_run(&source("apiVersion: v1\nkind: Pod\nspec: {}\n"), false);
    let rule = Diagnostic::at(Code::MissingField, "spec.image", "a rule");
    assert_eq!(without_repeats(&read.diagnostics, vec![rule]), []);
}
