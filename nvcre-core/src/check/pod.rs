//! Rules on what a run adds to its pods: environment, volumes, mounts, init containers, pull secrets.

use super::is_dns1123_subdomain;
use super::pod_parts::{self as parts, clean_path, text};
use crate::api::{Value, WorkloadRunSpec};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use serde_json::json;
use std::collections::BTreeMap;

/// Variables that Trainer sets itself and refuses in `trainer.env` (08 row 18).
pub const TRAINER_ENV: [&str; 9] = [
    "OMPI_MCA_orte_default_hostfile",
    "OMPI_MCA_plm_rsh_args",
    "OMPI_MCA_orte_keep_fqdn_hostnames",
    "OMPI_MCA_orte_set_default_slots",
    "PET_NNODES",
    "PET_NPROC_PER_NODE",
    "PET_NODE_RANK",
    "PET_MASTER_ADDR",
    "PET_MASTER_PORT",
];

/// Checks everything a run adds to its pods.
pub(super) fn check_pod_parts(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    env(spec, out);
    shell_words(spec, out);
    pod_parts(spec, out);
    let secrets = FieldPath::parse("spec.imagePullSecrets");
    for (index, secret) in spec.image_pull_secrets.iter().enumerate() {
        if !is_dns1123_subdomain(&secret.name) {
            let message = format!(
                "{:?} is no name of a secret: lower-case letters, digits, '-' and '.' are allowed",
                secret.name
            );
            out.push(
                Diagnostic::at(Code::BadName, secrets.index(index).key("name"), message)
                    .with_help("name an existing secret of type kubernetes.io/dockerconfigjson"),
            );
        }
    }
    let names: Vec<Value> = spec.image_pull_secrets.iter().map(|s| json!({ "name": s.name })).collect();
    parts::unique(&names, &secrets, &["name"], "pull secret", &by_index, out);
    if let Some(resources) = &spec.resources {
        parts::resources(resources, &FieldPath::parse("spec.resources"), out);
    }
}

/// Elements of a run's lists are told by their index, as they stand in the file.
fn by_index(list: &FieldPath, index: usize, _: &Value) -> FieldPath {
    list.index(index)
}

fn env(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let base = FieldPath::parse("spec.env");
    let mut last: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, variable) in spec.env.iter().enumerate() {
        let path = base.index(index);
        let name = variable.name.as_str();
        if !parts::env_name(name, &path.key("name"), out) {
            continue;
        }
        if TRAINER_ENV.contains(&name) {
            let message = format!("Kubeflow Trainer sets {name} itself, so the value given here may be replaced");
            out.push(
                Diagnostic::at(Code::ReservedEnv, path.key("name"), message)
                    .with_help("remove it; nodes and processes follow from numNodes and gpusPerNode"),
            );
        }
        if let Some(source) = &variable.value_from {
            parts::env_source(name, &variable.value, source, &path, out);
        }
        if let Some(first) = last.insert(name, index) {
            let message = format!("{name} stands twice in spec.env; the last one counts, and this is it");
            out.push(
                Diagnostic::at(Code::DuplicateEnv, path.key("name"), message)
                    .with_related(base.index(first).key("name"), "this one is without effect")
                    .with_help("remove one of the two"),
            );
        }
    }
}

/// Words that bash would change where a platform wraps the command (00 D9).
fn shell_words(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let f = &spec.framework;
    let mut lists: Vec<(&str, &[String])> = Vec::new();
    if let Some(torch) = &f.torch {
        lists.push(("spec.framework.torch.args", &torch.args));
    }
    if let Some(mpi) = &f.mpi {
        lists.push(("spec.framework.mpi.args", &mpi.args));
        lists.push(("spec.framework.mpi.mpiArgs", &mpi.mpi_args));
    }
    for (path, word) in f
        .torch
        .iter()
        .flat_map(|t| [("spec.framework.torch.script", &t.script), ("spec.framework.torch.module", &t.module)])
    {
        shell_word(word.as_deref().unwrap_or(""), FieldPath::parse(path), out);
    }
    if let Some(exec) = &f.exec {
        lists.push(("spec.framework.exec.command", &exec.command));
        lists.push(("spec.framework.exec.args", &exec.args));
    }
    for (base, words) in lists {
        for (index, word) in words.iter().enumerate() {
            shell_word(word, FieldPath::parse(base).index(index), out);
        }
    }
    if let Some(mpi) = &f.mpi {
        shell_word(&mpi.mpirun_path, FieldPath::parse("spec.framework.mpi.mpirunPath"), out);
        shell_word(&mpi.binary, FieldPath::parse("spec.framework.mpi.binary"), out);
        for (index, variable) in spec.env.iter().enumerate() {
            shell_word(&variable.value, FieldPath::parse("spec.env").index(index).key("value"), out);
        }
    }
}

fn shell_word(word: &str, path: FieldPath, out: &mut Vec<Diagnostic>) {
    let found = word.chars().find(|c| matches!(c, '$' | '`') || c.is_control());
    let Some(found) = found else { return };
    let message = match found {
        '$' | '`' => format!(
            "where a platform runs lines before the command, bash expands the {found} in this word; elsewhere it stays as it is"
        ),
        _ => format!(
            "where a platform runs lines before the command, the {found:?} in this word arrives as an escape and not as the character"
        ),
    };
    out.push(
        Diagnostic::at(Code::ShellExpansion, path, message)
            .with_help("to have the same word everywhere, put it into a script of the image or of spec.config"),
    );
}

/// Names and paths of the engine's own (00 D43), each where it is used.
struct Reserved {
    volumes: Vec<&'static str>,
    paths: Vec<&'static str>,
    init: Vec<&'static str>,
}

fn reserved(spec: &WorkloadRunSpec) -> Reserved {
    let mut out = Reserved { volumes: vec!["dshm"], paths: vec!["/dev/shm"], init: Vec::new() };
    if spec.config.is_some() {
        out.volumes.push("config-volume");
        out.paths.push("/config");
    }
    if spec.framework.mpi.is_some() {
        out.volumes.extend(["ssh-keys", "mpi-ssh-auth", "mpi-hostfile"]);
        out.paths.extend(["/root/.ssh", "/tmp/mpi-ssh-raw", "/etc/mpi"]);
        out.init.push("fix-ssh-permissions");
        if spec.gang_scheduler.as_ref().is_some_and(|g| g.scheduler_name == "kai-scheduler") {
            out.init.push("wait-for-workers");
        }
    }
    out
}

fn pod_parts(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let reserved = reserved(spec);
    let taken = |path: FieldPath, what: &str, name: &str, out: &mut Vec<Diagnostic>| {
        let message = format!("the {what} {name:?} is taken: the engine adds one of its own to the pods");
        out.push(Diagnostic::at(Code::ReservedPodPart, path, message).with_help(format!(
            "choose another {}",
            what.rsplit_once(' ').filter(|(_, last)| *last == "path").map_or("name", |_| "path")
        )));
    };
    let mut volumes: Vec<String> = Vec::new();
    for (index, volume) in spec.volumes.iter().enumerate() {
        let path = FieldPath::parse("spec.volumes").index(index);
        let name = text(volume, "name");
        if reserved.volumes.contains(&name) {
            taken(path.key("name"), "volume", name, out);
        } else {
            parts::unique_name("volume", name, path.key("name"), &mut volumes, out);
        }
        parts::volume_source(volume, &path, out);
    }
    volumes.extend(reserved.volumes.iter().map(|name| (*name).to_owned()));
    let path = FieldPath::parse("spec.volumeMounts");
    parts::unique_mounts(&spec.volume_mounts, &path, &by_index, out);
    for (index, mount) in spec.volume_mounts.iter().enumerate() {
        let path = path.index(index);
        let at = text(mount, "mountPath");
        if !at.is_empty() && reserved.paths.iter().any(|own| *own == clean_path(at)) {
            taken(path.key("mountPath"), "mount path", at, out);
        }
        parts::mount(mount, &path, Some(&volumes), out);
    }
    let mut containers: Vec<String> = vec!["node".into()];
    for (index, container) in spec.init_containers.iter().enumerate() {
        let path = FieldPath::parse("spec.initContainers").index(index);
        let name = text(container, "name");
        if reserved.init.contains(&name) {
            taken(path.key("name"), "init container", name, out);
        } else {
            parts::unique_name("container", name, path.key("name"), &mut containers, out);
        }
        let rules = parts::Container { volumes: Some(&volumes), needs_image: true, at: &by_index };
        rules.check(container, &path, out);
    }
}
