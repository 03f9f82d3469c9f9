//! Opening what the command line names: runs, inventories, catalogues.

use crate::cli::InputArgs;
use crate::report::Texts;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::fleet::{Inventory, InventoryReader};
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of standard input in messages.
pub const STDIN: &str = "<stdin>";

/// Reads a whole file, or stdin for `-`.
///
/// # Errors
/// When it cannot be opened or read (exit code 2).
pub fn read_bytes(path: &Path) -> Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
        return Ok((STDIN.to_owned(), bytes));
    }
    let name = path.display().to_string();
    let mut file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    file.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    Ok((name, bytes))
}

/// Reads inventories as a stream, with progress on a terminal when it takes longer than a second.
///
/// # Errors
/// When a path cannot be opened or read, or a folder holds no inventory.
pub fn read_inventory(paths: &[PathBuf], findings: &mut Vec<Diagnostic>) -> Result<Inventory> {
    let mut reader = InventoryReader::new();
    for path in expand(paths)? {
        if path.as_os_str() == "-" {
            reader.read(STDIN, std::io::stdin().lock());
            continue;
        }
        let name = path.display().to_string();
        let file = File::open(&path).with_context(|| format!("cannot open {name}"))?;
        let size = file.metadata().map(|m| m.len()).unwrap_or(0);
        let bar = progress(size, &format!("reading {name}"));
        reader.read(&name, bar.wrap_read(file));
        bar.finish_and_clear();
    }
    let read = reader.finish();
    findings.extend(read.diagnostics);
    Ok(read.value)
}

/// A progress bar that shows itself on a terminal only, and only after a second.
pub fn progress(length: u64, message: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {bar:30} {percent}% {eta}").unwrap_or(ProgressStyle::default_bar());
    let bar = ProgressBar::new(length).with_style(style).with_message(message.to_owned());
    bar.set_draw_target(indicatif::ProgressDrawTarget::stderr_with_hz(5));
    bar.reset();
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Folders become the YAML and JSON files in them, by name.
fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for path in paths {
        if !path.is_dir() {
            out.push(path.clone());
            continue;
        }
        let name = path.display();
        let entries = std::fs::read_dir(path).with_context(|| format!("cannot read the folder {name}"))?;
        let mut files = Vec::new();
        for entry in entries {
            let file = entry.with_context(|| format!("cannot read the folder {name}"))?.path();
            let known =
                file.extension().is_some_and(|e| ["yaml", "yml", "json"].iter().any(|k| e.eq_ignore_ascii_case(k)));
            if known && file.is_file() {
                files.push(file);
            }
        }
        if files.is_empty() {
            bail!("the folder {name} holds no .yaml, .yml or .json file");
        }
        files.sort();
        out.extend(files);
    }
    Ok(out)
}

/// The catalogue of `--catalogue`; `None` without the flag.
///
/// # Errors
/// When the path cannot be read.
pub fn catalogue(path: Option<&Path>, findings: &mut Vec<Diagnostic>, texts: &mut Texts) -> Result<Option<Catalogue>> {
    let Some(path) = path else { return Ok(None) };
    let (name, bytes) = read_bytes(path)?;
    let read = Catalogue::read(&bytes, &name);
    findings.extend(read.diagnostics);
    texts.keep(&name, String::from_utf8_lossy(&bytes).into_owned());
    Ok(Some(read.value))
}

/// True when more than one of the inputs is stdin.
pub fn stdin_twice(files: &[PathBuf], input: &InputArgs) -> bool {
    files.iter().chain(&input.nodes).filter(|p| p.as_os_str() == "-").count() > 1
}
