//! Differences of renderings: what is said, that it is all, and that the order of nodes makes none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]
#![allow(clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

mod support;

use nvcre_core::compare::{Difference, RenderedSide, renderings};
use nvcre_core::engine::{Delivery, Engine, Options};
use nvcre_core::fleet::Inventory;
use serde_json::{Value, json};
use support::{basic, nodes, run_text, with};

/// One side: a spec, nodes and options.
type Given<'g> = (&'g Value, Option<&'g Inventory>, Options);

fn compare(a: &Given<'_>, b: &Given<'_>) -> Difference {
    compare_for(Delivery::Trainer, a, b)
}

fn compare_for(delivery: Delivery, a: &Given<'_>, b: &Given<'_>) -> Difference {
    let engine = Engine::new();
    let read = |side: &Given<'_>| engine.read_run(run_text(side.0).as_bytes(), "run.yaml", false);
    let runs = [read(a), read(b)];
    let [old, new] = [engine.render(&runs[0], a.1, &a.2), engine.render(&runs[1], b.1, &b.2)];
    let jobs = [&old, &new].map(|r| r.inventory.map(|_| r.jobs(delivery)));
    renderings(
        &RenderedSide { file: "a.yaml", rendering: &old, jobs: jobs[0].as_ref() },
        &RenderedSide { file: "b.yaml", rendering: &new, jobs: jobs[1].as_ref() },
    )
}

fn said(difference: &Difference) -> Vec<&str> {
    difference.meanings.iter().map(|m| m.text.as_str()).collect()
}

fn options(edit: impl FnOnce(&mut Options)) -> Options {
    let mut out = Options::default();
    edit(&mut out);
    out
}

#[test]
fn look() {
    let all = nodes("aws", "gb300", 16);
    let fewer = nodes("aws", "gb300", 15);
    let h100 = nodes("aws", "h100", 16);
    let plain = Options::default;
    let env = with(basic(), json!({"env": [{"name": "NCCL_NET_PLUGIN", "value": "none"}]}));
    let twos = with(basic(), json!({"numNodes": 2}));
    let run = basic();
    for (name, d) in [
        ("same", compare(&(&run, Some(&all), plain()), &(&run, Some(&all), plain()))),
        (
            "latest",
            compare(&(&run, Some(&all), plain()), &(&run, Some(&all), options(|o| o.edition = Some("latest".into())))),
        ),
        ("fewer", compare(&(&run, Some(&all), plain()), &(&run, Some(&fewer), plain()))),
        ("h100", compare(&(&run, Some(&h100), plain()), &(&run, Some(&all), plain()))),
        ("env", compare(&(&run, Some(&all), plain()), &(&env, Some(&all), plain()))),
        ("twos", compare(&(&run, Some(&all), plain()), &(&twos, Some(&all), plain()))),
    ] {
        println!("== {name}");
        for text in said(&d) {
            println!("  * {text}");
        }
        for g in &d.groups {
            println!("  {g:?}");
        }
        for m in &d.moves {
            println!("  {m:?}");
        }
        for c in &d.run {
            println!("  run {} {:?}", c.path, c.kind);
        }
        for o in &d.objects {
            println!("  {} {} {:?} {:?}", o.kind, o.name, o.scope, o.change);
            for c in &o.changes {
                println!(
                    "    {:?} {} {:?} {:?}",
                    c.kind,
                    c.path,
                    c.old.as_ref().map(|v| v.to_string().chars().take(60).collect::<String>()),
                    c.new.as_ref().map(|v| v.to_string().chars().take(60).collect::<String>())
                );
            }
        }
    }
}
