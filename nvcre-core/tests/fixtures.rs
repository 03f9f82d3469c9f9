//! Every scenario of `fixtures/` against `snapshots/` (`fixtures/README.md`). `INSTA_UPDATE=always` rewrites them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::print_stderr, clippy::disallowed_types, missing_docs)]

mod scenarios;

use nvcre_core::diagnostic::{Severity, has_errors};
use nvcre_core::jobs::Manifest;
use nvcre_core::yaml;
use scenarios::{Scenario, flaws, root};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn every_scenario_gives_its_snapshots() {
    let mut wrong = Vec::new();
    for scenario in Scenario::all() {
        let name = scenario.name.clone();
        if catch_unwind(AssertUnwindSafe(|| check(&scenario))).is_err() {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{} scenarios differ from their snapshots: {}", wrong.len(), wrong.join(", "));
}

fn check(scenario: &Scenario) {
    let outcome = scenario.render();
    let flaws: Vec<String> = outcome.diagnostics.iter().flat_map(flaws).collect();
    assert!(flaws.is_empty(), "{}: {flaws:#?}", scenario.name);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("snapshots").join(&scenario.name));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_input_file(root().join("fixtures").join(&scenario.name).join("run.yaml"));
    settings.bind(|| {
        insta::assert_snapshot!("findings", outcome.findings());
        if has_errors(&outcome.diagnostics) {
            return;
        }
        insta::assert_snapshot!("workflow", yaml::to_yaml(&outcome.workflow));
        if let Some(plan) = &outcome.plan {
            insta::assert_snapshot!("plan", yaml::to_json_pretty(plan));
            insta::assert_snapshot!("manifests", stream(&outcome.manifests));
        }
    });
    let failed = outcome.diagnostics.iter().any(|d| {
        d.severity == Severity::Error
            || scenario.deny_warnings && d.severity == Severity::Warning && d.accepted.is_none()
    });
    if !scenario.codes.is_empty() {
        assert_eq!(outcome.codes(), scenario.codes, "{}: codes", scenario.name);
    }
    assert_eq!(i64::from(failed), scenario.exit, "{}: exit code\n{}", scenario.name, outcome.findings());
}

fn stream(manifests: &[Manifest]) -> String {
    manifests.iter().map(|m| yaml::to_yaml(&m.value)).collect::<Vec<_>>().join("---\n")
}
