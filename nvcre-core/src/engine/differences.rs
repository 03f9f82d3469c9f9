//! Where the reference engine, which renders in delivery `controller`, does something else than we do (00 D60). One
//! warning for each difference that touches the run.

use super::Rendering;
use crate::catalogue::Framework;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

/// The differences that touch a rendering.
pub(super) fn of(rendering: &Rendering<'_>) -> Vec<Diagnostic> {
    let spec = &rendering.run.spec;
    let mpi = rendering.facts.framework == Framework::Mpi;
    let mut out = Vec::new();
    let mut differs = |path: &str, message: &str| {
        out.push(
            Diagnostic::at(Code::EngineDiffers, FieldPath::parse(path), message)
                .with_help("use delivery trainer (--show manifests), which sends exactly what is shown"),
        );
    };
    if mpi {
        for (path, given) in [
            ("spec.volumes", !spec.volumes.is_empty()),
            ("spec.volumeMounts", !spec.volume_mounts.is_empty()),
            ("spec.initContainers", !spec.init_containers.is_empty()),
            ("spec.config", spec.config.is_some()),
        ] {
            if given {
                differs(
                    path,
                    "the reference engine ignores this field for MPI runs; here it takes effect on launcher and workers",
                );
            }
        }
        if !spec.image_pull_secrets.is_empty() {
            differs(
                "spec.imagePullSecrets",
                "the reference engine gives pull secrets to the workers only; here the launcher has them too",
            );
        }
    }
    for (index, own) in spec.overrides.iter().enumerate() {
        for (key, given) in [("preCommand", !own.pre_command.is_empty()), ("mpiArgs", !own.mpi_args.is_empty())] {
            if given {
                differs(
                    &format!("spec.overrides[{index}].{key}"),
                    "the reference engine drops this field of a user override without a word; here it takes effect",
                );
            }
        }
    }
    if spec.orchestration.as_ref().is_some_and(|o| o.topology.is_some()) {
        differs(
            "spec.orchestration.topology",
            "the WorkloadRun of the reference engine has no such field; here it takes effect",
        );
    }
    if spec.orchestration.as_ref().is_some_and(|o| o.test_scale == "intra-rack") {
        differs(
            "spec.orchestration.testScale",
            "the reference engine loses strictDomain where a platform brings the topology key; here racks stay apart",
        );
    }
    for (index, variable) in spec.env.iter().enumerate() {
        if spec.env.iter().skip(index + 1).any(|later| later.name == variable.name) {
            differs(
                &format!("spec.env[{index}].name"),
                "the reference engine keeps both variables of this name, and the API server refuses them; here the last one counts",
            );
        }
    }
    let expressions = spec.target.iter().flat_map(|t| t.match_expressions.iter().enumerate());
    for (index, expression) in expressions {
        if matches!(expression.operator.as_str(), "Gt" | "Lt") {
            differs(
                &format!("spec.target.matchExpressions[{index}].operator"),
                "the reference engine knows no Gt and Lt when it chooses nodes, so that no node matches; here they compare as in Kubernetes",
            );
        }
    }
    let config = spec.config.as_ref();
    if config.is_some_and(|c| c.config_map_ref.is_none() && c.inline.as_ref().is_none_or(|f| f.is_empty())) {
        differs(
            "spec.config",
            "the reference engine mounts a ConfigMap that never exists, and the pods hang; here nothing is mounted",
        );
    }
    out
}
