//! Scenarios on disk: reading, rendering several at a time, and comparing with their snapshots.

mod disk;
pub mod github;
pub mod junit;
pub mod markdown;
pub mod text;
mod write;

use crate::cli::SnapshotArgs;
use crate::input;
use crate::report::Texts;
use anyhow::{Result, anyhow, bail};
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::{Diagnostic, has_errors};
use nvcre_core::engine::Engine;
use nvcre_core::fleet::{Inventory, InventoryReader, PodsReader};
use nvcre_core::snapshot::{
    self, Layout, Listing, Review, SETTINGS, Scenario, ScenarioFolder, ScenarioInput, ScenarioReview, SnapshotFile,
};
use nvcre_core::yaml::Read;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

pub use write::{Written, write};

/// All scenarios, compared.
#[derive(Debug)]
pub struct Judged {
    /// The verdict.
    pub review: Review,
    /// New files of the scenarios whose snapshots are not as they give, by name.
    pub files: BTreeMap<String, Vec<SnapshotFile>>,
    /// Where snapshots are.
    pub base: PathBuf,
    /// How they are laid out there.
    pub layout: Layout,
}

/// What the scenarios share.
struct Shared<'a> {
    engine: &'a Engine,
    root: &'a Path,
    /// The root and the folder of snapshots, for people.
    root_name: &'a str,
    snapshots_name: Option<&'a str>,
    base: &'a Path,
    layout: Layout,
    listing: &'a Listing,
    inventories: Mutex<BTreeMap<Files, Arc<OnceLock<Nodes>>>>,
}

/// Names of the files of nodes and pods in findings, and where they are below the root.
type Files = (Vec<String>, Vec<String>);

/// Nodes of some files, or the first file that could not be opened and why.
type Nodes = std::result::Result<Read<Inventory>, (String, String)>;

/// Renders the scenarios that are asked for and compares them.
///
/// # Errors
/// When the root, the folder of snapshots or the catalogue cannot be read, or a name means no scenario.
pub fn judge(args: &SnapshotArgs) -> Result<Judged> {
    let mut findings = Vec::new();
    let catalogue = input::catalogue(args.catalogue.as_deref(), &mut findings, &mut Texts::default())?;
    if has_errors(&findings) {
        bail!("the catalogue has errors: `nvcrectl catalogue check` tells them");
    }
    let engine = catalogue.map_or_else(Engine::new, Engine::with_catalogue);
    let root = args.root.as_path();
    let root_name = name_of(root);
    let settings =
        disk::read(&root.join(SETTINGS)).map_err(|e| anyhow!("cannot open {}: {e}", root.join(SETTINGS).display()))?;
    // Ignored folders are not gone through, so they are read before the list that they are checked against.
    let ignore = snapshot::read_settings(settings.as_deref(), &Listing::default()).value.ignore;
    let listing = disk::list(root, &ignore)?;
    let settings = snapshot::read_settings(settings.as_deref(), &listing);
    let (scenarios, mut findings) = snapshot::discover(&listing, &ignore);
    let broken = has_errors(&settings.diagnostics);
    findings.extend(settings.diagnostics);
    let apart = match (&args.snapshots, &settings.value.snapshots) {
        (Some(folder), _) => Some((folder.clone(), name_of(folder))),
        (None, Some(folder)) => Some((root.join(folder), snapshot::join(&root_name, folder))),
        (None, None) => None,
    };
    let layout = if apart.is_some() { Layout::Apart } else { Layout::Beside };
    let (base, snapshots_name) = match &apart {
        Some((base, name)) => (base.as_path(), Some(name.as_str())),
        None => (root, None),
    };
    let shared = Shared {
        engine: &engine,
        root,
        root_name: &root_name,
        snapshots_name,
        base,
        layout,
        listing: &listing,
        inventories: Mutex::default(),
    };
    let chosen = snapshot::select(&scenarios, &args.names, &root_name).map_err(|(name, near)| {
        let near = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        anyhow!("no scenario in {root_name} is named `{name}`{near}")
    })?;
    if !args.names.is_empty() {
        let of_chosen = |d: &Diagnostic| {
            let file = d.file.as_deref().unwrap_or_default();
            file == SETTINGS || chosen.iter().any(|s| file.starts_with(&format!("{}/", s.name)))
        };
        findings.retain(of_chosen);
    }
    // Where snapshots are is not known for sure.
    let judged = if broken { Vec::new() } else { in_parallel(&shared, &chosen, args.jobs.map(Into::into))? };
    let mut orphans = Vec::new();
    if args.names.is_empty() && !broken {
        let there = match layout {
            Layout::Apart if !base.exists() => Listing::default(),
            Layout::Apart => disk::list(base, &[])?,
            Layout::Beside => listing.clone(),
        };
        orphans = snapshot::orphans(layout, &listing, &ignore, &there, |folder| disk::is_snapshot(&base.join(folder)));
    }
    snapshot::locate(&mut findings, &root_name);
    let base_name = snapshots_name.unwrap_or(&root_name);
    findings.extend(orphans.iter().map(|orphan| orphan.finding(&snapshot::join(base_name, &orphan.folder))));
    let mut files = BTreeMap::new();
    let mut reviews = Vec::new();
    for (review, new) in judged {
        if !review.files.is_empty() {
            files.insert(review.name.clone(), new);
        }
        reviews.push(review);
    }
    let review = Review::new(&root_name, snapshots_name, reviews, orphans, findings);
    Ok(Judged { review, files, base: base.to_owned(), layout })
}

/// A folder as it is shown: with `/`, and without `./`.
fn name_of(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    snapshot::join(&text, "")
}

/// Every processor takes the next scenario that nobody has; the order of the result is that of the list.
fn in_parallel(
    shared: &Shared<'_>,
    scenarios: &[&ScenarioFolder],
    jobs: Option<usize>,
) -> Result<Vec<(ScenarioReview, Vec<SnapshotFile>)>> {
    let jobs = jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(scenario) = scenarios.get(at) else { return done };
            done.push((at, one(shared, scenario)));
        }
    };
    let mut out = Vec::new();
    if jobs.min(scenarios.len()) <= 1 {
        out = work();
    } else {
        // The catalogue is parsed once, not once a thread.
        let _ = Catalogue::builtin();
        let finished = thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs.min(scenarios.len())).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
        });
        for done in finished {
            out.extend(done.map_err(|_| anyhow!("a scenario could not be rendered because of a fault in nvcrectl"))?);
        }
        out.sort_by_key(|(at, _)| *at);
    }
    Ok(out.into_iter().map(|(_, judged)| judged).collect())
}

/// Renders and compares one scenario; whatever is wrong with its files is a finding.
fn one(shared: &Shared<'_>, folder: &ScenarioFolder) -> (ScenarioReview, Vec<SnapshotFile>) {
    judged(shared, folder).unwrap_or_else(|findings| {
        let review = ScenarioReview::failed(&folder.name, shared.root_name, shared.snapshots_name, findings);
        (review, Vec::new())
    })
}

fn judged(
    shared: &Shared<'_>,
    folder: &ScenarioFolder,
) -> std::result::Result<(ScenarioReview, Vec<SnapshotFile>), Vec<Diagnostic>> {
    let name = &folder.name;
    let unreadable = |file: &str, reason: &dyn std::fmt::Display| vec![snapshot::unreadable(file, &reason.to_string())];
    let bytes = |file: &str| disk::read(&shared.root.join(name).join(file)).map_err(|error| unreadable(file, &error));
    let file = if folder.has_file { bytes(snapshot::SCENARIO)? } else { None };
    let read = snapshot::read_scenario(name, file.as_deref(), &shared.listing.beside(name));
    if has_errors(&read.diagnostics) {
        return Err(read.diagnostics);
    }
    let scenario = read.value;
    let Some(run) = bytes(snapshot::RUN)? else {
        return Err(unreadable(snapshot::RUN, &"it is gone"));
    };
    let nodes = (!scenario.nodes.is_empty()).then(|| shared.nodes(&scenario));
    let inventory = match nodes.as_ref().map(|cell| cell.get_or_init(|| shared.read_nodes(&scenario))) {
        None => None,
        Some(Ok(read)) => Some(read),
        Some(Err((file, reason))) => return Err(vec![scenario.unreadable_nodes(file, reason)]),
    };
    let before = disk::snapshot(&shared.base.join(shared.layout.folder(name)));
    let input = ScenarioInput { scenario: &scenario, run: &run, inventory };
    let outcome = snapshot::render(shared.engine, &input);
    let (root, snapshots) = (shared.root_name, shared.snapshots_name);
    match before {
        Ok(before) => {
            let review = snapshot::compare(shared.engine, &input, &outcome, &before, root, snapshots);
            Ok((review, outcome.files))
        }
        Err((file, error)) => {
            let mut review = ScenarioReview::failed(name, root, snapshots, Vec::new());
            let file = snapshot::join(&review.snapshot, file);
            review.findings.push(snapshot::unreadable(&file, &error.to_string()));
            Ok((review, Vec::new()))
        }
    }
}

impl Shared<'_> {
    /// The place of the nodes of some files, which scenarios share.
    fn nodes(&self, scenario: &Scenario) -> Arc<OnceLock<Nodes>> {
        let files: Vec<String> = scenario.nodes.iter().chain(&scenario.pods).cloned().collect();
        let places = files.iter().map(|file| snapshot::join(&scenario.name, file)).collect();
        let mut known = self.inventories.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry((files, places)).or_default())
    }

    fn read_nodes(&self, scenario: &Scenario) -> Nodes {
        let open = |name: &String| {
            let file = File::open(self.root.join(&scenario.name).join(name)).and_then(|file| {
                match file.metadata()?.is_dir() {
                    true => Err(std::io::Error::other("it is a folder")),
                    false => Ok(std::io::BufReader::with_capacity(1 << 16, file)),
                }
            });
            file.map_err(|error| (name.clone(), error.to_string()))
        };
        let mut reader = InventoryReader::new();
        for name in &scenario.nodes {
            reader.read(name, open(name)?);
        }
        let mut read = reader.finish();
        let mut reader = PodsReader::new();
        for name in &scenario.pods {
            reader.read(name, open(name)?);
        }
        read.diagnostics.extend(reader.finish(&mut read.value));
        Ok(read)
    }
}
