//! `workloadrun render`.

use super::{Loaded, Outcome, finish};
use crate::cli::{Format, RenderArgs, Show};
use crate::folder::Folder;
use crate::input::progress;
use anyhow::{Result, bail};
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::{Delivery, Rendering};
use nvcre_core::jobs::{JobKey, Manifest, Prepared};
use nvcre_core::yaml;
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Renders; with an error finding nothing is printed.
pub fn run(args: &RenderArgs) -> Result<Outcome> {
    if !args.group.is_empty() && args.show == Show::Workflow {
        bail!("--group chooses groups of --show jobs or --show manifests; the Workflow has none");
    }
    let delivery = if args.show == Show::Manifests { Delivery::Trainer } else { Delivery::Controller };
    let mut loaded = Loaded::new(std::slice::from_ref(&args.file), &args.input, delivery)?;
    let run = loaded.read_run(&args.file, args.input.lenient)?;
    let rendering = loaded.render(&run, args.show != Show::Workflow);
    let mut findings = std::mem::take(&mut loaded.findings);
    findings.extend(rendering.diagnostics.iter().cloned());
    let fine = !has_errors(&findings);
    let outcome = finish(findings, args.findings, &loaded.texts)?;
    if !fine {
        return Ok(outcome);
    }
    let writer = |value: &Value, out: &mut dyn Write| match args.output {
        Format::Yaml => yaml::write_yaml(out, value),
        Format::Json => yaml::write_json(out, value),
    };
    match (&args.out, args.show) {
        (None, Show::Workflow) => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            writer(&rendering.workflow_value(), &mut out)?;
            out.flush()?;
        }
        (Some(dir), Show::Workflow) => {
            let name = format!("workflow.{}", extension(args.output));
            let mut folder = Folder::open(dir, std::iter::once(name.clone()))?;
            folder.write(&name, |out| writer(&rendering.workflow_value(), out))?;
            folder.finish()?;
        }
        (None, _) => stream(args, &rendering)?,
        (Some(dir), _) => files(args, &rendering, dir)?,
    }
    Ok(outcome)
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Yaml => "yaml",
        Format::Json => "json",
    }
}

/// The jobs that are asked for, in the order in which they start.
fn jobs<'a>(args: &'a RenderArgs, prepared: &'a Prepared) -> Result<impl Iterator<Item = JobKey> + 'a> {
    for name in &args.group {
        if !prepared.groups().iter().any(|g| g.name() == *name) {
            let known: Vec<String> = prepared.groups().iter().take(10).map(|g| g.name()).collect();
            bail!("--group {name}: there is no such group; there are {} ({}…)", prepared.groups().len(), known.join(", "));
        }
    }
    let wanted = move |key: &JobKey| args.group.is_empty() || args.group.contains(&prepared.group_name(*key));
    Ok(prepared.jobs().filter(wanted))
}

fn prepared(rendering: &Rendering) -> Result<&Prepared> {
    match &rendering.jobs {
        Some(prepared) => Ok(prepared),
        None => bail!("no jobs were prepared"),
    }
}

/// Everything as one stream on stdout.
fn stream(args: &RenderArgs, rendering: &Rendering) -> Result<()> {
    let prepared = prepared(rendering)?;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut first = true;
    let mut emit = |manifests: Vec<Manifest>, out: &mut dyn Write| -> std::io::Result<()> {
        for manifest in manifests {
            match args.output {
                Format::Yaml => {
                    if !first {
                        out.write_all(b"---\n")?;
                    }
                    yaml::write_yaml(out, &manifest.value)?;
                }
                Format::Json => yaml::write_json(out, &manifest.value)?,
            }
            first = false;
        }
        Ok(())
    };
    if args.group.is_empty() {
        emit(prepared.shared(), &mut out)?;
    }
    for key in jobs(args, prepared)? {
        emit(prepared.manifests(key), &mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// One folder a group, files numbered in the order of creation.
fn files(args: &RenderArgs, rendering: &Rendering, dir: &Path) -> Result<()> {
    let prepared = prepared(rendering)?;
    let extension = extension(args.output);
    let shared: Vec<Manifest> = if args.group.is_empty() { prepared.shared() } else { Vec::new() };
    let keys: Vec<JobKey> = jobs(args, prepared)?.collect();
    let shared_names = || (1..).zip(&shared).map(|(number, m)| file_name("run", number, m, extension));
    let job_names = |key: JobKey| {
        let folder = prepared.folder_name(key);
        (1..).zip(prepared.manifest_names(key)).map(move |(number, (kind, name))| path_name(&folder, number, &kind, &name, extension))
    };
    let all = shared_names().chain(keys.iter().flat_map(|key| job_names(*key)));
    let mut folder = Folder::open(dir, all)?;
    let bar = progress(keys.len() as u64, "writing");
    let write = |folder: &mut Folder, name: &str, value: &Value| {
        folder.write(name, |out| match args.output {
            Format::Yaml => yaml::write_yaml(out, value),
            Format::Json => yaml::write_json(out, value),
        })
    };
    for (name, manifest) in shared_names().zip(&shared) {
        write(&mut folder, &name, &manifest.value)?;
    }
    for key in keys {
        for (name, manifest) in job_names(key).zip(prepared.manifests(key)) {
            write(&mut folder, &name, &manifest.value)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    folder.finish()?;
    Ok(())
}

fn file_name(folder: &str, number: usize, manifest: &Manifest, extension: &str) -> String {
    let text = |pointer: &str| manifest.value.pointer(pointer).and_then(Value::as_str).unwrap_or("object").to_owned();
    path_name(folder, number, &text("/kind"), &text("/metadata/name"), extension)
}

/// `group-0/02-trainjob-my-run.yaml`; characters that are no part of a name become `-`.
fn path_name(folder: &str, number: usize, kind: &str, name: &str, extension: &str) -> String {
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '-' }).collect()
    };
    format!("{folder}/{number:02}-{}-{}.{extension}", plain(&kind.to_lowercase()), plain(name))
}
