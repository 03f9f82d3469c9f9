//! `workloadrun matrix`.

use super::{Loaded, Outcome, finish};
use crate::cli::{DiffFormat, MatrixArgs};
use crate::input;
use crate::matrixed::{markdown, text};
use crate::output::{print, print_json, print_styled, width};
use anyhow::Result;
use nvcre_core::diagnostic::Severity;
use nvcre_core::fleet::parse_platform_flag;
use nvcre_core::matrix::{MatrixOptions, matrix, parse_matrix_architecture};

/// Renders the run everywhere; with an error of the run itself nothing is printed.
pub fn run(args: &MatrixArgs) -> Result<Outcome> {
    let mut loaded = Loaded::new(std::slice::from_ref(&args.file), &args.input())?;
    let mut findings = std::mem::take(&mut loaded.findings);
    if loaded.broken {
        return Ok(finish(findings, args.findings, &loaded.texts));
    }
    let catalogue = loaded.engine().catalogue();
    let mut options = MatrixOptions { flags: loaded.options().flags.clone(), ..MatrixOptions::default() };
    for platform in &args.platform {
        input::usage("--platform", parse_platform_flag(platform, catalogue))?;
        options.platforms.push(platform.clone());
    }
    for gpu in &args.gpu_arch {
        let parsed = parse_matrix_architecture(gpu, catalogue);
        options.gpu_archs.extend(parsed.as_ref().ok().cloned());
        input::usage("--gpu-arch", parsed)?;
    }
    options.editions = match args.editions {
        true => catalogue.editions.iter().map(|edition| edition.name.clone()).collect(),
        false => args.edition.iter().cloned().collect(),
    };
    let run = loaded.read_run(&args.file, args.lenient)?;
    let matrix = matrix(loaded.engine(), &run, &options);
    findings.extend(matrix.findings.iter().cloned());
    let fine = matrix.is_printable();
    let mut outcome = finish(findings, args.findings, &loaded.texts);
    if !fine {
        return Ok(outcome);
    }
    // A combination that nobody asked for is no fault of the run.
    let denied = |severity| args.findings.deny_warnings && severity >= Severity::Warning;
    if matrix.findings_of_combinations().iter().any(|finding| denied(finding.severity)) {
        outcome = Outcome::Findings;
    }
    match args.output {
        DiffFormat::Text => print_styled(&text::matrix(&matrix, width()))?,
        DiffFormat::Json => print_json(&serde_json::to_value(&matrix)?)?,
        DiffFormat::Markdown => print(&markdown::matrix(&matrix))?,
    }
    Ok(outcome)
}
