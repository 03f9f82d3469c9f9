//! What a pod asks of its node, as the scheduler counts it: requests default to limits, init containers run before the
//! others, sidecars beside them.

use super::pod_parts::{list, text};
use super::{Quantity, is_extended_resource};
use crate::api::Value;
use std::collections::BTreeMap;

/// Amounts by resource: thousandths of a CPU, else whole units (bytes, devices).
pub(crate) type Amounts = BTreeMap<String, i128>;

/// A quantity of a resource as an amount; `None` when it is none.
pub(crate) fn amount(resource: &str, quantity: &str) -> Option<i128> {
    Some(Quantity::parse(quantity)?.parts(if resource == "cpu" { 1000 } else { 1 }))
}

/// What a node offers of a resource, as an amount: of devices only whole ones count.
pub(crate) fn offer(resource: &str, quantity: &str) -> Option<i128> {
    if is_extended_resource(resource) {
        Quantity::parse(quantity).map(Quantity::floor)
    } else {
        amount(resource, quantity)
    }
}

/// An amount for people: `500m`, `64Gi`, `8`.
pub(crate) fn shown(resource: &str, amount: i128) -> String {
    if resource == "cpu" {
        return if amount % 1000 == 0 { (amount / 1000).to_string() } else { format!("{amount}m") };
    }
    let bytes = matches!(resource, "memory" | "ephemeral-storage") || resource.starts_with("hugepages-");
    if !bytes || amount < 1024 {
        return amount.to_string();
    }
    let (mut value, mut unit, mut exact) = (amount, "", true);
    for next in ["Ki", "Mi", "Gi", "Ti", "Pi"] {
        // What is no whole number of the next unit keeps five digits.
        exact &= value % 1024 == 0;
        if value < 1024 || !exact && value < 100 * 1024 {
            break;
        }
        (value, unit) = (value / 1024, next);
    }
    format!("{value}{unit}")
}

fn of_map(map: Option<&Value>) -> Amounts {
    let entries = map.and_then(Value::as_object).into_iter().flatten();
    let of = |(name, value): (&String, &Value)| {
        let amount = match value {
            Value::String(text) => amount(name, text),
            Value::Number(number) => amount(name, &number.to_string()),
            _ => None,
        };
        Some((name.clone(), amount?))
    };
    entries.filter_map(of).collect()
}

/// Requests of a container: what is only limited is requested, too.
fn of_container(container: &Value) -> Amounts {
    let resources = container.get("resources");
    let mut out = of_map(resources.and_then(|r| r.get("limits")));
    out.extend(of_map(resources.and_then(|r| r.get("requests"))));
    out
}

fn add(to: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let sum = to.entry(name.clone()).or_default();
        *sum = sum.saturating_add(*amount);
    }
}

fn at_least(to: &mut Amounts, least: Amounts) {
    for (name, amount) in least {
        let held = to.entry(name).or_default();
        *held = (*held).max(amount);
    }
}

/// What a pod with this spec requests of its node; nothing of a resource of which it requests zero.
pub(crate) fn pod_requests(spec: &Value) -> Amounts {
    let mut out = Amounts::new();
    for container in list(spec, "containers") {
        add(&mut out, &of_container(container));
    }
    let (mut sidecars, mut start) = (Amounts::new(), Amounts::new());
    for container in list(spec, "initContainers") {
        let own = of_container(container);
        if text(container, "restartPolicy") == "Always" {
            add(&mut out, &own);
            add(&mut sidecars, &own);
            at_least(&mut start, sidecars.clone());
        } else {
            let mut now = own;
            add(&mut now, &sidecars);
            at_least(&mut start, now);
        }
    }
    at_least(&mut out, start);
    // Requests of the pod as a whole replace the sum of its containers; its limits count where nobody requests anything.
    let known = |name: &str| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-");
    let whole = |side| of_map(spec.get("resources").and_then(|r| r.get(side))).into_iter().filter(|(n, _)| known(n));
    for (name, limit) in whole("limits") {
        out.entry(name).or_insert(limit);
    }
    out.extend(whole("requests"));
    add(&mut out, &of_map(spec.get("overhead")));
    out.retain(|_, amount| *amount > 0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn amounts(pairs: &[(&str, i128)]) -> Amounts {
        pairs.iter().map(|(name, amount)| ((*name).to_owned(), *amount)).collect()
    }

    #[test]
    fn containers_sum_up_and_limits_are_requests() {
        let spec = json!({"containers": [
            {"resources": {"limits": {"cpu": "2", "nvidia.com/gpu": 8}, "requests": {"cpu": "500m"}}},
            {"resources": {"requests": {"cpu": "1", "memory": "1Gi", "vpc.amazonaws.com/efa": "0"}}},
            {},
        ]});
        assert_eq!(pod_requests(&spec), amounts(&[("cpu", 1500), ("memory", 1 << 30), ("nvidia.com/gpu", 8)]));
        assert_eq!(pod_requests(&json!({})), amounts(&[]));
    }

    #[test]
    fn init_containers_run_before_and_sidecars_beside() {
        let cpu = |cpu: &str| json!({"requests": {"cpu": cpu}});
        let init = json!({"containers": [{"resources": cpu("1")}], "initContainers": [
            {"resources": cpu("3")}, {"resources": cpu("2")},
        ]});
        assert_eq!(pod_requests(&init), amounts(&[("cpu", 3000)]));
        let sidecar = json!({"containers": [{"resources": cpu("1")}], "initContainers": [
            {"resources": cpu("1"), "restartPolicy": "Always"}, {"resources": cpu("2")}, {"resources": cpu("500m"), "restartPolicy": "Always"},
        ]});
        // 1 + 1.5 of sidecars against 1 of the first sidecar and 2.
        assert_eq!(pod_requests(&sidecar), amounts(&[("cpu", 3000)]));
        let heavy = json!({"containers": [{"resources": cpu("2")}], "initContainers": [
            {"resources": cpu("1"), "restartPolicy": "Always"},
        ]});
        assert_eq!(pod_requests(&heavy), amounts(&[("cpu", 3000)]));
    }

    #[test]
    fn overhead_is_added_and_the_pod_as_a_whole_wins() {
        let spec = json!({
            "containers": [{"resources": {"limits": {"cpu": "4", "nvidia.com/gpu": "8"}}}],
            "resources": {"requests": {"cpu": "6", "nvidia.com/gpu": "1"}},
            "overhead": {"cpu": "250m", "memory": "120Mi"},
        });
        assert_eq!(pod_requests(&spec), amounts(&[("cpu", 6250), ("memory", 120 << 20), ("nvidia.com/gpu", 8)]));
    }

    #[test]
    fn amounts_are_rounded_up_and_shown_short() {
        assert_eq!(amount("cpu", "1500u"), Some(2));
        assert_eq!(amount("memory", "1500m"), Some(2));
        assert_eq!(amount("memory", "-1500m"), Some(-1));
        assert_eq!(amount("memory", "much"), None);
        assert_eq!(offer("nvidia.com/gpu", "7500m"), Some(7));
        assert_eq!(offer("memory", "1500m"), Some(2));
        for (resource, amount, text) in [
            ("cpu", 2000, "2"),
            ("cpu", 250, "250m"),
            ("memory", 1 << 30, "1Gi"),
            ("memory", 64 << 30, "64Gi"),
            ("memory", (64 << 30) + 1, "65536Mi"),
            ("memory", 1000, "1000"),
            ("nvidia.com/gpu", 8, "8"),
            ("vpc.amazonaws.com/efa", 32, "32"),
        ] {
            assert_eq!(shown(resource, amount), text, "{resource} {amount}");
        }
    }
}
