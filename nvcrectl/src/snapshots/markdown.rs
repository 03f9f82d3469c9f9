//! A review as Markdown for a comment on a pull request: what happened in the open, everything else folded, and never
//! longer than a comment may be.

use super::text::{beside_difference, causes, summary, verdict};
use crate::difference::markdown::{code, difference, escaped, html};
use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::snapshot::{Review, ScenarioReview};
use std::fmt::Write;

/// GitHub takes comments of so many characters.
pub const MOST: usize = 65_536;
/// Sentences of one scenario that stand in the open.
const MOST_SENTENCES: usize = 5;
/// Room that is kept for the words about what is left out.
const ROOM: usize = 600;
/// Names that those words list.
const MOST_NAMES: usize = 8;

/// The whole review, at most [`MOST`] characters.
pub fn review(review: &Review) -> String {
    let mut out = Text::default();
    out.put(&format!("### Snapshots: {}\n", escaped(&summary(review))));
    let scenarios: Vec<&ScenarioReview> = review.scenarios.iter().filter(|s| !s.is_fine()).collect();
    if !scenarios.is_empty() || !review.findings.is_empty() {
        out.put("\n");
    }
    // Half of the room at most for what stands in the open: details come after it.
    let mut unlisted = 0;
    let lines = scenarios.iter().map(|s| short(s)).chain(review.findings.iter().map(|f| format!("* {}\n", line(f))));
    for line in lines {
        if unlisted > 0 || !out.fits(&line, MOST / 2) {
            unlisted += 1;
        } else {
            out.put(&line);
        }
    }
    if unlisted > 0 {
        out.put(&format!("* … and {unlisted} more\n"));
    }
    let mut left_out: Vec<&str> = Vec::new();
    for scenario in scenarios {
        let Some(difference_of) = &scenario.difference else { continue };
        let name = &scenario.name;
        let folded = format!(
            "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
            html(&format!("{name} {}", verdict(scenario))),
            difference(difference_of)
        );
        match out.fits(&folded, MOST - ROOM) {
            true => out.put(&folded),
            false => left_out.push(name),
        }
    }
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().take(MOST_NAMES).map(|name| shortened(name)).collect();
        let more = left_out.len().saturating_sub(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        out.put(&format!(
            "\nCut to fit into a comment: the details of {}{more} are left out. `nvcrectl snapshot check` shows them.\n",
            names.join(", ")
        ));
    }
    out.text
}

/// A name that keeps the words about what is left out short.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 40;
    match name.char_indices().nth(LONGEST) {
        Some((at, _)) => code(&format!("{}…", name.get(..at).unwrap_or_default())),
        None => code(name),
    }
}

#[derive(Default)]
struct Text {
    text: String,
    characters: usize,
}

impl Text {
    fn put(&mut self, more: &str) {
        self.characters += more.chars().count();
        self.text.push_str(more);
    }

    fn fits(&self, more: &str, most: usize) -> bool {
        self.characters + more.chars().count() <= most
    }
}

/// A scenario in a few lines.
fn short(scenario: &ScenarioReview) -> String {
    let mut out = format!("* **{}** {}\n", escaped(&scenario.name), verdict(scenario));
    let meanings = scenario.difference.iter().flat_map(|d| &d.meanings);
    let sentences: Vec<String> = meanings.map(|meaning| escaped(&meaning.text)).collect();
    for sentence in sentences.iter().take(MOST_SENTENCES) {
        // Writing to a string does not fail.
        let _ = writeln!(out, "  * {sentence}");
    }
    if sentences.len() > MOST_SENTENCES {
        let _ = writeln!(out, "  * … and {} more", sentences.len() - MOST_SENTENCES);
    }
    let causes = causes(scenario);
    if !causes.is_empty() {
        let causes: Vec<String> = causes.iter().map(|cause| code(cause)).collect();
        let _ = writeln!(out, "  * comes from {}", causes.join(", "));
    }
    for finding in beside_difference(scenario) {
        let _ = writeln!(out, "  * {}", line(finding));
    }
    out
}

fn line(finding: &Diagnostic) -> String {
    let file = finding.file.as_ref().map(|file| format!("{}: ", code(file))).unwrap_or_default();
    format!("{file}{} {}", finding.code, escaped(&finding.message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nvcre_core::compare::{Difference, Meaning, What};
    use nvcre_core::snapshot::Verdict;

    fn differing(name: String, sentences: usize, length: usize) -> ScenarioReview {
        let meaning =
            |n: usize| Meaning { text: format!("{n} {}", "ü".repeat(length)), what: What::Hosts { nodes: n } };
        let difference = Difference { meanings: (0..sentences).map(meaning).collect(), ..Difference::default() };
        ScenarioReview {
            name,
            verdict: Verdict::Differs,
            difference: Some(Box::new(difference)),
            ..ScenarioReview::default()
        }
    }

    fn of(scenarios: Vec<ScenarioReview>) -> String {
        review(&Review::new("runs", None, scenarios, Vec::new(), Vec::new()))
    }

    #[test]
    fn a_comment_is_never_too_long_and_says_what_is_left_out() {
        for (count, sentences, length) in [(1, 1, 10), (3, 2000, 30), (500, 5, 40), (5_000, 1, 100), (2, 1, 90_000)] {
            let text = of((0..count).map(|n| differing(format!("scenario-{n:04}"), sentences, length)).collect());
            assert!(text.chars().count() <= MOST, "{count}: {}", text.chars().count());
            assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
            let told = text.matches("<details>").count();
            assert_eq!(told < count, text.contains("Cut to fit into a comment"), "{count}");
            if told < count {
                let named = if count - told > MOST_NAMES {
                    format!("and {} more are left out", count - told - MOST_NAMES)
                } else {
                    "`scenario-".into()
                };
                assert!(text.contains(&named), "{count}: {named}");
            }
        }
    }

    #[test]
    fn names_are_no_markdown() {
        let text = of(vec![differing("a_b*<x>@you".into(), 1, 1)]);
        assert!(text.contains("* **a\\_b\\*&lt;x&gt;@\u{200b}you** differs"), "{text}");
        assert!(text.contains("<summary>a_b*&lt;x&gt;@you differs"), "{text}");
    }
}
