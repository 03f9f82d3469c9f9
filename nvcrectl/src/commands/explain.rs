//! `workloadrun explain`.

use super::{Loaded, Outcome, finish};
use crate::cli::{ExplainArgs, TextFormat};
use crate::explained;
use crate::output::{print_json, print_styled, width};
use anyhow::{Result, bail};
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::Delivery;
use nvcre_core::explain::{Answer, Explainer, Query};

/// Explains; with an error finding nothing is printed.
pub fn run(args: &ExplainArgs) -> Result<Outcome> {
    let mut loaded = Loaded::with_pods(std::slice::from_ref(&args.file), &args.input, &args.pods)?;
    let mut findings = std::mem::take(&mut loaded.findings);
    if loaded.broken {
        return Ok(finish(findings, args.findings, &loaded.texts));
    }
    let run = loaded.read_run(&args.file, args.input.lenient)?;
    let has_nodes = loaded.nodes(&run, &mut findings).is_some();
    let (rendering, trace) = loaded.render_traced(&run);
    let jobs = has_nodes.then(|| rendering.jobs(Delivery::Trainer));
    findings.extend(rendering.diagnostics.iter().cloned());
    findings.extend(jobs.iter().flat_map(|jobs| jobs.diagnostics.iter().cloned()));
    let fine = !has_errors(&findings);
    let outcome = finish(findings, args.findings, &loaded.texts);
    if !fine {
        return Ok(outcome);
    }
    let prepared = jobs.as_ref().and_then(|jobs| jobs.prepared.as_ref());
    if let Some(group) = &args.group
        && !prepared.is_some_and(|p| p.groups().iter().any(|g| g.name() == *group))
    {
        bail!("--group: no group is {group}; nvcrectl workloadrun plan lists them");
    }
    let subjects: Vec<Query> = args.subjects.iter().map(|text| Query::parse(text)).collect();
    if args.group.is_some() && !subjects.iter().any(|s| matches!(s, Query::Field { object: Some(_), .. })) {
        bail!(
            "--group says of which job an object is meant, and no subject is a field of an object; write for example TrainJob:spec, or group/NAME for the group itself"
        );
    }
    let explainer = Explainer::new(loaded.engine(), &rendering, &trace, prepared);
    let explanation = explainer.explain(&subjects, args.group.as_deref());
    match args.output {
        TextFormat::Text => print_styled(&explained::text(&explanation, width()))?,
        TextFormat::Json => print_json(&serde_json::to_value(&explanation)?)?,
    }
    let unknown = explanation.answers.iter().filter_map(|answer| match answer {
        Answer::Unknown { subject, reason, near } => Some((subject, reason, near)),
        _ => None,
    });
    let told: Vec<String> = unknown
        .map(|(subject, reason, near)| match near.is_empty() {
            true => format!("{subject}: {reason}"),
            false => format!("{subject}: {reason}; near it: {}", near.join(", ")),
        })
        .collect();
    if !told.is_empty() {
        bail!("{}", told.join("\n       "));
    }
    Ok(outcome)
}
