//! Findings that a run accepts: the annotation `nvcre.nvidia.com/allow`, the only place where it is read.
//!
//! Its value is a list of codes, separated by commas or blanks, and after ` -- ` the reason. Accepted findings stay
//! findings, and count no more; errors are never accepted. What is wrong with the list is a finding, too.

use super::{Delivery, Rendering};
use crate::api::{ALLOW_KEY, WorkloadRun};
use crate::check::nearest;
use crate::diagnostic::{Accepted, Code, Diagnostic, FieldPath, Severity, has_errors};

/// What a run accepts.
#[derive(Debug, Clone, Default)]
pub(super) struct Acceptance {
    codes: Vec<Code>,
    reason: Option<String>,
    unknown: Vec<String>,
}

fn path() -> FieldPath {
    FieldPath::parse("metadata.annotations").key(ALLOW_KEY)
}

/// Codes that speak of the list itself.
const fn of_the_list(code: Code) -> bool {
    matches!(code, Code::AcceptUnknown | Code::AcceptRefused | Code::AcceptUnused)
}

impl Acceptance {
    /// Reads the annotation of a run.
    pub fn of(run: &WorkloadRun) -> Self {
        let mut out = Self::default();
        let Some(text) = run.metadata.annotations.get(ALLOW_KEY) else { return out };
        let (list, reason) = text.split_once(" -- ").map_or((text.as_str(), None), |(list, why)| (list, Some(why)));
        out.reason = reason.map(str::trim).filter(|why| !why.is_empty()).map(str::to_owned);
        for word in list.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()) {
            // Only the form in which codes are shown: NV5 and nv005 are no codes.
            match Code::parse(word).filter(|code| code.to_string() == word) {
                Some(code) if !out.codes.contains(&code) => out.codes.push(code),
                Some(_) => {}
                None => out.unknown.push(word.to_owned()),
            }
        }
        out
    }

    /// What is wrong with the list, whatever is found. `found` is what is known so far: a code may be an error by itself
    /// and a warning in a mode.
    pub fn problems(&self, found: &[&[Diagnostic]]) -> Vec<Diagnostic> {
        let known: Vec<String> = Code::ALL.iter().map(ToString::to_string).collect();
        let unknown = self.unknown.iter().map(|word| {
            let message = format!("{word:?} is no code of a finding, so that nothing is accepted by it");
            let near = nearest(word, known.iter().map(String::as_str)).filter(|near| near.eq_ignore_ascii_case(word));
            let help = near.map_or_else(
                || "write codes as findings show them, separated by commas; a reason comes after --".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            Diagnostic::at(Code::AcceptUnknown, path(), message).with_help(help)
        });
        let refused = self.codes.iter().filter(|code| !Self::may_be_accepted(**code, found)).map(|code| {
            let message = match of_the_list(*code) {
                true => format!("{code} is about this list, and cannot be accepted by it"),
                false => format!("{code} is an error, and errors cannot be accepted"),
            };
            let help = "take it out of the list, and mend what the finding names";
            Diagnostic::at(Code::AcceptRefused, path(), message).with_help(help)
        });
        unknown.chain(refused).collect()
    }

    fn may_be_accepted(code: Code, found: &[&[Diagnostic]]) -> bool {
        let milder = |d: &&Diagnostic| d.code == code && d.severity != Severity::Error;
        !of_the_list(code)
            && (code.severity() != Severity::Error || found.iter().copied().flatten().any(|d| milder(&d)))
    }

    /// Marks what is accepted.
    pub fn apply(&self, findings: &mut [Diagnostic]) {
        let mine = |d: &&mut Diagnostic| d.severity != Severity::Error && self.codes.contains(&d.code);
        for finding in findings.iter_mut().filter(mine).filter(|d| !of_the_list(d.code)) {
            finding.accepted = Some(Accepted { by: path().to_string(), reason: self.reason.clone() });
        }
    }

    /// Codes that nothing raised, where everything was looked at that could raise them. `jobs` is the delivery whose
    /// groups were made, when they were.
    pub fn unused(
        &self,
        rendering: &Rendering<'_>,
        jobs: Option<Delivery>,
        found: &[&[Diagnostic]],
    ) -> Vec<Diagnostic> {
        if !rendering.facts.resolved || found.iter().copied().any(has_errors) {
            return Vec::new();
        }
        let looked_for = |code: Code| match code {
            Code::EngineDiffers => jobs == Some(Delivery::Controller),
            Code::NoEffectInDelivery => jobs == Some(Delivery::Trainer),
            code => jobs.is_some() || !crate::lint::needs_nodes(code),
        };
        let raised = |code: Code| found.iter().copied().flatten().any(|d| d.code == code);
        let idle = self.codes.iter().filter(|c| Self::may_be_accepted(**c, found) && looked_for(**c) && !raised(**c));
        let facts = &rendering.facts;
        let finding = |code: &Code| {
            let message = format!(
                "{code} is accepted and was not found on platform {} with GPU {}: the list would hide it when it comes",
                facts.platform, facts.architecture
            );
            let help = "take it out of the list, unless the run is for other platforms, too";
            Diagnostic::at(Code::AcceptUnused, path(), message).with_help(help)
        };
        idle.map(finding).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Acceptance {
        let mut run = WorkloadRun::default();
        run.metadata.annotations.insert(ALLOW_KEY.into(), text.into());
        Acceptance::of(&run)
    }

    #[test]
    fn a_list_and_a_reason() {
        for (text, codes, reason, unknown) in [
            ("NV057", &[57][..], None, &[][..]),
            ("NV057,NV343", &[57, 343], None, &[]),
            (
                " NV057,\n NV343  -- measured like this since 2024 -- twice ",
                &[57, 343],
                Some("measured like this since 2024 -- twice"),
                &[],
            ),
            ("NV057 NV057", &[57], None, &[]),
            ("nv057, NV57, NV999, x", &[], None, &["nv057", "NV57", "NV999", "x"]),
            ("NV057 -- ", &[57], None, &[]),
            ("", &[], None, &[]),
        ] {
            let found = of(text);
            let numbers: Vec<u16> = found.codes.iter().map(|c| c.number()).collect();
            assert_eq!((numbers.as_slice(), found.reason.as_deref()), (codes, reason), "{text:?}");
            assert_eq!(found.unknown, unknown, "{text:?}");
        }
    }

    #[test]
    fn errors_stay_and_milder_ones_of_their_code_may_go() {
        let mut findings = vec![
            Diagnostic::new(Code::UnknownField, "x"),
            Diagnostic::new(Code::UnknownField, "x").with_severity(Severity::Warning),
            Diagnostic::new(Code::AcceptUnused, "x"),
        ];
        let acceptance = of("NV005 NV342 NV006 -- why");
        let refused: Vec<String> = acceptance.problems(&[&findings]).into_iter().map(|d| d.message).collect();
        assert_eq!(refused.len(), 2, "{refused:?}");
        assert!(refused[0].starts_with("NV342 is about this list") && refused[1].starts_with("NV006 is an error"));
        acceptance.apply(&mut findings);
        let accepted: Vec<bool> = findings.iter().map(|d| d.accepted.is_some()).collect();
        assert_eq!(accepted, [false, true, false]);
        assert_eq!(findings[1].accepted.as_ref().unwrap().reason.as_deref(), Some("why"));
    }
}
