//! 04 §2 and the summaries of §10.

use super::*;

fn failed(when: Value, context: &Context) -> Option<(String, String, String)> {
    let when = serde_json::from_value(when).unwrap();
    match matches(&when, context, &"when".into()).unwrap() {
        Match::Holds => None,
        Match::Fails(f) => Some((f.field.to_string(), f.wanted, f.found)),
        Match::Broken => panic!("broken"),
    }
}

#[test]
fn every_row_of_the_matchers() {
    let c = Context { domain_count: 3, topology_mode: "topology".into(), ..aws() };
    let holds = [
        json!({}),
        json!({"platform": {}}),
        json!({"platform": {"equals": ""}, "gpuArchitecture": {"in": [], "notIn": []}}),
        json!({"platform": {"equals": "aws"}}),
        json!({"platform": {"in": ["gcp", "aws"]}}),
        json!({"platform": {"notIn": ["gcp"]}}),
        json!({"platform": {"equals": "aws", "in": ["aws"], "notIn": ["gcp"]}}),
        json!({"gpuArchitecture": {"in": ["gb200", "gb300"]}, "platform": {"equals": "aws"}}),
        json!({"workloadKind": "TrainJob"}),
        json!({"workloadKind": ""}),
        json!({"topology": {"mode": "topology"}}),
        json!({"topology": {}}),
        json!({"topology": {"domainCount": {"equals": 3, "greaterThan": 2, "lessThan": 4}}}),
        json!({"topology": {"domainCount": {}}}),
    ];
    for when in holds {
        assert_eq!(failed(when.clone(), &c), None, "{when}");
    }
    for (when, field, wanted, found) in [
        (json!({"platform": {"equals": "AWS"}}), "platform", "AWS", "aws"),
        (json!({"platform": {"equals": "aws "}}), "platform", "aws ", "aws"),
        (json!({"platform": {"equals": "a*"}}), "platform", "a*", "aws"),
        (json!({"platform": {"in": ["gcp", "oci"]}}), "platform", "in [gcp,oci]", "aws"),
        (json!({"platform": {"equals": "aws", "notIn": ["aws"]}}), "platform", "notIn [aws]", "aws"),
        (json!({"platform": {"equals": "aws", "in": ["gcp"]}}), "platform", "in [gcp]", "aws"),
        (json!({"gpuArchitecture": {"equals": "h100"}}), "gpuArchitecture", "h100", "gb300"),
        (json!({"workloadKind": "PyTorchJob"}), "workloadKind", "PyTorchJob", "TrainJob"),
        (json!({"topology": {"mode": "simple"}}), "topology.mode", "simple", "topology"),
        (json!({"topology": {"domainCount": {"equals": 0}}}), "topology.domainCount", "=0", "3"),
        (json!({"topology": {"domainCount": {"greaterThan": 3}}}), "topology.domainCount", ">3", "3"),
        (json!({"topology": {"domainCount": {"greaterThan": 1, "lessThan": 3}}}), "topology.domainCount", ">1,<3", "3"),
        (json!({"config": {}}), "config", "<custom>", "no validation config"),
        // The order of evaluation decides which one is named.
        (json!({"gpuArchitecture": {"equals": "x"}, "platform": {"equals": "y"}}), "platform", "y", "aws"),
        (json!({"config": {}, "topology": {"mode": "simple"}}), "topology.mode", "simple", "topology"),
    ] {
        assert_eq!(failed(when.clone(), &c), Some((field.into(), wanted.into(), found.into())), "{when}");
    }
}

#[test]
fn an_undetected_platform_is_in_no_list() {
    let c = Context { platform: String::new(), ..aws() };
    assert_eq!(failed(json!({"platform": {"notIn": ["aws"]}}), &c), None);
    assert!(failed(json!({"platform": {"equals": "aws"}}), &c).is_some());
    assert!(failed(json!({"platform": {"in": ["aws"]}}), &c).is_some());
}

#[test]
fn a_broken_expression_shows_only_when_the_rest_matches() {
    let when = |platform: &str| {
        serde_json::from_value(json!({"platform": {"equals": platform}, "expression": "nonsense"})).unwrap()
    };
    assert!(matches!(matches(&when("gcp"), &aws(), &"when".into()), Ok(Match::Fails(_))));
    let finding = matches(&when("aws"), &aws(), &"spec.overrides[2].when".into()).unwrap_err();
    assert_eq!(finding.path.unwrap().to_string(), "spec.overrides[2].when.expression");
}

#[test]
fn summaries() {
    for (when, text) in [
        (json!({}), "<always>"),
        (
            json!({"platform": {"equals": "aws"}, "gpuArchitecture": {"equals": "h100"}}),
            "gpuArchitecture=h100, platform=aws",
        ),
        (
            json!({"platform": {"equals": "onprem"}, "gpuArchitecture": {"in": ["gb200", "gb300"]}}),
            "gpuArchitecture=in [gb200,gb300], platform=onprem",
        ),
        (json!({"platform": {"notIn": ["aws", "gcp"]}}), "platform=notIn [aws,gcp]"),
        (json!({"platform": {}}), "platform=<any>"),
        (json!({"platform": {"equals": "aws", "in": ["gcp"]}}), "platform=aws"),
        (
            json!({"workloadKind": "TrainJob", "topology": {"mode": "simple", "domainCount": {"equals": 1, "greaterThan": 0, "lessThan": 9}}}),
            "workloadKind=TrainJob, topology.mode=simple, topology.domainCount==1,>0,<9",
        ),
        (json!({"config": {"a": 1}, "expression": "domainCount > 1"}), "config=<custom>, expression=domainCount > 1"),
        (
            json!({"expression": "platform == 'aws' && domainCount > 100"}),
            "expression=platform == 'aws' && domainCount > 100",
        ),
        (
            json!({"expression": "platform == 'aws' && domainCount > 1000 "}),
            "expression=platform == 'aws' && domainCount > 1000 ",
        ),
        (
            json!({"expression": "platform == 'aws' && domainCount > 100000"}),
            "expression=platform == 'aws' && domainCount > 10...",
        ),
    ] {
        assert_eq!(when_summary(&serde_json::from_value(when).unwrap()), text);
    }
    for (value, text) in [
        (json!({}), "none"),
        (json!({"jobTemplate": {}}), "jobTemplate"),
        (
            json!({"jobTemplate": {}, "jobTemplatePatch": [], "dependencies": [{}], "orchestration": {}}),
            "jobTemplate, jobTemplatePatch, 1 dependencies, orchestration",
        ),
        (json!({"jobTemplate": {}, "dependencies": [{}, {}]}), "jobTemplate, 2 dependencies"),
        (json!({"preCommand": ["x"], "mpiArgs": ["y"]}), "preCommand, mpiArgs"),
    ] {
        assert_eq!(patches_summary(&spec(value)), text);
    }
}
