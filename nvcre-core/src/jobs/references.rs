//! Where an object names another one (03 §6.4, 00 D72, D73).

use serde_json::Value;
use std::collections::BTreeSet;

/// One step into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step<K = String> {
    /// Key of an object.
    Key(K),
    /// Index of a list.
    Index(usize),
}

/// A way into a JSON value.
pub(crate) type Place = Vec<Step>;

/// Where a walk through a JSON value is.
pub(crate) type Here<'a> = Vec<Step<&'a str>>;

/// A place from keys.
pub(crate) fn keys(keys: &[&str]) -> Place {
    keys.iter().map(|k| Step::Key((*k).to_owned())).collect()
}

/// The value at a place.
pub(crate) fn at_mut<'a>(value: &'a mut Value, place: &[Step]) -> Option<&'a mut Value> {
    place.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_str()),
        Step::Index(index) => value.get_mut(index),
    })
}

/// The value below these keys.
pub(crate) fn at<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().try_fold(value, |value, key| value.get(*key))
}

/// `kind` of a manifest; empty when it has none.
pub(crate) fn kind_of(object: &Value) -> &str {
    at(object, &["kind"]).and_then(Value::as_str).unwrap_or_default()
}

/// `metadata.name` of a manifest; empty when it has none.
pub(crate) fn name_of(object: &Value) -> &str {
    at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default()
}

/// True for kinds that live outside of namespaces: they get no owner and are never copied (00 D73).
pub fn is_cluster_scoped(kind: &str) -> bool {
    const KINDS: [&str; 11] = [
        "CSIDriver",
        "CustomResourceDefinition",
        "DeviceClass",
        "IngressClass",
        "LogProfile",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "ResourceSlice",
        "RuntimeClass",
    ];
    kind.starts_with("Cluster") || kind == "StorageClass" || KINDS.contains(&kind)
}

/// True for a text that can be the name of a resource (03 §6.4).
pub(crate) fn is_resource_like(text: &str) -> bool {
    let bytes = text.as_bytes();
    let alphanumeric = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    (3..=253).contains(&bytes.len())
        && alphanumeric(bytes.first())
        && alphanumeric(bytes.last())
        && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.'))
        && bytes.iter().any(u8::is_ascii_lowercase)
}

/// Every string value in a JSON value; keys do not count.
pub(crate) fn strings(value: &Value) -> BTreeSet<&str> {
    let mut out = BTreeSet::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                out.insert(text.as_str());
            }
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    out
}

/// What a field refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refers {
    /// An object of this kind.
    Kind(&'static str),
    /// The label `app`, by which objects of a run find each other.
    App,
}

/// One reference in a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    pub place: Place,
    pub refers: Refers,
    pub name: &'a str,
}

/// The fields that refer to an object (00 D72), by parent key and key.
fn refers(parent: &str, key: &str) -> Option<Refers> {
    let kind = match (parent, key) {
        ("labels" | "matchLabels" | "selector", "app") => return Some(Refers::App),
        ("labels" | "matchLabels" | "selector" | "annotations" | "nodeSelector", _) => return None,
        (_, "pvcName" | "claimName") => "PersistentVolumeClaim",
        (_, "resourceClaimTemplateName") | ("resourceClaimTemplate", "name") => "ResourceClaimTemplate",
        (_, "secretName") | ("secretRef" | "secretKeyRef", "name") => "Secret",
        ("runtimeRef", "name") => "TrainingRuntime",
        ("configMap" | "configMapRef" | "configMapKeyRef", "name") => "ConfigMap",
        _ => return None,
    };
    Some(Refers::Kind(kind))
}

/// Every reference in a manifest or job spec, in the order of its keys. `skip` leaves out what lies below a place.
pub(crate) fn references<'a>(value: &'a Value, skip: &dyn Fn(&[Step<&str>]) -> bool) -> Vec<Reference<'a>> {
    fn walk<'a>(
        value: &'a Value,
        place: &mut Here<'a>,
        parent: &'a str,
        skip: &dyn Fn(&[Step<&str>]) -> bool,
        out: &mut Vec<Reference<'a>>,
    ) {
        if skip(place) {
            return;
        }
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    place.push(Step::Key(key));
                    match (value, refers(parent, key)) {
                        (Value::String(name), Some(refers)) if !skip(place) => {
                            out.push(Reference { place: owned(place), refers, name });
                        }
                        _ => walk(value, place, key, skip, out),
                    }
                    place.pop();
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.push(Step::Index(index));
                    walk(item, place, parent, skip, out);
                    place.pop();
                }
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    walk(value, &mut Vec::new(), "", skip, &mut out);
    out
}

/// A place that outlives its value.
pub(crate) fn owned(place: &[Step<&str>]) -> Place {
    let step = |step: &Step<&str>| match step {
        Step::Key(key) => Step::Key((*key).to_owned()),
        Step::Index(index) => Step::Index(*index),
    };
    place.iter().map(step).collect()
}

/// Content of the user in a dependency, where no field refers to anything.
pub(crate) fn is_payload(place: &[Step<&str>]) -> bool {
    matches!(place, [Step::Key(key)] if matches!(*key, "data" | "binaryData" | "stringData"))
}

/// What keeps its text in a job spec: `workloadMetadata`, and labels and annotations inside of runtime patches.
pub(crate) fn is_kept_in_job_spec(place: &[Step<&str>]) -> bool {
    match place {
        [Step::Key(key)] => *key == "workloadMetadata",
        [Step::Key(a), Step::Key(b), Step::Key(c), .., Step::Key(metadata), Step::Key(last)] => {
            matches!(*last, "labels" | "annotations")
                && (*a, *b, *c, *metadata) == ("workload", "trainJob", "runtimePatches", "metadata")
        }
        _ => false,
    }
}

/// The strings of a job spec without what [`is_kept_in_job_spec`]: there names of dependencies are looked for.
pub(crate) fn job_spec_strings(job_spec: &Value) -> BTreeSet<&str> {
    fn walk<'a>(value: &'a Value, place: &mut Here<'a>, out: &mut BTreeSet<&'a str>) {
        match value {
            Value::String(text) => {
                out.insert(text);
            }
            Value::Object(map) => {
                for (key, value) in map {
                    place.push(Step::Key(key));
                    if !is_kept_in_job_spec(place) {
                        walk(value, place, out);
                    }
                    place.pop();
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.push(Step::Index(index));
                    walk(item, place, out);
                    place.pop();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut out = BTreeSet::new();
    walk(job_spec, &mut Vec::new(), &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn resource_like_texts() {
        for good in ["abc", "a-b.c", "1a2", "my-cd-claim"] {
            assert!(is_resource_like(good), "{good}");
        }
        for bad in ["ab", "123", "-ab", "ab-", "Abc", "a_b", "a b", &"x".repeat(254)] {
            assert!(!is_resource_like(bad), "{bad}");
        }
    }

    #[test]
    fn kinds_outside_of_namespaces() {
        for kind in ["ClusterTrainingRuntime", "ClusterRole", "StorageClass", "DeviceClass", "Node", "LogProfile"] {
            assert!(is_cluster_scoped(kind), "{kind}");
        }
        for kind in ["TrainingRuntime", "ConfigMap", "ComputeDomain", "NodePool", ""] {
            assert!(!is_cluster_scoped(kind), "{kind}");
        }
    }

    #[test]
    fn only_listed_fields_refer() {
        let value = json!({
            "metadata": {"labels": {"app": "run", "secretName": "no"}, "annotations": {"claimName": "no"}},
            "spec": {
                "runtimeRef": {"name": "runtime"},
                "volumes": [
                    {"name": "no", "persistentVolumeClaim": {"claimName": "claim"}},
                    {"name": "no", "configMap": {"name": "config"}},
                    {"name": "no", "secret": {"secretName": "secret"}},
                ],
                "env": [
                    {"name": "secretName", "value": "claim"},
                    {"name": "X", "valueFrom": {"secretKeyRef": {"name": "key", "key": "no"}}},
                ],
                "command": ["claim"], "args": ["config"], "storageClassName": "claim",
                "resourceClaims": [{"name": "no", "resourceClaimTemplateName": "template"}],
                "channel": {"resourceClaimTemplate": {"name": "template"}},
                "selector": {"app": "run", "claimName": "no"},
            },
            "data": {"claimName": "no"},
        });
        let mut found: Vec<(&str, Refers)> =
            references(&value, &is_payload).into_iter().map(|r| (r.name, r.refers)).collect();
        found.sort();
        assert_eq!(
            found,
            [
                ("claim", Refers::Kind("PersistentVolumeClaim")),
                ("config", Refers::Kind("ConfigMap")),
                ("key", Refers::Kind("Secret")),
                ("run", Refers::App),
                ("run", Refers::App),
                ("runtime", Refers::Kind("TrainingRuntime")),
                ("secret", Refers::Kind("Secret")),
                ("template", Refers::Kind("ResourceClaimTemplate")),
                ("template", Refers::Kind("ResourceClaimTemplate")),
            ]
        );
    }

    #[test]
    fn labels_of_patches_and_workload_are_no_reference_text() {
        let spec = json!({
            "workloadMetadata": {"labels": {"q": "one"}},
            "workload": {"trainJob": {"runtimePatches": [{"trainingRuntimeSpec": {"template": {
                "metadata": {"labels": {"x": "two"}, "annotations": {"x": "three"}},
                "spec": {"replicatedJobs": [{"name": "node", "template": {"metadata": {"labels": {"x": "four"}}}}]},
            }}}]}},
        });
        assert_eq!(job_spec_strings(&spec).into_iter().collect::<Vec<_>>(), ["node"]);
    }
}
