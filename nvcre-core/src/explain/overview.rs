//! The run on one screen.

use super::Explainer;
use super::model::{Later, Overview, Resolved, Sight, ValueAnswer, Variable};

/// Resolved values, in the order of the screen.
pub(super) const VALUES: [&str; 7] =
    ["platform", "gpuArchitecture", "nodesPerJob", "gpusPerNode", "mlnxPerNode", "nicResourceName", "enableMNNVL"];

impl Explainer<'_> {
    /// Everything at a glance.
    pub fn overview(&self) -> Overview {
        Overview {
            edition: self.rendering.facts.edition.clone(),
            resolved: self.rendering.facts.resolved,
            values: VALUES.iter().filter_map(|name| self.resolved_value(name)).collect(),
            overrides: self.override_lines(),
            command: self.command_parts(),
            pre_command: self.pre_command_parts(),
            environment: self.environment(),
            groups: self.groups_line(),
        }
    }

    /// Variables that the workload's processes and containers see, in the order of the manifests.
    pub fn environment(&self) -> Vec<Variable> {
        self.names_of_variables().iter().filter_map(|name| self.variable_line(name)).collect()
    }

    fn resolved_value(&self, name: &str) -> Option<Resolved> {
        let chain = self.value_chain(name);
        let value = chain.last()?.value.clone()?;
        Some(Resolved { name: name.to_owned(), value, chain })
    }

    /// A resolved value as an answer.
    pub(super) fn resolved(&self, name: &str) -> Option<ValueAnswer> {
        let Resolved { value, chain, .. } = self.resolved_value(name)?;
        let seen = vec![Sight { at: "output".into(), value: Some(value), later: Later::Nothing, chain }];
        Some(ValueAnswer { subject: format!("value/{name}"), seen, ..ValueAnswer::default() })
    }
}
