//! What a catalogue does not know about a platform with a GPU.

use super::model::Mark;
use crate::api::WhenSpec;
use crate::catalogue::{Catalogue, Framework};
use crate::engine::holds;
use crate::fleet::UNKNOWN_ARCHITECTURE;

/// What an edition of a catalogue does not know about a combination.
pub(super) fn marks(catalogue: &Catalogue, edition: &str, platform: &str, architecture: &str) -> Vec<Mark> {
    let mut out = Vec::new();
    if catalogue.architecture(architecture).is_none() {
        out.push(Mark::GpuUnknown);
    } else if !knows_pair(catalogue, edition, platform, architecture) {
        out.push(Mark::PairUnknown);
    }
    if is_generic(catalogue, platform) {
        out.push(Mark::PlatformGeneric);
    }
    out
}

/// True when something of the catalogue speaks of platform and GPU together.
fn knows_pair(catalogue: &Catalogue, edition: &str, platform: &str, architecture: &str) -> bool {
    let both = |when: &WhenSpec| {
        holds(when, platform, architecture)
            && !holds(when, platform, UNKNOWN_ARCHITECTURE)
            && !holds(when, "", architecture)
    };
    let entry = |framework| catalogue.entries(edition, framework).any(|entry| both(entry.when()));
    let board = catalogue.hardware_exceptions.iter().any(|e| e.platform == platform && e.architecture == architecture);
    let advice = |architecture| catalogue.advice(edition, platform, architecture).count();
    board
        || entry(Framework::Mpi)
        || entry(Framework::Torch)
        || catalogue.nic_rule(platform, architecture).is_some()
        || advice(architecture) > advice(UNKNOWN_ARCHITECTURE)
}

/// True for the platform that a node is taken for when nothing about it tells another one (03 §2).
fn is_generic(catalogue: &Catalogue, platform: &str) -> bool {
    catalogue.detection.iter().any(|rule| {
        rule.platform == platform && !rule.no_provider_id && rule.provider_id_prefix.is_empty() && rule.label.is_empty()
    })
}
