//! The difference of two fleets of 10,000 nodes beside rendering both.
//!
//! Target: at most 3 × rendering both, jobs prepared and nothing printed. The nodes are read once, before; B has the nodes
//! of A without every hundredth one, so that all groups behind it shift.
//! `cargo bench -p nvcre-core --bench comparing`; a word after `--` picks sides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

mod turns;

use nvcre_core::compare::{Difference, RenderedSide, renderings};
use nvcre_core::engine::{Delivery, Engine, Jobs, Options, Rendering, RunInput};
use nvcre_core::fleet::{Inventory, InventoryBuilder};
use std::hint::black_box;
use std::path::Path;
use turns::{Side, compare};

const NODES: usize = 10_000;

fn main() {
    let text = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/page-basic-aws-gb300/run.yaml"));
    let engine = Engine::new();
    let run = engine.read_run(&text.unwrap(), "run.yaml", false);
    let (all, fewer) = (nodes(|_| true), nodes(|node| node % 100 != 7));
    let (old, new) = (render(&engine, &run, &all), render(&engine, &run, &fewer));
    let (jobs_a, jobs_b) = (old.jobs(Delivery::Trainer), new.jobs(Delivery::Trainer));
    let found = diff((&old, &jobs_a), (&new, &jobs_b));
    println!("{} groups, {} differ, {} nodes move", found.a.groups.unwrap(), found.groups.len(), found.moves.len());
    println!();

    let both = || {
        for nodes in [&all, &fewer] {
            let rendering = render(&engine, &run, nodes);
            drop(black_box(rendering.jobs(Delivery::Trainer)));
        }
    };
    let sides: Vec<Side<'_>> = vec![
        ("render both", Box::new(both)),
        ("compare", Box::new(|| drop(black_box(diff((&old, &jobs_a), (&new, &jobs_b)))))),
        ("compare equal ones", Box::new(|| drop(black_box(diff((&old, &jobs_a), (&old, &jobs_a)))))),
        (
            "render both and compare",
            Box::new(|| {
                let (old, new) = (render(&engine, &run, &all), render(&engine, &run, &fewer));
                let (jobs_a, jobs_b) = (old.jobs(Delivery::Trainer), new.jobs(Delivery::Trainer));
                drop(black_box(diff((&old, &jobs_a), (&new, &jobs_b))));
            }),
        ),
    ];
    let ratios = [("at most 3", "render both and compare", "render both"), ("", "compare equal ones", "render both")];
    compare(sides, 21, &ratios);
}

fn render<'a>(engine: &Engine, run: &'a RunInput, nodes: &'a Inventory) -> Rendering<'a> {
    engine.render(run, Some(nodes), &Options::default())
}

fn diff<'r>(a: (&'r Rendering<'r>, &'r Jobs<'r>), b: (&'r Rendering<'r>, &'r Jobs<'r>)) -> Difference {
    renderings(
        &RenderedSide { file: "a", rendering: a.0, jobs: Some(a.1) },
        &RenderedSide { file: "b", rendering: b.0, jobs: Some(b.1) },
    )
}

/// Nodes of AWS with GB300, in domains of 72.
fn nodes(keep: impl Fn(usize) -> bool) -> Inventory {
    let mut builder = InventoryBuilder::new();
    for number in (0..NODES).filter(|n| keep(*n)) {
        let name =
            format!("ip-10-{}-{}-{}.us-west-2.compute.internal", number / 65536, number / 256 % 256, number % 256);
        builder
            .node(&name)
            .label("kubernetes.io/hostname", &name)
            .label("nvidia.com/gpu.present", "true")
            .label("nvidia.com/gpu.product", "NVIDIA-GB300")
            .label("topology.k8s.aws/network-node-layer-1", &format!("nn-{:05}", number / 72))
            .allocatable("nvidia.com/gpu", "4")
            .operating_system("linux")
            .ready("True")
            .provider_id(&format!("aws:///us-west-2a/i-{number:017x}"));
    }
    builder.build()
}
