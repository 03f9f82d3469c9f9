//! What the walk finds, with the words people read.

mod fields;
mod properties;
mod run;
mod words;

use super::*;
use crate::api::{JobTemplate, OverrideSpec, WorkloadRun};
use crate::yaml::{Limits, Read, Source, read_documents};
use serde_json::json;

fn source(text: &str) -> Source {
    let read = read_documents(text.as_bytes(), "run.yaml", &Limits::default());
    assert_eq!(read.diagnostics, [], "{text}");
    read.value.into_iter().next().unwrap()
}

fn run(spec: &str) -> Read<WorkloadRun> {
    run_with(spec, false)
}

fn run_with(spec: &str, lenient: bool) -> Read<WorkloadRun> {
    let indented: String = spec.lines().map(|line| format!("  {line}\n")).collect();
    let framework = if spec.contains("framework:") { "" } else { "  framework: {exec: {command: [a]}}\n" };
    let nodes = if spec.lines().any(|line| line.starts_with("numNodes:")) { "" } else { "  numNodes: 2\n" };
    let text = format!(
        "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {{name: r}}\nspec:\n{indented}  image: i\n\
         {framework}{nodes}"
    );
    decode_run(&source(&text), lenient)
}

/// Each finding as `CODE path line:column message | help`.
fn told(findings: &[Diagnostic]) -> Vec<String> {
    findings
        .iter()
        .map(|d| {
            let start = d.span.map(|s| s.start).unwrap_or_default();
            let path = d.path.as_ref().map(ToString::to_string).unwrap_or_default();
            let help = d.help.as_deref().unwrap_or("-");
            format!("{} {path} {}:{} {} | {help}", d.code, start.line, start.column, d.message)
        })
        .collect()
}

fn only(spec: &str) -> String {
    let read = run(spec);
    let told = told(&read.diagnostics);
    assert_eq!(told.len(), 1, "{told:#?}");
    told.into_iter().next().unwrap()
}
