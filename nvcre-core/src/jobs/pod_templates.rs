//! The pods of a job as Trainer and JobSet make them of runtime and TrainJob: which, how many, with what of the patches.

use super::patch::{LAUNCHER, WORKER};
use super::prepared::Prepared;
use super::references::{at, at_mut, kind_of, name_of};
use super::runtime::{item_name, replicated_jobs};
use super::template::{Fill, Role};
use crate::api::Value;
use crate::check::pod_parts::{list, text};
use serde_json::Map;
use std::collections::BTreeMap;

/// The label by which Trainer knows what a replicated job is for.
const STEP: &str = "trainer.kubeflow.org/trainjob-ancestor-step";
/// The annotation that gives every Job of a JobSet a topology domain of its own.
const EXCLUSIVE: &str = "alpha.jobset.sigs.k8s.io/exclusive-topology";
/// With it somebody has labelled the nodes, and the pods only carry a selector.
const BY_SELECTOR: &str = "alpha.jobset.sigs.k8s.io/node-selector";

/// How many pods there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PodCount {
    /// In every job the same.
    Fixed(usize),
    /// One for each node of the group, less these.
    Nodes(usize),
}

/// The pods of one replicated job.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JobPods {
    /// Name of the replicated job.
    pub name: String,
    /// Pods of one Job.
    pub count: PodCount,
    /// Jobs of this kind.
    pub replicas: usize,
    /// The spec of a pod. The host names of the group, which differ from job to job, are `true`.
    pub spec: Value,
    /// Labels of the pods, those that the controllers add left out.
    pub labels: BTreeMap<String, String>,
    /// Label of the topology domains of which every Job has one for itself.
    pub exclusive: Option<String>,
}

const POD: [&str; 3] = ["template", "spec", "template"];

impl Prepared<'_> {
    /// The kinds of pods of a job, in the order in which they are made. Empty when the runtime is none of ours.
    pub(crate) fn pod_templates(&self) -> Vec<JobPods> {
        let templates = self.templates_of_jobs();
        let Some(train_job) = templates.iter().find(|t| t.manifest.role == Role::TrainJob) else { return Vec::new() };
        let mut spec = without_words(&train_job.manifest.value);
        for (place, _) in train_job.slots.iter().filter(|(_, fill)| *fill == Fill::Hosts) {
            if let Some(slot) = at_mut(&mut spec, place) {
                *slot = Value::Bool(true);
            }
        }
        let name = self.input.train_job().map_or("", |t| t.runtime_ref.name.as_str());
        let own = templates.iter().map(|t| &t.manifest).chain(self.shared_dependencies());
        let Some(runtime) = own.map(|m| &m.value).find(|v| kind_of(v) == "TrainingRuntime" && name_of(v) == name)
        else {
            return Vec::new();
        };
        let Some(train_job) = spec.get("spec") else { return Vec::new() };
        replicated_jobs(runtime).iter().map(|job| pods_of(runtime, job, train_job, self.input.unpinned())).collect()
    }

    /// Pods of one Job of a kind in a group of so many nodes.
    pub(crate) fn pod_count(&self, count: PodCount, nodes: usize) -> usize {
        match count {
            PodCount::Fixed(count) => count,
            PodCount::Nodes(_) if self.input.unpinned() => usize::try_from(self.size).unwrap_or(0),
            PodCount::Nodes(less) => nodes.saturating_sub(less).max(1),
        }
    }

    /// True when the TrainJob waits until somebody resumes it.
    pub(crate) fn is_suspended(&self) -> bool {
        self.input.train_job().and_then(|t| t.suspend) == Some(true)
    }
}

fn pods_of(runtime: &Value, job: &Value, train_job: &Value, unpinned: bool) -> JobPods {
    let name = item_name(job);
    let step = at(job, &["template", "metadata", "labels", STEP]).and_then(Value::as_str);
    let policy = at(runtime, &["spec", "mlPolicy"]);
    let mpi = policy.and_then(|p| p.get("mpi")).filter(|mpi| !mpi.is_null());
    let launcher_works = mpi.and_then(|mpi| mpi.get("runLauncherAsNode")).and_then(Value::as_bool).unwrap_or_default();
    let number = |value: Option<&Value>| value.and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let sized = at(train_job, &["trainer", "numNodes"]).is_some();
    let workers = match mpi {
        Some(_) => name == WORKER,
        None => step == Some("trainer"),
    };
    // Trainer takes the numbers of a TrainJob, then those of the policy, then those of the Job.
    let count = match (workers && sized, step == Some("trainer") && policy.is_some()) {
        (true, _) if unpinned && launcher_works && name != LAUNCHER => {
            PodCount::Fixed(number(at(train_job, &["trainer", "numNodes"])).unwrap_or(1).saturating_sub(1).max(1))
        }
        (true, _) => PodCount::Nodes(usize::from(launcher_works)),
        (false, true) => PodCount::Fixed(number(policy.and_then(|p| p.get("numNodes"))).unwrap_or(1)),
        (false, false) => PodCount::Fixed(number(at(job, &["template", "spec", "parallelism"])).unwrap_or(1)),
    };
    let template = at(job, &POD);
    let mut spec = template.and_then(|t| t.get("spec")).map(without_words).unwrap_or_default();
    let takes_resources = step == Some("trainer") && policy.is_some() || launcher_works && name == WORKER;
    if takes_resources && let Some(resources) = at(train_job, &["trainer", "resourcesPerNode"]) {
        let containers = spec.get_mut("containers").and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten().filter(|c| item_name(c) == WORKER) {
            if let Some(container) = container.as_object_mut() {
                merge(container.entry("resources").or_insert(Value::Null), resources);
            }
        }
    }
    let mut labels = texts(template.and_then(|t| t.pointer("/metadata/labels")));
    let mut annotations = texts(at(job, &["template", "metadata", "annotations"]));
    annotations.extend(texts(at(runtime, &["spec", "template", "metadata", "annotations"])));
    for patch in list(train_job, "runtimePatches") {
        let template = at(patch, &["trainingRuntimeSpec", "template"]);
        annotations.extend(texts(template.and_then(|t| at(t, &["metadata", "annotations"]))));
        let jobs = template.and_then(|t| at(t, &["spec", "replicatedJobs"])).and_then(Value::as_array);
        for job in jobs.into_iter().flatten().filter(|job| item_name(job) == name) {
            annotations.extend(texts(at(job, &["template", "metadata", "annotations"])));
            let Some(pod) = at(job, &POD) else { continue };
            labels.extend(texts(pod.pointer("/metadata/labels")));
            if let Some(patch) = pod.get("spec").and_then(Value::as_object) {
                merge_pod(&mut spec, patch);
            }
        }
    }
    let exclusive = annotations.remove(EXCLUSIVE).filter(|_| !annotations.contains_key(BY_SELECTOR));
    let replicas = if step.is_some() { 1 } else { number(job.get("replicas")).unwrap_or(1) };
    JobPods { name: name.to_owned(), count, replicas, spec, labels, exclusive }
}

/// A copy without what containers run and see, which says nothing about where pods go and is most of the text.
fn without_words(value: &Value) -> Value {
    fn copy(value: &Value, of_container: bool) -> Value {
        const WORDS: [&str; 6] = ["args", "command", "env", "envFrom", "image", "volumeMounts"];
        match value {
            Value::Object(map) => {
                let kept = map.iter().filter(|(key, _)| !of_container || !WORDS.contains(&key.as_str()));
                let holds = |key: &str| matches!(key, "containers" | "initContainers" | "trainer");
                Value::Object(kept.map(|(key, value)| (key.clone(), copy(value, holds(key)))).collect())
            }
            Value::Array(list) => Value::Array(list.iter().map(|item| copy(item, of_container)).collect()),
            other => other.clone(),
        }
    }
    copy(value, false)
}

fn texts(map: Option<&Value>) -> BTreeMap<String, String> {
    let entries = map.and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Maps key by key; everything else is replaced, and null removes.
fn merge(base: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        patch.clone_into(base);
        return;
    };
    if !base.is_object() {
        *base = Value::Object(Map::new());
    }
    let Some(base) = base.as_object_mut() else { return };
    for (key, value) in patch {
        match value {
            Value::Null => drop(base.remove(key)),
            value => merge(base.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

/// A patch on a pod: lists of named things are added to by name, other lists are replaced (08 row 20).
fn merge_pod(spec: &mut Value, patch: &Map<String, Value>) {
    for (key, value) in patch {
        let named = matches!(key.as_str(), "volumes" | "containers" | "initContainers" | "schedulingGates");
        let Some(spec) = spec.as_object_mut() else { return };
        let there = spec.entry(key.clone()).or_insert(Value::Null);
        match (there.as_array_mut(), value) {
            (Some(there), Value::Array(items)) if named => {
                for item in items {
                    match there.iter_mut().find(|t| text(t, "name") == text(item, "name")) {
                        Some(there) => merge(there, item),
                        None => there.push(item.clone()),
                    }
                }
            }
            _ => merge(there, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn runtime(policy: Value, jobs: Value) -> Value {
        json!({"spec": {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": jobs}}}})
    }

    fn job(name: &str, step: Option<&str>, more: Value) -> Value {
        let mut out = json!({"name": name, "template": {"metadata": {"labels": {}}, "spec": {"template": {"spec": {
            "containers": [{"name": "node", "resources": {"limits": {"cpu": "1"}}}],
        }}}}});
        if let Some(step) = step {
            out["template"]["metadata"]["labels"][STEP] = step.into();
        }
        merge(&mut out, &more);
        out
    }

    fn counts(runtime: &Value, train_job: &Value) -> Vec<(String, PodCount, usize)> {
        let pods = replicated_jobs(runtime).iter().map(|job| pods_of(runtime, job, train_job, false));
        pods.map(|p| (p.name, p.count, p.replicas)).collect()
    }

    #[test]
    fn numbers_of_pods_as_trainer_counts() {
        let trainer = json!({"trainer": {"numNodes": 4}});
        let mpi = |more: Value| {
            let mut policy = json!({"numNodes": 1, "mpi": {"numProcPerNode": 8}});
            merge(&mut policy, &more);
            runtime(policy, json!([job("node", None, json!({})), job("launcher", Some("trainer"), json!({}))]))
        };
        use PodCount::{Fixed, Nodes};
        let of = |name: &str, count, replicas| (name.to_owned(), count, replicas);
        assert_eq!(counts(&mpi(json!({})), &trainer), [of("node", Nodes(0), 1), of("launcher", Fixed(1), 1)]);
        let works = mpi(json!({"mpi": {"runLauncherAsNode": true}}));
        assert_eq!(counts(&works, &trainer), [of("node", Nodes(1), 1), of("launcher", Fixed(1), 1)]);
        let torch = runtime(
            json!({"numNodes": 1, "torch": {}}),
            json!([
                job("node", Some("trainer"), json!({})),
                job("side", None, json!({"replicas": 2, "template": {"spec": {"parallelism": 3}}}))
            ]),
        );
        assert_eq!(counts(&torch, &trainer), [of("node", Nodes(0), 1), of("side", Fixed(3), 2)]);
    }

    #[test]
    fn patches_and_resources_reach_the_pods() {
        let runtime = runtime(
            json!({"torch": {}}),
            json!([job(
                "node",
                Some("trainer"),
                json!({"template": {"spec": {"template": {"spec": {
                    "nodeSelector": {"pool": "a", "zone": "z"}, "tolerations": [{"key": "a"}], "volumes": [{"name": "v"}],
                }}}}})
            )]),
        );
        let patch = |pod: Value| {
            json!({"trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [
                {"name": "other", "template": {"spec": {"template": {"spec": {"nodeName": "x"}}}}},
                {"name": "node", "template": {"spec": {"template": pod}}},
            ]}}}})
        };
        let train_job = json!({
            "trainer": {"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": "8"}}},
            "runtimePatches": [
                patch(json!({"spec": {"nodeSelector": {"pool": "b"}, "tolerations": [{"operator": "Exists"}]}})),
                patch(json!({"metadata": {"labels": {"team": "x"}}, "spec": {"volumes": [{"name": "w"}]}})),
            ],
        });
        let pods = pods_of(&runtime, &replicated_jobs(&runtime)[0], &train_job, false);
        assert_eq!(
            pods.spec,
            json!({
                "containers": [{"name": "node", "resources": {"limits": {"cpu": "1", "nvidia.com/gpu": "8"}}}],
                "nodeSelector": {"pool": "b", "zone": "z"},
                "tolerations": [{"operator": "Exists"}],
                "volumes": [{"name": "v"}, {"name": "w"}],
            })
        );
        assert_eq!(pods.labels, BTreeMap::from([("team".to_owned(), "x".to_owned())]));
        assert_eq!(pods.exclusive, None);
    }

    #[test]
    fn exclusive_domains_of_a_job_or_of_all() {
        let annotation = json!({"template": {"metadata": {"annotations": {EXCLUSIVE: "rack"}}}});
        let runtime =
            runtime(json!({"torch": {}}), json!([job("node", Some("trainer"), annotation), job("b", None, json!({}))]));
        let of = |train_job: &Value| -> Vec<Option<String>> {
            replicated_jobs(&runtime).iter().map(|job| pods_of(&runtime, job, train_job, false).exclusive).collect()
        };
        assert_eq!(of(&json!({})), [Some("rack".to_owned()), None]);
        let all = json!({"runtimePatches": [{"trainingRuntimeSpec": {"template": {"metadata": {"annotations": {EXCLUSIVE: "zone"}}}}}]});
        assert_eq!(of(&all)[1].as_deref(), Some("zone"));
    }

    #[test]
    fn only_what_containers_run_is_left_out() {
        let pod = json!({
            "nodeSelector": {"env": "prod", "image": "a"},
            "containers": [{"name": "node", "args": ["x"], "env": [{"name": "A"}], "resources": {"limits": {"env": "1"}}}],
            "volumes": [{"name": "v", "image": {"reference": "r"}}],
        });
        let mut wanted = pod.clone();
        wanted["containers"] = json!([{"name": "node", "resources": {"limits": {"env": "1"}}}]);
        assert_eq!(without_words(&pod), wanted);
    }
}
