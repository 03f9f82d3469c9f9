//! From an entry and the inputs of a run to an override, in the form of `spec.overrides` (05 §2).

use super::expand::{expand, expand_map, expand_text};
use super::{
    Catalogue, Condition, Count, Entry, Framework, Guard, Input, Inputs, Presence, Variable, Variables, WorkerPatch,
};
use crate::api::{EnvVar, OrchestrationOverride, OverrideSpec, TRAINER_API_VERSION, TopologySpec, WhenSpec};
use crate::object::object;
use crate::overrides::Parts;
use crate::trace::Origin;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Name of the worker's replicated job and of its container (05 §1).
const WORKER: &str = "node";

/// An entry as an edition has it.
#[derive(Debug, Clone, Copy)]
pub struct EntryRef<'a> {
    catalogue: &'a Catalogue,
    edition: &'a str,
    /// The entry.
    pub entry: &'a Entry,
}

/// An extended resource that an entry asks of every worker pod (00 D33, D52).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRequest {
    /// The resource.
    pub resource: String,
    /// The count, as a quantity.
    pub count: String,
    /// Fields of the run that change it; empty when the entry fixes it.
    pub fields: Vec<&'static str>,
}

impl Guard {
    /// True when an entry with this guard exists for a framework.
    pub fn allows(self, framework: Framework) -> bool {
        match self {
            Self::Any => true,
            Self::Mpi => framework == Framework::Mpi,
            Self::NonMpi => framework != Framework::Mpi,
        }
    }
}

impl Count {
    /// True when all conditions given hold.
    pub fn holds(&self, value: i32) -> bool {
        self.equals.is_none_or(|n| value == n)
            && (self.one_of.is_empty() || self.one_of.contains(&value))
            && self.greater_than.is_none_or(|n| value > n)
            && self.less_than.is_none_or(|n| value < n)
    }
}

impl Condition {
    /// True when all conditions given hold.
    pub fn holds(&self, edition: &str, inputs: &Inputs<'_>) -> bool {
        let count = |count: &Option<Count>, value| count.as_ref().is_none_or(|c| c.holds(value));
        includes(&self.editions, edition)
            && count(&self.nodes, inputs.nodes)
            && count(&self.gpus, inputs.gpus)
            && count(&self.nics, inputs.nics)
            && self.nic_resource.is_none_or(|p| (p == Presence::Set) != inputs.nic_resource.is_empty())
            && self.mnnvl.is_none_or(|on| on == inputs.mnnvl)
    }
}

/// True when a list of editions holds one; the empty list holds all.
pub(super) fn includes(editions: &[String], edition: &str) -> bool {
    editions.is_empty() || editions.iter().any(|e| e == edition)
}

impl Catalogue {
    /// The entries that exist under an edition for a framework, in list order: their position is the index of the
    /// override (05 §2). Nothing is rendered yet.
    pub fn entries<'a>(&'a self, edition: &'a str, framework: Framework) -> impl Iterator<Item = EntryRef<'a>> {
        let exists = move |e: &&Entry| e.framework.allows(framework) && includes(&e.editions, edition);
        self.entries.iter().filter(exists).map(move |entry| EntryRef { catalogue: self, edition, entry })
    }

    /// The variables that every workload container gets, in order, before `spec.env` (02 §8.1, 00 D2).
    pub fn base_env(&self, edition: &str, mnnvl: bool) -> Vec<EnvVar> {
        let inputs = Inputs { mnnvl, ..Inputs::default() };
        let there = self.base_environment.iter().filter(|v| v.condition.holds(edition, &inputs));
        there.map(|v| EnvVar::new(v.name.as_str(), expand_text(&v.value, &inputs))).collect()
    }

    /// A list of variables, there or named.
    fn list<'a>(&'a self, list: &'a Variables) -> &'a [Variable] {
        match list {
            Variables::Inline(list) => list.as_slice(),
            Variables::Named(name) => {
                self.environments.iter().find(|e| e.name == *name).map_or(&[][..], |e| &e.variables)
            }
        }
    }

    /// The variables of a list that are there, in order.
    fn variables(&self, list: &Variables, edition: &str, inputs: &Inputs<'_>) -> Vec<EnvVar> {
        let there = self.list(list).iter().filter(|v| v.condition.holds(edition, inputs));
        there.map(|v| EnvVar::new(v.name.as_str(), expand_text(&v.value, inputs))).collect()
    }
}

impl<'a> EntryRef<'a> {
    /// When it matches.
    pub fn when(&self) -> &'a WhenSpec {
        self.entry.when(self.edition)
    }

    /// The entry as the origin of a value.
    pub fn origin(&self) -> Origin {
        Origin::Entry { id: self.entry.id.clone(), name: self.entry.name.clone() }
    }

    /// The override. Its dependencies are the objects of the entry in order, then the patch on the worker; parts
    /// that have nothing to say for this run are left out, so that an entry can match without any effect (05 E15).
    pub fn render(&self, inputs: &Inputs<'_>) -> OverrideSpec {
        let entry = self.entry;
        let mpi = inputs.framework == Framework::Mpi;
        let mut mpi_args = Vec::new();
        let mut trainer_env = self.variables(&entry.trainer_env, inputs);
        let env = self.variables(&entry.env, inputs);
        if mpi {
            mpi_args.extend(entry.mpi_args.iter().flat_map(|w| w.iter()).map(|w| expand_text(w, inputs)));
            mpi_args.extend(env.iter().flat_map(|v| ["-x".into(), format!("{}={}", v.name, v.value)]));
        } else {
            trainer_env.extend(env);
        }
        let mut job_template = entry.job_template.as_ref().map(|patch| expand(patch, inputs));
        if !trainer_env.is_empty() {
            let trainer = object! { "env": trainer_env.iter().map(Value::from).collect::<Vec<_>>() };
            let patch =
                object! { "spec": object! { "workload": object! { "trainJob": object! { "trainer": trainer } } } };
            match &mut job_template {
                Some(template) => merge(template, patch),
                None => job_template = Some(patch),
            }
        }
        let objects = entry.objects.iter().filter(|o| self.holds(&o.condition, inputs));
        let mut dependencies: Vec<Value> = objects.map(|o| Value::Object(expand_map(&o.body, inputs))).collect();
        dependencies.extend(self.worker(inputs));
        OverrideSpec {
            when: self.when().clone(),
            job_template,
            job_template_patch: entry.job_template_patch.as_ref().map(|patch| expand(patch, inputs)),
            dependencies,
            orchestration: self.topology(inputs),
            pre_command: entry.pre_command.iter().map(|line| expand_text(line, inputs)).collect(),
            mpi_args,
        }
    }

    /// Which parts [`Self::render`] gives, without making them.
    pub(crate) fn parts(&self, inputs: &Inputs<'_>) -> Parts {
        let entry = self.entry;
        let mpi = inputs.framework == Framework::Mpi;
        let env = self.any_variable(&entry.env, inputs);
        let objects = entry.objects.iter().filter(|o| self.holds(&o.condition, inputs)).count();
        let worker = entry.worker.iter().any(|p| self.holds(&p.condition, inputs) && self.patches_worker(p, inputs));
        Parts {
            job_template: entry.job_template.is_some()
                || self.any_variable(&entry.trainer_env, inputs)
                || (!mpi && env),
            job_template_patch: entry.job_template_patch.is_some(),
            dependencies: objects + usize::from(worker),
            orchestration: self.topology(inputs).is_some(),
            pre_command: !entry.pre_command.is_empty(),
            mpi_args: mpi && (env || entry.mpi_args.iter().any(|words| words.iter().next().is_some())),
        }
    }

    fn any_variable(&self, list: &Variables, inputs: &Inputs<'_>) -> bool {
        self.catalogue.list(list).iter().any(|v| self.holds(&v.condition, inputs))
    }

    fn patches_worker(&self, patch: &WorkerPatch, inputs: &Inputs<'_>) -> bool {
        let known = |name: &String| self.catalogue.tolerations.iter().any(|t| t.name == *name);
        !patch.job_annotations.is_empty()
            || !patch.pod_annotations.is_empty()
            || !patch.pod.is_empty()
            || !patch.container.is_empty()
            || !patch.claims.is_empty()
            || !patch.resources.is_empty()
            || !patch.capabilities.is_empty()
            || patch.tolerations.iter().any(known)
            || self.any_variable(&patch.env, inputs)
    }

    /// The extended resources that the entry asks of every worker pod.
    pub fn requests(&self, inputs: &Inputs<'_>) -> Vec<ResourceRequest> {
        let patches = self.entry.worker.iter().filter(|p| self.holds(&p.condition, inputs));
        let asked = patches.flat_map(|p| p.resources.iter().map(move |(name, count)| (p, name, count)));
        asked
            .filter(|(_, _, count)| !count.is_null())
            .map(|(patch, name, count)| {
                let texts = [name.as_str(), count.as_str().unwrap_or_default()];
                let conditional = |input| match input {
                    Input::Nics => patch.condition.nics.is_some(),
                    Input::NicResource => patch.condition.nic_resource.is_some(),
                    Input::Gpus => patch.condition.gpus.is_some(),
                    _ => false,
                };
                let changes = |input| conditional(input) || texts.iter().any(|t| super::expand::mentions(t, input));
                ResourceRequest {
                    resource: expand_text(name, inputs),
                    count: match expand(count, inputs) {
                        Value::String(text) => text,
                        other => other.to_string(),
                    },
                    fields: Input::ALL.into_iter().filter(|&i| changes(i)).map(Input::field).collect(),
                }
            })
            .collect()
    }

    fn holds(&self, condition: &Condition, inputs: &Inputs<'_>) -> bool {
        condition.holds(self.edition, inputs)
    }

    fn variables(&self, list: &Variables, inputs: &Inputs<'_>) -> Vec<EnvVar> {
        self.catalogue.variables(list, self.edition, inputs)
    }

    /// The topology as it fits the run (00 D39): the engine replaces the whole field, so what the run says about
    /// strictness is repeated here, and a key of the run's own leaves no room for another.
    fn topology(&self, inputs: &Inputs<'_>) -> Option<OrchestrationOverride> {
        if self.entry.topology_key.is_empty() || inputs.own_topology_key {
            return None;
        }
        Some(OrchestrationOverride {
            topology: Some(TopologySpec {
                topology_key: Some(expand_text(&self.entry.topology_key, inputs)),
                strict_domain: inputs.strict_domain.then_some(true),
            }),
            ..OrchestrationOverride::default()
        })
    }

    /// The patch on the worker of the run's runtime; nothing when no part of it applies.
    fn worker(&self, inputs: &Inputs<'_>) -> Option<Value> {
        let (mut job, mut container) = (Map::new(), Map::new());
        for patch in self.entry.worker.iter().filter(|p| self.holds(&p.condition, inputs)) {
            let annotations = |map: &BTreeMap<String, String>| -> Map<String, Value> {
                map.iter().map(|(k, v)| (k.clone(), expand_text(v, inputs).into())).collect()
            };
            put(&mut job, &["metadata", "annotations"], annotations(&patch.job_annotations));
            put(&mut job, &["spec", "template", "metadata", "annotations"], annotations(&patch.pod_annotations));
            put(&mut job, &["spec", "template", "spec"], self.pod(patch, inputs));
            merge_map(&mut container, self.container(patch, inputs));
        }
        if !container.is_empty() {
            container.insert("name".into(), WORKER.into());
            append(&mut job, &["spec", "template", "spec"], "containers", [Value::Object(container)]);
        }
        if job.is_empty() {
            return None;
        }
        let worker = object! { "name": WORKER, "template": job };
        Some(object! {
            "apiVersion": TRAINER_API_VERSION,
            "kind": "TrainingRuntime",
            "metadata": object! { "name": format!("{}-runtime", inputs.run) },
            "spec": object! { "template": object! { "spec": object! { "replicatedJobs": vec![worker] } } },
        })
    }

    fn pod(&self, patch: &WorkerPatch, inputs: &Inputs<'_>) -> Map<String, Value> {
        let mut pod = expand_map(&patch.pod, inputs);
        let claims = patch.claims.iter().map(|claim| {
            let template = expand_text(&claim.template, inputs);
            object! { "name": expand_text(&claim.name, inputs), "resourceClaimTemplateName": template }
        });
        append(&mut pod, &[], "resourceClaims", claims);
        let named = patch.tolerations.iter().filter_map(|n| self.catalogue.tolerations.iter().find(|t| t.name == *n));
        append(&mut pod, &[], "tolerations", named.map(|t| json!(t.toleration())));
        pod
    }

    fn container(&self, patch: &WorkerPatch, inputs: &Inputs<'_>) -> Map<String, Value> {
        let mut container = expand_map(&patch.container, inputs);
        append(&mut container, &[], "env", self.variables(&patch.env, inputs).iter().map(Value::from));
        let resources: Map<String, Value> =
            patch.resources.iter().map(|(k, v)| (expand_text(k, inputs), expand(v, inputs))).collect();
        put(&mut container, &["resources", "limits"], resources.clone());
        put(&mut container, &["resources", "requests"], resources);
        let claims = patch.claims.iter().map(|c| object! { "name": expand_text(&c.name, inputs) });
        append(&mut container, &["resources"], "claims", claims);
        let capabilities = patch.capabilities.iter().map(|c| c.as_str().into());
        append(&mut container, &["securityContext", "capabilities"], "add", capabilities);
        container
    }
}

/// The mapping at a path, which is made where it is missing.
fn at<'m>(map: &'m mut Map<String, Value>, path: &[&str]) -> Option<&'m mut Map<String, Value>> {
    let mut map = map;
    for key in path {
        map = map.entry(*key).or_insert_with(|| Value::Object(Map::new())).as_object_mut()?;
    }
    Some(map)
}

/// Merges a mapping into the one at a path; an empty one leaves no trace.
fn put(into: &mut Map<String, Value>, path: &[&str], map: Map<String, Value>) {
    if !map.is_empty()
        && let Some(into) = at(into, path)
    {
        merge_map(into, map);
    }
}

/// Appends to a list at a path; no items leave no trace.
fn append(into: &mut Map<String, Value>, path: &[&str], key: &str, items: impl IntoIterator<Item = Value>) {
    let items: Vec<Value> = items.into_iter().collect();
    if !items.is_empty()
        && let Some(into) = at(into, path)
    {
        merge_map(into, Map::from_iter([(key.to_owned(), Value::Array(items))]));
    }
}

/// Puts parts of one entry together: mappings by key, lists one after the other.
fn merge_map(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        match into.get_mut(&key) {
            Some(old) => merge(old, value),
            None => drop(into.insert(key, value)),
        }
    }
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => merge_map(into, from),
        (Value::Array(into), Value::Array(from)) => into.extend(from),
        (into, from) => *into = from,
    }
}
