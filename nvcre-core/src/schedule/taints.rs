//! Taints against tolerations, by the rules of Kubernetes.

use crate::api::{Taint, Toleration};
use crate::check::{Amounts, is_extended_resource};
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
    /// By taint of the inventory: the admission plugin ExtendedResourceToleration makes the pod bear it, in clusters
    /// that run the plugin.
    admitted: Vec<bool>,
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
    pub(super) fn new(inventory: &Inventory, tolerations: &[Toleration], requests: &Amounts) -> Self {
        let by_admission = |taint: &Taint| {
            taint.effect == "NoSchedule" && is_extended_resource(&taint.key) && requests.contains_key(&taint.key)
        };
        let bears = |taint: &Taint| tolerations.iter().any(|t| tolerates(t, taint));
        let cordon = Taint { key: UNSCHEDULABLE_TAINT.into(), value: String::new(), effect: "NoSchedule".into() };
        Self {
            taints: inventory.taints.iter().map(|t| !keeps_away(t) || bears(t)).collect(),
            admitted: inventory.taints.iter().map(by_admission).collect(),
            cordon: bears(&cordon),
        }
    }

    /// Why a node is closed; `None` when it is open. Of several taints one that nobody but a toleration of the pod helps
    /// against.
    pub(super) fn closes(&self, node: &InventoryNode) -> Option<Closed> {
        if node.unschedulable && !self.cordon {
            return Some(Closed::Cordoned);
        }
        let open = self.unborne(node).find(|id| !self.is_admitted(*id));
        open.or_else(|| self.unborne(node).next()).map(Closed::Taint)
    }

    /// The taints of a node that keep the pod away.
    pub(super) fn unborne<'n>(&'n self, node: &'n InventoryNode) -> impl Iterator<Item = TaintId> + 'n {
        let borne = |id: TaintId| self.taints.get(id.0 as usize).copied().unwrap_or(true);
        node.taints.iter().copied().filter(move |id| !borne(*id))
    }

    /// True when nothing but taints that the cluster may make the pod bear by itself keeps it away.
    pub(super) fn opens_by_admission(&self, node: &InventoryNode) -> bool {
        (!node.unschedulable || self.cordon) && self.unborne(node).all(|id| self.is_admitted(id))
    }

    /// True for a taint that the cluster may make the pod bear by itself.
    pub(super) fn is_admitted(&self, id: TaintId) -> bool {
        self.admitted.get(id.0 as usize).copied().unwrap_or(false)
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
            let borne = Borne::new(&inventory, tolerations, &Amounts::new());
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

    #[test]
    fn taints_that_an_admission_plugin_helps_against_come_last() {
        let mut builder = InventoryBuilder::new();
        builder.node("gpu").taint("nvidia.com/gpu", "present", "NoSchedule");
        builder.node("arm").taint("nvidia.com/gpu", "present", "NoSchedule").taint("arch", "arm64", "NoSchedule");
        builder.node("evicts").taint("nvidia.com/gpu", "present", "NoExecute");
        let inventory = builder.build();
        let borne = Borne::new(&inventory, &[], &Amounts::from([("nvidia.com/gpu".to_owned(), 8)]));
        let admitted = inventory.nodes.iter().map(|node| match borne.closes(node) {
            Some(Closed::Taint(id)) => (shown(&inventory.taints[id.0 as usize]), borne.is_admitted(id)),
            _ => panic!("open"),
        });
        let wanted = [
            ("nvidia.com/gpu=present:NoSchedule", true),
            ("arch=arm64:NoSchedule", false),
            ("nvidia.com/gpu=present:NoExecute", false),
        ];
        assert_eq!(admitted.collect::<Vec<_>>(), wanted.map(|(text, is)| (text.to_owned(), is)));
        assert_eq!(borne.unborne(&inventory.nodes[1]).count(), 2);
    }
}
