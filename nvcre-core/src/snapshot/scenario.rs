//! `scenario.yaml`: how the run of a scenario is rendered, and what is expected of it.

use super::layout::join;
use crate::check::nearest;
use crate::diagnostic::{self, Code, Diagnostic, FieldPath};
use crate::engine::{Delivery, Options, RunFlags};
use crate::schema;
use crate::yaml::{Limits, Read, Source, read_documents};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// `scenario.yaml`, as it is written. Every field may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ScenarioFile {
    /// One line for people; the folder's name when absent.
    pub title: String,
    /// Inventory files, relative to the scenario's folder, in this order; when absent `nodes.yaml`, else `nodes.json`,
    /// else none.
    pub nodes: Vec<String>,
    /// Files with what runs on the nodes already, likewise; when absent `pods.yaml`, else nothing.
    pub pods: Vec<String>,
    /// How the run is rendered, as the flags of `workloadrun render`.
    pub flags: ScenarioFlags,
    /// Groups whose manifests are kept; when absent the first one and those that run nodes twice. The plan lists all.
    pub groups: Vec<String>,
    /// What is expected of the rendering.
    pub expect: ScenarioExpect,
}

/// Flags of a scenario.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ScenarioFlags {
    /// Platform, instead of the one that the nodes show.
    pub platform: Option<String>,
    /// GPU architecture, instead of the one that most nodes show.
    pub gpu_arch: Option<String>,
    /// Edition of the catalogue.
    pub edition: Option<String>,
    /// Delivery of the manifests: `trainer` (when absent) or `controller`.
    pub delivery: Option<String>,
    /// Leave out nodes that would not run the pods.
    pub only_healthy: bool,
    /// This many made-up nodes instead of an inventory.
    pub assume_nodes: Option<i32>,
    /// Name of the run, instead of the one in the file.
    pub name: Option<String>,
    /// Namespace, instead of the one in the file.
    pub namespace: Option<String>,
    /// Scale of the run, instead of the one in the file.
    pub test_scale: Option<String>,
    /// Names of nodes, separated by commas.
    pub node_list: Option<String>,
    /// Topology domain.
    pub topology_domain: Option<String>,
    /// Node label that names the domain.
    pub topology_key: Option<String>,
    /// Unknown fields of the run are warnings.
    pub lenient: bool,
    /// Warnings count for `expect.exit`.
    pub deny_warnings: bool,
    /// `workflow`, or `manifests` to ask for jobs also without nodes; when absent jobs are shown where there are nodes.
    pub show: Option<String>,
}

/// What is expected of a rendering.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ScenarioExpect {
    /// Exit code of the rendering: 0 (when absent), or 1 for findings that count.
    pub exit: i32,
    /// Codes of the findings, each once; not compared when absent or empty.
    pub codes: Vec<String>,
}

/// A scenario, ready to be rendered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scenario {
    /// Its name: the path of its folder below the root, with `/`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Inventory files, relative to its folder, in order.
    pub nodes: Vec<String>,
    /// Files with what runs on the nodes already, likewise.
    pub pods: Vec<String>,
    /// What is said beside run and nodes.
    pub options: Options,
    /// Delivery of the manifests.
    pub delivery: Delivery,
    /// Made-up nodes.
    pub assume_nodes: Option<u32>,
    /// Unknown fields of the run are warnings.
    pub lenient: bool,
    /// Warnings count.
    pub deny_warnings: bool,
    /// Jobs are asked for also without nodes, or not at all; `None` where there are nodes.
    pub jobs: Option<bool>,
    /// Groups whose manifests are kept; empty for the first and those that run nodes twice.
    pub groups: Vec<String>,
    /// What is expected.
    pub expect: ScenarioExpect,
    /// The text, for the places of findings; `None` without a file.
    pub source: Option<Source>,
}

impl Scenario {
    /// The finding about an inventory file that cannot be read, at the place where it is named.
    pub fn unreadable_nodes(&self, file: &str, reason: &str) -> Diagnostic {
        let (field, list) =
            if self.pods.iter().any(|pods| pods == file) { ("pods", &self.pods) } else { ("nodes", &self.nodes) };
        let index = list.iter().position(|known| known == file).unwrap_or_default();
        let message = format!("the file {file} cannot be read: {reason}");
        let mut finding = Diagnostic::at(Code::ScenarioUnreadable, FieldPath::parse(field).index(index), message)
            .with_help("name a file that is there, relative to the folder of the scenario");
        match self.source.as_ref().filter(|s| s.root.as_ref().is_some_and(|root| root.get(field).is_some())) {
            Some(source) => source.locate(std::slice::from_mut(&mut finding)),
            None => (finding.file, finding.path) = (Some(file.to_owned()), None),
        }
        finding
    }
}

/// Reads `scenario.yaml` of the scenario `name`. `bytes` is `None` when there is no such file; `beside` are the names of
/// the files in its folder, of which `nodes.yaml` or `nodes.json` is taken when no inventory is named. Everything that
/// belongs to a scenario is named relative to its folder, so that its snapshot depends neither on the root nor on a machine.
pub fn read_scenario(name: &str, bytes: Option<&[u8]>, beside: &[&str]) -> Read<Scenario> {
    let Read { value: (written, source), mut diagnostics } = read_file(bytes, super::SCENARIO, "ScenarioFile");
    let written: ScenarioFile = written;
    let mut found = Vec::new();
    check(&written, beside, &mut found);
    let flags = &written.flags;
    let text = |flag: &Option<String>| flag.clone().unwrap_or_default();
    let mut nodes: Vec<String> = written.nodes.iter().map(|n| join("", n)).collect();
    if nodes.is_empty() && flags.assume_nodes.is_none() {
        let usual = ["nodes.yaml", "nodes.json"].into_iter().find(|usual| beside.contains(usual));
        nodes.extend(usual.map(str::to_owned));
    }
    let mut pods: Vec<String> = written.pods.iter().map(|n| join("", n)).collect();
    if pods.is_empty() && !nodes.is_empty() && beside.contains(&"pods.yaml") {
        pods.push("pods.yaml".to_owned());
    }
    let value = Scenario {
        name: name.to_owned(),
        title: written.title.clone(),
        nodes,
        pods,
        options: Options {
            platform: flags.platform.clone(),
            gpu_arch: flags.gpu_arch.clone(),
            edition: flags.edition.clone(),
            only_healthy: flags.only_healthy,
            flags: RunFlags {
                name: text(&flags.name),
                namespace: text(&flags.namespace),
                node_list: text(&flags.node_list),
                topology_domain: text(&flags.topology_domain),
                topology_key: text(&flags.topology_key),
                test_scale: text(&flags.test_scale),
            },
        },
        delivery: match flags.delivery.as_deref() {
            Some("controller") => Delivery::Controller,
            _ => Delivery::Trainer,
        },
        assume_nodes: flags.assume_nodes.and_then(|n| u32::try_from(n).ok()),
        lenient: flags.lenient,
        deny_warnings: flags.deny_warnings,
        jobs: flags.show.as_deref().map(|show| show != "workflow"),
        groups: written.groups.clone(),
        expect: written.expect.clone(),
        source: None,
    };
    if let Some(source) = &source {
        source.locate(&mut found);
    }
    // What could not be read says nothing.
    diagnostics.extend(schema::without_repeats(&diagnostics, found));
    diagnostic::sort(&mut diagnostics);
    Read { value: Scenario { source, ..value }, diagnostics }
}

/// A small file with one document: its value by the field table, and the text.
pub(super) fn read_file<T: DeserializeOwned + Default>(
    bytes: Option<&[u8]>,
    file: &str,
    type_name: &str,
) -> Read<(T, Option<Source>)> {
    let Some(bytes) = bytes else { return Read { value: (T::default(), None), diagnostics: Vec::new() } };
    let Read { value: mut sources, mut diagnostics } = read_documents(bytes, file, &Limits::RUN);
    if sources.len() > 1 {
        let message = format!("the file holds {} documents; one is wanted", sources.len());
        let mut finding = Diagnostic::new(Code::ExtraDocument, message)
            .with_help("keep everything in the first document")
            .with_file(file);
        finding.span = sources.get(1).and_then(|s| s.root.as_ref()).map(|root| root.span);
        diagnostics.push(finding);
        sources.truncate(1);
    }
    let source = sources.pop();
    let mut value = T::default();
    let root = source.as_ref().and_then(|s| s.root.as_ref());
    // A file of comments says nothing.
    if let Some(root) = root.filter(|root| !root.to_value().is_null()) {
        let mut found = Vec::new();
        value = schema::decode(type_name, root, &FieldPath::root(), false, &mut found);
        if let Some(source) = &source {
            source.locate(&mut found);
        }
        diagnostics.extend(found);
    }
    Read { value: (value, source), diagnostics }
}

fn check(written: &ScenarioFile, beside: &[&str], found: &mut Vec<Diagnostic>) {
    let flags = &written.flags;
    for (field, value, known) in [
        ("flags.delivery", &flags.delivery, ["controller", "trainer"]),
        ("flags.show", &flags.show, ["manifests", "workflow"]),
    ] {
        if let Some(value) = value.as_deref().filter(|value| !known.contains(value)) {
            let [one, other] = known;
            let message = format!("`{value}` is not known here; `{one}` or `{other}` is wanted");
            let help = match nearest(value, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write `{one}` or `{other}`, or leave the field out"),
            };
            found.push(Diagnostic::at(Code::ScenarioValue, FieldPath::parse(field), message).with_help(help));
        }
    }
    if let Some(count) = flags.assume_nodes {
        if !(1..=1_000_000).contains(&count) {
            let message = format!("{count} nodes cannot be made up; 1 to 1000000 can");
            let help = "give a number in that range, or leave the field out";
            found.push(Diagnostic::at(Code::ScenarioValue, "flags.assumeNodes", message).with_help(help));
        }
        if !written.nodes.is_empty() {
            let message = "nodes are made up and read from files at once; one of the two is wanted";
            let help = "take out `nodes` or `flags.assumeNodes`";
            found.push(Diagnostic::at(Code::ScenarioValue, "flags.assumeNodes", message).with_help(help));
        }
    }
    if written.nodes.is_empty() && ["nodes.yaml", "nodes.json"].iter().all(|usual| beside.contains(usual)) {
        let message = "nodes.yaml and nodes.json are both here, and nothing says which of them is meant";
        found.push(
            Diagnostic::at(Code::ScenarioValue, "nodes", message)
                .with_help("name one or both in `nodes` of scenario.yaml"),
        );
    }
    if !written.pods.is_empty() && flags.assume_nodes.is_some() {
        let message = "nothing runs on made-up nodes yet";
        let help = "take out `pods` or `flags.assumeNodes`";
        found.push(Diagnostic::at(Code::ScenarioValue, "pods", message).with_help(help));
    }
    let nodes = written.nodes.iter().enumerate().map(|(index, file)| ("nodes", index, file));
    let pods = written.pods.iter().enumerate().map(|(index, file)| ("pods", index, file));
    for (field, index, file) in nodes.chain(pods) {
        if file.is_empty() || file.starts_with('/') {
            let message = format!("`{file}` is no path relative to the scenario's folder");
            found.push(
                Diagnostic::at(Code::ScenarioValue, FieldPath::parse(field).index(index), message)
                    .with_help("write a path such as ../inventories/cluster.yaml, so that every machine finds it"),
            );
        }
    }
    if !matches!(written.expect.exit, 0 | 1) {
        let message = format!("a rendering never exits with {}; 0 or 1 is wanted", written.expect.exit);
        let help = "write 1 when the run has findings that count, else 0";
        found.push(Diagnostic::at(Code::ScenarioValue, "expect.exit", message).with_help(help));
    }
    for (index, code) in written.expect.codes.iter().enumerate() {
        if Code::parse(code).is_none() {
            let message = format!("`{code}` is not the code of a finding");
            found.push(
                Diagnostic::at(Code::ScenarioValue, FieldPath::parse("expect.codes").index(index), message)
                    .with_help("docs/findings.md lists all codes"),
            );
        }
    }
}
