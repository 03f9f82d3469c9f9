//! The verdict on all scenarios, as data (docs/json.md).

use super::layout::{Layout, Orphan, join};
use crate::compare::{ChangeKind, Difference};
use crate::diagnostic::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};

/// Version of the form of [`Review`].
pub const SNAPSHOT_REVIEW_FORMAT: &str = "nvcre.nvidia.com/snapshot-review/v1";

/// Scenarios against their snapshots.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// Version of this form.
    pub format: String,
    /// Folder of the scenarios, as the caller named it.
    pub root: String,
    /// Folder of the snapshots; absent when each is beside its scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<String>,
    /// How many of which verdict.
    pub counts: Counts,
    /// Every scenario that was looked at, by name.
    pub scenarios: Vec<ScenarioReview>,
    /// Snapshots without a scenario, by folder; not looked for when scenarios were chosen by name.
    pub orphans: Vec<Orphan>,
    /// Findings that belong to no single scenario, orphans among them.
    pub findings: Vec<Diagnostic>,
}

/// How many scenarios have which verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// All that were looked at.
    pub scenarios: usize,
    /// As their snapshots.
    pub same: usize,
    /// Other than their snapshots.
    pub differs: usize,
    /// Without a snapshot.
    pub missing: usize,
    /// With a snapshot that cannot be read or is none.
    pub broken: usize,
    /// That could not be rendered, because they could not be read.
    pub failed: usize,
    /// Snapshots without a scenario.
    pub orphans: usize,
}

/// What became of a scenario.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// As its snapshot.
    #[default]
    Same,
    /// Other than its snapshot.
    Differs,
    /// It has no snapshot.
    Missing,
    /// Its snapshot cannot be read or is none.
    Broken,
    /// It cannot be read, and was not rendered.
    Failed,
}

/// A file of a snapshot that is not as a new rendering writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Its name.
    pub file: String,
    /// What a new rendering does to it.
    pub change: ChangeKind,
}

/// One scenario against its snapshot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScenarioReview {
    /// The scenario.
    pub name: String,
    /// Its title; empty when it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its run, as a file for people.
    pub run: String,
    /// The folder of its snapshot, likewise.
    pub snapshot: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Files of the snapshot that are not as a new rendering writes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// What differs, the snapshot being A and a new rendering B; absent when nothing does, or nothing can be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Box<Difference>>,
    /// Findings about the scenario and its snapshot. What the rendering itself finds is part of the snapshot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Diagnostic>,
}

impl ScenarioReview {
    /// A scenario that was not rendered, and why; files of the findings are named relative to its folder. `root` and
    /// `snapshots` are as for [`super::compare`].
    pub fn failed(name: &str, root: &str, snapshots: Option<&str>, mut findings: Vec<Diagnostic>) -> Self {
        let folder = join(root, name);
        locate(&mut findings, &folder);
        Self {
            name: name.to_owned(),
            run: join(&folder, super::RUN),
            snapshot: Shown { root, snapshots }.snapshot(name),
            verdict: Verdict::Failed,
            findings,
            ..Self::default()
        }
    }

    /// True when nothing is to be said.
    pub fn is_fine(&self) -> bool {
        self.verdict == Verdict::Same && self.findings.is_empty()
    }
}

impl Review {
    /// Puts all of it together: scenarios in the order of their names.
    pub fn new(
        root: &str,
        snapshots: Option<&str>,
        mut scenarios: Vec<ScenarioReview>,
        orphans: Vec<Orphan>,
        findings: Vec<Diagnostic>,
    ) -> Self {
        scenarios.sort_by(|a, b| a.name.cmp(&b.name));
        let count = |verdict| scenarios.iter().filter(|s| s.verdict == verdict).count();
        let counts = Counts {
            scenarios: scenarios.len(),
            same: count(Verdict::Same),
            differs: count(Verdict::Differs),
            missing: count(Verdict::Missing),
            broken: count(Verdict::Broken),
            failed: count(Verdict::Failed),
            orphans: orphans.len(),
        };
        let format = SNAPSHOT_REVIEW_FORMAT.into();
        let snapshots = snapshots.map(str::to_owned);
        Self { format, root: root.to_owned(), snapshots, counts, scenarios, orphans, findings }
    }

    /// Every finding: those of no single scenario, then those of scenarios by name.
    pub fn all_findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().chain(self.scenarios.iter().flat_map(|scenario| &scenario.findings))
    }

    /// True when every scenario is as its snapshot, and no finding is an error.
    pub fn is_fine(&self) -> bool {
        self.counts.same == self.counts.scenarios && !self.all_findings().any(|d| d.severity == Severity::Error)
    }
}

/// Names files below a folder as people know them, who know the folder under `root`.
pub fn locate(findings: &mut [Diagnostic], root: &str) {
    for finding in findings {
        let related = finding.related.iter_mut().map(|related| &mut related.file);
        for file in std::iter::once(&mut finding.file).chain(related).flatten() {
            *file = join(root, file);
        }
    }
}

/// Where files are, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown<'s> {
    pub root: &'s str,
    pub snapshots: Option<&'s str>,
}

impl Shown<'_> {
    /// The folder of a snapshot.
    pub fn snapshot(&self, scenario: &str) -> String {
        match self.snapshots {
            Some(folder) => join(folder, &Layout::Apart.folder(scenario)),
            None => join(self.root, &Layout::Beside.folder(scenario)),
        }
    }
}
