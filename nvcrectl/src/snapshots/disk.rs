//! What is on disk: lists of folders, and the files of scenarios and snapshots. Nothing is written here.

use anyhow::{Context, Result, bail};
use nvcre_core::snapshot::{FILES, FINDINGS, Files, Listed, Listing, Mark, join, mark};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Everything below a folder that could be part of a scenario or a snapshot: YAML and JSON files, and folders. Names that
/// begin with a dot are left out, and so is what is in `ignore` (paths below the folder). Links are followed.
///
/// # Errors
/// When the folder itself cannot be read.
pub fn list(root: &Path, ignore: &[String]) -> Result<Listing> {
    let mut out = Listing::default();
    let whole = fs::canonicalize(root).with_context(|| format!("cannot open the folder {}", root.display()))?;
    if !whole.is_dir() {
        bail!("{} is no folder", root.display());
    }
    let mut open = vec![Open { path: root.to_owned(), below: ".".into(), real: vec![whole] }];
    while let Some(folder) = open.pop() {
        let entries = match fs::read_dir(&folder.path) {
            Ok(entries) => entries,
            Err(error) if folder.below == "." => {
                return Err(error).with_context(|| format!("cannot read the folder {}", root.display()));
            }
            Err(error) => {
                out.0.insert(folder.below, Listed::Unreadable(error.to_string()));
                continue;
            }
        };
        for entry in entries {
            match entry {
                Ok(entry) => entry_of(&folder, &entry, ignore, &mut out, &mut open),
                Err(error) => drop(out.0.insert(folder.below.clone(), Listed::Unreadable(error.to_string()))),
            }
        }
    }
    Ok(out)
}

/// A folder that is yet to be read.
struct Open {
    path: PathBuf,
    below: String,
    /// It and the folders that it is in, without links.
    real: Vec<PathBuf>,
}

fn entry_of(folder: &Open, entry: &fs::DirEntry, ignore: &[String], out: &mut Listing, open: &mut Vec<Open>) {
    let name = entry.file_name();
    let Some(text) = name.to_str() else {
        if is_wanted(&name.to_string_lossy()) {
            let below = join(&folder.below, &name.to_string_lossy());
            out.0.insert(below, Listed::Unreadable("its name is no UTF-8".to_owned()));
        }
        return;
    };
    if text.starts_with('.') {
        return;
    }
    let (path, below) = (entry.path(), join(&folder.below, text));
    let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
    match fs::metadata(&path) {
        Ok(meta) if meta.is_dir() => {
            let real = match is_link {
                false => folder.real.last().map(|parent| parent.join(&name)),
                true => fs::canonicalize(&path).ok(),
            };
            let listed = match real {
                Some(real) if is_link && folder.real.contains(&real) => Listed::Loop,
                Some(real) => {
                    if !ignore.iter().any(|ignored| join("", ignored) == below) {
                        let mut chain = folder.real.clone();
                        chain.push(real);
                        open.push(Open { path, below: below.clone(), real: chain });
                    }
                    Listed::Folder
                }
                None => Listed::Unreadable("the link leads nowhere".to_owned()),
            };
            out.0.insert(below, listed);
        }
        Ok(_) if is_wanted(text) => drop(out.0.insert(below, Listed::File)),
        Err(error) if is_wanted(text) => {
            // A link that leads only to itself has no end, and a file that is not there any more is none.
            let reason = if is_link { format!("the link leads nowhere, {error}") } else { error.to_string() };
            out.0.insert(below, Listed::Unreadable(reason));
        }
        // A link to itself is one that leads back.
        Err(_) if is_link && is_endless(&path) => drop(out.0.insert(below, Listed::Loop)),
        _ => {}
    }
}

fn is_endless(link: &Path) -> bool {
    fs::metadata(link)
        .is_err_and(|error| error.kind() != ErrorKind::NotFound && error.kind() != ErrorKind::PermissionDenied)
}

fn is_wanted(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|e| ["yaml", "yml", "json"].iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// Bytes of a file; `None` when there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The files that a snapshot may hold in a folder.
///
/// # Errors
/// The first one that cannot be read.
pub fn snapshot(folder: &Path) -> Result<Files, (&'static str, std::io::Error)> {
    let mut out = Files::new();
    for name in FILES {
        if let Some(bytes) = read(&folder.join(name)).map_err(|error| (name, error))? {
            out.insert(name.to_owned(), bytes);
        }
    }
    Ok(out)
}

/// True for a folder with the mark of a snapshot.
pub fn is_snapshot(folder: &Path) -> bool {
    read(&folder.join(FINDINGS)).is_ok_and(|bytes| bytes.is_some_and(|bytes| mark(&bytes) == Mark::Snapshot))
}
