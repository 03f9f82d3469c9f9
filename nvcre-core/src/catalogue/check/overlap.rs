//! Two entries for one run: only one may set `trainer.env`, which is replaced whole (05 §6.5).

use super::{Checker, may_match};
use crate::catalogue::render::includes;
use crate::catalogue::{Condition, Count, Entry, Framework};
use crate::diagnostic::{Code, Diagnostic, FieldPath};

impl Entry {
    /// True when the entry sets `trainer.env` for a framework.
    fn sets_trainer_env(&self, framework: Framework) -> bool {
        let patched = self.job_template.as_ref().and_then(|p| p.pointer("/spec/workload/trainJob/trainer/env"));
        self.framework.allows(framework)
            && (!self.trainer_env.is_empty()
                || patched.is_some()
                || framework != Framework::Mpi && !self.env.is_empty())
    }
}

impl Count {
    /// True when no number fulfils both.
    fn excludes(&self, other: &Self) -> bool {
        let mentioned = |c: &Self| {
            let ends = [c.equals, c.greater_than, c.less_than].into_iter().flatten();
            ends.chain(c.one_of.iter().copied()).collect::<Vec<_>>()
        };
        let candidates = mentioned(self).into_iter().chain(mentioned(other));
        // Whatever both allow, they allow at or beside a number that one of them names.
        let beside = |n: i32| [n.saturating_sub(1), n, n.saturating_add(1)];
        !candidates.flat_map(beside).any(|n| self.holds(n) && other.holds(n))
    }
}

impl Condition {
    /// True when no run fulfils both.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        let counts = [(&self.nodes, &other.nodes), (&self.gpus, &other.gpus), (&self.nics, &other.nics)];
        let editions = !self.editions.is_empty()
            && !other.editions.is_empty()
            && !self.editions.iter().any(|e| other.editions.contains(e));
        let differ = |a: Option<bool>, b: Option<bool>| a.zip(b).is_some_and(|(a, b)| a != b);
        editions
            || counts.iter().any(|(a, b)| matches!((a, b), (Some(a), Some(b)) if a.excludes(b)))
            || self.nic_resource.zip(other.nic_resource).is_some_and(|(a, b)| a != b)
            || differ(self.mnnvl, other.mnnvl)
    }
}

impl Checker<'_> {
    pub(super) fn overlaps(&mut self) {
        let entries = &self.catalogue.entries;
        for (at, second) in entries.iter().enumerate() {
            for (earlier, first) in entries.iter().enumerate().take(at) {
                let Some(place) = self.meet(first, second) else { continue };
                let list = FieldPath::root().key("entries");
                let found = format!(
                    "{} ({}) and {} ({}) both set trainer.env for {place}; the list is replaced whole, so that the \
                     first would be lost",
                    first.id, first.name, second.id, second.name
                );
                let finding = Diagnostic::at(Code::CatalogueTrainerEnv, list.index(at), found)
                    .with_help("put the variables into one entry, or narrow one `when`");
                self.add(finding.with_related(list.index(earlier), "the other entry"));
            }
        }
    }

    /// A platform, architecture, framework and edition for which both set `trainer.env`.
    fn meet(&self, first: &Entry, second: &Entry) -> Option<String> {
        let catalogue = self.catalogue;
        let frameworks = [(Framework::Mpi, "MPI"), (Framework::Torch, "torch and exec")];
        let both = |f: Framework| first.sets_trainer_env(f) && second.sets_trainer_env(f);
        let (_, framework) = frameworks.into_iter().find(|(f, _)| both(*f))?;
        // A platform and an architecture that nothing names stand for all such.
        let platforms = || catalogue.platforms.iter().map(|p| p.name.as_str()).chain(["any other platform"]);
        let architectures = || catalogue.architectures.iter().map(|a| a.name.as_str()).chain(["any other GPU"]);
        for edition in catalogue.editions.iter().map(|e| e.name.as_str()) {
            if !includes(&first.editions, edition) || !includes(&second.editions, edition) {
                continue;
            }
            for platform in platforms() {
                for architecture in architectures() {
                    let matches = |e: &Entry| may_match(e.when(edition), platform, architecture);
                    if matches(first) && matches(second) {
                        return Some(format!("{platform}, {architecture}, {framework} (edition {edition})"));
                    }
                }
            }
        }
        None
    }
}
