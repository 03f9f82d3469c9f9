//! Writing a rendering into a folder: every file whole or not at all; files of an earlier rendering that no longer
//! belong are removed; foreign files are never touched.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

/// Lists what is ours, one a line, relative to the folder: files, and (with a `/` at the end) folders that a rendering
/// has begun to fill.
const INDEX: &str = ".nvcrectl-files";
/// Prefix of files that are being written.
const TEMPORARY: &str = ".nvcrectl-tmp-";

/// The files of a rendering in a folder, by name: those that its index lists, else every YAML and JSON file in and below
/// it.
///
/// # Errors
/// When the folder cannot be read.
pub fn rendered(root: &Path) -> Result<Vec<PathBuf>> {
    if let Ok(index) = fs::read_to_string(root.join(INDEX)) {
        let files = index.lines().filter(|line| is_inside(line) && !line.ends_with('/'));
        return Ok(files.map(|line| root.join(line)).collect());
    }
    let (mut open, mut out) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read the folder {}", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read the folder {}", folder.display()))?.path();
            let known =
                path.extension().is_some_and(|e| ["yaml", "yml", "json"].iter().any(|k| e.eq_ignore_ascii_case(k)));
            // A link to a folder may lead back here.
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else if known && path.is_file() {
                out.push(path);
            }
        }
    }
    out.sort();
    Ok(out)
}

/// A folder that is being written.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// Files of earlier renderings.
    before: BTreeSet<String>,
    /// Files of this one.
    written: BTreeSet<String>,
    last: String,
    last_parent: Option<PathBuf>,
}

impl Folder {
    /// Opens a folder, makes it when absent, and refuses when somebody else's file is in the way. `names` are the files
    /// and (with a `/` at the end) folders directly below it that will be written.
    ///
    /// # Errors
    /// When the folder cannot be made or read, or a foreign file is in the way; nothing is written then.
    pub fn open(root: &Path, names: impl Iterator<Item = String>) -> Result<Self> {
        fs::create_dir_all(root).with_context(|| format!("cannot make the folder {}", root.display()))?;
        let index = root.join(INDEX);
        let listed: BTreeSet<String> = match fs::read_to_string(&index) {
            Ok(text) => text.lines().filter(|l| is_inside(l)).map(str::to_owned).collect(),
            Err(e) if e.kind() == ErrorKind::NotFound => BTreeSet::new(),
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", index.display())),
        };
        // In a folder that an interrupted rendering had begun, everything is ours that has a name as we give them.
        let mut before: BTreeSet<String> = listed.iter().filter(|l| !l.ends_with('/')).cloned().collect();
        for begun in listed.iter().filter(|l| l.ends_with('/')) {
            before.extend(files_of(root, begun)?.into_iter().filter(|file| is_our_name(file)));
        }
        let mut ours = before.clone();
        for name in names {
            let foreign = match name.strip_suffix('/') {
                Some(folder) if root.join(folder).symlink_metadata().is_ok_and(|meta| meta.is_dir()) => {
                    files_of(root, &name)?.into_iter().find(|f| !before.contains(f))
                }
                Some(folder) => root.join(folder).symlink_metadata().is_ok().then(|| folder.to_owned()),
                None => (!before.contains(&name) && root.join(&name).symlink_metadata().is_ok()).then(|| name.clone()),
            };
            if let Some(foreign) = foreign {
                bail!(
                    "{} was not written by nvcrectl and is in the way: nothing was written. Move it away, or choose another folder",
                    root.join(foreign).display()
                );
            }
            ours.insert(name);
        }
        let folder =
            Self { root: root.to_owned(), before, written: BTreeSet::new(), last: String::new(), last_parent: None };
        // Whatever happens from here on, the index knows everything that may be ours.
        folder.write_index(&ours)?;
        Ok(folder)
    }

    /// Writes one file, by a temporary name and a rename.
    ///
    /// # Errors
    /// When the file cannot be written; the message says what was.
    pub fn write(&mut self, name: &str, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        let path = self.root.join(name);
        let parent = path.parent().unwrap_or(&self.root).to_owned();
        let is_new_parent = self.last_parent.as_ref() != Some(&parent);
        let attempt = || -> std::io::Result<()> {
            if is_new_parent {
                fs::create_dir_all(&parent)?;
            }
            let temporary = prepare(&path, content)?;
            if let Err(error) = fs::rename(&temporary, &path) {
                let _ = fs::remove_file(&temporary);
                return Err(error);
            }
            Ok(())
        };
        if let Err(error) = attempt() {
            let last = if self.last.is_empty() { String::new() } else { format!(", the last is {}", self.last) };
            let done = self.written.len();
            bail!("cannot write {}: {error}. {done} files of this rendering are in place{last}", path.display());
        }
        self.last_parent = Some(parent);
        name.clone_into(&mut self.last);
        self.written.insert(name.to_owned());
        Ok(())
    }

    /// Removes files of earlier renderings that do not belong to this one, and the folders that this empties.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn finish(self) -> Result<()> {
        for stale in self.before.difference(&self.written) {
            let path = self.root.join(stale);
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(e).with_context(|| format!("cannot remove {}", path.display())),
            }
            if let Some(folder) = path.parent().filter(|p| *p != self.root) {
                // Fails, as it should, while something is left in it.
                let _ = fs::remove_dir(folder);
            }
        }
        self.write_index(&self.written)
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

/// Writes a file under a temporary name beside its place, to be renamed when all is well; nothing is left of one that could
/// not be written.
///
/// # Errors
/// When it cannot be written.
pub fn prepare(path: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<PathBuf> {
    let leaf = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{TEMPORARY}{leaf}"));
    let written = fs::File::create(&temporary).and_then(|file| {
        let mut out = BufWriter::new(file);
        content(&mut out)?;
        out.flush()
    });
    match written {
        Ok(()) => Ok(temporary),
        Err(error) => {
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

/// Files directly in a folder below the root, as the index writes them.
fn files_of(root: &Path, folder: &str) -> Result<Vec<String>> {
    let folder = folder.trim_end_matches('/');
    let path = root.join(folder);
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e).with_context(|| format!("cannot read the folder {}", path.display())),
    };
    let mut out = Vec::new();
    for entry in entries {
        let name = entry.with_context(|| format!("cannot read the folder {}", path.display()))?.file_name();
        out.push(format!("{folder}/{}", name.to_string_lossy()));
    }
    Ok(out)
}

/// True for the names that files of a group get, while they are written and after: `02-trainjob-my-run.yaml`.
fn is_our_name(path: &str) -> bool {
    let leaf = path.rsplit('/').next().unwrap_or(path);
    let name = leaf.strip_prefix(TEMPORARY).unwrap_or(leaf);
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let extension = Path::new(name).extension();
    digits >= 2
        && name.get(digits..).is_some_and(|rest| rest.starts_with('-'))
        && extension.is_some_and(|e| e == "yaml" || e == "json")
}

/// True for a relative path that stays inside of its folder.
fn is_inside(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|c| matches!(c, Component::Normal(_)))
}
