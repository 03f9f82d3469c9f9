//! What a shell and its user want to know: completion, manual pages, version.

use super::Outcome;
use crate::cli::{Cli, VersionFormat};
use crate::output::{print, print_json};
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::path::Path;

/// Prints a completion script.
pub fn completion(shell: clap_complete::Shell) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "nvcrectl", &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Fine)
}

/// Writes a manual page for every command.
pub fn man(dir: &Path) -> Result<Outcome> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make the folder {}", dir.display()))?;
    clap_mangen::generate_to(Cli::command(), dir).with_context(|| format!("cannot write into {}", dir.display()))?;
    Ok(Outcome::Fine)
}

/// Prints the version, and the versions of the forms that this tool writes (docs/json.md).
pub fn version(format: VersionFormat) -> Result<Outcome> {
    let version = env!("CARGO_PKG_VERSION");
    match format {
        VersionFormat::Text => print(&format!("nvcrectl {version}\n"))?,
        VersionFormat::Json => print_json(&serde_json::json!({
            "version": version,
            "apiVersion": nvcre_core::api::API_VERSION,
            "forms": {
                "findings": nvcre_core::diagnostic::FINDINGS_FORMAT,
                "plan": nvcre_core::engine::PLAN_FORMAT,
                "diff": nvcre_core::compare::DIFF_FORMAT,
                "explain": nvcre_core::explain::EXPLAIN_FORMAT,
                "matrix": nvcre_core::matrix::MATRIX_FORMAT,
                "runPlan": nvcre_core::jobs::PLAN_FORMAT,
                "trace": nvcre_core::trace::TRACE_FORMAT,
                "manifests": nvcre_core::jobs::MANIFESTS_FORMAT,
                "clusterInfo": nvcre_core::fleet::CLUSTER_INFO_FORMAT,
                "platforms": nvcre_core::engine::PLATFORMS_FORMAT,
            },
        }))?,
    }
    Ok(Outcome::Fine)
}
