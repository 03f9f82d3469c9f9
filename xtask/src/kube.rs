//! Schemas of Kubernetes' own types, as k8s-openapi ships them, under short names: `k8s.Volume`.

use anyhow::{Result, bail};
use k8s_openapi::api::{batch::v1 as batch, core::v1 as core, resource::v1 as resource};
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::Value;
use std::collections::BTreeMap;

/// Schemas by short name.
pub type Definitions = BTreeMap<String, Value>;

/// The pod types that a run, a Workflow and their dependencies can hold, with everything they refer to.
pub fn definitions() -> Result<Definitions> {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    macro_rules! roots {
        ($($type:ty),+ $(,)?) => { $(generator.subschema_for::<$type>();)+ };
    }
    roots!(
        core::Volume,
        core::VolumeMount,
        core::Container,
        core::ResourceRequirements,
        core::EnvVarSource,
        core::EnvVar,
        core::Affinity,
        core::PodSecurityContext,
        core::SecurityContext,
        core::PodSchedulingGate,
        core::Toleration,
        core::PodSpec,
        core::LocalObjectReference,
        core::PersistentVolumeClaim,
        core::ConfigMap,
        core::Secret,
        batch::JobTemplateSpec,
        resource::ResourceClaimTemplate,
        meta::ObjectMeta,
    );
    taken(&mut generator)
}

/// The definitions of a generator under short names.
pub fn taken(generator: &mut SchemaGenerator) -> Result<Definitions> {
    let mut out = Definitions::new();
    for (name, mut schema) in generator.take_definitions(false) {
        shorten(&mut schema);
        let short = short_name(&name);
        if out.insert(short.clone(), schema).is_some() {
            bail!("two types of Kubernetes are called {short}");
        }
    }
    Ok(out)
}

fn short_name(long: &str) -> String {
    format!("k8s.{}", long.rsplit('.').next().unwrap_or(long))
}

/// Short names in references, and of each description the first sentence.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match (key.as_str(), value.as_str()) {
                    ("$ref", Some(target)) => {
                        let name = target.rsplit('/').next().unwrap_or(target);
                        *value = format!("#/$defs/{}", short_name(name)).into();
                    }
                    ("description", Some(text)) => *value = first_sentence(text).into(),
                    _ => shorten(value),
                }
            }
        }
        _ => {}
    }
}

fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let end = line.match_indices(". ").map(|(at, _)| at + 1).find(|end| {
        let before = line.get(..*end).unwrap_or_default();
        !before.ends_with("e.g.") && !before.ends_with("i.e.") && !before.ends_with("etc.")
    });
    line.get(..end.unwrap_or(line.len())).unwrap_or(line).trim()
}
