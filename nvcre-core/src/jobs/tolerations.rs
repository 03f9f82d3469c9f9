//! Taints that the pods of a run tolerate (03 §6.6; 00 D51, D75).

use crate::api::{TaintSelector, TargetSpec, Toleration};

/// Key of the taint of cordoned nodes.
pub(crate) const UNSCHEDULABLE_KEY: &str = "node.kubernetes.io/unschedulable";

fn toleration(key: &str, operator: &str, value: &str, effect: &str) -> Toleration {
    Toleration {
        key: key.to_owned(),
        operator: operator.to_owned(),
        value: value.to_owned(),
        effect: effect.to_owned(),
        toleration_seconds: None,
    }
}

/// True when the target itself asks for cordoned nodes (03 §1.5).
pub(crate) fn names_cordon(target: Option<&TargetSpec>) -> bool {
    target.is_some_and(|t| t.taint_selectors.iter().any(|s| s.key == UNSCHEDULABLE_KEY))
}

/// The tolerations of the first row of 03 §6.6 that holds, then the one of `includeUnschedulable`.
pub(crate) fn ours(target: Option<&TargetSpec>, has_launcher: bool, unpinned: bool) -> Vec<Toleration> {
    let selectors = target.map_or(&[][..], |t| t.taint_selectors.as_slice());
    let mut out = match (selectors, has_launcher, unpinned) {
        ([_, ..], _, _) => selectors.iter().map(of_selector).collect(),
        ([], false, _) => Vec::new(),
        ([], true, true) => vec![
            toleration("nvidia.com/gpu", "Equal", "present", "NoSchedule"),
            toleration("kubernetes.io/arch", "Equal", "arm64", "NoSchedule"),
        ],
        ([], true, false) => vec![toleration("", "Exists", "", "")],
    };
    if target.is_some_and(|t| t.include_unschedulable) && !out.iter().any(is_blanket) {
        out.push(toleration(UNSCHEDULABLE_KEY, "Exists", "", "NoSchedule"));
    }
    out
}

fn of_selector(selector: &TaintSelector) -> Toleration {
    let operator = if selector.value.is_empty() { "Exists" } else { "Equal" };
    toleration(&selector.key, operator, &selector.value, &selector.effect)
}

/// Tolerates every taint that keeps new pods away.
fn is_blanket(toleration: &Toleration) -> bool {
    toleration.key.is_empty()
        && toleration.operator == "Exists"
        && matches!(toleration.effect.as_str(), "" | "NoSchedule")
}

/// The list of a patch: the runtime's own, those that patches have already, then ours; equal ones once (00 D75). Empty
/// when there are none of ours: then the list stays as it is.
pub(crate) fn merged<'a>(there: impl IntoIterator<Item = &'a Toleration>, ours: &'a [Toleration]) -> Vec<Toleration> {
    if ours.is_empty() {
        return Vec::new();
    }
    let mut out: Vec<Toleration> = Vec::new();
    for toleration in there.into_iter().chain(ours) {
        let cordon = toleration.key == UNSCHEDULABLE_KEY && ours.contains(toleration);
        if !(out.contains(toleration) || cordon && out.iter().any(is_blanket)) {
            out.push(toleration.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(selectors: &[(&str, &str, &str)], cordoned: bool) -> TargetSpec {
        let selector = |(key, value, effect): &(&str, &str, &str)| TaintSelector {
            key: (*key).into(),
            value: (*value).into(),
            effect: (*effect).into(),
        };
        TargetSpec {
            taint_selectors: selectors.iter().map(selector).collect(),
            include_unschedulable: cordoned,
            ..TargetSpec::default()
        }
    }

    #[test]
    fn first_row_that_holds() {
        let exists = toleration("", "Exists", "", "");
        assert_eq!(ours(None, true, false), std::slice::from_ref(&exists));
        assert_eq!(ours(None, false, false), []);
        assert_eq!(ours(None, false, true), []);
        assert_eq!(
            ours(None, true, true),
            [
                toleration("nvidia.com/gpu", "Equal", "present", "NoSchedule"),
                toleration("kubernetes.io/arch", "Equal", "arm64", "NoSchedule"),
            ]
        );
        let taints = target(&[("a", "", ""), ("b", "v", ""), ("c", "v", "NoExecute")], false);
        let expected = [
            toleration("a", "Exists", "", ""),
            toleration("b", "Equal", "v", ""),
            toleration("c", "Equal", "v", "NoExecute"),
        ];
        for (launcher, unpinned) in [(true, true), (true, false), (false, true), (false, false)] {
            assert_eq!(ours(Some(&taints), launcher, unpinned), expected);
        }
    }

    #[test]
    fn cordoned_nodes_are_tolerated_unless_everything_is() {
        let cordon = toleration(UNSCHEDULABLE_KEY, "Exists", "", "NoSchedule");
        assert_eq!(ours(Some(&target(&[], true)), false, false), std::slice::from_ref(&cordon));
        assert_eq!(ours(Some(&target(&[], true)), true, false), [toleration("", "Exists", "", "")]);
        assert_eq!(ours(Some(&target(&[("a", "", "")], true)), true, false).last(), Some(&cordon));
        let there = [toleration("", "Exists", "", "")];
        assert_eq!(merged(&there, &ours(Some(&target(&[], true)), false, false)), there);
    }

    #[test]
    fn what_is_there_comes_first_and_once() {
        let arm = toleration("kubernetes.io/arch", "Equal", "arm64", "NoSchedule");
        let gpu = toleration("nvidia.com/gpu", "Equal", "present", "NoSchedule");
        let list = merged([&arm, &arm], &[gpu.clone(), arm.clone()]);
        assert_eq!(list, [arm.clone(), gpu]);
        assert_eq!(merged([&arm], &[]), []);
    }

    #[test]
    fn the_cordon_taint_in_the_target_is_seen() {
        assert!(names_cordon(Some(&target(&[(UNSCHEDULABLE_KEY, "", "")], false))));
        assert!(!names_cordon(Some(&target(&[("other", "", "")], true))) && !names_cordon(None));
    }
}
