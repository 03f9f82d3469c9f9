//! Writing a rendering into a folder: every file whole or not at all; files of an earlier rendering that no longer
//! belong are removed; foreign files are never touched.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Lists the files that are ours, one a line, relative to the folder.
const INDEX: &str = ".nvcrectl-files";
/// Prefix of files that are being written.
const TEMPORARY: &str = ".nvcrectl-tmp-";

/// A folder that is being written.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// Files of an earlier rendering.
    before: BTreeSet<String>,
    /// Files of this one, in the order of writing.
    written: Vec<String>,
    last_parent: Option<PathBuf>,
}

impl Folder {
    /// Opens a folder, makes it when absent, and refuses when a file that will be written is somebody else's.
    ///
    /// # Errors
    /// When the folder cannot be made or read, or a foreign file is in the way; nothing is written then.
    pub fn open(root: &Path, names: impl Iterator<Item = String>) -> Result<Self> {
        fs::create_dir_all(root).with_context(|| format!("cannot make the folder {}", root.display()))?;
        let index = root.join(INDEX);
        let before: BTreeSet<String> = match fs::read_to_string(&index) {
            Ok(text) => text.lines().filter(|l| is_inside(l)).map(str::to_owned).collect(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => BTreeSet::new(),
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", index.display())),
        };
        let mut folder = Self { root: root.to_owned(), before, written: Vec::new(), last_parent: None };
        let mut all = folder.before.clone();
        for name in names {
            let path = root.join(&name);
            if !folder.before.contains(&name) && path.symlink_metadata().is_ok() {
                bail!(
                    "{} exists and was not written by nvcrectl: nothing was written. Move it away, or choose another folder",
                    path.display()
                );
            }
            all.insert(name);
        }
        // Whatever happens from here on, the index knows every file that may be ours.
        folder.write_index(&all)?;
        Ok(folder)
    }

    /// Writes one file, by a temporary name and a rename.
    ///
    /// # Errors
    /// When the file cannot be written; the message says what was.
    pub fn write(&mut self, name: &str, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        let path = self.root.join(name);
        let parent = path.parent().unwrap_or(&self.root).to_owned();
        let attempt = || -> std::io::Result<()> {
            if self.last_parent.as_ref() != Some(&parent) {
                fs::create_dir_all(&parent)?;
            }
            let leaf = path.file_name().unwrap_or_default().to_string_lossy();
            let temporary = parent.join(format!("{TEMPORARY}{leaf}"));
            let written = fs::File::create(&temporary).and_then(|file| {
                let mut out = BufWriter::new(file);
                content(&mut out)?;
                out.flush()
            });
            if let Err(error) = written.and_then(|()| fs::rename(&temporary, &path)) {
                let _ = fs::remove_file(&temporary);
                return Err(error);
            }
            Ok(())
        };
        if let Err(error) = attempt() {
            let done = self.written.len();
            let last = self.written.last().map_or(String::new(), |l| format!(", the last is {l}"));
            bail!("cannot write {}: {error}. {done} files of this rendering are in place{last}", path.display());
        }
        self.last_parent = Some(parent);
        self.written.push(name.to_owned());
        Ok(())
    }

    /// Removes files of the earlier rendering that do not belong to this one, and the folders that this empties.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn finish(mut self) -> Result<usize> {
        let now: BTreeSet<String> = std::mem::take(&mut self.written).into_iter().collect();
        for stale in self.before.difference(&now) {
            let path = self.root.join(stale);
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(e).with_context(|| format!("cannot remove {}", path.display())),
            }
            let mut parent = path.parent();
            while let Some(folder) = parent.filter(|p| *p != self.root) {
                if fs::remove_dir(folder).is_err() {
                    break;
                }
                parent = folder.parent();
            }
        }
        self.write_index(&now)?;
        Ok(now.len())
    }

    fn write_index(&self, names: &BTreeSet<String>) -> Result<()> {
        let path = self.root.join(INDEX);
        let temporary = self.root.join(format!("{TEMPORARY}index"));
        let text = names.iter().fold(String::new(), |text, name| text + name + "\n");
        fs::write(&temporary, text)
            .and_then(|()| fs::rename(&temporary, &path))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

/// True for a relative path that stays inside of its folder.
fn is_inside(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|c| matches!(c, std::path::Component::Normal(_)))
}
