//! Opening what the command line names: runs, inventories, catalogues.

use crate::cli::InputArgs;
use crate::folder;
use crate::progress::Reading;
use crate::report::Texts;
use anyhow::{Context, Result, bail};
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::fleet::{Inventory, InventoryReader, PodsReader};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Name of standard input in messages.
pub const STDIN: &str = "<stdin>";

/// Most bytes that are read of a run or a catalogue: one more than the library takes, which then says so.
const MOST_BYTES: u64 = nvcre_core::yaml::Limits::RUN.bytes + 1;

/// Reads a whole file, or stdin for `-`.
///
/// # Errors
/// When it cannot be opened or read (exit code 2).
pub fn read_bytes(path: &Path) -> Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).context("cannot read stdin")?;
        return Ok((STDIN.to_owned(), bytes));
    }
    let name = path.display().to_string();
    if path.is_dir() {
        bail!("{name} is a folder; one file is wanted here");
    }
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    Ok((name, bytes))
}

/// Files by name.
pub type Files = Vec<(String, Vec<u8>)>;

/// Reads one side of a comparison, of any length: a file, stdin for `-`, or the files of a rendering in a folder, by name.
///
/// # Errors
/// When something cannot be opened or read, or a folder holds no file that could be read.
pub fn rendered(path: &Path) -> Result<(String, Files)> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
        return Ok((STDIN.to_owned(), vec![(STDIN.to_owned(), bytes)]));
    }
    let name = path.display().to_string();
    let paths = if path.is_dir() { folder::rendered(path)? } else { vec![path.to_owned()] };
    if paths.is_empty() {
        bail!("the folder {name} holds no .yaml, .yml or .json file");
    }
    let read = |path: &PathBuf| {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).with_context(|| format!("cannot open {name}"))?;
        Ok((name, bytes))
    };
    Ok((name, paths.iter().map(read).collect::<Result<_>>()?))
}

/// A flag that names nothing known is wrong usage (00 D68).
///
/// # Errors
/// The finding of the library, as text.
pub fn usage<T>(flag: &str, parsed: Result<T, Box<Diagnostic>>) -> Result<()> {
    let Err(finding) = parsed else { return Ok(()) };
    let help = finding.help.map(|help| format!("\n\n  help: {help}")).unwrap_or_default();
    bail!("{flag}: {}{help}", finding.message)
}

/// Reads inventories as a stream, with progress on a terminal when it takes longer than a second.
///
/// # Errors
/// When a path cannot be opened or read, or a folder holds no inventory.
pub fn read_inventory(paths: &[PathBuf], findings: &mut Vec<Diagnostic>) -> Result<Inventory> {
    let mut reader = InventoryReader::new();
    each_file(paths, |name, file| reader.read(name, file))?;
    let read = reader.finish();
    findings.extend(read.diagnostics);
    Ok(read.value)
}

/// Reads what runs already, likewise, and takes it off the nodes.
///
/// # Errors
/// As [`read_inventory`].
pub fn read_pods(paths: &[PathBuf], inventory: &mut Inventory, findings: &mut Vec<Diagnostic>) -> Result<()> {
    let mut reader = PodsReader::new();
    each_file(paths, |name, file| reader.read(name, file))?;
    findings.extend(reader.finish(inventory));
    Ok(())
}

/// Opens every file of paths, which may be folders or stdin.
fn each_file(paths: &[PathBuf], mut read: impl FnMut(&str, &mut dyn Read)) -> Result<()> {
    for path in expand(paths)? {
        if path.as_os_str() == "-" {
            read(STDIN, &mut Reading::new(std::io::stdin().lock(), 0, STDIN));
            continue;
        }
        let name = path.display().to_string();
        let file = File::open(&path).with_context(|| format!("cannot open {name}"))?;
        let size = file.metadata().map(|m| m.len()).unwrap_or(0);
        read(&name, &mut Reading::new(file, size, &name));
    }
    Ok(())
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

/// The catalogue of `--catalogue`: a file, or all files of a folder together; `None` without the flag.
///
/// # Errors
/// When the path cannot be read, or a folder holds no catalogue.
pub fn catalogue(path: Option<&Path>, findings: &mut Vec<Diagnostic>, texts: &mut Texts) -> Result<Option<Catalogue>> {
    let Some(path) = path else { return Ok(None) };
    let paths = expand(&[path.to_owned()])?;
    let files: Vec<(String, Vec<u8>)> = paths.iter().map(|path| read_bytes(path)).collect::<Result<_>>()?;
    let parts: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let read = Catalogue::read_files(&parts);
    findings.extend(read.diagnostics);
    for (name, bytes) in &files {
        texts.keep(name, String::from_utf8_lossy(bytes).into_owned());
    }
    Ok(Some(read.value))
}

/// True when more than one of the inputs is stdin.
pub fn stdin_twice(files: &[PathBuf], input: &InputArgs, pods: &[PathBuf]) -> bool {
    files.iter().chain(&input.nodes).chain(pods).filter(|p| p.as_os_str() == "-").count() > 1
}
