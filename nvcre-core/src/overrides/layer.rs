//! What the engine works on: the base, the context it is matched in, and the list of overrides.

use super::summary::Parts;
use crate::api::{OrchestrationSpec, OverrideSpec};
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment};
use crate::trace::Origin;
use serde_json::Value;
use std::collections::BTreeMap;

/// What conditions are compared with (04 §2.6, second row), computed once from the base before any override.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// Platform.
    pub platform: String,
    /// GPU architecture.
    pub gpu_architecture: String,
    /// `TrainJob` when the job template holds one, else empty.
    pub workload_kind: String,
    /// `topology` when the base has a topology, else `simple`.
    pub topology_mode: String,
    /// Distinct values of the topology label among the candidate nodes; 0 without a key.
    pub domain_count: i64,
}

impl Context {
    /// The context of a base on a platform and an architecture. `domain_count` is counted by the caller, who knows the
    /// nodes.
    pub fn of(base: &Base, platform: &str, gpu_architecture: &str, domain_count: i64) -> Self {
        let train_job = base.job_template.pointer("/spec/workload/trainJob").is_some_and(|v| !v.is_null());
        Self {
            platform: platform.to_owned(),
            gpu_architecture: gpu_architecture.to_owned(),
            workload_kind: if train_job { "TrainJob".to_owned() } else { String::new() },
            topology_mode: if base.orchestration.topology.is_some() { "topology" } else { "simple" }.to_owned(),
            domain_count,
        }
    }
}

/// The parts of a Workflow that overrides reach; changed in place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Base {
    /// The job template as JSON, empty optional fields left out.
    pub job_template: Value,
    /// The objects that must exist before a job starts.
    pub dependencies: Vec<Value>,
    /// Node selection, grouping, execution.
    pub orchestration: OrchestrationSpec,
    /// The run names its own topology key (also the empty one of 00 D29): entries of the catalogue leave the topology
    /// alone (00 D4), user overrides still win (00 D63).
    pub own_topology_key: bool,
}

/// One override of the effective list (04 §3).
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Zero-based position in the effective list.
    pub index: usize,
    /// [`Origin::Entry`] or [`Origin::Override`].
    pub origin: Origin,
    /// The override; an entry has the user's variables in it already ([`super::substitute_env`]).
    pub spec: OverrideSpec,
    /// Where it stands: `spec.overrides[i]` for a user override.
    pub base_path: FieldPath,
    /// Variables whose value in this entry is the user's, with the field it came from; what
    /// [`super::substitute_env`] gave back. Only the trace reads it.
    pub substituted: BTreeMap<String, FieldPath>,
    /// What the override holds, where `spec` was left empty because it does not match.
    pub(crate) parts: Option<Parts>,
}

impl Layer {
    /// An entry of the platform catalogue at a position of the effective list.
    pub fn entry(index: usize, id: impl Into<String>, name: impl Into<String>, spec: OverrideSpec) -> Self {
        let (id, name) = (id.into(), name.into());
        let base_path = FieldPath(vec![Segment::Key("entries".into()), Segment::Named(name.as_str().into())]);
        Self { index, origin: Origin::Entry { id, name }, spec, base_path, substituted: BTreeMap::new(), parts: None }
    }

    /// `spec.overrides[at]` of the run, at a position of the effective list.
    pub fn user(index: usize, at: usize, spec: OverrideSpec) -> Self {
        let base_path = FieldPath::parse("spec.overrides").index(at);
        Self {
            index,
            origin: Origin::Override { index: at },
            spec,
            base_path,
            substituted: BTreeMap::new(),
            parts: None,
        }
    }

    /// True for an entry of the catalogue.
    pub fn is_entry(&self) -> bool {
        matches!(self.origin, Origin::Entry { .. })
    }

    /// A finding about a field of this override; one about an entry names number and name (00 D47).
    pub(super) fn finding(&self, code: Code, path: FieldPath, message: impl Into<String>) -> Diagnostic {
        let message = match &self.origin {
            Origin::Entry { id, name } => format!("catalogue entry {id} {name}: {}", message.into()),
            _ => message.into(),
        };
        Diagnostic::at(code, path, message)
    }

    /// Moves a finding whose message knows nothing of layers onto this one.
    pub(crate) fn adopt(&self, mut finding: Diagnostic) -> Diagnostic {
        if let Origin::Entry { id, name } = &self.origin {
            finding.message = format!("catalogue entry {id} {name}: {}", finding.message);
        }
        finding
    }
}

/// Adds a finding unless the very same one is there: checks that need no platform and the application itself may both
/// see a fault.
pub(super) fn push_once(findings: &mut Vec<Diagnostic>, finding: Diagnostic) {
    let same = |d: &Diagnostic| d.code == finding.code && d.path == finding.path && d.message == finding.message;
    if !findings.iter().any(same) {
        findings.push(finding);
    }
}
