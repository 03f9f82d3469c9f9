//! Every pod template of the result: those of the runtimes, and those of the patches on them.

use super::runtime::{is_step, job_path};
use super::train_job_path;
use crate::api::TrainJobSpec;
use crate::check::pod_parts::{self as parts, Container, element, list, text};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::jobs::patch::WORKER;
use crate::jobs::references::{at, kind_of};
use crate::jobs::runtime::{item_name, replicated_jobs, runtime_of};
use serde_json::Value;

/// Volumes that Trainer itself adds to the pods of an MPI runtime.
const MPI_VOLUMES: [&str; 2] = ["mpi-ssh-auth", "mpi-hostfile"];

/// One pod template, or a patch on one.
pub(crate) struct Pod<'a> {
    /// Name of the replicated job.
    job: &'a str,
    /// The spec of the pod.
    spec: &'a Value,
    /// Where it stands in the Workflow.
    path: FieldPath,
    /// It is a patch on the runtime.
    patch: bool,
    /// The runtime is the one that the TrainJob refers to.
    referred: bool,
    /// Trainer gives its container `node` the image of the trainer.
    gets_image: bool,
    /// Trainer adds the volumes of MPI.
    mpi: bool,
}

const POD: [&str; 4] = ["template", "spec", "template", "spec"];

/// Walks over all of them. `patches` are the runtime patches as JSON.
fn pods<'a>(train_job: &TrainJobSpec, patches: &'a Value, dependencies: &'a [Value]) -> Vec<Pod<'a>> {
    let referred = runtime_of(dependencies, train_job);
    let image = train_job.trainer.as_ref().and_then(|t| t.image.as_deref()).is_some_and(|i| !i.is_empty());
    let is_mpi = |runtime: &Value| at(runtime, &["spec", "mlPolicy", "mpi"]).is_some_and(|p| !p.is_null());
    let mut out = Vec::new();
    let runtimes = dependencies.iter().enumerate();
    for (number, runtime) in
        runtimes.filter(|(_, d)| matches!(kind_of(d), "TrainingRuntime" | "ClusterTrainingRuntime"))
    {
        for (index, job) in replicated_jobs(runtime).iter().enumerate() {
            let Some(spec) = at(job, &POD) else { continue };
            out.push(Pod {
                job: item_name(job),
                spec,
                path: POD.iter().fold(job_path(runtime, index, job), |path, key| path.key(*key)),
                patch: false,
                referred: referred == Some(number),
                gets_image: image && is_step(job),
                mpi: is_mpi(runtime),
            });
        }
    }
    for (index, patch) in patches.as_array().into_iter().flatten().enumerate() {
        let jobs = ["trainingRuntimeSpec", "template", "spec", "replicatedJobs"];
        let base = jobs.iter().fold(train_job_path().key("runtimePatches").index(index), |path, key| path.key(*key));
        for (index, job) in at(patch, &jobs).and_then(Value::as_array).into_iter().flatten().enumerate() {
            let Some(spec) = at(job, &POD) else { continue };
            out.push(Pod {
                job: item_name(job),
                spec,
                path: POD.iter().fold(element(&base, index, job), |path, key| path.key(*key)),
                patch: true,
                referred: true,
                gets_image: false,
                mpi: referred.and_then(|at| dependencies.get(at)).is_some_and(is_mpi),
            });
        }
    }
    out
}

fn patches_of(train_job: &TrainJobSpec) -> Value {
    serde_json::to_value(&train_job.runtime_patches).unwrap_or_default()
}

/// What Kubernetes refuses in the pods.
pub(super) fn check(train_job: &TrainJobSpec, dependencies: &[Value], findings: &mut Vec<Diagnostic>) {
    let patches = patches_of(train_job);
    let pods = pods(train_job, &patches, dependencies);
    metadata(dependencies, &patches, findings);
    let has_runtime = runtime_of(dependencies, train_job).is_some();
    for pod in &pods {
        // A patch and what it patches are one pod.
        let same = pods.iter().filter(|p| std::ptr::eq(*p, pod) || pod.referred && p.referred && p.job == pod.job);
        let own = same.flat_map(|p| list(p.spec, "volumes")).map(|v| text(v, "name").to_owned());
        let volumes: Vec<String> = own.chain(MPI_VOLUMES.iter().filter(|_| pod.mpi).map(|v| (*v).to_owned())).collect();
        let volumes = (!pod.patch || has_runtime).then_some(volumes.as_slice());
        check_pod(pod, volumes, findings);
        if pod.patch && has_runtime {
            containers_of_runtime(pod, &pods, findings);
        }
    }
}

fn check_pod(pod: &Pod<'_>, volumes: Option<&[String]>, findings: &mut Vec<Diagnostic>) {
    let (spec, path) = (pod.spec, &pod.path);
    let volumes_path = path.key("volumes");
    let mut seen = Vec::new();
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        let path = element(&volumes_path, index, volume);
        parts::unique_name("volume", text(volume, "name"), path.key("name"), &mut seen, findings);
        parts::volume_source(volume, &path, findings);
    }
    let mut seen = Vec::new();
    for key in ["containers", "initContainers"] {
        for (index, container) in list(spec, key).iter().enumerate() {
            let path = element(&path.key(key), index, container);
            let name = text(container, "name");
            parts::unique_name("container", name, path.key("name"), &mut seen, findings);
            let needs_image = !(pod.patch || pod.gets_image && name == WORKER);
            Container { volumes, needs_image, at: &element }.check(container, &path, findings);
            if pod.patch {
                // Trainer keys the mounts of a patch by the volume.
                let mounts = list(container, "volumeMounts");
                parts::unique(mounts, &path.key("volumeMounts"), &["name"], "volume mount", &element, findings);
            }
        }
    }
    if !pod.patch && list(spec, "containers").is_empty() {
        let message = format!("the pods of the replicated job {} have no container", pod.job);
        findings.push(
            Diagnostic::at(Code::RuntimeShape, path.key("containers"), message)
                .with_help("keep overrides from emptying the list; name a container to change it"),
        );
    }
    for (key, keys, what) in [
        ("imagePullSecrets", &["name"][..], "pull secret"),
        ("hostAliases", &["ip"], "host alias"),
        ("resourceClaims", &["name"], "resource claim"),
        ("schedulingGates", &["name"], "scheduling gate"),
        ("topologySpreadConstraints", &["topologyKey", "whenUnsatisfiable"], "spread constraint"),
    ] {
        parts::unique(list(spec, key), &path.key(key), keys, what, &element, findings);
    }
    for (index, toleration) in list(spec, "tolerations").iter().enumerate() {
        parts::toleration(toleration, &path.key("tolerations").index(index), findings);
    }
    parts::labels(spec.get("nodeSelector"), &path.key("nodeSelector"), findings);
    for (key, least) in [("terminationGracePeriodSeconds", 0), ("activeDeadlineSeconds", 1)] {
        if let Some(seconds) = spec.get(key).and_then(Value::as_i64).filter(|n| *n < least) {
            let message = format!("{key} is {seconds}; the least is {least}");
            let help = format!("set {key} to {least} or more");
            findings.push(Diagnostic::at(Code::NegativeCount, path.key(key), message).with_help(help));
        }
    }
    if text(spec, "restartPolicy") == "Always" {
        let message = "restartPolicy is Always, and the pods of a Job take OnFailure or Never";
        findings.push(
            Diagnostic::at(Code::ReplicatedJobs, path.key("restartPolicy"), message)
                .with_help("write OnFailure or Never, or leave it out"),
        );
    }
}

/// Containers of a patch exist in the runtime.
fn containers_of_runtime(patch: &Pod<'_>, pods: &[Pod<'_>], findings: &mut Vec<Diagnostic>) {
    let Some(pod) = pods.iter().find(|p| !p.patch && p.referred && p.job == patch.job) else { return };
    for key in ["containers", "initContainers"] {
        let known: Vec<&str> = list(pod.spec, key).iter().map(item_name).collect();
        for (index, container) in list(patch.spec, key).iter().enumerate() {
            let name = item_name(container);
            if !name.is_empty() && !known.contains(&name) {
                let message = format!(
                    "a runtime patch names the container {name} in {key} of {}, and the runtime has {}",
                    patch.job,
                    if known.is_empty() { "none".to_owned() } else { format!("only {}", known.join(", ")) }
                );
                findings.push(
                    Diagnostic::at(Code::RuntimePatches, element(&patch.path.key(key), index, container), message)
                        .with_help("name a container of the runtime, or add it to the runtime among the dependencies"),
                );
            }
        }
    }
}

/// Labels and annotations of Jobs and pods.
fn metadata(dependencies: &[Value], patches: &Value, findings: &mut Vec<Diagnostic>) {
    let mut look = |job: &Value, path: FieldPath| {
        let path = path.key("template");
        parts::metadata(at(job, &["template", "metadata"]), &path.key("metadata"), findings);
        let pod = path.key("spec").key("template").key("metadata");
        parts::metadata(at(job, &["template", "spec", "template", "metadata"]), &pod, findings);
    };
    for runtime in dependencies.iter().filter(|d| kind_of(d) == "TrainingRuntime") {
        for (index, job) in replicated_jobs(runtime).iter().enumerate() {
            look(job, job_path(runtime, index, job));
        }
    }
    for (index, patch) in patches.as_array().into_iter().flatten().enumerate() {
        let jobs = ["trainingRuntimeSpec", "template", "spec", "replicatedJobs"];
        let base = jobs.iter().fold(train_job_path().key("runtimePatches").index(index), |path, key| path.key(*key));
        for (index, job) in at(patch, &jobs).and_then(Value::as_array).into_iter().flatten().enumerate() {
            look(job, element(&base, index, job));
        }
    }
}

/// How the pods use a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClaimUse {
    /// No volume is of the claim.
    Nowhere,
    /// A volume is, of this name, and no container mounts it.
    NotMounted(String),
    /// A container mounts it.
    Mounted,
}

/// How the pods of a result use the claim `name`.
pub(crate) fn claim_use(train_job: Option<&TrainJobSpec>, dependencies: &[Value], name: &str) -> ClaimUse {
    let none = TrainJobSpec::default();
    let train_job = train_job.unwrap_or(&none);
    let patches = patches_of(train_job);
    let pods = pods(train_job, &patches, dependencies);
    let mut out = ClaimUse::Nowhere;
    for pod in &pods {
        for volume in list(pod.spec, "volumes") {
            let claim = volume.get("persistentVolumeClaim").map_or("", |c| text(c, "claimName"));
            if claim != name {
                continue;
            }
            let volume = text(volume, "name");
            let same = pods.iter().filter(|p| p.job == pod.job);
            let containers = same.flat_map(|p| list(p.spec, "containers").iter().chain(list(p.spec, "initContainers")));
            let mut mounts = containers.flat_map(|c| list(c, "volumeMounts"));
            if mounts.any(|m| text(m, "name") == volume) {
                return ClaimUse::Mounted;
            }
            out = ClaimUse::NotMounted(volume.to_owned());
        }
    }
    out
}
