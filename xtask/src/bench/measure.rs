//! Wall time and peak memory of a program.

use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// What one run of a program took.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// From its start to its end.
    pub wall: Duration,
    /// The most memory that it had at once, in bytes.
    pub peak: u64,
    /// Bytes on its standard output.
    pub printed: u64,
}

/// Runs a program with its standard output on a pipe that is read to the end.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(program: &str, args: &[&str]) -> Result<Run> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let mut pipe = child.stdout.take().context("no pipe")?;
    let printed = std::io::copy(&mut pipe, &mut std::io::sink())?;
    let end = child.wait4()?;
    let wall = start.elapsed();
    if !end.status.success() {
        bail!("{program} {} failed", args.join(" "));
    }
    Ok(Run { wall, peak: end.rusage.maxrss, printed })
}

/// Seconds in the middle.
pub fn median(runs: &[Run]) -> f64 {
    let mut times: Vec<f64> = runs.iter().map(|r| r.wall.as_secs_f64()).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The largest memory of all runs.
pub fn peak(runs: &[Run]) -> u64 {
    runs.iter().map(|r| r.peak).max().unwrap_or_default()
}
