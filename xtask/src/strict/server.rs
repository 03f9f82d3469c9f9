//! The kinds that are served, each with its schema.

use super::close::close;
use super::{keywords, objects, pods};
use crate::kube::{self, Definitions};
use jsonschema::Validator;
use k8s_openapi::api::scheduling::v1::PriorityClass;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Kinds of Kubernetes that a rendering can hold.
const KUBERNETES: [(&str, &str); 5] = [
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "PersistentVolumeClaim"),
    ("resource.k8s.io/v1", "ResourceClaimTemplate"),
    ("scheduling.k8s.io/v1", "PriorityClass"),
];

/// Schemas by apiVersion and kind.
pub struct Server {
    kinds: BTreeMap<(String, String), Validator>,
}

impl Server {
    /// Serves every CRD of a folder, the one of WorkloadRuns and the kinds of Kubernetes.
    pub fn new(folder: &Path) -> Self {
        let definitions = definitions();
        let mut kinds = BTreeMap::new();
        for (version, kind) in KUBERNETES {
            let schema = json!({ "$ref": format!("#/$defs/k8s.{kind}"), "$defs": definitions });
            kinds.insert((version.to_owned(), kind.to_owned()), compile(&schema));
        }
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "yaml") {
                let crd: Value = serde_yaml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
                serve(&crd, &definitions, &mut kinds);
            }
        }
        serve(&serde_yaml::from_str(nvcre_core::schema::workload_run_crd()).unwrap(), &definitions, &mut kinds);
        Self { kinds }
    }

    /// Everything that keeps a manifest from being created, each with the place in it.
    pub fn refusals(&self, manifest: &Value) -> Vec<String> {
        let text = |key: &str| manifest[key].as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let Some(validator) = self.kinds.get(&(version.clone(), kind.clone())) else {
            return vec![format!("no kind {kind} in {version}")];
        };
        let mut out: Vec<String> =
            validator.iter_errors(manifest).map(|e| format!("{}: {e}", e.instance_path())).collect();
        objects::check(manifest, &mut out);
        pods::check(manifest, &mut out);
        out
    }
}

fn serve(crd: &Value, definitions: &Value, kinds: &mut BTreeMap<(String, String), Validator>) {
    let (group, kind) = (crd["spec"]["group"].as_str().unwrap(), crd["spec"]["names"]["kind"].as_str().unwrap());
    for version in crd["spec"]["versions"].as_array().unwrap().iter().filter(|v| v["served"] == true) {
        let mut schema = version["schema"]["openAPIV3Schema"].clone();
        close(&mut schema, true);
        // The server knows these three by itself, whatever the CRD says.
        schema["properties"]["metadata"] = json!({ "$ref": "#/$defs/k8s.ObjectMeta" });
        schema["$defs"] = definitions.clone();
        let api_version = format!("{group}/{}", version["name"].as_str().unwrap());
        kinds.insert((api_version, kind.to_owned()), compile(&schema));
    }
}

/// Kubernetes' own types, closed.
fn definitions() -> Value {
    let mut definitions: Definitions = kube::definitions().unwrap();
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<PriorityClass>();
    definitions.extend(kube::taken(&mut generator).unwrap());
    crate::schemas::quantities(&mut definitions);
    let mut out = Map::new();
    for (name, mut schema) in definitions {
        close(&mut schema, false);
        out.insert(name, schema);
    }
    out.into()
}

fn compile(schema: &Value) -> Validator {
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .with_keyword("x-kubernetes-list-type", |parent, value, _| Ok(keywords::list_type(parent, value)))
        .with_keyword("x-kubernetes-validations", |_, value, _| Ok(keywords::validations(value)))
        .build(schema)
        .unwrap()
}
