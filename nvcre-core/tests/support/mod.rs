//! Runs, nodes and renderings made in a few words: shared by the tests at engine level.
#![allow(dead_code, reason = "each test target uses its part")]

use nvcre_core::api::{GPU_PRESENT_KEY, GPU_PRODUCT_KEY, GPU_RESOURCE, HOSTNAME_KEY};
use nvcre_core::diagnostic::{Code, Diagnostic, Severity};
use nvcre_core::engine::{Delivery, Engine, Options, Plan, RunInput};
use nvcre_core::fleet::{Inventory, InventoryBuilder};
use nvcre_core::jobs::{Manifest, Role};
use nvcre_core::{catalogue::Catalogue, yaml};
use serde_json::{Map, Value, json};

/// The page's basic example, as a run of this name and spec.
pub fn basic() -> Value {
    json!({
        "image": "nvcr.io/nvidia/pytorch:26.01-py3",
        "framework": {"mpi": {
            "mpirunPath": "/usr/local/mpi/bin/mpirun",
            "binary": "/usr/local/bin/all_reduce_perf_mpi",
            "args": ["-b", "8", "-e", "32G", "-f", "2", "-n", "100"],
        }},
        "numNodes": 4,
    })
}

/// The same run with `torchrun`.
pub fn torch() -> Value {
    with(basic(), json!({"framework": {"torch": {"script": "/workspace/train.py"}}}))
}

/// The same run with a command.
pub fn exec() -> Value {
    with(basic(), json!({"framework": {"exec": {"command": ["/bin/true"]}}}))
}

/// A spec with other fields, each replaced whole.
pub fn with(mut spec: Value, fields: Value) -> Value {
    for (key, value) in fields.as_object().unwrap() {
        spec[key] = value.clone();
    }
    spec
}

/// The text of a run called `my-workload`.
pub fn run_text(spec: &Value) -> String {
    named_text("my-workload", spec)
}

/// The text of a run.
pub fn named_text(name: &str, spec: &Value) -> String {
    yaml::to_yaml(&json!({
        "apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "WorkloadRun", "metadata": {"name": name}, "spec": spec,
    }))
}

/// `count` healthy nodes of a platform and an architecture, `node-01` and so on.
pub fn nodes(platform: &str, architecture: &str, count: usize) -> Inventory {
    labelled(platform, architecture, &vec![&[][..]; count])
}

/// One node for each list of extra labels. A platform's own topology label is there, all in one domain.
pub fn labelled(platform: &str, architecture: &str, labels: &[&[(&str, &str)]]) -> Inventory {
    let catalogue = Catalogue::builtin();
    let known = catalogue.platform(platform).unwrap();
    let product = &catalogue.architecture(architecture).unwrap().product;
    let gpus = catalogue.hardware(architecture, platform).gpus_per_node.to_string();
    let mut builder = InventoryBuilder::new();
    for (number, extra) in (1..).zip(labels) {
        let name = format!("node-{number:02}");
        let mut node = builder
            .node(&name)
            .label(HOSTNAME_KEY, &name)
            .label(GPU_PRESENT_KEY, "true")
            .label(GPU_PRODUCT_KEY, product)
            .allocatable(GPU_RESOURCE, &gpus)
            .operating_system("linux")
            .ready("True")
            .provider_id(&known.synthetic.provider_id);
        if let Some(key) = &known.topology_key {
            node = node.label(key, "domain-0");
        }
        for (key, value) in &known.synthetic.labels {
            node = node.label(key, value);
        }
        for (key, value) in *extra {
            node = node.label(key, value);
        }
    }
    builder.build()
}

/// A run rendered for nodes, or for a declared platform and GPU, in both deliveries.
pub struct Out {
    pub workflow: Value,
    pub diagnostics: Vec<Diagnostic>,
    pub plan: Option<Plan>,
    /// Objects of the direct delivery that come before any job.
    pub shared: Vec<Manifest>,
    /// Objects of every job of the direct delivery.
    pub jobs: Vec<Vec<Manifest>>,
    /// Objects of every job of the controller's delivery.
    pub controller: Vec<Vec<Manifest>>,
}

/// Renders a spec for nodes.
pub fn on(inventory: &Inventory, spec: &Value) -> Out {
    render(&run_text(spec), Some(inventory), &Options::default())
}

/// Renders a spec for a declared platform and GPU.
pub fn declared(platform: &str, architecture: &str, spec: &Value) -> Out {
    let options =
        Options { platform: Some(platform.into()), gpu_arch: Some(architecture.into()), ..Options::default() };
    render(&run_text(spec), None, &options)
}

/// Renders the text of a run.
pub fn render(text: &str, inventory: Option<&Inventory>, options: &Options) -> Out {
    let engine = Engine::new();
    let run = engine.read_run(text.as_bytes(), "run.yaml", false);
    render_input(&engine, &run, inventory, options)
}

/// Renders a run that was read.
pub fn render_input(engine: &Engine, run: &RunInput, inventory: Option<&Inventory>, options: &Options) -> Out {
    let rendering = engine.render(run, inventory, options);
    let mut out = Out {
        workflow: rendering.workflow_value(),
        diagnostics: rendering.diagnostics.clone(),
        plan: None,
        shared: Vec::new(),
        jobs: Vec::new(),
        controller: Vec::new(),
    };
    if inventory.is_none() {
        return out;
    }
    for delivery in [Delivery::Trainer, Delivery::Controller] {
        let jobs = rendering.jobs(delivery);
        // A finding of both deliveries counts once.
        out.diagnostics.extend(jobs.diagnostics.into_iter().filter(|d| !rendering.diagnostics.contains(d)));
        let Some(prepared) = jobs.prepared else { continue };
        let manifests = prepared.jobs().map(|job| prepared.manifests(job)).collect();
        if delivery == Delivery::Trainer {
            out.plan = Some(rendering.plan(Some(&prepared)));
            out.shared = prepared.shared(yaml::to_yaml);
            out.jobs = manifests;
        } else {
            out.controller = manifests;
        }
    }
    out
}

impl Out {
    /// The rendering, which must have no errors.
    pub fn fine(self) -> Self {
        assert_eq!(self.errors(), Vec::<String>::new());
        self
    }

    /// Errors in one line each.
    pub fn errors(&self) -> Vec<String> {
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(line).collect()
    }

    /// The findings of a code.
    pub fn of(&self, code: Code) -> Vec<&Diagnostic> {
        self.diagnostics.iter().filter(|d| d.code == code).collect()
    }

    /// The one finding of a code, in one line.
    pub fn one(&self, code: Code) -> String {
        let all = self.of(code);
        assert!(!all.is_empty(), "no {code:?} among {:#?}", self.diagnostics.iter().map(line).collect::<Vec<_>>());
        line(all[0])
    }

    pub fn groups(&self) -> Vec<(String, Vec<String>)> {
        self.plan.as_ref().unwrap().groups.iter().map(|g| (g.name.clone(), g.nodes.clone())).collect()
    }

    /// The TrainJobs of the direct delivery.
    pub fn train_jobs(&self) -> Vec<&Value> {
        self.jobs.iter().map(|job| find(job, Role::TrainJob)).collect()
    }

    /// The Jobs of the controller's delivery.
    pub fn engine_jobs(&self) -> Vec<&Value> {
        self.controller.iter().map(|job| find(job, Role::Job)).collect()
    }

    /// The runtimes of the jobs of the direct delivery.
    pub fn runtimes(&self) -> Vec<&Value> {
        let all = self.jobs.iter().flatten().map(|m| &m.value);
        all.filter(|v| v["kind"] == "TrainingRuntime").collect()
    }

    /// The trainer of the Workflow.
    pub fn trainer(&self) -> &Value {
        &self.workflow["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]
    }

    /// The runtime among the dependencies of the Workflow.
    pub fn runtime(&self) -> &Value {
        let dependencies = self.workflow["spec"]["dependencies"].as_array().unwrap();
        dependencies.iter().find(|d| d["kind"] == "TrainingRuntime").unwrap()
    }

    /// Words of the command, unwrapped when lines run before it.
    pub fn command(&self) -> Vec<String> {
        command(self.trainer())
    }

    /// Everything that is printed, as one text.
    pub fn text(&self) -> String {
        let mut out = yaml::to_yaml(&self.workflow);
        let jobs = self.jobs.iter().chain(&self.controller).flatten();
        for manifest in self.shared.iter().chain(jobs) {
            out.push_str(&yaml::to_yaml(&manifest.value));
        }
        out
    }
}

/// A finding in one line: code, field, message, help.
pub fn line(d: &Diagnostic) -> String {
    let path = d.path.as_ref().map(ToString::to_string).unwrap_or_default();
    format!("{:?} {path}: {} | {}", d.code, d.message, d.help.as_deref().unwrap_or(""))
}

/// The object of a role.
pub fn find(manifests: &[Manifest], role: Role) -> &Value {
    &manifests.iter().find(|m| m.role == role).unwrap().value
}

/// The pod template of a replicated job of a runtime.
pub fn pod<'a>(runtime: &'a Value, job: &str) -> &'a Value {
    let all = runtime["spec"]["template"]["spec"]["replicatedJobs"].as_array().unwrap();
    let found = all.iter().find(|j| j["name"] == job).unwrap_or_else(|| panic!("no replicated job {job}"));
    &found["template"]["spec"]["template"]
}

/// The container `node` of a replicated job.
pub fn container<'a>(runtime: &'a Value, job: &str) -> &'a Value {
    pod(runtime, job)["spec"]["containers"].as_array().unwrap().iter().find(|c| c["name"] == "node").unwrap()
}

/// Variables by name; a name that stands twice fails.
pub fn env(holder: &Value) -> Map<String, Value> {
    let mut out = Map::new();
    for entry in holder["env"].as_array().into_iter().flatten() {
        let value = entry.get("valueFrom").or(entry.get("value")).cloned().unwrap_or(json!(""));
        let twice = out.insert(entry["name"].as_str().unwrap().into(), value);
        assert!(twice.is_none(), "{} stands twice", entry["name"]);
    }
    out
}

/// Words of a trainer's command and arguments, unwrapped when lines run before them.
pub fn command(trainer: &Value) -> Vec<String> {
    let list = |key: &str| -> Vec<String> {
        trainer[key].as_array().into_iter().flatten().map(|w| w.as_str().unwrap().to_owned()).collect()
    };
    let mut words = list("command");
    words.extend(list("args"));
    match words.as_slice() {
        [bash, c, script] if bash == "/bin/bash" && c == "-c" => match script.lines().last() {
            Some(last) if last.starts_with("exec ") => unquoted(last.strip_prefix("exec ").unwrap()),
            _ => words,
        },
        _ => words,
    }
}

/// Words in double quotes, each a JSON text as far as these tests go.
fn unquoted(line: &str) -> Vec<String> {
    serde_json::Deserializer::from_str(line).into_iter::<String>().map(|w| w.unwrap()).collect()
}

/// Every `-x` of mpirun words, in order: name and value; no value for one that mpirun reads from its own environment.
pub fn forwarded(words: &[String]) -> Vec<(String, Option<String>)> {
    let pairs = words.windows(2).filter(|w| w[0] == "-x").map(|w| &w[1]);
    pairs
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (pair.clone(), None),
        })
        .collect()
}

/// True when words stand together in a list.
pub fn holds(list: &[String], words: &[&str]) -> bool {
    list.windows(words.len()).any(|w| w == words)
}

/// The runtime patch of a replicated job in a TrainJob, as pod template.
pub fn patch<'a>(train_job: &'a Value, job: &str) -> &'a Value {
    let patches = train_job["spec"]["runtimePatches"].as_array().unwrap();
    let own = patches.iter().find(|p| p["manager"] == "nvcre.nvidia.com/controller").unwrap();
    let jobs = own["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"].as_array().unwrap();
    &jobs.iter().find(|j| j["name"] == job).unwrap_or_else(|| panic!("no patch of {job}"))["template"]["spec"]["template"]
}

/// The terms of the required node affinity of a pod template.
pub fn terms(pod: &Value) -> Vec<Value> {
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let terms = &pod["spec"]["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"];
    terms.as_array().cloned().unwrap_or_default()
}

/// The only term's expressions: key to values.
pub fn expressions(pod: &Value) -> Vec<(String, Vec<String>)> {
    let terms = terms(pod);
    assert_eq!(terms.len(), 1, "{pod}");
    let list = terms[0]["matchExpressions"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|e| {
            let values = e["values"].as_array().into_iter().flatten().map(|v| v.as_str().unwrap().to_owned());
            (e["key"].as_str().unwrap().to_owned(), values.collect())
        })
        .collect()
}

/// Calls a check for every object and key below a value.
pub fn walk(value: &Value, check: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            check(key, value);
            walk(value, check);
        }),
        Value::Array(list) => list.iter().for_each(|value| walk(value, check)),
        _ => {}
    }
}
