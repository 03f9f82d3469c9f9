//! Where layers are written, for people and for editors.

use super::Explainer;
use super::model::Place;
use crate::diagnostic::{FieldPath, Segment};
use crate::lookup::value_at;
use crate::trace::{Change, Origin};
use crate::yaml::Node;

impl Explainer<'_> {
    /// Where a layer is written.
    pub(super) fn place(&self, origin: &Origin) -> Place {
        let text = |text: String| Place { text, ..Place::default() };
        match origin {
            Origin::Default { source } => {
                Place { source: Some(source.clone()), ..text(format!("built-in default: {}", default_words(source))) }
            }
            Origin::Hardware { architecture, platform } => {
                text(match self.catalogue.hardware_row(architecture, platform) {
                    Some(row) => format!("hardware table of the catalogue, row {row}"),
                    None => "hardware table of the catalogue, for GPUs that it does not know".to_owned(),
                })
            }
            Origin::Nodes => text("the nodes".to_owned()),
            Origin::Flag { name } => text(format!("flag {name}")),
            Origin::Run { path } => self.run_place(path),
            Origin::Override { index } => self.run_place(&FieldPath::parse("spec.overrides").index(*index)),
            Origin::Entry { id, name } => {
                let entry = self.catalogue.entries.iter().find(|e| e.name == *name);
                let source = entry.map(|e| e.source.clone()).filter(|s| !s.is_empty());
                Place { source, ..text(format!("catalogue entry {id} {name}")) }
            }
            Origin::Gang => Place { source: Some("02 §6".into()), ..text("gang scheduling".to_owned()) },
            Origin::Renaming => Place { source: Some("03 §6.4".into()), ..text("named for this job".to_owned()) },
            Origin::Placement => Place { source: Some("03 §6.2".into()), ..text("placement of the group".to_owned()) },
        }
    }

    fn run_place(&self, path: &FieldPath) -> Place {
        let source = self.rendering.source;
        let span = source.and_then(|s| s.root.as_ref()).map(|root| root.locate(path));
        let file = source.map(|s| s.file.clone());
        let text = match (&file, span) {
            (Some(file), Some(span)) => format!("{file}:{}:{} {path}", span.start.line, span.start.column),
            _ => path.to_string(),
        };
        Place {
            text,
            path: Some(path.clone()),
            file,
            line: span.map(|s| s.start.line),
            column: span.map(|s| s.start.column),
            source: None,
        }
    }

    /// Who made a change; a flag where the field of the run is not as the file says.
    pub(super) fn origin_of(&self, change: &Change) -> Origin {
        match &change.origin {
            Origin::Run { path } => self.run_origin(path),
            origin => origin.clone(),
        }
    }

    /// Who gave a field of the run: the file, or a flag that edits it (06 §4.1).
    pub(super) fn run_origin(&self, path: &FieldPath) -> Origin {
        let run = || Origin::Run { path: path.clone() };
        let keys: Vec<&str> = path.0.iter().map(|s| if let Segment::Key(key) = s { &**key } else { "" }).collect();
        let flag = match keys.as_slice() {
            ["metadata", "name"] => "--name",
            ["metadata", "namespace"] => "--namespace",
            ["spec", "orchestration", "testScale"] => "--test-scale",
            ["spec", "target", "nodeNames", ..] => "--node-list",
            ["spec", "target", "matchExpressions", ..] => "--topology-domain",
            ["spec", "numNodes"]
                if self.rendering.run.spec.target.as_ref().is_some_and(|t| !t.node_names.is_empty()) =>
            {
                "--node-list"
            }
            ["spec", "numNodes"] => "--topology-domain",
            _ => return run(),
        };
        let Some(root) = self.rendering.source.and_then(|s| s.root.as_ref()) else { return run() };
        let written = root.at(path).map(Node::to_value);
        match written.as_ref() == value_at(&self.run, path) {
            true => run(),
            false => Origin::Flag { name: flag.to_owned() },
        }
    }
}

/// What a built-in default belongs to, for people, who do not have the paragraphs of the specification.
fn default_words(source: &str) -> &'static str {
    match source {
        "00 D3" => "racks that no key names are told apart by their clique label",
        "00 D10" | "02 §11" => "metadata of every Workflow",
        "00 D11" => "limits of every job",
        "00 D58" => "used where no GPU is named",
        "02 §4.1" => "runtime of a run without mpirun",
        "02 §4.3" => "runtime of a run with mpirun",
        "02 §5.1" => "the ConfigMap of spec.config",
        "02 §5.3" => "the claim of spec.checkpoint",
        "02 §6" => "gang scheduling",
        "02 §7" => "job template of every run",
        "02 §7.1" => "how torchrun is started",
        "02 §7.3" => "how mpirun is started",
        "02 §7.4" => "where placement is put into every job",
        "02 §7.6" => "orchestration of every run",
        "02 §8.1" => "environment of every run",
        "02 §9" => "how lines before the command are run",
        "10 §2" => "objects of every job",
        _ => "part of every run",
    }
}
