//! `workloadrun diff`.

use super::{Loaded, Outcome};
use crate::cli::{DiffArgs, DiffFormat, InputArgs, Show};
use crate::difference::{markdown, text};
use crate::input;
use crate::output::{print, print_json, print_styled, width};
use crate::report::{self, Texts};
use anyhow::{Context, Result, bail};
use nvcre_core::compare::{
    Content, Difference, RenderedFiles, RenderedSide, check_sides, read_side, rendered_files, renderings,
};
use nvcre_core::diagnostic::{self, Diagnostic, Severity, has_errors};
use nvcre_core::engine::{Delivery, RunInput};
use nvcre_core::yaml::Read;
use std::path::Path;

/// Compares; with an error finding on either side nothing is printed.
pub fn run(args: &DiffArgs) -> Result<Outcome> {
    let inputs = args.sides();
    let mut stdin = [&args.a, &args.b].into_iter().filter(|p| p.as_os_str() == "-").count();
    stdin += inputs.first().map_or(0, |i| i.nodes.iter().filter(|p| p.as_os_str() == "-").count());
    let [a, b] = &inputs;
    if a.nodes != b.nodes {
        stdin += b.nodes.iter().filter(|p| p.as_os_str() == "-").count();
    }
    if stdin > 1 {
        bail!("- (stdin) is named more than once, and can be read only once");
    }
    for (side, input) in ["A", "B"].iter().zip(&inputs) {
        if input.assume_nodes.is_some() && input.platform.is_none() {
            let flag = side.to_lowercase();
            bail!(
                "--assume-nodes makes up nodes of a platform, and side {side} has none: add --platform or --platform-{flag}"
            );
        }
    }
    let first = Part::read(&args.a)?;
    let other = if args.a == args.b { None } else { Some(Part::read(&args.b)?) };
    let last = other.as_ref().unwrap_or(&first);
    let (old, new) = (first.side(), last.side());
    let mut findings: Vec<Diagnostic> = old.diagnostics;
    findings.extend(new.diagnostics.into_iter().filter(|_| other.is_some()));
    findings.extend(check_sides((&first.name, &old.value), (&last.name, &new.value)));
    if has_errors(&findings) {
        let mut texts = Texts::default();
        [&first, last].iter().for_each(|part| part.keep(&mut texts));
        report::print(&findings, args.message_format, &texts);
        return Ok(Outcome::Findings);
    }
    let difference = match (&old.value, &new.value) {
        (Content::Rendered(old), Content::Rendered(new)) => of_files(args, old, new)?,
        _ => of_runs(args, &inputs, [&first, last])?,
    };
    let Some(difference) = difference else { return Ok(Outcome::Findings) };
    match args.output {
        DiffFormat::Text => print_styled(&text::difference(&difference, width()))?,
        DiffFormat::Json => print_json(&serde_json::to_value(&difference)?)?,
        DiffFormat::Markdown => print(&markdown::difference(&difference))?,
    }
    Ok(if difference.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

/// One side as it is on disk.
struct Part {
    name: String,
    files: input::Files,
}

impl Part {
    fn read(path: &Path) -> Result<Self> {
        let (name, files) = input::rendered(path)?;
        Ok(Self { name, files })
    }

    fn keep(&self, texts: &mut Texts) {
        for (name, bytes) in &self.files {
            texts.keep(name, String::from_utf8_lossy(bytes).into_owned());
        }
    }

    fn run(&self, loaded: &Loaded, input: &InputArgs) -> RunInput {
        let bytes = self.files.first().map_or(&[][..], |(_, bytes)| bytes);
        loaded.engine.read_run(bytes, &self.name, input.lenient)
    }

    fn side(&self) -> Read<Content> {
        let parts: Vec<(&str, &[u8])> = self.files.iter().map(|(n, bytes)| (n.as_str(), bytes.as_slice())).collect();
        read_side(&self.name, &parts)
    }
}

/// Difference of rendered output; `None` when findings keep it from being made.
fn of_files(args: &DiffArgs, a: &RenderedFiles, b: &RenderedFiles) -> Result<Option<Difference>> {
    if let Some(flag) = args.first_of_rendering() {
        bail!("{flag} says how a run is rendered, but A and B are rendered already");
    }
    let read = rendered_files(a, b);
    report::print(&read.diagnostics, args.message_format, &Texts::default());
    Ok(read.diagnostics.is_empty().then_some(read.value))
}

/// Difference of runs; `None` when findings of either side keep it from being made.
fn of_runs(args: &DiffArgs, [of_a, of_b]: &[InputArgs; 2], parts: [&Part; 2]) -> Result<Option<Difference>> {
    let mut a = Loaded::new(&[], of_a).context("side A")?;
    // Nodes are read once: they may be many, or come from stdin.
    let shared = of_a.nodes == of_b.nodes && !of_a.nodes.is_empty();
    let mut b = Loaded::with_nodes(&[], of_b, &[], a.inventory.clone().filter(|_| shared)).context("side B")?;
    if shared {
        b.findings.clone_from(&a.findings);
    }
    let (mut found_a, mut found_b) = (std::mem::take(&mut a.findings), std::mem::take(&mut b.findings));
    let mut texts = Texts::default();
    parts.iter().for_each(|part| part.keep(&mut texts));
    let mut out = None;
    if !a.broken && !b.broken {
        let [part_a, part_b] = parts;
        let run_a = part_a.run(&a, of_a);
        let run_b = part_b.run(&b, of_b);
        a.nodes(&run_a, &mut found_a);
        b.nodes(&run_b, &mut found_b);
        let (old, new) = (a.render(&run_a), b.render(&run_b));
        let both = old.inventory.is_some() && new.inventory.is_some();
        let delivery = match args.show {
            Some(Show::Workflow) => None,
            Some(Show::Jobs) => Some(Delivery::Controller),
            Some(Show::Manifests) => Some(Delivery::Trainer),
            None => both.then_some(Delivery::Trainer),
        };
        let jobs = delivery.map(|delivery| [old.jobs(delivery), new.jobs(delivery)]);
        let [jobs_a, jobs_b] = jobs.as_ref().map_or([None, None], |[a, b]| [Some(a), Some(b)]);
        for (found, rendering, jobs) in [(&mut found_a, &old, jobs_a), (&mut found_b, &new, jobs_b)] {
            found.extend(rendering.diagnostics.iter().chain(jobs.into_iter().flat_map(|j| &j.diagnostics)).cloned());
        }
        if !has_errors(&found_a) && !has_errors(&found_b) {
            let side = |part: &'_ Part| part.name.clone();
            let (file_a, file_b) = (side(part_a), side(part_b));
            out = Some(renderings(
                &RenderedSide { file: &file_a, rendering: &old, jobs: jobs_a },
                &RenderedSide { file: &file_b, rendering: &new, jobs: jobs_b },
            ));
        }
    }
    if out.is_none() {
        texts.extend(a.texts);
        texts.extend(b.texts);
        report::print(&errors(found_a, found_b), args.message_format, &texts);
    }
    Ok(out)
}

/// The errors of both sides, with the side where only one has them. What is no error is told by the difference itself.
fn errors(a: Vec<Diagnostic>, b: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let errors = |all: Vec<Diagnostic>| -> Vec<Diagnostic> {
        all.into_iter().filter(|d| d.severity == Severity::Error).collect()
    };
    let (a, b) = (errors(a), errors(b));
    let named = |side: &str, finding: &Diagnostic| {
        let mut finding = finding.clone();
        finding.message = format!("side {side}: {}", finding.message);
        finding
    };
    let of_a = a.iter().map(|d| if b.contains(d) { d.clone() } else { named("A", d) });
    let mut out: Vec<Diagnostic> = of_a.collect();
    out.extend(b.iter().filter(|d| !a.contains(d)).map(|d| named("B", d)));
    diagnostic::sort(&mut out);
    out
}
