//! Suites `platform/override-mpi-args`, `platform/build-overrides`, `nodes`, and the platform part of
//! `workloadrun/apply-platform-mpi-args`.

use nvcre_core::catalogue::{Catalogue, Framework, Inputs};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The engine's list without the AWS cleanup narrowed is the edition `documented` (00 D1).
const EDITION: &str = "documented";

fn folder(suite: &str) -> Option<PathBuf> {
    let root = std::env::var_os("NVCRE_GOLDEN_DIR").map(PathBuf::from);
    let root = root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden"));
    let folder = root.join(suite);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("{} is absent: the suite is skipped", folder.display());
    None
}

/// Cases of a suite; each must be one of `known`.
fn cases(suite: &str, known: &[&str]) -> Vec<(String, Value, Value)> {
    let Some(folder) = folder(suite) else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            names.push(entry.file_name().into_string().unwrap());
        }
    }
    names.sort();
    let read = |name: &str, file: &str| {
        let text = fs::read_to_string(folder.join(name).join(file)).unwrap();
        serde_yaml::from_str(&text).unwrap()
    };
    let case = |name: String| {
        assert!(known.contains(&name.as_str()), "the case {suite}/{name} is not known to this test");
        let (input, expected) = (read(&name, "input.yaml"), read(&name, "expected.json"));
        (name, input, expected)
    };
    names.into_iter().map(case).collect()
}

fn inputs<'a>(input: &'a Value, run: &'a str, nodes: &str) -> Inputs<'a> {
    let number = |key: &str| input[key].as_i64().map_or(0, |n| n.try_into().unwrap());
    let framework = match input["frameworkType"].as_str() {
        Some("mpi") => Framework::Mpi,
        Some("torch") => Framework::Torch,
        Some("exec") => Framework::Exec,
        other => panic!("framework {other:?}"),
    };
    Inputs {
        run,
        nodes: number(nodes),
        gpus: number("gpusPerNode"),
        nics: number("mlnxPerNode"),
        nic_resource: input["nicResourceName"].as_str().unwrap_or_default(),
        mnnvl: input["enableMNNVL"].as_bool().unwrap_or_default(),
        framework,
        ..Inputs::default()
    }
}

#[test]
fn override_mpi_args() {
    for (name, input, expected) in cases("platform/override-mpi-args", &["mpi-framework"]) {
        let inputs = inputs(&input, input["entryName"].as_str().unwrap(), "nodesPerJob");
        let rendered = Catalogue::builtin().entries(EDITION, inputs.framework).map(|entry| entry.render(&inputs));
        let found: Vec<Value> = rendered
            .filter(|o| !o.mpi_args.is_empty())
            .map(|o| json!({ "when": o.when, "mpiArgs": o.mpi_args }))
            // 00 D56: the suite is older than the Nscale entries.
            .filter(|o| o["when"]["platform"]["equals"] != "nscale")
            .collect();
        assert_eq!(Value::Array(found), expected, "{name}");
    }
}

#[test]
fn build_overrides() {
    for (name, input, expected) in cases("platform/build-overrides", &["mpi-with-mnnvl", "onprem-mpi-with-nic"]) {
        let run = input["entryName"].as_str().unwrap();
        let inputs = inputs(&input, run, "nodesPerJob");
        let entries: Vec<_> = Catalogue::builtin().entries(EDITION, inputs.framework).collect();
        let rendered: Vec<_> = entries.iter().map(|entry| entry.render(&inputs)).collect();
        assert_eq!(Value::Bool(!rendered.is_empty()), expected["atLeastOneOverride"], "{name}");
        let config = &expected["config"];
        assert_eq!(
            (config["GpusPerNode"].as_i64(), config["EntryName"].as_str()),
            (Some(inputs.gpus.into()), Some(run))
        );
        // No placeholder is left anywhere.
        assert!(!json!(rendered).to_string().contains("${"), "{name}");
    }
}

#[test]
fn platform_mpi_args() {
    // Here: the blocks of the matching entries, the last match first (02 §8.5). No case sets a forwarded name in
    // spec.env; that rewriting belongs to the overrides.
    let known = ["aws-gb300-mpi-gets-transport-pins", "oci-gb300-mpi-is-untouched"];
    for (name, input, expected) in cases("workloadrun/apply-platform-mpi-args", &known) {
        let run = &input["run"];
        let inputs = inputs(&input, run["metadata"]["name"].as_str().unwrap(), "");
        let fits = |matcher: &Option<nvcre_core::api::StringMatch>, key: &str| {
            let value = input[key].as_str().unwrap();
            matcher.as_ref().is_none_or(|m| {
                if m.one_of.is_empty() { m.equals == value } else { m.one_of.iter().any(|v| v == value) }
            })
        };
        for edition in ["documented", "latest"] {
            let entries = Catalogue::builtin().entries(edition, inputs.framework);
            let matching: Vec<_> = entries
                .filter(|e| fits(&e.when().platform, "platform") && fits(&e.when().gpu_architecture, "gpuArch"))
                .collect();
            let mut words: Vec<Value> =
                matching.iter().rev().flat_map(|e| e.render(&inputs).mpi_args).map(Value::String).collect();
            words.extend(run["spec"]["framework"]["mpi"]["mpiArgs"].as_array().unwrap().iter().cloned());
            assert_eq!(Value::Array(words), expected["mpiArgs"], "{name} {edition}");
        }
    }
}

#[test]
fn nodes() {
    let Some(folder) = folder("nodes") else { return };
    let catalogue = Catalogue::builtin();
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "yaml") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (platform, architecture) = name.split_once('-').unwrap();
        let node: Value = serde_yaml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let provider = node["spec"]["providerID"].as_str().unwrap();
        let labels = &node["metadata"]["labels"];
        assert_eq!(catalogue.detect_platform(provider, |key| labels[key].as_str()), platform, "{name}");
        // Nodes made up for the same platform and GPU carry the same.
        let product = labels["nvidia.com/gpu.product"].as_str().unwrap();
        assert_eq!(catalogue.architecture(architecture).unwrap().product, product, "{name}");
        assert_eq!(catalogue.platform(platform).unwrap().synthetic.provider_id, provider, "{name}");
        seen += 1;
    }
    assert!(seen >= 15, "only {seen} nodes");
}
