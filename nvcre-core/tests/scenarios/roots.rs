//! Roots of scenarios as they are on disk, compared with the snapshots beside them.

use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::engine::Engine;
use nvcre_core::snapshot::{
    FILES, FINDINGS, Layout, Listed, Listing, Mark, RUN, SCENARIO, ScenarioInput, compare, discover, join, mark,
    orphans, read_scenario, render,
};
use std::path::Path;

/// Everything that is found in a root, without inventories.
pub fn findings(root: &Path) -> Vec<Diagnostic> {
    let listing = list(root);
    let (scenarios, mut out) = discover(&listing, &[]);
    let bytes = |path: &str| std::fs::read(root.join(path)).ok();
    let engine = Engine::new();
    for scenario in scenarios {
        let name = scenario.name;
        let read = read_scenario(&name, bytes(&join(&name, SCENARIO)).as_deref(), &listing.beside(&name));
        if !read.diagnostics.is_empty() {
            out.extend(read.diagnostics);
            continue;
        }
        let folder = Layout::Beside.folder(&name);
        let before = FILES.iter().filter_map(|f| Some(((*f).to_owned(), bytes(&join(&folder, f))?))).collect();
        let input = ScenarioInput { scenario: &read.value, run: &bytes(&join(&name, RUN)).unwrap(), inventory: None };
        let outcome = render(&engine, &input);
        out.extend(compare(&engine, &input, &outcome, &before, ".", None).findings);
    }
    let marked = |folder: &str| bytes(&join(folder, FINDINGS)).is_some_and(|b| mark(&b) == Mark::Snapshot);
    let orphaned = orphans(Layout::Beside, &listing, &[], &listing, marked);
    out.extend(orphaned.iter().map(|orphan| orphan.finding(&orphan.folder)));
    out
}

/// Files and folders below a folder.
pub fn list(root: &Path) -> Listing {
    fn walk(folder: &Path, below: &str, out: &mut Listing) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let below = join(below, &entry.file_name().to_string_lossy());
            let is_dir = entry.path().is_dir();
            if is_dir {
                walk(&entry.path(), &below, out);
            }
            out.0.insert(below, if is_dir { Listed::Folder } else { Listed::File });
        }
    }
    let mut out = Listing::default();
    walk(root, ".", &mut out);
    out
}
