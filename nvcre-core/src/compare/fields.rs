//! What changes of fields mean: variables, arguments, lines, images, resources, objects.

use super::change::{ChangeKind, ValueChange, WordChange, WordPart};
use super::difference::{ObjectChange, ObjectScope};
use super::meaning::{Meaning, What};
use crate::diagnostic::Segment;
use serde_json::Value;
use std::collections::BTreeMap;

/// A variable or resource: name, old, new.
type Setting = (String, Option<String>, Option<String>);

/// Sentences about the changes of objects, the weightiest first.
pub(super) fn of_objects(objects: &[ObjectChange], out: &mut Vec<Meaning>) {
    let mut ranks: Vec<Setting> = Vec::new();
    let (mut words, mut images) = (Vec::new(), Vec::new());
    // Settings with the pods that have them, in the order in which they come.
    let (mut variables, mut resources) = (Pods::default(), Pods::default());
    for change in objects.iter().filter(|o| o.change == ChangeKind::Changed).flat_map(|o| &o.changes) {
        if is_command(change) {
            for word in &change.words {
                ranks.extend(rank(word).filter(|_| word.part == WordPart::Option));
                words.extend(of_word(word));
            }
        }
        let pod = pod_of(change);
        for setting in env_of(change) {
            variables.add(setting, &pod);
        }
        for setting in resources_of(change) {
            resources.add(setting, &pod);
        }
        images.extend(image_of(change));
    }
    // What the ranks see weighs most.
    words.sort_by_key(|meaning: &Meaning| match meaning.what {
        What::RankEnv { .. } => 0,
        What::Argument { .. } => 1,
        _ => 2,
    });
    add(words, out);
    let seen_by_ranks = |setting: &Setting| ranks.contains(setting);
    let of_pods = |pods: &[String]| format!("in the pods of {}", pods.join(", "));
    for (setting, pods) in variables.list.into_iter().filter(|(setting, _)| !seen_by_ranks(setting)) {
        let (name, old, new) = setting;
        let text = sentence(&name, &old, &new, &of_pods(&pods));
        add([Meaning::new(text, What::Env { name, old, new, pods })], out);
    }
    for ((name, old, new), pods) in resources.list {
        let text = match (&old, &new) {
            (Some(old), Some(new)) => format!("a pod of {} asks for {new} {name} instead of {old}", pods.join(", ")),
            (None, Some(new)) => format!("a pod of {} also asks for {new} {name}", pods.join(", ")),
            _ => format!("a pod of {} no longer asks for {name}", pods.join(", ")),
        };
        add([Meaning::new(text, What::Resource { name, old, new, pods })], out);
    }
    add(images, out);
    add(objects.iter().flat_map(whole), out);
}

/// True when a sentence of [`of_objects`] tells a change of an object that both sides have.
pub(crate) fn is_told(change: &ValueChange) -> bool {
    is_command(change)
        || !env_of(change).is_empty()
        || !resources_of(change).is_empty()
        || image_of(change).is_some()
        || dependency(change).is_some()
}

/// Adds sentences that are not there yet: a Job holds what its TrainJob says.
fn add(meanings: impl IntoIterator<Item = Meaning>, out: &mut Vec<Meaning>) {
    for meaning in meanings {
        if !out.contains(&meaning) {
            out.push(meaning);
        }
    }
}

#[derive(Default)]
struct Pods {
    list: Vec<(Setting, Vec<String>)>,
    places: BTreeMap<Setting, usize>,
}

impl Pods {
    fn add(&mut self, setting: Setting, pod: &str) {
        let place = *self.places.entry(setting.clone()).or_insert_with(|| {
            self.list.push((setting, Vec::new()));
            self.list.len() - 1
        });
        if let Some((_, pods)) = self.list.get_mut(place)
            && !pods.iter().any(|p| p == pod)
        {
            pods.push(pod.to_owned());
        }
    }
}

/// A value in a sentence.
fn shown(value: &str) -> String {
    let plain = !value.is_empty() && !value.contains(|c: char| c.is_whitespace() || c.is_control());
    if plain { value.to_owned() } else { format!("{value:?}") }
}

fn sentence(name: &str, old: &Option<String>, new: &Option<String>, at: &str) -> String {
    match (old, new) {
        (Some(old), Some(new)) => format!("{name} is now {} {at} (was {})", shown(new), shown(old)),
        (None, Some(new)) => format!("{name} is now {} {at} (was not set)", shown(new)),
        (Some(old), None) => format!("{name} is no longer set {at} (was {})", shown(old)),
        (None, None) => format!("{name} is set in another way {at}"),
    }
}

fn key(segment: Option<&Segment>) -> &str {
    match segment {
        Some(Segment::Key(key)) => key,
        _ => "",
    }
}

/// A change of the command that a job runs, as against those of other containers.
fn is_command(change: &ValueChange) -> bool {
    match change.path.0.as_slice() {
        [.., parent, last] => key(Some(parent)) == "trainer" && matches!(key(Some(last)), "args" | "command"),
        _ => false,
    }
}

/// The pod that a field belongs to: its replicated job, or the trainer.
fn pod_of(change: &ValueChange) -> String {
    let steps = change.path.0.windows(2);
    let job = steps.rev().find_map(|pair| match pair {
        [Segment::Key(list), Segment::Named(name)] if &**list == "replicatedJobs" => Some(name.to_string()),
        _ => None,
    });
    job.unwrap_or_else(|| "trainer".to_owned())
}

/// The variable that mpirun forwards, when nothing later says otherwise.
fn rank(word: &WordChange) -> Option<Setting> {
    let name = word.name.strip_prefix("-x ")?;
    let there = word.kind != ChangeKind::Moved && !word.overridden;
    there.then(|| (name.to_owned(), word.old.clone(), word.new.clone()))
}

fn of_word(word: &WordChange) -> Option<Meaning> {
    if word.kind == ChangeKind::Moved || word.overridden {
        return None;
    }
    let (old, new) = (word.old.clone(), word.new.clone());
    if let Some((name, old, new)) = rank(word).filter(|_| word.part == WordPart::Option) {
        let text = match (word.kind, &old, &new) {
            (ChangeKind::Removed, Some(old), _) => format!("{name} is no longer set on the ranks (was {})", shown(old)),
            (ChangeKind::Removed, None, _) => format!("{name} of the launcher no longer reaches the ranks"),
            (ChangeKind::Added, _, None) => format!("all ranks now get {name} of the launcher (was not set)"),
            (_, Some(old), None) => format!("all ranks now get {name} of the launcher (was {})", shown(old)),
            (ChangeKind::Changed, None, Some(new)) => {
                format!("{name} is now {} on all ranks (was that of the launcher)", shown(new))
            }
            _ => sentence(&name, &old, &new, "on all ranks"),
        };
        return Some(Meaning::new(text, What::RankEnv { name, change: word.kind, old, new }));
    }
    if word.part == WordPart::Line {
        let line = new.or(old).unwrap_or_default();
        let added = word.kind == ChangeKind::Added;
        let text = match added {
            true => format!("before the command now runs: {line}"),
            false => format!("before the command no longer runs: {line}"),
        };
        return Some(Meaning::new(text, What::Line { line, added }));
    }
    let who = match word.part {
        WordPart::Option => "mpirun",
        WordPart::Command => "the command",
        _ => "the program",
    };
    let whole = |value: &Option<String>| match value {
        Some(value) if word.name.is_empty() => shown(value),
        Some(value) => format!("{} {}", word.name, shown(value)),
        None => word.name.clone(),
    };
    let text = match word.kind {
        ChangeKind::Added => format!("{who} also gets {}", whole(&new)),
        ChangeKind::Removed => format!("{who} no longer gets {}", whole(&old)),
        _ => format!("{who} gets {} (was {})", whole(&new), old.as_deref().map_or("without a value".into(), shown)),
    };
    let mpirun = word.part == WordPart::Option;
    Some(Meaning::new(text, What::Argument { name: word.name.clone(), mpirun, change: word.kind, old, new }))
}

/// The value of an element of `env`.
fn env_value(element: &Value) -> String {
    match element.get("valueFrom") {
        Some(from) => from.to_string(),
        None => element.get("value").and_then(Value::as_str).unwrap_or_default().to_owned(),
    }
}

/// The variables of containers that a change speaks of.
fn env_of(change: &ValueChange) -> Vec<Setting> {
    let one = |name: &str, old: Option<String>, new: Option<String>| vec![(name.to_owned(), old, new)];
    match change.path.0.as_slice() {
        [.., list, Segment::Named(name)] if key(Some(list)) == "env" && change.kind != ChangeKind::Moved => {
            one(name, change.old.as_ref().map(env_value), change.new.as_ref().map(env_value))
        }
        [.., list, Segment::Named(name), field] if key(Some(list)) == "env" && key(Some(field)) == "value" => {
            let text = |value: &Option<Value>| value.as_ref().map(|v| v.as_str().unwrap_or_default().to_owned());
            one(name, text(&change.old), text(&change.new))
        }
        // The whole list.
        [.., list] if key(Some(list)) == "env" => {
            let all = |value: &Option<Value>| value.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
            let named = |e: &Value| e.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let old = all(&change.old).into_iter().map(|e| (named(&e), Some(env_value(&e)), None)).collect::<Vec<_>>();
            let new = all(&change.new).into_iter().map(|e| (named(&e), None, Some(env_value(&e))));
            old.into_iter().chain(new).collect()
        }
        _ => Vec::new(),
    }
}

/// The resources that a change speaks of: one, or those of a whole `limits` or `requests`.
fn resources_of(change: &ValueChange) -> Vec<Setting> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match change.path.0.as_slice() {
        [.., list, last] if matches!(key(Some(list)), "limits" | "requests") => {
            vec![(key(Some(last)).to_owned(), change.old.as_ref().map(text), change.new.as_ref().map(text))]
        }
        [.., parent, list] if key(Some(parent)) == "resources" && matches!(key(Some(list)), "limits" | "requests") => {
            let all = |value: &Option<Value>| value.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
            let (old, new) = (all(&change.old), all(&change.new));
            let gone = old.iter().map(|(name, value)| (name.clone(), Some(text(value)), None));
            gone.chain(new.iter().map(|(name, value)| (name.clone(), None, Some(text(value))))).collect()
        }
        _ => Vec::new(),
    }
}

fn image_of(change: &ValueChange) -> Option<Meaning> {
    let text = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
    let [.., last] = change.path.0.as_slice() else { return None };
    let (old, new) = (text(&change.old)?, text(&change.new)?);
    (key(Some(last)) == "image")
        .then(|| Meaning::new(format!("the image is {new} (was {old})"), What::Image { old, new }))
}

/// Objects of one side only; in a Workflow, those among its dependencies.
fn whole(object: &ObjectChange) -> Vec<Meaning> {
    let meaning = |kind: &str, name: &str, scope: ObjectScope, added: bool| {
        let text = match (scope, added) {
            (ObjectScope::Run, true) => format!("the run also makes {kind} {name}"),
            (ObjectScope::Run, false) => format!("the run no longer makes {kind} {name}"),
            (ObjectScope::EveryJob, true) => format!("every job also gets {kind} {name}"),
            (ObjectScope::EveryJob, false) => format!("no job gets {kind} {name} any more"),
            (ObjectScope::SomeJobs, true) => format!("some jobs also get {kind} {name}"),
            (ObjectScope::SomeJobs, false) => format!("some jobs no longer get {kind} {name}"),
        };
        Meaning::new(text, What::Object { object: kind.to_owned(), name: name.to_owned(), scope, added })
    };
    if object.change != ChangeKind::Changed {
        let added = object.change == ChangeKind::Added;
        return vec![meaning(&object.kind, &object.name, object.scope, added)];
    }
    let dependencies = object.changes.iter().filter_map(dependency);
    dependencies.map(|(kind, name, added)| meaning(kind, name, ObjectScope::Run, added)).collect()
}

/// Kind and name of the dependency that a change adds (true) or takes away.
fn dependency(change: &ValueChange) -> Option<(&str, &str, bool)> {
    match change.path.0.as_slice() {
        [.., list, Segment::Named(reference)]
            if key(Some(list)) == "dependencies" && matches!(change.kind, ChangeKind::Added | ChangeKind::Removed) =>
        {
            let (kind, name) = reference.split_once('/')?;
            Some((kind, name, change.kind == ChangeKind::Added))
        }
        _ => None,
    }
}
