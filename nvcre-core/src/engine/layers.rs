//! The effective list of overrides: platform entries in catalogue order, then those of the run (04 §3).

use super::{Engine, Facts};
use crate::api::{OverrideSpec, WorkloadRun};
use crate::overrides::{self, Context, Layer};

/// The context in which conditions are matched (04 §2.6), from the base before any override.
pub(super) fn context(run: &WorkloadRun, facts: &Facts) -> Context {
    let topology = crate::workflow::orchestration(&run.spec).topology;
    Context {
        platform: facts.platform.clone(),
        gpu_architecture: facts.architecture.clone(),
        workload_kind: "TrainJob".into(),
        topology_mode: if topology.is_some() { "topology" } else { "simple" }.into(),
        domain_count: facts.domain_count,
    }
}

impl Engine {
    /// The effective list. Entries that cannot match are not rendered, unless the result is a template.
    pub(super) fn layers(&self, run: &WorkloadRun, facts: &Facts, context: &Context) -> Vec<Layer> {
        let inputs = facts.inputs(run);
        let path = crate::FieldPath::root();
        let mut layers = Vec::with_capacity(self.catalogue.entries.len() + run.spec.overrides.len());
        let entries = self.catalogue.entries(&facts.edition, facts.framework).filter(|_| !self.plain);
        for (index, entry) in entries.enumerate() {
            let wanted = !facts.resolved || overrides::matches(entry.when(), context, &path).is_ok_and(|m| m.holds());
            let mut spec = if wanted {
                entry.render(&inputs)
            } else {
                OverrideSpec { when: entry.when().clone(), ..OverrideSpec::default() }
            };
            let substituted = overrides::substitute_env(&mut spec, &run.spec.env);
            let mut layer = Layer::entry(index, entry.entry.id.as_str(), entry.entry.name.as_str(), spec);
            layer.substituted = substituted;
            layer.parts = (!wanted).then(|| entry.parts(&inputs));
            layers.push(layer);
        }
        let first = layers.len();
        let own = run.spec.overrides.iter().enumerate();
        layers.extend(own.map(|(at, spec)| Layer::user(first + at, at, spec.clone())));
        layers
    }
}
