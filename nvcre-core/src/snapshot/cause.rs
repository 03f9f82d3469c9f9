//! The lines of a run that a difference comes from, where the run itself or the trace of the rendering knows them.

use super::contents::ScenarioInput;
use crate::compare::{Difference, Meaning, ValueChange, What};
use crate::diagnostic::{Diagnostic, FieldPath, Segment, Span};
use crate::engine::Engine;
use crate::explain::{Answer, Explainer, Query};
use crate::trace::Origin;
use crate::yaml::Node;
use std::collections::BTreeMap;

/// Fields that are asked for.
const MOST_FIELDS: usize = 100;

/// What is said about one line of a run, or about the run as a whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cause {
    pub span: Option<Span>,
    pub path: Option<FieldPath>,
    pub sentences: Vec<String>,
}

/// Sentences of a difference by the line of the run that they come from, in the order of lines; what comes from no line
/// (nodes, the catalogue, another version) last. `run_known` says that a run that did not change does not differ in
/// [`Difference::run`]: then no line of it is the cause.
pub(super) fn causes(
    engine: &Engine,
    input: &ScenarioInput<'_>,
    difference: &Difference,
    run_known: bool,
) -> Vec<Cause> {
    let run = input.read_run(engine);
    let root = run.source.as_ref().and_then(|source| source.root.as_ref());
    let edits: Vec<(FieldPath, Span, &ValueChange)> =
        root.into_iter().flat_map(|root| difference.run.iter().map(move |change| edit(root, change))).collect();
    let mut out: BTreeMap<Option<u32>, Cause> = BTreeMap::new();
    for (path, span, _) in &edits {
        let cause = out.entry(Some(span.start.line)).or_default();
        cause.span.get_or_insert(*span);
        cause.path.get_or_insert_with(|| path.clone());
    }
    let mut asked = None;
    for meaning in &difference.meanings {
        let found = new_finding(difference, meaning, super::RUN);
        let place = match root.filter(|_| !(run_known && edits.is_empty())) {
            Some(root) => {
                let (rendering, trace) = asked.get_or_insert_with(|| {
                    let inventory = input.inventory.map(|read| &read.value);
                    engine.render_traced(&run, inventory, &input.scenario.options)
                });
                let explainer = Explainer::new(engine, rendering, trace, None);
                written_at(&explainer, meaning).filter(|path| root.at(path).is_some()).map(|p| (root.locate(&p), p))
            }
            None => None,
        };
        let place =
            found.or(place.map(|(span, path)| match edits.iter().find(|(_, edited, _)| holds(span, *edited)) {
                Some((path, edited, _)) => (*edited, path.clone()),
                None => (span, path),
            }));
        // What is set nowhere any more, or by somebody else, comes from the only line that changed.
        let place = place.or_else(|| match edits.as_slice() {
            [(path, span, _)] => Some((*span, path.clone())),
            _ => None,
        });
        let (span, path) = place.unzip();
        let cause = out.entry(span.map(|span| span.start.line)).or_default();
        if cause.span.is_none() {
            (cause.span, cause.path) = (span, path);
        }
        if !cause.sentences.contains(&meaning.text) {
            cause.sentences.push(meaning.text.clone());
        }
    }
    // Fields of the Workflow that no sentence speaks of.
    if difference.meanings.is_empty()
        && let Some(root) = root.filter(|_| !(run_known && edits.is_empty()))
    {
        let inventory = input.inventory.map(|read| &read.value);
        let (rendering, trace) = engine.render_traced(&run, inventory, &input.scenario.options);
        let explainer = Explainer::new(engine, &rendering, &trace, None);
        let workflows = difference.objects.iter().filter(|object| object.kind == "Workflow");
        for change in workflows.flat_map(|object| &object.changes).take(MOST_FIELDS) {
            let query = Query::Field { object: None, path: change.path.clone() };
            let Some(path) = asked_for(&explainer, &query).filter(|path| root.at(path).is_some()) else { continue };
            let span = root.locate(&path);
            let cause = out.entry(Some(span.start.line)).or_default();
            cause.span.get_or_insert(span);
            cause.path.get_or_insert(path);
            cause.sentences.push(match (&change.old, &change.new) {
                (Some(old), Some(new)) if is_short(old) && is_short(new) => {
                    format!("`{}` is {new} instead of {old}", change.path)
                }
                _ => format!("`{}` differs", change.path),
            });
        }
    }
    for (_, span, change) in &edits {
        if let Some(cause) = out.get_mut(&Some(span.start.line)).filter(|cause| cause.sentences.is_empty()) {
            cause.sentences.push(format!("`{}` changed in the run", change.path));
        }
    }
    let last = out.remove(&None);
    out.into_values().chain(last).collect()
}

/// The place of a change in the run as it is now: of the field, or of what held it.
fn edit<'d>(root: &Node, change: &'d ValueChange) -> (FieldPath, Span, &'d ValueChange) {
    let mut path = change.path.clone();
    // A list without names is numbered as in the new run, but what was taken out has no place there.
    while root.at(&path).is_none() && !path.0.is_empty() {
        path.0.pop();
    }
    // A new list of one element: the element is what was written.
    if let (Some(serde_json::Value::Array(items)), None) = (&change.new, &change.old)
        && items.len() == 1
    {
        path.0.push(Segment::Index(0));
    }
    let span = root.locate(&path);
    (path, span, change)
}

/// True when lines of a field are among those of a field above it.
fn holds(outer: Span, inner: Span) -> bool {
    (outer.start.line..=outer.end.line).contains(&inner.start.line)
}

/// The place of a new finding about the run.
fn new_finding(difference: &Difference, meaning: &Meaning, file: &str) -> Option<(Span, FieldPath)> {
    let What::Finding { code, added: true } = meaning.what else { return None };
    let here = |d: &&Diagnostic| {
        d.code == code && d.file.as_deref() == Some(file) && meaning.text.ends_with(d.message.as_str())
    };
    let finding = difference.findings.added.iter().find(here)?;
    Some((finding.span?, finding.path.clone().unwrap_or_default()))
}

/// The field of the run that a sentence comes from.
fn written_at(explainer: &Explainer<'_>, meaning: &Meaning) -> Option<FieldPath> {
    let query = match &meaning.what {
        What::RankEnv { name, .. } | What::Env { name, .. } => Query::Env(name.clone()),
        What::Argument { name, mpirun: true, .. } if !name.is_empty() => Query::Arg(name.replace(' ', "/")),
        What::Argument { .. } => return Some(FieldPath::parse("spec.framework")),
        What::Fact { name, .. } => match name.as_str() {
            "run" => return Some(FieldPath::parse("metadata.name")),
            "namespace" => return Some(FieldPath::parse("metadata.namespace")),
            "iterations" => return Some(FieldPath::parse("spec.orchestration.iterations")),
            "topologyKey" | "strictDomain" => return Some(FieldPath::parse("spec.orchestration.topology")),
            "maxConcurrent" | "timeoutPerJob" => {
                return Some(FieldPath::parse("spec.orchestration.execution").key(name));
            }
            name => Query::Value(name.to_owned()),
        },
        What::Override { origin: Origin::Override { index }, .. } => {
            return Some(FieldPath::parse("spec.overrides").index(*index));
        }
        What::Image { .. } => return Some(FieldPath::parse("spec.image")),
        _ => return None,
    };
    asked_for(explainer, &query)
}

/// True for a value that fits into a sentence.
fn is_short(value: &serde_json::Value) -> bool {
    !value.is_object() && !value.is_array() && value.to_string().len() <= 60
}

/// The field of the run that a value comes from.
fn asked_for(explainer: &Explainer<'_>, query: &Query) -> Option<FieldPath> {
    let Answer::Value(answer) = explainer.answer(query, None) else { return None };
    answer.seen.into_iter().find_map(|sight| sight.chain.into_iter().last()?.place.path)
}
