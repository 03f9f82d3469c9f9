//! `workloadrun init`.

use super::Outcome;
use crate::cli::InitArgs;
use crate::input;
use crate::output::{self, print};
use anyhow::{Context, Result, bail};
use nvcre_core::diagnostic::Severity;
use nvcre_core::engine::{Engine, Options};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Prints a first run, or writes it into a new file.
pub fn run(args: &InitArgs) -> Result<Outcome> {
    let text = args.starter().text();
    // What is wrong with the texts of the caller, the library finds.
    let engine = Engine::new();
    let read = engine.read_run(text.as_bytes(), "run.yaml", false);
    for finding in engine.check(&read, None, &Options::default()) {
        let path = finding.path.as_ref().map(ToString::to_string).unwrap_or_default();
        let flag = if path.starts_with("metadata") { "--name" } else { "--image" };
        if finding.severity == Severity::Error {
            input::usage::<()>(flag, Err(Box::new(finding)))?;
        }
    }
    let Some(out) = &args.out else {
        print(&text)?;
        return Ok(Outcome::Fine);
    };
    write(out, &text, args.force)?;
    let file = out.display();
    output::stderr(&format!("wrote {file}; look at it with: nvcrectl workloadrun check {file}\n"));
    Ok(Outcome::Fine)
}

/// Writes a file whole or not at all, by a temporary name beside it.
///
/// # Errors
/// When it is there already and may not be replaced, or cannot be written.
fn write(path: &Path, text: &str, replace: bool) -> Result<()> {
    let file = path.display();
    let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
        bail!("{file} is a folder; the name of a file is wanted")
    };
    let taken =
        || format!("{file} is there already, and stays as it is: choose another name, or replace it with --force");
    if !replace && path.symlink_metadata().is_ok() {
        bail!("{}", taken());
    }
    let temporary = path.with_file_name(format!(".nvcrectl-tmp-{}-{}", std::process::id(), name.to_string_lossy()));
    let attempt = || -> std::io::Result<()> {
        let mut out = fs::OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        match replace {
            true => fs::rename(&temporary, path),
            // A link, unlike a rename, never takes the place of a file that came into being meanwhile.
            false => fs::hard_link(&temporary, path).and_then(|()| fs::remove_file(&temporary)),
        }
    };
    attempt()
        .map_err(|error| {
            // What is half written goes; when that fails, too, the first error says more.
            let _ = fs::remove_file(&temporary);
            match error.kind() {
                ErrorKind::AlreadyExists if !replace => anyhow::anyhow!("{}", taken()),
                _ => anyhow::Error::new(error),
            }
        })
        .with_context(|| format!("cannot write {file}"))
}
