//! Reading `fixtures/` by the product's own reader: shared by the tests that go over all scenarios.
#![allow(dead_code, reason = "each test target uses its part")]

pub mod roots;

use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::engine::{Delivery, Engine, Options};
use nvcre_core::fleet::{Inventory, InventoryReader, PodsReader};
use nvcre_core::snapshot::{self, Outcome, ScenarioInput, ScenarioReview};
use nvcre_core::yaml::Read;
use std::path::{Path, PathBuf};

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// One folder of `fixtures/`.
pub struct Scenario {
    pub name: String,
    pub folder: PathBuf,
    pub nodes: Vec<PathBuf>,
    /// What runs on the nodes already.
    pub pods: Vec<PathBuf>,
    pub delivery: Delivery,
    pub options: Options,
    pub assume: Option<u32>,
    pub lenient: bool,
    pub inner: snapshot::Scenario,
}

impl Scenario {
    /// All of them, by name.
    pub fn all() -> Vec<Self> {
        Self::below(&root().join("fixtures"))
    }

    /// The scenarios of a folder, by name: every folder with a `run.yaml`.
    pub fn below(folder: &Path) -> Vec<Self> {
        let mut folders: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        folders.retain(|f| f.join("run.yaml").is_file());
        folders.sort();
        assert!(!folders.is_empty(), "no scenario in {}", folder.display());
        folders.into_iter().map(Self::read).collect()
    }

    /// The scenario of a folder; what is wrong with its `scenario.yaml` fails the test.
    pub fn read(folder: PathBuf) -> Self {
        let below = root().join("fixtures");
        let name = folder.strip_prefix(&below).unwrap().to_string_lossy().into_owned();
        let file = std::fs::read(folder.join("scenario.yaml")).ok();
        let files = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        let files: Vec<String> = files.collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let read = snapshot::read_scenario(&name, file.as_deref(), &files);
        assert_eq!(read.diagnostics, [], "{name}");
        let inner = read.value;
        let paths = |files: &[String]| files.iter().map(|file| folder.join(file)).collect();
        Self {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            nodes: paths(&inner.nodes),
            pods: paths(&inner.pods),
            delivery: inner.delivery,
            options: inner.options.clone(),
            assume: inner.assume_nodes,
            lenient: inner.lenient,
            inner,
            folder,
        }
    }

    fn nodes(&self) -> Option<Read<Inventory>> {
        if self.nodes.is_empty() {
            return None;
        }
        let mut reader = InventoryReader::new();
        for name in &self.inner.nodes {
            let path = self.folder.join(name);
            let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            reader.read(name, bytes.as_slice());
        }
        let mut read = reader.finish();
        let mut reader = PodsReader::new();
        for name in &self.inner.pods {
            reader.read(name, std::fs::read(self.folder.join(name)).unwrap().as_slice());
        }
        read.diagnostics.extend(reader.finish(&mut read.value));
        Some(read)
    }

    /// The inventory, and what was wrong with it.
    pub fn inventory(&self) -> (Option<Inventory>, Vec<Diagnostic>) {
        self.nodes().map(|read| (Some(read.value), read.diagnostics)).unwrap_or_default()
    }

    pub fn with_input<T>(&self, work: impl FnOnce(&ScenarioInput<'_>) -> T) -> T {
        let run = std::fs::read(self.folder.join("run.yaml")).unwrap();
        let inventory = self.nodes();
        work(&ScenarioInput { scenario: &self.inner, run: &run, inventory: inventory.as_ref() })
    }

    /// Renders it.
    pub fn render(&self) -> Outcome {
        self.with_input(|input| snapshot::render(&Engine::new(), input))
    }

    /// Renders another text in its place.
    pub fn render_text(&self, run: &[u8]) -> Outcome {
        let inventory = self.nodes();
        snapshot::render(&Engine::new(), &ScenarioInput { scenario: &self.inner, run, inventory: inventory.as_ref() })
    }

    /// Renders it and compares that with its snapshot in `snapshots/`.
    pub fn review(&self) -> (Outcome, ScenarioReview) {
        let folder = root().join("snapshots").join(&self.name);
        let bytes = |file: &&str| Some(((*file).to_owned(), std::fs::read(folder.join(file)).ok()?));
        let before = snapshot::FILES.iter().filter_map(bytes).collect();
        let engine = Engine::new();
        self.with_input(|input| {
            let outcome = snapshot::render(&engine, input);
            let review = snapshot::compare(&engine, input, &outcome, &before, "fixtures", Some("snapshots"));
            (outcome, review)
        })
    }
}

/// What a person would stumble over in a finding; empty when nothing.
pub fn flaws(d: &Diagnostic) -> Vec<String> {
    const NAMES: [&str; 7] = ["Kubernetes", "Kubeflow", "Trainer", "JobSet", "Unpinned", "Open", "NVLink"];
    let mut out = Vec::new();
    let mut flaw = |what: &str, text: &str| out.push(format!("{} {what}: {text}", d.code));
    for text in [Some(&d.message), d.help.as_ref()].into_iter().flatten() {
        let first = text.split([' ', ':', ',']).next().unwrap();
        let word = first.starts_with(|c: char| c.is_ascii_uppercase())
            && first.chars().skip(1).all(|c| c.is_ascii_lowercase());
        if word && !NAMES.contains(&first) {
            flaw("begins with a capital letter", text);
        }
        if text.trim() != text || text.contains("  ") || text.contains('\n') || text.is_empty() {
            flaw("has odd white space", text);
        }
        if text.ends_with(['.', ';', ':', ',']) {
            flaw("ends with a full stop", text);
        }
        let sentences = text.match_indices(". ").any(|(at, _)| text[at + 2..].starts_with(|c: char| c.is_uppercase()));
        if sentences {
            flaw("holds several sentences", text);
        }
        for odd in
            ["Some(", "None", "Ok(", "Err(", "::", "\\\"", "§", "struct ", "enum ", "[]str", "usize", "i32", "u32"]
        {
            if text.contains(odd) {
                flaw(&format!("speaks of `{odd}`"), text);
            }
        }
        let decision =
            |word: &str| word.starts_with('D') && word.len() > 1 && word[1..].bytes().all(|b| b.is_ascii_digit());
        if text.split(|c: char| !c.is_ascii_alphanumeric()).any(decision) {
            flaw("names a decision", text);
        }
    }
    if d.help.is_none() {
        flaw("has no way out", &d.message);
    }
    if d.path.is_none() && d.file.is_none() {
        flaw("has neither field nor file", &d.message);
    }
    out
}
