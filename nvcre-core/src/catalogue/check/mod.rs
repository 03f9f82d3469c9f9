//! What a catalogue must hold to: names, references, placeholders, and the invariants of 05 §6.
//!
//! The built-in catalogue is checked by a test, one that an embedder brings when it is read.

mod effects;
mod facts;
mod overlap;
mod raw;

use super::model::may_match;
use super::{Catalogue, When};
use crate::api::StringMatch;
use crate::check::nearest;
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment};
use std::collections::BTreeMap;

impl Catalogue {
    /// Everything that is wrong with the catalogue, by parts. Paths lead from the root of the document.
    pub fn check(&self) -> Vec<Diagnostic> {
        let mut checker = Checker { catalogue: self, findings: Vec::new() };
        checker.facts();
        checker.effects();
        checker.overlaps();
        checker.findings
    }
}

struct Checker<'a> {
    catalogue: &'a Catalogue,
    findings: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn add(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// Names (or numbers) of one list: none empty, none twice.
    fn unique(&mut self, list: &FieldPath, field: &str, names: impl Iterator<Item = &'a str>) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, name) in names.enumerate() {
            let path = list.index(at).key(field);
            if name.is_empty() {
                self.value(path, format!("the {field} is empty"), "give it one");
            } else if let Some(first) = seen.get(name) {
                let finding = Diagnostic::at(
                    Code::CatalogueDuplicate,
                    path,
                    format!("the {field} {name:?} stands twice in {list}; each {field} may stand once"),
                );
                let finding = finding.with_help(format!("give one of them another {field}, or remove it"));
                self.add(finding.with_related(list.index(*first).key(field), "the first one"));
            } else {
                seen.insert(name, at);
            }
        }
    }

    /// A name that must be one of those that the catalogue has.
    fn known(&mut self, what: &str, path: FieldPath, name: &str, names: &[&str]) {
        if names.contains(&name) {
            return;
        }
        let found = format!("{name:?} is no {what} of this catalogue; it has {}", listed(names));
        let finding = Diagnostic::at(Code::CatalogueUnknownName, path, found);
        self.add(match nearest(name, names.iter().copied()) {
            Some(near) => finding.with_help(format!("did you mean `{near}`?")),
            None => finding.with_help(format!("add the {what}, or use one of those")),
        });
    }

    fn platform(&mut self, path: FieldPath, name: &str) {
        let names: Vec<&str> = self.catalogue.platforms.iter().map(|p| p.name.as_str()).collect();
        self.known("platform", path, name, &names);
    }

    fn architecture(&mut self, path: FieldPath, name: &str) {
        let names = self.catalogue.architecture_names();
        self.known("GPU architecture", path, name, &names);
    }

    fn edition(&mut self, path: FieldPath, name: &str) {
        let names: Vec<&str> = self.catalogue.editions.iter().map(|e| e.name.as_str()).collect();
        self.known("edition", path, name, &names);
    }

    fn editions(&mut self, path: &FieldPath, editions: &[String]) {
        for (at, edition) in editions.iter().enumerate() {
            self.edition(path.index(at), edition);
        }
    }

    /// A misspelt value would simply never match (04 §2.1).
    fn when(&mut self, path: &FieldPath, when: &When) {
        self.conditions(path, when);
        for (field, matcher, architecture) in
            [("platform", &when.0.platform, false), ("gpuArchitecture", &when.0.gpu_architecture, true)]
        {
            let Some(StringMatch { equals, one_of, not_in }) = matcher else { continue };
            let path = path.key(field);
            let equals = (!equals.is_empty()).then_some(equals);
            for value in equals.into_iter().chain(one_of).chain(not_in) {
                match architecture {
                    // What an unlabelled fleet has.
                    true if value == "unknown" => {}
                    true => self.architecture(path.clone(), value),
                    false => self.platform(path.clone(), value),
                }
            }
        }
    }

    /// A name in kebab case: it stands in messages and in file names.
    fn kebab(&mut self, path: FieldPath, name: &str) {
        if !name.is_empty() && !crate::check::is_dns1123_label(name) {
            let found = format!("{name:?} is no name: lower-case letters, digits and '-' are wanted");
            self.value(path, found, "write it in kebab-case, for example aws-gb300");
        }
    }

    fn label_key(&mut self, path: FieldPath, what: &str, key: &str) {
        if let Some(problem) = crate::check::label_key_problem(key) {
            let found = format!("{key:?} is no {what}: {problem}");
            let is_key = path.0.last() == Some(&Segment::Key(key.into()));
            let finding = Diagnostic::at(Code::CatalogueLabelKey, path, found)
                .with_help("write it as Kubernetes takes it, for example nvidia.com/gpu.clique");
            self.add(if is_key { finding.at_key() } else { finding });
        }
    }

    fn value(&mut self, path: FieldPath, found: impl Into<String>, help: &'static str) {
        self.add(Diagnostic::at(Code::CatalogueValue, path, found).with_help(help));
    }
}

/// Names for a sentence.
fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;
