//! `cargo xtask fuzz [--seconds N | --runs N]`: every fuzz target, where cargo-fuzz and a nightly compiler are there.

use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};

/// How long a target is fuzzed.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    /// For this many seconds, with other inputs every time.
    Seconds(u64),
    /// For this many inputs, the same every time.
    Runs(u64),
}

/// Runs every target of `fuzz/`.
pub fn run(limit: Limit) -> Result<()> {
    let there = |args: &[&str]| {
        Command::new("cargo").args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    if !there(&["+nightly", "--version"]) || !there(&["fuzz", "--version"]) {
        eprint("cargo-fuzz or a nightly compiler is not installed: nothing was fuzzed");
        return Ok(());
    }
    let mut targets: Vec<String> = Vec::new();
    for entry in std::fs::read_dir("fuzz/fuzz_targets").context("cannot read fuzz/fuzz_targets")? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "rs") {
            targets.extend(path.file_stem().map(|s| s.to_string_lossy().into_owned()));
        }
    }
    targets.sort();
    for target in targets {
        eprint(&format!("fuzzing {target}: {limit:?}"));
        let limits = match limit {
            Limit::Seconds(seconds) => vec![format!("-max_total_time={seconds}")],
            Limit::Runs(runs) => vec![format!("-runs={runs}"), "-seed=1".to_owned()],
        };
        // What is found goes to the first folder; the second, which is committed, is only read.
        let (found, seeds) = (format!("fuzz/target/corpus/{target}"), format!("fuzz/corpus/{target}"));
        for folder in [&found, &seeds] {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {folder}"))?;
        }
        // There is no unsafe code to sanitize; without it everything is faster.
        let status = Command::new("cargo")
            .args(["+nightly", "fuzz", "run", "--sanitizer", "none", &target, &found, &seeds, "--"])
            .args(limits)
            .args(["-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1"])
            .args(lengths(&target))
            .status()
            .context("cannot start cargo fuzz")?;
        if !status.success() {
            bail!("target {target} found something: see fuzz/artifacts/{target}");
        }
    }
    Ok(())
}

/// How long inputs may get. Made-up runs need some hundred bytes from the start, texts may grow slowly.
fn lengths(target: &str) -> &'static [&'static str] {
    match target {
        "render" => &["-max_len=1500", "-len_control=0"],
        _ => &["-max_len=8192"],
    }
}

#[expect(clippy::print_stderr, reason = "a developer's command tells what it does")]
fn eprint(text: &str) {
    eprintln!("{text}");
}
