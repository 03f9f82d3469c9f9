//! JSON schemas: of a run for editors (with the types of Kubernetes), and of the forms that the library gives out.

use crate::files::Generated;
use crate::kube::Definitions;
use crate::{crd, editor, kube, own};
use anyhow::{Context, Result};
use nvcre_core::api::{OverrideSpec, Workflow};
use nvcre_core::catalogue::Catalogue;
use nvcre_core::compare::Difference;
use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::engine::{Knowledge, Plan};
use nvcre_core::explain::Explanation;
use nvcre_core::fleet::ClusterInfo;
use nvcre_core::jobs::{Manifest, RunPlan};
use nvcre_core::matrix::Matrix;
use nvcre_core::snapshot::{Review, ScenarioFile, SnapshotSettings};
use nvcre_core::trace::{OverrideOutcome, Trace};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Schemas and the CRD.
pub fn files() -> Result<Vec<Generated>> {
    let run = workload_run()?;
    let mut out = vec![
        Generated {
            path: "nvcre-core/src/schema/workloadrun.schema.json".into(),
            text: pretty(&editor::schema(&run)?)?,
        },
        Generated { path: "nvcre-core/src/schema/workloadruns.crd.yaml".into(), text: crd::text(&run)? },
    ];
    // To document one more type, add it here.
    macro_rules! documented {
        ($($contract:ident $type:ty => $name:literal),+ $(,)?) => { $(
            let settings = SchemaSettings::draft2020_12().$contract();
            let mut generator = settings.into_generator();
            generator.subschema_for::<$type>();
            let mut definitions = own::cleaned(&mut generator);
            definitions.extend(kube::definitions()?);
            let text = pretty(&rooted(&<$type as schemars::JsonSchema>::schema_name(), &definitions)?)?;
            out.push(Generated { path: concat!("docs/schemas/", $name, ".json").into(), text });
        )+ };
    }
    documented!(
        for_serialize Diagnostic => "diagnostic",
        for_serialize Workflow => "workflow",
        for_serialize Plan => "plan",
        for_serialize RunPlan => "run-plan",
        for_serialize Manifest => "manifest",
        for_serialize ClusterInfo => "cluster-info",
        for_serialize Knowledge => "platforms",
        for_serialize Trace => "trace",
        for_serialize OverrideOutcome => "override-outcome",
        for_serialize Explanation => "explanation",
        for_serialize Difference => "difference",
        for_serialize Matrix => "matrix",
        for_serialize Review => "snapshot-review",
        for_deserialize OverrideSpec => "override",
        for_deserialize Catalogue => "catalogue",
        for_deserialize ScenarioFile => "scenario",
        for_deserialize SnapshotSettings => "snapshots",
    );
    Ok(out)
}

/// The schema of a run.
pub fn workload_run() -> Result<Value> {
    let mut definitions = own::definitions();
    definitions.extend(kube::definitions()?);
    quantities(&mut definitions);
    rooted("WorkloadRun", &definitions)
}

/// The pattern of a quantity that is written as a string.
pub const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// Kubernetes' schemas mark quantities and numbers-or-strings only with an extension; plain JSON schema needs a type.
pub fn quantities(definitions: &mut Definitions) {
    for (name, pattern) in [("k8s.Quantity", Some(QUANTITY)), ("k8s.IntOrString", None)] {
        if let Some(Value::Object(map)) = definitions.get_mut(name) {
            map.insert("type".into(), json!([if pattern.is_some() { "number" } else { "integer" }, "string"]));
            if let Some(pattern) = pattern {
                map.insert("pattern".into(), pattern.into());
            }
        }
    }
    for (name, schema) in definitions.iter_mut().filter(|(name, _)| name.starts_with("k8s.")) {
        // What a server writes may hold more than this release knows.
        if name != "k8s.ObjectMeta"
            && let Value::Object(map) = schema
            && map.contains_key("properties")
        {
            map.insert("additionalProperties".into(), false.into());
        }
    }
}

/// A schema with one definition at its root and everything it refers to below `$defs`.
fn rooted(name: &str, definitions: &Definitions) -> Result<Value> {
    let root = definitions.get(name).with_context(|| format!("no schema of {name}"))?;
    let mut out = root.as_object().cloned().unwrap_or_default();
    out.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    out.insert("title".into(), name.into());
    let mut defs = BTreeMap::new();
    collect(root, definitions, &mut defs)?;
    if !defs.is_empty() {
        out.insert("$defs".into(), Value::Object(defs.into_iter().collect::<Map<_, _>>()));
    }
    Ok(Value::Object(out))
}

fn collect(schema: &Value, all: &Definitions, out: &mut BTreeMap<String, Value>) -> Result<()> {
    match schema {
        Value::Array(items) => items.iter().try_for_each(|item| collect(item, all, out)),
        Value::Object(map) => {
            if let Some(name) = map.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/"))
                && !out.contains_key(name)
            {
                let target = all.get(name).with_context(|| format!("nothing is called {name}"))?;
                out.insert(name.to_owned(), target.clone());
                collect(target, all, out)?;
            }
            map.values().try_for_each(|value| collect(value, all, out))
        }
        _ => Ok(()),
    }
}

fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNS: &str = include_str!("../data/runs.yaml");

    #[test]
    fn schemas_are_current() {
        assert_eq!(crate::files::stale(&files().unwrap()), [""; 0], "run `cargo xtask schemas`");
    }

    #[test]
    fn every_schema_is_one() {
        for file in files().unwrap().iter().filter(|f| f.path.ends_with(".json")) {
            let schema = serde_json::from_str(&file.text).unwrap();
            assert!(jsonschema::meta::is_valid(&schema), "{}", file.path);
            jsonschema::validator_for(&schema).unwrap();
        }
    }

    #[test]
    fn the_schema_of_a_run_accepts_and_refuses() {
        let run = workload_run().unwrap();
        accepts_and_refuses(&run);
        accepts_and_refuses(&editor::schema(&run).unwrap());
    }

    fn accepts_and_refuses(schema: &Value) {
        let validator = jsonschema::validator_for(schema).unwrap();
        let runs: Vec<Value> = serde_yaml::from_multiple(RUNS).unwrap();
        assert!(runs.len() > 30);
        for run in runs {
            let name = run.pointer("/metadata/name").unwrap().as_str().unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&run).map(|e| format!("{}: {e}", e.instance_path())).collect();
            let wanted = name.starts_with("ok-") || name.starts_with("crd-");
            assert_eq!(errors.is_empty(), wanted, "{name}: {errors:?}");
        }
    }

    /// What the schema accepts, the reader accepts; what the schema refuses for its types, the reader finds.
    #[test]
    fn the_reader_agrees_with_the_schema_on_types() {
        use nvcre_core::yaml::{Limits, read_documents};
        let sources = read_documents(RUNS.as_bytes(), "runs.yaml", &Limits::default());
        assert_eq!(sources.diagnostics, []);
        let mut refused = Vec::new();
        for source in &sources.value {
            let read = nvcre_core::schema::decode_run(source, false);
            if !read.diagnostics.is_empty() {
                refused.push(read.value.metadata.name);
            }
        }
        let types = [
            "bad-no-image",
            "bad-nodes-as-string",
            "bad-env-bool",
            "bad-unknown-field",
            "bad-unknown-field-in-volume",
            "bad-volume-without-name",
            "bad-quantity",
            "bad-override-without-when",
            "bad-interval",
        ];
        assert_eq!(refused, types);
    }

    #[test]
    fn descriptions_are_for_people() {
        let text = pretty(&workload_run().unwrap()).unwrap();
        assert!(!text.contains('§') && !text.contains("(00 D"));
        let run = workload_run().unwrap();
        let undescribed: Vec<&String> = run
            .pointer("/$defs/WorkloadRunSpec/properties")
            .unwrap()
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, field)| field.get("description").is_none())
            .map(|(name, _)| name)
            .collect();
        assert_eq!(undescribed, [""; 0]);
    }
}
