//! Overrides: matched or not, and what they set.

use super::Explainer;
use super::model::{OverrideAnswer, OverrideChange, OverrideLine};
use crate::trace::{Change, Origin, OverrideOutcome, Subject};

impl Explainer<'_> {
    /// The overrides of the effective list, one line each.
    pub fn override_lines(&self) -> Vec<OverrideLine> {
        let line = |outcome: &OverrideOutcome| OverrideLine {
            subject: subject(&outcome.origin),
            title: self.title(&outcome.origin).0,
            place: self.place(&outcome.origin),
            outcome: outcome.clone(),
        };
        self.rendering.overrides.iter().map(line).collect()
    }

    fn title(&self, origin: &Origin) -> (String, String) {
        let Origin::Entry { name, .. } = origin else { return Default::default() };
        let entry = self.catalogue.entries.iter().find(|e| e.name == *name);
        entry.map(|e| (e.title.clone(), e.note.clone())).unwrap_or_default()
    }

    /// One override by number, name or `user-0`.
    pub(super) fn override_answer(&self, name: &str) -> Result<OverrideAnswer, (String, Vec<String>)> {
        let is = |origin: &Origin| match origin {
            Origin::Entry { id, name: own } => id.eq_ignore_ascii_case(name) || own == name,
            Origin::Override { index } => name == format!("user-{index}"),
            _ => false,
        };
        let Some(outcome) = self.rendering.overrides.iter().find(|o| is(&o.origin)) else {
            return Err(self.no_override(name));
        };
        let changes = &self.trace.changes;
        let own = changes.iter().enumerate().filter(|(_, c)| self.by(c, &outcome.origin));
        let changes = own.map(|(at, change)| {
            let later = changes.get(at + 1..).unwrap_or_default().iter().rev();
            let mut again = later.filter(|c| c.subject == change.subject && c.origin != change.origin);
            let replaced_by = again.next().map(|c| c.origin.clone());
            OverrideChange { change: change.clone(), replaced_by }
        });
        let (title, note) = self.title(&outcome.origin);
        Ok(OverrideAnswer {
            subject: subject(&outcome.origin),
            title,
            note,
            place: self.place(&outcome.origin),
            changes: changes.collect(),
            outcome: outcome.clone(),
        })
    }

    /// True for what an override did, also when it forwards a value of the run.
    fn by(&self, change: &Change, origin: &Origin) -> bool {
        change.origin == *origin && !matches!(change.subject, Subject::Value { .. })
    }

    fn no_override(&self, name: &str) -> (String, Vec<String>) {
        let listed = self.rendering.overrides.iter().flat_map(|o| {
            let names = match &o.origin {
                Origin::Entry { id, name } => vec![id.clone(), name.clone()],
                origin => vec![subject(origin).replace("override/", "")],
            };
            names.into_iter().map(|name| (name.clone(), format!("override/{name}")))
        });
        let near = super::near::nearest(name, listed);
        let elsewhere = self.catalogue.entries.iter().find(|e| e.id.eq_ignore_ascii_case(name) || e.name == name);
        let reason = match elsewhere {
            _ if !self.rendering.facts.resolved => {
                "no platform is known, so no override was matched; give --platform or --nodes".to_owned()
            }
            Some(entry) => format!(
                "entry {} {} of the catalogue does not exist for this framework in edition {}",
                entry.id, entry.name, self.rendering.facts.edition
            ),
            None => "no override of the effective list has that name".to_owned(),
        };
        (reason, near)
    }
}

/// What to ask for.
fn subject(origin: &Origin) -> String {
    match origin {
        Origin::Entry { id, .. } => format!("override/{id}"),
        Origin::Override { index } => format!("override/user-{index}"),
        _ => String::new(),
    }
}
