//! Findings about the result, led back to what a person can change: the override that brought the value, the field of
//! the run that it was made from, or the entry of the catalogue, which is named (00 D47).

use super::Rendering;
use crate::api::{GPU_RESOURCE, OverrideSpec, TrainJobSpec, Value};
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment};
use crate::jobs::WORKER;
use crate::overrides::Layer;
use crate::trace::Origin;
use serde_json::json;

const TRAIN_JOB: &str = "spec.jobTemplate.spec.workload.trainJob";
const SIZE: &str = "spec.numNodes";

/// Gives findings about the Workflow the place of their cause. Findings whose cause is neither in an override nor in a
/// field of the run keep the path in the Workflow; when an entry of the catalogue is to blame, the message names it.
pub(super) fn lead_back(rendering: &Rendering<'_>, findings: &mut [Diagnostic]) {
    for finding in findings {
        for related in &mut finding.related {
            if let Some(path) = related.path.as_ref().and_then(|path| brought(rendering, path)) {
                related.path = Some(path);
            }
        }
        let Some(path) = &finding.path else { continue };
        let own = || match finding.code {
            Code::GangContract => Some(FieldPath::parse("spec.gangScheduler")),
            _ => own_field(rendering, path),
        };
        // What is missing or contradicts another field belongs to the override that names the element.
        let touched = || brought(rendering, &element_of(path)?);
        if let Some(path) = brought(rendering, path) {
            finding.path = Some(path);
        } else if let Some(entry) = by_entry(rendering, path, Reach::Exact) {
            adopt(finding, entry);
        } else if let Some(path) = own().or_else(touched) {
            finding.path = Some(path);
        } else if let Some(entry) = by_entry(rendering, path, Reach::Around) {
            adopt(finding, entry);
        }
    }
}

/// How closely an entry has to have written at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The very value.
    Exact,
    /// Or a list that it is in.
    Around,
}

/// The last entry of the catalogue that wrote at a path of the job template or of a dependency, and where in the entry.
/// A topology key that an entry brings is a default: the field of the run is the way out.
fn by_entry<'r>(rendering: &'r Rendering<'_>, path: &FieldPath, reach: Reach) -> Option<(&'r Layer, FieldPath)> {
    let looked_for = in_workflow(path);
    let exact = |found: &FieldPath| {
        let patched = found.0.first() == Some(&Segment::Key("jobTemplatePatch".into()));
        patched || found.0.last() == looked_for.0.last()
    };
    if looked_for.0.starts_with(&FieldPath::parse("spec.orchestration").0) {
        return None;
    }
    let base = FieldPath::root();
    rendering.entries.iter().rev().find_map(|entry| {
        let found = cause(&entry.spec, &base, &looked_for)?;
        (reach == Reach::Around || exact(&found)).then(|| (entry, entry.base_path.join(&found)))
    })
}

/// Names the entry that a finding is about.
fn adopt(finding: &mut Diagnostic, (entry, path): (&Layer, FieldPath)) {
    *finding = entry.adopt(finding.clone()).with_path(path);
}

/// The field of the last override of the run that set the value at a path; `None` when no override did.
pub(super) fn brought(rendering: &Rendering<'_>, path: &FieldPath) -> Option<FieldPath> {
    let looked_for = in_workflow(path);
    let matched = rendering.overrides.iter().rev().filter(|o| o.matched);
    let mut indices = matched.filter_map(|o| match o.origin {
        Origin::Override { index } => Some(index),
        _ => None,
    });
    indices.find_map(|index| {
        let base = FieldPath::parse("spec.overrides").index(index);
        cause(rendering.run.spec.overrides.get(index)?, &base, &looked_for)
    })
}

/// Where the Workflow keeps what people know as a field of the run.
fn in_workflow(path: &FieldPath) -> FieldPath {
    let labels = FieldPath::parse("spec.workloadMetadata");
    if *path == FieldPath::parse(SIZE) {
        return trainer().key("numNodes");
    }
    match path.0.strip_prefix(labels.0.as_slice()) {
        Some(rest) => FieldPath::parse("spec.jobTemplate.spec.workloadMetadata").join(&FieldPath(rest.to_vec())),
        None => path.clone(),
    }
}

/// The innermost named element of a list on a path.
fn element_of(path: &FieldPath) -> Option<FieldPath> {
    let last = path.0.iter().rposition(|segment| matches!(segment, Segment::Named(_)))?;
    Some(FieldPath(path.0.get(..=last)?.to_vec()))
}

fn trainer() -> FieldPath {
    FieldPath::parse(TRAIN_JOB).key("trainer")
}

/// The field of an override that set the value at a path of the Workflow; `None` when it did not.
fn cause(spec: &OverrideSpec, base: &FieldPath, path: &FieldPath) -> Option<FieldPath> {
    let [Segment::Key(top), Segment::Key(part), rest @ ..] = path.0.as_slice() else { return None };
    match &**part {
        _ if &**top != "spec" => None,
        "jobTemplate" => operation(spec, &base.key("jobTemplatePatch"), rest)
            .or_else(|| leads(spec.job_template.as_ref()?, rest, base.key("jobTemplate"))),
        "dependencies" => {
            let (Segment::Named(name), rest) = rest.split_first()? else { return None };
            let named = |object: &Value| {
                let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                format!("{}/{}", text("/kind"), text("/metadata/name")) == **name
            };
            let mut found = spec.dependencies.iter().enumerate().filter(|(_, object)| named(object));
            found.find_map(|(at, object)| leads(object, rest, base.key("dependencies").index(at)))
        }
        "orchestration" => {
            let own = serde_json::to_value(spec.orchestration.as_ref()?).ok()?;
            leads(&own, rest, base.key("orchestration"))
        }
        _ => None,
    }
}

/// Follows a path into a patch as far as it goes. A mapping that does not go on is not the cause, a list or scalar
/// that stands in the way is.
fn leads(patch: &Value, path: &[Segment], base: FieldPath) -> Option<FieldPath> {
    let Some((first, rest)) = path.split_first() else { return Some(base) };
    let next = match (first, patch) {
        (Segment::Key(key), Value::Object(map)) => map.get(&**key).map(Some)?,
        (Segment::Index(at), Value::Array(list)) => list.get(*at),
        (Segment::Named(name), Value::Array(list)) => {
            Some(list.iter().find(|e| e.get("name").and_then(Value::as_str) == Some(name))?)
        }
        _ => None,
    };
    match next {
        Some(next) => leads(next, rest, base.with(first.clone())),
        None => Some(base),
    }
}

/// The last operation of a JSON patch that wrote at a path of the job template, above it or below it.
fn operation(spec: &OverrideSpec, base: &FieldPath, path: &[Segment]) -> Option<FieldPath> {
    let operations = spec.job_template_patch.as_ref()?.as_array()?;
    let writes = |operation: &Value| {
        let pointer = operation.get("path").and_then(Value::as_str).unwrap_or_default();
        let tests = operation.get("op").is_some_and(|op| op == "test");
        let mut steps = pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).zip(path);
        !tests
            && steps.all(|(token, segment)| match segment {
                Segment::Key(key) => token == **key,
                Segment::Index(at) => token == "-" || token.parse() == Ok(*at),
                Segment::Named(_) | Segment::Keyed(..) => true,
            })
    };
    operations.iter().rposition(writes).map(|at| base.index(at))
}

/// The field of the run from which a value of the Workflow is made.
fn own_field(rendering: &Rendering<'_>, path: &FieldPath) -> Option<FieldPath> {
    if let (true, Some(Segment::Key(last))) =
        (path.0.iter().any(|s| *s == Segment::Key("mlPolicy".into())), path.0.last())
    {
        return (&**last == "numNodes").then(|| SIZE.into());
    }
    let job = FieldPath::parse("spec.jobTemplate.spec");
    if let Some([Segment::Key(field), rest @ ..]) = path.0.strip_prefix(job.0.as_slice()) {
        match &**field {
            "checkpoint" => return Some("spec.checkpoint".into()),
            "goodputMeasurement" | "bandwidthMeasurement" => {
                return Some(FieldPath::parse("spec").key(field).join(&FieldPath(rest.to_vec())));
            }
            _ => {}
        }
    }
    if let Some(field) = pod_field(rendering, path) {
        return Some(field);
    }
    let rest = path.0.strip_prefix(trainer().0.as_slice())?;
    let Some(Segment::Key(field)) = rest.first() else { return None };
    let spec = &rendering.run.spec;
    let framework = match (&spec.framework.torch, &spec.framework.mpi) {
        (Some(_), _) => "spec.framework.torch.args",
        (None, Some(_)) => "spec.framework.mpi.args",
        (None, None) if &**field == "command" => "spec.framework.exec.command",
        (None, None) => "spec.framework.exec.args",
    };
    let words = |job: &TrainJobSpec| job.trainer.as_ref().map_or(0, |t| t.args.len());
    match &**field {
        "numNodes" => Some(SIZE.into()),
        "image" => Some("spec.image".into()),
        "numProcPerNode" => Some("spec.gpusPerNode".into()),
        "env" => Some("spec.env".into()),
        // Every variable is forwarded by two words.
        "args" if spec.framework.mpi.is_some() && rest.len() == 1 => {
            let words = rendering.workflow.spec.job_template.spec.workload.train_job.as_ref().map_or(0, words);
            Some(if spec.env.len() * 4 > words { "spec.env" } else { framework }.into())
        }
        "args" | "command" => Some(framework.into()),
        _ => None,
    }
}

/// The field of the run that a part of a pod was made from: elements of the run's lists keep their names.
fn pod_field(rendering: &Rendering<'_>, path: &FieldPath) -> Option<FieldPath> {
    const POD: [&str; 4] = ["template", "spec", "template", "spec"];
    let keys: Vec<&str> = path.0.iter().map(|s| if let Segment::Key(key) = s { &**key } else { "" }).collect();
    let jobs = keys.iter().position(|key| *key == "replicatedJobs")?;
    let rest = path.0.get(jobs + 2..)?.get(POD.len()..)?;
    if keys.get(jobs + 2..).is_none_or(|keys| !keys.starts_with(&POD)) {
        return None;
    }
    let spec = &rendering.run.spec;
    let run = FieldPath::parse("spec");
    let named = |list: &[Value], field: &str, segment: &Segment, rest: &[Segment]| {
        let Segment::Named(name) = segment else { return None };
        let at = list.iter().rposition(|item| item.get("name").and_then(Value::as_str) == Some(name))?;
        Some(run.key(field).index(at).join(&FieldPath(rest.to_vec())))
    };
    let env = || spec.env.iter().map(|v| json!({ "name": v.name })).collect::<Vec<_>>();
    let secrets = || spec.image_pull_secrets.iter().map(|s| json!({ "name": s.name })).collect::<Vec<_>>();
    let [Segment::Key(part), rest @ ..] = rest else { return None };
    match (&**part, rest) {
        ("volumes", [volume, rest @ ..]) => named(&spec.volumes, "volumes", volume, rest),
        ("initContainers", [container, rest @ ..]) => named(&spec.init_containers, "initContainers", container, rest),
        ("imagePullSecrets", [secret, rest @ ..]) => named(&secrets(), "imagePullSecrets", secret, rest),
        ("containers", [Segment::Named(node), Segment::Key(field), rest @ ..]) if &**node == WORKER => {
            match (&**field, rest) {
                ("image", []) => Some(run.key("image")),
                ("volumeMounts", [mount, rest @ ..]) => named(&spec.volume_mounts, "volumeMounts", mount, rest),
                ("env", [variable, rest @ ..]) => named(&env(), "env", variable, rest),
                ("resources", [Segment::Key(side), Segment::Key(name)]) => {
                    let own = spec.resources.as_ref().and_then(|r| r.get(&**side)?.get(&**name));
                    let gpus = &**name == GPU_RESOURCE && spec.gpus_per_node.is_some();
                    match own {
                        Some(_) => Some(run.key("resources").key(side).key(name)),
                        None => gpus.then(|| run.key("gpusPerNode")),
                    }
                }
                _ => None,
            }
        }
        _ => None,
    }
}
