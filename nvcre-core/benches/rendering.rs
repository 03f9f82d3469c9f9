//! One run on 16 nodes, from text to text, beside printing the finished values; and what the trace costs.
//!
//! A plain program: the sides of a comparison take turns, so that a busy machine slows all of them, and medians and
//! ratios are printed. Targets: text to all manifests as text at most 3 × printing the finished values as YAML; a trace
//! that nobody asks for costs nothing. `cargo bench -p nvcre-core --bench rendering`; a word after `--` picks stages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

use nvcre_core::engine::{Delivery, Engine, Options, RunInput};
use nvcre_core::fleet::{Inventory, InventoryReader};
use nvcre_core::yaml::{to_yaml, write_yaml};
use serde_json::Value;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rounds in which every side has a turn.
const ROUNDS: usize = 61;
/// One turn takes about so long.
const TURN: Duration = Duration::from_millis(4);

type Side<'a> = (&'static str, Box<dyn FnMut() + 'a>);

fn main() {
    // `cargo bench` says so; anything else (`cargo test --all-targets`) only wants to see it work.
    let bench = std::env::args().any(|a| a == "--bench");
    let wanted = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let rounds = if bench { ROUNDS } else { 1 };
    let run_text = fixture("page-basic-aws-gb300/run.yaml");
    let nodes_text = fixture("inventories/aws-gb300-16.yaml");
    let engine = Engine::new();
    let options = Options::default();
    let run = engine.read_run(&run_text, "run.yaml", false);
    let nodes = inventory(&nodes_text);
    let values = manifests(&engine, &run, &nodes, &options);
    let rendering = engine.render(&run, Some(&nodes), &options);
    println!("{} manifests, {} bytes of YAML\n", values.len(), print(&values).len());

    let mut sides: Vec<Side<'_>> = vec![
        ("print the values", Box::new(|| drop(black_box(print(&values))))),
        ("print them with serde-saphyr", Box::new(|| drop(black_box(print_serde(&values))))),
        ("text to text", Box::new(|| drop(black_box(text(&engine, &run_text, &nodes, &options))))),
        (
            "text to text, nodes too",
            Box::new(|| drop(black_box(text(&engine, &run_text, &inventory(&nodes_text), &options)))),
        ),
        ("read the run", Box::new(|| drop(black_box(engine.read_run(&run_text, "run.yaml", false))))),
        ("read the nodes", Box::new(|| drop(black_box(inventory(&nodes_text))))),
        ("render", Box::new(|| drop(black_box(engine.render(&run, Some(&nodes), &options))))),
        ("render with a trace", Box::new(|| drop(black_box(engine.render_traced(&run, Some(&nodes), &options))))),
        ("prepare the jobs", Box::new(|| drop(black_box(rendering.jobs(Delivery::Trainer))))),
    ];
    if let Some(word) = &wanted {
        sides.retain(|(name, _)| name.contains(word.as_str()));
    }
    let medians = alternate(&mut sides, rounds);
    for (name, time) in &medians {
        println!("{name:<30} {:>9.1} µs", time.as_secs_f64() * 1e6);
    }
    println!();
    for (target, above, below) in [
        ("at most 3", "text to text", "print the values"),
        ("", "text to text", "print them with serde-saphyr"),
        ("", "text to text, nodes too", "print the values"),
        ("", "render with a trace", "render"),
    ] {
        let of = |name: &str| medians.iter().find(|(n, _)| *n == name).map(|(_, t)| t.as_secs_f64());
        if let (Some(above_time), Some(below_time)) = (of(above), of(below)) {
            println!("{above} / {below}: {:.2} {target}", above_time / below_time);
        }
    }
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

fn text(engine: &Engine, run: &[u8], nodes: &Inventory, options: &Options) -> String {
    let run = engine.read_run(run, "run.yaml", false);
    let rendering = engine.render(&run, Some(nodes), options);
    let jobs = rendering.jobs(Delivery::Trainer);
    let prepared = jobs.prepared.expect("the fixture renders");
    let mut out = String::new();
    for manifest in prepared.shared(to_yaml) {
        write_yaml(&mut out, &manifest.value).unwrap();
    }
    let mut renderer = prepared.renderer();
    for job in prepared.jobs() {
        for manifest in renderer.render(job) {
            write_yaml(&mut out, &manifest.value).unwrap();
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

/// Medians of all sides, which take turns.
fn alternate(sides: &mut [Side<'_>], rounds: usize) -> Vec<(&'static str, Duration)> {
    let counts: Vec<u32> = sides
        .iter_mut()
        .map(|(_, run)| {
            let start = Instant::now();
            run();
            let once = start.elapsed().max(Duration::from_nanos(1));
            u32::try_from(TURN.as_nanos() / once.as_nanos()).unwrap_or(1).clamp(1, 10_000)
        })
        .collect();
    let mut times = vec![Vec::with_capacity(rounds); sides.len()];
    for _ in 0..rounds {
        for ((times, (_, run)), count) in times.iter_mut().zip(sides.iter_mut()).zip(&counts) {
            let start = Instant::now();
            for _ in 0..*count {
                run();
            }
            times.push(start.elapsed() / *count);
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    sides.iter().map(|(name, _)| *name).zip(times.into_iter().map(median)).collect()
}
