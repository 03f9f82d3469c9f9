//! What the pods of a TrainingRuntime must agree with themselves about, or the Job's controller is refused every pod, and
//! nobody says so: a TrainJob that waits for ever is all there is to see.

use nvcre_core::check::{Quantity, is_dns1123_label};
use serde_json::Value;
use std::collections::BTreeSet;

/// Volumes that Trainer adds to the pods of an MPI runtime.
const TRAINER: [&str; 2] = ["mpi-ssh-auth", "mpi-hostfile"];

/// Checks every pod template of a runtime.
pub fn check(manifest: &Value, out: &mut Vec<String>) {
    let jobs = manifest["spec"]["template"]["spec"]["replicatedJobs"].as_array();
    for (i, job) in jobs.into_iter().flatten().enumerate() {
        let path = format!("/spec/template/spec/replicatedJobs/{i}");
        depends_on(&path, i, jobs.map_or(&[], Vec::as_slice), out);
        let mpi = manifest["spec"]["mlPolicy"].get("mpi").is_some();
        pod(&path, &job["template"]["spec"]["template"]["spec"], mpi, out);
    }
}

/// JobSet: a job waits only for jobs that stand before it.
fn depends_on(path: &str, at: usize, jobs: &[Value], out: &mut Vec<String>) {
    let before: Vec<&Value> = jobs.iter().take(at).map(|j| &j["name"]).collect();
    for other in list(&jobs[at]["dependsOn"]).filter(|d| !before.contains(&&d["name"])) {
        out.push(format!("{path}/dependsOn: {} does not stand before it", other["name"]));
    }
}

fn pod(path: &str, pod: &Value, mpi: bool, out: &mut Vec<String>) {
    let names = |key: &str| -> Vec<&str> { list(&pod[key]).filter_map(|e| e["name"].as_str()).collect() };
    let mut volumes: BTreeSet<&str> = names("volumes").into_iter().collect();
    let claims: BTreeSet<&str> = names("resourceClaims").into_iter().collect();
    for name in volumes.iter().chain(&claims).filter(|name| !is_dns1123_label(name)) {
        out.push(format!("{path}: {name:?} is no name of a volume or claim"));
    }
    for volume in list(&pod["volumes"]) {
        let sources = volume.as_object().map_or(0, |v| v.len() - 1);
        if sources != 1 {
            out.push(format!("{path}: volume {} has {sources} sources", volume["name"]));
        }
    }
    if mpi {
        volumes.extend(TRAINER);
    }
    let mut seen = BTreeSet::new();
    for container in list(&pod["containers"]).chain(list(&pod["initContainers"])) {
        let name = container["name"].as_str().unwrap_or_default();
        if !is_dns1123_label(name) || !seen.insert(name) {
            out.push(format!("{path}: two containers {name:?}, or no name"));
        }
        for mount in list(&container["volumeMounts"]) {
            if !mount["name"].as_str().is_some_and(|name| volumes.contains(name)) {
                out.push(format!("{path}: {name} mounts {}, which is no volume", mount["name"]));
            }
        }
        for claim in list(&container["resources"]["claims"]) {
            if !claim["name"].as_str().is_some_and(|name| claims.contains(name)) {
                out.push(format!("{path}: {name} uses {}, which is no claim", claim["name"]));
            }
        }
        for env in list(&container["env"]) {
            let both = env.get("valueFrom").is_some() && env["value"].as_str().is_some_and(|v| !v.is_empty());
            let sources = env["valueFrom"].as_object().map_or(1, serde_json::Map::len);
            if both || sources != 1 {
                out.push(format!("{path}: {name} has {} from several sources", env["name"]));
            }
        }
        resources(path, name, &container["resources"], out);
    }
}

/// A request is no more than its limit, and what the kubelet does not know is whole and asked for exactly.
fn resources(path: &str, name: &str, resources: &Value, out: &mut Vec<String>) {
    let amount = |kind: &str, key: &str| {
        let text = match &resources[kind][key] {
            Value::String(text) => text.clone(),
            Value::Number(n) => n.to_string(),
            _ => return None,
        };
        Quantity::parse(&text)
    };
    let keys: BTreeSet<&String> = ["limits", "requests"]
        .iter()
        .flat_map(|k| resources[k].as_object().into_iter().flatten())
        .map(|e| e.0)
        .collect();
    for key in keys {
        let (limit, request) = (amount("limits", key), amount("requests", key));
        let extended = key.contains('/');
        let whole = limit.into_iter().chain(request).all(|q| q.whole().is_some());
        let fits = match (limit, request) {
            (Some(limit), Some(request)) if extended => limit == request,
            (Some(limit), Some(request)) => request <= limit,
            (None, Some(_)) => !extended,
            _ => true,
        };
        if !fits || extended && !whole {
            out.push(format!("{path}: {name} asks for {key} {}", resources));
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
