//! Variables: what the ranks see, what each container says, and who set it.

use super::Explainer;
use super::command::{Part, What};
use super::expand::{self, Known};
use super::model::{Later, Link, Sight, ValueAnswer, Variable};
use crate::catalogue::Framework;
use crate::diagnostic::FieldPath;
use crate::lookup::value_at;
use crate::trace::{Change, Subject};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A variable of a container: its value, and the layers.
struct Contained {
    value: Option<Value>,
    chain: Vec<Link>,
}

/// A variable that mpirun forwards: what it is for the ranks, the value that its words give, and the layers.
struct Forwarded<'a> {
    value: Value,
    pair: Option<&'a str>,
    chain: Vec<Link>,
}

impl Explainer<'_> {
    fn mpi(&self) -> bool {
        self.rendering.facts.framework == Framework::Mpi
    }

    /// The replicated job whose container gets the trainer's command and environment.
    fn trainer_job(&self) -> &'static str {
        if self.mpi() { crate::jobs::LAUNCHER } else { crate::jobs::WORKER }
    }

    /// The container `node` of a replicated job of the run's runtime.
    fn container(&self, job: &str) -> FieldPath {
        let train_job = self.rendering.workflow.spec.job_template.spec.workload.train_job.as_ref();
        let runtime = train_job.map(|t| t.runtime_ref.name.as_str()).unwrap_or_default();
        FieldPath::parse("spec.dependencies")
            .named(format!("TrainingRuntime/{runtime}"))
            .join(&"spec.template.spec.replicatedJobs".into())
            .named(job)
            .join(&"template.spec.template.spec.containers".into())
            .named("node")
    }

    fn trainer_env(&self) -> FieldPath {
        FieldPath::parse("spec.jobTemplate.spec.workload.trainJob.trainer.env")
    }

    /// A variable of the container of a replicated job: that of the runtime, then that of the trainer.
    fn contained(&self, job: &str, name: &str) -> Option<Contained> {
        let path = self.container(job).key("env").named(name);
        let own = value_at(&self.workflow, &path).map(shown);
        let mut chain: Vec<Link> = self.field_chain(&path).into_iter().map(show).collect();
        let mut value = own;
        if job == self.trainer_job() {
            let path = self.trainer_env().named(name);
            let trainer = value_at(&self.workflow, &path).map(shown);
            let mut links: Vec<Link> = self.field_chain(&path).into_iter().map(show).collect();
            if let (Some(trainer), false) = (trainer, links.is_empty()) {
                if let Some(first) = links.first_mut() {
                    first.replaced = value.take();
                }
                chain.append(&mut links);
                value = Some(trainer);
            }
        }
        (value.is_some() || !chain.is_empty()).then_some(Contained { value, chain })
    }

    /// Variables of the container that runs the command, as the kubelet leaves them.
    pub(super) fn trainer_variables(&self) -> &Known {
        self.variables.get_or_init(|| expand::variables(&self.listed(self.trainer_job())))
    }

    /// The variables of the container of a job, in order.
    fn listed(&self, job: &str) -> Vec<(String, Result<String, String>)> {
        let list = |path: &FieldPath| value_at(&self.workflow, path).and_then(Value::as_array).cloned();
        let mut out: Vec<(String, Result<String, String>)> = Vec::new();
        let mut lists = list(&self.container(job).key("env")).unwrap_or_default();
        if job == self.trainer_job() {
            lists.extend(list(&self.trainer_env()).unwrap_or_default());
        }
        for item in lists {
            let name = item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let value = plain(&shown(&item));
            match out.iter_mut().find(|(own, _)| *own == name) {
                Some(entry) => entry.1 = value,
                None => out.push((name, value)),
            }
        }
        out
    }

    /// A variable, as everybody sees it; `None` when nobody does.
    pub(super) fn variable(&self, name: &str) -> Option<ValueAnswer> {
        let command = self.command();
        let mut seen = Vec::new();
        let mut notes = Vec::new();
        let contained: Vec<(&str, Contained)> =
            self.jobs_of_runtime().into_iter().filter_map(|job| Some((job, self.contained(job, name)?))).collect();
        if self.mpi() {
            let ranks = self.ranks(name);
            if ranks.is_none() && contained.iter().any(|(_, c)| c.value.is_some()) {
                notes.push(format!(
                    "mpirun does not forward {name} (-x), so the ranks do not see it: they are started through ssh"
                ));
            }
            seen.extend(ranks);
        }
        for (job, variable) in contained {
            let at = if self.mpi() { job.to_owned() } else { "ranks".to_owned() };
            let later = self.later_of(job, name, variable.value.as_ref());
            seen.push(Sight { at, value: variable.value, later, chain: variable.chain });
        }
        if seen.is_empty() {
            return None;
        }
        if command.lines.iter().any(|line| expand::mentions(line, name)) {
            let where_ = if self.mpi() { "in the launcher, before mpirun starts" } else { "before the command starts" };
            notes.push(format!("a line before the command names {name}: it acts {where_}"));
        }
        Some(ValueAnswer { subject: format!("env/{name}"), seen, fields: Vec::new(), notes })
    }

    /// What the ranks see of a variable that mpirun forwards.
    fn ranks(&self, name: &str) -> Option<Sight> {
        let Forwarded { value, pair, chain } = self.forwarded(name)?;
        let later = match (pair, self.trainer_variables().get(name)) {
            (Some(text), _) => self.later(text),
            // mpirun forwards what the launcher has.
            (None, Some(Ok(text))) => {
                Later::Becomes { text: text.clone(), because: "mpirun forwards the launcher's own value".into() }
            }
            (None, Some(Err(because))) => {
                Later::OnlyThere { because: format!("mpirun forwards the launcher's own value; {because}") }
            }
            (None, None) => {
                Later::OnlyThere { because: "mpirun forwards the launcher's own value, which the image may set".into() }
            }
        };
        Some(Sight { at: "ranks".into(), value: Some(value), later, chain })
    }

    /// A variable that mpirun forwards, and its layers.
    fn forwarded(&self, name: &str) -> Option<Forwarded<'_>> {
        let is = |part: &&Part| matches!(&part.what, What::Env(own) if own == name);
        let last = self.command().parts.iter().rev().find(is)?;
        let pair = last.words.last().and_then(|pair| pair.split_once('=')).map(|(_, value)| value);
        let mut chain: Vec<Link> = self.env_chain(name);
        let in_env = !chain.is_empty();
        let is = |c: &&Change| matches!(&c.subject, Subject::RankEnv { name: own } if own == name);
        // The environment forwards its own value; what comes after are the words of layers.
        for change in self.trace.changes.iter().filter(is).skip(usize::from(in_env)) {
            let origin = self.origin_of(change);
            let replaced = chain.last().and_then(|l| l.value.clone());
            chain.push(self.link(origin, change.new.clone(), replaced));
        }
        let value = match pair {
            Some(text) => json!(text),
            None => {
                let source = chain.last().and_then(|l| l.value.clone()).filter(Value::is_object);
                source.unwrap_or_else(|| json!({ "valueFrom": "launcher environment" }))
            }
        };
        if chain.last().and_then(|l| l.value.as_ref()) != Some(&value) {
            let replaced = chain.last().and_then(|l| l.value.clone());
            chain.push(self.link(last.origin.clone(), Some(value.clone()), replaced));
        }
        Some(Forwarded { value, pair, chain })
    }

    fn later_of(&self, job: &str, name: &str, value: Option<&Value>) -> Later {
        match value {
            Some(Value::String(text)) => {
                let list = self.listed(job);
                let before: Vec<_> = list.iter().take_while(|(own, _)| own != name).cloned().collect();
                expand::kubelet(text, &expand::variables(&before))
            }
            Some(source) => Later::OnlyThere { because: source_of(source) },
            None => Later::Nothing,
        }
    }

    /// The replicated jobs that the run's runtime has.
    fn jobs_of_runtime(&self) -> Vec<&'static str> {
        if self.mpi() { vec![crate::jobs::WORKER, crate::jobs::LAUNCHER] } else { vec![crate::jobs::WORKER] }
    }

    /// Every variable, in the order of the containers, then those that only mpirun forwards.
    pub(super) fn names_of_variables(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        let contained = self.jobs_of_runtime().into_iter().flat_map(|job| self.listed(job)).map(|(name, _)| name);
        let forwarded = self.command().parts.iter().filter_map(|part| match &part.what {
            What::Env(name) => Some(name.clone()),
            _ => None,
        });
        for name in contained.chain(forwarded) {
            if seen.insert(name.clone()) {
                out.push(name);
            }
        }
        out
    }

    /// One line for the overview.
    pub(super) fn variable_line(&self, name: &str) -> Option<Variable> {
        let ranks = if self.mpi() { self.forwarded(name) } else { None };
        let contained = self.jobs_of_runtime().into_iter().find_map(|job| self.contained(job, name));
        let (value, contained, chain) = match (ranks, contained) {
            (Some(ranks), contained) => (Some(ranks.value), contained.and_then(|c| c.value), ranks.chain),
            // Without mpirun the ranks see what the container has.
            (None, Some(contained)) if !self.mpi() => (contained.value, None, contained.chain),
            (None, Some(contained)) => (None, contained.value, contained.chain),
            (None, None) => return None,
        };
        let container = contained.filter(|other| Some(other) != value.as_ref());
        let replaced = chain.len().saturating_sub(1);
        Some(Variable { name: name.to_owned(), value, container, link: chain.into_iter().next_back()?, replaced })
    }
}

/// A variable of a list as the trace shows it: a text, or where it is taken from.
fn shown(item: &Value) -> Value {
    match item.get("valueFrom") {
        Some(source) => json!({ "valueFrom": source }),
        None => item.get("value").cloned().unwrap_or_else(|| json!("")),
    }
}

/// A link that speaks of an element of a list of variables.
fn show(mut link: Link) -> Link {
    let plain = |value: Value| if value.is_object() && value.get("name").is_some() { shown(&value) } else { value };
    link.value = link.value.map(plain);
    link.replaced = link.replaced.map(plain);
    link
}

fn plain(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(source_of(other)),
    }
}

/// Where a value comes from in the cluster, as a sentence.
fn source_of(value: &Value) -> String {
    let source = value.get("valueFrom").unwrap_or(value);
    let text = |pointer: &str| source.pointer(pointer).and_then(Value::as_str).unwrap_or("?");
    if source.get("secretKeyRef").is_some() {
        format!("it is key {} of secret {}", text("/secretKeyRef/key"), text("/secretKeyRef/name"))
    } else if source.get("configMapKeyRef").is_some() {
        format!("it is key {} of ConfigMap {}", text("/configMapKeyRef/key"), text("/configMapKeyRef/name"))
    } else if source.get("fieldRef").is_some() {
        format!("it is the pod's own {}", text("/fieldRef/fieldPath"))
    } else if source.get("resourceFieldRef").is_some() {
        format!("it is the container's {}", text("/resourceFieldRef/resource"))
    } else {
        "its source is known only in the pod".to_owned()
    }
}
