//! A first run to begin with: the text of a commented `WorkloadRun` (`nvcrectl workloadrun init`).
//!
//! The texts are kept true by tests: they read without a finding, they render for every platform and GPU, so does every
//! setting that is commented out, alone and with all others, and every default that a comment names is that of the schema
//! and of the renderer.

#[cfg(test)]
mod tests;

use crate::catalogue::Framework;
use crate::workflow::claim_name;
use serde_json::Value;

const COMMON: &str = include_str!("common.yaml");
const MPI: &str = include_str!("mpi.yaml");
const TORCH: &str = include_str!("torch.yaml");
const EXEC: &str = include_str!("exec.yaml");

/// File name of the schema that the first line of a run names, unless the caller says another: beside the run, as
/// `nvcrectl schema workloadrun > workloadrun.schema.json` writes it.
pub const SCHEMA_FILE: &str = "workloadrun.schema.json";

/// What a first run is called, and how it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// How the workload is started.
    pub framework: Framework,
    /// Name of the run.
    pub name: String,
    /// Image of the workload.
    pub image: String,
    /// Where editors find the schema: a path relative to the file of the run, or a URL; without blanks, which would end
    /// it.
    pub schema: String,
}

impl Default for Starter {
    fn default() -> Self {
        Self {
            framework: Framework::Mpi,
            name: "my-workload".into(),
            image: "nvcr.io/nvidia/pytorch:26.01-py3".into(),
            schema: SCHEMA_FILE.into(),
        }
    }
}

impl Starter {
    /// The text of the run. A name or image that a run cannot have is found when the text is read and checked.
    pub fn text(&self) -> String {
        let own = match self.framework {
            Framework::Mpi => MPI,
            Framework::Torch => TORCH,
            Framework::Exec => EXEC,
        };
        let mut parts = own.split("---\n");
        let mut part = || parts.next().unwrap_or_default();
        COMMON
            .replace("%FRAMEWORK%\n", part())
            .replace("%TIMEOUT%", part().trim())
            .replace("%MEASUREMENT%\n", part())
            .replace("%SCHEMA%", &self.schema)
            .replace("%CLAIM%", &scalar(&claim_name(&self.name)))
            .replace("%NAME%", &scalar(&self.name))
            .replace("%IMAGE%", &scalar(&self.image))
    }
}

/// A text as YAML on one line, whatever it holds.
fn scalar(text: &str) -> String {
    let value = Value::from(text);
    let plain = crate::yaml::to_yaml(&value);
    let plain = plain.trim_end();
    if plain.contains('\n') { value.to_string() } else { plain.to_owned() }
}
