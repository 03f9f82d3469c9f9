//! A review as annotations of GitHub Actions.

use crate::report::github;
use nvcre_core::diagnostic::{Code, Diagnostic};
use nvcre_core::snapshot::Review;

/// GitHub shows so many annotations of one severity for a step, and drops the rest without a word.
const MOST: usize = 10;

/// One annotation for each finding; when there are more than are shown, the last one says how many are left out.
pub fn annotations(review: &Review) -> String {
    let mut findings: Vec<&Diagnostic> = review.all_findings().collect();
    // Places in the runs of a pull request first, for when not all are shown.
    findings.sort_by_key(|finding| (finding.span.is_none(), finding.code != Code::SnapshotDiffers));
    let shown = if findings.len() > MOST { MOST - 1 } else { findings.len() };
    let mut out = String::new();
    findings.iter().take(shown).for_each(|finding| github::command(finding, &mut out));
    if shown < findings.len() {
        let left_out = findings.len() - shown;
        out.push_str(&format!(
            "::error title=snapshots::{left_out} more findings are left out, because GitHub shows {MOST} of a step; \
             `nvcrectl snapshot check` lists all\n"
        ));
    }
    out
}
