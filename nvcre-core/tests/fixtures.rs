//! Every scenario of `fixtures/` against `snapshots/` (docs/snapshots.md), by the code behind `nvcrectl snapshot check`.
//! `nvcrectl snapshot update --root fixtures` rewrites them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::print_stderr, clippy::disallowed_types, missing_docs)]

mod scenarios;

use scenarios::{Scenario, flaws};

#[test]
fn every_scenario_gives_its_snapshots() {
    let mut wrong = Vec::new();
    for scenario in Scenario::all() {
        let (outcome, review) = scenario.review();
        wrong.extend(outcome.diagnostics.iter().flat_map(flaws).map(|flaw| format!("{}: {flaw}", scenario.name)));
        wrong.extend(review.findings.iter().map(|finding| format!("{} {}", finding.code, finding.message)));
        assert_eq!(review.is_fine(), review.findings.is_empty(), "{}", scenario.name);
    }
    assert!(wrong.is_empty(), "cargo run -p nvcrectl -- snapshot check --root fixtures\n{}", wrong.join("\n"));
}
