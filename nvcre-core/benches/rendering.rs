//! One run on 16 nodes, from text to text, beside printing the finished values; and what the trace costs.
//!
//! Targets: text to all manifests as text at most 3 × printing the finished values as YAML, by the same printer; a trace
//! that nobody asks for costs nothing. The nodes are read once, before: reading inventories is `reading.rs`.
//! `cargo bench -p nvcre-core --bench rendering`; a word after `--` picks sides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

mod turns;

use nvcre_core::engine::{Delivery, Engine, Options, RunInput};
use nvcre_core::explain::{Explainer, Overview};
use nvcre_core::fleet::{Inventory, InventoryReader};
use nvcre_core::jobs::Prepared;
use nvcre_core::yaml::{to_yaml, write_yaml};
use serde_json::Value;
use std::hint::black_box;
use std::path::Path;
use turns::{Side, compare};

fn main() {
    let run_text = fixture("page-basic-aws-gb300/run.yaml");
    let nodes_text = fixture("inventories/aws-gb300-16.yaml");
    let engine = Engine::new();
    let options = Options::default();
    let run = engine.read_run(&run_text, "run.yaml", false);
    let nodes = inventory(&nodes_text);
    let values = manifests(&engine, &run, &nodes, &options);
    let rendering = engine.render(&run, Some(&nodes), &options);
    println!("{} manifests, {} bytes of YAML\n", values.len(), print(&values).len());

    let sides: Vec<Side<'_>> = vec![
        ("print the values", Box::new(|| drop(black_box(print(&values))))),
        ("print them with serde-saphyr", Box::new(|| drop(black_box(print_serde(&values))))),
        ("text to text", Box::new(|| drop(black_box(text(&engine, &run_text, &nodes, &options))))),
        ("read the run", Box::new(|| drop(black_box(engine.read_run(&run_text, "run.yaml", false))))),
        ("read the nodes", Box::new(|| drop(black_box(inventory(&nodes_text))))),
        ("render", Box::new(|| drop(black_box(engine.render(&run, Some(&nodes), &options))))),
        ("render with a trace", Box::new(|| drop(black_box(engine.render_traced(&run, Some(&nodes), &options))))),
        ("render and prepare", Box::new(|| _ = black_box(prepared(&engine, &run, &nodes, &options)))),
        ("render, prepare, explain", Box::new(|| drop(black_box(explained(&engine, &run, &nodes, &options))))),
        ("text to text, explained", Box::new(|| drop(black_box(text_explained(&engine, &run_text, &nodes, &options))))),
        ("prepare the jobs", Box::new(|| drop(black_box(rendering.jobs(Delivery::Trainer))))),
    ];
    let ratios = [
        ("at most 3", "text to text", "print the values"),
        ("", "text to text", "print them with serde-saphyr"),
        ("", "render with a trace", "render"),
        ("at most 1.3", "text to text, explained", "text to text"),
        ("", "render, prepare, explain", "render and prepare"),
    ];
    compare(sides, 61, &ratios);
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(name)).unwrap()
}

fn inventory(text: &[u8]) -> Inventory {
    let mut reader = InventoryReader::new();
    reader.read("nodes.yaml", text);
    reader.finish().value
}

fn manifests(engine: &Engine, run: &RunInput, nodes: &Inventory, options: &Options) -> Vec<Value> {
    let rendering = engine.render(run, Some(nodes), options);
    let jobs = rendering.jobs(Delivery::Trainer);
    let prepared = jobs.prepared.expect("the fixture renders");
    let jobs = prepared.jobs().flat_map(|job| prepared.manifests(job));
    prepared.shared(to_yaml).into_iter().chain(jobs).map(|m| m.value).collect()
}

fn prepared(engine: &Engine, run: &RunInput, nodes: &Inventory, options: &Options) -> usize {
    let rendering = engine.render(run, Some(nodes), options);
    rendering.jobs(Delivery::Trainer).prepared.expect("the fixture renders").groups().len()
}

/// As [`prepared`], and the whole run explained on one screen.
fn explained(engine: &Engine, run: &RunInput, nodes: &Inventory, options: &Options) -> Overview {
    let (rendering, trace) = engine.render_traced(run, Some(nodes), options);
    let jobs = rendering.jobs(Delivery::Trainer);
    Explainer::new(engine, &rendering, &trace, jobs.prepared.as_ref()).overview()
}

/// As [`text`], and the whole run explained on one screen.
fn text_explained(engine: &Engine, run: &[u8], nodes: &Inventory, options: &Options) -> (String, Overview) {
    let run = engine.read_run(run, "run.yaml", false);
    let (rendering, trace) = engine.render_traced(&run, Some(nodes), options);
    let jobs = rendering.jobs(Delivery::Trainer);
    let prepared = jobs.prepared.expect("the fixture renders");
    let overview = Explainer::new(engine, &rendering, &trace, Some(&prepared)).overview();
    (all(&prepared), overview)
}

fn text(engine: &Engine, run: &[u8], nodes: &Inventory, options: &Options) -> String {
    let run = engine.read_run(run, "run.yaml", false);
    let rendering = engine.render(&run, Some(nodes), options);
    let jobs = rendering.jobs(Delivery::Trainer);
    all(&jobs.prepared.expect("the fixture renders"))
}

/// All manifests as text.
fn all(prepared: &Prepared<'_>) -> String {
    let mut out = String::new();
    for manifest in prepared.shared(to_yaml) {
        write_yaml(&mut out, &manifest.value).unwrap();
    }
    let mut printer = prepared.printer();
    for job in prepared.jobs() {
        for object in printer.print(job) {
            out.push_str(&object.yaml);
        }
    }
    out
}

fn print(values: &[Value]) -> String {
    let mut out = String::new();
    for value in values {
        write_yaml(&mut out, value).unwrap();
    }
    out
}

fn print_serde(values: &[Value]) -> String {
    values.iter().map(|value| serde_yaml::to_string(value).unwrap()).collect()
}
