//! Writing snapshots: every new file is ready under a temporary name before the first one takes its place.

use super::Judged;
use crate::folder::prepare;
use anyhow::{Context, Result, bail};
use nvcre_core::compare::ChangeKind;
use nvcre_core::diagnostic::Code;
use nvcre_core::snapshot::{FileChange, ScenarioReview, join};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What was done to one snapshot.
#[derive(Debug)]
pub struct Written {
    /// The scenario, or the folder of an orphan.
    pub name: String,
    /// Its scenario is gone.
    pub orphan: bool,
    /// What was done to its files.
    pub files: Vec<FileChange>,
}

/// Writes the snapshots that are not as their scenarios, and removes those without a scenario.
///
/// # Errors
/// When a file cannot be written or removed; before the first file has taken its place nothing is changed.
pub fn write(judged: &Judged) -> Result<Vec<Written>> {
    let mut out = Vec::new();
    let (mut ready, mut made, mut stale) = (Ready::default(), Vec::new(), Vec::new());
    for scenario in &judged.review.scenarios {
        let Some(files) = judged.files.get(&scenario.name).filter(|_| is_ours(scenario)) else { continue };
        let folder = judged.base.join(judged.layout.folder(&scenario.name));
        for change in &scenario.files {
            let path = folder.join(&change.file);
            match files.iter().find(|file| file.name == change.file) {
                None => stale.push(path),
                Some(file) => {
                    let attempt = make_folders(&folder, &mut made)
                        .and_then(|()| prepare(&path, |out| out.write_all(file.text.as_bytes())));
                    match attempt {
                        Ok(temporary) => ready.0.push((temporary, path)),
                        Err(error) => {
                            drop(ready);
                            // Fails, as it should, where something is in it.
                            made.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
                            bail!("cannot write {}: {error}. Nothing was changed", path.display());
                        }
                    }
                }
            }
        }
        out.push(Written { name: scenario.name.clone(), orphan: false, files: scenario.files.clone() });
    }
    ready.take_place()?;
    stale.iter().try_for_each(|path| remove(path))?;
    for orphan in &judged.review.orphans {
        let folder = judged.base.join(&orphan.folder);
        orphan.files.iter().try_for_each(|file| remove(&folder.join(file)))?;
        // Fails, as it should, while something is left in it.
        let _ = fs::remove_dir(&folder);
        let removed = |file: &String| FileChange { file: file.clone(), change: ChangeKind::Removed };
        out.push(Written {
            name: join("", &orphan.folder),
            orphan: true,
            files: orphan.files.iter().map(removed).collect(),
        });
    }
    Ok(out)
}

/// A snapshot that may be rewritten.
fn is_ours(scenario: &ScenarioReview) -> bool {
    !scenario.findings.iter().any(|finding| finding.code == Code::SnapshotForeign)
}

/// Files under temporary names, and their places; removed when they cannot take them.
#[derive(Debug, Default)]
struct Ready(Vec<(PathBuf, PathBuf)>);

impl Ready {
    fn take_place(mut self) -> Result<()> {
        let count = self.0.len();
        self.0.reverse();
        while let Some((temporary, path)) = self.0.pop() {
            if let Err(error) = fs::rename(&temporary, &path) {
                let _ = fs::remove_file(&temporary);
                let done = count - self.0.len() - 1;
                bail!("cannot write {}: {error}. {done} of {count} files are in place", path.display());
            }
        }
        Ok(())
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        self.0.iter().for_each(|(temporary, _)| drop(fs::remove_file(temporary)));
    }
}

/// Makes a folder and those that it is in, and says which.
fn make_folders(folder: &Path, made: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        make_folders(parent, made)?;
    }
    fs::create_dir(folder)?;
    made.push(folder.to_owned());
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
