//! `platforms`.

use super::{Outcome, finish};
use crate::cli::{FindingArgs, PlatformsArgs, TableFormat};
use crate::input;
use crate::output::{print, print_json, width};
use crate::report::Texts;
use crate::table::{Table, list};
use anyhow::Result;
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::{Knowledge, KnowledgeRow, parse_edition_flag};

/// Lists what the catalogue knows, by platform and GPU.
pub fn run(args: &PlatformsArgs) -> Result<Outcome> {
    let (mut findings, mut texts) = (Vec::new(), Texts::default());
    let own = input::catalogue(args.catalogue.as_deref(), &mut findings, &mut texts)?;
    let catalogue = own.as_ref().unwrap_or_else(|| Catalogue::builtin());
    if has_errors(&findings) {
        return Ok(finish(findings, FindingArgs::default(), &texts));
    }
    input::usage("--edition", parse_edition_flag(args.edition.as_deref().unwrap_or(""), catalogue))?;
    let knowledge = Knowledge::of(catalogue, args.edition.as_deref(), &mut findings);
    let fine = !has_errors(&findings);
    let outcome = finish(findings, FindingArgs::default(), &texts);
    if fine {
        match args.output {
            TableFormat::Table => print(&table(&knowledge))?,
            TableFormat::Json => print_json(&serde_json::to_value(&knowledge)?)?,
        }
    }
    Ok(outcome)
}

/// GPUs of a platform about which the same is known stand in one row.
fn table(knowledge: &Knowledge) -> String {
    let mut out = format!("edition    {}: {}\n\n", knowledge.edition, knowledge.edition_title);
    let mut rows: Vec<(&KnowledgeRow, Vec<String>)> = Vec::new();
    for row in &knowledge.rows {
        let gpu = row.gpu_architecture.as_str();
        let same = |other: &KnowledgeRow| KnowledgeRow { gpu_architecture: gpu.to_owned(), ..other.clone() } == *row;
        match rows.iter_mut().find(|(other, _)| same(other)) {
            Some((_, gpus)) => gpus.push(gpu.to_owned()),
            None => rows.push((row, vec![gpu.to_owned()])),
        }
    }
    // What the other columns leave of the width.
    let rest = width().map(|width| width.saturating_sub(75));
    let head = ["PLATFORM", "GPU", "GPUS", "NICS", "MNNVL", "ENTRIES (MPI)", "ENTRIES (TORCH, EXEC)"];
    let mut table = Table::new(head);
    for (row, gpus) in rows {
        table.row([
            row.platform.clone(),
            list(&gpus, rest),
            row.gpus_per_node.to_string(),
            row.mlnx_per_node.to_string(),
            if row.mnnvl { "on" } else { "off" }.to_owned(),
            row.mpi_entries.join(" "),
            row.other_entries.join(" "),
        ]);
    }
    out.push_str(&table.text());
    let mut table = Table::new(["ENTRY", "NAME", "WHAT IT DOES"]);
    for entry in &knowledge.entries {
        table.row([entry.id.clone(), entry.name.clone(), entry.title.clone()]);
    }
    out.push('\n');
    out.push_str(&table.text());
    out
}
