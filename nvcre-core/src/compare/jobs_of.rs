//! Which of many rendered objects belong to which job, and what all jobs have in common.

use super::objects::identity;
use super::rendered::any;
use crate::api::{GROUP_KEY, GROUP_NODES_KEY, HOSTNAME_KEY, ITERATION_KEY, JOB_KEY, RUN_KEY, WORKFLOW_KEY};
use crate::jobs::{ANY, COPY_NAME_MAX, JOB_NAME_MAX, extract_hash};
use serde_json::Value;
use std::collections::BTreeMap;

/// Fields that may name what another object of the job makes (00 D72).
const REFERENCES: [&str; 6] = ["name", "app", "resourceClaimTemplateName", "claimName", "secretName", "pvcName"];

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
                let marks = Marks::of(&first.objects);
                first
                    .objects
                    .iter()
                    .take_while(|o| label(o, GROUP_KEY).is_empty() && marks.in_common(identity(o).2) == identity(o).2)
                    .count()
            }
        };
        shared.extend(first.objects.drain(..more));
    }
    shared.extend(open);
    (shared, jobs)
}

/// What names of a job end in.
struct Marks {
    /// Those of copies: hash of the run, group and iteration (03 §6.4).
    copies: [String; 2],
    /// Those of the job itself.
    jobs: [String; 2],
}

impl Marks {
    fn of(objects: &[&Value]) -> Self {
        let first = |key: &str| objects.iter().map(|o| label(o, key)).find(|text| !text.is_empty());
        let group = first(GROUP_KEY).unwrap_or_default();
        // The controller's objects have no label of it; their names do.
        let by_name = || first(JOB_KEY).and_then(|name| name.rsplit_once("-iter-")).map_or("1", |(_, number)| number);
        let iteration = first(ITERATION_KEY).unwrap_or_else(by_name);
        let hash = extract_hash(first(WORKFLOW_KEY).or_else(|| first(RUN_KEY)).unwrap_or_default());
        let jobs = [format!("-{group}-iter-{iteration}"), "-job".to_owned()];
        Self { copies: jobs.each_ref().map(|mark| format!("-{hash}{mark}")), jobs }
    }

    /// The name of the dependency that a copy was made of.
    fn original<'n>(&self, name: &'n str) -> Option<&'n str> {
        self.copies.iter().find_map(|mark| name.strip_suffix(mark.as_str()))
    }

    /// What the names of one object have in common in all jobs.
    fn in_common(&self, name: &str) -> String {
        for suffix in ["", "-workload", "-goodput", "-bandwidth"] {
            let Some(base) = name.strip_suffix(suffix) else { continue };
            let of_job = || self.jobs.iter().find_map(|mark| base.strip_suffix(mark.as_str()));
            if let Some(head) = self.original(base).or_else(of_job).or_else(|| self.cut(base)) {
                return format!("{head}-{ANY}{suffix}");
            }
        }
        name.to_owned()
    }

    /// The beginning of a name that was too long and was cut: it ends in a hash instead, and may have kept a beginning
    /// of the mark.
    fn cut<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (head, hash) = name.rsplit_once('-')?;
        let is_hash = (5..=8).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
        let most = if name.len() > JOB_NAME_MAX { COPY_NAME_MAX } else { JOB_NAME_MAX };
        // Hyphens before the hash are cut, too.
        if !is_hash || name.len() + 4 < most {
            return None;
        }
        let kept = self.copies.iter().chain(&self.jobs).flat_map(|mark| {
            (1..=mark.len()).rev().filter_map(|end| mark.get(..end)).find_map(|kept| head.strip_suffix(kept))
        });
        Some(kept.min_by_key(|head| head.len()).unwrap_or(head))
    }
}

impl JobObjects<'_> {
    /// The objects with `*` for what differs from job to job: in names, for group, iteration, nodes, hosts and, when
    /// `sizes` differ, the number of nodes.
    pub fn form(&self, sizes: bool) -> Vec<Value> {
        let marks = Marks::of(&self.objects);
        let own = self.objects.iter().flat_map(|object| [identity(object).2, label(object, JOB_KEY)]);
        let names = own.filter(|name| !name.is_empty()).map(|name| (name, marks.in_common(name))).collect();
        let form = Form { marks: &marks, names, pinned: !self.nodes.is_empty(), sizes };
        let mut out: Vec<Value> = self.objects.iter().map(|object| (*object).clone()).collect();
        out.iter_mut().for_each(|object| form.value(object, ""));
        out
    }
}

struct Form<'m> {
    marks: &'m Marks,
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
                } else if let Some(original) = self.marks.original(text) {
                    *text = format!("{original}-{ANY}");
                } else if REFERENCES.contains(&parent)
                    && text.len() > JOB_NAME_MAX
                    && let Some(head) = self.marks.cut(text)
                {
                    *text = format!("{head}-{ANY}");
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
