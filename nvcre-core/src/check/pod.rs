//! Rules on what a run adds to its pods: environment, volumes, mounts, init containers, pull secrets.

use super::{is_dns1123_label, is_dns1123_subdomain};
use crate::api::{Value, WorkloadRunSpec};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
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
    for (index, secret) in spec.image_pull_secrets.iter().enumerate() {
        let path = FieldPath::parse("spec.imagePullSecrets").index(index).key("name");
        if !is_dns1123_subdomain(&secret.name) {
            let message = format!(
                "{:?} is no name of a secret: lower-case letters, digits, '-' and '.' are allowed",
                secret.name
            );
            out.push(
                Diagnostic::at(Code::BadName, path, message)
                    .with_help("name an existing secret of type kubernetes.io/dockerconfigjson"),
            );
        }
    }
}

fn env(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let base = FieldPath::parse("spec.env");
    let mut last: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, variable) in spec.env.iter().enumerate() {
        let path = base.index(index);
        let name = variable.name.as_str();
        if name.is_empty() || name.contains('=') || !name.chars().all(|c| (' '..='~').contains(&c)) {
            let message = format!("{name:?} is no name of a variable: printable ASCII without '=' is wanted");
            out.push(
                Diagnostic::at(Code::BadEnvName, path.key("name"), message)
                    .with_help("write a name such as NCCL_DEBUG"),
            );
            continue;
        }
        if TRAINER_ENV.contains(&name) {
            let message = format!("Kubeflow Trainer sets {name} itself, so the value given here may be replaced");
            out.push(
                Diagnostic::at(Code::ReservedEnv, path.key("name"), message)
                    .with_help("remove it; nodes and processes follow from numNodes and gpusPerNode"),
            );
        }
        source(variable.value_from.as_ref(), &variable.value, &path, out);
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

fn source(value_from: Option<&Value>, value: &str, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let Some(source) = value_from else { return };
    let path = path.key("valueFrom");
    if !value.is_empty() {
        let message = "a variable has a value or a valueFrom, and this one has both";
        out.push(Diagnostic::at(Code::EnvSource, &path, message).with_help("remove value or valueFrom"));
    }
    let given = source.as_object().map_or(0, serde_json::Map::len);
    if given != 1 {
        let message = format!(
            "valueFrom holds exactly one of configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef and fileKeyRef; here it holds {given}"
        );
        out.push(Diagnostic::at(Code::EnvSource, &path, message).with_help("keep exactly one of them"));
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
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let taken = |path: FieldPath, what: &str, name: &str, out: &mut Vec<Diagnostic>| {
        let message = format!("the {what} {name:?} is taken: the engine adds one of its own to the pods");
        out.push(Diagnostic::at(Code::ReservedPodPart, path, message).with_help(format!(
            "choose another {}",
            what.rsplit_once(' ').filter(|(_, last)| *last == "path").map_or("name", |_| "path")
        )));
    };
    let mut volumes: Vec<String> = Vec::new();
    for (index, volume) in spec.volumes.iter().enumerate() {
        let path = FieldPath::parse("spec.volumes").index(index).key("name");
        let name = text(volume, "name");
        if reserved.volumes.contains(&name.as_str()) {
            taken(path, "volume", &name, out);
        } else {
            unique_name("volume", name, path, &mut volumes, out);
        }
    }
    let mut paths: Vec<String> = Vec::new();
    for (index, mount) in spec.volume_mounts.iter().enumerate() {
        let path = FieldPath::parse("spec.volumeMounts").index(index);
        let at = text(mount, "mountPath");
        let plain = at.trim_end_matches('/');
        if reserved.paths.contains(&plain) {
            taken(path.key("mountPath"), "mount path", &at, out);
        } else if !plain.is_empty() && paths.iter().any(|p| p == plain) {
            let message = format!("mount path {at:?} stands twice; a path is mounted once");
            out.push(
                Diagnostic::at(Code::DuplicateName, path.key("mountPath"), message)
                    .with_help("remove one of the mounts"),
            );
        } else {
            paths.push(plain.to_owned());
        }
        let name = text(mount, "name");
        let own = reserved.volumes.contains(&name.as_str());
        if !name.is_empty() && !own && !volumes.contains(&name) {
            let message = format!("no volume of spec.volumes is called {name:?}");
            let near = super::nearest(&name, volumes.iter().map(String::as_str));
            let help = near.map_or_else(
                || format!("add a volume {name:?} to spec.volumes"),
                |near| format!("did you mean `{near}`?"),
            );
            out.push(Diagnostic::at(Code::BadName, path.key("name"), message).with_help(help));
        }
    }
    let mut containers: Vec<String> = vec!["node".into()];
    for (index, container) in spec.init_containers.iter().enumerate() {
        let path = FieldPath::parse("spec.initContainers").index(index).key("name");
        let name = text(container, "name");
        if reserved.init.contains(&name.as_str()) {
            taken(path, "init container", &name, out);
        } else {
            unique_name("container", name, path, &mut containers, out);
        }
    }
}

fn unique_name(what: &str, name: String, path: FieldPath, seen: &mut Vec<String>, out: &mut Vec<Diagnostic>) {
    if name.is_empty() {
        return;
    }
    if !is_dns1123_label(&name) {
        let message = format!(
            "{name:?} is no name of a {what}: lower-case letters, digits and '-' are allowed, with a letter or digit at both ends"
        );
        out.push(Diagnostic::at(Code::BadName, path, message).with_help("use at most 63 of these characters"));
    } else if seen.contains(&name) {
        let message = format!("the {what} name {name:?} stands twice in a pod");
        out.push(Diagnostic::at(Code::DuplicateName, path, message).with_help("give each its own name"));
    } else {
        seen.push(name);
    }
}
