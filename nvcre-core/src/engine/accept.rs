//! Findings that a run accepts, so that the others are seen.

use crate::api::WorkloadRun;
use crate::check::nearest;
use crate::diagnostic::{Area, Code, Diagnostic, FieldPath, Severity};

/// Annotation of a WorkloadRun that accepts findings: codes with commas or blanks between them, and after ` -- ` the
/// reason. It changes nothing but how findings are shown: an accepted one is counted and not printed, and does not count
/// for `--deny-warnings`. Errors cannot be accepted.
pub const ALLOW_ANNOTATION: &str = "nvcre.nvidia.com/allow";

/// What a run accepts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Accepted {
    codes: Vec<Code>,
    reason: String,
}

impl Accepted {
    /// What the annotation of a run says, and what is wrong with it.
    pub fn of(run: &WorkloadRun) -> (Self, Vec<Diagnostic>) {
        let mut found = Vec::new();
        let Some(text) = run.metadata.annotations.get(ALLOW_ANNOTATION) else { return (Self::default(), found) };
        let dashes = text.match_indices("--").map(|(at, _)| at).find(|at| stands_alone(text, *at));
        let (codes, reason) = dashes.and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""));
        let reason = reason.trim_start_matches("--");
        let mut accepted = Self { codes: Vec::new(), reason: reason.trim().to_owned() };
        for word in codes.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()) {
            match Code::parse(word) {
                Some(code) if code.severity() == Severity::Error => found.push(
                    Diagnostic::at(
                        Code::AllowedError,
                        path(),
                        format!("{code} is an error, and errors cannot be accepted: nothing is rendered with one"),
                    )
                    .with_help(format!("remove {code}, and mend what it says")),
                ),
                Some(code) if accepted.codes.contains(&code) => {}
                Some(code) => accepted.codes.push(code),
                None => found.push(unknown(word)),
            }
        }
        if accepted.codes.is_empty() && found.is_empty() {
            found.push(
                Diagnostic::at(Code::AllowedUnknown, path(), format!("{ALLOW_ANNOTATION} names no finding"))
                    .with_help("name codes, for example NV057, or remove the annotation"),
            );
        }
        (accepted, found)
    }

    /// Marks the findings that are accepted.
    pub fn mark(&self, findings: &mut [Diagnostic]) {
        for finding in findings.iter_mut().filter(|d| d.severity != Severity::Error && self.codes.contains(&d.code)) {
            finding.accepted = Some(self.reason.clone());
        }
    }

    /// Accepted codes that do not occur, of those that could have been found.
    pub fn unused(&self, occurs: impl Fn(Code) -> bool, could: impl Fn(Area) -> bool) -> Vec<Diagnostic> {
        let unused =
            self.codes.iter().filter(|code| **code != Code::AllowedUnused && could(code.area()) && !occurs(**code));
        let told = |code: &Code| {
            Diagnostic::at(
                Code::AllowedUnused,
                path(),
                format!("{code} is accepted, and there is no such finding here"),
            )
            .with_help("remove it, unless other nodes or another platform bring the finding back")
        };
        unused.map(told).collect()
    }
}

/// True for two dashes with blanks, or nothing, on both sides.
fn stands_alone(text: &str, at: usize) -> bool {
    let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let sides = text.split_at_checked(at).and_then(|(before, rest)| Some((before, rest.get(2..)?)));
    sides.is_some_and(|(before, after)| blank(before.chars().next_back()) && blank(after.chars().next()))
}

fn path() -> FieldPath {
    FieldPath::parse("metadata.annotations").key(ALLOW_ANNOTATION)
}

fn unknown(word: &str) -> Diagnostic {
    let names: Vec<String> = Code::ALL.iter().map(ToString::to_string).collect();
    let finding = Diagnostic::at(Code::AllowedUnknown, path(), format!("{word:?} is no code of a finding"));
    finding.with_help(match nearest(&word.to_ascii_uppercase(), names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}? A reason is written after \" -- \""),
        None => "codes are written as NV057, with commas between them; a reason is written after \" -- \"".to_owned(),
    })
}
