//! Requests, limits and tolerations.

use super::text;
use crate::api::Value;
use crate::check::{Quantity, is_extended_resource, label_key_problem};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use std::collections::BTreeMap;

/// A quantity, as a text or a number.
pub(super) fn quantity(value: Option<&Value>) -> Option<Quantity> {
    match value? {
        Value::String(text) => Quantity::parse(text),
        Value::Number(number) => Quantity::parse(&number.to_string()),
        _ => None,
    }
}

/// Why no container can ask for a resource of this name; `None` when one can.
fn resource_name_problem(name: &str) -> Option<&'static str> {
    let standard = matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    match name.split_once('/') {
        None if standard => None,
        None => Some("only cpu, memory, ephemeral-storage and hugepages-… have no domain before a slash"),
        Some((domain, _)) if domain.ends_with("kubernetes.io") => label_key_problem(name).map(|_| "it is no name"),
        Some(_) if name.starts_with("requests.") => Some("names that begin with requests. are those of quotas"),
        Some(_) if is_extended_resource(name) => None,
        Some(_) => Some("a domain, a slash and a name of letters, digits, '-', '_' and '.' are wanted"),
    }
}

/// Requests and limits of a container.
pub(crate) fn resources(resources: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let mut sides: BTreeMap<(&str, &str), Quantity> = BTreeMap::new();
    for side in ["limits", "requests"] {
        let entries = resources.get(side).and_then(Value::as_object).into_iter().flatten();
        for (name, value) in entries.filter(|(_, value)| !value.is_null()) {
            let path = path.key(side).key(name);
            if let Some(problem) = resource_name_problem(name) {
                let message = format!("no container can ask for {name:?}: {problem}");
                out.push(
                    Diagnostic::at(Code::ContainerResource, path, message)
                        .with_help("name a resource as kubectl describe node shows it"),
                );
                continue;
            }
            let Some(amount) = quantity(Some(value)) else { continue };
            let found = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let whole = never_shared(name);
            if amount < Quantity::from_whole(0) || whole && amount.whole().is_none() {
                let wanted = if whole { "a whole number, 0 or more," } else { "0 or more" };
                let message = format!("{side} of {name} is {found}; {wanted} is wanted");
                out.push(Diagnostic::at(Code::ContainerResource, path, message).with_help("correct the amount"));
                continue;
            }
            sides.insert((name, side), amount);
        }
    }
    for ((name, _), request) in sides.iter().filter(|((_, side), _)| *side == "requests") {
        let limit = sides.get(&(*name, "limits"));
        let broken =
            resources.get("limits").and_then(|l| l.get(*name)).is_some_and(|v| !v.is_null()) && limit.is_none();
        let message = match limit {
            _ if broken => continue,
            None if never_shared(name) => {
                format!(
                    "{name} is requested without a limit, and a resource of this kind has a limit that equals the request"
                )
            }
            Some(limit) if never_shared(name) && limit != request => {
                format!(
                    "{name} is requested {request} times and limited to {limit}; for a resource of this kind both are equal"
                )
            }
            Some(limit) if limit < request => {
                format!("the request of {name} is above its limit; it is at most the limit")
            }
            _ => continue,
        };
        out.push(
            Diagnostic::at(Code::ContainerResource, path.key("requests").key(*name), message)
                .with_help(format!("write the same amount of {name} under limits and requests")),
        );
    }
}

/// True for resources of which every container has its own: extended ones and huge pages.
fn never_shared(name: &str) -> bool {
    name.starts_with("hugepages-") || name.split_once('/').is_some_and(|(domain, _)| !domain.ends_with("kubernetes.io"))
}

/// A toleration.
pub(crate) fn toleration(toleration: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
    let (value, effect) = (text(toleration, "value"), text(toleration, "effect"));
    let mut wrong = |field: &str, message: String, help: &'static str| {
        out.push(Diagnostic::at(Code::BadToleration, path.key(field), message).with_help(help));
    };
    if !matches!(operator, "" | "Equal" | "Exists") {
        let message = format!("a toleration has the operator {operator:?}; it is Equal or Exists");
        wrong("operator", message, "write Exists, or Equal with a value");
    }
    if !matches!(effect, "" | "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
        let message =
            format!("a toleration has the effect {effect:?}; it is NoSchedule, PreferNoSchedule or NoExecute");
        wrong("effect", message, "write one of the three, or leave it out for all of them");
    }
    if key.is_empty() && operator != "Exists" {
        let message = "a toleration without a key has the operator Exists, and this one has another".to_owned();
        wrong("operator", message, "write `operator: Exists`, or name the key of the taint");
    } else if let Some(problem) = label_key_problem(key).filter(|_| !key.is_empty()) {
        wrong(
            "key",
            format!("{key:?} is no key of a taint: {problem}"),
            "name the key as kubectl describe node shows it",
        );
    }
    if operator == "Exists" && !value.is_empty() {
        let message = format!("a toleration with the operator Exists has no value, and this one has {value:?}");
        wrong("value", message, "remove the value, or write `operator: Equal`");
    }
    let seconds = toleration.get("tolerationSeconds").is_some_and(|s| !s.is_null());
    if seconds && effect != "NoExecute" {
        let message = "tolerationSeconds only goes with the effect NoExecute".to_owned();
        wrong("tolerationSeconds", message, "remove it, or write `effect: NoExecute`");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn codes(check: impl FnOnce(&mut Vec<Diagnostic>)) -> Vec<Code> {
        let mut out = Vec::new();
        check(&mut out);
        assert!(out.iter().all(|d| d.help.is_some() && d.path.is_some()), "{out:?}");
        out.into_iter().map(|d| d.code).collect()
    }

    #[test]
    fn resources_of_a_container() {
        let root = FieldPath::root();
        let of = |value: Value| codes(|out| resources(&value, &root, out));
        for good in [
            json!({"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": 8}}),
            json!({"limits": {"nvidia.com/gpu": "8", "memory": "2Gi"}, "requests": {"cpu": "500m", "memory": "1Gi"}}),
            json!({"limits": {"nvidia.com/gpu": null}}),
            json!({}),
        ] {
            assert_eq!(of(good.clone()), [], "{good}");
        }
        for bad in [
            json!({"limits": {"nvidia.com/gpu": "1.5"}, "requests": {"nvidia.com/gpu": "1.5"}}),
            json!({"limits": {"nvidia.com/gpu": "-1"}}),
            json!({"limits": {"cpu": "-500m"}}),
            json!({"limits": {"gpu": "1"}}),
            json!({"limits": {"Bad Domain/gpu": "1"}}),
            json!({"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}),
            json!({"requests": {"nvidia.com/gpu": "4"}}),
            json!({"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "4"}}),
        ] {
            let found = of(bad.clone());
            assert!(!found.is_empty() && found.iter().all(|c| *c == Code::ContainerResource), "{bad}: {found:?}");
        }
    }

    #[test]
    fn tolerations() {
        let of = |value: Value| codes(|out| toleration(&value, &FieldPath::root(), out)).len();
        for good in [
            json!({"operator": "Exists"}),
            json!({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}),
            json!({"key": "a", "value": "b"}),
        ] {
            assert_eq!(of(good.clone()), 0, "{good}");
        }
        for bad in [
            json!({"key": "a", "operator": "exists"}),
            json!({"key": "a", "effect": "NoRun"}),
            json!({"operator": "Equal"}),
            json!({"key": "a", "operator": "Exists", "value": "b"}),
            json!({"key": "a b"}),
            json!({"key": "a", "tolerationSeconds": 5}),
        ] {
            assert_eq!(of(bad.clone()), 1, "{bad}");
        }
    }
}
