//! Taints against tolerations, by the rules of Kubernetes.

use crate::api::{Taint, Toleration};
use crate::fleet::{Inventory, InventoryNode, TaintId, UNSCHEDULABLE_TAINT};

/// True when a toleration makes a pod bear a taint: an empty key with `Exists` bears every key, an empty effect every
/// effect, an absent operator is `Equal`.
pub(super) fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    if !toleration.effect.is_empty() && toleration.effect != taint.effect {
        return false;
    }
    if !toleration.key.is_empty() && toleration.key != taint.key {
        return false;
    }
    match toleration.operator.as_str() {
        "" | "Equal" => toleration.value == taint.value,
        "Exists" => true,
        _ => false,
    }
}

/// Taints that keep new pods away: the others only make a node less wanted.
fn keeps_away(taint: &Taint) -> bool {
    matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute")
}

/// What a pod bears of the taints of an inventory.
#[derive(Debug, Clone, Default)]
pub(super) struct Borne {
    /// By taint of the inventory.
    taints: Vec<bool>,
    cordon: bool,
}

/// Why a node is closed to a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Closed {
    /// It is cordoned.
    Cordoned,
    /// It carries this taint.
    Taint(TaintId),
}

impl Borne {
    pub(super) fn new(inventory: &Inventory, tolerations: &[Toleration]) -> Self {
        let bears = |taint: &Taint| tolerations.iter().any(|t| tolerates(t, taint));
        let cordon = Taint { key: UNSCHEDULABLE_TAINT.into(), value: String::new(), effect: "NoSchedule".into() };
        Self {
            taints: inventory.taints.iter().map(|t| !keeps_away(t) || bears(t)).collect(),
            cordon: bears(&cordon),
        }
    }

    /// Why a node is closed, in the order in which the scheduler looks; `None` when it is open.
    pub(super) fn closes(&self, node: &InventoryNode) -> Option<Closed> {
        if node.unschedulable && !self.cordon {
            return Some(Closed::Cordoned);
        }
        let borne = |id: &&TaintId| self.taints.get(id.0 as usize).copied().unwrap_or(true);
        node.taints.iter().find(|id| !borne(id)).map(|id| Closed::Taint(*id))
    }
}

/// A taint as `kubectl` shows it: `key=value:effect`.
pub(super) fn shown(taint: &Taint) -> String {
    match taint.value.as_str() {
        "" => format!("{}:{}", taint.key, taint.effect),
        value => format!("{}={value}:{}", taint.key, taint.effect),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::InventoryBuilder;

    fn toleration(key: &str, operator: &str, value: &str, effect: &str) -> Toleration {
        Toleration {
            key: key.into(),
            operator: operator.into(),
            value: value.into(),
            effect: effect.into(),
            toleration_seconds: None,
        }
    }

    #[test]
    fn tolerations_by_the_rules_of_kubernetes() {
        let gpu = Taint { key: "nvidia.com/gpu".into(), value: "present".into(), effect: "NoSchedule".into() };
        for (key, operator, value, effect, wanted) in [
            ("", "Exists", "", "", true),
            ("", "Exists", "", "NoSchedule", true),
            ("", "Exists", "", "NoExecute", false),
            ("nvidia.com/gpu", "Exists", "", "", true),
            ("nvidia.com/gpu", "Exists", "", "NoSchedule", true),
            ("nvidia.com/gpu", "Exists", "", "NoExecute", false),
            ("nvidia.com/gpu", "Equal", "present", "NoSchedule", true),
            ("nvidia.com/gpu", "Equal", "present", "", true),
            ("nvidia.com/gpu", "Equal", "", "", false),
            ("nvidia.com/gpu", "", "present", "", true),
            ("nvidia.com/gpu", "", "true", "", false),
            ("nvidia.com/other", "Exists", "", "", false),
            ("nvidia.com/gpu", "Lt", "5", "", false),
            ("nvidia.com/gpu", "exists", "", "", false),
        ] {
            let toleration = toleration(key, operator, value, effect);
            assert_eq!(tolerates(&toleration, &gpu), wanted, "{toleration:?}");
        }
    }

    #[test]
    fn closed_nodes() {
        let mut builder = InventoryBuilder::new();
        builder.node("soft").taint("a", "", "PreferNoSchedule");
        builder.node("hard").taint("a", "", "PreferNoSchedule").taint("b", "x", "NoExecute");
        builder.node("cordoned").cordoned(true);
        builder.node("both").cordoned(true).taint(UNSCHEDULABLE_TAINT, "", "NoSchedule");
        let inventory = builder.build();
        let closed = |tolerations: &[Toleration]| -> Vec<Option<String>> {
            let borne = Borne::new(&inventory, tolerations);
            let name = |closed: Closed| match closed {
                Closed::Cordoned => "cordoned".to_owned(),
                Closed::Taint(id) => shown(&inventory.taints[id.0 as usize]),
            };
            inventory.nodes.iter().map(|node| borne.closes(node).map(name)).collect()
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(closed(&[]), [None, some("b=x:NoExecute"), some("cordoned"), some("cordoned")]);
        assert_eq!(closed(&[toleration("", "Exists", "", "")]), [None, None, None, None]);
        let cordon = toleration(UNSCHEDULABLE_TAINT, "Exists", "", "NoSchedule");
        assert_eq!(closed(&[cordon]), [None, some("b=x:NoExecute"), None, None]);
    }
}
