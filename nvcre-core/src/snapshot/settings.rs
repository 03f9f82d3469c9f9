//! `snapshots.yaml` in the root: what holds for all scenarios below it.

use super::layout::{Listed, Listing, join};
use super::scenario::read_file;
use crate::diagnostic::{self, Code, Diagnostic, FieldPath};
use crate::schema;
use crate::yaml::Read;
use serde::{Deserialize, Serialize};

/// `snapshots.yaml`, as it is written. Every field may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SnapshotSettings {
    /// Folder of all snapshots, relative to the root; when absent each one is in `snapshot/` in its scenario's folder.
    pub snapshots: Option<String>,
    /// Folders below the root that hold no scenarios.
    pub ignore: Vec<String>,
}

/// Reads `snapshots.yaml`; `bytes` is `None` when there is no such file. Ignored folders must be there.
pub fn read_settings(bytes: Option<&[u8]>, listing: &Listing) -> Read<SnapshotSettings> {
    let Read { value: (value, source), mut diagnostics } =
        read_file::<SnapshotSettings>(bytes, super::SETTINGS, "SnapshotSettings");
    let mut found = Vec::new();
    if value.snapshots.as_deref().is_some_and(|path| path.is_empty() || path.starts_with('/')) {
        found.push(
            Diagnostic::at(Code::ScenarioValue, "snapshots", "this is no path relative to the folder of scenarios")
                .with_help("write a path such as ../snapshots, so that every machine finds it"),
        );
    }
    for (index, folder) in value.ignore.iter().enumerate() {
        let folder = join("", folder);
        if matches!(listing.0.get(&folder), None | Some(Listed::File)) {
            let message = format!("the folder `{folder}` is to be ignored, and is not there");
            found.push(
                Diagnostic::at(Code::ScenarioValue, FieldPath::parse("ignore").index(index), message)
                    .with_help("take it out of the list, or write its path relative to this file"),
            );
        }
    }
    if let Some(source) = &source {
        source.locate(&mut found);
    }
    diagnostics.extend(schema::without_repeats(&diagnostics, found));
    diagnostic::sort(&mut diagnostics);
    Read { value, diagnostics }
}
