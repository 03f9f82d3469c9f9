//! `cargo xtask fuzz [--seconds N]`: every fuzz target for N seconds, where cargo-fuzz and a nightly compiler are there.

use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};

/// Runs every target of `fuzz/`.
pub fn run(seconds: u64) -> Result<()> {
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
        eprint(&format!("fuzzing {target} for {seconds} s"));
        let limit = format!("-max_total_time={seconds}");
        let status = Command::new("cargo")
            .args(["+nightly", "fuzz", "run", &target, "--", &limit, "-timeout=10", "-rss_limit_mb=1024"])
            .status()
            .context("cannot start cargo fuzz")?;
        if !status.success() {
            bail!("target {target} found something: see fuzz/artifacts/{target}");
        }
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a developer's command tells what it does")]
fn eprint(text: &str) {
    eprintln!("{text}");
}
