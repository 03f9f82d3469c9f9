//! `workloadrun render`.

use super::{Loaded, Outcome, finish};
use crate::cli::{Format, RenderArgs, Show};
use crate::folder::Folder;
use crate::output::stdout;
use crate::progress::Progress;
use anyhow::{Result, bail};
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::Delivery;
use nvcre_core::jobs::{JobId, Manifest, Prepared, Renderer, YamlPrinter};
use nvcre_core::yaml;
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// Renders; with an error finding nothing is printed.
pub fn run(args: &RenderArgs) -> Result<Outcome> {
    if !args.group.is_empty() && args.show == Show::Workflow {
        bail!("--group chooses groups of --show jobs or --show manifests; the Workflow has none");
    }
    let mut loaded = Loaded::with_pods(std::slice::from_ref(&args.file), &args.input, &args.pods)?;
    let mut findings = std::mem::take(&mut loaded.findings);
    if loaded.broken {
        return Ok(finish(findings, args.findings, &loaded.texts));
    }
    let run = loaded.read_run(&args.file, args.input.lenient)?;
    loaded.nodes(&run, &mut findings);
    let rendering = loaded.render(&run);
    findings.extend(rendering.diagnostics.iter().cloned());
    let jobs = match args.show {
        Show::Workflow => None,
        Show::Jobs => Some(rendering.jobs(Delivery::Controller)),
        Show::Manifests => Some(rendering.jobs(Delivery::Trainer)),
    };
    findings.extend(jobs.iter().flat_map(|j| &j.diagnostics).cloned());
    let fine = !has_errors(&findings);
    let outcome = finish(findings, args.findings, &loaded.texts);
    if !fine {
        return Ok(outcome);
    }
    match (&args.out, jobs.and_then(|j| j.prepared)) {
        (None, None) => {
            stdout(|out| write(args.output, &rendering.workflow_value(), out))?;
        }
        (Some(dir), None) => {
            let name = format!("workflow.{}", extension(args.output));
            let mut folder = Folder::open(dir, std::iter::once(name.clone()))?;
            folder.write(&name, |out| write(args.output, &rendering.workflow_value(), out))?;
            folder.finish()?;
        }
        (None, Some(prepared)) => stream(args, &prepared)?,
        (Some(dir), Some(prepared)) => files(args, &prepared, dir)?,
    }
    Ok(outcome)
}

fn write(format: Format, value: &Value, out: &mut dyn Write) -> std::io::Result<()> {
    match format {
        Format::Yaml => yaml::write_yaml_to(out, value),
        Format::Json => writeln!(out, "{}", yaml::to_json_pretty(value)),
    }
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Yaml => "yaml",
        Format::Json => "json",
    }
}

/// The jobs that are asked for, in the order in which they start.
fn jobs<'a>(args: &'a RenderArgs, prepared: &'a Prepared<'_>) -> Result<impl Iterator<Item = JobId> + use<'a>> {
    let mut wanted: Vec<u32> = Vec::new();
    for name in &args.group {
        match prepared.groups().iter().find(|g| g.name() == *name) {
            Some(group) => wanted.push(group.index),
            None => {
                let known: Vec<String> = prepared.groups().iter().take(10).map(|g| g.name()).collect();
                let more = if prepared.groups().len() > 10 { ", …" } else { "" };
                bail!(
                    "--group {name}: there is no such group; there are {} ({}{more})",
                    prepared.groups().len(),
                    known.join(", ")
                );
            }
        }
    }
    Ok(prepared.jobs().filter(move |job| wanted.is_empty() || wanted.contains(&job.group)))
}

/// One object as text, on its way out.
struct Object<'o> {
    kind: &'o str,
    name: &'o str,
    text: &'o str,
}

/// Prints the objects of one job after the other.
enum Printer<'p> {
    Yaml(YamlPrinter<'p>),
    Json(Renderer<'p>),
}

impl<'p> Printer<'p> {
    fn new(format: Format, prepared: &'p Prepared<'_>) -> Self {
        match format {
            Format::Yaml => Self::Yaml(prepared.printer()),
            Format::Json => Self::Json(prepared.renderer()),
        }
    }

    /// Calls `emit` with every object of a job.
    fn print<E>(&mut self, job: JobId, mut emit: impl FnMut(Object<'_>) -> Result<(), E>) -> Result<(), E> {
        match self {
            Self::Yaml(printer) => {
                printer.print(job).iter().try_for_each(|o| emit(Object { kind: &o.kind, name: &o.name, text: &o.yaml }))
            }
            Self::Json(renderer) => print_all(Format::Json, renderer.render(job), emit),
        }
    }
}

/// Calls `emit` with every object of a list.
fn print_all<E>(
    format: Format,
    manifests: &[Manifest],
    mut emit: impl FnMut(Object<'_>) -> Result<(), E>,
) -> Result<(), E> {
    for manifest in manifests {
        let word = |pointer: &str| manifest.value.pointer(pointer).and_then(Value::as_str).unwrap_or("object");
        let text = match format {
            Format::Yaml => yaml::to_yaml(&manifest.value),
            Format::Json => yaml::to_json_pretty(&manifest.value) + "\n",
        };
        emit(Object { kind: word("/kind"), name: word("/metadata/name"), text: &text })?;
    }
    Ok(())
}

/// Everything as one stream on stdout.
fn stream(args: &RenderArgs, prepared: &Prepared<'_>) -> Result<()> {
    let jobs = jobs(args, prepared)?;
    let mut progress = Progress::steps(prepared.len(), "printing jobs", true);
    stdout(|out| {
        let mut first = true;
        let mut emit = |object: Object<'_>| -> std::io::Result<()> {
            if args.output == Format::Yaml && !std::mem::take(&mut first) {
                out.write_all(b"---\n")?;
            }
            out.write_all(object.text.as_bytes())
        };
        if args.group.is_empty() {
            print_all(args.output, &prepared.shared(yaml::to_yaml), &mut emit)?;
        }
        let mut printer = Printer::new(args.output, prepared);
        for job in jobs {
            printer.print(job, &mut emit)?;
            progress.advance(1);
        }
        Ok(())
    })
}

/// One folder a group (and iteration, when there are several), files numbered in the order of creation.
fn files(args: &RenderArgs, prepared: &Prepared<'_>, dir: &Path) -> Result<()> {
    let several = prepared.iterations() > 1;
    let folder_of = |job: JobId| {
        let group = prepared.names(job).group;
        if several { format!("{group}-iter-{}", job.iteration) } else { group }
    };
    let shared = if args.group.is_empty() { prepared.shared(yaml::to_yaml) } else { Vec::new() };
    let run_folder = (!shared.is_empty()).then(|| "run/".to_owned());
    let folders = run_folder.into_iter().chain(jobs(args, prepared)?.map(|job| format!("{}/", folder_of(job))));
    let mut folder = Folder::open(dir, folders)?;
    let mut progress = Progress::steps(prepared.len(), "writing jobs", false);
    let extension = extension(args.output);
    let mut write = |parent: &str, number: usize, object: Object<'_>| {
        let name = path_name(parent, number, object.kind, object.name, extension);
        folder.write(&name, |out| out.write_all(object.text.as_bytes()))
    };
    let mut numbers = 1..;
    print_all(args.output, &shared, |object| write("run", numbers.next().unwrap_or(0), object))?;
    drop(shared);
    let mut printer = Printer::new(args.output, prepared);
    for job in jobs(args, prepared)? {
        let (parent, mut numbers) = (folder_of(job), 1..);
        printer.print(job, |object| write(&parent, numbers.next().unwrap_or(0), object))?;
        progress.advance(1);
    }
    drop(progress);
    folder.finish()?;
    Ok(())
}

/// `group-0/02-trainjob-my-run.yaml`; characters that are no part of a name become `-`.
fn path_name(folder: &str, number: usize, kind: &str, name: &str, extension: &str) -> String {
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '-' }).collect()
    };
    format!("{folder}/{number:02}-{}-{}.{extension}", plain(&kind.to_lowercase()), plain(name))
}
