//! A review as JUnit's XML, as test reports read it.

use super::text::{beside_difference, causes, verdict};
use crate::difference;
use anyhow::Result;
use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::snapshot::{Review, ScenarioReview};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// A test case for each scenario, and one for each finding that belongs to none.
///
/// # Errors
/// When the XML cannot be made.
pub fn report(review: &Review) -> Result<String> {
    let mut suite = TestSuite::new(format!("snapshots of {}", review.root));
    for scenario in &review.scenarios {
        let mut case = TestCase::new(scenario.name.as_str(), status(scenario));
        case.set_classname(review.root.as_str());
        case.extra.insert("file".into(), scenario.run.as_str().into());
        suite.add_test_case(case);
    }
    for finding in &review.findings {
        let file = finding.file.clone().unwrap_or_default();
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type(finding.code.to_string()).set_message(finding.message.as_str()).set_description(text(finding));
        let mut case = TestCase::new(file.as_str(), status);
        case.set_classname(review.root.as_str());
        case.extra.insert("file".into(), file.as_str().into());
        suite.add_test_case(case);
    }
    let mut report = Report::new("nvcrectl snapshot check");
    report.add_test_suite(suite);
    Ok(report.to_string()?)
}

fn status(scenario: &ScenarioReview) -> TestCaseStatus {
    let Some(first) = scenario.findings.first() else { return TestCaseStatus::success() };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let mut description = String::new();
    if let Some(difference) = &scenario.difference {
        description = anstream::adapter::strip_str(&difference::text::difference(difference, None)).to_string();
        causes(scenario).iter().for_each(|cause| description.push_str(&format!("comes from {cause}\n")));
    }
    beside_difference(scenario).for_each(|finding| description.push_str(&text(finding)));
    let message = match &scenario.difference {
        Some(difference) => difference.meanings.first().map_or(verdict(scenario), |meaning| meaning.text.as_str()),
        None => first.message.as_str(),
    };
    status.set_type(first.code.to_string()).set_message(message).set_description(description);
    status
}

fn text(finding: &Diagnostic) -> String {
    let place = match (&finding.file, finding.span) {
        (Some(file), Some(span)) => format!("{file}:{}:{}: ", span.start.line, span.start.column),
        (Some(file), None) => format!("{file}: "),
        _ => String::new(),
    };
    let help = finding.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    format!("{place}{} {}{help}\n", finding.code, finding.message)
}
