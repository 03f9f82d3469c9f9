//! The verdicts of `schedule` beside those of a real scheduler, for every group of every scenario.
//!
//! `NVCRE_CLUSTER_KUBECONFIG` names a cluster that may be emptied: Kubernetes with Kubeflow Trainer and JobSet, no kubelets,
//! and something that plays nodes (kwok). `NVCRE_KUBECTL` is the kubectl to use, else that of the path. Nodes of the scenario
//! are created as the inventory has them, drivers of claimed devices are played, and the printed manifests are sent. A job
//! waits when the scheduler says so of one of its pods (`FailedScheduling`). Without the variable the test says that it was
//! left out. `NVCRE_CLUSTER_SCENARIOS=a,b` looks at some only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::print_stderr, clippy::disallowed_types, missing_docs)]

mod scenarios;

use nvcre_core::api::Value;
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::{Delivery, Engine};
use nvcre_core::jobs::{JobId, Prepared, Role};
use nvcre_core::schedule::{GroupVerdict, Need, Schedule, Verdict};
use nvcre_core::yaml;
use scenarios::Scenario;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Nothing moves for so long: then nothing will.
const QUIET: Duration = Duration::from_secs(5);
const MOST: Duration = Duration::from_secs(180);

struct Cluster {
    kubeconfig: String,
}

impl Cluster {
    fn kubectl(&self, words: &[&str], input: Option<&Value>) -> (bool, String, String) {
        let program = std::env::var("NVCRE_KUBECTL").unwrap_or_else(|_| "kubectl".to_owned());
        let mut command = Command::new(program);
        command.env("KUBECONFIG", &self.kubeconfig).args(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("kubectl starts");
        let text = input.map(Value::to_string).unwrap_or_default();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        let out = child.wait_with_output().unwrap();
        let _ = writer.join();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.success(), text(&out.stdout), text(&out.stderr))
    }

    fn done(&self, words: &[&str], input: Option<&Value>) {
        let (fine, _, stderr) = self.kubectl(words, input);
        assert!(fine, "kubectl {words:?}: {stderr}");
    }

    fn items(&self, words: &[&str]) -> Vec<Value> {
        let (fine, out, stderr) = self.kubectl(&[&["get"], words, &["-o", "json"]].concat(), None);
        assert!(fine, "kubectl get {words:?}: {stderr}");
        serde_json::from_str::<Value>(&out).unwrap()["items"].as_array().unwrap().clone()
    }

    /// Waits until there is none of a kind.
    fn gone(&self, words: &[&str]) {
        let start = Instant::now();
        while !self.items(words).is_empty() {
            assert!(start.elapsed() < MOST, "{words:?} stay");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Exactly these nodes, as their inventory has them. What the server refuses is left out.
    fn set_nodes(&self, nodes: &[Value]) {
        self.kubectl(&["delete", "nodes,resourceslices", "--all", "--wait=false"], None);
        self.gone(&["nodes"]);
        self.kubectl(&["create", "-f", "-", "--validate=false"], Some(&list(nodes.to_vec())));
        // Admission adds a taint to every new node, which an update takes off again.
        self.kubectl(&["replace", "-f", "-", "--validate=false"], Some(&list(nodes.to_vec())));
    }

    /// Device classes, slices and claim templates for whatever the objects claim.
    fn play_drivers(&self, namespace: &str, objects: &[Value], nodes: &[Value]) {
        const CHANNEL: &str = "compute-domain-default-channel.nvidia.com";
        let mut wanted: BTreeMap<String, u64> = BTreeMap::new();
        let mut templates = Vec::new();
        for object in objects {
            if object["kind"] == "ResourceClaimTemplate" {
                for request in object["spec"]["spec"]["devices"]["requests"].as_array().unwrap() {
                    let class = request["exactly"]["deviceClassName"].as_str().unwrap().to_owned();
                    let count = request["exactly"]["count"].as_u64().unwrap_or(1);
                    let most = wanted.entry(class).or_default();
                    *most = (*most).max(count);
                }
            }
            if object["kind"] == "ComputeDomain" {
                wanted.insert(CHANNEL.to_owned(), 1);
                let name = &object["spec"]["channel"]["resourceClaimTemplate"]["name"];
                templates.push(json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": name},
                    "spec": {"spec": {"devices": {"requests": [{"name": "channel", "exactly": {"deviceClassName": CHANNEL}}]}}}}));
            }
        }
        let mut made = Vec::new();
        for (class, count) in &wanted {
            made.push(json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": class},
                "spec": {"selectors": [{"cel": {"expression": format!("device.driver == '{class}'")}}]}}));
            for node in nodes {
                let node = node["metadata"]["name"].as_str().unwrap();
                let devices: Vec<Value> = (0..*count).map(|n| json!({"name": format!("d-{n}")})).collect();
                made.push(json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": format!("{node}-{class}")},
                    "spec": {"driver": class, "nodeName": node, "devices": devices,
                        "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}}}));
            }
        }
        if !made.is_empty() {
            self.kubectl(&["create", "-f", "-"], Some(&list(made)));
        }
        if !templates.is_empty() {
            self.done(&["create", "-n", namespace, "-f", "-"], Some(&list(templates)));
        }
    }
}

fn list(items: Vec<Value>) -> Value {
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}

/// The nodes of a scenario as its files have them, the first of a name.
fn nodes(scenario: &Scenario) -> Vec<Value> {
    let mut out: BTreeMap<String, Value> = BTreeMap::new();
    let mut add = |node: &Value| {
        let kind = node["kind"].as_str().unwrap_or("Node");
        if let (Some(name), "Node") = (node["metadata"]["name"].as_str(), kind) {
            let kept = |value: &Value| if value.is_null() { json!({}) } else { value.clone() };
            out.entry(name.to_owned()).or_insert_with(|| {
                json!({"apiVersion": "v1", "kind": "Node", "spec": kept(&node["spec"]), "status": kept(&node["status"]),
                    "metadata": {"name": name, "labels": kept(&node["metadata"]["labels"])}})
            });
        }
    };
    for path in &scenario.nodes {
        let bytes = std::fs::read(path).unwrap();
        let read = yaml::read_documents(&bytes, "nodes", &yaml::Limits { bytes: 1 << 30, ..yaml::Limits::RUN });
        for document in read.value.iter().filter_map(|source| source.root.as_ref()).map(yaml::Node::to_value) {
            match (&document, document["items"].as_array()) {
                (Value::Array(items), _) | (_, Some(items)) => items.iter().for_each(&mut add),
                _ => add(&document),
            }
        }
    }
    out.into_values().collect()
}

/// What runs in a scenario already.
fn pods(scenario: &Scenario) -> Vec<Value> {
    let read = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).unwrap();
        let roots = yaml::read_documents(&bytes, "pods", &yaml::Limits::RUN).value.into_iter().filter_map(|s| s.root);
        roots.map(|root| root.to_value()).collect::<Vec<_>>()
    };
    let mut out: Vec<Value> = scenario.pods.iter().flat_map(read).collect();
    for pod in &mut out {
        pod["metadata"]["namespace"].take();
        pod["spec"]["containers"][0]["image"] = "registry.example/any:1".into();
        pod["spec"]["tolerations"] = json!([{"operator": "Exists"}]);
    }
    out
}

/// What the cluster said of a job.
#[derive(Debug)]
struct Real {
    waits: bool,
    placed: usize,
    messages: BTreeSet<String>,
}

/// Sends the jobs of some groups, which share no node, and looks until nothing moves.
fn wave(cluster: &Cluster, namespace: &str, jobs: &[(u32, Value, usize)]) -> BTreeMap<u32, Real> {
    cluster.done(
        &["create", "-n", namespace, "-f", "-"],
        Some(&list(jobs.iter().map(|(_, job, _)| job.clone()).collect())),
    );
    let name = |job: &Value| job["metadata"]["name"].as_str().unwrap().to_owned();
    let (start, mut last, mut since) = (Instant::now(), String::new(), Instant::now());
    let mut placed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    loop {
        let pods = cluster.items(&["pods", "-n", namespace]);
        let mut sign = String::new();
        for pod in &pods {
            sign += &format!("{} {} {};", pod["metadata"]["name"], pod["spec"]["nodeName"], pod["status"]["phase"]);
            if pod["spec"]["nodeName"].is_string() {
                let job = pod["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"].as_str().unwrap_or_default();
                placed.entry(job.to_owned()).or_default().insert(pod["metadata"]["name"].to_string());
            }
        }
        let full = |(_, job, pods): &(u32, Value, usize)| placed.get(&name(job)).is_some_and(|p| p.len() >= *pods);
        if jobs.iter().all(full) || start.elapsed() > MOST {
            break;
        }
        if sign != last {
            (last, since) = (sign, Instant::now());
        }
        if since.elapsed() > QUIET {
            break;
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    let events = cluster.items(&["events", "-n", namespace]);
    let of = |(group, job, _): &(u32, Value, usize)| {
        let name = name(job);
        let mine = |e: &&Value| {
            let object = e["involvedObject"]["name"].as_str().unwrap_or_default();
            e["type"] == "Warning"
                && object.strip_prefix(&*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let messages: BTreeSet<String> =
            events.iter().filter(mine).filter_map(|e| e["message"].as_str()).map(str::to_owned).collect();
        let real = Real {
            waits: messages.iter().any(|m| m.starts_with("0/") && !m.to_lowercase().contains("persistentvolumeclaim")),
            placed: placed.get(&name).map_or(0, BTreeSet::len),
            messages,
        };
        (*group, real)
    };
    let out = jobs.iter().map(of).collect();
    cluster.kubectl(&["delete", "trainjobs", "--all", "-n", namespace, "--wait=false"], None);
    cluster.gone(&["trainjobs,jobsets,jobs", "-n", namespace]);
    cluster.kubectl(&["delete", "pods", "--all", "-n", namespace, "--force", "--grace-period=0", "--wait=false"], None);
    cluster.gone(&["pods", "-n", namespace]);
    cluster.kubectl(&["delete", "events", "--all", "-n", namespace, "--wait=false"], None);
    out
}

/// Says what differs between a verdict and the cluster; `None` when nothing does, or a need explains it.
fn difference(
    own: &GroupVerdict,
    pods: usize,
    needs: &[Need],
    real: &Real,
    all_nodes: bool,
    explained: &mut usize,
) -> Option<String> {
    match (own.verdict, real.waits) {
        // Words count nodes, and the server takes not every node of an inventory.
        (Verdict::Waits, true) if !all_nodes => None,
        (Verdict::Waits, true) => {
            let same = |m: &&String| m.starts_with(own.message.trim_end_matches('.'));
            let told = real.messages.iter().any(|m| same(&m));
            (!told && !own.message.contains("pod affinity")).then(|| format!("other words: {own:?} {real:?}"))
        }
        (Verdict::Fits, false) if real.placed >= pods => None,
        (Verdict::Fits, false) if !needs.is_empty() => {
            let named = |need: &Need| {
                let asked = matches!(need.kind.as_str(), "scheduler" | "scheduling gate");
                asked || real.messages.iter().any(|m| m.contains(&need.name) || m.contains(&need.kind))
            };
            *explained += 1;
            (!needs.iter().any(named)).then(|| format!("waits for something that no need names: {needs:?} {real:?}"))
        }
        _ => Some(format!("{own:?}, {pods} pods, and the cluster: {real:?}")),
    }
}

fn check(cluster: &Cluster, scenario: &mut Scenario, number: usize, counts: &mut [usize; 2]) -> Vec<String> {
    let namespace = format!("own-{number}");
    scenario.options.flags.namespace.clone_from(&namespace);
    let engine = Engine::new();
    let bytes = std::fs::read(scenario.folder.join("run.yaml")).unwrap();
    let run = engine.read_run(&bytes, "run.yaml", scenario.lenient);
    let (inventory, _) = scenario.inventory();
    let rendering = engine.render(&run, inventory.as_ref(), &scenario.options);
    let jobs = rendering.jobs(Delivery::Trainer);
    let Some(prepared) = jobs.prepared.as_ref().filter(|_| !has_errors(&rendering.diagnostics)) else {
        return Vec::new();
    };
    let schedule = Schedule::new(prepared);
    let needs = schedule.needs();
    let (objects, train_jobs) = objects(prepared, &schedule);
    cluster.done(&["create", "namespace", &namespace], None);
    cluster.play_drivers(&namespace, &objects, &nodes(scenario));
    cluster.done(&["create", "-n", &namespace, "-f", "-"], Some(&list(objects)));
    for pod in pods(scenario) {
        cluster.done(&["create", "-n", &namespace, "-f", "-", "--validate=false"], Some(&pod));
    }
    std::thread::sleep(Duration::from_millis(1500));
    let all_nodes = cluster.items(&["nodes"]).len() == nodes(scenario).len();
    let mut left = train_jobs;
    let mut out = Vec::new();
    while !left.is_empty() {
        let (mut now, mut later): (Vec<(u32, Value, usize)>, Vec<_>) = (Vec::new(), Vec::new());
        for job in left {
            // What a job holds for ever would stand in the way of one that shares its nodes.
            match now.iter().any(|other| prepared.overlap(other.0, job.0)) {
                true => later.push(job),
                false => now.push(job),
            }
        }
        let real = wave(cluster, &namespace, &now);
        for (group, _, pods) in &now {
            let own = schedule.verdict(*group);
            let name = prepared.groups()[*group as usize].name();
            let mut explained = 0;
            let found = difference(&own, *pods, &needs, &real[group], all_nodes, &mut explained);
            counts[usize::from(explained > 0)] += usize::from(found.is_none());
            out.extend(found.map(|found| format!("{} {name}: {found}", scenario.name)));
        }
        left = later;
    }
    cluster.kubectl(&["delete", "namespace", &namespace, "--wait=false"], None);
    out
}

/// Objects that come before the jobs of the first iteration, and these jobs with the number of their pods.
fn objects(prepared: &Prepared<'_>, schedule: &Schedule<'_>) -> (Vec<Value>, Vec<(u32, Value, usize)>) {
    let mut objects: Vec<Value> = prepared.shared(yaml::to_yaml).into_iter().map(|m| m.value).collect();
    let mut jobs = Vec::new();
    for group in 0..u32::try_from(prepared.groups().len()).unwrap() {
        for manifest in prepared.manifests(JobId { iteration: 1, group }) {
            match manifest.role {
                Role::TrainJob => {
                    let pods = schedule.explain(group).kinds.iter().map(|kind| kind.count).sum();
                    jobs.push((group, manifest.value, pods));
                }
                _ => objects.push(manifest.value),
            }
        }
    }
    (objects, jobs)
}

#[test]
fn verdicts_are_those_of_a_real_scheduler() {
    let Ok(kubeconfig) = std::env::var("NVCRE_CLUSTER_KUBECONFIG") else {
        eprintln!("left out: NVCRE_CLUSTER_KUBECONFIG names no cluster");
        return;
    };
    let cluster = Cluster { kubeconfig };
    let only = std::env::var("NVCRE_CLUSTER_SCENARIOS").unwrap_or_default();
    let wanted = |s: &Scenario| only.is_empty() || only.split(',').any(|name| name == s.name);
    let findings = Scenario::below(&scenarios::root().join("fixtures/findings"));
    let findings = findings.into_iter().filter(|s| s.name.starts_with("NV32"));
    let all = Scenario::all().into_iter().chain(findings);
    let mut all: Vec<Scenario> = all.filter(|s| wanted(s) && !s.nodes.is_empty()).collect();
    all.sort_by_key(|s| s.nodes.iter().map(|n| n.canonicalize().unwrap()).collect::<Vec<_>>());
    let (mut there, mut wrong, mut counts) = (Vec::new(), Vec::new(), [0, 0]);
    for (number, scenario) in all.iter_mut().enumerate() {
        if has_errors(&scenario.render().diagnostics) && scenario.delivery == Delivery::Trainer {
            continue;
        }
        let files: Vec<_> = scenario.nodes.iter().map(|n| n.canonicalize().unwrap()).collect();
        if there != files {
            cluster.set_nodes(&nodes(scenario));
            there = files;
        }
        let start = Instant::now();
        let found = check(&cluster, scenario, number, &mut counts);
        eprintln!("{:40} {:5.1} s {}", scenario.name, start.elapsed().as_secs_f32(), found.join("\n    "));
        wrong.extend(found);
    }
    let [equal, explained] = counts;
    eprintln!("{equal} groups as the scheduler says, {explained} that wait for what only the cluster knows");
    assert!(wrong.is_empty() && equal > 0, "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
