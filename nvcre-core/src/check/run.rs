//! Every rule of a run that needs nothing but the run (01 §5.5, 00).

use super::GoDuration;
use super::{
    is_dns1123_label, is_dns1123_subdomain, is_extended_resource, label_key_problem, label_value_problem, pod,
    pod_parts, selector,
};
use crate::api::*;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::workflow::gang;

/// Metric names of thresholds, in the order of the registry (01 §7).
pub const THRESHOLDS: [&str; 5] =
    ["busBandwidthGBps", "algBandwidthGBps", "goodputRatio", "avgTFLOPsPerGPU", "avgStepTimeSec"];
/// The words of `spec.orchestration.testScale` (01 §1.6).
pub const TEST_SCALES: [&str; 3] = ["intra-node", "intra-rack", "full-scale"];
const LABEL_VALUE: &str = "use at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends";
const PLACEMENTS: [&str; 2] = ["Pinned", "Unpinned"];

/// Checks a run: every finding at once, in the order of the fields, then the rules across fields.
pub fn check_run(run: &WorkloadRun) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let spec = &run.spec;
    metadata(&run.metadata, &mut out);
    if let Some(target) = &spec.target {
        selector::check_target(target, &FieldPath::parse("spec.target"), &mut out);
    }
    not_empty(&spec.image, "spec.image", "the container image of the workload", &mut out);
    pod_parts::trainer_image(&spec.image, &FieldPath::parse("spec.image"), &mut out);
    framework(spec, &mut out);
    minimum(spec.num_nodes.into(), 1, "spec.numNodes", &mut out);
    config(spec, &mut out);
    counts(spec, &mut out);
    pod::check_pod_parts(spec, &mut out);
    checkpoint(spec, &mut out);
    orchestration(spec, &mut out);
    thresholds(run, &mut out);
    measurements(spec, &mut out);
    gang_and_labels(spec, &mut out);
    if !spec.priority_class_name.is_empty() && !is_dns1123_subdomain(&spec.priority_class_name) {
        let message = format!(
            "{:?} is no name of a priority class: lower-case letters, digits, '-' and '.' are allowed, with a letter or digit at both ends",
            spec.priority_class_name
        );
        out.push(
            Diagnostic::at(Code::BadPriorityClass, "spec.priorityClassName", message)
                .with_help("use at most 253 lower-case letters, digits, '-' and '.', for example high-priority"),
        );
    }
    out
}

fn not_empty(text: &str, path: &str, what: &str, out: &mut Vec<Diagnostic>) {
    if text.is_empty() {
        let message = format!("{path} is missing or empty: it names {what}");
        out.push(Diagnostic::at(Code::EmptyField, path, message).with_help(format!("set {path}")));
    }
}

fn minimum(value: i64, least: i64, path: &str, out: &mut Vec<Diagnostic>) {
    if value < least {
        let message = format!("{path} is {value}; the least is {least}");
        out.push(Diagnostic::at(Code::BelowMinimum, path, message).with_help(format!("set {path} to {least} or more")));
    }
}

fn one_of(value: &str, allowed: &[&str], path: &str, out: &mut Vec<Diagnostic>) {
    if value.is_empty() || allowed.contains(&value) {
        return;
    }
    let (allowed_are, use_one) = match allowed {
        [only] => (format!("only {only} is allowed"), format!("write {only}, or leave it out")),
        several => (format!("allowed are {}", several.join(", ")), format!("use one of {}", several.join(", "))),
    };
    let message = format!("{path} is {value:?}; {allowed_are}");
    let near = super::nearest(value, allowed.iter().copied());
    let help = near.map_or(use_one, |near| format!("did you mean `{near}`?"));
    out.push(Diagnostic::at(Code::NotAllowed, path, message).with_help(help));
}

fn metadata(metadata: &ObjectMeta, out: &mut Vec<Diagnostic>) {
    if metadata.name.is_empty() {
        let message = "the run has no name; everything that is made is called after it";
        out.push(Diagnostic::at(Code::EmptyField, "metadata.name", message).with_help("set metadata.name"));
    } else if !is_dns1123_label(&metadata.name) || metadata.name.starts_with(|c: char| c.is_ascii_digit()) {
        let message = format!(
            "{:?} is no name that a TrainJob and its labels can carry: {}",
            metadata.name,
            if metadata.name.len() > 63 {
                format!("it has {} characters, the longest legal name has 63", metadata.name.len())
            } else {
                "lower-case letters, digits and '-' are allowed, a letter first and a letter or digit last".to_owned()
            }
        );
        let help = "give another metadata.name, or --name; for example nccl-sweep";
        out.push(Diagnostic::at(Code::BadName, "metadata.name", message).with_help(help));
    }
    if !metadata.namespace.is_empty() && !is_dns1123_label(&metadata.namespace) {
        let message = format!(
            "{:?} is no name of a namespace: lower-case letters, digits and '-' are allowed, with a letter or digit at both ends",
            metadata.namespace
        );
        let help = "name an existing namespace, as kubectl get namespaces shows it";
        out.push(Diagnostic::at(Code::BadName, "metadata.namespace", message).with_help(help));
    }
    let labels = FieldPath::parse("metadata.labels");
    for (key, value) in &metadata.labels {
        let (key_problem, value_problem) = (label_key_problem(key), label_value_problem(value));
        if let Some(problem) = key_problem {
            let message = format!("{key:?} is no label key: {problem}");
            out.push(
                Diagnostic::at(Code::BadLabel, labels.key(key), message)
                    .at_key()
                    .with_help("write for example team or example.org/team"),
            );
        } else if let Some(problem) = value_problem {
            let message = format!("{value:?} is no value for label {key:?}: {problem}");
            out.push(Diagnostic::at(Code::BadLabel, labels.key(key), message).with_help(LABEL_VALUE));
        }
    }
}

fn framework(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let f = &spec.framework;
    let given: Vec<&str> = [("torch", f.torch.is_some()), ("mpi", f.mpi.is_some()), ("exec", f.exec.is_some())]
        .iter()
        .filter(|(_, given)| *given)
        .map(|(name, _)| *name)
        .collect();
    match given.as_slice() {
        [_] => {}
        [] => out.push(
            Diagnostic::at(
                Code::FrameworkChoice,
                "spec.framework",
                "no framework is given; exactly one of torch, mpi and exec is wanted",
            )
            .with_help("add spec.framework.torch, spec.framework.mpi or spec.framework.exec"),
        ),
        several => out.push(
            Diagnostic::at(
                Code::FrameworkChoice,
                "spec.framework",
                format!("{} are given together; a run has exactly one framework", several.join(" and ")),
            )
            .with_help("keep one of them and remove the rest"),
        ),
    }
    if let Some(torch) = &f.torch {
        let path = "spec.framework.torch";
        match (&torch.script, &torch.module) {
            (Some(_), Some(_)) => out.push(
                Diagnostic::at(Code::TorchChoice, path, "script and module are given together; torchrun starts one")
                    .with_help("keep one of them and remove the rest"),
            ),
            (None, None) => out.push(
                Diagnostic::at(Code::TorchChoice, path, "neither script nor module is given; torchrun needs one")
                    .with_help("set script or module"),
            ),
            _ => {}
        }
        for (name, value) in [("script", &torch.script), ("module", &torch.module)] {
            if let Some(value) = value {
                not_empty(value, &format!("{path}.{name}"), "what torchrun starts", out);
            }
        }
    }
    if let Some(mpi) = &f.mpi {
        not_empty(&mpi.binary, "spec.framework.mpi.binary", "the program that mpirun starts", out);
        not_empty(
            &mpi.mpirun_path,
            "spec.framework.mpi.mpirunPath",
            "mpirun in the image, for example /usr/local/mpi/bin/mpirun",
            out,
        );
        one_of(&mpi.mpi_implementation, &["OpenMPI"], "spec.framework.mpi.mpiImplementation", out);
        dangling_option(&mpi.mpi_args, out);
    }
    if let Some(exec) = &f.exec
        && exec.command.is_empty()
    {
        let path = "spec.framework.exec.command";
        out.push(
            Diagnostic::at(Code::EmptyField, path, "the command has no words")
                .with_help("give at least one word, for example [/bin/bash, /run.sh]"),
        );
    }
}

/// An option at the end of mpirun's arguments takes the binary as its value.
fn dangling_option(words: &[String], out: &mut Vec<Diagnostic>) {
    let (index, option) = match words {
        [.., option] if option == "-x" => (words.len() - 1, "-x NAME=value"),
        [.., option] if matches!(option.as_str(), "--mca" | "-mca") => (words.len() - 1, "--mca KEY VALUE"),
        [.., option, _] if matches!(option.as_str(), "--mca" | "-mca") => (words.len() - 2, "--mca KEY VALUE"),
        _ => return,
    };
    let path = FieldPath::parse("spec.framework.mpi.mpiArgs").index(index);
    let message =
        format!("the arguments end in the middle of {option}, so mpirun takes the binary of the run as the rest of it");
    out.push(Diagnostic::at(Code::DanglingOption, path, message).with_help("complete the option, or remove it"));
}

fn config(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let Some(config) = &spec.config else { return };
    let path = FieldPath::parse("spec.config");
    match (&config.inline, &config.config_map_ref) {
        (Some(_), Some(_)) => out.push(
            Diagnostic::at(
                Code::ConfigChoice,
                &path,
                "inline and configMapRef are given together; one ConfigMap is mounted at /config",
            )
            .with_help("keep one of them and remove the rest"),
        ),
        (None, Some(reference)) => {
            let path = path.key("configMapRef").key("name");
            not_empty(&reference.name, "spec.config.configMapRef.name", "the ConfigMap to mount at /config", out);
            if !reference.name.is_empty() {
                pod_parts::object_name(&reference.name, "spec.config.configMapRef", path, out);
            }
        }
        (inline, None) if inline.as_ref().is_none_or(|files| files.is_empty()) => out.push(
            Diagnostic::at(
                Code::EmptyConfig,
                &path,
                "config names no file and no ConfigMap: nothing is mounted at /config",
            )
            .with_help("add files under inline, name a ConfigMap in configMapRef, or remove config"),
        ),
        _ => {}
    }
    for key in config.inline.iter().flatten().map(|(key, _)| key) {
        let fine = !key.is_empty()
            && key.len() <= 253
            && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && key != "."
            && !key.starts_with("..");
        if !fine {
            let message =
                format!("{key:?} is no name of a file in a ConfigMap: letters, digits, '-', '_' and '.' are allowed");
            let help = "use at most 253 of these characters, without folders";
            out.push(Diagnostic::at(Code::BadName, path.key("inline").key(key), message).at_key().with_help(help));
        }
    }
}

fn counts(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    if let Some(gpus) = spec.gpus_per_node {
        minimum(gpus.into(), 1, "spec.gpusPerNode", out);
    }
    if let Some(nics) = spec.mlnx_per_node {
        minimum(nics.into(), 0, "spec.mlnxPerNode", out);
    }
    let Some(name) = &spec.nic_resource_name else { return };
    let reserved = name.contains("kubernetes.io/") || name.starts_with("k8s.io/") || name.contains(".k8s.io/");
    let path = "spec.nicResourceName";
    if reserved {
        let message = format!("{name:?} is of a domain that Kubernetes keeps for itself");
        out.push(
            Diagnostic::at(Code::BadResourceName, path, message)
                .with_help("name the resource that your device plugin offers, for example rdma/ib"),
        );
    } else if !name.is_empty() && !is_extended_resource(name) {
        let message = format!("{name:?} is no extended resource: a domain, a slash and a name are wanted");
        out.push(
            Diagnostic::at(Code::BadResourceName, path, message)
                .with_help("write for example rdma/ib or nvidia.com/mlnxnics"),
        );
    }
}

/// True for `P-SIZE` of 01 §0.5.
fn is_storage_size(text: &str) -> bool {
    let number = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].iter().find_map(|s| text.strip_suffix(s)).unwrap_or(text);
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    match number.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(number),
    }
}

fn checkpoint(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let Some(checkpoint) = &spec.checkpoint else { return };
    if checkpoint.storage_size.is_empty() {
        not_empty("", "spec.checkpoint.storageSize", "the size of the claim, for example 500Gi", out);
    } else if !is_storage_size(&checkpoint.storage_size) {
        let message = format!(
            "{:?} is no storage size: a number is wanted, with Ki, Mi, Gi, Ti, Pi or Ei behind it or nothing",
            checkpoint.storage_size
        );
        out.push(
            Diagnostic::at(Code::BadStorageSize, "spec.checkpoint.storageSize", message)
                .with_help("write for example 500Gi or 1.5Ti"),
        );
    }
    if let Some(restarts) = checkpoint.max_restarts {
        minimum(restarts.into(), 0, "spec.checkpoint.maxRestarts", out);
    }
    if let Some(class) = checkpoint.storage_class_name.as_deref().filter(|c| !c.is_empty())
        && !is_dns1123_subdomain(class)
    {
        let message =
            format!("{class:?} is no name of a storage class: lower-case letters, digits, '-' and '.' are allowed");
        out.push(
            Diagnostic::at(Code::BadName, "spec.checkpoint.storageClassName", message)
                .with_help("name a class as kubectl get storageclass shows it"),
        );
    }
}

fn orchestration(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let Some(o) = &spec.orchestration else { return };
    one_of(&o.test_scale, &TEST_SCALES, "spec.orchestration.testScale", out);
    one_of(&o.placement, &PLACEMENTS, "spec.orchestration.placement", out);
    if let Some(count) = o.repeat_count {
        minimum(count.into(), 1, "spec.orchestration.repeatCount", out);
    }
    if let Some(most) = o.max_concurrent {
        minimum(most.into(), 0, "spec.orchestration.maxConcurrent", out);
    }
    timeout(&o.timeout_per_job, out);
    topology(o, out);
    unpinned(o, out);
}

fn timeout(text: &str, out: &mut Vec<Diagnostic>) {
    let path = "spec.orchestration.timeoutPerJob";
    if text.is_empty() {
        return;
    }
    match GoDuration::parse(text) {
        None => {
            let (what, help) = match GoDuration::is_too_long(text) {
                true => ("more than the longest duration, about 292 years", "write at most 2562047h".to_owned()),
                false => ("no duration such as 90m or 1h30m", format!("write {}", GoDuration::GRAMMAR)),
            };
            let message = format!("{text:?} is {what}, so the limit per job is 24h");
            out.push(Diagnostic::at(Code::TimeoutUnreadable, path, message).with_help(help));
        }
        Some(limit) if limit.nanos <= 0 => {
            let message =
                format!("a limit per job of {limit} would end every job at once; a duration above zero is wanted");
            out.push(
                Diagnostic::at(Code::BadDuration, path, message)
                    .with_help("write for example 90m, or leave it out for 24h"),
            );
        }
        Some(_) => {}
    }
}

fn topology(o: &WorkloadOrchestration, out: &mut Vec<Diagnostic>) {
    let Some(topology) = &o.topology else { return };
    let path = FieldPath::parse("spec.orchestration.topology");
    let strict =
        topology.strict_domain == Some(true) || (o.test_scale == "intra-rack" && topology.strict_domain != Some(false));
    match topology.topology_key.as_deref() {
        Some("") if strict => {
            let message = "an empty topologyKey asks for plain groups, which have no domains to keep to; strictDomain (or testScale intra-rack) asks for one group per domain";
            out.push(
                Diagnostic::at(Code::PlacementConflict, path.key("topologyKey"), message)
                    .with_help("name a node label in topologyKey, or drop strictDomain and intra-rack"),
            );
        }
        Some("") | None => {}
        Some(key) => out.extend(topology_key_problem(key, path.key("topologyKey"))),
    }
}

/// What is wrong with the label that names the topology domain; empty is plain groups (00 D29).
pub(crate) fn topology_key_problem(key: &str, path: FieldPath) -> Option<Diagnostic> {
    let problem = label_key_problem(key).filter(|_| !key.is_empty())?;
    let message = format!("{key:?} is no label key: {problem}");
    let help = "name the node label that tells the domain, for example nvidia.com/gpu.clique";
    Some(Diagnostic::at(Code::BadLabel, path, message).with_help(help))
}

/// What the run as it is written contradicts (01 §5.4 row 1). The rest is looked at after overrides.
fn unpinned(o: &WorkloadOrchestration, out: &mut Vec<Diagnostic>) {
    if o.placement != "Unpinned" {
        return;
    }
    let placement = "spec.orchestration.placement";
    match o.test_scale.as_str() {
        "intra-node" => out.push(
            Diagnostic::at(Code::PlacementConflict, "spec.orchestration.testScale", "orchestration.testScale intra-node makes one job per node; orchestration.placement Unpinned makes exactly one job")
                .with_related(placement, "Unpinned is asked for here")
                .with_help("remove one of the two fields"),
        ),
        "intra-rack" => out.push(
            Diagnostic::at(Code::PlacementConflict, "spec.orchestration.testScale", "orchestration.testScale intra-rack makes one job per rack; orchestration.placement Unpinned makes exactly one job")
                .with_related(placement, "Unpinned is asked for here")
                .with_help("to keep one job inside one rack, name the rack's label in spec.target.matchExpressions"),
        ),
        _ => {}
    }
}

fn thresholds(run: &WorkloadRun, out: &mut Vec<Diagnostic>) {
    let path = FieldPath::parse("spec.thresholds");
    for key in run.spec.thresholds.keys().filter(|k| !THRESHOLDS.contains(&k.as_str())) {
        let message =
            format!("{key:?} is no metric that a threshold can be set on; known are {}", THRESHOLDS.join(", "));
        let near = super::nearest(key, THRESHOLDS);
        let help =
            near.map_or_else(|| "use one of the known metrics".to_owned(), |near| format!("did you mean `{near}`?"));
        out.push(Diagnostic::at(Code::UnknownThreshold, path.key(key), message).at_key().with_help(help));
    }
    for (key, expression) in &run.spec.thresholds {
        out.extend(crate::overrides::threshold_problem(expression, &path.key(key)));
    }
}

fn measurements(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    let goodput =
        spec.goodput_measurement.as_ref().map(|m| ("goodputMeasurement", &m.log_profile_ref, m.sample_interval));
    let bandwidth =
        spec.bandwidth_measurement.as_ref().map(|m| ("bandwidthMeasurement", &m.log_profile_ref, m.sample_interval));
    for (name, profile, interval) in goodput.into_iter().chain(bandwidth) {
        not_empty(profile, &format!("spec.{name}.logProfileRef"), "a LogProfile, for example nccl-bandwidth", out);
        if let Some(interval) = interval.filter(|i| i.nanos <= 0) {
            let path = format!("spec.{name}.sampleInterval");
            let message = format!("a sample interval of {interval} never comes round; a duration above zero is wanted");
            out.push(
                Diagnostic::at(Code::BadDuration, path, message).with_help("write for example 60s, or leave it out"),
            );
        }
    }
}

fn gang_and_labels(spec: &WorkloadRunSpec, out: &mut Vec<Diagnostic>) {
    if let Some(scheduler) = &spec.gang_scheduler {
        not_empty(
            &scheduler.scheduler_name,
            "spec.gangScheduler.schedulerName",
            "the gang scheduler, for example kai-scheduler",
            out,
        );
        if let Some(problem) = label_value_problem(&scheduler.queue) {
            let message =
                format!("the queue {:?} becomes the value of a label, and cannot be one: {problem}", scheduler.queue);
            out.push(Diagnostic::at(Code::BadQueue, "spec.gangScheduler.queue", message).with_help(LABEL_VALUE));
        }
        queue_label_key(&scheduler.queue_label_key, out);
        let runai = scheduler.scheduler_name == "runai-scheduler" || scheduler.queue_label_key.starts_with("runai/");
        if runai && scheduler.queue.is_empty() {
            let message = "no queue is named, so that the queue is default-queue; on Run:ai that is no real queue, and Run:ai refuses unknown queues";
            out.push(
                Diagnostic::at(Code::RunaiQueue, "spec.gangScheduler.queue", message)
                    .with_help("set spec.gangScheduler.queue to an existing Run:ai queue"),
            );
        }
    }
    let labels = spec.workload_metadata.as_ref().map(|m| m.labels.clone()).unwrap_or_default();
    let gang = gang::resolve(spec.gang_scheduler.as_ref()).filter(|g| {
        !gang::is_reserved_key(&g.queue_label_key)
            && label_key_problem(&g.queue_label_key).is_none()
            && label_value_problem(&g.queue).is_none()
            && !gang::is_downstream_key(&g.queue_label_key)
    });
    let path = FieldPath::parse("spec.workloadMetadata.labels");
    out.extend(gang::compose_labels(&labels, gang.as_ref(), &path).1);
}

fn queue_label_key(key: &str, out: &mut Vec<Diagnostic>) {
    let path = "spec.gangScheduler.queueLabelKey";
    if key.is_empty() {
        return;
    }
    if gang::is_reserved_key(key) || gang::is_downstream_key(key) {
        let message = format!("the label key {key:?} is reserved: the engine, Trainer or JobSet set it themselves");
        out.push(
            Diagnostic::at(Code::ReservedLabel, path, message)
                .with_help("name the key that your scheduler reads, for example runai/queue"),
        );
    } else if let Some(problem) = label_key_problem(key) {
        let message = format!("{key:?} is no label key: {problem}");
        out.push(
            Diagnostic::at(Code::BadLabel, path, message)
                .with_help("write for example kai.scheduler/queue or runai/queue"),
        );
    }
}
