//! What renders, and is likely not what is wanted (00 D1, D33, D52).

use super::{Engine, Rendering, blame};
use crate::api::PATCH_MANAGER;
use crate::catalogue::{EntryRef, Input};
use crate::check::GoDuration;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::jobs::{ClaimUse, claim_use};
use crate::overrides::{self, Layer};
use crate::trace::Origin;
use crate::workflow::{LAUNCHER_LIMIT, claim_name};

/// What a template leaves out (02 §12).
pub(super) fn unresolved(layers: &[Layer]) -> Option<Diagnostic> {
    let lost = layers.iter().filter(|l| l.is_entry() && !(l.spec.pre_command.is_empty() && l.spec.mpi_args.is_empty()));
    let lost = lost.count();
    (lost > 0).then(|| {
        let entries = if lost == 1 { "1 catalogue entry".to_owned() } else { format!("{lost} catalogue entries") };
        let message = format!(
            "no platform is given, so this is a template: its overrides are conditional, and the mpirun arguments and lines before the command of {entries} are not in it"
        );
        Diagnostic::new(Code::Unresolved, message).with_help("give --platform and --gpu-arch, or --nodes, to see what runs")
    })
}

/// Entries that matched.
pub(super) fn matched<'e>(engine: &'e Engine, rendering: &'e Rendering<'_>) -> Vec<EntryRef<'e>> {
    let applied = rendering.overrides.iter().filter(|o| matches!(o.origin, Origin::Entry { .. }));
    let entries = engine.catalogue().entries(&rendering.facts.edition, rendering.facts.framework);
    entries.zip(applied).filter(|(_, outcome)| outcome.matched).map(|(entry, _)| entry).collect()
}

/// Warnings that need the entries that matched.
pub(super) fn of_resolved(engine: &Engine, rendering: &Rendering<'_>, entries: &[EntryRef<'_>]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let facts = &rendering.facts;
    let advice = engine.catalogue().advice(&facts.edition, &facts.platform, &facts.architecture);
    out.extend(advice.map(|a| a.diagnostic()));

    let uses = |input: Input| entries.iter().any(|e| e.entry.uses(input));
    let spec = &rendering.run.spec;
    let on = format!("on platform {} with GPU {}", facts.platform, facts.architecture);
    if spec.nic_resource_name.as_deref().is_some_and(|n| !n.is_empty()) && !uses(Input::NicResource) {
        let message = format!("no catalogue entry {on} requests NICs by name, so nicResourceName has no effect");
        out.push(
            Diagnostic::at(Code::NoEffect, "spec.nicResourceName", message)
                .with_help("request the resource in spec.resources, or in an override of the runtime"),
        );
    }
    if spec.mlnx_per_node.is_some() && !uses(Input::Nics) {
        let message = format!("no catalogue entry {on} requests NICs, so mlnxPerNode has no effect");
        out.push(
            Diagnostic::at(Code::NoEffect, "spec.mlnxPerNode", message)
                .with_help("request the NICs in spec.resources, or in an override of the runtime"),
        );
    }
    out
}

/// Warnings that need the result and no entry.
pub(super) fn of_run(rendering: &Rendering<'_>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    out.extend(checkpoint_not_mounted(rendering));
    out.extend(launcher_limit(rendering));
    let train_job = rendering.workflow.spec.job_template.spec.workload.train_job.as_ref();
    let foreign = train_job.into_iter().flat_map(|t| &t.runtime_patches).filter(|p| p.manager == PATCH_MANAGER);
    if foreign.clone().any(|p| p.time.is_some()) {
        let message = format!("the runtime patch of manager {PATCH_MANAGER} carries a time, which is left out");
        out.push(Diagnostic::at(Code::NoEffect, "spec.overrides", message).with_help("remove the time"));
    }
    out
}

/// A limit per job that the launcher's own comes before (00 D45): that of the result, as long as its command still has
/// the launcher's limit.
fn launcher_limit(rendering: &Rendering<'_>) -> Option<Diagnostic> {
    rendering.run.spec.framework.mpi.as_ref()?;
    let spec = &rendering.workflow.spec;
    let own = GoDuration::hours(1);
    let limit = spec.orchestration.execution.timeout_per_job.filter(|limit| *limit > own)?;
    let by_run = || {
        let text = &rendering.run.spec.orchestration.as_ref()?.timeout_per_job;
        GoDuration::parse(text)
            .filter(|own| *own == limit)
            .map(|_| FieldPath::parse("spec.orchestration.timeoutPerJob"))
    };
    // The limit that every run has is nothing that anybody asked for.
    let in_result = FieldPath::parse("spec.orchestration.execution.timeoutPerJob");
    let path = blame::brought(rendering, &in_result).or_else(by_run)?;
    let trainer = spec.job_template.spec.workload.train_job.as_ref()?.trainer.as_ref()?;
    let unwrapped = overrides::unwrap_command(&trainer.command, &trainer.args).map(|wrapped| wrapped.words);
    let words = unwrapped.as_ref().unwrap_or(&trainer.command);
    if !words.starts_with(&LAUNCHER_LIMIT.map(str::to_owned)) {
        return None;
    }
    let words = LAUNCHER_LIMIT.join(" ");
    let message = format!("the launcher's own `{words}` ends an MPI job after {own}, before the {limit} given here");
    Some(
        Diagnostic::at(Code::LauncherLimit, path, message)
            .with_help("make the run shorter than an hour, or replace the trainer's command in an override"),
    )
}

/// The claim of the checkpoint, when no pod sees it (00 D52).
fn checkpoint_not_mounted(rendering: &Rendering<'_>) -> Option<Diagnostic> {
    rendering.run.spec.checkpoint.as_ref()?;
    let spec = &rendering.workflow.spec;
    let claim = spec.job_template.spec.checkpoint.as_ref()?.pvc_name.as_str();
    let own = claim_name(&rendering.run.metadata.name);
    let what = match claim == own {
        true => format!("the claim {claim} is made"),
        false => format!("checkpoints are kept in the claim {claim}, which an override names"),
    };
    let (how, help) = match claim_use(spec.job_template.spec.workload.train_job.as_ref(), &spec.dependencies, claim) {
        ClaimUse::Mounted => return None,
        ClaimUse::Nowhere => (
            "no pod of the run mounts it".to_owned(),
            format!("add a volume with persistentVolumeClaim.claimName {claim} to spec.volumes, and a mount"),
        ),
        ClaimUse::NotMounted(volume) => (
            format!("no container mounts its volume {volume}"),
            format!("add a mount of {volume} to spec.volumeMounts"),
        ),
    };
    let finding = Diagnostic::at(Code::CheckpointNotMounted, "spec.checkpoint", format!("{what}, and {how}"));
    Some(finding.with_help(help))
}
