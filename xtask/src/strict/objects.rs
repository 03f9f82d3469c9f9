//! What the API server checks on every object whatever its schema says: names, labels, annotations, sizes.

use nvcre_core::check::{is_dns1123_label, is_dns1123_subdomain, label_key_problem, label_value_problem};
use serde_json::Value;

/// Most bytes in all annotations of an object.
const ANNOTATIONS: usize = 256 * 1024;
/// Most bytes in the data of a ConfigMap or Secret.
const DATA: usize = 1024 * 1024;

/// Checks one object.
pub fn check(manifest: &Value, out: &mut Vec<String>) {
    let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
    if !is_dns1123_subdomain(name) {
        out.push(format!("/metadata/name: {name:?} is no name"));
    }
    if let Some(namespace) = manifest["metadata"].get("namespace")
        && !namespace.as_str().is_some_and(is_dns1123_label)
    {
        out.push(format!("/metadata/namespace: {namespace} is no namespace"));
    }
    walk("", manifest, out);
    let sizes = |key: &str| -> usize {
        let entries = manifest[key].as_object().into_iter().flatten();
        entries.map(|(k, v)| k.len() + v.as_str().unwrap_or_default().len()).sum()
    };
    if sizes("data") + sizes("binaryData") > DATA {
        out.push("/data: more than 1 MiB".into());
    }
    if matches!(manifest["kind"].as_str(), Some("ConfigMap" | "Secret")) {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        for key in manifest["data"].as_object().into_iter().flat_map(|m| m.keys()) {
            if key.is_empty() || key.len() > 253 || !key.chars().all(allowed) || key.starts_with("..") || key == "." {
                out.push(format!("/data: {key:?} is no key"));
            }
        }
    }
}

/// Labels and annotations of the object and of every template in it.
fn walk(path: &str, value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}/{key}");
                if key == "metadata" {
                    metadata(&path, value, out);
                }
                walk(&path, value, out);
            }
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(i, v)| walk(&format!("{path}/{i}"), v, out)),
        _ => {}
    }
}

fn metadata(path: &str, metadata: &Value, out: &mut Vec<String>) {
    for (key, value) in metadata["labels"].as_object().into_iter().flatten() {
        let problem = label_key_problem(key).or_else(|| label_value_problem(value.as_str().unwrap_or("?!")));
        out.extend(problem.map(|p| format!("{path}/labels: {key}={value}: {p}")));
    }
    let mut bytes = 0;
    for (key, value) in metadata["annotations"].as_object().into_iter().flatten() {
        bytes += key.len() + value.as_str().unwrap_or_default().len();
        // Keys of annotations may hold capitals before the slash; they are compared in lower case.
        out.extend(label_key_problem(&key.to_lowercase()).map(|p| format!("{path}/annotations: {key}: {p}")));
    }
    if bytes > ANNOTATIONS {
        out.push(format!("{path}/annotations: {bytes} bytes"));
    }
}
