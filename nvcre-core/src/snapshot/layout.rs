//! Which folders are scenarios, where their snapshots are, and which snapshots belong to no scenario: out of lists of
//! what is on disk.

use super::{FILES, FINDINGS, RUN, SCENARIO};
use crate::check::nearest;
use crate::diagnostic::{Code, Diagnostic};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link to a folder that leads back to one that it is in.
    Loop,
    /// Something that could not be looked at, and why.
    Unreadable(String),
}

/// Everything below a folder, by its path relative to that with `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing(pub BTreeMap<String, Listed>);

impl Listing {
    /// True when there is a file of that path, readable or not.
    pub fn has(&self, path: &str) -> bool {
        matches!(self.0.get(path), Some(Listed::File | Listed::Unreadable(_)))
    }

    /// Names of the files directly in a folder.
    pub fn beside(&self, folder: &str) -> Vec<&str> {
        let start = if folder == "." { String::new() } else { format!("{folder}/") };
        let below = self.0.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
        let names = below.filter(|(_, listed)| **listed != Listed::Folder);
        names.filter_map(|(path, _)| path.get(start.len()..).filter(|rest| !rest.contains('/'))).collect()
    }
}

/// Where snapshots are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Layout {
    /// Each in the folder `snapshot` of its scenario.
    Beside,
    /// All in one folder, in folders named as their scenarios.
    Apart,
}

impl Layout {
    /// Folder of a scenario's snapshot, relative to the root ([`Self::Beside`]) or to the folder of all snapshots.
    pub fn folder(self, scenario: &str) -> String {
        match self {
            Self::Beside => join(scenario, "snapshot"),
            Self::Apart => scenario.to_owned(),
        }
    }

    /// The scenario that a folder is the snapshot of; `None` for folders that are no snapshots.
    fn scenario(self, folder: &str) -> Option<String> {
        match self {
            Self::Apart => Some(folder.to_owned()),
            Self::Beside if folder == "snapshot" => Some(".".to_owned()),
            Self::Beside => folder.strip_suffix("/snapshot").map(str::to_owned),
        }
    }
}

/// The folder of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScenarioFolder {
    /// Its path below the root, which is the scenario's name; `.` for the root itself.
    pub name: String,
    /// `scenario.yaml` is there.
    pub has_file: bool,
}

/// Finds the scenarios of a root: all folders with a `run.yaml` that are not below an ignored folder, by name.
///
/// Findings, with files below the root: a `scenario.yaml` without a run, names that differ only in the case of letters,
/// links that lead back, what could not be looked at, and a root without a scenario.
pub fn discover(listing: &Listing, ignore: &[String]) -> (Vec<ScenarioFolder>, Vec<Diagnostic>) {
    let ignore: Vec<String> = ignore.iter().map(|folder| join("", folder)).collect();
    let (mut out, mut found) = (Vec::new(), Vec::new());
    let mut by_case: BTreeMap<String, String> = BTreeMap::new();
    for (path, listed) in &listing.0 {
        if ignore.iter().any(|folder| is_within(path, folder)) {
            continue;
        }
        let (folder, leaf) = split(path);
        match listed {
            Listed::Loop => found.push(
                Diagnostic::new(
                    Code::ScenarioLink,
                    "the link leads back to a folder that it is in; it is not followed",
                )
                .with_help("remove the link, or name its folder under `ignore` in snapshots.yaml")
                .with_file(path.as_str()),
            ),
            Listed::Unreadable(reason) if leaf != RUN => found.push(unreadable(path, reason)),
            Listed::Folder => {}
            Listed::File if leaf == SCENARIO && !listing.has(&join(folder, RUN)) => {
                let named = listing.beside(folder).into_iter().find(|n| n.starts_with("run.") && *n != RUN);
                let help = match named {
                    Some(named) => format!("rename {named} to {RUN}"),
                    None => format!("put the run into {RUN} beside it, or remove the folder"),
                };
                let message = format!("the scenario `{folder}` has no {RUN}, so that nothing can be rendered");
                found.push(Diagnostic::new(Code::ScenarioWithoutRun, message).with_help(help).with_file(path.as_str()));
            }
            Listed::File | Listed::Unreadable(_) if leaf == RUN => {
                if let Some(first) = by_case.insert(folder.to_lowercase(), folder.to_owned()) {
                    let message = format!(
                        "the scenarios `{first}` and `{folder}` have one name where upper and lower case are the same"
                    );
                    found.push(
                        Diagnostic::new(Code::ScenarioTwice, message)
                            .with_help("rename one of the folders, so that every machine can keep both snapshots")
                            .with_file(path.as_str()),
                    );
                }
                out.push(ScenarioFolder { name: folder.to_owned(), has_file: listing.has(&join(folder, SCENARIO)) });
            }
            Listed::File | Listed::Unreadable(_) => {}
        }
    }
    out.sort();
    if out.is_empty() && found.is_empty() {
        let message = "no folder here holds a run.yaml, so that there is no scenario";
        found.push(
            Diagnostic::new(Code::NoScenarios, message)
                .with_help("name the folder of the scenarios with --root, or put a run into NAME/run.yaml")
                .with_file("."),
        );
    }
    (out, found)
}

/// The finding about something that cannot be read.
pub fn unreadable(file: &str, reason: &str) -> Diagnostic {
    Diagnostic::new(Code::ScenarioUnreadable, format!("cannot be read: {reason}"))
        .with_help("mend the file or its permissions; the other scenarios are not touched by it")
        .with_file(file)
}

/// A snapshot without a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Orphan {
    /// Its folder, relative to where snapshots are.
    pub folder: String,
    /// The files of it that a snapshot may hold.
    pub files: Vec<String>,
}

impl Orphan {
    /// The finding about it; `shown` is its folder for people.
    pub fn finding(&self, shown: &str) -> Diagnostic {
        let message = "the snapshot belongs to no scenario";
        let help = "remove it with `nvcrectl snapshot update`, or bring the folder of its scenario back";
        Diagnostic::new(Code::SnapshotOrphaned, message).with_help(help).with_file(join(shown, FINDINGS))
    }
}

/// Snapshots that belong to no scenario of the root, by folder. `snapshots` is what is below the root or the folder of
/// all snapshots, as the layout has it; `is_snapshot` says of a folder whether the mark of a snapshot is in it
/// ([`super::mark`]). Nothing is orphaned by a folder of the root that could not be looked into.
pub fn orphans(
    layout: Layout,
    root: &Listing,
    ignore: &[String],
    snapshots: &Listing,
    is_snapshot: impl Fn(&str) -> bool,
) -> Vec<Orphan> {
    let ignore: Vec<String> = ignore.iter().map(|folder| join("", folder)).collect();
    let ignored = |path: &str| ignore.iter().any(|folder| is_within(path, folder));
    let known: BTreeSet<&str> = root
        .0
        .keys()
        .map(|path| split(path))
        .filter(|(folder, leaf)| matches!(*leaf, RUN | SCENARIO) && !ignored(folder))
        .map(|(folder, _)| folder)
        .collect();
    let dark: Vec<&String> = root
        .0
        .iter()
        .filter(|(_, l)| matches!(l, Listed::Loop | Listed::Unreadable(_)))
        .map(|(path, _)| path)
        .collect();
    let folders = snapshots.0.iter().filter(|(_, listed)| **listed == Listed::File).map(|(path, _)| split(path));
    let folders = folders.filter(|(_, leaf)| *leaf == FINDINGS).map(|(folder, _)| folder);
    let orphaned = |folder: &&str| {
        let Some(scenario) = layout.scenario(folder) else { return false };
        !(known.contains(scenario.as_str())
            || dark.iter().any(|path| is_within(&scenario, path))
            || (layout == Layout::Beside && ignored(folder)))
            && is_snapshot(folder)
    };
    let files = |folder: &str| {
        let there = FILES.into_iter().filter(|file| snapshots.0.get(&join(folder, file)) == Some(&Listed::File));
        there.map(str::to_owned).collect()
    };
    folders.filter(orphaned).map(|folder| Orphan { folder: folder.to_owned(), files: files(folder) }).collect()
}

/// True when a name that a person gave means the scenario: its name, the end of it, a folder that it is in, or a pattern
/// with `*` and `?` for its name or the end of it.
///
/// ```
/// use nvcre_core::snapshot::is_selected;
/// for given in ["aws/smoke", "smoke", "aws", "aws/*", "s?oke", "./aws/smoke/"] {
///     assert!(is_selected("aws/smoke", given), "{given}");
/// }
/// assert!(!is_selected("aws/smoke", "smo"));
/// ```
pub fn is_selected(scenario: &str, given: &str) -> bool {
    let given = join("", given);
    let (_, leaf) = split(scenario);
    is_within(scenario, &given)
        || scenario.strip_suffix(given.as_str()).is_some_and(|head| head.ends_with('/'))
        || matches(given.as_bytes(), scenario.as_bytes())
        || matches(given.as_bytes(), leaf.as_bytes())
}

/// The scenarios that names mean ([`is_selected`]), all of them without a name. Names may also be paths that begin with
/// `root`, the folder as people know it.
///
/// # Errors
/// The first name that means no scenario, with one that is near.
pub fn select<'f>(
    scenarios: &'f [ScenarioFolder],
    names: &[String],
    root: &str,
) -> Result<Vec<&'f ScenarioFolder>, (String, Option<String>)> {
    let mut chosen = BTreeSet::new();
    for name in names {
        let path = join("", name);
        let below = path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        let here = |s: &&ScenarioFolder| {
            is_selected(&s.name, name) || below.is_some_and(|below| is_selected(&s.name, below)) || path == root
        };
        let found: Vec<&ScenarioFolder> = scenarios.iter().filter(here).collect();
        chosen.extend(found.iter().copied());
        if found.is_empty() {
            let known = scenarios.iter().map(|s| s.name.as_str());
            return Err((name.clone(), nearest(name, known).map(str::to_owned)));
        }
    }
    Ok(if names.is_empty() { scenarios.iter().collect() } else { chosen.into_iter().collect() })
}

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|at| text.get(at..).is_some_and(|tail| matches(rest, tail))),
        ([b'?', rest @ ..], [_, tail @ ..]) => matches(rest, tail),
        ([p, rest @ ..], [t, tail @ ..]) if p == t => matches(rest, tail),
        _ => false,
    }
}

/// True when a path is a folder or in it; `.` holds everything.
fn is_within(path: &str, folder: &str) -> bool {
    folder == "." || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path in a folder, without `.` and, as far as they can be taken back, `..`. The empty path is `.`.
///
/// ```
/// use nvcre_core::snapshot::join;
/// assert_eq!(join("runs/aws", "../nodes/./a.yaml"), "runs/nodes/a.yaml");
/// assert_eq!(join("runs", "../../a.yaml"), "../a.yaml");
/// assert_eq!(join("/runs", "."), "/runs");
/// ```
pub fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')).filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let start = if folder.starts_with('/') { "/" } else { "" };
    match parts.as_slice() {
        [] if start.is_empty() => ".".to_owned(),
        parts => format!("{start}{}", parts.join("/")),
    }
}

/// Folder and last part of a path; `.` for what is directly below.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}
