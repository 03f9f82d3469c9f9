//! 04 §2.5.
#![cfg(feature = "cel")]

use super::super::expression::{check, evaluate};

const MAX_DEPTH: usize = 24;
use super::*;

fn message(text: &str) -> String {
    let finding = check(text).unwrap_err().finding(&"spec.overrides[0].when.expression".into());
    assert_eq!(finding.code, Code::OverrideExpression);
    let help = finding.help.unwrap();
    for name in ["platform", "gpuArchitecture", "workloadKind", "topologyMode", "domainCount"] {
        assert!(help.contains(name), "{help}");
    }
    finding.message
}

#[test]
fn values() {
    let c = Context { domain_count: 3, ..aws() };
    for (text, value) in [
        ("true", true),
        ("platform == 'aws'", true),
        ("platform != \"aws\"", false),
        ("platform in ['gcp', 'aws'] && gpuArchitecture == 'gb300'", true),
        ("gpuArchitecture.startsWith('gb') || domainCount > 100", true),
        ("gpuArchitecture.endsWith('200')", false),
        ("gpuArchitecture.contains('b3')", true),
        ("!(domainCount < 3)", true),
        ("domainCount >= 3 && domainCount <= 3", true),
        ("workloadKind == 'TrainJob' && topologyMode == 'simple'", true),
        ("size(platform) == 3 && platform.size() == 3", true),
        ("domainCount % 2 == 1 ? platform == 'aws' : false", true),
        ("['aws', 'gcp'].exists(p, platform.startsWith(p))", true),
        ("['aws', 'gcp'].all(p, p == platform)", false),
        ("platform + '-' + gpuArchitecture == 'aws-gb300'", true),
        ("string(domainCount) == '3'", true),
        ("domainCount == -3", false),
        ("type(platform) == string", true),
        ("{'aws': 1, 'gcp': 2}[platform] == 1", true),
    ] {
        assert_eq!(evaluate(text, &c), Ok(value), "{text}");
    }
}

#[test]
fn refused_before_anything_matches() {
    for (text, part) in [
        ("topology == 'simple'", "\"topology\" is no variable"),
        ("config.x == 1", "\"config\" is no variable"),
        ("plattform == 'aws'", "\"plattform\" is no variable"),
        ("false && nothing == 1", "\"nothing\" is no variable"),
        ("platform == 1", "compares string with int"),
        ("domainCount == '3'", "compares int with string"),
        ("domainCount == 3.0", "compares int with double"),
        ("domainCount > 'x'", "compares int with string"),
        ("domainCount in ['1']", "in looks for int among string"),
        ("platform in 'aws'", "right side of in"),
        ("platform", "of type string"),
        ("domainCount + 1", "of type int"),
        ("platform && true", "operand of &&"),
        ("!platform", "operand of !"),
        ("platform + 1 == 'x'", "two sides of +"),
        ("platform - 'x' == 'x'", "left side of -"),
        ("['a', 1].size() == 2", "different types"),
        ("true ? true : 1", "different types"),
        ("domainCount.contains('x')", "text before contains"),
        ("platform.nothing == 'x'", "no field \"nothing\""),
        ("platform.lower() == 'x'", "no function \"lower\""),
        ("dyn(platform)", "known only when"),
        ("Message{a: 1} == 1", "no message type"),
        ("platform == ", "no CEL"),
        ("", "no CEL"),
        ("platform = 'aws'", "no CEL"),
    ] {
        let message = message(text);
        assert!(message.contains(part), "{text}: {message}");
    }
    if cfg!(not(feature = "regex")) {
        assert!(message("platform.matches('a.*')").contains("not part of this build"));
    } else {
        assert_eq!(evaluate("platform.matches('a.*')", &aws()), Ok(true));
    }
}

#[test]
fn failures_while_evaluating_are_errors() {
    for text in [
        "domainCount / 0 == 1",
        "{'gcp': true}[platform]",
        "dyn(domainCount) + 9223372036854775807 > dyn(0) || domainCount - 9223372036854775807 - 9 > 0",
    ] {
        assert!(check(text).is_ok(), "{text}");
    }
    assert!(evaluate("domainCount / 0 == 1", &aws()).is_err());
    assert!(evaluate("{'gcp': true}[platform]", &aws()).is_err());
}

fn domain(chain: &str, times: usize) -> String {
    format!("domainCount{} > 0", chain.repeat(times))
}

#[test]
fn no_expression_is_expensive() {
    let long = format!("platform == '{}'", "x".repeat(3000));
    assert!(message(&long).contains("at most 2048"));
    for open in ["(", "[", "{", "!", "-", "true?true:", "!(", "platform.size("] {
        assert!(check(&open.repeat(2048 / open.len())).is_err(), "{open}");
        assert!(check(&open.repeat(MAX_DEPTH)).is_err(), "{open}");
    }
    let brackets = |n| format!("{}true{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(evaluate(&brackets(24), &aws()), Ok(true));
    assert!(message(&brackets(25)).contains("nested deeper than 24"));
    // A level for the comparison, one for the variable.
    for chain in ["+1", "-1", "*1"] {
        assert_eq!(evaluate(&domain(chain, 22), &Context { domain_count: 1000, ..aws() }), Ok(true));
        assert!(message(&domain(chain, 23)).contains("nested deeper than 24"));
        assert!(message(&domain(chain, 250)).contains("nested deeper than 24"));
        assert!(message(&domain(chain, 300)).contains("more than 256"));
    }
    for chain in [" && platform == 'aws'", " || platform == 'gcp'"] {
        assert_eq!(evaluate(&format!("true{}", chain.repeat(60)), &aws()), Ok(true));
    }
    for (chain, times) in [(".size()", 100), (".a", 250), ("[0]", 250), (" in platform", 100)] {
        assert!(check(&format!("platform{} == 1", chain.repeat(times))).is_err(), "{chain}");
    }
    let doubling = "['a'].map(a, a+a).map(a, a+a).map(a, a+a).size() == 1";
    assert!(message(doubling).contains("more than 2 uses"));
}

#[test]
fn thresholds_speak_of_one_number() {
    let found = |text: &str| threshold_problem(text, &crate::FieldPath::parse("spec.thresholds.x"));
    for text in [
        "value >= 900",
        "value < 5.5",
        "value > 0.9 && value <= 1.0",
        "value * 2.0 > 1u",
        "value == 900",
        "!(value < 1)",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
    for (text, says) in [
        ("", "no CEL"),
        ("900", "type int, it must be bool"),
        ("value", "type double, it must be bool"),
        ("value * 2 > 1.0", "double and int"),
        ("value >= \"900\"", "compares double with string"),
        ("platform == \"aws\"", "\"platform\" is no variable"),
        (">= 380", "no CEL"),
    ] {
        let finding = found(text).unwrap_or_else(|| panic!("{text}"));
        assert!(finding.code == Code::BadThreshold && finding.message.contains(says), "{text}: {}", finding.message);
    }
}
