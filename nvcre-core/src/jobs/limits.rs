//! What Kubeflow Trainer and JobSet refuse, found before anything is sent (08 rows 14–24a).

use super::patch::jobs_of;
use super::references::{at, name_of};
use super::runtime::{item_name, replicated_jobs, runtime_of};
use crate::api::{TrainJobSpec, Trainer};
use crate::check::TRAINER_ENV;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Most words of `command` or `args`, and most variables.
const MOST_ITEMS: usize = 128;
/// Longest word in bytes.
const LONGEST_WORD: usize = 64 * 1024;
/// Most runtime patches.
const MOST_PATCHES: usize = 16;

fn train_job_path() -> FieldPath {
    FieldPath::parse("spec.jobTemplate.spec.workload.trainJob")
}

/// Every finding about the trainer, the runtime patches and the runtime.
pub fn check_workload(train_job: &TrainJobSpec, dependencies: &[Value], findings: &mut Vec<Diagnostic>) {
    let runtime = runtime_of(dependencies, train_job).and_then(|at| dependencies.get(at));
    if let Some(trainer) = &train_job.trainer {
        counts(trainer, findings);
        environment(trainer, findings);
        words(trainer, findings);
    }
    patches(train_job, runtime, findings);
    if let Some(runtime) = runtime {
        policy(runtime, findings);
        order(runtime, findings);
    }
}

fn counts(trainer: &Trainer, findings: &mut Vec<Diagnostic>) {
    if let Some(count) = trainer.num_proc_per_node.filter(|n| *n < 1) {
        let path = train_job_path().key("trainer").key("numProcPerNode");
        let message = format!("numProcPerNode is {count}; a node runs at least one process");
        findings
            .push(Diagnostic::at(Code::NegativeCount, path, message).with_help("set spec.gpusPerNode to 1 or more"));
    }
}

fn environment(trainer: &Trainer, findings: &mut Vec<Diagnostic>) {
    let path = train_job_path().key("trainer").key("env");
    let mut seen = BTreeSet::new();
    for (index, variable) in trainer.env.iter().enumerate() {
        let at = path.index(index).key("name");
        let name = &variable.name;
        if TRAINER_ENV.contains(&name.as_str()) {
            let message = format!("{name} is set by Kubeflow Trainer, which refuses it in trainer.env");
            findings.push(
                Diagnostic::at(Code::ReservedTrainerEnv, at, message)
                    .with_help("remove it; sizes come from numNodes and gpusPerNode, options of mpirun from mpiArgs"),
            );
        } else if !seen.insert(name.as_str()) {
            let message = format!("{name} is in trainer.env twice, which the cluster refuses");
            findings.push(Diagnostic::at(Code::DuplicateTrainerEnv, at, message).with_help("keep one of the two"));
        }
    }
    if trainer.env.len() > MOST_ITEMS {
        let message = format!("the trainer has {} variables; Trainer takes at most {MOST_ITEMS}", trainer.env.len());
        findings.push(
            Diagnostic::at(Code::TooManyVariables, path, message)
                .with_help("move variables into spec.config or into the image"),
        );
    }
}

fn words(trainer: &Trainer, findings: &mut Vec<Diagnostic>) {
    for (field, list) in [("command", &trainer.command), ("args", &trainer.args)] {
        let path = train_job_path().key("trainer").key(field);
        if list.len() > MOST_ITEMS {
            let message = format!(
                "trainer.{field} has {} words; Trainer takes at most {MOST_ITEMS}; most of them are {}",
                list.len(),
                contributors(list)
            );
            findings.push(Diagnostic::at(Code::TooManyWords, path.clone(), message).with_help(
                "name fewer variables in spec.env or fewer arguments, or start the program from a script in spec.config",
            ));
        }
        for (index, word) in list.iter().enumerate().filter(|(_, word)| word.len() > LONGEST_WORD) {
            let message =
                format!("a word of trainer.{field} has {} bytes; Trainer takes at most {LONGEST_WORD}", word.len());
            findings.push(
                Diagnostic::at(Code::TooManyWords, path.index(index), message)
                    .with_help("put long texts into spec.config and name the file"),
            );
        }
    }
}

/// Where the words of a command line come from: options with their values by kind, and the rest; the largest first.
fn contributors(words: &[String]) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let (kind, length) = match word.as_str() {
            "-x" => ("forwarded variables (-x)", 2),
            "--mca" | "-mca" => ("--mca settings", 3),
            _ => ("other words", 1),
        };
        let length = length.min(words.len() - at);
        let entry = counts.entry(kind).or_default();
        entry.0 += length;
        entry.1 += 1;
        at += length;
    }
    let mut sorted: Vec<(&str, (usize, usize))> = counts.into_iter().collect();
    sorted.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.0.cmp(b.0)));
    let line = |(kind, (words, items)): &(&str, (usize, usize))| match words == items {
        true => format!("{kind}: {words}"),
        false => format!("{items} {kind}: {words} words"),
    };
    sorted.iter().map(line).collect::<Vec<_>>().join(", ")
}

fn patches(train_job: &TrainJobSpec, runtime: Option<&Value>, findings: &mut Vec<Diagnostic>) {
    let path = train_job_path().key("runtimePatches");
    let list = &train_job.runtime_patches;
    if list.len() > MOST_PATCHES {
        let message = format!("there are {} runtime patches; Trainer takes at most {MOST_PATCHES}", list.len());
        findings.push(
            Diagnostic::at(Code::RuntimePatches, path.clone(), message).with_help("merge patches of one manager"),
        );
    }
    let known: BTreeSet<&str> = runtime.into_iter().flat_map(replicated_jobs).map(item_name).collect();
    let mut managers = BTreeSet::new();
    for (index, patch) in list.iter().enumerate() {
        let path = path.index(index);
        let manager = &patch.manager;
        if manager.is_empty() || manager.len() > 253 {
            let message = format!(
                "the manager {manager:?} of a runtime patch has {} characters; it takes 1 to 253",
                manager.len()
            );
            findings.push(
                Diagnostic::at(Code::RuntimePatches, path.key("manager"), message)
                    .with_help("name who owns the patch, for example example.com/team"),
            );
        } else if !managers.insert(manager.as_str()) {
            let message = format!("two runtime patches have the manager {manager}, and each manager may have one");
            findings.push(
                Diagnostic::at(Code::RuntimePatches, path.key("manager"), message).with_help("merge the two patches"),
            );
        }
        for job in jobs_of(patch) {
            let path = ["trainingRuntimeSpec", "template", "spec", "replicatedJobs"]
                .iter()
                .fold(path.clone(), |path, key| path.key(*key))
                .named(job.name.as_str());
            if runtime.is_some() && !known.contains(job.name.as_str()) {
                let message = format!(
                    "the runtime patch of {manager} names the replicated job {:?}, and the runtime has only {}",
                    job.name,
                    known.iter().copied().collect::<Vec<_>>().join(", ")
                );
                findings.push(
                    Diagnostic::at(Code::RuntimePatches, path.key("name"), message)
                        .with_help("name a replicated job of the runtime"),
                );
            }
            let pod = job.template.as_ref().and_then(|t| t.spec.as_ref()).and_then(|s| s.template.as_ref());
            let containers = pod.and_then(|p| p.spec.as_ref()).map_or(&[][..], |s| s.containers.as_slice());
            if containers.iter().any(|c| c.name == "node" && !c.env.is_empty()) {
                let message = format!(
                    "the runtime patch of {manager} sets env of the container node in {}, and Trainer refuses that",
                    job.name
                );
                findings.push(
                    Diagnostic::at(Code::RuntimePatches, path, message)
                        .with_help("set the variables in spec.env or in trainer.env"),
                );
            }
        }
    }
}

fn dependency_path(runtime: &Value) -> FieldPath {
    FieldPath::parse("spec.dependencies").named(format!("TrainingRuntime/{}", name_of(runtime)))
}

fn policy(runtime: &Value, findings: &mut Vec<Diagnostic>) {
    let Some(policy) = at(runtime, &["spec", "mlPolicy"]).and_then(Value::as_object) else { return };
    let path = dependency_path(runtime).key("spec").key("mlPolicy");
    let set: Vec<&str> = policy
        .iter()
        .filter(|(key, value)| *key != "numNodes" && !value.is_null())
        .map(|(key, _)| key.as_str())
        .collect();
    if set.len() > 1 {
        let message = format!("the runtime has the ML policies {}; Trainer takes one", set.join(" and "));
        findings.push(
            Diagnostic::at(Code::MlPolicy, path.clone(), message)
                .with_help("have the override remove the policy of the framework that the run does not use"),
        );
    }
    if policy.get("torch").and_then(|t| t.get("numProcPerNode")).is_some() {
        let message = "mlPolicy.torch.numProcPerNode is no field of Kubeflow Trainer from release 2.2 on";
        findings.push(
            Diagnostic::at(Code::MlPolicy, path.key("torch").key("numProcPerNode"), message)
                .with_help("set trainJob.trainer.numProcPerNode instead"),
        );
    }
    if let Some(nodes) = policy.get("numNodes").and_then(Value::as_i64).filter(|n| *n < 1) {
        let message = format!("mlPolicy.numNodes is {nodes}; a job needs at least one node");
        findings.push(
            Diagnostic::at(Code::NegativeCount, path.key("numNodes"), message)
                .with_help("set spec.numNodes to 1 or more"),
        );
    }
}

fn order(runtime: &Value, findings: &mut Vec<Diagnostic>) {
    let jobs = replicated_jobs(runtime);
    let path = dependency_path(runtime).key("spec").key("template").key("spec");
    let depends = |job: &&Value| job.get("dependsOn").and_then(Value::as_array).is_some_and(|d| !d.is_empty());
    if let Some(first) = jobs.first().filter(depends) {
        let message = format!("the first replicated job {} has dependsOn, and JobSet refuses that", item_name(first));
        findings.push(
            Diagnostic::at(
                Code::ReplicatedJobs,
                path.key("replicatedJobs").named(item_name(first)).key("dependsOn"),
                message,
            )
            .with_help("put the replicated job that others depend on first"),
        );
    }
    let in_order = at(runtime, &["spec", "template", "spec", "startupPolicy", "startupPolicyOrder"]);
    if in_order.and_then(Value::as_str) == Some("InOrder") && jobs.iter().any(|j| depends(&j)) {
        let message = "startupPolicy InOrder stands together with dependsOn, and JobSet refuses that";
        findings.push(
            Diagnostic::at(Code::ReplicatedJobs, path.key("startupPolicy"), message)
                .with_help("keep dependsOn and remove startupPolicy"),
        );
    }
    for (index, job) in jobs.iter().enumerate() {
        if let Some(count) = job.get("replicas").and_then(Value::as_i64).filter(|n| *n < 0) {
            let message = format!("the replicated job {} has {count} replicas; 0 or more are wanted", item_name(job));
            let name = item_name(job);
            let path = path.key("replicatedJobs");
            let path = if name.is_empty() { path.index(index) } else { path.named(name) }.key("replicas");
            findings.push(Diagnostic::at(Code::NegativeCount, path, message).with_help("set replicas to 0 or more"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn codes(train_job: Value, runtime: Value) -> Vec<(Code, String)> {
        let train_job: TrainJobSpec = serde_json::from_value(train_job).unwrap();
        let mut findings = Vec::new();
        check_workload(&train_job, &[runtime], &mut findings);
        findings.into_iter().map(|d| (d.code, d.message)).collect()
    }

    fn runtime(spec: Value) -> Value {
        json!({"kind": "TrainingRuntime", "metadata": {"name": "rt"}, "spec": spec})
    }

    fn good() -> Value {
        runtime(json!({"mlPolicy": {"numNodes": 1, "torch": {}}, "template": {"spec": {"replicatedJobs": [
            {"name": "node"}, {"name": "launcher", "dependsOn": [{"name": "node"}]},
        ]}}}))
    }

    #[test]
    fn nothing_to_say() {
        let train_job = json!({"runtimeRef": {"name": "rt"}, "trainer": {
            "numProcPerNode": 8, "env": [{"name": "A"}, {"name": "B"}], "args": vec!["x"; 128],
        }});
        assert_eq!(codes(train_job, good()), []);
    }

    #[test]
    fn trainer() {
        let mut env: Vec<Value> = (0..129).map(|i| json!({"name": format!("V{i}")})).collect();
        env[1] = json!({"name": "PET_NNODES"});
        env[3] = json!({"name": "V2"});
        let mut args: Vec<String> = (0..60).flat_map(|i| ["-x".to_owned(), format!("V{i}=1")]).collect();
        args.extend(["--mca", "pml", "ob1"].map(str::to_owned));
        args.extend((0..6).map(|i| i.to_string()));
        let found = codes(
            json!({"runtimeRef": {"name": "rt"}, "trainer": {
                "numProcPerNode": 0, "env": env, "args": args, "command": ["x".repeat(65_537)],
            }}),
            good(),
        );
        let seen: Vec<Code> = found.iter().map(|f| f.0).collect();
        assert_eq!(
            seen,
            [
                Code::NegativeCount,
                Code::ReservedTrainerEnv,
                Code::DuplicateTrainerEnv,
                Code::TooManyVariables,
                Code::TooManyWords,
                Code::TooManyWords,
            ]
        );
        assert!(found[1].1.contains("PET_NNODES") && found[2].1.contains("V2"), "{found:?}");
        assert!(found[4].1.contains("65537 bytes"), "{found:?}");
        assert!(
            found[5].1.contains("129 words") && found[5].1.contains("60 forwarded variables (-x): 120 words"),
            "{found:?}"
        );
    }

    #[test]
    fn runtime_patches() {
        let patch = |manager: &str, job: Value| json!({"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [job]}}}});
        let env = json!({"name": "node", "template": {"spec": {"template": {"spec": {
            "containers": [{"name": "node", "env": [{"name": "A", "value": "1"}]}],
        }}}}});
        let list = vec![patch("a", json!({"name": "workers"})), patch("a", env), patch("", json!({"name": "node"}))];
        let found = codes(json!({"runtimeRef": {"name": "rt"}, "runtimePatches": list}), good());
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found.iter().all(|f| f.0 == Code::RuntimePatches));
        assert!(found[0].1.contains("workers") && found[0].1.contains("launcher, node"), "{found:?}");
        let many: Vec<Value> = (0..17).map(|i| json!({"manager": format!("m{i}")})).collect();
        assert_eq!(codes(json!({"runtimeRef": {"name": "rt"}, "runtimePatches": many}), good()).len(), 1);
    }

    #[test]
    fn policies_and_order() {
        let found = codes(
            json!({"runtimeRef": {"name": "rt"}}),
            runtime(json!({
                "mlPolicy": {"numNodes": 0, "torch": {"numProcPerNode": 8}, "mpi": {}},
                "template": {"spec": {
                    "startupPolicy": {"startupPolicyOrder": "InOrder"},
                    "replicatedJobs": [{"name": "launcher", "dependsOn": [{"name": "node"}], "replicas": -1}],
                }},
            })),
        );
        let seen: Vec<Code> = found.iter().map(|f| f.0).collect();
        assert_eq!(
            seen,
            [
                Code::MlPolicy,
                Code::MlPolicy,
                Code::NegativeCount,
                Code::ReplicatedJobs,
                Code::ReplicatedJobs,
                Code::NegativeCount,
            ]
        );
    }
}
