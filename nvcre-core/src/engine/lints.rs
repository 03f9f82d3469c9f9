//! Lints at the two ends of the road: of a rendering, and of its groups.

use super::{Engine, Rendering, blame};
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

/// Lints of groups.
pub(super) fn of_groups(rendering: &Rendering<'_>, prepared: &Prepared<'_>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if let Some(placed) = placed(rendering) {
        lint::of_groups(&placed, prepared.groups(), prepared.iterations(), &mut out);
    }
    blame::lead_back(rendering, &mut out);
    out
}
