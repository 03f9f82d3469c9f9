//! Generated files: written, or compared by tests.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// One generated file.
pub struct Generated {
    /// Path below the root of the repository.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Writes every file that differs.
pub fn write(files: &[Generated]) -> Result<()> {
    for file in files {
        let path = root().join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            continue;
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Paths of files that are not what the generator makes now; with `UPDATE=1` they are rewritten first.
#[cfg(test)]
pub fn stale(files: &[Generated]) -> Vec<String> {
    if std::env::var_os("UPDATE").is_some() {
        write(files).unwrap();
    }
    let differs = |f: &&Generated| std::fs::read_to_string(root().join(&f.path)).unwrap_or_default() != f.text;
    files.iter().filter(differs).map(|f| f.path.clone()).collect()
}
