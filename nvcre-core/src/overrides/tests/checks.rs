//! What is found without a platform.

use super::*;

const KNOWN: Known<'static> =
    Known { platforms: &["aws", "gcp", "onprem"], architectures: &["h100", "gb200", "gb300"], mpi: true };

fn found(value: Value, known: &Known<'_>) -> Vec<Diagnostic> {
    check_overrides(&[spec(value)], &"spec.overrides".into(), known)
}

fn with_patch(mut value: Value) -> Value {
    value["jobTemplate"] = json!({"spec": {}});
    value
}

#[test]
fn conditions() {
    for (when, code, at) in [
        (json!({"platform": {"equals": "asw"}}), Code::ConditionPlatform, "platform.equals"),
        (json!({"platform": {"in": ["aws", "AWS"]}}), Code::ConditionPlatform, "platform.in[1]"),
        (json!({"platform": {"notIn": ["nowhere"]}}), Code::ConditionPlatform, "platform.notIn[0]"),
        (json!({"gpuArchitecture": {"equals": "gb-300"}}), Code::ConditionArchitecture, "gpuArchitecture.equals"),
        (json!({"topology": {"mode": "multi-rack"}}), Code::ConditionNeverHolds, "topology.mode"),
        (json!({"workloadKind": "PyTorchJob"}), Code::ConditionNeverHolds, "workloadKind"),
        (json!({"config": {"a": 1}}), Code::ConfigCondition, "config"),
    ] {
        let findings = found(with_patch(json!({ "when": when })), &KNOWN);
        assert_eq!(codes(&findings), [(code, format!("spec.overrides[0].when.{at}"))], "{when}");
        assert_eq!(findings[0].severity, crate::Severity::Warning);
    }
    for when in [
        json!({}),
        json!({"platform": {"in": ["aws"]}, "gpuArchitecture": {"notIn": ["unknown", "h100"]}, "workloadKind": "TrainJob"}),
        json!({"topology": {"mode": "simple", "domainCount": {"equals": 0}}}),
    ] {
        assert_eq!(found(with_patch(json!({ "when": when })), &KNOWN), [], "{when}");
    }
    let help = |name: &str| {
        found(with_patch(json!({"when": {"platform": {"equals": name}}})), &KNOWN)[0].help.clone().unwrap()
    };
    assert!(help("AWS").contains("`aws`") && help("on-prem").contains("`onprem`"));
    assert!(help("mars").contains("known are aws, gcp, onprem"));
    // Without names nothing is said about them.
    assert_eq!(found(with_patch(json!({"when": {"platform": {"equals": "mars"}}})), &Known::default()), []);
}

#[cfg(feature = "cel")]
#[test]
fn expressions_are_compiled_although_nothing_matches() {
    let value = with_patch(json!({"when": {"platform": {"equals": "gcp"}, "expression": "domainCount == 'x'"}}));
    let findings = found(value.clone(), &KNOWN);
    assert_eq!(codes(&findings), [(Code::OverrideExpression, "spec.overrides[0].when.expression".into())]);
    // The application finds the same and says it once.
    let mut layers = users(&[value]);
    layers[0].spec.when.platform = None;
    let mut all = findings.clone();
    match_layers(&layers, &aws(), &mut all);
    assert_eq!(all, findings);
}

#[test]
fn parts() {
    let env = |list: Value| json!({"jobTemplate": patch(json!({ "env": list }))});
    let env_at = |at: &str| format!("jobTemplate.spec.workload.trainJob.trainer.env{at}");
    let dependency = |extra: Value| {
        let mut object = json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "n"}});
        object.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        json!({ "dependencies": [object] })
    };
    for (value, code, at) in [
        (json!({"jobTemplate": "spec: {}"}), Code::OverrideShape, "jobTemplate".to_owned()),
        (json!({"jobTemplate": {"spec": {"$x": 1}}}), Code::PatchDirective, "jobTemplate.spec.$x".to_owned()),
        (json!({"jobTemplatePatch": "[]"}), Code::OverrideShape, "jobTemplatePatch".to_owned()),
        (
            json!({"jobTemplatePatch": [{"op": "add", "path": "x", "value": 1}]}),
            Code::JsonPatchOperation,
            "jobTemplatePatch[0].path".to_owned(),
        ),
        (dependency(json!({"when": {}})), Code::DependencyCondition, "dependencies[0].when".to_owned()),
        (dependency(json!({"kind": ""})), Code::DependencyIdentity, "dependencies[0].kind".to_owned()),
        (
            dependency(json!({"metadata": {"generateName": "x"}})),
            Code::DependencyIdentity,
            "dependencies[0].metadata.name".to_owned(),
        ),
        (
            dependency(json!({"spec": {"args": ["a", null]}})),
            Code::NullElement,
            "dependencies[0].spec.args[1]".to_owned(),
        ),
        (json!({"dependencies": [3]}), Code::OverrideShape, "dependencies[0]".to_owned()),
        (env(json!([{"name": "A"}, {"name": "PET_NNODES"}])), Code::ReservedTrainerEnv, env_at("[1].name")),
        (env(json!([{"name": "A"}, {"name": "B"}, {"name": "A"}])), Code::DuplicateTrainerEnv, env_at("[2].name")),
        (json!({"orchestration": {"iterations": 0}}), Code::BelowMinimum, "orchestration.iterations".to_owned()),
        (json!({"orchestration": {"placement": "pinned"}}), Code::NotAllowed, "orchestration.placement".to_owned()),
        (
            json!({"orchestration": {"execution": {"maxConcurrent": -1}}}),
            Code::BelowMinimum,
            "orchestration.execution.maxConcurrent".to_owned(),
        ),
        (
            json!({"orchestration": {"execution": {"retryFailedGroups": -1}}}),
            Code::BelowMinimum,
            "orchestration.execution.retryFailedGroups".to_owned(),
        ),
        (
            json!({"orchestration": {"execution": {"timeoutPerJob": "0s"}}}),
            Code::BadDuration,
            "orchestration.execution.timeoutPerJob".to_owned(),
        ),
        (
            json!({"orchestration": {"execution": {"timeoutPerJob": "-1h"}}}),
            Code::BadDuration,
            "orchestration.execution.timeoutPerJob".to_owned(),
        ),
    ] {
        assert_eq!(codes(&found(value.clone(), &KNOWN)), [(code, format!("spec.overrides[0].{at}"))], "{value}");
    }
    let args = json!({"mpiArgs": ["-x", "A=1"]});
    assert_eq!(found(args.clone(), &KNOWN), []);
    let findings = found(args, &Known { mpi: false, ..KNOWN });
    assert_eq!(codes(&findings), [(Code::MpiArgsWithoutMpi, "spec.overrides[0].mpiArgs".into())]);
    assert_eq!(codes(&found(json!({"when": {}}), &KNOWN)), [(Code::OverrideEmpty, "spec.overrides[0]".into())]);
    assert!(
        serde_json::from_value::<OverrideSpec>(json!({"orchestration": {"execution": {"timeoutPerJob": "soon"}}}))
            .is_err()
    );
}

#[test]
fn names_that_a_json_patch_brings_into_trainer_env() {
    let add =
        |name: &str| json!({"op": "add", "path": "/spec/workload/trainJob/trainer/env/-", "value": {"name": name}});
    let start = base(json!({"env": [{"name": "A"}]}));
    let out = run(start, &users(&[json!({"jobTemplatePatch": [add("B"), add("A"), add("PET_NODE_RANK")]})]));
    assert_eq!(
        out.codes(),
        [
            (Code::DuplicateTrainerEnv, "spec.overrides[0].jobTemplatePatch".into()),
            (Code::ReservedTrainerEnv, "spec.overrides[0].jobTemplatePatch".into()),
        ]
    );
    let start = base(json!({"env": [{"name": "A"}]}));
    let out = run(start, &users(&[json!({"jobTemplatePatch": [add("PET_NODE_RANK")]})]));
    assert_eq!(out.codes(), [(Code::ReservedTrainerEnv, "spec.overrides[0].jobTemplatePatch[0]".into())]);
}

#[test]
fn all_overrides_are_checked() {
    let specs: Vec<OverrideSpec> =
        [json!({"jobTemplate": 1}), json!({"jobTemplatePatch": 1}), json!({"dependencies": [{}]})].map(spec).into();
    assert_eq!(check_overrides(&specs, &"spec.overrides".into(), &KNOWN).len(), 5);
}
