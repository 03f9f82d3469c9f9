//! What pods of a job require of each other: required pod affinity and anti-affinity, and the exclusive topology of a
//! JobSet.

use super::assign::Rules;
use super::kinds::Kind;
use crate::api::Value;
use crate::check::pod_parts::{list, text};
use std::collections::BTreeMap;

/// Keys of labels that Kubernetes, JobSet and Trainer put on pods, with values that are not known here.
const OTHERS: [&str; 4] = ["jobset.sigs.k8s.io/", "batch.kubernetes.io/", "trainer.kubeflow.org/", "kueue.x-k8s.io/"];

/// The rules between the kinds of pods of a job.
#[derive(Debug, Clone, Default)]
pub(super) struct PodRules {
    /// As the search takes them.
    pub rules: Rules,
    /// The label of their domains.
    pub key: Option<String>,
    /// Kinds that may only be where the label is.
    pub labelled: Vec<usize>,
    /// A rule that cannot be decided here, as a sentence.
    pub unclear: Option<String>,
}

impl PodRules {
    pub(super) fn new(kinds: &[Kind]) -> Self {
        let mut out = Self::default();
        for (at, kind) in kinds.iter().enumerate() {
            for term in required(&kind.spec, "podAntiAffinity") {
                out.anti_affinity(at, term, kinds);
            }
            for term in required(&kind.spec, "podAffinity") {
                out.affinity(at, term, kinds);
            }
            if let Some(key) = &kind.exclusive {
                out.key(key);
                out.rules.together.push(at);
                out.labelled.push(at);
                out.rules.apart.extend((0..kinds.len()).filter(|other| *other != at).map(|other| (at, other)));
            }
            let hard = |c: &&Value| text(c, "whenUnsatisfiable") != "ScheduleAnyway";
            if list(&kind.spec, "topologySpreadConstraints").iter().any(|c| hard(&c)) {
                out.unclear(&kind.name, "topologySpreadConstraints");
            }
        }
        out
    }

    fn unclear(&mut self, kind: &str, what: &str) {
        self.unclear
            .get_or_insert_with(|| format!("{what} of the pods of {kind} depend on pods that are not known here"));
    }

    /// Rules speak of one label.
    fn key(&mut self, key: &str) {
        if self.key.get_or_insert_with(|| key.to_owned()) != key {
            self.unclear.get_or_insert_with(|| "rules between pods speak of several topology domains".to_owned());
        }
    }

    fn anti_affinity(&mut self, at: usize, term: &Value, kinds: &[Kind]) {
        let Some(chosen) = chosen(term, kinds) else {
            return self.unclear(kinds.get(at).map_or("", |k| &k.name), "podAntiAffinity");
        };
        if !chosen.is_empty() {
            self.key(text(term, "topologyKey"));
        }
        self.rules.apart.extend(chosen.into_iter().map(|other| (at, other)));
    }

    fn affinity(&mut self, at: usize, term: &Value, kinds: &[Kind]) {
        match chosen(term, kinds).as_deref() {
            Some([one]) => {
                self.key(text(term, "topologyKey"));
                self.labelled.push(at);
                match *one == at {
                    true => self.rules.together.push(at),
                    false => self.rules.beside.push((at, *one)),
                }
            }
            _ => self.unclear(kinds.get(at).map_or("", |k| &k.name), "podAffinity"),
        }
    }
}

fn required<'a>(spec: &'a Value, kind: &str) -> &'a [Value] {
    let affinity = spec.get("affinity").and_then(|a| a.get(kind));
    affinity.map_or(&[], |a| list(a, "requiredDuringSchedulingIgnoredDuringExecution"))
}

/// The kinds that a term chooses; `None` when that is not known here.
fn chosen(term: &Value, kinds: &[Kind]) -> Option<Vec<usize>> {
    let elsewhere = ["namespaces", "matchLabelKeys", "mismatchLabelKeys"].iter().any(|key| !list(term, key).is_empty());
    let namespaces = term.get("namespaceSelector").and_then(Value::as_object).is_some_and(|s| !s.is_empty());
    if elsewhere || namespaces {
        return None;
    }
    let Some(selector) = term.get("labelSelector").filter(|s| !s.is_null()) else { return Some(Vec::new()) };
    let mut out = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        if selects(selector, &kind.labels)? {
            out.push(at);
        }
    }
    Some(out)
}

/// Whether a label selector chooses pods with these labels; `None` when it speaks of labels that others set.
fn selects(selector: &Value, labels: &BTreeMap<String, String>) -> Option<bool> {
    let foreign =
        |key: &str| OTHERS.iter().any(|prefix| key.starts_with(prefix)) || matches!(key, "job-name" | "controller-uid");
    let mut out = true;
    for (key, value) in selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten() {
        if foreign(key) {
            return None;
        }
        out &= labels.get(key).map(String::as_str) == value.as_str();
    }
    for expression in list(selector, "matchExpressions") {
        let key = text(expression, "key");
        if foreign(key) {
            return None;
        }
        let found = labels.get(key);
        let among = || found.is_some_and(|f| list(expression, "values").iter().any(|v| v.as_str() == Some(f)));
        out &= match text(expression, "operator") {
            "In" => among(),
            "NotIn" => !among(),
            "Exists" => found.is_some(),
            "DoesNotExist" => found.is_none(),
            _ => return None,
        };
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn selectors_of_pods() {
        let labels = BTreeMap::from([("app".to_owned(), "a".to_owned())]);
        for (selector, wanted) in [
            (json!({}), Some(true)),
            (json!({"matchLabels": {"app": "a"}}), Some(true)),
            (json!({"matchLabels": {"app": "b"}}), Some(false)),
            (json!({"matchLabels": {"job-name": "b"}}), None),
            (json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]}), Some(true)),
            (json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]}), Some(false)),
            (json!({"matchExpressions": [{"key": "x", "operator": "NotIn", "values": ["a"]}]}), Some(true)),
            (json!({"matchExpressions": [{"key": "x", "operator": "Exists"}]}), Some(false)),
            (json!({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}), Some(true)),
            (json!({"matchExpressions": [{"key": "jobset.sigs.k8s.io/job-key", "operator": "Exists"}]}), None),
        ] {
            assert_eq!(selects(&selector, &labels), wanted, "{selector}");
        }
    }
}
