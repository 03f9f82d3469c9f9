//! Files that were rendered earlier, as `render` prints them: a stream of YAML or JSON, or the files of a folder.

use super::objects::identity;
use crate::api::{API_VERSION, TRAINER_API_VERSION};
use crate::diagnostic::{Code, Diagnostic, has_errors};
use crate::yaml::{Limits, Read, read_documents};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What `render` was asked to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Shows {
    /// The Workflow.
    Workflow,
    /// Jobs for the controller.
    Jobs,
    /// Manifests for Kubeflow Trainer.
    Manifests,
}

impl Shows {
    const fn words(self) -> &'static str {
        match self {
            Self::Workflow => "a Workflow (render --show workflow)",
            Self::Jobs => "jobs (render --show jobs)",
            Self::Manifests => "manifests (render --show manifests)",
        }
    }
}

/// Objects that were rendered earlier.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderedFiles {
    /// The file or folder, for people.
    pub file: String,
    /// What they show.
    pub shows: Shows,
    /// The objects in their order.
    pub objects: Vec<Value>,
}

/// What one side of a comparison holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Content {
    /// Nothing that can be compared; findings say why.
    #[default]
    Nothing,
    /// A WorkloadRun, to be read with [`crate::engine::Engine::read_run`].
    Run,
    /// Rendered output.
    Rendered(RenderedFiles),
}

/// Recognises what one side holds by the kinds of its objects. `file` names it for people, `parts` are its files in their
/// order, by name; of a WorkloadRun the text is not checked here.
pub fn read_side(file: &str, parts: &[(&str, &[u8])]) -> Read<Content> {
    let mut out = Read::<Content>::default();
    let mut objects: Vec<(&str, Value)> = Vec::new();
    for (name, bytes) in parts {
        let read = values_of(bytes, name);
        let is_run = |value: &Value| value.get("kind").and_then(Value::as_str) == Some("WorkloadRun");
        if parts.len() == 1 && read.value.iter().any(is_run) {
            return Read { value: Content::Run, diagnostics: Vec::new() };
        }
        out.diagnostics.extend(read.diagnostics);
        objects.extend(read.value.into_iter().flat_map(items).map(|value| (*name, value)));
    }
    if has_errors(&out.diagnostics) {
        return out;
    }
    let shows = objects.iter().filter_map(|(_, object)| shows(object)).max();
    check(file, &objects, shows, &mut out.diagnostics);
    if let Some(shows) = shows.filter(|_| !has_errors(&out.diagnostics)) {
        let objects = objects.into_iter().map(|(_, object)| object).collect();
        out.value = Content::Rendered(RenderedFiles { file: file.to_owned(), shows, objects });
    }
    out
}

/// The finding about two sides that cannot be compared; `None` when they can be, or when one of them holds nothing.
pub fn check_sides(a: (&str, &Content), b: (&str, &Content)) -> Option<Diagnostic> {
    let words = |content: &Content| match content {
        Content::Nothing => None,
        Content::Run => Some("a WorkloadRun"),
        Content::Rendered(files) => Some(files.shows.words()),
    };
    let (old, new) = (words(a.1)?, words(b.1)?);
    (old != new).then(|| {
        let message = format!("{} holds {old} and {} holds {new}; two of one kind can be compared", a.0, b.0);
        Diagnostic::new(Code::DifferentKinds, message)
            .with_help("render both sides with the same --show, or give the run of both")
            .with_file(b.0)
    })
}

/// Values of a text: JSON, also several one after the other, or YAML documents.
fn values_of(bytes: &[u8], file: &str) -> Read<Vec<Value>> {
    let first = bytes.iter().find(|b| !b.is_ascii_whitespace());
    if matches!(first, Some(b'{' | b'[')) {
        let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(bytes).into_iter().collect();
        if let Ok(value) = values {
            return Read { value, diagnostics: Vec::new() };
        }
    }
    let read = read_documents(bytes, file, &Limits { bytes: u64::MAX, ..Limits::RUN });
    let roots = read.value.iter().filter_map(|source| source.root.as_ref());
    Read { value: roots.map(crate::yaml::Node::to_value).collect(), diagnostics: read.diagnostics }
}

/// The objects of a list, or the value itself.
fn items(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        Value::Object(mut map) => match (map.get("kind"), map.get("items")) {
            (Some(Value::String(kind)), Some(Value::Array(_))) if kind.ends_with("List") => {
                map.remove("items").and_then(|items| items.as_array().cloned()).unwrap_or_default()
            }
            _ => vec![Value::Object(map)],
        },
        other => vec![other],
    }
}

/// What an object shows; `None` for those that everything has.
fn shows(object: &Value) -> Option<Shows> {
    let version = object.get("apiVersion").and_then(Value::as_str)?;
    let group = version.split('/').next()?;
    match (group, identity(object).0) {
        (g, "Workflow") if API_VERSION.starts_with(g) => Some(Shows::Workflow),
        (g, "Job") if API_VERSION.starts_with(g) => Some(Shows::Jobs),
        // A TrainJob beside a Job was made for it.
        (g, "TrainJob") if TRAINER_API_VERSION.starts_with(g) => match train_job_of_controller(object) {
            true => Some(Shows::Jobs),
            false => Some(Shows::Manifests),
        },
        _ => None,
    }
}

/// Direct runs put the group on the TrainJob, the controller on its Job.
fn train_job_of_controller(object: &Value) -> bool {
    object.pointer("/metadata/labels").and_then(|labels| labels.get(crate::api::GROUP_KEY)).is_none()
}

fn check(file: &str, objects: &[(&str, Value)], shows: Option<Shows>, out: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<(&str, &str, &str), &str> = BTreeMap::new();
    for (part, object) in objects {
        if let Some(format) = object.get("format").filter(|_| object.get("kind").is_none()) {
            let format = format.as_str().map_or_else(|| format.to_string(), str::to_owned);
            let message =
                format!("the file holds the form `{format}`, which describes a rendering; its objects are wanted");
            let help = "compare what `nvcrectl workloadrun render` prints, or the runs themselves";
            out.push(Diagnostic::at(Code::NotComparable, "format", message).with_help(help).with_file(*part));
            continue;
        }
        let (kind, namespace, name) = identity(object);
        let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let wanted = match kind {
            "Workflow" => API_VERSION,
            "TrainJob" | "TrainingRuntime" => TRAINER_API_VERSION,
            _ => version,
        };
        if version != wanted {
            let message = format!("the {kind} {name} is of {version}, and this version compares {wanted}");
            out.push(
                Diagnostic::at(Code::RenderedVersion, "apiVersion", message)
                    .with_help("render the run again with this version, or compare with the one that rendered it")
                    .with_file(*part),
            );
        }
        if !kind.is_empty()
            && let Some(first) = seen.insert((kind, namespace, name), part)
        {
            let place = if first == *part { String::new() } else { format!(", first in {first}") };
            let message = format!(
                "the {kind} {name} stands twice in the rendered output{place}; every object has a name of its own"
            );
            out.push(
                Diagnostic::at(Code::RenderedTwice, "metadata.name", message)
                    .with_help("compare the output of one rendering, as it was printed")
                    .with_file(*part),
            );
        }
    }
    if shows.is_none() && out.is_empty() {
        let found = objects.iter().map(|(_, object)| identity(object).0).find(|kind| !kind.is_empty());
        let found = match (found, objects.is_empty()) {
            (_, true) => "nothing".to_owned(),
            (Some(kind), false) => format!("kind {kind}"),
            (None, false) => "no object of Kubernetes".to_owned(),
        };
        let message = format!(
            "{file} holds {found}; wanted is a WorkloadRun, or what `render` printed: a Workflow, Jobs or TrainJobs"
        );
        out.push(
            Diagnostic::new(Code::NotComparable, message)
                .with_help("give the file of a run, or one that `nvcrectl workloadrun render` wrote")
                .with_file(file),
        );
    }
}
