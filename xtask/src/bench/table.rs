//! The table of targets, as Markdown.

use std::fmt::Write;

/// One target.
pub struct Row {
    /// What is measured.
    pub what: String,
    /// What came out, in words.
    pub measured: String,
    /// The ratio or amount that the target speaks of.
    pub value: f64,
    /// The most that it may be; `None` for a row that is told only.
    pub most: Option<f64>,
    /// Unit of `value` and `most`.
    pub unit: &'static str,
}

/// The rows as a table.
pub fn markdown(rows: &[Row]) -> String {
    let mut out = String::from("| what | measured | result | target | holds |\n|---|---|---|---|---|\n");
    for Row { what, measured, value, most, unit } in rows {
        let (target, holds) = match most {
            Some(most) => (format!("≤ {}{unit}", number(*most)), if value <= most { "yes" } else { "**no**" }),
            None => (String::from("–"), "–"),
        };
        let _ = writeln!(out, "| {what} | {measured} | {}{unit} | {target} | {holds} |", number(*value));
    }
    out
}

fn number(value: f64) -> String {
    let text = if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The machine: processor, cores, memory, system, compiler.
pub fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|l| l.strip_prefix("model name")).map(|l| l.trim_start_matches(['\t', ' ', ':']));
    let memory = read("/proc/meminfo");
    let kib = memory.lines().find_map(|l| l.strip_prefix("MemTotal:")).and_then(|l| l.trim().split(' ').next());
    let gib = kib.and_then(|k| k.parse::<f64>().ok()).unwrap_or_default() / 1024.0 / 1024.0;
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    let rustc = std::process::Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default();
    format!(
        "{}, {cores} cores, {gib:.0} GiB of memory, Linux {}, {rustc}",
        model.unwrap_or("unknown processor"),
        kernel.trim()
    )
}
