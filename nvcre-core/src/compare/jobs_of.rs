//! Which of many rendered objects belong to which job, and what all jobs have in common.

use super::objects::identity;
use super::rendered::any;
use crate::api::{GROUP_KEY, GROUP_NODES_KEY, HOSTNAME_KEY, ITERATION_KEY, JOB_KEY};
use crate::jobs::ANY;
use serde_json::Value;
use std::collections::BTreeMap;

/// The objects of one job.
#[derive(Debug, Clone)]
pub(super) struct JobObjects<'f> {
    pub group: String,
    /// Nodes by name; none under Unpinned.
    pub nodes: Vec<String>,
    pub objects: Vec<&'f Value>,
}

fn label<'v>(object: &'v Value, key: &str) -> &'v str {
    object.pointer("/metadata/labels").and_then(|l| l.get(key)).and_then(Value::as_str).unwrap_or_default()
}

/// Splits objects, in the order in which `render` prints them, into those of the run and those of jobs: before each job
/// come its copies of dependencies, before the first one also what all jobs share.
pub(super) fn split<'f>(objects: &[&'f Value]) -> (Vec<&'f Value>, Vec<JobObjects<'f>>) {
    let (mut shared, mut jobs, mut open) = (Vec::new(), Vec::<JobObjects<'f>>::new(), Vec::new());
    for object in objects {
        let group = label(object, GROUP_KEY);
        if !group.is_empty() {
            let nodes = object.pointer("/metadata/annotations").and_then(|a| a.get(GROUP_NODES_KEY));
            let nodes = nodes.and_then(Value::as_str).unwrap_or_default();
            let mut nodes: Vec<String> = nodes.split(',').filter(|n| !n.is_empty()).map(str::to_owned).collect();
            nodes.sort_unstable();
            open.push(*object);
            jobs.push(JobObjects { group: group.to_owned(), nodes, objects: std::mem::take(&mut open) });
        } else if !label(object, JOB_KEY).is_empty()
            && let Some(job) = jobs.last_mut()
        {
            // TrainJob and measurements of a Job.
            job.objects.push(object);
        } else {
            open.push(*object);
        }
    }
    // All jobs have as many objects, so what the first one has more is shared.
    let of_others = jobs.iter().skip(1).map(|job| job.objects.len()).min();
    if let Some(first) = jobs.first_mut() {
        let more = match of_others {
            Some(others) => first.objects.len().saturating_sub(others),
            None => {
                let marks = marks(&first.objects);
                first
                    .objects
                    .iter()
                    .take_while(|o| label(o, GROUP_KEY).is_empty() && !is_copy(identity(o).2, &marks))
                    .count()
            }
        };
        shared.extend(first.objects.drain(..more));
    }
    shared.extend(open);
    (shared, jobs)
}

/// What the names of a job's copies end in: the part after the name of a dependency.
fn marks(objects: &[&Value]) -> Vec<String> {
    let group = objects.iter().map(|o| label(o, GROUP_KEY)).find(|g| !g.is_empty()).unwrap_or_default();
    let iteration = objects.iter().map(|o| label(o, ITERATION_KEY)).find(|i| !i.is_empty());
    let iteration = iteration.map_or_else(
        || {
            let name = objects.iter().map(|o| label(o, JOB_KEY)).find(|n| !n.is_empty()).unwrap_or_default();
            name.rsplit_once("-iter-").map_or("1", |(_, number)| number).to_owned()
        },
        str::to_owned,
    );
    vec![format!("-{group}-iter-{iteration}"), "-job".to_owned()]
}

/// The name of the dependency that a copy was made of: without hash, group and iteration.
fn original<'n>(name: &'n str, marks: &[String]) -> Option<&'n str> {
    let head = marks.iter().find_map(|mark| name.strip_suffix(mark.as_str()))?;
    let (original, hash) = head.rsplit_once('-')?;
    is_hash(hash).then_some(original)
}

/// What the names of one object have in common in all jobs. Long names were cut, and end in a hash.
fn in_common(name: &str, marks: &[String]) -> String {
    for suffix in ["", "-workload", "-goodput", "-bandwidth"] {
        let Some(base) = name.strip_suffix(suffix) else { continue };
        let named = marks.iter().find_map(|mark| base.strip_suffix(mark.as_str()));
        if let Some(head) = original(base, marks).or(named) {
            return format!("{head}-{ANY}{suffix}");
        }
    }
    format!("{}-{ANY}", name.rsplit_once('-').map_or(name, |(head, _)| head))
}

fn is_hash(text: &str) -> bool {
    text.len() == 5 && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn is_copy(name: &str, marks: &[String]) -> bool {
    original(name, marks).is_some()
}

impl JobObjects<'_> {
    /// The objects with `*` for what differs from job to job: in names, for group, iteration, nodes, hosts and, when
    /// `sizes` differ, the number of nodes.
    pub fn form(&self, sizes: bool) -> Vec<Value> {
        let marks = marks(&self.objects);
        let own = self.objects.iter().flat_map(|object| [identity(object).2, label(object, JOB_KEY)]);
        let names = own.filter(|name| !name.is_empty()).map(|name| (name, in_common(name, &marks))).collect();
        let form = Form { marks: &marks, names, pinned: !self.nodes.is_empty(), sizes };
        let mut out: Vec<Value> = self.objects.iter().map(|object| (*object).clone()).collect();
        out.iter_mut().for_each(|object| form.value(object, ""));
        out
    }
}

struct Form<'m> {
    marks: &'m [String],
    names: BTreeMap<&'m str, String>,
    pinned: bool,
    sizes: bool,
}

impl Form<'_> {
    fn value(&self, value: &mut Value, parent: &str) {
        match value {
            Value::String(text) => {
                if let Some(name) = self.names.get(text.as_str()) {
                    text.clone_from(name);
                } else if let Some(original) = original(text, self.marks) {
                    *text = format!("{original}-{ANY}");
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item, parent)),
            Value::Object(map) => {
                let hosts = map.get("key").and_then(Value::as_str) == Some(HOSTNAME_KEY);
                for (key, value) in map.iter_mut() {
                    match key.as_str() {
                        GROUP_KEY | ITERATION_KEY | GROUP_NODES_KEY => *value = any(),
                        "values" if hosts && self.pinned => *value = Value::from(vec![any()]),
                        "numNodes" if self.sizes && self.pinned && matches!(parent, "trainer" | "spec") => {
                            *value = any()
                        }
                        // Words are never renamed.
                        "args" | "command" | "env" | "data" => {}
                        key => self.value(value, key),
                    }
                }
            }
            _ => {}
        }
    }
}
