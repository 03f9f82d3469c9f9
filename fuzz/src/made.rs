//! Runs made from those of `fixtures/`, changed along the JSON schema of a run: most are nearly right, so that they get
//! far, and wrong in ways that bytes would hardly find.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use nvcre_core::api::Value;
use nvcre_core::engine::Engine;
use nvcre_core::schema::json_schema_workload_run;
use serde_json::{Map, json};
use std::sync::LazyLock;

macro_rules! fixtures {
    ($($name:literal),+ $(,)?) => { [$(include_str!(concat!("../../fixtures/", $name, "/run.yaml"))),+] };
}

static RUNS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let texts = fixtures![
        "page-sweep-18-2",
        "page-basic-aws-gb300",
        "page-unpinned-gang",
        "page-goodput",
        "page-bandwidth",
        "page-gang-runai",
        "feature-exec-wrapped",
        "feature-torch-script",
        "feature-checkpoint",
        "feature-config-inline",
        "feature-env-value-from",
        "feature-override-cel",
        "feature-override-append",
        "feature-override-json-patch",
        "feature-override-orchestration",
        "feature-override-runtime-merge",
        "feature-volumes-mpi",
        "fleet-taint-selectors",
        "partition-iterations",
        "partition-strict-racks",
    ];
    let engine = Engine::new();
    let read = |text: &&str| engine.read_run(text.as_bytes(), "run.yaml", false).source?.root.map(|r| r.to_value());
    texts.iter().map(|text| read(text).expect("fixtures can be read")).collect()
});

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(json_schema_workload_run()).expect("the schema is JSON"));

/// Texts that mean something somewhere.
const WORDS: [&str; 111] = [
    "", "a", "node", "launcher", "trainer", "torch", "gpu", "sweep", "my-workload", "nccl-all-reduce-fleet-sweep",
    "a-name-of-some-sixty-characters-that-is-legal-as-a-label-abcde", "UPPER", "with.dots", "with_underscore", "-bad",
    "ü", "\u{1F980}", "line\nbreak", "tab\t", "'", "\"", "`id`", "$(id)", "$HOME", "${NCCL_DEBUG}", "$$", "\\", "%s", "{",
    "yes", "no", "null", "~", "0x1F", "1_000", "1e3", "0", "1", "-1", "4", "8", ".5", "7.5", "4k", "4000m", "1Gi",
    "18446744073709551616", "2001-01-01", "<<", "*a", "&a", "!t", "# c", ": ", "- ", "---", "{{ x }}", "key=value",
    "aws", "azure", "gcp", "onprem", "nscale", "gb300", "gb200", "h100", "unknown", "NVIDIA-GB300",
    "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu", "nvidia.com/gpu.product", "nvidia.com/gpu.clique",
    "nvidia.com/gpu.present", "kubernetes.io/hostname", "vpc.amazonaws.com/efa", "nvidia.com/mlnxnics", "rdma/ib",
    "example.com/rack", "topology.k8s.aws/network-node-layer-1", "kubernetes.io/os", "app", "jobset.sigs.k8s.io/x",
    "app.kubernetes.io/managed-by", "nvcre.nvidia.com/run", "Pinned", "Unpinned", "intra-rack", "intra-node",
    "full-scale", "kai-scheduler", "runai-scheduler", "volcano", "30s", "24h0m0s", "-5m", "1h30", "9223372036854775807ns",
    "NCCL_DEBUG", "LD_LIBRARY_PATH", "PATH", "PET_NNODES", "OMPI_ALLOW_RUN_AS_ROOT", "-x", "--mca", "-mca", "btl", "-N",
    "/dev/shm", "/config", "true", "false",
];

/// Keys and pieces of patches.
const KEYS: [&str; 40] = [
    "spec", "metadata", "name", "namespace", "labels", "annotations", "template", "jobTemplate", "workload", "trainJob",
    "trainer", "env", "value", "valueFrom", "args", "command", "image", "numNodes", "numProcPerNode", "runtimePatches",
    "runtimeRef", "manager", "trainingRuntimeSpec", "replicatedJobs", "containers", "initContainers", "volumes",
    "volumeMounts", "resources", "limits", "requests", "nvidia.com/gpu", "tolerations", "affinity", "mlPolicy", "mpi",
    "$patch", "$setElementOrder/containers", "kind", "apiVersion",
];

/// A run, as a document.
pub fn run(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut run = u.choose(&RUNS)?.clone();
    if u.ratio(3, 4)? {
        // The nodes of a fixture are not ours.
        run["spec"].as_object_mut().expect("a run has a spec").remove("target");
    }
    if one_in(u, 2)? {
        run["spec"]["numNodes"] = u.int_in_range(1..=5)?.into();
    }
    for _ in 0..*u.choose(&[0, 1, 1, 1, 2, 2, 3, 5])? {
        edit(u, &mut run, &SCHEMA)?;
    }
    Ok(run)
}

/// True once in so many times, and never when the bytes are used up.
pub fn one_in(u: &mut Unstructured<'_>, many: u8) -> Result<bool> {
    Ok(u.int_in_range(1..=many)? == many)
}

/// A text that means something, or anything.
pub fn word(u: &mut Unstructured<'_>) -> Result<String> {
    Ok(match u.int_in_range(0..=19)? {
        0 => u.arbitrary::<String>()?,
        1 => format!("{}{}", u.choose(&WORDS)?, u.choose(&WORDS)?),
        2 => u.choose(&WORDS)?.repeat(u.int_in_range(1..=64)?),
        3 => (*u.choose(&KEYS)?).to_owned(),
        _ => (*u.choose(&WORDS)?).to_owned(),
    })
}

/// Goes down from a place of a run, and changes something there.
fn edit(u: &mut Unstructured<'_>, value: &mut Value, schema: &Value) -> Result<()> {
    let schema = resolved(schema);
    match value {
        Value::Object(map) if u.ratio(9, 10)? => {
            let there: Vec<String> = map.keys().cloned().collect();
            let named: Vec<&String> = properties(schema).map(|(name, _)| name).collect();
            let key = match u.int_in_range(0..=9)? {
                0..=4 if !there.is_empty() => u.choose(&there)?.clone(),
                0..=8 if !named.is_empty() => (*u.choose(&named)?).clone(),
                _ => word(u)?,
            };
            let below = of_key(schema, &key);
            match map.get_mut(&key) {
                Some(_) if one_in(u, 12)? => drop(map.remove(&key)),
                Some(old) => edit(u, old, below)?,
                None => drop(map.insert(key, made(u, below, 0)?)),
            }
        }
        Value::Array(items) if u.ratio(9, 10)? => {
            let below = schema.get("items").unwrap_or(&Value::Null);
            let index = u.choose_index(items.len() + 1)?;
            match items.get_mut(index) {
                Some(_) if one_in(u, 12)? => drop(items.remove(index)),
                Some(item) if one_in(u, 8)? => {
                    let again = item.clone();
                    items.push(again);
                }
                Some(item) => edit(u, item, below)?,
                None => items.push(made(u, below, 0)?),
            }
        }
        value => *value = made(u, schema, 0)?,
    }
    Ok(())
}

fn resolved(schema: &Value) -> &Value {
    // A type with rules of its own stands as the only element of a list.
    let schema = match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) if only.get("$ref").is_some() => only,
        _ => schema,
    };
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.rsplit('/').next());
    name.and_then(|n| SCHEMA.get("definitions")?.get(n)).unwrap_or(schema)
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn of_key<'a>(schema: &'a Value, key: &str) -> &'a Value {
    let own = schema.get("properties").and_then(|p| p.get(key));
    own.or_else(|| schema.get("additionalProperties").filter(|a| a.is_object())).unwrap_or(&Value::Null)
}

/// A value as a schema wants it, or nearly so.
fn made(u: &mut Unstructured<'_>, schema: &Value, depth: usize) -> Result<Value> {
    let schema = resolved(schema);
    if one_in(u, 30)? {
        return anything(u, depth);
    }
    if let Some(value) = schema.get("const") {
        return Ok(value.clone());
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Ok(u.choose(values)?.clone());
    }
    if let Some(ways) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)
        && schema.get("properties").is_none()
    {
        let way = u.choose(ways)?;
        return made(u, way, depth);
    }
    Ok(match schema.get("type").and_then(Value::as_str) {
        Some("string") => word(u)?.into(),
        Some("boolean") => u.arbitrary::<bool>()?.into(),
        Some("integer" | "number") => number(u)?,
        Some("array") => {
            let below = schema.get("items").unwrap_or(&Value::Null);
            let count = if depth > 6 { 0 } else { u.int_in_range(0..=3)? };
            (0..count).map(|_| made(u, below, depth + 1)).collect::<Result<Vec<_>>>()?.into()
        }
        Some("object") if schema.get("properties").is_some() => {
            let required: Vec<&str> =
                schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
            let mut map = Map::new();
            for (name, below) in properties(schema) {
                if required.contains(&name.as_str()) && !one_in(u, 40)? || depth < 5 && one_in(u, 5)? {
                    map.insert(name.clone(), made(u, below, depth + 1)?);
                }
            }
            map.into()
        }
        Some("object") if schema.get("additionalProperties").is_some_and(Value::is_object) => {
            let mut map = Map::new();
            for _ in 0..u.int_in_range(0..=3)? {
                map.insert(word(u)?, made(u, &schema["additionalProperties"], depth + 1)?);
            }
            map.into()
        }
        Some("object") => free_object(u, depth)?,
        _ => anything(u, depth)?,
    })
}

fn number(u: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match u.int_in_range(0..=7)? {
        0 => u.arbitrary::<i64>()?.into(),
        1 => json!(u.choose(&[i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN, 1 << 32])?),
        2 => json!(u.choose(&[0.5, -0.0, 1e300, 1e-7])?),
        3 => u.int_in_range(-2..=200)?.into(),
        _ => u.int_in_range(0..=9)?.into(),
    })
}

fn free_object(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let mut map = Map::new();
    for _ in 0..u.int_in_range(0..=3)? {
        let key = if one_in(u, 6)? { word(u)? } else { (*u.choose(&KEYS)?).to_owned() };
        map.insert(key, anything(u, depth + 1)?);
    }
    Ok(map.into())
}

fn anything(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match u.int_in_range(0..=if depth > 9 { 5 } else { 9 })? {
        0 => Value::Null,
        1 => u.arbitrary::<bool>()?.into(),
        2 => number(u)?,
        3..=5 => word(u)?.into(),
        6 => {
            let count = u.int_in_range(0..=3)?;
            (0..count).map(|_| anything(u, depth + 1)).collect::<Result<Vec<_>>>()?.into()
        }
        _ => free_object(u, depth)?,
    })
}
