//! `catalogue check`.

use super::{Outcome, finish};
use crate::cli::FindingArgs;
use crate::input;
use crate::report::Texts;
use anyhow::Result;
use nvcre_core::diagnostic::has_errors;
use std::path::Path;

/// Says what is wrong with a catalogue.
pub fn check(path: &Path, args: FindingArgs) -> Result<Outcome> {
    let (mut findings, mut texts) = (Vec::new(), Texts::default());
    let catalogue = input::catalogue(Some(path), &mut findings, &mut texts)?;
    if let Some(catalogue) = catalogue.filter(|_| !has_errors(&findings)) {
        anstream::eprintln!(
            "{}: {} entries, {} platforms, {} GPU architectures, {} editions",
            path.display(),
            catalogue.entries.len(),
            catalogue.platforms.len(),
            catalogue.architectures.len(),
            catalogue.editions.len(),
        );
    }
    finish(findings, args, &texts)
}
