//! `cargo xtask api [--check]`: the public API of nvcre-core, one item a line, in `docs/api.txt`. What a change adds,
//! removes or alters there is what embedders will see.
//!
//! Rustdoc gives it as JSON only with a nightly compiler, in a form that changes: where there is no nightly, or one whose
//! form is not known here, nothing is compared. Implementations that a `derive` made are left out.

use crate::files::{Generated, root, write};
use anyhow::{Context, Result, bail};
use public_api::Builder;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const PATH: &str = "docs/api.txt";

/// Writes the file, or compares it.
pub fn run(check: bool) -> Result<()> {
    let Some(text) = text()? else { return Ok(()) };
    if !check {
        return write(&[Generated { path: PATH.into(), text }]);
    }
    let old = std::fs::read_to_string(root().join(PATH)).unwrap_or_default();
    let changes = changes(&old, &text);
    if !changes.is_empty() {
        bail!("the public API is not that of {PATH}; write it with `cargo xtask api`:\n{}", changes.join("\n"));
    }
    Ok(())
}

fn text() -> Result<Option<String>> {
    let mut nightly = Command::new("cargo");
    nightly.args(["+nightly", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !nightly.status().is_ok_and(|s| s.success()) {
        eprint("no nightly compiler is installed: the public API was not looked at");
        return Ok(None);
    }
    // A folder of its own: another compiler would throw away what is built here.
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from).join("api");
    let status = Command::new("cargo")
        .args(["+nightly", "rustdoc", "--locked", "--quiet", "--package", "nvcre-core", "--lib", "--target-dir"])
        .arg(&folder)
        .args(["--", "-Zunstable-options", "--output-format=json", "--cap-lints=allow"])
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("rustdoc failed");
    }
    let json = folder.join("doc/nvcre_core.json");
    let api = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    match api {
        Ok(api) => Ok(Some(api.to_string())),
        Err(error) => {
            eprint(&format!(
                "the JSON of this nightly's rustdoc cannot be read, so the public API was not looked at: {error}"
            ));
            Ok(None)
        }
    }
}

/// Lines that are only in one of two texts.
fn changes(old: &str, new: &str) -> Vec<String> {
    let gone = old.lines().filter(|line| !new.lines().any(|l| l == *line)).map(|line| format!("- {line}"));
    let come = new.lines().filter(|line| !old.lines().any(|l| l == *line)).map(|line| format!("+ {line}"));
    gone.chain(come).collect()
}

#[expect(clippy::print_stderr, reason = "a developer's command tells what it does")]
fn eprint(text: &str) {
    eprintln!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_by_line() {
        assert_eq!(changes("a\nb\n", "a\nb\n"), Vec::<String>::new());
        assert_eq!(changes("a\nb\n", "a\nc\n"), ["- b", "+ c"]);
        assert_eq!(changes("", "a\n"), ["+ a"]);
    }
}
