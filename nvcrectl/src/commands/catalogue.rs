//! `catalogue check`.

use super::{Outcome, finish};
use crate::cli::FindingArgs;
use crate::input;
use crate::output::print;
use crate::report::Texts;
use anyhow::Result;
use nvcre_core::diagnostic::has_errors;
use std::path::Path;

/// Says what is wrong with a catalogue, and what is in one that can be used.
pub fn check(path: &Path, args: FindingArgs) -> Result<Outcome> {
    let (mut findings, mut texts) = (Vec::new(), Texts::default());
    let catalogue = input::catalogue(Some(path), &mut findings, &mut texts)?;
    let fine = !has_errors(&findings);
    let outcome = finish(findings, args, &texts);
    if let Some(catalogue) = catalogue.filter(|_| fine) {
        print(&format!(
            "{} entries, {} platforms, {} GPU architectures, {} editions\n",
            catalogue.entries.len(),
            catalogue.platforms.len(),
            catalogue.architectures.len(),
            catalogue.editions.len(),
        ))?;
    }
    Ok(outcome)
}
