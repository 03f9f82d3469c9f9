//! Which nodes a run is rendered for, and with which overrides: those of the target that is left after overrides
//! (00 D76).

use super::facts::discover_options;
use super::{Engine, Facts, Options, layers};
use crate::api::{TargetSpec, WorkloadRun};
use crate::diagnostic::{Diagnostic, FieldPath, Severity};
use crate::fleet::{self, Fleet, Inventory, UNKNOWN_ARCHITECTURE};
use crate::overrides::{self, Layer, Match};
use crate::trace::{Origin, Recorder};

/// Nodes, what they tell, and the overrides that match there.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// The nodes; `None` without an inventory.
    pub fleet: Option<Fleet>,
    /// What was resolved.
    pub facts: Facts,
    /// The effective list.
    pub layers: Vec<Layer>,
    /// What became of each; empty for a template.
    pub matches: Vec<Match>,
}

impl Engine {
    /// Chooses the nodes, resolves what they tell, and matches the overrides. The size of the run may follow the number
    /// of nodes (06 §5.5).
    ///
    /// Overrides are matched once, on the nodes of the run's own target (04 §3). When one of them sets another target,
    /// everything that comes from nodes is taken from that one's.
    pub(super) fn choose<R: Recorder>(
        &self,
        run: &mut WorkloadRun,
        edition: String,
        inventory: Option<&Inventory>,
        options: &Options,
        recorder: &mut R,
        found: &mut Vec<Diagnostic>,
    ) -> Chosen {
        let asked = run.spec.num_nodes;
        let mut told = Vec::new();
        let mut fleet = inventory.map(|inventory| self.discover(run, inventory, options, &mut told));
        let declared = inventory.is_none().then(|| self.declared(run, options, &mut told));
        let mut facts = self.facts(run, edition, inventory.zip(fleet.as_ref()), declared, &mut told);
        let context = layers::context(run, &facts);
        let mut layers = self.layers(run, &facts, &context);
        let matches = match facts.resolved {
            true => overrides::match_layers(&layers, &context, found),
            false => Vec::new(),
        };
        let again = inventory.zip(fleet.as_ref()).and_then(|(inventory, own)| {
            let (target, name, path) = target_of(&layers, &matches)?;
            let changed = run.spec.target.as_ref() != Some(target);
            let options = discover_options(options);
            changed.then(|| own.discover_again(inventory, target, &self.catalogue, &options, &name, &path))
        });
        if let (Some((again, more)), Some(inventory)) = (again, inventory) {
            // What is worth knowing of the nodes of another target is not worth knowing here.
            told.retain(|d| d.severity == Severity::Error);
            told.extend(more);
            let same = again.platform == facts.platform && again.architecture == facts.architecture;
            if same && !again.nodes.is_empty() {
                run.spec.num_nodes = asked;
                told.extend(super::adjust_size(run, &options.flags, again.nodes.len()));
                facts = self.facts(run, facts.edition, Some((inventory, &again)), None, &mut told);
                layers = self.layers(run, &facts, &context);
            }
            fleet = Some(again);
        }
        found.extend(told);
        if inventory.is_some_and(fleet::is_synthetic) && facts.architecture == UNKNOWN_ARCHITECTURE {
            found.push(self.no_architecture(&facts.platform, options));
        }
        if R::ON {
            self.record(run, &facts, (options, inventory.is_some_and(|i| !fleet::is_synthetic(i))), recorder);
        }
        Chosen { fleet, facts, layers, matches }
    }
}

/// The target that the last matching override sets, with the override's name and field.
fn target_of<'a>(layers: &'a [Layer], matches: &[Match]) -> Option<(&'a TargetSpec, String, FieldPath)> {
    let matched = layers.iter().zip(matches).rev().filter(|(_, m)| m.holds());
    let mut targets =
        matched.filter_map(|(layer, _)| Some((layer, layer.spec.orchestration.as_ref()?.target.as_ref()?)));
    let (layer, target) = targets.next()?;
    Some(match &layer.origin {
        Origin::Entry { id, name } => (target, format!("catalogue entry {id} {name}"), "spec.target".into()),
        _ => (target, layer.base_path.to_string(), layer.base_path.key("orchestration").key("target")),
    })
}
