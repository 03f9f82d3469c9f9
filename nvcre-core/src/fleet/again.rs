//! Discovery with the target that an override sets (00 D76).

use super::{DiscoverOptions, Fleet, Inventory};
use crate::api::TargetSpec;
use crate::catalogue::Catalogue;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

impl Fleet {
    /// Discovers again with the target that an override sets (00 D76). `origin` names the override: `spec.overrides[2]`
    /// or an entry of the catalogue; `path` is its `orchestration.target`.
    ///
    /// Another platform or architecture than before is an error that names the override: the Workflow was built for
    /// the former.
    pub fn discover_again(
        &self,
        inventory: &Inventory,
        target: &TargetSpec,
        catalogue: &Catalogue,
        options: &DiscoverOptions<'_>,
        origin: &str,
        path: &FieldPath,
    ) -> (Self, Vec<Diagnostic>) {
        let options = DiscoverOptions { target_path: Some(path), ..*options };
        let (fleet, mut found) = Self::discover(inventory, Some(target), catalogue, &options);
        if fleet.nodes.is_empty() {
            return (fleet, found);
        }
        let pairs = [
            ("platform", &self.platform, &fleet.platform),
            ("GPU architecture", &self.architecture, &fleet.architecture),
        ];
        for (what, before, after) in pairs.into_iter().filter(|(_, before, after)| before != after) {
            let message = format!(
                "the target that {origin} sets selects nodes of {what} {after}; the nodes of the run's own target, for \
                 which it was rendered, are of {what} {before}"
            );
            found.push(Diagnostic::at(Code::OverrideChangesFleet, path, message).with_help(
                "put the target into spec.target of the run, or choose nodes of the same platform and GPU architecture",
            ));
        }
        (fleet, found)
    }
}
