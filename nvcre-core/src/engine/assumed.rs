//! Nodes that nobody has yet.

use super::{Engine, Options, RunInput};
use crate::diagnostic::{Code, Diagnostic, has_errors};
use crate::fleet::{Inventory, SyntheticFit, synthetic_inventory_for};
use crate::yaml::Read;

impl Engine {
    /// `count` made-up nodes of the platform and architecture that the caller declares or the run names (00 D62): nodes
    /// that the run's own target takes, in one topology domain. No platform is guessed: without one there are no nodes,
    /// and a finding says so.
    pub fn assume_nodes(&self, input: &RunInput, options: &Options, count: u32) -> Read<Inventory> {
        let mut diagnostics = Vec::new();
        let mut run = input.run.clone();
        // What is wrong with flags is told when the run is rendered.
        super::apply_flags(&mut run, &options.flags);
        let (platform, architecture) = self.declared(&mut run, options, &mut diagnostics);
        let gpus = run.spec.gpus_per_node;
        let count = if platform.is_empty() { 0 } else { count };
        let wrong_flag = has_errors(&diagnostics);
        diagnostics.retain(|d| d.code == Code::NoArchitecture);
        if platform.is_empty() && !wrong_flag {
            let message = "nodes are to be assumed, and no platform says of which kind";
            diagnostics.push(
                Diagnostic::new(Code::FlagConflict, message)
                    .with_help("name it with --platform, and the GPU with --gpu-arch"),
            );
        }
        let topology = crate::workflow::orchestration(&run.spec).topology.and_then(|t| t.topology_key);
        let fit = SyntheticFit {
            target: run.spec.target.unwrap_or_default(),
            domains: topology.into_iter().filter(|key| !key.is_empty()).collect(),
        };
        let value = synthetic_inventory_for(&self.catalogue, &platform, &architecture, count, gpus, &fit);
        Read { value, diagnostics }
    }
}
