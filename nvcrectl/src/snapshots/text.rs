//! A review as text with colours.

use super::Written;
use crate::difference;
use crate::report::{self, Texts};
use anstyle::{AnsiColor, Style};
use nvcre_core::compare::ChangeKind;
use nvcre_core::diagnostic::{Code, Diagnostic};
use nvcre_core::snapshot::{Review, ScenarioReview, Verdict};

const TITLE: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Everything that is not as it should be, and the count. With a `width` (a terminal) long texts and lists are cut.
pub fn review(review: &Review, width: Option<usize>) -> String {
    let mut out = String::new();
    for scenario in review.scenarios.iter().filter(|scenario| !scenario.is_fine()) {
        out.push_str(&one(scenario, width));
    }
    if !review.findings.is_empty() {
        out.push_str(&findings(review.findings.iter()));
    }
    let fine = review.is_fine() && review.findings.is_empty();
    let style = if fine { Style::new() } else { BAD };
    out.push_str(&format!("{style}{}{style:#}\n", summary(review)));
    if review.counts.differs + review.counts.missing + review.counts.orphans > 0 {
        let folder = if review.root == "." { String::new() } else { format!(" --root {}", review.root) };
        out.push_str(&format!("`nvcrectl snapshot update{folder}` accepts what differs\n"));
    }
    out
}

/// `3 scenarios: 1 as its snapshot, 1 differs, 1 without a snapshot; 1 snapshot without a scenario`.
pub fn summary(review: &Review) -> String {
    let counts = &review.counts;
    let word = |n: usize, one: &str, many: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {many}") };
    let parts = [
        (counts.same, word(counts.same, "as its snapshot", "as their snapshots")),
        (counts.differs, word(counts.differs, "differs", "differ")),
        (counts.missing, word(counts.missing, "without a snapshot", "without a snapshot")),
        (counts.broken, word(counts.broken, "with a broken snapshot", "with broken snapshots")),
        (counts.failed, word(counts.failed, "that cannot be read", "that cannot be read")),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
    let colon = if parts.is_empty() { "" } else { ": " };
    let mut out = format!("{}{colon}{}", word(counts.scenarios, "scenario", "scenarios"), parts.join(", "));
    let expectations = review.all_findings().filter(|f| f.code == Code::ScenarioExpectation).count();
    for (count, one, many) in [
        (expectations, "expectation not met", "expectations not met"),
        (counts.orphans, "snapshot without a scenario", "snapshots without a scenario"),
    ] {
        if count > 0 {
            out.push_str(&format!("; {}", word(count, one, many)));
        }
    }
    out
}

/// What a verdict is called.
pub const fn verdict(scenario: &ScenarioReview) -> &'static str {
    match scenario.verdict {
        Verdict::Same => "is as its snapshot",
        Verdict::Differs => "differs from its snapshot",
        Verdict::Missing => "has no snapshot",
        Verdict::Broken => "has a snapshot that cannot be compared",
        Verdict::Failed => "cannot be read",
    }
}

/// Findings that say more than the difference does.
pub fn beside_difference(scenario: &ScenarioReview) -> impl Iterator<Item = &Diagnostic> {
    let told = scenario.difference.is_some();
    scenario.findings.iter().filter(move |finding| !(told && finding.code == Code::SnapshotDiffers))
}

/// Lines of the run that the difference comes from: `run.yaml:12:5 spec.env[0]`.
pub fn causes(scenario: &ScenarioReview) -> Vec<String> {
    let of_difference = scenario.findings.iter().filter(|finding| finding.code == Code::SnapshotDiffers);
    let place = |finding: &Diagnostic| {
        let (file, span) = (finding.file.as_ref()?, finding.span?);
        let path = finding.path.as_ref().map(|path| format!(" {path}")).unwrap_or_default();
        Some(format!("{file}:{}:{}{path}", span.start.line, span.start.column))
    };
    of_difference.filter_map(place).collect()
}

fn one(scenario: &ScenarioReview, width: Option<usize>) -> String {
    let mut out = format!("{TITLE}{} {}{TITLE:#}\n", scenario.name, verdict(scenario));
    if let Some(difference) = &scenario.difference {
        out.push_str(&difference::text::difference(difference, width));
        let causes = causes(scenario);
        if !causes.is_empty() {
            out.push_str(&format!("\n{TITLE}Comes from{TITLE:#}\n"));
            causes.iter().for_each(|cause| out.push_str(&format!("* {cause}\n")));
        }
    }
    let rest: Vec<&Diagnostic> = beside_difference(scenario).collect();
    if rest.is_empty() {
        out.push('\n');
    }
    out.push_str(&findings(rest.into_iter()));
    out
}

fn findings<'f>(findings: impl Iterator<Item = &'f Diagnostic>) -> String {
    let texts = Texts::default();
    findings.map(|finding| report::one(finding, &texts) + "\n").collect()
}

/// What an update could not mend.
pub fn left(review: &Review) -> String {
    findings(review.all_findings())
}

/// What an update did: a line for every snapshot, with its files.
pub fn written(written: &[Written]) -> String {
    let mut out = String::new();
    for one in written {
        let list = |kind: ChangeKind, word: &str| {
            let of_kind = one.files.iter().filter(|file| file.change == kind).map(|file| file.file.as_str());
            let of_kind: Vec<&str> = of_kind.collect();
            (!of_kind.is_empty()).then(|| format!("{word} {}", of_kind.join(", ")))
        };
        let parts = [
            list(ChangeKind::Added, "new"),
            list(ChangeKind::Changed, "changed"),
            list(ChangeKind::Removed, "removed"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let why = if one.orphan { " (no such scenario)" } else { "" };
        out.push_str(&format!("{TITLE}{}{TITLE:#}{why}: {}\n", one.name, parts.join("; ")));
    }
    out
}
