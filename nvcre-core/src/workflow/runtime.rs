//! The TrainingRuntime of a run (02 §4, §6).

use super::scripts::{LAUNCHER_INIT, WAIT_FOR_WORKERS, WORKER_START};
use crate::api::{EnvVar, GPU_RESOURCE, GangSchedulerSpec, TRAINER_API_VERSION, Value, WorkloadRunSpec};
use crate::catalogue::Framework;
use crate::object::object;
use serde_json::Map;

/// What the runtime is made from.
#[derive(Debug, Clone)]
pub struct RuntimeInput<'a> {
    /// Name of the run.
    pub run: &'a str,
    /// The run.
    pub spec: &'a WorkloadRunSpec,
    /// How it is started.
    pub framework: Framework,
    /// Merged environment of the workload containers.
    pub env: &'a [EnvVar],
    /// GPUs per node.
    pub gpus_per_node: i32,
    /// Nodes per job.
    pub nodes_per_job: i32,
    /// Gang scheduling with its defaults filled in; `None` when it is off.
    pub gang: Option<&'a GangSchedulerSpec>,
    /// Name of the ConfigMap mounted at `/config`; `None` without one.
    pub config_map: Option<&'a str>,
}

const SSH_KEYS: &str = "/root/.ssh";
const SSH_RAW: &str = "/tmp/mpi-ssh-raw";

/// The scheduler that needs all pods of a gang at once (02 §6).
pub(super) const KAI: &str = "kai-scheduler";

/// The TrainingRuntime, always the first dependency.
pub fn training_runtime(input: &RuntimeInput<'_>) -> Value {
    match input.framework {
        Framework::Mpi => mpi(input),
        Framework::Torch | Framework::Exec => torch(input),
    }
}

/// Requests and limits of the worker container (02 §4.4).
///
/// Without `spec.resources` exactly the GPUs; with them, GPUs are added on both sides unless they are named anywhere.
pub fn worker_resources(resources: Option<&Value>, gpus_per_node: i32) -> Value {
    let gpus = || object! { GPU_RESOURCE: gpus_per_node.to_string() };
    let Some(resources) = resources else { return object! { "limits": gpus(), "requests": gpus() } };
    let names_gpus =
        ["limits", "requests"].iter().any(|side| resources.get(side).is_some_and(|m| m.get(GPU_RESOURCE).is_some()));
    let mut out = resources.clone();
    if gpus_per_node <= 0 || names_gpus {
        return out;
    }
    if let Some(map) = out.as_object_mut() {
        for side in ["limits", "requests"] {
            let entry = map.entry(side).or_insert_with(|| object! {});
            if !entry.is_object() {
                *entry = object! {};
            }
            if let Some(side) = entry.as_object_mut() {
                side.insert(GPU_RESOURCE.into(), gpus_per_node.to_string().into());
            }
        }
    }
    out
}

fn torch(input: &RuntimeInput<'_>) -> Value {
    let container = object! {
        "name": "node",
        "image": input.spec.image.as_str(),
        "env": env(input),
        "resources": worker_resources(input.spec.resources.as_ref(), input.gpus_per_node),
        "volumeMounts": mounts(input, vec![mount("dshm", "/dev/shm")]),
    };
    let mut pod = object! {
        "terminationGracePeriodSeconds": 30,
        "securityContext": object! { "seccompProfile": object! { "type": "RuntimeDefault" } },
        "containers": vec![container],
        "volumes": volumes(input, shared_memory()),
    };
    if !input.spec.init_containers.is_empty() {
        set(&mut pod, "initContainers", input.spec.init_containers.clone().into());
    }
    let labels = Map::from_iter([
        ("app".to_owned(), input.run.into()),
        ("trainer.kubeflow.org/trainjob-ancestor-step".to_owned(), "trainer".into()),
    ]);
    let spec = object! {
        "mlPolicy": object! { "numNodes": input.nodes_per_job, "torch": object! {} },
        "template": object! { "spec": object! {
            "replicatedJobs": vec![object! { "name": "node", "template": job_template(input, labels, pod) }],
        } },
    };
    runtime(input, "torch", spec)
}

fn runtime(input: &RuntimeInput<'_>, framework: &str, spec: Value) -> Value {
    object! {
        "apiVersion": TRAINER_API_VERSION,
        "kind": "TrainingRuntime",
        "metadata": object! {
            "name": format!("{}-runtime", input.run),
            "labels": object! { "app": input.run, "trainer.kubeflow.org/framework": framework },
        },
        "spec": spec,
    }
}

fn mpi(input: &RuntimeInput<'_>) -> Value {
    let kai = input.gang.is_some_and(|g| g.scheduler_name == KAI);
    let container = object! {
        "name": "node",
        "image": input.spec.image.as_str(),
        "env": env(input),
        "command": vec!["sh", "-c"],
        "args": vec![WORKER_START],
        "readinessProbe": object! { "initialDelaySeconds": 5, "tcpSocket": object! { "port": 22 } },
        "securityContext": object! { "capabilities": object! { "add": vec!["IPC_LOCK"] } },
        "volumeMounts": mounts(input, vec![raw_keys(), mount("dshm", "/dev/shm")]),
        "resources": worker_resources(input.spec.resources.as_ref(), input.gpus_per_node),
    };
    let mut worker = object! {
        "restartPolicy": "OnFailure",
        "volumes": volumes(input, shared_memory()),
        "containers": vec![container],
    };
    if !input.spec.init_containers.is_empty() {
        set(&mut worker, "initContainers", input.spec.init_containers.clone().into());
    }
    let mut init_mounts = vec![raw_keys(), mount("ssh-keys", SSH_KEYS)];
    let mut init_script = LAUNCHER_INIT.to_owned();
    if kai {
        init_mounts.push(hostfile_mount());
        init_script.push_str(WAIT_FOR_WORKERS);
    }
    let init_container = object! {
        "name": "fix-ssh-permissions",
        "image": input.spec.image.as_str(),
        "command": vec!["sh", "-c"],
        "args": vec![init_script],
        "volumeMounts": init_mounts,
    };
    let container = object! {
        "name": "node",
        "image": input.spec.image.as_str(),
        "env": env(input),
        "resources": object! { "limits": object! { "cpu": "2", "memory": "1Gi" } },
        "volumeMounts": mounts(input, vec![raw_keys(), mount("ssh-keys", SSH_KEYS)]),
    };
    let launcher = object! {
        "restartPolicy": "OnFailure",
        "volumes": volumes(input, object! { "name": "ssh-keys", "emptyDir": object! {} }),
        "initContainers": vec![init_container],
        "containers": vec![container],
    };
    let labels = Map::from_iter([("trainer.kubeflow.org/trainjob-ancestor-step".to_owned(), "trainer".into())]);
    let mut launcher = object! { "name": "launcher", "template": job_template(input, labels, launcher) };
    if !kai {
        set(&mut launcher, "dependsOn", vec![object! { "name": "node", "status": "Ready" }].into());
    }
    let worker = object! { "name": "node", "template": job_template(input, Map::new(), worker) };
    let policy = object! {
        "mpiImplementation": "OpenMPI",
        "numProcPerNode": input.gpus_per_node,
        "sshAuthMountPath": SSH_RAW,
    };
    let spec = object! {
        "mlPolicy": object! { "numNodes": 1, "mpi": policy },
        "template": object! { "spec": object! {
            "network": object! { "publishNotReadyAddresses": true },
            "successPolicy": object! { "operator": "All", "targetReplicatedJobs": vec!["launcher"] },
            "replicatedJobs": vec![worker, launcher],
        } },
    };
    runtime(input, "mpi", spec)
}

fn env(input: &RuntimeInput<'_>) -> Value {
    input.env.iter().map(Value::from).collect()
}

fn mount(name: &str, path: &str) -> Value {
    object! { "name": name, "mountPath": path }
}

/// The keys as Trainer mounts them, with permissions that ssh refuses.
fn raw_keys() -> Value {
    object! { "name": "mpi-ssh-auth", "mountPath": SSH_RAW, "readOnly": true }
}

fn shared_memory() -> Value {
    object! { "name": "dshm", "emptyDir": object! { "medium": "Memory" } }
}

/// Mount of the file that Trainer's MPI plugin writes.
pub(super) fn hostfile_mount() -> Value {
    object! { "name": "mpi-hostfile", "mountPath": "/etc/mpi", "readOnly": true }
}

/// The init container that stands for a removed `dependsOn` in runtimes that are not ours (02 §6.1).
pub(super) fn wait_for_workers(image: &str) -> Value {
    object! {
        "name": "wait-for-workers",
        "image": image,
        "command": vec!["sh", "-c"],
        "args": vec![WAIT_FOR_WORKERS],
        "volumeMounts": vec![hostfile_mount(), raw_keys(), mount("ssh-keys", SSH_KEYS)],
    }
}

/// The Job template of one replicated job: labels, queue label and scheduler where they apply (02 §10.1).
fn job_template(input: &RuntimeInput<'_>, mut labels: Map<String, Value>, mut pod: Value) -> Value {
    let mut pod_template = Map::new();
    if let Some(gang) = input.gang {
        labels.insert(gang.queue_label_key.clone(), gang.queue.as_str().into());
        let key = gang.queue_label_key.as_str();
        let queue = object! { key: gang.queue.as_str() };
        pod_template.insert("metadata".into(), object! { "labels": queue });
        set(&mut pod, "schedulerName", gang.scheduler_name.as_str().into());
    }
    pod_template.insert("spec".into(), pod);
    let mut template = Map::new();
    if !labels.is_empty() {
        template.insert("metadata".into(), object! { "labels": labels });
    }
    template.insert("spec".into(), object! { "template": pod_template });
    Value::Object(template)
}

/// The engine's volume, then the user's, then the config volume (02 §5.1; for MPI on both jobs: 00 D7).
fn volumes(input: &RuntimeInput<'_>, own: Value) -> Vec<Value> {
    let mut out = vec![own];
    out.extend(input.spec.volumes.iter().cloned());
    if let Some(name) = input.config_map {
        out.push(object! { "name": "config-volume", "configMap": object! { "name": name, "defaultMode": 493 } });
    }
    out
}

fn mounts(input: &RuntimeInput<'_>, own: Vec<Value>) -> Vec<Value> {
    let mut out = own;
    out.extend(input.spec.volume_mounts.iter().cloned());
    if input.config_map.is_some() {
        out.push(mount("config-volume", "/config"));
    }
    out
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(map) = object.as_object_mut() {
        map.insert(key.into(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn resources_of_02_4_4() {
        let gpu = |n: &str| json!({ "nvidia.com/gpu": n });
        assert_eq!(worker_resources(None, 8), json!({ "limits": gpu("8"), "requests": gpu("8") }));
        assert_eq!(worker_resources(None, 0), json!({ "limits": gpu("0"), "requests": gpu("0") }));
        let given = json!({ "limits": { "memory": "8Gi" } });
        assert_eq!(
            worker_resources(Some(&given), 4),
            json!({ "limits": { "memory": "8Gi", "nvidia.com/gpu": "4" }, "requests": gpu("4") })
        );
        assert_eq!(worker_resources(Some(&given), 0), given);
        for given in [json!({ "requests": gpu("0") }), json!({ "limits": gpu("2"), "claims": [{ "name": "x" }] })] {
            assert_eq!(worker_resources(Some(&given), 4), given);
        }
    }
}
