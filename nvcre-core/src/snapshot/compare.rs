//! One scenario against its snapshot. Bytes are compared first; files are only read where they differ.

use super::cause::causes;
use super::contents::{Outcome, ScenarioInput, SnapshotFile};
use super::earlier::{Earlier, Mark, mark};
use super::layout::join;
use super::review::{FileChange, ScenarioReview, Shown, Verdict, locate};
use super::{FILES, FINDINGS, MANIFESTS, RUN, WORKFLOW};
use crate::compare::{
    ChangeKind, Difference, Meaning, ObjectChange, ObjectScope, What, finding_changes, plans, rendered_files, values,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::Engine;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Files of a snapshot by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Sentences of a difference that one finding repeats.
const MOST_SENTENCES: usize = 8;

/// Compares what a scenario gives with its snapshot. `root` and `snapshots` (absent when snapshots are beside scenarios)
/// are the folders as people know them, `before` are the files of the snapshot that a snapshot may hold.
pub fn compare(
    engine: &Engine,
    input: &ScenarioInput<'_>,
    outcome: &Outcome,
    before: &Files,
    root: &str,
    snapshots: Option<&str>,
) -> ScenarioReview {
    let scenario = input.scenario;
    let shown = Shown { root, snapshots };
    let folder = join(root, &scenario.name);
    let mut out = ScenarioReview {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        run: join(&folder, RUN),
        snapshot: shown.snapshot(&scenario.name),
        findings: outcome.unmet(scenario),
        ..ScenarioReview::default()
    };
    out.files = changes(before, &outcome.files);
    if before.is_empty() {
        out.verdict = Verdict::Missing;
        let message = format!("the scenario `{}` has no snapshot yet", scenario.name);
        out.findings.push(
            Diagnostic::new(Code::SnapshotMissing, message)
                .with_help(format!("write it with `{}`", update(root, &scenario.name)))
                .with_file(RUN),
        );
    } else if before.get(FINDINGS).is_none_or(|bytes| mark(bytes) == Mark::Foreign) {
        out.verdict = Verdict::Broken;
        let (first, why) = match (before.contains_key(FINDINGS), before.keys().next()) {
            (false, Some(first)) => (first.as_str(), format!("no {FINDINGS} beside it says that it is a snapshot")),
            _ => (FINDINGS, "it does not name the form of a snapshot".to_owned()),
        };
        let message = format!("a file stands where the snapshot of `{}` belongs, and {why}", scenario.name);
        let finding = Diagnostic::new(Code::SnapshotForeign, message)
            .with_help("move it away, or keep snapshots in another folder; nothing was changed");
        locate(&mut out.findings, &folder);
        out.findings.push(finding.with_file(join(&out.snapshot, first)));
        return out;
    } else if !out.files.is_empty() {
        differ(engine, input, &outcome.files, before, root, &mut out);
        return out;
    }
    locate(&mut out.findings, &folder);
    out
}

/// The command that writes the snapshot of a scenario.
fn update(root: &str, scenario: &str) -> String {
    let words = [("--root", root), ("", scenario)].into_iter().filter(|(_, text)| *text != ".");
    words.fold("nvcrectl snapshot update".to_owned(), |out, (flag, text)| match flag {
        "" => format!("{out} {text}"),
        flag => format!("{out} {flag} {text}"),
    })
}

fn changes(before: &Files, after: &[SnapshotFile]) -> Vec<FileChange> {
    let change = |name: &&str| {
        let new = after.iter().find(|file| file.name == *name);
        let change = match (before.get(*name), new) {
            (None, None) => return None,
            (None, Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (Some(old), Some(new)) if same(old, &new.text) => return None,
            (Some(_), Some(_)) => ChangeKind::Changed,
        };
        Some(FileChange { file: (*name).to_owned(), change })
    };
    FILES.iter().filter_map(change).collect()
}

/// Equal bytes; line breaks may be those of Windows, as Git checks them out there.
fn same(old: &[u8], new: &str) -> bool {
    if old == new.as_bytes() {
        return true;
    }
    old.len() > new.len() && old.windows(2).any(|pair| pair == b"\r\n") && *unix(old) == *new.as_bytes()
}

fn unix(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().peekable();
    while let Some(byte) = rest.next() {
        if !(*byte == b'\r' && rest.peek() == Some(&&b'\n')) {
            out.push(*byte);
        }
    }
    Cow::Owned(out)
}

fn differ(
    engine: &Engine,
    input: &ScenarioInput<'_>,
    after: &[SnapshotFile],
    before: &Files,
    root: &str,
    out: &mut ScenarioReview,
) {
    let changed = |name: &str| out.files.iter().any(|file| file.file == name);
    let plain: Files = before.iter().map(|(name, bytes)| (name.clone(), unix(bytes).into_owned())).collect();
    let old = Earlier::read(&out.snapshot, &plain, changed);
    let new: Files = after.iter().map(|file| (file.name.to_owned(), file.text.clone().into_bytes())).collect();
    let new = Earlier::read(&out.run, &new, changed);
    let mut found = old.problems.clone();
    let difference = join_all(&out.snapshot, &out.run, &old, &new, &mut found);
    out.verdict = if found.is_empty() { Verdict::Differs } else { Verdict::Broken };
    let help = format!("if it is meant so, accept it with `{}`", update(root, &input.scenario.name));
    // A run that stands in both snapshots is known to be the same, or what in it is not.
    let run_known =
        !changed(MANIFESTS) && before.contains_key(MANIFESTS) || old.manifests.is_some() && new.manifests.is_some();
    let mut differs: Vec<Diagnostic> = Vec::new();
    for cause in causes(engine, input, &difference, run_known) {
        let more = cause.sentences.len().saturating_sub(MOST_SENTENCES);
        let mut text = cause.sentences.iter().take(MOST_SENTENCES).cloned().collect::<Vec<_>>().join("; ");
        if more > 0 {
            text.push_str(&format!("; and {more} more"));
        }
        let mut finding = Diagnostic::new(Code::SnapshotDiffers, text).with_help(help.clone()).with_file(RUN);
        (finding.span, finding.path) = (cause.span, cause.path);
        differs.push(finding);
    }
    if differs.is_empty() && found.is_empty() {
        let message = only_form(&out.files, &difference);
        differs.push(Diagnostic::new(Code::SnapshotDiffers, message).with_help(help).with_file(RUN));
    }
    for finding in &mut differs {
        finding.message = format!("`{}` is not as its snapshot: {}", input.scenario.name, finding.message);
    }
    out.findings.extend(differs);
    locate(&mut out.findings, &join(root, &input.scenario.name));
    out.findings.extend(found);
    out.difference = (!difference.is_empty()).then(|| Box::new(difference));
}

/// The sentence about files that differ where the difference itself says nothing in words.
fn only_form(files: &[FileChange], difference: &Difference) -> String {
    let names = |kind: Option<ChangeKind>| {
        let of_kind = files.iter().filter(|file| kind.is_none_or(|kind| file.change == kind));
        of_kind.map(|file| file.file.as_str()).collect::<Vec<_>>().join(", ")
    };
    let fields: usize = difference.objects.iter().map(|object| object.changes.len()).sum();
    match (fields, names(Some(ChangeKind::Added)), names(Some(ChangeKind::Removed))) {
        (0, added, removed) if added.is_empty() && removed.is_empty() => {
            format!(
                "no value differs, only places of findings, reasons to accept them, white space or the order of keys in {}",
                names(None)
            )
        }
        (0, added, removed) => {
            let parts = [("is new", added), ("is gone", removed)];
            let parts = parts.iter().filter(|(_, files)| !files.is_empty());
            parts.map(|(what, files)| format!("{files} {what}")).collect::<Vec<_>>().join(", ")
        }
        (1, ..) => "one field differs".to_owned(),
        (count, ..) => format!("{count} fields differ"),
    }
}

/// One difference out of those of the single files: nodes and groups from the plans, objects from what was rendered.
fn join_all(old_name: &str, new_name: &str, old: &Earlier, new: &Earlier, found: &mut Vec<Diagnostic>) -> Difference {
    let mut out = Difference::default();
    let mut meanings: Vec<Meaning> = Vec::new();
    let mut objects: Vec<ObjectChange> = Vec::new();
    if let (Some((a, old_value)), Some((b, new_value))) = (&old.plan, &new.plan) {
        out = plans((old_name, a), (new_name, b));
        meanings.append(&mut out.meanings);
        let changes = values(old_value, new_value);
        if !changes.is_empty() {
            let (kind, name) = ("Plan".to_owned(), a.run.clone());
            objects.push(ObjectChange { kind, name, scope: ObjectScope::Run, change: ChangeKind::Changed, changes });
        }
    }
    let mut of_files = |files: [&Option<crate::compare::RenderedFiles>; 2]| {
        let [Some(a), Some(b)] = files else { return None };
        let read = rendered_files(a, b);
        let version = |d: Diagnostic| Diagnostic { code: Code::SnapshotVersion, ..d };
        found.extend(read.diagnostics.into_iter().map(version));
        Some(read.value)
    };
    let manifests = of_files([&old.manifests, &new.manifests]);
    let workflow = of_files([&old.workflow, &new.workflow]);
    let with_plan = !out.format.is_empty();
    let mut put_first = Vec::new();
    for (from, mut difference) in [(MANIFESTS, manifests), (WORKFLOW, workflow)] {
        let Some(difference) = &mut difference else { continue };
        if out.format.is_empty() {
            out.format.clone_from(&difference.format);
            (out.a, out.b) = (difference.a.clone(), difference.b.clone());
            (out.a.file, out.b.file) = (old_name.to_owned(), new_name.to_owned());
        }
        if from == MANIFESTS {
            out.run.append(&mut difference.run);
            out.hosts.append(&mut difference.hosts);
        }
        // Manifests are of some groups only: nodes and groups are those of the plan. The Workflow says again what the
        // manifests say.
        let manifests_said = from == WORKFLOW && !put_first.is_empty();
        for meaning in std::mem::take(&mut difference.meanings) {
            let of_plan = matches!(
                meaning.what,
                What::Fact { .. }
                    | What::NodesLeave { .. }
                    | What::NodesJoin { .. }
                    | What::Groups { .. }
                    | What::Members { .. }
                    | What::NodesMove { .. }
                    | What::NodesRepeat { .. }
                    | What::GroupsRenamed { .. }
            );
            let said = meanings.iter().any(|known| known.text == meaning.text);
            let repeats = if of_plan { with_plan || from == MANIFESTS } else { manifests_said };
            if !said && !repeats {
                meanings.push(meaning);
            }
        }
        put_first.append(&mut difference.objects);
    }
    let (findings, mut of_findings) = match (&old.findings, &new.findings) {
        (Some(a), Some(b)) => finding_changes(a, b),
        _ => Default::default(),
    };
    meanings.append(&mut of_findings);
    put_first.append(&mut objects);
    if out.format.is_empty() {
        out.format = crate::compare::DIFF_FORMAT.into();
        (out.a.file, out.b.file) = (old_name.to_owned(), new_name.to_owned());
    }
    Difference { meanings, findings, objects: put_first, ..out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_of_windows_are_no_difference() {
        assert!(same(b"a\r\nb\r\n", "a\nb\n"));
        assert!(same(b"a\r\nb\n", "a\nb\n"));
        assert!(!same(b"a\rb\n", "ab\n"));
        assert!(!same(b"a\r\n", "b\n"));
        assert!(!same(b"a\n", "a\nb\n"));
    }
}
