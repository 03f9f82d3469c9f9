//! What can be asked for.

use crate::diagnostic::FieldPath;

/// A subject of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// `env/NAME`.
    Env(String),
    /// `arg/--mca/pml`, `arg/-N`, `arg/3`.
    Arg(String),
    /// `line/0`: a line before the command.
    Line(usize),
    /// `value/gpusPerNode`.
    Value(String),
    /// `node/NAME`.
    Node(String),
    /// `override/E7`, the name of an entry, or `override/user-0`.
    Override(String),
    /// `group/group-3`.
    Group(String),
    /// A field of the Workflow, or of an object of a job: `TrainJob/NAME` before a colon.
    Field {
        /// `Kind` or `Kind/name` of an object of the manifests; absent for the Workflow.
        object: Option<String>,
        /// The field.
        path: FieldPath,
    },
}

impl Query {
    /// Reads a subject. Paths may be written as findings show them (`spec.env[0].value`), as kubectl does
    /// (`{.spec.x}`, `$.spec.x`), or as a JSON pointer (`/spec/x`).
    ///
    /// ```
    /// use nvcre_core::explain::Query;
    /// assert_eq!(Query::parse("env/NCCL_DEBUG"), Query::Env("NCCL_DEBUG".into()));
    /// assert_eq!(Query::parse("override/E7"), Query::Override("E7".into()));
    /// let path = Query::Field { object: None, path: "spec.orchestration.iterations".into() };
    /// for text in ["spec.orchestration.iterations", "$.spec.orchestration.iterations", "/spec/orchestration/iterations"] {
    ///     assert_eq!(Query::parse(text), path);
    /// }
    /// let object = Query::Field { object: Some("TrainJob".into()), path: "spec.trainer.numNodes".into() };
    /// assert_eq!(Query::parse("TrainJob:spec.trainer.numNodes"), object);
    /// ```
    pub fn parse(text: &str) -> Self {
        let rest = |prefix: &str| text.strip_prefix(prefix).map(str::to_owned);
        if let Some(name) = rest("env/") {
            return Self::Env(name);
        }
        if let Some(name) = rest("arg/") {
            return Self::Arg(name);
        }
        if let Some(at) = rest("line/").and_then(|at| at.parse().ok()) {
            return Self::Line(at);
        }
        if let Some(name) = rest("value/") {
            return Self::Value(name);
        }
        if let Some(name) = rest("node/") {
            return Self::Node(name);
        }
        if let Some(name) = rest("override/") {
            return Self::Override(name);
        }
        if let Some(name) = rest("group/") {
            return Self::Group(name);
        }
        match text.split_once(':') {
            Some((object, path)) if object.starts_with(|c: char| c.is_ascii_uppercase()) && !object.contains('.') => {
                Self::Field { object: Some(object.to_owned()), path: field(path) }
            }
            _ => Self::Field { object: None, path: field(text) },
        }
    }
}

fn field(text: &str) -> FieldPath {
    let text = text.trim();
    if let Some(pointer) = text.strip_prefix('/') {
        let step = |step: &str| step.replace("~1", "/").replace("~0", "~");
        return pointer.split('/').map(step).fold(FieldPath::root(), |path, step| path.key(step));
    }
    let text = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
    let text = text.strip_prefix('$').unwrap_or(text);
    FieldPath::parse(text.strip_prefix('.').unwrap_or(text))
}
