//! The TrainingRuntime of a run (02 §4, §6).

use super::scripts::{LAUNCHER_INIT, WAIT_FOR_WORKERS, WORKER_START};
use crate::api::{EnvVar, GPU_RESOURCE, GangSchedulerSpec, TRAINER_API_VERSION, Value, WorkloadRunSpec};
use crate::catalogue::Framework;
use serde_json::{Map, json};

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
    let gpus = json!({ GPU_RESOURCE: gpus_per_node.to_string() });
    let Some(resources) = resources else { return json!({ "limits": gpus, "requests": gpus }) };
    let names_gpus =
        ["limits", "requests"].iter().any(|side| resources.get(side).is_some_and(|m| m.get(GPU_RESOURCE).is_some()));
    let mut out = resources.clone();
    if gpus_per_node <= 0 || names_gpus {
        return out;
    }
    if let Some(map) = out.as_object_mut() {
        for side in ["limits", "requests"] {
            let entry = map.entry(side).or_insert_with(|| json!({}));
            if !entry.is_object() {
                *entry = json!({});
            }
            if let Some(side) = entry.as_object_mut() {
                side.insert(GPU_RESOURCE.into(), json!(gpus_per_node.to_string()));
            }
        }
    }
    out
}

fn torch(input: &RuntimeInput<'_>) -> Value {
    let mut pod = json!({
        "terminationGracePeriodSeconds": 30,
        "securityContext": { "seccompProfile": { "type": "RuntimeDefault" } },
        "containers": [{
            "name": "node",
            "image": input.spec.image,
            "env": input.env,
            "resources": worker_resources(input.spec.resources.as_ref(), input.gpus_per_node),
            "volumeMounts": mounts(input, vec![json!({ "name": "dshm", "mountPath": "/dev/shm" })]),
        }],
        "volumes": volumes(input, json!({ "name": "dshm", "emptyDir": { "medium": "Memory" } })),
    });
    if !input.spec.init_containers.is_empty() {
        set(&mut pod, "initContainers", json!(input.spec.init_containers));
    }
    let labels = json!({ "app": input.run, "trainer.kubeflow.org/trainjob-ancestor-step": "trainer" });
    json!({
        "apiVersion": TRAINER_API_VERSION,
        "kind": "TrainingRuntime",
        "metadata": {
            "name": format!("{}-runtime", input.run),
            "labels": { "app": input.run, "trainer.kubeflow.org/framework": "torch" },
        },
        "spec": {
            "mlPolicy": { "numNodes": input.nodes_per_job, "torch": {} },
            "template": { "spec": { "replicatedJobs": [
                { "name": "node", "template": job_template(input, Some(labels), pod) },
            ] } },
        },
    })
}

fn mpi(input: &RuntimeInput<'_>) -> Value {
    let kai = input.gang.is_some_and(|g| g.scheduler_name == KAI);
    let raw_keys = json!({ "name": "mpi-ssh-auth", "mountPath": SSH_RAW, "readOnly": true });
    let mut worker = json!({
        "restartPolicy": "OnFailure",
        "volumes": volumes(input, json!({ "name": "dshm", "emptyDir": { "medium": "Memory" } })),
        "containers": [{
            "name": "node",
            "image": input.spec.image,
            "env": input.env,
            "command": ["sh", "-c"],
            "args": [WORKER_START],
            "readinessProbe": { "initialDelaySeconds": 5, "tcpSocket": { "port": 22 } },
            "securityContext": { "capabilities": { "add": ["IPC_LOCK"] } },
            "volumeMounts": mounts(input, vec![raw_keys.clone(), json!({ "name": "dshm", "mountPath": "/dev/shm" })]),
            "resources": worker_resources(input.spec.resources.as_ref(), input.gpus_per_node),
        }],
    });
    if !input.spec.init_containers.is_empty() {
        set(&mut worker, "initContainers", json!(input.spec.init_containers));
    }
    let own_keys = json!({ "name": "ssh-keys", "mountPath": SSH_KEYS });
    let mut init_mounts = vec![raw_keys.clone(), own_keys.clone()];
    let mut init_script = LAUNCHER_INIT.to_owned();
    if kai {
        init_mounts.push(hostfile_mount());
        init_script.push_str(WAIT_FOR_WORKERS);
    }
    let launcher = json!({
        "restartPolicy": "OnFailure",
        "volumes": volumes(input, json!({ "name": "ssh-keys", "emptyDir": {} })),
        "initContainers": [{
            "name": "fix-ssh-permissions",
            "image": input.spec.image,
            "command": ["sh", "-c"],
            "args": [init_script],
            "volumeMounts": init_mounts,
        }],
        "containers": [{
            "name": "node",
            "image": input.spec.image,
            "env": input.env,
            "resources": { "limits": { "cpu": "2", "memory": "1Gi" } },
            "volumeMounts": mounts(input, vec![raw_keys, own_keys]),
        }],
    });
    let labels = json!({ "trainer.kubeflow.org/trainjob-ancestor-step": "trainer" });
    let mut launcher = json!({ "name": "launcher", "template": job_template(input, Some(labels), launcher) });
    if !kai {
        set(&mut launcher, "dependsOn", json!([{ "name": "node", "status": "Ready" }]));
    }
    json!({
        "apiVersion": TRAINER_API_VERSION,
        "kind": "TrainingRuntime",
        "metadata": {
            "name": format!("{}-runtime", input.run),
            "labels": { "app": input.run, "trainer.kubeflow.org/framework": "mpi" },
        },
        "spec": {
            "mlPolicy": {
                "numNodes": 1,
                "mpi": {
                    "mpiImplementation": "OpenMPI",
                    "numProcPerNode": input.gpus_per_node,
                    "sshAuthMountPath": SSH_RAW,
                },
            },
            "template": { "spec": {
                "network": { "publishNotReadyAddresses": true },
                "successPolicy": { "operator": "All", "targetReplicatedJobs": ["launcher"] },
                "replicatedJobs": [
                    { "name": "node", "template": job_template(input, None, worker) },
                    launcher,
                ],
            } },
        },
    })
}

/// Mount of the file that Trainer's MPI plugin writes.
pub(super) fn hostfile_mount() -> Value {
    json!({ "name": "mpi-hostfile", "mountPath": "/etc/mpi", "readOnly": true })
}

/// The init container that stands for a removed `dependsOn` in runtimes that are not ours (02 §6.1).
pub(super) fn wait_for_workers(image: &str) -> Value {
    json!({
        "name": "wait-for-workers",
        "image": image,
        "command": ["sh", "-c"],
        "args": [WAIT_FOR_WORKERS],
        "volumeMounts": [
            hostfile_mount(),
            { "name": "mpi-ssh-auth", "mountPath": SSH_RAW, "readOnly": true },
            { "name": "ssh-keys", "mountPath": SSH_KEYS },
        ],
    })
}

/// The Job template of one replicated job: labels, queue label and scheduler where they apply (02 §10.1).
fn job_template(input: &RuntimeInput<'_>, labels: Option<Value>, pod: Value) -> Value {
    let mut labels = match labels {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let mut pod = pod;
    let mut pod_template = Map::new();
    if let Some(gang) = input.gang {
        labels.insert(gang.queue_label_key.clone(), json!(gang.queue));
        pod_template.insert("metadata".into(), json!({ "labels": { &gang.queue_label_key: gang.queue } }));
        set(&mut pod, "schedulerName", json!(gang.scheduler_name));
    }
    pod_template.insert("spec".into(), pod);
    let mut template = Map::new();
    if !labels.is_empty() {
        template.insert("metadata".into(), json!({ "labels": labels }));
    }
    template.insert("spec".into(), json!({ "template": pod_template }));
    Value::Object(template)
}

/// The engine's volume, then the user's, then the config volume (02 §5.1; for MPI on both jobs: 00 D7).
fn volumes(input: &RuntimeInput<'_>, own: Value) -> Vec<Value> {
    let mut out = vec![own];
    out.extend(input.spec.volumes.iter().cloned());
    if let Some(name) = input.config_map {
        out.push(json!({ "name": "config-volume", "configMap": { "name": name, "defaultMode": 493 } }));
    }
    out
}

fn mounts(input: &RuntimeInput<'_>, own: Vec<Value>) -> Vec<Value> {
    let mut out = own;
    out.extend(input.spec.volume_mounts.iter().cloned());
    if input.config_map.is_some() {
        out.push(json!({ "name": "config-volume", "mountPath": "/config" }));
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
