//! `snapshot`.

use super::Outcome;
use crate::cli::{SnapshotArgs, SnapshotCheckArgs, SnapshotFormat};
use crate::output::{print, print_json, print_styled, width};
use crate::report::sarif;
use crate::snapshots::{github, judge, junit, markdown, text, write};
use anyhow::{Result, bail};
use nvcre_core::diagnostic::{Code, Diagnostic, Severity};

/// Compares every scenario with its snapshot; writes nothing.
pub fn check(args: &SnapshotCheckArgs) -> Result<Outcome> {
    let review = judge(&args.which)?.review;
    match args.output {
        SnapshotFormat::Text => print_styled(&text::review(&review, width()))?,
        SnapshotFormat::Json => print_json(&serde_json::to_value(&review)?)?,
        SnapshotFormat::Markdown => print(&markdown::review(&review))?,
        SnapshotFormat::Junit => print(&junit::report(&review)?)?,
        SnapshotFormat::Github => print(&github::annotations(&review))?,
        SnapshotFormat::Sarif => {
            let findings: Vec<Diagnostic> = review.all_findings().cloned().collect();
            print_json(&sarif::log(&findings))?;
        }
    }
    end(review.all_findings(), review.is_fine())
}

/// Writes the snapshots that differ.
pub fn update(args: &SnapshotArgs) -> Result<Outcome> {
    let mut judged = judge(args)?;
    let written = write(&judged)?;
    let done = |finding: &Diagnostic| {
        matches!(
            finding.code,
            Code::SnapshotDiffers
                | Code::SnapshotMissing
                | Code::SnapshotOrphaned
                | Code::SnapshotBroken
                | Code::SnapshotVersion
        )
    };
    let review = &mut judged.review;
    review.findings.retain(|finding| !done(finding));
    review.scenarios.iter_mut().for_each(|scenario| scenario.findings.retain(|finding| !done(finding)));
    let mut out = text::written(&written);
    out.push_str(&text::left(review));
    let counts = &review.counts;
    let changed = written.iter().filter(|one| !one.orphan).count();
    let removed = written.len() - changed;
    let word = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    out.push_str(&format!(
        "{}: {} written, {removed} removed\n",
        word(counts.scenarios, "scenario"),
        word(changed, "snapshot")
    ));
    print_styled(&out)?;
    let fine = !review.all_findings().any(|finding| finding.severity == Severity::Error);
    end(review.all_findings(), fine)
}

/// A file that cannot be opened is that, however many others were read (00 D68).
fn end<'f>(findings: impl Iterator<Item = &'f Diagnostic>, fine: bool) -> Result<Outcome> {
    match findings.filter(|finding| finding.code == Code::ScenarioUnreadable).count() {
        0 => Ok(if fine { Outcome::Fine } else { Outcome::Findings }),
        1 => bail!("a file or folder cannot be read (NV313)"),
        count => bail!("{count} files or folders cannot be read (NV313)"),
    }
}
