//! The two sides of a comparison from files that were rendered earlier.

use super::difference::{Difference, Side};
use super::groups::Group;
use super::jobs_of::{JobObjects, split};
use super::model::{self, Member, Model, Reason};
use super::objects::identity;
use super::read::{RenderedFiles, Shows};
use crate::diagnostic::{Code, Diagnostic, has_errors};
use crate::jobs::{ANY, PLAN_FORMAT, PlanError, RunPlan};
use crate::yaml::{Limits, Read, read_documents};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What differs between two outputs that were rendered earlier and show the same ([`super::check_sides`]). Objects are
/// the same by kind, namespace and name; the objects of jobs, by the group that they are made for. What a file does not
/// say, such as why a node stays out, is not told.
///
/// Findings: a run record that this version cannot read; the difference is empty then.
pub fn rendered_files(a: &RenderedFiles, b: &RenderedFiles) -> Read<Difference> {
    let mut diagnostics = Vec::new();
    let (old, new) = (Parts::of(a, &mut diagnostics), Parts::of(b, &mut diagnostics));
    if has_errors(&diagnostics) {
        return Read { value: Difference::default(), diagnostics };
    }
    Read { value: model::compare(&old.model(), &new.model()), diagnostics }
}

/// A rendering, taken apart.
struct Parts<'f> {
    files: &'f RenderedFiles,
    plan: Option<RunPlan>,
    run: Value,
    shared: Vec<Value>,
    /// Groups with their nodes, and the number of their form.
    groups: Vec<(String, Vec<String>, usize)>,
    per_job: Vec<Vec<Value>>,
}

type Data = BTreeMap<String, String>;

fn data_of(object: &Value) -> Data {
    let data = object.get("data").and_then(Value::as_object);
    let text = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
    data.into_iter().flatten().filter_map(text).collect()
}

/// A record of a direct run, or one of its parts.
fn is_record(object: &Value) -> bool {
    let data = |key: &str| object.get("data").is_some_and(|data| data.get(key).is_some());
    let of_run = object.pointer("/metadata/labels").is_some_and(|labels| labels.get(crate::api::RUN_KEY).is_some());
    identity(object).0 == "ConfigMap" && of_run && (data("plan.json") || data("parts"))
}

impl<'f> Parts<'f> {
    fn of(files: &'f RenderedFiles, findings: &mut Vec<Diagnostic>) -> Self {
        let (records, objects): (Vec<&Value>, Vec<&Value>) = files.objects.iter().partition(|object| is_record(object));
        let mut out =
            Self { files, plan: None, run: Value::Null, shared: Vec::new(), groups: Vec::new(), per_job: Vec::new() };
        out.records(&records, findings);
        let (shared, jobs) = match files.shows {
            Shows::Workflow => (objects, Vec::new()),
            Shows::Jobs | Shows::Manifests => split(&objects),
        };
        out.shared.extend(shared.into_iter().cloned());
        let sizes: BTreeSet<usize> = jobs.iter().map(|job| job.nodes.len()).collect();
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        for job in jobs {
            let form = job.form(sizes.len() > 1);
            let known = out.per_job.iter().position(|known| *known == form);
            match first.get(&job.group).copied() {
                // Another iteration of the same; somebody may have edited it.
                Some(first) if known == Some(first) => {}
                Some(_) => out.shared.extend(job.objects.into_iter().cloned()),
                None => {
                    let form = known.unwrap_or_else(|| {
                        out.per_job.push(form);
                        out.per_job.len() - 1
                    });
                    let JobObjects { group, nodes, .. } = job;
                    first.insert(group.clone(), form);
                    out.groups.push((group, nodes, form));
                }
            }
        }
        out
    }

    /// The run and its plan; the records themselves hold nothing else.
    fn records(&mut self, records: &[&Value], findings: &mut Vec<Diagnostic>) {
        let data: Vec<Data> = records.iter().map(|record| data_of(record)).collect();
        let Some(first) = data.iter().find(|data| data.contains_key("format")) else {
            self.shared.extend(records.iter().map(|record| (*record).clone()));
            return;
        };
        let part = |number: usize| {
            let suffix = format!("-{number}");
            let mut named = records.iter().zip(&data).filter(|(record, _)| identity(record).2.ends_with(&suffix));
            named.find(|(_, data)| !data.contains_key("format")).map(|(_, data)| data)
        };
        match RunPlan::read(first, part) {
            Ok(plan) => self.plan = Some(plan),
            Err(error) => {
                let message = match error {
                    PlanError::Format { found } => {
                        format!(
                            "the run record is of format {found:?}, and this version compares format \"{PLAN_FORMAT}\""
                        )
                    }
                    error => format!("the run record cannot be compared: {error}"),
                };
                findings.push(
                    Diagnostic::at(Code::RenderedVersion, "data", message)
                        .with_help("render the run again with this version")
                        .with_file(self.files.file.as_str()),
                );
            }
        }
        let text = first.get("run.yaml").map_or("", String::as_str);
        let documents = read_documents(text.as_bytes(), "run.yaml", &Limits::RUN).value;
        self.run = documents.iter().find_map(|d| d.root.as_ref()).map(|root| root.to_value()).unwrap_or_default();
        // What is left of the records without run and plan.
        let rest = records.iter().filter(|record| record.pointer("/data/format").is_some()).map(|record| {
            let mut rest = (*record).clone();
            if let Some(data) = rest.get_mut("data").and_then(Value::as_object_mut) {
                ["run.yaml", "plan.json", "parts"].iter().for_each(|key| drop(data.remove(*key)));
            }
            rest
        });
        self.shared.extend(rest);
    }

    fn model(&self) -> Model<'_> {
        let host = |node: &'_ str| -> &str {
            let hosts = self.plan.as_ref().map(|plan| &plan.hostnames);
            hosts.and_then(|hosts| hosts.get(node)).map_or("", String::as_str)
        };
        let names: BTreeSet<&str> = self.groups.iter().flat_map(|(_, nodes, _)| nodes).map(String::as_str).collect();
        let facts = self.facts(names.len());
        let text = |name: &str| {
            let value = facts.iter().find(|(n, _)| *n == name).and_then(|(_, value)| value.as_str());
            value.unwrap_or_default().to_owned()
        };
        let jobs = self.files.shows != Shows::Workflow;
        Model {
            side: Side {
                file: self.files.file.clone(),
                run: text("run"),
                edition: text("edition"),
                platform: text("platform"),
                gpu_architecture: text("gpuArchitecture"),
                nodes: (!names.is_empty()).then_some(names.len()),
                groups: jobs.then_some(self.groups.len()),
            },
            members: names.into_iter().map(|name| Member { name, host: host(name) }).collect(),
            reason: Box::new(|_| Reason::default()),
            groups: self
                .groups
                .iter()
                .map(|(name, nodes, _)| Group { name: name.clone(), nodes: nodes.iter().map(String::as_str).collect() })
                .collect(),
            variants: self.groups.iter().map(|(.., form)| *form).collect(),
            shared: self.shared.clone(),
            per_job: self.per_job.clone(),
            overrides: Vec::new(),
            findings: Vec::new(),
            run: self.run.clone(),
            facts,
        }
    }

    fn facts(&self, nodes: usize) -> Vec<(&'static str, Value)> {
        let labels = self.files.objects.iter().filter_map(|object| object.pointer("/metadata/labels"));
        let named =
            labels.filter_map(|labels| labels.get(crate::api::WORKFLOW_KEY).or(labels.get(crate::api::RUN_KEY)));
        let workflow = self.files.objects.iter().find(|object| identity(object).0 == "Workflow");
        let run = workflow.map(|w| json!(identity(w).2)).or_else(|| named.into_iter().next().cloned());
        let mut out = vec![("run", run.unwrap_or_default())];
        if self.files.shows != Shows::Workflow {
            out.push(("totalGroups", json!(self.groups.len())));
            out.push(("totalNodes", json!(nodes)));
        }
        let Some(plan) = &self.plan else { return out };
        out.extend([
            ("namespace", json!(plan.namespace)),
            ("edition", json!(plan.facts.edition)),
            ("platform", json!(plan.platform)),
            ("gpuArchitecture", json!(plan.architecture)),
            ("gpuProducts", json!(plan.products)),
            ("productsFromSlices", json!(plan.products_from_slices)),
            ("placement", json!(plan.placement)),
            ("gpusPerNode", json!(plan.facts.gpus_per_node)),
            ("mlnxPerNode", json!(plan.facts.mlnx_per_node)),
            ("enableMNNVL", json!(plan.facts.enable_mnnvl)),
            ("nicResourceName", json!(plan.facts.nic_resource_name)),
            ("domainCount", json!(plan.facts.domain_count)),
            ("nodesPerJob", json!(plan.nodes_per_job)),
            ("topologyKey", json!(plan.topology_key)),
            ("strictDomain", json!(plan.strict_domain)),
            ("iterations", json!(plan.iterations)),
            ("maxConcurrent", json!(plan.max_concurrent)),
            ("timeoutPerJob", json!(plan.timeout_per_job.map(|t| t.to_string()))),
        ]);
        out
    }
}

/// What stands in the place of everything that differs from job to job.
pub(super) fn any() -> Value {
    ANY.into()
}
