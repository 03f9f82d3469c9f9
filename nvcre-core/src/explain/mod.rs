//! Where every value of a rendering comes from, and why a node or an override is out: the trace for people.
//!
//! ```
//! use nvcre_core::engine::{Engine, Options};
//! use nvcre_core::explain::{Answer, Explainer, Query};
//! let engine = Engine::new();
//! let text = b"apiVersion: nvcre.nvidia.com/v1alpha1
//! kind: WorkloadRun
//! metadata: {name: sweep}
//! spec:
//!   image: registry.example/nccl:1
//!   framework: {mpi: {binary: /opt/ar, mpirunPath: /usr/bin/mpirun}}
//!   numNodes: 2
//!   env: [{name: NCCL_DEBUG, value: WARN}]
//! ";
//! let run = engine.read_run(text, "run.yaml", false);
//! let options = Options { platform: Some("aws".into()), gpu_arch: Some("gb300".into()), ..Options::default() };
//! let (rendering, trace) = engine.render_traced(&run, None, &options);
//! let explainer = Explainer::new(&engine, &rendering, &trace, None);
//! let Answer::Value(answer) = explainer.answer(&Query::parse("env/NCCL_DEBUG"), None) else { panic!() };
//! assert_eq!(answer.seen[0].at, "ranks");
//! let places: Vec<&str> = answer.seen[0].chain.iter().map(|link| link.place.text.as_str()).collect();
//! assert_eq!(places, ["built-in default: environment of every run", "run.yaml:8:9 spec.env[0]"]);
//! ```

mod chain;
mod command;
mod expand;
mod model;
mod near;
mod nodes;
mod objects;
mod overrides;
mod overview;
mod place;
mod seen;
mod subject;

pub use model::{
    Answer, CommandPart, EXPLAIN_FORMAT, Explanation, FieldLine, GroupAnswer, GroupsLine, LabelLine, Later, Link,
    Membership, NodeAnswer, OverrideAnswer, OverrideChange, OverrideLine, Overview, Place, Resolved, Sight,
    ValueAnswer, Variable,
};
pub use subject::Query;

use crate::catalogue::Catalogue;
use crate::engine::{Engine, Rendering};
use crate::jobs::{JobId, Prepared};
use crate::trace::Trace;
use command::Command;
use expand::Known;
use serde_json::Value;
use std::sync::OnceLock;

/// Answers questions about one rendering.
#[derive(Debug, Clone)]
pub struct Explainer<'a> {
    rendering: &'a Rendering<'a>,
    trace: &'a Trace,
    jobs: Option<&'a Prepared<'a>>,
    catalogue: &'a Catalogue,
    workflow: Value,
    run: Value,
    command: OnceLock<Command>,
    variables: OnceLock<Known>,
}

impl<'a> Explainer<'a> {
    /// For a rendering with its trace ([`Engine::render_traced`]) and, where there are nodes, its jobs.
    pub fn new(
        engine: &'a Engine,
        rendering: &'a Rendering<'a>,
        trace: &'a Trace,
        jobs: Option<&'a Prepared<'a>>,
    ) -> Self {
        Self {
            rendering,
            trace,
            jobs,
            catalogue: engine.catalogue(),
            workflow: rendering.workflow_value(),
            run: serde_json::to_value(&rendering.run).unwrap_or_default(),
            command: OnceLock::new(),
            variables: OnceLock::new(),
        }
    }

    /// Answers all subjects in order; without any, the overview. `group` chooses the job whose objects are meant.
    pub fn explain(&self, subjects: &[Query], group: Option<&str>) -> Explanation {
        let answers = match subjects {
            [] => vec![Answer::Overview(Box::new(self.overview()))],
            subjects => subjects.iter().map(|subject| self.answer(subject, group)).collect(),
        };
        Explanation { format: EXPLAIN_FORMAT.into(), run: self.rendering.run.metadata.name.clone(), answers }
    }

    /// Answers one subject.
    pub fn answer(&self, subject: &Query, group: Option<&str>) -> Answer {
        let unknown = |subject: String, reason: String, near: Vec<String>| Answer::Unknown { subject, reason, near };
        match subject {
            Query::Env(name) => match self.variable(name) {
                Some(answer) => Answer::Value(Box::new(answer)),
                None => {
                    let names = self.names_of_variables().into_iter();
                    let near = near::nearest(name, names.map(|n| (n.clone(), format!("env/{n}"))));
                    unknown(format!("env/{name}"), format!("nobody sets {name}"), near)
                }
            },
            Query::Arg(name) => match self.argument(name) {
                Some(answer) => Answer::Value(Box::new(answer)),
                None => {
                    let parts = &self.command().parts;
                    let names = parts.iter().map(|p| (p.words.join("/"), p.what.subject()));
                    let near = near::nearest(name, names);
                    unknown(format!("arg/{name}"), "it is not on the command line".to_owned(), near)
                }
            },
            Query::Line(at) => match self.line(*at) {
                Some(answer) => Answer::Value(Box::new(answer)),
                None => {
                    let count = self.command().lines.len();
                    unknown(
                        format!("line/{at}"),
                        format!("{count} lines run before the command, counted from 0"),
                        Vec::new(),
                    )
                }
            },
            Query::Value(name) => match self.resolved(name) {
                Some(answer) => Answer::Value(Box::new(answer)),
                None => {
                    let names = overview::VALUES.iter().map(|n| ((*n).to_owned(), format!("value/{n}")));
                    unknown(
                        format!("value/{name}"),
                        "no resolved value has that name".to_owned(),
                        near::nearest(name, names),
                    )
                }
            },
            Query::Node(name) => match self.node(name) {
                Ok(answer) => Answer::Node(answer),
                Err((reason, near)) => unknown(format!("node/{name}"), reason, near),
            },
            Query::Group(name) => match self.group(name) {
                Ok(answer) => Answer::Group(Box::new(answer)),
                Err((reason, near)) => unknown(format!("group/{name}"), reason, near),
            },
            Query::Override(name) => match self.override_answer(name) {
                Ok(answer) => Answer::Override(Box::new(answer)),
                Err((reason, near)) => unknown(format!("override/{name}"), reason, near),
            },
            Query::Field { object: None, path } => match self.field(path) {
                Ok(answer) => Answer::Value(Box::new(answer)),
                Err(near) => unknown(path.to_string(), "nobody sets this field of the Workflow".to_owned(), near),
            },
            Query::Field { object: Some(object), path } => {
                match self.object_field(object, path, group.and_then(|g| self.job_of(g))) {
                    Ok(answer) => Answer::Value(Box::new(answer)),
                    Err((reason, near)) => unknown(format!("{object}:{path}"), reason, near),
                }
            }
        }
    }

    /// The first job of a group.
    fn job_of(&self, group: &str) -> Option<JobId> {
        let at = self.jobs?.groups().iter().position(|g| g.name() == group)?;
        Some(JobId { iteration: 1, group: u32::try_from(at).ok()? })
    }
}
