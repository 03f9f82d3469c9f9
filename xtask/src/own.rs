//! Schemas of our own wire types, cleaned: no `null` beside a type, no defaults that only repeat the zero of a type, no
//! unknown fields.

use crate::kube::Definitions;
use nvcre_core::api::{Job, Workflow, WorkloadRun};
use nvcre_core::snapshot::{ScenarioFile, SnapshotSettings};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

/// All types that are read, by name.
pub fn definitions() -> Definitions {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<WorkloadRun>();
    generator.subschema_for::<Workflow>();
    generator.subschema_for::<Job>();
    generator.subschema_for::<ScenarioFile>();
    generator.subschema_for::<SnapshotSettings>();
    let mut out = cleaned(&mut generator);
    // What a server adds to an exported run is accepted (00 D65).
    if let Some(properties) = out.get_mut("WorkloadRun").and_then(|d| d.get_mut("properties")) {
        properties["metadata"] =
            json!({ "$ref": "#/$defs/k8s.ObjectMeta", "description": "Name, namespace, labels and annotations." });
        properties["status"] = json!({ "type": "object", "description": "Written by the engine; not read." });
    }
    out
}

/// The definitions of a generator, cleaned.
pub fn cleaned(generator: &mut SchemaGenerator) -> Definitions {
    generator
        .take_definitions(true)
        .into_iter()
        .map(|(name, mut schema)| {
            clean(&mut schema);
            (name, schema)
        })
        .collect()
}

/// Cleans one schema and everything in it.
pub fn clean(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(map) => {
            // A negated schema states a condition; it is no type to be closed.
            map.iter_mut().filter(|(key, _)| *key != "not").for_each(|(_, value)| clean(value));
            without_null(map);
            plain_description(map);
            if map.get("default").is_some_and(is_zero) {
                map.remove("default");
            }
            // `uint` and friends say nothing that a minimum does not.
            if map.get("format").and_then(Value::as_str).is_some_and(|f| f.starts_with("uint")) {
                map.remove("format");
            }
            if map.contains_key("properties") && !map.contains_key("additionalProperties") {
                map.insert("additionalProperties".into(), false.into());
            }
        }
        _ => {}
    }
}

fn without_null(map: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
        choices.retain(|c| c.get("type").is_none_or(|t| t != "null"));
        if let [only] = choices.as_mut_slice() {
            let only = only.take();
            map.remove("anyOf");
            if let Value::Object(only) = only {
                only.into_iter().for_each(|(key, value)| {
                    map.entry(key).or_insert(value);
                });
            }
        }
    }
}

/// Doc comments keep their line breaks, and name chapters of the specification in parentheses; a description does not.
fn plain_description(map: &mut Map<String, Value>) {
    if let Some(text) = map.get("description").and_then(Value::as_str) {
        let mut plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
        while let Some((start, end)) = chapter(&plain) {
            plain.replace_range(start..end, "");
        }
        map.insert("description".into(), plain.into());
    }
}

/// The place of ` (01 §1.1)` or ` (00 D4)` in a text.
fn chapter(text: &str) -> Option<(usize, usize)> {
    text.match_indices(" (").find_map(|(start, _)| {
        let end = start + text.get(start..)?.find(')')? + 1;
        let inside = text.get(start + 2..end - 1)?;
        let decision = inside.split(' ').any(|word| {
            word.strip_prefix('D').is_some_and(|n| !n.is_empty() && n.trim_end_matches(',').parse::<u16>().is_ok())
        });
        (inside.contains('§') || decision).then_some((start, end))
    })
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Object(_) => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Array(items) => items.is_empty(),
        Value::Bool(true) => false,
    }
}
