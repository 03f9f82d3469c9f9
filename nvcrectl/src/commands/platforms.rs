//! `platforms`.

use super::{Outcome, finish, print};
use crate::cli::{FindingArgs, PlatformsArgs, TableFormat};
use crate::input;
use crate::report::Texts;
use anyhow::Result;
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::Knowledge;
use tabled::builder::Builder;

/// Lists what the catalogue knows, by platform and GPU.
pub fn run(args: &PlatformsArgs) -> Result<Outcome> {
    let (mut findings, mut texts) = (Vec::new(), Texts::default());
    let own = input::catalogue(args.catalogue.as_deref(), &mut findings, &mut texts)?;
    let catalogue = own.as_ref().unwrap_or_else(|| Catalogue::builtin());
    let knowledge = Knowledge::of(catalogue, args.edition.as_deref(), &mut findings);
    let fine = !has_errors(&findings);
    let outcome = finish(findings, FindingArgs::default(), &texts)?;
    if fine {
        match args.output {
            TableFormat::Table => print(&table(&knowledge))?,
            TableFormat::Json => super::print_json(&serde_json::to_value(&knowledge)?)?,
        };
    }
    Ok(outcome)
}

fn table(knowledge: &Knowledge) -> String {
    let mut out = format!("edition    {}: {}\n\n", knowledge.edition, knowledge.edition_title);
    let mut builder = Builder::default();
    builder.push_record(["PLATFORM", "GPU", "GPUS", "NICS", "MNNVL", "ENTRIES (MPI)", "ENTRIES (TORCH, EXEC)"]);
    for row in &knowledge.rows {
        builder.push_record([
            row.platform.clone(),
            row.gpu_architecture.clone(),
            row.gpus_per_node.to_string(),
            row.mlnx_per_node.to_string(),
            if row.mnnvl { "on" } else { "off" }.into(),
            row.mpi_entries.join(" "),
            row.other_entries.join(" "),
        ]);
    }
    out.push_str(&super::plan::columns(builder));
    let mut builder = Builder::default();
    builder.push_record(["ENTRY", "NAME", "WHAT IT DOES"]);
    for entry in &knowledge.entries {
        builder.push_record([entry.id.as_str(), entry.name.as_str(), entry.title.as_str()]);
    }
    out.push('\n');
    out.push_str(&super::plan::columns(builder));
    out
}
