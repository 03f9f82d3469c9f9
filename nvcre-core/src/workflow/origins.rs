//! Where the fields of a base Workflow come from (02 §4–§8, §11): asked for one field at a time, so that a rendering
//! that nobody asks about pays nothing.

use crate::api::{GPU_RESOURCE, MANAGED_BY_KEY, RUN_KEY, WorkloadRun};
use crate::catalogue::Framework;
use crate::diagnostic::{FieldPath, Segment};

/// What gives a field of a base Workflow its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldOrigin {
    /// A field of the run, as it is or put into a longer text.
    Run(FieldPath),
    /// A resolved value: `platform`, `gpuArchitecture`, `gpusPerNode`, `nodesPerJob`.
    Value(&'static str),
    /// A variable of the merged environment.
    Env(String),
    /// The command line, which is made of many parts.
    Command,
    /// Gang scheduling: the field of the run, or its default.
    Gang(FieldPath),
    /// Written by the renderer itself, with its paragraph of the specification.
    Default(&'static str),
}

const TRAIN_JOB: [&str; 5] = ["spec", "jobTemplate", "spec", "workload", "trainJob"];
const JOB: [&str; 3] = ["spec", "jobTemplate", "spec"];

/// Origin of a field of the base Workflow of a run. `path` names dependencies by kind and name, and elements of named
/// lists by their names, as the trace does.
pub fn field_origin(path: &FieldPath, run: &WorkloadRun, framework: Framework) -> FieldOrigin {
    let steps: Vec<String> = path.0.iter().map(step).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let asker = Asker { run, framework, path };
    match steps.as_slice() {
        ["metadata", rest @ ..] => metadata(rest),
        ["spec", "orchestration", rest @ ..] => asker.orchestration(rest),
        ["spec", "gangScheduler", rest @ ..] => FieldOrigin::Gang(asker.field("spec.gangScheduler", rest)),
        ["spec", "validation", "performance", "thresholds", "thresholds", rest @ ..] => {
            asker.below("spec.thresholds", rest)
        }
        ["spec", "validation", ..] => run_field("spec.thresholds"),
        ["spec", "dependencies", object, rest @ ..] => asker.dependency(object, rest),
        steps => match (steps.strip_prefix(&TRAIN_JOB), steps.strip_prefix(&JOB)) {
            (Some(rest), _) => asker.train_job(rest),
            (None, Some(rest)) => asker.job(rest),
            (None, None) => FieldOrigin::Default("02 §11"),
        },
    }
}

fn step(segment: &Segment) -> String {
    match segment {
        Segment::Key(text) | Segment::Named(text) | Segment::Keyed(_, text) => text.to_string(),
        Segment::Index(index) => index.to_string(),
    }
}

fn run_field(path: &str) -> FieldOrigin {
    FieldOrigin::Run(path.into())
}

fn name() -> FieldOrigin {
    FieldOrigin::Run("metadata.name".into())
}

fn metadata(rest: &[&str]) -> FieldOrigin {
    match rest {
        ["name"] => name(),
        ["namespace"] => FieldOrigin::Run("metadata.namespace".into()),
        ["labels", key] if *key == MANAGED_BY_KEY => FieldOrigin::Default("00 D10"),
        ["labels", key] if *key == RUN_KEY => name(),
        ["annotations", key] if key.ends_with("detected-platform") => FieldOrigin::Value("platform"),
        ["annotations", key] if key.ends_with("detected-gpu-architecture") => FieldOrigin::Value("gpuArchitecture"),
        _ => FieldOrigin::Default("02 §11"),
    }
}

struct Asker<'a> {
    run: &'a WorkloadRun,
    framework: Framework,
    path: &'a FieldPath,
}

impl Asker<'_> {
    /// A field of the run that ends as the path does: `rest` are the steps that are left of it.
    fn field(&self, base: &str, rest: &[&str]) -> FieldPath {
        let tail = self.path.0.get(self.path.0.len().saturating_sub(rest.len())..).unwrap_or_default();
        FieldPath::parse(base).join(&FieldPath(tail.to_vec()))
    }

    fn below(&self, base: &str, rest: &[&str]) -> FieldOrigin {
        FieldOrigin::Run(self.field(base, rest))
    }

    fn orchestration(&self, rest: &[&str]) -> FieldOrigin {
        let own = self.run.spec.orchestration.as_ref();
        match rest {
            ["target", rest @ ..] => self.below("spec.target", rest),
            ["topology", rest @ ..] => {
                let topology = own.and_then(|o| o.topology.as_ref());
                let written = match rest {
                    ["topologyKey", ..] => topology.is_some_and(|t| t.topology_key.is_some()),
                    ["strictDomain", ..] => topology.is_some_and(|t| t.strict_domain.is_some()),
                    _ => topology.is_some(),
                };
                match written {
                    true => self.below("spec.orchestration.topology", rest),
                    false => run_field("spec.orchestration.testScale"),
                }
            }
            ["execution", "timeoutPerJob"] if own.is_some_and(|o| !o.timeout_per_job.is_empty()) => {
                run_field("spec.orchestration.timeoutPerJob")
            }
            ["execution", "maxConcurrent"] => run_field("spec.orchestration.maxConcurrent"),
            ["execution", ..] => FieldOrigin::Default("00 D11"),
            ["iterations"] if own.is_some_and(|o| o.repeat_count.is_some()) => {
                run_field("spec.orchestration.repeatCount")
            }
            ["placement"] => run_field("spec.orchestration.placement"),
            _ => FieldOrigin::Default("02 §7.6"),
        }
    }

    fn job(&self, rest: &[&str]) -> FieldOrigin {
        match rest {
            ["workloadMetadata", "labels", key] => self.label(key),
            ["checkpoint", "maxRestarts"] => run_field("spec.checkpoint.maxRestarts"),
            ["checkpoint", ..] => FieldOrigin::Default("02 §5.3"),
            ["goodputMeasurement", rest @ ..] => self.below("spec.goodputMeasurement", rest),
            ["bandwidthMeasurement", rest @ ..] => self.below("spec.bandwidthMeasurement", rest),
            _ => FieldOrigin::Default("02 §7"),
        }
    }

    /// A label of the workload object: the run's own, or the queue.
    fn label(&self, key: &str) -> FieldOrigin {
        let own = self.run.spec.workload_metadata.as_ref().is_some_and(|m| m.labels.contains_key(key));
        match own {
            true => FieldOrigin::Run(FieldPath::parse("spec.workloadMetadata.labels").key(key)),
            false => queue(),
        }
    }

    fn train_job(&self, rest: &[&str]) -> FieldOrigin {
        match rest {
            ["trainer", "image"] => run_field("spec.image"),
            ["trainer", "command" | "args", ..] => FieldOrigin::Command,
            ["trainer", "numNodes"] => FieldOrigin::Value("nodesPerJob"),
            ["trainer", "numProcPerNode"] => FieldOrigin::Value("gpusPerNode"),
            ["runtimePatches", rest @ ..] if rest.contains(&"imagePullSecrets") => run_field("spec.imagePullSecrets"),
            ["runtimePatches", ..] => FieldOrigin::Default("02 §7.4"),
            ["runtimeRef", "name"] => name(),
            _ => FieldOrigin::Default("02 §7"),
        }
    }

    fn dependency(&self, object: &str, rest: &[&str]) -> FieldOrigin {
        let kind = object.split('/').next().unwrap_or(object);
        match (kind, rest) {
            (_, ["metadata", "name"] | ["metadata", "labels", "app"]) => name(),
            ("ConfigMap", ["data", file, ..]) => FieldOrigin::Run(FieldPath::parse("spec.config.inline").key(file)),
            ("PersistentVolumeClaim", ["spec", "resources", ..]) => run_field("spec.checkpoint.storageSize"),
            ("PersistentVolumeClaim", ["spec", "storageClassName"]) => run_field("spec.checkpoint.storageClassName"),
            ("PersistentVolumeClaim", _) => FieldOrigin::Default("02 §5.3"),
            ("ConfigMap", _) => FieldOrigin::Default("02 §5.1"),
            ("TrainingRuntime", ["spec", rest @ ..]) => self.runtime(rest),
            _ => FieldOrigin::Default(self.chapter()),
        }
    }

    /// The paragraph of the runtime.
    fn chapter(&self) -> &'static str {
        match self.framework {
            Framework::Mpi => "02 §4.3",
            Framework::Torch | Framework::Exec => "02 §4.1",
        }
    }

    fn runtime(&self, rest: &[&str]) -> FieldOrigin {
        match rest {
            ["mlPolicy", "numNodes"] if self.framework != Framework::Mpi => FieldOrigin::Value("nodesPerJob"),
            ["mlPolicy", "mpi", "numProcPerNode"] => FieldOrigin::Value("gpusPerNode"),
            ["template", "spec", "replicatedJobs", job, "template", "spec", "template", "spec", rest @ ..] => {
                self.pod(job, rest)
            }
            [.., "metadata", "labels", "app"] => name(),
            [.., "metadata", "labels", key] if self.is_queue(key) => queue(),
            _ => FieldOrigin::Default(self.chapter()),
        }
    }

    fn is_queue(&self, key: &str) -> bool {
        let gang = super::gang::resolve(self.run.spec.gang_scheduler.as_ref());
        gang.is_some_and(|gang| gang.queue_label_key == key)
    }

    fn pod(&self, job: &str, rest: &[&str]) -> FieldOrigin {
        let spec = &self.run.spec;
        match rest {
            ["schedulerName"] => FieldOrigin::Gang("spec.gangScheduler.schedulerName".into()),
            ["priorityClassName"] => run_field("spec.priorityClassName"),
            ["containers" | "initContainers", "node" | "fix-ssh-permissions" | "wait-for-workers", "image"] => {
                run_field("spec.image")
            }
            ["containers", "node", "env", name, ..] => FieldOrigin::Env((*name).to_owned()),
            ["containers", "node", "resources", rest @ ..] if job == crate::jobs::WORKER => self.resources(rest),
            ["containers", "node", "volumeMounts", rest @ ..] => self.listed("volumeMounts", &spec.volume_mounts, rest),
            ["volumes", rest @ ..] => self.listed("volumes", &spec.volumes, rest),
            ["initContainers", rest @ ..] => self.listed("initContainers", &spec.init_containers, rest),
            _ => FieldOrigin::Default(self.chapter()),
        }
    }

    fn resources(&self, rest: &[&str]) -> FieldOrigin {
        let own = self.run.spec.resources.as_ref();
        let written = own.is_some_and(|own| rest.iter().try_fold(own, |value, key| value.get(key)).is_some());
        match rest {
            [.., key] if *key == GPU_RESOURCE && !written => FieldOrigin::Value("gpusPerNode"),
            _ if own.is_none() => FieldOrigin::Value("gpusPerNode"),
            _ => self.below("spec.resources", rest),
        }
    }

    /// An element of a list that holds our own elements, those of the run and that of its configuration.
    fn listed(&self, list: &str, own: &[serde_json::Value], rest: &[&str]) -> FieldOrigin {
        let base = format!("spec.{list}");
        let [name, rest @ ..] = rest else {
            return if own.is_empty() { FieldOrigin::Default(self.chapter()) } else { run_field(&base) };
        };
        let named = |value: &serde_json::Value| value.get("name").and_then(|n| n.as_str()) == Some(name);
        match own.iter().position(named) {
            Some(at) => FieldOrigin::Run(self.field(&format!("{base}[{at}]"), rest)),
            None if *name == "config-volume" => {
                match self.run.spec.config.as_ref().and_then(|c| c.config_map_ref.as_ref()) {
                    Some(_) => run_field("spec.config.configMapRef"),
                    None => run_field("spec.config.inline"),
                }
            }
            None => FieldOrigin::Default(self.chapter()),
        }
    }
}

fn queue() -> FieldOrigin {
    FieldOrigin::Gang("spec.gangScheduler.queue".into())
}
