//! `docs/json.md`: its tables are those of the schemas, its examples are real output, and real output fits the schemas.
//! `UPDATE=1` rewrites the generated parts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(missing_docs)]

mod common;

use common::{root, run};
use nvcre_core::engine::{Delivery, Engine, Options};
use nvcre_core::fleet::{Inventory, InventoryReader};
use nvcre_core::yaml;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PAIRS: &str = "fixtures/partition-3-2-leftovers/run.yaml";
const PAIRS_NODES: &str = "fixtures/inventories/onprem-h100-18.yaml";
const PAGE: &str = "fixtures/page-basic-aws-gb300/run.yaml";
const PAGE_NODES: &str = "fixtures/inventories/aws-gb300-16.yaml";

fn stdout(words: &[&str]) -> String {
    let ran = run(words);
    assert_eq!(ran.code, 0, "{words:?}: {}", ran.stderr);
    ran.stdout
}

fn output(words: &[&str]) -> Value {
    serde_json::from_str(&stdout(words)).unwrap()
}

fn findings(words: &[&str]) -> Vec<Value> {
    run(words).stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn inventory(path: &str) -> Inventory {
    let mut reader = InventoryReader::new();
    reader.read(path, std::fs::File::open(root().join(path)).unwrap());
    reader.finish().value
}

/// The trace of the page's example on its nodes.
fn trace() -> Value {
    let engine = Engine::new();
    let run = engine.read_run(&std::fs::read(root().join(PAGE)).unwrap(), PAGE, false);
    let nodes = inventory(PAGE_NODES);
    let (_, trace) = engine.render_traced(&run, Some(&nodes), &Options::default());
    serde_json::to_value(&trace).unwrap()
}

/// All manifests of the first group.
fn manifests(delivery: Delivery) -> Vec<Value> {
    let engine = Engine::new();
    let run = engine.read_run(&std::fs::read(root().join(PAGE)).unwrap(), PAGE, false);
    let nodes = inventory(PAGE_NODES);
    let rendering = engine.render(&run, Some(&nodes), &Options::default());
    let jobs = rendering.jobs(delivery);
    let prepared = jobs.prepared.unwrap();
    let mut out = prepared.shared(yaml::to_yaml);
    out.extend(prepared.manifests(prepared.jobs().next().unwrap()));
    out.iter().map(|manifest| serde_json::to_value(manifest).unwrap()).collect()
}

fn run_plan() -> Value {
    let text = stdout(&["workloadrun", "render", PAIRS, "--nodes", PAIRS_NODES, "--show", "manifests", "-o", "json"]);
    let record: Value = serde_json::Deserializer::from_str(&text).into_iter().next().unwrap().unwrap();
    assert_eq!(record["metadata"]["name"], "rack13-pairs-nvcre-run");
    serde_json::from_str(record["data"]["plan.json"].as_str().unwrap()).unwrap()
}

/// A subject of every kind.
const SUBJECTS: [&str; 8] = [
    "arg/--mca/pml",
    "line/0",
    "value/gpusPerNode",
    "node/ip-10-52-26-131.us-west-2.compute.internal",
    "override/E3",
    "override/E7",
    "group/group-1",
    "TrainJob:spec",
];

fn explain(subjects: &[&str]) -> Value {
    output(&[&["workloadrun", "explain", PAGE, "--nodes", PAGE_NODES, "-o", "json"], subjects].concat())
}

/// A difference: exit code 1 says that there is one.
fn diff(words: &[&str]) -> Value {
    let ran = run(&[&["workloadrun", "diff", PAGE], words, &["-o", "json"]].concat());
    assert_eq!(ran.code, 1, "{words:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A scenario that differs from its snapshot.
fn review() -> Value {
    let ran = run(&["snapshot", "check", "--root", "fixtures/findings/NV304-snapshot-differs/root", "-o", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Real output, in full, by the name of its schema.
fn outputs() -> BTreeMap<&'static str, Vec<Value>> {
    let trace = trace();
    let all_platforms = output(&["platforms", "-o", "json"]);
    let racks = ["cluster", "info", "--nodes", PAGE_NODES, "-o", "json"];
    let plan = |run: &str, nodes: &str| output(&["workloadrun", "plan", run, "--nodes", nodes, "-o", "json"]);
    let workflow = output(&["workloadrun", "render", PAGE, "--nodes", PAGE_NODES, "-o", "json"]);
    let template = output(&["workloadrun", "render", PAGE, "-o", "json"]);
    let mut manifest = manifests(Delivery::Trainer);
    manifest.extend(manifests(Delivery::Controller));
    let page = plan(PAGE, PAGE_NODES);
    let outcomes = page["appliedOverrides"].as_array().unwrap().clone();
    let mut bad = findings(&["workloadrun", "check", "fixtures/bad-several/run.yaml", "--message-format", "json"]);
    bad.extend(findings(&["workloadrun", "check", "fixtures/bad-duplicate-keys/run.yaml", "--message-format", "json"]));
    BTreeMap::from([
        ("diagnostic", bad),
        ("plan", vec![plan(PAIRS, PAIRS_NODES), page]),
        ("run-plan", vec![run_plan()]),
        ("workflow", vec![workflow, template]),
        ("manifest", manifest),
        ("trace", vec![trace]),
        ("override-outcome", outcomes),
        ("explanation", vec![explain(&["env/NCCL_SOCKET_IFNAME"]), explain(&[]), explain(&SUBJECTS)]),
        (
            "difference",
            vec![
                diff(&["fixtures/page-env/run.yaml", "--nodes", PAGE_NODES]),
                diff(&[PAGE, "--nodes-a", PAGE_NODES, "--nodes-b", "fixtures/inventories/aws-h100-16.yaml"]),
                diff(&[PAGE, "--edition-b", "latest"]),
                diff(&[PAIRS, "--platform", "onprem", "--gpu-arch", "h100", "--assume-nodes", "7"]),
            ],
        ),
        (
            "snapshot-review",
            vec![review(), output(&["snapshot", "check", "page-env", "--root", "fixtures", "-o", "json"])],
        ),
        (
            "matrix",
            vec![
                output(&["workloadrun", "matrix", PAGE, "--platform", "gcp", "--gpu-arch", "rtxpro6000", "-o", "json"]),
                output(&["workloadrun", "matrix", PAGE, "--editions", "-o", "json"]),
                output(&["workloadrun", "matrix", PAGE, "--test-scale", "intra-rack", "-o", "json"]),
            ],
        ),
        ("cluster-info", vec![output(&racks)]),
        ("platforms", vec![all_platforms]),
    ])
}

/// What the documentation shows of it.
fn example(name: &str, outputs: &BTreeMap<&str, Vec<Value>>) -> String {
    let first = |name: &str| outputs[name][0].clone();
    let cut = |value: &mut Value, pointer: &str, length: usize| {
        value.pointer_mut(pointer).unwrap().as_array_mut().unwrap().truncate(length);
    };
    let value = match name {
        "diagnostic" => {
            let lines = outputs["diagnostic"].iter().filter(|d| d["code"] == "NV004" || d["code"] == "NV002").take(6);
            return lines.map(|line| line.to_string() + "\n").collect();
        }
        "plan" => {
            let mut plan = first("plan");
            cut(&mut plan, "/excluded", 1);
            plan
        }
        "difference" => {
            let mut difference = first("difference");
            // Whole command lines stand beside their words.
            for change in difference["objects"][0]["changes"].as_array_mut().unwrap() {
                if change["path"] == "spec.trainer.args" {
                    change["old"] = json!(["…"]);
                    change["new"] = json!(["…"]);
                }
            }
            cut(&mut difference, "/objects", 1);
            difference
        }
        "matrix" => {
            let mut matrix = first("matrix");
            // A Workflow has a section of its own, and whole command lines stand beside their words.
            matrix["plain"][0]["workflow"] = json!({"kind": "Workflow"});
            cut(&mut matrix, "/variants/0/changes", 1);
            let change = &mut matrix["variants"][0]["changes"][0];
            (change["old"], change["new"]) = (json!(["…"]), json!(["…"]));
            matrix["common"] = json!({});
            matrix
        }
        "workflow" => output(&[
            "workloadrun",
            "render",
            "fixtures/feature-gpus-per-node/run.yaml",
            "--platform",
            "onprem",
            "--gpu-arch",
            "h100",
            "-o",
            "json",
        ]),
        "manifest" => Value::Array(outputs["manifest"].iter().take(7).map(identity).collect()),
        "trace" => {
            let mut seen = Vec::new();
            let mut trace = first("trace");
            trace["changes"].as_array_mut().unwrap().retain(|change| {
                let kind = (change["subject"]["kind"].clone(), change["origin"]["kind"].clone());
                let is_new = !seen.contains(&kind) && change.to_string().len() < 600;
                seen.push(kind);
                is_new
            });
            trace
        }
        "snapshot-review" => {
            let mut review = first("snapshot-review");
            // The findings of the difference are findings as any other.
            cut(&mut review, "/scenarios/0/difference/findings/added", 1);
            cut(&mut review, "/scenarios/0/difference/meanings", 1);
            review
        }
        "cluster-info" => {
            let mut info = first("cluster-info");
            cut(&mut info, "/nodes", 2);
            cut(&mut info, "/topology/racks", 1);
            info
        }
        "platforms" => {
            let mut platforms = first("platforms");
            cut(&mut platforms, "/rows", 1);
            cut(&mut platforms, "/entries", 2);
            platforms
        }
        name => first(name),
    };
    serde_json::to_string_pretty(&value).unwrap() + "\n"
}

/// A manifest with an object that only says which one it is.
fn identity(manifest: &Value) -> Value {
    let object = &manifest["value"];
    let mut out = manifest.clone();
    out["value"] = json!({
        "apiVersion": object["apiVersion"],
        "kind": object["kind"],
        "metadata": { "name": object["metadata"]["name"] },
    });
    out
}

fn schema(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root().join(format!("docs/schemas/{name}.json"))).unwrap()).unwrap()
}

/// Tables of the fields of a type and of the types below it.
fn fields(name: &str) -> String {
    let schema = schema(name);
    let mut out = rows(&schema);
    let mut done = vec![String::new()];
    let mut open = references(&schema);
    while !open.is_empty() {
        let name = open.remove(0);
        // Kubernetes' own types, and those of a run, are documented elsewhere.
        if done.contains(&name) || name.starts_with("k8s.") {
            continue;
        }
        let definition = &schema["$defs"][&name];
        let table = rows(definition);
        if !table.is_empty() {
            let text = definition["description"].as_str().unwrap_or_default();
            let text = plain(text);
            out.push_str(&format!("\n**{name}**: {text}\n\n{table}"));
        }
        if schema["title"] != "Workflow" {
            open.extend(references(definition));
        }
        done.push(name);
    }
    out
}

/// A description in one line, without the links of rustdoc.
fn plain(text: &str) -> String {
    text.replace('\n', " ").replace("[`", "`").replace("`]", "`")
}

/// The fields of one type, or its words, or its forms.
fn rows(schema: &Value) -> String {
    let cell = |text: &str| plain(text).replace('|', "\\|");
    let described = |value: &Value| cell(value["description"].as_str().unwrap_or_default());
    if let Some(properties) = schema["properties"].as_object() {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut out = "| field | type | | what |\n|---|---|---|---|\n".to_owned();
        for (name, field) in properties {
            let presence = if required.iter().any(|r| r == name) { "always" } else { "" };
            out.push_str(&format!("| `{name}` | {} | {presence} | {} |\n", kind(field), described(field)));
        }
        return out;
    }
    let Some(forms) = schema["oneOf"].as_array() else { return String::new() };
    let mut out = String::new();
    for form in forms {
        if let Some(word) = form["const"].as_str() {
            out.push_str(&format!("* `{word}`: {}\n", described(form)));
        } else if let Some(kind_word) = form.pointer("/properties/kind/const").and_then(Value::as_str) {
            let others = form["properties"].as_object().unwrap().iter().filter(|(name, _)| *name != "kind");
            let others: Vec<String> =
                others.map(|(name, field)| format!("`{name}` ({}): {}", kind(field), described(field))).collect();
            let others = if others.is_empty() { String::new() } else { format!(" {}", others.join(" ")) };
            out.push_str(&format!("* `kind: {kind_word}`: {}{others}\n", described(form)));
        } else if let Some(words) = form["enum"].as_array() {
            let words: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_str().unwrap())).collect();
            out.push_str(&format!("* {}\n", words.join(", ")));
        }
    }
    out
}

/// The type of a field for people.
fn kind(field: &Value) -> String {
    if let Some(name) = field["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        return if name == "FieldPath" { "field path".into() } else { name.to_owned() };
    }
    match field["type"].as_str() {
        Some("array") => format!("list of {}", kind(&field["items"])),
        Some("object") if field["additionalProperties"].is_object() => {
            format!("map to {}", kind(&field["additionalProperties"]))
        }
        Some("integer") => "whole number".into(),
        Some("boolean") => "bool".into(),
        Some(word) => word.into(),
        None => "any".into(),
    }
}

fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| *key != "$defs")
            .flat_map(|(key, value)| match value.as_str() {
                Some(name) if key == "$ref" => vec![name.trim_start_matches("#/$defs/").to_owned()],
                _ => references(value),
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn tables_and_examples_are_current() {
    let path = root().join("docs/json.md");
    let old = std::fs::read_to_string(&path).unwrap();
    let outputs = outputs();
    let mut new = String::new();
    let mut skipping = false;
    for line in old.lines() {
        if line == "<!-- end -->" {
            skipping = false;
        }
        if !skipping {
            new.push_str(line);
            new.push('\n');
        }
        let Some(words) = line.strip_prefix("<!-- generated: ").and_then(|l| l.strip_suffix(" -->")) else { continue };
        skipping = true;
        new.push_str(&match words.split_once(' ').unwrap() {
            ("fields", name) => fields(name),
            ("example", "diagnostic") => format!("```text\n{}```\n", example("diagnostic", &outputs)),
            ("example", name) => format!("```json\n{}```\n", example(name, &outputs)),
            other => panic!("{other:?}"),
        });
    }
    assert!(!skipping, "a generated part has no end");
    for name in outputs.keys() {
        assert!(new.contains(&format!("(schemas/{name}.json)")), "docs/json.md does not link the schema {name}");
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &new).unwrap();
    } else {
        assert!(old == new, "docs/json.md is not current: run `UPDATE=1 cargo test -p nvcrectl --test json_forms`");
    }
}

#[test]
fn real_output_fits_its_schema() {
    for (name, values) in outputs() {
        let validator = jsonschema::validator_for(&schema(name)).unwrap();
        assert!(!values.is_empty(), "{name}");
        for value in values {
            let errors: Vec<String> =
                validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
            assert_eq!(errors, [""; 0], "{name}");
        }
    }
}

#[test]
fn versions_are_told() {
    let version = output(&["version", "-o", "json"]);
    assert_eq!(
        version["forms"],
        json!({
            "clusterInfo": "nvcre.nvidia.com/cluster-info/v1",
            "diff": "nvcre.nvidia.com/diff/v1",
            "explain": "nvcre.nvidia.com/explain/v1",
            "findings": "nvcre.nvidia.com/findings/v1",
            "manifests": "nvcre.nvidia.com/manifests/v1",
            "matrix": "nvcre.nvidia.com/matrix/v1",
            "plan": "nvcre.nvidia.com/plan/v1",
            "platforms": "nvcre.nvidia.com/platforms/v1",
            "runPlan": 1,
            "trace": "nvcre.nvidia.com/trace/v1",
        })
    );
    let docs = std::fs::read_to_string(root().join("docs/json.md")).unwrap();
    for format in version["forms"].as_object().unwrap().values().filter_map(Value::as_str) {
        assert!(docs.contains(format), "docs/json.md does not name {format}");
    }
    assert_eq!(output(&["platforms", "-o", "json"])["format"], version["forms"]["platforms"]);
    assert_eq!(run_plan()["format"], version["forms"]["runPlan"]);
}
