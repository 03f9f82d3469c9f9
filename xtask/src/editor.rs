//! The schema of a run as editors take it: draft 7, which `yaml-language-server` supports in full, with the rules of the
//! checker that JSON schema can express, and examples.
//!
//! The CRD is made of the schema without them: a structural schema of Kubernetes has neither `if` nor `propertyNames`, and
//! says the same in CEL.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

#[cfg(test)]
#[allow(
    dead_code,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "cases of nvcrectl's test, and a part is for it"
)]
#[path = "../../nvcrectl/tests/editor/cases.rs"]
mod cases;

const RULES: &str = include_str!("../data/editor.yaml");
/// Keywords that say nothing about validity: they may stand beside a reference, where draft 7 looks at nothing else.
pub const ANNOTATIONS: [&str; 4] = ["default", "description", "examples", "title"];

/// Makes the editor's schema out of that of a run.
pub fn schema(run: &Value) -> Result<Value> {
    with(run, &serde_yaml::from_str(RULES).context("xtask/data/editor.yaml")?)
}

fn with(run: &Value, rules: &Value) -> Result<Value> {
    let mut out = run.clone();
    metadata(&mut out)?;
    for rule in rules.get("rules").and_then(Value::as_array).context("no rules")? {
        let at = rule.get("at").and_then(Value::as_str).context("a rule without a place")?;
        let mut add = rule.get("add").cloned().context("a rule without content")?;
        patterns(&mut add, rules.get("patterns").unwrap_or(&Value::Null));
        let target = find(&mut out, at).with_context(|| format!("nothing is called {at}"))?;
        merge(target, add).with_context(|| at.to_owned())?;
    }
    draft_7(&mut out);
    let messages: Vec<(String, String)> =
        serde_json::from_value(rules.get("messages").cloned().unwrap_or_default()).context("messages")?;
    say(&mut out, &messages)?;
    if let Some(map) = out.as_object_mut() {
        map.insert("$schema".into(), "http://json-schema.org/draft-07/schema#".into());
    }
    Ok(out)
}

/// The metadata of a run is that of Kubernetes, with rules of its own. A reader refuses unknown fields in both.
fn metadata(out: &mut Value) -> Result<()> {
    let definitions = out.get_mut("$defs").and_then(Value::as_object_mut).context("no definitions")?;
    let kube = definitions.get_mut("k8s.ObjectMeta").and_then(Value::as_object_mut).context("no metadata")?;
    kube.insert("additionalProperties".into(), false.into());
    let own = Value::Object(kube.clone());
    definitions.insert("RunMetadata".into(), own);
    let reference = out.pointer_mut("/properties/metadata/$ref").context("a run without metadata")?;
    *reference = "#/$defs/RunMetadata".into();
    Ok(())
}

/// A type, or a field of it: `TargetSpec.nodeNames`. Names of Kubernetes' types have a dot of their own.
fn find<'s>(schema: &'s mut Value, at: &str) -> Option<&'s mut Value> {
    let (prefix, rest) = at.strip_prefix("k8s.").map_or(("", at), |rest| ("k8s.", rest));
    let (name, field) = rest.split_once('.').map_or((rest, None), |(name, field)| (name, Some(field)));
    let ty = schema.get_mut("$defs")?.get_mut(format!("{prefix}{name}"))?;
    match field {
        None => Some(ty),
        Some(field) => ty.get_mut("properties")?.get_mut(field),
    }
}

fn patterns(value: &mut Value, known: &Value) {
    match value {
        Value::String(text) => {
            for (name, pattern) in known.as_object().into_iter().flatten() {
                *text = text.replace(&format!("%{name}%"), pattern.as_str().unwrap_or_default());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| patterns(item, known)),
        Value::Object(map) => map.values_mut().for_each(|value| patterns(value, known)),
        _ => {}
    }
}

/// Adds keywords to a schema; what it has already is only made longer (`required`, `allOf`) or replaced on purpose
/// (`items`, `additionalProperties`), never overruled.
fn merge(target: &mut Value, add: Value) -> Result<()> {
    let (Value::Object(target), Value::Object(add)) = (target, add) else { bail!("no schema") };
    let only_annotations = add.keys().all(|key| ANNOTATIONS.contains(&key.as_str()));
    if !only_annotations && let Some(reference) = target.remove("$ref") {
        target.insert("allOf".into(), json!([{ "$ref": reference }]));
    }
    for (key, value) in add {
        match (key.as_str(), target.get_mut(&key)) {
            ("items" | "additionalProperties" | "examples", _) | (_, None) => drop(target.insert(key, value)),
            ("required", Some(Value::Array(old))) => {
                old.extend(
                    value.as_array().into_iter().flatten().filter(|v| !old.contains(v)).cloned().collect::<Vec<_>>(),
                );
            }
            ("allOf", Some(Value::Array(old))) => old.extend(value.as_array().cloned().unwrap_or_default()),
            (_, Some(old)) if *old == value => {}
            ("not", Some(_)) => {
                let all = target.entry("allOf").or_insert_with(|| json!([]));
                all.as_array_mut().context("allOf is a list")?.push(json!({ "not": value }));
            }
            (key, Some(_)) => bail!("{key} is there already"),
        }
    }
    Ok(())
}

/// `definitions` in the place of `$defs`, bounds in the place of the formats of Kubernetes, and no keywords of Kubernetes.
fn draft_7(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(draft_7),
        Value::Object(map) => {
            if let Some(definitions) = map.remove("$defs") {
                map.insert("definitions".into(), definitions);
            }
            if let Some(Value::String(target)) = map.get_mut("$ref") {
                *target = target.replace("#/$defs/", "#/definitions/");
            }
            bounds(map);
            map.retain(|key, _| !key.starts_with("x-kubernetes-"));
            map.values_mut().for_each(draft_7);
        }
        _ => {}
    }
}

/// A text beside every pattern, for people; where a pattern must not hold, there is none to be told.
fn say(schema: &mut Value, messages: &[(String, String)]) -> Result<()> {
    match schema {
        Value::Array(items) => items.iter_mut().try_for_each(|item| say(item, messages)),
        Value::Object(map) => {
            if let Some(pattern) = map.get("pattern").and_then(Value::as_str) {
                let known = messages.iter().find(|(part, _)| pattern.contains(part.as_str()));
                let (_, text) = known.with_context(|| format!("no text for the pattern {pattern}"))?;
                map.insert("patternErrorMessage".into(), text.as_str().into());
            }
            map.iter_mut().filter(|(key, _)| *key != "not").try_for_each(|(_, value)| say(value, messages))
        }
        _ => Ok(()),
    }
}

fn bounds(map: &mut Map<String, Value>) {
    if map.get("type").and_then(Value::as_str) != Some("integer") {
        return;
    }
    match map.get("format").and_then(Value::as_str) {
        Some("int32") => {
            map.entry("minimum").or_insert(i32::MIN.into());
            map.entry("maximum").or_insert(i32::MAX.into());
        }
        Some("int64") => {}
        _ => return,
    }
    map.remove("format");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemas::workload_run;

    fn each<'s>(schema: &'s Value, path: &str, visit: &mut dyn FnMut(&str, &'s Map<String, Value>)) {
        match schema {
            Value::Array(items) => items.iter().for_each(|item| each(item, path, visit)),
            Value::Object(map) => {
                visit(path, map);
                map.iter().for_each(|(key, value)| each(value, &format!("{path}/{key}"), visit));
            }
            _ => {}
        }
    }

    fn editor() -> Value {
        schema(&workload_run().unwrap()).unwrap()
    }

    /// Whatever a cursor can stand on has a text.
    #[test]
    fn no_hover_text_is_empty() {
        let schema = editor();
        let text = |field: &Value| -> bool {
            let own = |value: &Value| value["description"].as_str().is_some_and(|text| !text.trim().is_empty());
            let target = field["$ref"].as_str().and_then(|r| schema.pointer(r.trim_start_matches('#')));
            own(field) || target.is_some_and(own)
        };
        assert!(text(&schema));
        let mut bare = Vec::new();
        let mut fields = 0;
        for (name, ty) in
            schema["definitions"].as_object().unwrap().iter().chain([(&"WorkloadRun".to_owned(), &schema)])
        {
            if !text(ty) {
                bare.push(name.clone());
            }
            for (field, value) in ty["properties"].as_object().into_iter().flatten() {
                fields += 1;
                if !text(value) {
                    bare.push(format!("{name}.{field}"));
                }
            }
        }
        assert_eq!(bare, [""; 0]);
        assert!(fields > 500);
    }

    /// Draft 7 looks at nothing beside a reference, and knows none of the newer keywords.
    #[test]
    fn it_is_draft_7() {
        let schema = editor();
        assert!(jsonschema::draft7::meta::is_valid(&schema));
        let newer = ["$defs", "unevaluatedProperties", "dependentRequired", "prefixItems", "minContains", "$anchor"];
        let mut wrong = Vec::new();
        each(&schema, "", &mut |path, map| {
            let names = path.ends_with("/properties") || path.ends_with("/definitions");
            for key in map.keys().filter(|_| !names) {
                let beside = map.contains_key("$ref") && key != "$ref" && !ANNOTATIONS.contains(&key.as_str());
                if beside || newer.contains(&key.as_str()) {
                    wrong.push(format!("{path}: {key}"));
                }
            }
        });
        // A type that has metadata is no schema of its own.
        assert_eq!(wrong, [""; 0]);
    }

    /// A reader refuses unknown fields everywhere but in patches, whose fields an editor cannot know.
    #[test]
    fn objects_are_closed() {
        let schema = editor();
        let mut open = Vec::new();
        each(&schema, "", &mut |path, map| {
            let is_condition = ["/if", "/then", "/not", "/allOf", "/anyOf"].iter().any(|part| path.contains(part));
            if map.contains_key("properties")
                && map["properties"].is_object()
                && !map.contains_key("additionalProperties")
                && !is_condition
            {
                open.push(path.to_owned());
            }
        });
        open.retain(|path| !path.ends_with("/properties") && !path.ends_with("/definitions"));
        assert_eq!(open, ["/definitions/OverrideSpec/properties/dependencies/items"]);
    }

    /// Each rule has a case that nothing but this rule refuses: without it the schema takes something that the checker
    /// refuses (the cases are those of `nvcrectl/tests/editor.rs`, which asks the checker).
    #[test]
    fn every_rule_has_a_case() {
        let run = workload_run().unwrap();
        let rules: Value = serde_yaml::from_str(RULES).unwrap();
        let cases: Vec<Value> = cases::rules().into_iter().map(|(.., bad)| cases::run(&bad)).collect();
        let accepted = |rules: &Value| {
            let validator = jsonschema::validator_for(&with(&run, rules).unwrap()).unwrap();
            cases.iter().filter(|case| validator.is_valid(case)).count()
        };
        assert_eq!(accepted(&rules), 0);
        let mut idle = Vec::new();
        let list = rules["rules"].as_array().unwrap();
        let is_rule =
            |rule: &Value| rule["add"].as_object().unwrap().keys().any(|k| !ANNOTATIONS.contains(&k.as_str()));
        for (at, rule) in list.iter().enumerate().filter(|(_, rule)| is_rule(rule)) {
            let mut fewer = rules.clone();
            fewer["rules"].as_array_mut().unwrap().remove(at);
            if accepted(&fewer) == 0 {
                idle.push(rule["at"].as_str().unwrap());
            }
        }
        assert_eq!(idle, [""; 0]);
    }

    /// An editor shows a sentence where a pattern does not hold, and the right one.
    #[test]
    fn patterns_are_told_in_words() {
        let schema = editor();
        for (at, part) in [
            ("RunMetadata/properties/name", "a letter first"),
            ("RunMetadata/properties/labels/propertyNames", "label key"),
            ("RunMetadata/properties/labels/additionalProperties", "label value"),
            ("RunMetadata/properties/namespace", "lower-case letters, digits and hyphens"),
            ("WorkloadRunSpec/properties/image", "image without blanks"),
            ("WorkloadRunSpec/properties/nicResourceName", "rdma/ib"),
            ("WorkloadRunSpec/properties/priorityClassName", "'-' and '.'"),
            ("WorkloadRunCheckpoint/properties/storageSize", "500Gi"),
            ("WorkloadRunCheckpoint/properties/storageClassName", "'-' and '.'"),
            ("WorkloadConfig/properties/inline/propertyNames", "'_' and '.'"),
            ("GangSchedulerSpec/properties/queue", "label value"),
            ("GangSchedulerSpec/properties/queueLabelKey", "label key"),
            ("TopologySpec/properties/topologyKey", "label key"),
            ("NodeSelectorRequirement/properties/key", "label key"),
            ("LocalObjectReference/properties/name", "'-' and '.'"),
            ("EnvVar/properties/name", "variable"),
            ("Duration", "duration"),
            ("k8s.Quantity", "quantity"),
            ("k8s.Volume/properties/name", "hyphens"),
            ("k8s.VolumeMount/properties/mountPath", "without ':'"),
            ("k8s.ResourceRequirements/properties/limits/propertyNames", "resource"),
        ] {
            let text = schema.pointer(&format!("/definitions/{at}/patternErrorMessage")).and_then(Value::as_str);
            assert!(text.is_some_and(|text| text.contains(part)), "{at}: {text:?}");
        }
    }

    #[test]
    fn examples_and_defaults_are_valid() {
        let schema = editor();
        let mut seen = 0;
        let mut wrong = Vec::new();
        each(&schema, "", &mut |path, map| {
            if path.ends_with("/properties") || path.ends_with("/definitions") {
                return;
            }
            let examples = map.get("examples").and_then(Value::as_array).into_iter().flatten();
            for value in examples.chain(map.get("default")) {
                let mut one = Value::Object(map.clone());
                one["definitions"] = schema["definitions"].clone();
                one["$schema"] = schema["$schema"].clone();
                if let Some(reference) = map.get("$ref") {
                    one["allOf"] = json!([{ "$ref": reference }]);
                    one.as_object_mut().unwrap().remove("$ref");
                }
                seen += 1;
                if !jsonschema::validator_for(&one).unwrap().is_valid(value) {
                    wrong.push(format!("{path}: {value}"));
                }
            }
        });
        assert_eq!(wrong, [""; 0]);
        assert!(seen > 50, "{seen}");
    }
}
