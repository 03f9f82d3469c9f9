//! Checking the snapshots of 100 scenarios beside rendering them.
//!
//! Target: at most 1.2 × rendering, from the files of the scenarios to the texts of all that a snapshot keeps. Both sides
//! open every file anew; inventories that scenarios share are read once, as the command line does it.
//! `cargo bench -p nvcre-core --bench snapshots`; a word after `--` picks sides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

mod turns;

use nvcre_core::engine::Engine;
use nvcre_core::fleet::{Inventory, InventoryReader};
use nvcre_core::snapshot::{FILES, Files, Outcome, RUN, SCENARIO, Scenario, ScenarioInput, join};
use nvcre_core::snapshot::{read_scenario, render};
use nvcre_core::yaml::Read;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use turns::{Side, compare};

const COUNT: usize = 100;

fn main() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(checkout.join("fixtures")).unwrap().map(|e| e.unwrap().path()).collect();
    // Runs with errors render nothing, and one fleet of 200 nodes is not all there is.
    folders.retain(|folder| {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        folder.join(RUN).is_file() && !name.starts_with("bad-") && !name.starts_with("fleet-200")
    });
    folders.sort();
    folders.truncate(COUNT);
    assert_eq!(folders.len(), COUNT);
    let engine = Engine::new();
    let sides: Vec<Side<'_>> = vec![
        ("render", Box::new(|| all(&engine, &folders, |_, outcome, _| drop(black_box(outcome))))),
        (
            "check",
            Box::new(|| {
                all(&engine, &folders, |input, outcome, folder| {
                    let kept = checkout.join("snapshots").join(folder.file_name().unwrap());
                    let file = |name: &&str| Some(((*name).to_owned(), std::fs::read(kept.join(name)).ok()?));
                    let before: Files = FILES.iter().filter_map(file).collect();
                    let found =
                        nvcre_core::snapshot::compare(&engine, input, &outcome, &before, "fixtures", Some("snapshots"));
                    assert!(found.is_fine(), "{}: nvcrectl snapshot update --root fixtures", found.name);
                    drop(black_box(found));
                });
            }),
        ),
    ];
    compare(sides, 21, &[("at most 1.2", "check", "render")]);
}

/// Renders all scenarios from their files and hands them on.
fn all(engine: &Engine, folders: &[PathBuf], work: impl Fn(&ScenarioInput<'_>, Outcome, &Path)) {
    let mut inventories: BTreeMap<Vec<String>, Read<Inventory>> = BTreeMap::new();
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let file = std::fs::read(folder.join(SCENARIO)).ok();
        let beside: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
        let scenario: Scenario = read_scenario(name, file.as_deref(), &beside).value;
        let run = std::fs::read(folder.join(RUN)).unwrap();
        let places: Vec<String> = scenario.nodes.iter().map(|nodes| join(name, nodes)).collect();
        if !places.is_empty() {
            inventories.entry(places.clone()).or_insert_with(|| read_nodes(folder, &scenario.nodes));
        }
        let input = ScenarioInput { scenario: &scenario, run: &run, inventory: inventories.get(&places) };
        work(&input, render(engine, &input), folder);
    }
}

fn read_nodes(folder: &Path, files: &[String]) -> Read<Inventory> {
    let mut reader = InventoryReader::new();
    for name in files {
        reader.read(name, std::fs::read(folder.join(name)).unwrap().as_slice());
    }
    reader.finish()
}
