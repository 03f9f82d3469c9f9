//! The architecture vote (03 §1.6, 00 D32, D64).

use super::names::{commas, nodes};
use super::product::UNKNOWN_ARCHITECTURE;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

/// Result of the vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vote<'a> {
    /// The architecture of most nodes; of equals the one whose first node comes first.
    pub winner: &'a str,
    /// Its nodes.
    pub votes: usize,
    /// Nodes that did not vote, since they name no architecture.
    pub abstained: usize,
}

/// Counts architectures in the order of node names; an empty text does not vote. `None` when nobody votes (03 §1.6).
pub fn vote<'a>(architectures: impl IntoIterator<Item = &'a str>) -> Option<Vote<'a>> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut abstained = 0;
    for architecture in architectures {
        if architecture.is_empty() {
            abstained += 1;
        } else if let Some((_, count)) = counts.iter_mut().find(|(name, _)| *name == architecture) {
            *count += 1;
        } else {
            counts.push((architecture, 1));
        }
    }
    let mut best: Option<(&str, usize)> = None;
    for (name, count) in counts {
        if best.is_none_or(|(_, most)| count > most) {
            best = Some((name, count));
        }
    }
    best.map(|(winner, votes)| Vote { winner, votes, abstained })
}

/// The error that more nodes name no architecture than the winner has (00 D32).
pub(crate) fn undetermined(vote: Vote<'_>, winners: &[&str], silent: &[&str], target: &FieldPath) -> Diagnostic {
    let message = format!(
        "{} of GPU architecture {} ({}) against {} without a product that names an architecture ({}): the \
         minority would decide what all of them are",
        nodes(vote.votes),
        vote.winner,
        commas(winners),
        nodes(vote.abstained),
        commas(silent),
    );
    Diagnostic::at(Code::UndeterminedArchitecture, target.clone(), message).with_help(
        "label the nodes with nvidia.com/gpu.product (GPU feature discovery does it), add their ResourceSlices to the \
         inventory, narrow the target, or name the architecture with --gpu-arch",
    )
}

/// The error that no node is of the architecture that was asked for (00 D64).
pub(crate) fn none_left(wanted: &str, found: &[(String, usize)], target: &FieldPath) -> Diagnostic {
    let found = commas(found.iter().map(|(architecture, count)| {
        let architecture = if architecture.is_empty() { UNKNOWN_ARCHITECTURE } else { architecture };
        format!("{architecture}: {}", nodes(*count))
    }));
    Diagnostic::at(
        Code::NoNodeOfArchitecture,
        target.clone(),
        format!("no node of the target is of GPU architecture {wanted}, which --gpu-arch asks for; found: {found}"),
    )
    .with_help("name one of the architectures found, or leave --gpu-arch out to take the most frequent one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn majorities_of_03_1_6() {
        let winner = |list: &[&'static str]| vote(list.iter().copied()).map(|v| (v.winner, v.votes, v.abstained));
        assert_eq!(winner(&["a100", "h100", "h100"]), Some(("h100", 2, 0)));
        assert_eq!(winner(&["h100", "a100"]), Some(("h100", 1, 0)));
        assert_eq!(winner(&["", "", "gb200"]), Some(("gb200", 1, 2)));
        assert_eq!(winner(&["", ""]), None);
        assert_eq!(winner(&[]), None);
        // 08 row 12.
        assert_eq!(winner(&["h100", "a100", "a100", "a100"]), Some(("a100", 3, 0)));
        assert_eq!(winner(&["b200", "a100", "a100", "b200"]), Some(("b200", 2, 0)));
    }
}
