//! Lints and accepted findings at the two ends of the road.

use super::accept::Acceptance;
use super::{Delivery, Engine, Rendering, blame};
use crate::catalogue::EntryRef;
use crate::diagnostic::{Code, Diagnostic, FieldPath, Severity};
use crate::jobs::Prepared;
use crate::lint::{self, Input, Placed};

fn placed<'a>(rendering: &'a Rendering<'_>) -> Option<Placed<'a>> {
    let (inventory, fleet) = rendering.inventory.zip(rendering.fleet.as_ref())?;
    let mnnvl = rendering.facts.sizes.enable_mnnvl;
    Some(Placed { run: &rendering.run, spec: &rendering.workflow.spec, mnnvl, inventory, fleet })
}

/// Lints of a rendering; nothing about a field that has an error, or that one above or below it has.
pub(super) fn of_rendering(
    engine: &Engine,
    rendering: &Rendering<'_>,
    entries: &[EntryRef<'_>],
    found: &[&[Diagnostic]],
) -> Vec<Diagnostic> {
    let facts = &rendering.facts;
    let mut out = lint::of_rendering(&Input {
        run: &rendering.run,
        spec: &rendering.workflow.spec,
        catalogue: engine.catalogue(),
        edition: &facts.edition,
        platform: &facts.platform,
        architecture: &facts.architecture,
        framework: facts.framework,
        sizes: facts.sizes,
        entries,
        inputs: &facts.inputs(&rendering.run),
    });
    // With an error it is open where pods go; a topology key without effect has a finding with the same way out.
    let open = |d: &Diagnostic| d.severity == Severity::Error || d.code == Code::TopologyUnused;
    if let Some(placed) = placed(rendering).filter(|_| !found.iter().copied().flatten().any(open)) {
        lint::of_nodes(&placed, &mut out);
    }
    blame::lead_back(rendering, &mut out);
    let errors = found.iter().copied().flatten().filter(|d| d.severity == Severity::Error);
    let wrong: Vec<&FieldPath> = errors.filter_map(|d| d.path.as_ref()).filter(|path| !path.0.is_empty()).collect();
    let sound = |d: &Diagnostic| {
        let path = d.path.as_ref();
        !path.is_some_and(|p| wrong.iter().any(|w| p.0.starts_with(&w.0) || w.0.starts_with(&p.0)))
    };
    out.retain(sound);
    out
}

/// Lints of groups, and what is accepted in vain.
pub(super) fn of_jobs(
    rendering: &Rendering<'_>,
    delivery: Delivery,
    prepared: Option<&Prepared<'_>>,
    out: &mut Vec<Diagnostic>,
) {
    let (Some(prepared), Some(placed)) = (prepared, placed(rendering)) else { return };
    let mut found = Vec::new();
    lint::of_groups(&placed, prepared.groups(), prepared.iterations(), &mut found);
    blame::lead_back(rendering, &mut found);
    out.extend(found);
    let acceptance = Acceptance::of(&rendering.run);
    let idle = acceptance.unused(rendering, Some(delivery), &[&rendering.diagnostics, out]);
    out.extend(idle);
}
