//! What a scenario gives, and the files that a snapshot keeps of it.

use super::scenario::Scenario;
use super::{FINDINGS, MANIFESTS, PLAN, SNAPSHOT_FORMAT, SnapshotFinding, WORKFLOW};
use crate::api::Value;
use crate::diagnostic::{self, Code, Diagnostic, FieldPath, has_errors};
use crate::engine::{Engine, Plan, RunInput};
use crate::fleet::Inventory;
use crate::jobs::Manifest;
use crate::yaml::{self, Read, to_json_pretty, to_yaml};
use serde_json::json;

/// The inputs of a scenario.
#[derive(Debug, Clone, Copy)]
pub struct ScenarioInput<'a> {
    /// What `scenario.yaml` says.
    pub scenario: &'a Scenario,
    /// Bytes of `run.yaml`.
    pub run: &'a [u8],
    /// The nodes of its inventory files, with the findings of reading them; `None` without such files.
    pub inventory: Option<&'a Read<Inventory>>,
}

impl ScenarioInput<'_> {
    /// Reads the run.
    pub fn read_run(&self, engine: &Engine) -> RunInput {
        engine.read_run(self.run, super::RUN, self.scenario.lenient)
    }
}

/// What a scenario gives.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Everything that was found, in the order of files, which are named relative to the scenario's folder.
    pub diagnostics: Vec<Diagnostic>,
    /// The plan, when there are jobs.
    pub plan: Option<Plan>,
    /// The files that a snapshot keeps, by name. With errors only the findings are kept.
    pub files: Vec<SnapshotFile>,
    /// Groups of `scenario.yaml` that do not exist, by their place in the list.
    pub unknown_groups: Vec<usize>,
}

/// One file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFile {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// Renders a scenario.
pub fn render(engine: &Engine, input: &ScenarioInput<'_>) -> Outcome {
    let scenario = input.scenario;
    let run = input.read_run(engine);
    let mut diagnostics = Vec::new();
    let assumed = scenario.assume_nodes.map(|count| engine.assume_nodes(&run, &scenario.options, count));
    let nodes = assumed.as_ref().or(input.inventory);
    diagnostics.extend(nodes.into_iter().flat_map(|read| read.diagnostics.iter().cloned()));
    let inventory = nodes.map(|read| &read.value);
    let rendering = engine.render(&run, inventory, &scenario.options);
    diagnostics.extend(rendering.diagnostics.iter().cloned());
    let mut out = Outcome::default();
    let mut manifests = Vec::new();
    if scenario.jobs.unwrap_or(inventory.is_some()) {
        let jobs = rendering.jobs(scenario.delivery);
        diagnostics.extend(jobs.diagnostics);
        if let Some(prepared) = jobs.prepared.filter(|_| !has_errors(&diagnostics)) {
            out.plan = Some(rendering.plan(Some(&prepared)));
            manifests = prepared.shared(to_yaml);
            let names: Vec<String> = prepared.groups().iter().map(|group| group.name()).collect();
            let unknown = scenario.groups.iter().enumerate().filter(|(_, name)| !names.contains(name));
            out.unknown_groups = unknown.map(|(index, _)| index).collect();
            let shown: Vec<bool> = prepared
                .groups()
                .iter()
                .zip(&names)
                .map(|(group, name)| match scenario.groups.as_slice() {
                    [] => group.index == 0 || group.overflow,
                    chosen => chosen.contains(name),
                })
                .collect();
            for job in prepared.jobs() {
                if usize::try_from(job.group).is_ok_and(|group| shown.get(group) == Some(&true)) {
                    manifests.extend(prepared.manifests(job));
                }
            }
        }
    }
    diagnostic::sort(&mut diagnostics);
    out.files = files(&diagnostics, || rendering.workflow_value(), out.plan.as_ref(), &manifests);
    out.diagnostics = diagnostics;
    out
}

fn files(
    diagnostics: &[Diagnostic],
    workflow: impl FnOnce() -> Value,
    plan: Option<&Plan>,
    manifests: &[Manifest],
) -> Vec<SnapshotFile> {
    let file = |name, text| SnapshotFile { name, text };
    let findings: Vec<SnapshotFinding> = diagnostics.iter().map(SnapshotFinding::from).collect();
    let findings = to_yaml(&json!({ "findings": findings }));
    let mut out = vec![file(FINDINGS, format!("format: {SNAPSHOT_FORMAT}\n{findings}"))];
    if has_errors(diagnostics) {
        return out;
    }
    if let Some(plan) = plan {
        out.push(file(MANIFESTS, yaml::to_yaml_documents(manifests.iter().map(|m| &m.value))));
        out.push(file(PLAN, to_json_pretty(&serde_json::to_value(plan).unwrap_or_default()) + "\n"));
    }
    out.push(file(WORKFLOW, to_yaml(&workflow())));
    out
}

impl Outcome {
    /// True when the rendering has errors, or warnings where those count and are not accepted: the command line would exit
    /// with 1.
    pub fn fails(&self, scenario: &Scenario) -> bool {
        self.diagnostics.iter().any(|d| d.counts(scenario.deny_warnings))
    }

    /// Codes of the findings, each once, sorted.
    pub fn codes(&self) -> Vec<String> {
        let mut codes: Vec<String> = self.diagnostics.iter().map(|d| d.code.to_string()).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// Findings about expectations that do not hold, and groups that do not exist.
    pub fn unmet(&self, scenario: &Scenario) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        let expect = &scenario.expect;
        let exit = i32::from(self.fails(scenario));
        if exit != expect.exit {
            let first = self.diagnostics.iter().find(|d| d.counts(scenario.deny_warnings));
            let first = first.map(|d| format!(", first of all for {}: {}", d.code, d.message)).unwrap_or_default();
            let message = format!("the rendering exits with {exit} where {} is expected{first}", expect.exit);
            let help = format!("mend the run, or write `exit: {exit}` under `expect` of scenario.yaml");
            out.push(Diagnostic::at(Code::ScenarioExpectation, "expect.exit", message).with_help(help));
        }
        let found = self.codes();
        let mut wanted = expect.codes.clone();
        wanted.sort_unstable();
        if !wanted.is_empty() && wanted != found {
            let list = |codes: &[String]| if codes.is_empty() { "none".to_owned() } else { codes.join(", ") };
            let message = format!("the findings are {} where {} are expected", list(&found), list(&wanted));
            let help = "mend the run, or the list in scenario.yaml; docs/findings.md tells what the codes mean";
            out.push(Diagnostic::at(Code::ScenarioExpectation, "expect.codes", message).with_help(help));
        }
        for index in &self.unknown_groups {
            let name = scenario.groups.get(*index).map_or("", String::as_str);
            let groups = self.plan.as_ref().map(|plan| plan.groups.as_slice()).unwrap_or_default();
            let known: Vec<&str> = groups.iter().take(5).map(|group| group.name.as_str()).collect();
            let more = if groups.len() > known.len() { ", …" } else { "" };
            let message =
                format!("there is no group `{name}`; there are {} ({}{more})", groups.len(), known.join(", "));
            let path = FieldPath::parse("groups").index(*index);
            out.push(
                Diagnostic::at(Code::ScenarioValue, path, message)
                    .with_help("name groups of the plan, or leave the field out for the first one"),
            );
        }
        match &scenario.source {
            Some(source) => source.locate(&mut out),
            None => out.iter_mut().for_each(|d| d.file = Some(super::RUN.to_owned())),
        }
        out
    }
}
