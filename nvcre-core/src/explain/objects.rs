//! Fields of the Workflow and of the objects of a job.

use super::Explainer;
use super::model::{FieldLine, Later, Link, Sight, ValueAnswer};
use crate::api::{GROUP_KEY, GROUP_NODES_KEY, JOB_KEY, RUN_KEY, WORKFLOW_KEY};
use crate::diagnostic::{FieldPath, Segment};
use crate::jobs::{JobId, Manifest, Role};
use crate::lookup::{self, value_at};
use crate::trace::{Origin, Subject};
use serde_json::Value;

const TRAIN_JOB: &str = "spec.jobTemplate.spec.workload.trainJob";

impl Explainer<'_> {
    /// A field of the Workflow; `Err` with fields that look like it.
    pub(super) fn field(&self, path: &FieldPath) -> Result<ValueAnswer, Vec<String>> {
        let (path, there) = self.canonical(path);
        let value = value_at(&self.workflow, &path).filter(|_| there == path.0.len());
        let chain = self.field_chain(&path);
        if value.is_none() && chain.is_empty() {
            return Err(near_fields(&self.workflow, &path));
        }
        let subject = path.to_string();
        let Some(value) = value else {
            let seen = vec![Sight { at: "output".into(), value: None, later: Later::Nothing, chain }];
            let notes = vec!["an override removed it".to_owned()];
            return Ok(ValueAnswer { subject, seen, fields: Vec::new(), notes });
        };
        let fields = self.fields_below(&path, value, |path| self.field_chain(path));
        // A field that holds others is set by many; its leaves say by whom.
        let chain = if fields.is_empty() { chain } else { Vec::new() };
        let seen = vec![Sight { at: "output".into(), value: Some(value.clone()), later: Later::Nothing, chain }];
        let notes = self.notes_of(&path);
        Ok(ValueAnswer { subject, seen, fields, notes })
    }

    fn notes_of(&self, path: &FieldPath) -> Vec<String> {
        let text = path.to_string();
        let command = text.starts_with(&format!("{TRAIN_JOB}.trainer.args"))
            || text.starts_with(&format!("{TRAIN_JOB}.trainer.command"));
        match command {
            true => vec!["made of many parts: without a subject explain shows each with who set it, and arg/OPTION and env/NAME tell more".to_owned()],
            false => Vec::new(),
        }
    }

    /// The leaves below a field with the layer that counts.
    fn fields_below(&self, path: &FieldPath, value: &Value, chain: impl Fn(&FieldPath) -> Vec<Link>) -> Vec<FieldLine> {
        let mut out = Vec::new();
        if value.is_object() || value.is_array() {
            leaves(path, value, &mut |leaf, value| {
                // What has no fields of its own is a leaf itself.
                if leaf != path
                    && let Some(link) = chain(leaf).pop()
                {
                    out.push(FieldLine { path: leaf.clone(), value: value.clone(), link });
                }
            });
        }
        out
    }

    /// A field of an object of a job; `Err` says why there is none, with what looks like it.
    pub(super) fn object_field(
        &self,
        object: &str,
        path: &FieldPath,
        job: Option<JobId>,
    ) -> Result<ValueAnswer, (String, Vec<String>)> {
        let Some(jobs) = self.jobs else {
            return Err(("objects of a job are known only with nodes".to_owned(), Vec::new()));
        };
        let job = job.or_else(|| jobs.jobs().next()).unwrap_or(JobId { iteration: 1, group: 0 });
        let own = jobs.manifests(job);
        let shared = jobs.shared(crate::yaml::to_yaml);
        let copies = jobs.copy_names(job);
        let original = |manifest: &Manifest| {
            let (kind, name) = (text(&manifest.value, "/kind"), text(&manifest.value, "/metadata/name"));
            let copy = copies.iter().find(|c| c.kind == kind && c.name == name);
            (kind.to_owned(), name.to_owned(), copy.map_or(name, |c| c.original.as_str()).to_owned())
        };
        let all: Vec<(&Manifest, Option<usize>)> =
            shared.iter().map(|m| (m, None)).chain(own.iter().enumerate().map(|(at, m)| (m, Some(at)))).collect();
        let found = all.iter().find(|(manifest, _)| {
            let (kind, name, original) = original(manifest);
            object == kind || object == format!("{kind}/{name}") || object == format!("{kind}/{original}")
        });
        let Some((manifest, number)) = found else {
            let names = all.iter().map(|(m, _)| {
                let (kind, name, _) = original(m);
                let name = format!("{kind}/{name}");
                (name.clone(), name)
            });
            return Err((format!("no object of the run is {object}"), super::near::nearest(object, names)));
        };
        let (kind, name, original) = original(manifest);
        let Some(value) = value_at(&manifest.value, path) else {
            let near = near_fields(&manifest.value, path).into_iter().map(|near| format!("{kind}:{near}"));
            return Err((format!("{kind}/{name} has no field {path}"), near.collect()));
        };
        let changes =
            number.map(|number| jobs.changes(job).into_iter().filter(move |(n, _)| *n == number)).into_iter().flatten();
        let changes: Vec<_> = changes.map(|(_, change)| change).collect();
        let chain = |path: &FieldPath| {
            let source = self.source_of(manifest, &original, path);
            let mut links = match &source {
                Some(source) => self.field_chain(source),
                None => Vec::new(),
            };
            let now = value_at(&manifest.value, path);
            let before = source.as_ref().and_then(|source| value_at(&self.workflow, source));
            if now != before || links.is_empty() {
                let about = |s: &Subject| matches!(s, Subject::Field { path: p } if p.0.iter().zip(&path.0).all(|(a, b)| a == b));
                let origin =
                    changes.iter().find(|c| about(&c.subject)).map_or_else(|| self.added(path), |c| c.origin.clone());
                links.push(self.link(origin, now.cloned(), before.cloned()));
            }
            links
        };
        let fields = self.fields_below(path, value, chain);
        let links = if fields.is_empty() { chain(path) } else { Vec::new() };
        let mut notes = Vec::new();
        if number.is_some() && jobs.len() > 1 {
            notes.push(format!("shown for {}; --group chooses another one", jobs.names(job).group));
        }
        let seen = vec![Sight { at: "output".into(), value: Some(value.clone()), later: Later::Nothing, chain: links }];
        Ok(ValueAnswer { subject: format!("{kind}/{name}:{path}"), seen, fields, notes })
    }

    /// Who put a field into an object that its source does not have.
    fn added(&self, path: &FieldPath) -> Origin {
        let keys: Vec<&str> = path.0.iter().map(|s| if let Segment::Key(key) = s { &**key } else { "" }).collect();
        match keys.as_slice() {
            ["metadata", "name"] | ["metadata", "labels", JOB_KEY] => Origin::Renaming,
            ["metadata", "labels", GROUP_KEY] | ["metadata", "annotations", GROUP_NODES_KEY] => Origin::Placement,
            ["metadata", "namespace"] => self.run_origin(path),
            ["metadata", "labels", WORKFLOW_KEY | RUN_KEY] => self.run_origin(&"metadata.name".into()),
            keys if keys.contains(&"affinity") || keys.contains(&"tolerations") => Origin::Placement,
            _ => Origin::Default { source: "10 §2".into() },
        }
    }

    /// The field of the Workflow that a field of an object is made from.
    fn source_of(&self, manifest: &Manifest, original: &str, path: &FieldPath) -> Option<FieldPath> {
        let kind = text(&manifest.value, "/kind");
        let source = match manifest.role {
            Role::Dependency => FieldPath::parse("spec.dependencies").named(format!("{kind}/{original}")).join(path),
            Role::TrainJob => match path.0.split_first() {
                Some((Segment::Key(spec), rest)) if &**spec == "spec" => {
                    FieldPath::parse(TRAIN_JOB).join(&FieldPath(rest.to_vec()))
                }
                _ => match path.0.as_slice() {
                    [Segment::Key(metadata), Segment::Key(labels), Segment::Key(key)]
                        if &**metadata == "metadata" && &**labels == "labels" =>
                    {
                        FieldPath::parse("spec.jobTemplate.spec.workloadMetadata.labels").key(key)
                    }
                    _ => return None,
                },
            },
            Role::Job => match path.0.split_first() {
                Some((Segment::Key(spec), rest)) if &**spec == "spec" => {
                    FieldPath::parse("spec.jobTemplate.spec").join(&FieldPath(rest.to_vec()))
                }
                _ => return None,
            },
            Role::Record | Role::Measurement => return None,
        };
        let (source, there) = self.canonical(&source);
        (there == source.0.len()).then_some(source)
    }
}

/// Fields that look like one that is not there: those beside the first step that is missing.
fn near_fields(root: &Value, path: &FieldPath) -> Vec<String> {
    let (mut value, mut parent) = (root, FieldPath::root());
    for segment in &path.0 {
        if let Some(inner) = lookup::step(value, segment) {
            (value, parent) = (inner, parent.with(segment.clone()));
            continue;
        }
        let wanted = match segment {
            Segment::Key(text) | Segment::Named(text) => text.to_string(),
            Segment::Keyed(_, value) => value.to_string(),
            Segment::Index(index) => index.to_string(),
        };
        let children: Vec<(String, String)> = match value {
            Value::Object(map) => map.keys().map(|key| (key.clone(), parent.key(key).to_string())).collect(),
            Value::Array(list) => match lookup::names(list) {
                Some(names) => names.iter().map(|n| (n.clone(), parent.named(n).to_string())).collect(),
                None => (0..list.len()).map(|at| (at.to_string(), parent.index(at).to_string())).collect(),
            },
            _ => Vec::new(),
        };
        return super::near::nearest(&wanted, children.into_iter());
    }
    Vec::new()
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Calls with every leaf: scalars, empty maps, and lists whose elements have no names.
pub(super) fn leaves(path: &FieldPath, value: &Value, each: &mut dyn FnMut(&FieldPath, &Value)) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                leaves(&path.key(key), value, each);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            let Some(names) = lookup::names(list) else { return each(path, value) };
            for (name, item) in names.iter().zip(list) {
                leaves(&path.named(name), item, each);
            }
        }
        leaf => each(path, leaf),
    }
}
