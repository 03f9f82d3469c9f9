//! What a catalogue knows, by platform and GPU (`nvcrectl platforms`).

use super::parse_edition_flag;
use crate::api::WhenSpec;
use crate::catalogue::{Catalogue, Entry, Framework};
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::overrides::{self, Context};
use serde::{Deserialize, Serialize};

/// Version of the form of [`Knowledge`].
pub const PLATFORMS_FORMAT: &str = "nvcre.nvidia.com/platforms/v1";

/// Every platform and GPU of a catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Knowledge {
    /// Version of this form.
    pub format: String,
    /// The edition.
    pub edition: String,
    /// Name of the edition for people.
    pub edition_title: String,
    /// One row for every platform and GPU.
    pub rows: Vec<KnowledgeRow>,
    /// Every entry of the edition.
    pub entries: Vec<KnowledgeEntry>,
}

/// One platform with one GPU.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KnowledgeRow {
    /// The platform.
    pub platform: String,
    /// The GPU architecture.
    pub gpu_architecture: String,
    /// GPUs per node.
    pub gpus_per_node: i32,
    /// Mellanox NICs per node.
    pub mlnx_per_node: i32,
    /// Multi-node NVLink is on by default.
    pub mnnvl: bool,
    /// Entries that match an MPI run.
    pub mpi_entries: Vec<String>,
    /// Entries that match a torch or exec run.
    pub other_entries: Vec<String>,
}

/// One entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KnowledgeEntry {
    /// Number.
    pub id: String,
    /// Name.
    pub name: String,
    /// What it does.
    pub title: String,
    /// Condition, as text.
    pub when: String,
    /// Paragraph that it rests on.
    pub source: String,
}

/// True when a condition of the catalogue holds for a run on a platform with a GPU.
pub(crate) fn holds(when: &WhenSpec, platform: &str, architecture: &str) -> bool {
    let context = Context {
        platform: platform.to_owned(),
        gpu_architecture: architecture.to_owned(),
        workload_kind: "TrainJob".into(),
        topology_mode: "simple".into(),
        domain_count: 0,
    };
    overrides::matches(when, &context, &FieldPath::root()).is_ok_and(|m| m.holds())
}

impl Knowledge {
    /// Everything a catalogue knows under an edition; `None` takes its default, an unknown one is a finding.
    pub fn of(catalogue: &Catalogue, edition: Option<&str>, findings: &mut Vec<Diagnostic>) -> Self {
        let name = match parse_edition_flag(edition.unwrap_or(""), catalogue) {
            Ok(name) => name.unwrap_or_else(|| catalogue.default_edition()),
            Err(finding) => {
                findings.push(*finding);
                return Self::default();
            }
        };
        let Some(edition) = catalogue.edition(name) else { return Self::default() };
        let mut rows = Vec::new();
        for platform in &catalogue.platforms {
            for architecture in &catalogue.architectures {
                let matching = |framework: Framework| -> Vec<String> {
                    let entries = catalogue.entries(&edition.name, framework);
                    let holds = |when| holds(when, &platform.name, &architecture.name);
                    entries.filter(|e| holds(e.when())).map(|e| e.entry.id.clone()).collect()
                };
                let hardware = catalogue.hardware(&architecture.name, &platform.name);
                rows.push(KnowledgeRow {
                    platform: platform.name.clone(),
                    gpu_architecture: architecture.name.clone(),
                    gpus_per_node: hardware.gpus_per_node,
                    mlnx_per_node: hardware.mlnx_per_node,
                    mnnvl: architecture.mnnvl,
                    mpi_entries: matching(Framework::Mpi),
                    other_entries: matching(Framework::Torch),
                });
            }
        }
        let exists = |entry: &Entry| {
            let of = |framework| catalogue.entries(&edition.name, framework).any(|e| e.entry.id == entry.id);
            of(Framework::Mpi) || of(Framework::Torch)
        };
        let entries = catalogue.entries.iter().filter(|e| exists(e)).map(|e| KnowledgeEntry {
            id: e.id.clone(),
            name: e.name.clone(),
            title: e.title.clone(),
            when: overrides::when_summary(e.when(&edition.name)),
            source: e.source.clone(),
        });
        Self {
            format: PLATFORMS_FORMAT.into(),
            edition: edition.name.clone(),
            edition_title: edition.title.clone(),
            rows,
            entries: entries.collect(),
        }
    }
}
