//! Developer tasks: `cargo xtask tables` and `cargo xtask schemas` write the generated files of the repository. Tests of
//! this package keep them current; `UPDATE=1 cargo test -p xtask` rewrites them as well.

mod bench;
mod crd;
mod editor;
mod files;
mod fuzz;
mod kube;
mod own;
mod public_api;
mod schemas;
#[cfg(test)]
mod strict;
mod tables;
mod wasm;

use anyhow::{Result, bail};

/// What the command line knows.
const USAGE: &str =
    "usage: cargo xtask tables | schemas | api [--check] | wasm | fuzz [--seconds N | --runs N] | bench [--quick] [--write]
  tables   nvcre-core/src/schema/k8s.table
  schemas  JSON schemas (nvcre-core/src/schema, docs/schemas) and the CRD of WorkloadRun
  api      the public API of nvcre-core in docs/api.txt; --check: compares it
  wasm     checks that nvcre-core builds for wasm32
  fuzz     runs every fuzz target for N seconds (60), or for the same N inputs every time
  bench    measures the targets of speed and memory; --quick: without 100,000 nodes; --write: into docs/speed.md";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let files = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tables"] => tables::files()?,
        ["schemas"] => schemas::files()?,
        ["api"] => return public_api::run(false),
        ["api", "--check"] => return public_api::run(true),
        ["wasm"] => return wasm::check(),
        ["fuzz"] => return fuzz::run(fuzz::Limit::Seconds(60)),
        ["fuzz", "--seconds", seconds] => return fuzz::run(fuzz::Limit::Seconds(seconds.parse()?)),
        ["fuzz", "--runs", runs] => return fuzz::run(fuzz::Limit::Runs(runs.parse()?)),
        ["bench", flags @ ..] if flags.iter().all(|f| matches!(*f, "--quick" | "--write")) => {
            return bench::main(flags.contains(&"--quick"), flags.contains(&"--write"));
        }
        _ => bail!("{USAGE}"),
    };
    files::write(&files)
}
