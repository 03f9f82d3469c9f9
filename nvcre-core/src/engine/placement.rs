//! Placement and topology that exclude or do not need each other, on the result: an override may bring or remove them
//! (02 §7.6, 01 §5.4).

use crate::api::*;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::workflow::gang;

const PLACEMENT: &str = "spec.orchestration.placement";
const TEST_SCALE: &str = "spec.orchestration.testScale";
const STRICT: &str = "spec.orchestration.topology.strictDomain";

/// Findings about the placement of a Workflow. `asked` says that a person wrote the topology key: one of a platform is
/// nobody's mistake where it is not needed.
pub(super) fn findings(spec: &WorkflowSpec, run: &WorkloadRun, asked: bool) -> Vec<Diagnostic> {
    let orchestration = &spec.orchestration;
    let own = run.spec.orchestration.clone().unwrap_or_default();
    let strict = orchestration.topology.as_ref().is_some_and(|t| t.strict_domain == Some(true));
    let mut out = Vec::new();
    if orchestration.placement != "Unpinned" {
        if strict && own.test_scale == "intra-node" {
            let message = "orchestration.testScale intra-node makes groups of one node each; orchestration.topology.strictDomain makes one group of every domain";
            out.push(
                Diagnostic::at(Code::PlacementConflict, STRICT, message)
                    .with_related(TEST_SCALE, "intra-node is asked for here")
                    .with_help("remove one of the two fields"),
            );
        }
        return out;
    }
    let conflict = |path: &str, message: &str, help: &'static str| {
        Diagnostic::at(Code::PlacementConflict, path, message)
            .with_related(PLACEMENT, "Unpinned is asked for here")
            .with_help(help)
    };
    if orchestration.diagnose.is_some() {
        let message = "orchestration.diagnose splits the nodes into groups; orchestration.placement Unpinned makes exactly one job";
        out.push(conflict("spec.orchestration.diagnose", message, "remove one of the two"));
    }
    let named = own.topology.as_ref().and_then(|t| t.strict_domain) == Some(true);
    let racks = own.test_scale == "intra-rack" && !named;
    if strict && racks && own.placement == "Unpinned" {
        // The run itself is at fault, and that was said of it.
    } else if strict {
        let message = "orchestration.topology.strictDomain makes one job per domain; orchestration.placement Unpinned makes exactly one job";
        let help = "to keep one job inside one domain, name its label in spec.target.matchExpressions";
        out.push(conflict(STRICT, message, help));
    } else if let Some(key) = orchestration.topology.as_ref().and_then(|t| t.topology_key.as_deref())
        && asked
        && !key.is_empty()
    {
        let message =
            "topologyKey only drives the partition into groups; under Unpinned there is none, so it does nothing";
        out.push(
            Diagnostic::at(Code::TopologyUnused, "spec.orchestration.topology.topologyKey", message).with_help(
                "to keep the job inside one domain, name the domain's label in spec.target.matchExpressions",
            ),
        );
    }
    let trainer = spec.job_template.spec.workload.train_job.as_ref().and_then(|t| t.trainer.as_ref());
    let size = trainer.and_then(|t| t.num_nodes).unwrap_or(0);
    if size > 1 && gang::resolve(spec.gang_scheduler.as_ref()).is_none() {
        let message = format!(
            "the scheduler places the {size} pods of this Unpinned run one by one; on a busy cluster some bind and hold GPUs while the rest wait for ever"
        );
        out.push(
            Diagnostic::at(Code::UnpinnedWithoutGang, PLACEMENT, message)
                .with_help("set spec.gangScheduler, so that the job is placed whole or not at all"),
        );
    }
    out
}

/// Of a template, whose overrides are still conditional: what one of them may change is not said.
pub(super) fn findings_of_template(spec: &WorkflowSpec, run: &WorkloadRun) -> Vec<Diagnostic> {
    let changed = |of: fn(&OrchestrationOverride) -> bool| {
        run.spec.overrides.iter().filter_map(|o| o.orchestration.as_ref()).any(of)
    };
    let topology = FieldPath::parse("spec.orchestration.topology");
    let mut out = match changed(|o| o.placement.is_some()) {
        true => Vec::new(),
        false => findings(spec, run, true),
    };
    if changed(|o| o.topology.is_some()) {
        out.retain(|d| d.path.as_ref().is_none_or(|path| !path.0.starts_with(&topology.0)));
    }
    out
}
