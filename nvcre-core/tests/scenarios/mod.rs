//! Reading `fixtures/`: shared by the tests that go over all scenarios.
#![allow(dead_code, reason = "each test target uses its part")]

use nvcre_core::api::Value;
use nvcre_core::diagnostic::{Diagnostic, Severity, has_errors};
use nvcre_core::engine::{Delivery, Engine, Options, RunFlags};
use nvcre_core::fleet::{Inventory, InventoryReader, PodsReader};
use nvcre_core::jobs::Manifest;
use nvcre_core::yaml;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// One folder of `fixtures/`.
pub struct Scenario {
    pub name: String,
    pub folder: PathBuf,
    pub nodes: Vec<PathBuf>,
    /// What runs on the nodes already.
    pub pods: Vec<PathBuf>,
    pub options: Options,
    pub delivery: Delivery,
    pub assume: Option<u32>,
    pub lenient: bool,
    pub deny_warnings: bool,
    /// Jobs are asked for, also without nodes.
    pub show_jobs: bool,
    /// Groups whose manifests are shown; empty for the first and those that run nodes twice.
    pub groups: Vec<String>,
    pub exit: i64,
    pub codes: Vec<String>,
}

/// What a scenario gives.
pub struct Outcome {
    pub diagnostics: Vec<Diagnostic>,
    pub workflow: Value,
    pub plan: Option<Value>,
    pub manifests: Vec<Manifest>,
}

impl Scenario {
    /// All of them, by name.
    pub fn all() -> Vec<Self> {
        Self::below(&root().join("fixtures"))
    }

    /// The scenarios of a folder, by name: every folder with a `run.yaml`.
    pub fn below(folder: &Path) -> Vec<Self> {
        let mut folders: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        folders.retain(|f| f.join("run.yaml").is_file());
        folders.sort();
        assert!(!folders.is_empty(), "no scenario in {}", folder.display());
        folders.into_iter().map(Self::read).collect()
    }

    /// The scenario of a folder.
    pub fn read(folder: PathBuf) -> Self {
        let text = std::fs::read_to_string(folder.join("scenario.yaml")).unwrap_or_default();
        let file: Value = if text.is_empty() { Value::Null } else { serde_yaml::from_str(&text).unwrap() };
        let flags = &file["flags"];
        let text = |key: &str| flags[key].as_str().map(str::to_owned);
        let list = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().map(|v| v.as_str().unwrap().to_owned()).collect()
        };
        let mut nodes: Vec<PathBuf> = list(&file["nodes"]).iter().map(|n| folder.join(n)).collect();
        if nodes.is_empty() {
            nodes.extend(["nodes.yaml", "nodes.json"].map(|n| folder.join(n)).into_iter().find(|n| n.is_file()));
        }
        let mut pods: Vec<PathBuf> = list(&file["pods"]).iter().map(|n| folder.join(n)).collect();
        if pods.is_empty() {
            pods.extend([folder.join("pods.yaml")].into_iter().filter(|n| n.is_file()));
        }
        let bool = |key: &str| flags[key].as_bool().unwrap_or(false);
        Self {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            nodes,
            pods,
            options: Options {
                platform: text("platform"),
                gpu_arch: text("gpuArch"),
                edition: text("edition"),
                only_healthy: bool("onlyHealthy"),
                flags: RunFlags {
                    name: text("name").unwrap_or_default(),
                    namespace: text("namespace").unwrap_or_default(),
                    node_list: text("nodeList").unwrap_or_default(),
                    topology_domain: text("topologyDomain").unwrap_or_default(),
                    topology_key: text("topologyKey").unwrap_or_default(),
                    test_scale: text("testScale").unwrap_or_default(),
                },
            },
            delivery: if text("delivery").as_deref() == Some("controller") {
                Delivery::Controller
            } else {
                Delivery::Trainer
            },
            assume: flags["assumeNodes"].as_u64().map(|n| n.try_into().unwrap()),
            lenient: bool("lenient"),
            deny_warnings: bool("denyWarnings"),
            show_jobs: text("show").is_some_and(|show| show != "workflow"),
            groups: list(&file["groups"]),
            exit: file["expect"]["exit"].as_i64().unwrap_or(0),
            codes: list(&file["expect"]["codes"]),
            folder,
        }
    }

    /// Name of a file in messages: relative to the folder of all fixtures, so that snapshots name no machine.
    fn file_name(path: &Path) -> String {
        let mut parts: Vec<String> = Vec::new();
        for part in path.strip_prefix(root().join("fixtures")).unwrap_or(path).components() {
            match part.as_os_str().to_string_lossy().as_ref() {
                ".." => drop(parts.pop()),
                part => parts.push(part.to_owned()),
            }
        }
        parts.join("/")
    }

    /// The inventory, and what was wrong with it.
    pub fn inventory(&self) -> (Option<Inventory>, Vec<Diagnostic>) {
        if self.nodes.is_empty() {
            return (None, Vec::new());
        }
        let mut reader = InventoryReader::new();
        for path in &self.nodes {
            let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            reader.read(&Self::file_name(path), bytes.as_slice());
        }
        let mut read = reader.finish();
        let mut reader = PodsReader::new();
        for path in &self.pods {
            reader.read(&Self::file_name(path), std::fs::read(path).unwrap().as_slice());
        }
        read.diagnostics.extend(reader.finish(&mut read.value));
        (Some(read.value), read.diagnostics)
    }

    /// Renders it.
    pub fn render(&self) -> Outcome {
        let engine = Engine::new();
        let bytes = std::fs::read(self.folder.join("run.yaml")).unwrap();
        let run = engine.read_run(&bytes, &format!("{}/run.yaml", self.name), self.lenient);
        let (mut inventory, mut diagnostics) = self.inventory();
        if let Some(count) = self.assume {
            let assumed = engine.assume_nodes(&run, &self.options, count);
            diagnostics.extend(assumed.diagnostics);
            inventory = Some(assumed.value);
        }
        let rendering = engine.render(&run, inventory.as_ref(), &self.options);
        diagnostics.extend(rendering.diagnostics.iter().cloned());
        let mut out = Outcome { diagnostics, workflow: rendering.workflow_value(), plan: None, manifests: Vec::new() };
        if inventory.is_some() || self.show_jobs {
            let jobs = rendering.jobs(self.delivery);
            out.diagnostics.extend(jobs.diagnostics);
            if let Some(prepared) = jobs.prepared.filter(|_| !has_errors(&out.diagnostics)) {
                out.plan = Some(serde_json::to_value(rendering.plan(Some(&prepared))).unwrap());
                out.manifests = prepared.shared(yaml::to_yaml);
                for job in prepared.jobs() {
                    let group = &prepared.groups()[job.group as usize];
                    let shown = match self.groups.as_slice() {
                        [] => job.group == 0 || group.overflow,
                        names => names.contains(&group.name()),
                    };
                    if shown {
                        out.manifests.extend(prepared.manifests(job));
                    }
                }
            }
        }
        nvcre_core::diagnostic::sort(&mut out.diagnostics);
        out
    }
}

/// What a person would stumble over in a finding; empty when nothing.
pub fn flaws(d: &Diagnostic) -> Vec<String> {
    const NAMES: [&str; 7] = ["Kubernetes", "Kubeflow", "Trainer", "JobSet", "Unpinned", "Open", "NVLink"];
    let mut out = Vec::new();
    let mut flaw = |what: &str, text: &str| out.push(format!("{} {what}: {text}", d.code));
    for text in [Some(&d.message), d.help.as_ref()].into_iter().flatten() {
        let first = text.split([' ', ':', ',']).next().unwrap();
        let word = first.starts_with(|c: char| c.is_ascii_uppercase())
            && first.chars().skip(1).all(|c| c.is_ascii_lowercase());
        if word && !NAMES.contains(&first) {
            flaw("begins with a capital letter", text);
        }
        if text.trim() != text || text.contains("  ") || text.contains('\n') || text.is_empty() {
            flaw("has odd white space", text);
        }
        if text.ends_with(['.', ';', ':', ',']) {
            flaw("ends with a full stop", text);
        }
        let sentences = text.match_indices(". ").any(|(at, _)| text[at + 2..].starts_with(|c: char| c.is_uppercase()));
        if sentences {
            flaw("holds several sentences", text);
        }
        for odd in
            ["Some(", "None", "Ok(", "Err(", "::", "\\\"", "§", "struct ", "enum ", "[]str", "usize", "i32", "u32"]
        {
            if text.contains(odd) {
                flaw(&format!("speaks of `{odd}`"), text);
            }
        }
        let decision =
            |word: &str| word.starts_with('D') && word.len() > 1 && word[1..].bytes().all(|b| b.is_ascii_digit());
        if text.split(|c: char| !c.is_ascii_alphanumeric()).any(decision) {
            flaw("names a decision", text);
        }
    }
    if d.help.is_none() {
        flaw("has no way out", &d.message);
    }
    if d.path.is_none() && d.file.is_none() {
        flaw("has neither field nor file", &d.message);
    }
    out
}

impl Outcome {
    /// Codes of the findings, each once, sorted.
    pub fn codes(&self) -> Vec<String> {
        let mut codes: Vec<String> = self.diagnostics.iter().map(|d| d.code.to_string()).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// Findings, one block each.
    pub fn findings(&self) -> String {
        let mut out = String::new();
        for d in &self.diagnostics {
            let severity = match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Notice => "notice",
            };
            write!(out, "{severity} {}", d.code).unwrap();
            if let Some(file) = &d.file {
                write!(out, " {file}").unwrap();
            }
            if let Some(span) = d.span {
                write!(out, ":{}:{}", span.start.line, span.start.column).unwrap();
            }
            if let Some(path) = &d.path {
                write!(out, " {path}").unwrap();
            }
            writeln!(out, "\n  {}", d.message).unwrap();
            for related in &d.related {
                let place = related.span.map(|s| format!("{}:{} ", s.start.line, s.start.column)).unwrap_or_default();
                writeln!(out, "  {place}{}", related.message).unwrap();
            }
            if let Some(help) = &d.help {
                writeln!(out, "  help: {help}").unwrap();
            }
            if let Some(reason) = &d.accepted {
                writeln!(out, "  accepted: {reason}").unwrap();
            }
        }
        if out.is_empty() { "no findings\n".into() } else { out }
    }
}
