//! 04 §3, §6, §10 and the items of §13 that need the whole walk.

use super::*;
use crate::api::{ExecutionSpec, TopologySpec};
use crate::check::GoDuration;

fn env(names: &[(&str, &str)]) -> Value {
    json!({"env": names.iter().map(|(n, v)| json!({"name": n, "value": v})).collect::<Vec<_>>()})
}

#[test]
fn item_1_the_second_list_alone_remains() {
    let out = run(
        base(env(&[("Z", "0")])),
        &users(&[
            json!({"jobTemplate": patch(env(&[("A", "1"), ("B", "2")]))}),
            json!({"jobTemplate": patch(env(&[("C", "3")]))}),
        ]),
    );
    assert_eq!(out.trainer(), &env(&[("C", "3")]));
}

#[test]
fn item_2_the_json_patch_sees_the_merged_template() {
    let out = run(
        base(json!({})),
        &users(&[json!({
            "jobTemplate": patch(env(&[("A", "1")])),
            "jobTemplatePatch": [{"op": "add", "path": "/spec/workload/trainJob/trainer/env/-", "value": {"name": "B"}}]
        })]),
    );
    assert_eq!(out.trainer()["env"], json!([{"name": "A", "value": "1"}, {"name": "B"}]));
}

#[test]
fn item_3_a_failing_test_is_an_error_and_the_other_overrides_are_still_checked() {
    let out = run(
        base(json!({"image": "a"})),
        &users(&[
            json!({"jobTemplatePatch": [
                {"op": "add", "path": "/spec/workload/trainJob/trainer/numNodes", "value": 4},
                {"op": "test", "path": "/spec/workload/trainJob/trainer/image", "value": "b"}
            ]}),
            json!({"when": {"expression": "topology"}}),
            json!({"jobTemplate": 3, "orchestration": {"iterations": 0}, "dependencies": [{}]}),
            json!({"jobTemplate": patch(json!({"numNodes": 2}))}),
        ]),
    );
    assert_eq!(
        out.codes(),
        [
            (BROKEN, "spec.overrides[1].when.expression".into()),
            (Code::JsonPatchTest, "spec.overrides[0].jobTemplatePatch[1].value".into()),
            (Code::OverrideShape, "spec.overrides[2].jobTemplate".into()),
            (Code::DependencyIdentity, "spec.overrides[2].dependencies[0].apiVersion".into()),
            (Code::DependencyIdentity, "spec.overrides[2].dependencies[0].kind".into()),
            (Code::DependencyIdentity, "spec.overrides[2].dependencies[0].metadata.name".into()),
            (Code::BelowMinimum, "spec.overrides[2].orchestration.iterations".into()),
        ]
    );
    assert_eq!(out.trainer(), &json!({"image": "a", "numNodes": 2}));
    assert_eq!(out.outcomes.iter().map(|o| o.matched).collect::<Vec<_>>(), [true, false, true, true]);
}

#[test]
fn item_4_null_deletes() {
    let runtime = |spec: Value| json!({"apiVersion": "v1", "kind": "R", "metadata": {"name": "r"}, "spec": spec});
    let base = Base {
        dependencies: vec![runtime(json!({"a": {"b": 1, "c": 2}}))],
        ..base(json!({"command": ["x"], "image": "i"}))
    };
    let out = run(
        base,
        &users(&[json!({
            "jobTemplate": patch(json!({"command": null, "args": null})),
            "dependencies": [runtime(json!({"a": {"b": null}}))]
        })]),
    );
    assert_eq!(out.trainer(), &json!({"image": "i"}));
    assert_eq!(out.base.dependencies, [runtime(json!({"a": {"c": 2}}))]);
    assert_eq!(
        out.changed(),
        [
            ("spec.jobTemplate.spec.workload.trainJob.trainer.command".into(), json!(["x"]), json!("<absent>")),
            ("spec.dependencies[name=R/r].spec.a.b".into(), json!(1), json!("<absent>")),
        ]
    );
}

#[test]
fn item_6_an_appended_object_is_merged_into_later() {
    let object = |spec: Value| json!({"apiVersion": "v1", "kind": "C", "metadata": {"name": "c"}, "spec": spec});
    let layers = [
        entry(0, json!({"dependencies": [object(json!({"a": 1, "n": null}))]})),
        Layer::user(1, 0, spec(json!({"dependencies": [object(json!({"b": 2})), object(json!({"c": 3}))]}))),
    ];
    let out = run(base(json!({})), &layers);
    assert_eq!(out.base.dependencies, [object(json!({"a": 1, "b": 2, "c": 3}))]);
    let origins: Vec<&Origin> = out.changes.iter().map(|c| &c.origin).collect();
    assert!(origins.contains(&&layers[0].origin) && origins.contains(&&user_origin(0)));
}

fn topology(key: Option<&str>, strict: Option<bool>) -> Option<TopologySpec> {
    Some(TopologySpec { topology_key: key.map(str::to_owned), strict_domain: strict })
}

#[test]
fn item_8_orchestration_is_replaced_whole() {
    let mut start = base(json!({}));
    start.orchestration.topology = topology(Some("old"), Some(true));
    start.orchestration.execution =
        ExecutionSpec { timeout_per_job: Some(GoDuration::hours(24)), ..ExecutionSpec::default() };
    let out = run(
        start.clone(),
        &users(&[json!({"orchestration": {
            "topology": {"topologyKey": "new"}, "execution": {"maxConcurrent": 2}, "placement": "Unpinned",
            "target": {"nodeNames": ["n"]}
        }})]),
    );
    let o = &out.base.orchestration;
    assert_eq!(o.topology, topology(Some("new"), None));
    assert_eq!(o.execution, ExecutionSpec { max_concurrent: 2, ..ExecutionSpec::default() });
    assert_eq!((o.iterations, o.placement.as_str()), (1, "Unpinned"));
    assert_eq!(o.target.as_ref().unwrap().node_names, ["n"]);
    assert_eq!(
        out.changed(),
        [
            ("spec.orchestration.target.nodeNames".into(), json!("<absent>"), json!(["n"])),
            ("spec.orchestration.topology.strictDomain".into(), json!(true), json!("<absent>")),
            ("spec.orchestration.topology.topologyKey".into(), json!("old"), json!("new")),
            ("spec.orchestration.execution.timeoutPerJob".into(), json!("24h0m0s"), json!("<absent>")),
            ("spec.orchestration.execution.maxConcurrent".into(), json!("<absent>"), json!(2)),
            ("spec.orchestration.placement".into(), json!(""), json!("Unpinned")),
        ]
    );

    let out = run(start.clone(), &users(&[json!({"orchestration": {"iterations": 3}})]));
    assert_eq!(out.base.orchestration, OrchestrationSpec { iterations: 3, ..start.orchestration });
}

#[test]
fn strictness_survives_an_entry_but_not_a_user_override() {
    let key = json!({"orchestration": {"topology": {"topologyKey": "rack"}}});
    let strict = |own_topology_key| {
        let mut base = base(json!({}));
        base.orchestration.topology = topology(None, Some(true));
        base.own_topology_key = own_topology_key;
        base
    };
    let user = Layer::user(1, 0, spec(json!({"orchestration": {"topology": {"topologyKey": "mine"}}})));
    // D3
    assert_eq!(
        run(strict(false), &[entry(0, key.clone())]).base.orchestration.topology,
        topology(Some("rack"), Some(true))
    );
    let explicit = json!({"orchestration": {"topology": {"topologyKey": "rack", "strictDomain": false}}});
    assert_eq!(
        run(strict(false), &[entry(0, explicit)]).base.orchestration.topology,
        topology(Some("rack"), Some(false))
    );
    assert_eq!(
        run(strict(false), &users(std::slice::from_ref(&key))).base.orchestration.topology,
        topology(Some("rack"), None)
    );
    // D4: the run's own key wins over the entry; D63: a user override wins over both.
    let mut own = strict(true);
    own.orchestration.topology = topology(Some("own"), None);
    let out = run(own.clone(), &[entry(0, key.clone())]);
    assert_eq!(out.base.orchestration.topology, topology(Some("own"), None));
    assert!(out.outcomes[0].no_op);
    let out = run(own, &[entry(0, key.clone()), user]);
    assert_eq!(out.base.orchestration.topology, topology(Some("mine"), None));
    assert_eq!(out.changed(), [("spec.orchestration.topology.topologyKey".into(), json!("own"), json!("mine"))]);

    // D39: the same, written into the entry itself.
    let mut fitted = spec(key.clone());
    fit_topology(&mut fitted, false, Some(true));
    assert_eq!(fitted.orchestration.unwrap().topology, topology(Some("rack"), Some(true)));
    let mut fitted = spec(key);
    fit_topology(&mut fitted, true, None);
    assert_eq!(fitted.orchestration, None);
}

#[test]
fn item_9_no_match_leaves_everything() {
    let start = base(env(&[("A", "1")]));
    let out = run(
        start.clone(),
        &users(&[json!({"when": {"platform": {"equals": "gcp"}}, "jobTemplate": patch(json!({"image": "x"}))})]),
    );
    assert_eq!(out.base, start);
    assert_eq!((out.changes.len(), out.findings.len()), (0, 0));
    let outcome = &out.outcomes[0];
    assert!(!outcome.matched && !outcome.no_op);
    let failed = outcome.failed.as_ref().unwrap();
    assert_eq!(
        (failed.field.to_string().as_str(), failed.wanted.as_str(), failed.found.as_str()),
        ("platform", "gcp", "aws")
    );
}

#[test]
fn item_11_the_user_has_the_last_word() {
    let layers = [
        entry(0, json!({"jobTemplate": patch(json!({"image": "platform"}))})),
        Layer::user(1, 0, spec(json!({"jobTemplate": patch(json!({"image": "user"}))}))),
    ];
    let out = run(base(json!({"image": "base"})), &layers);
    assert_eq!(out.trainer()["image"], "user");
    let at = "spec.jobTemplate.spec.workload.trainJob.trainer.image";
    assert_eq!(
        out.changed(),
        [(at.into(), json!("base"), json!("platform")), (at.into(), json!("platform"), json!("user"))]
    );
    assert_eq!(out.changes[0].origin, Origin::Entry { id: "E0".into(), name: "entry-0".into() });
    assert_eq!(out.changes[1].origin, user_origin(0));
}

#[test]
fn item_15_tracking() {
    let same = json!({"jobTemplate": patch(json!({"image": "i"}))});
    let layers = [
        entry(0, same.clone()),
        entry(1, json!({"when": {"platform": {"equals": "aws"}}, "mpiArgs": ["-x", "A=1"]})),
        entry(2, json!({"when": {"platform": {"equals": "gcp"}}})),
        Layer::user(3, 0, spec(same)),
        Layer::user(
            4,
            1,
            spec(json!({"jobTemplate": {"spec": {"workloadMetadata": {"labels": {"a": "b"}}}},
            "dependencies": [{"apiVersion": "v1", "kind": "K", "metadata": {"name": "n"}}]})),
        ),
    ];
    let out = run(base(json!({"image": "i"})), &layers);
    let lines: Vec<(usize, &str, &str, bool, bool)> =
        out.outcomes.iter().map(|o| (o.index, o.when.as_str(), o.patches.as_str(), o.matched, o.no_op)).collect();
    assert_eq!(
        lines,
        [
            (0, "<always>", "jobTemplate", true, true),
            (1, "platform=aws", "mpiArgs", true, false),
            (2, "platform=gcp", "none", false, false),
            (3, "<always>", "jobTemplate", true, true),
            (4, "<always>", "jobTemplate, 1 dependencies", true, false),
        ]
    );
    // The annotation of 01 §2.13 holds the matching ones.
    assert_eq!(
        applied_overrides(&out.outcomes[1..3]).unwrap(),
        r#"[{"index":1,"when":"platform=aws","patches":"mpiArgs"}]"#
    );
    assert_eq!(
        applied_overrides(&out.outcomes[..1]).unwrap(),
        r#"[{"index":0,"when":"<always>","patches":"jobTemplate","noOp":true}]"#
    );
    assert_eq!(applied_overrides(&out.outcomes[2..3]), None);
    // Only the user hears of an override that does nothing.
    assert_eq!(out.codes(), [(Code::OverrideNoOp, "spec.overrides[0]".into())]);
}

#[test]
fn findings_about_entries_name_them() {
    let out = run(base(json!({})), &[entry(7, json!({"jobTemplatePatch": [{"op": "remove", "path": "/nothing"}]}))]);
    assert!(out.findings[0].message.starts_with("catalogue entry E7 entry-7: "), "{}", out.findings[0].message);
}

#[test]
fn the_context_is_that_of_the_base() {
    let mut start = base(json!({}));
    assert_eq!(Context::of(&start, "aws", "gb300", 0), aws());
    start.orchestration.topology = Some(TopologySpec::default());
    start.job_template = json!({"spec": {"workload": {}}});
    let context = Context::of(&start, "aws", "gb300", 2);
    assert_eq!(
        (context.workload_kind.as_str(), context.topology_mode.as_str(), context.domain_count),
        ("", "topology", 2)
    );
    // A topology that an override sets does not change it for the next.
    let out = run(
        base(json!({})),
        &users(&[
            json!({"orchestration": {"topology": {"topologyKey": "k"}}}),
            json!({"when": {"topology": {"mode": "topology"}}, "jobTemplate": patch(json!({"image": "x"}))}),
        ]),
    );
    assert!(!out.outcomes[1].matched);
}
