//! Suites of the platform catalogue.

use super::support::{Case, number, text};
use nvcre_core::api::{EnvVar, OverrideSpec};
use nvcre_core::catalogue::{Catalogue, EntryRef, Framework, Inputs};
use nvcre_core::overrides::{Context, Layer, Word, match_layers, mpi_args, substitute_env};
use serde_json::{Value, json};

/// The edition of the reference data (00 D1, D2).
pub const EDITION: &str = "documented";

pub fn framework(input: &Value) -> Framework {
    match text(input, "frameworkType") {
        "mpi" => Framework::Mpi,
        "torch" => Framework::Torch,
        "exec" => Framework::Exec,
        other => panic!("framework {other:?}"),
    }
}

pub fn inputs<'a>(input: &'a Value, run: &'a str, nodes: i32) -> Inputs<'a> {
    Inputs {
        run,
        nodes,
        gpus: number(input, "gpusPerNode"),
        nics: number(input, "mlnxPerNode"),
        nic_resource: text(input, "nicResourceName"),
        mnnvl: input["enableMNNVL"].as_bool().unwrap_or_default(),
        framework: framework(input),
        ..Inputs::default()
    }
}

fn entries<'a>(inputs: &Inputs<'_>) -> impl Iterator<Item = EntryRef<'a>> {
    Catalogue::builtin().entries(EDITION, inputs.framework)
}

/// The mpirun words of a run on a platform: the catalogue's blocks with the user's variables in them, then the run's
/// own (02 §8.4–8.5). Nothing for a run without mpirun.
pub fn words(inputs: &Inputs<'_>, platform: &str, architecture: &str, env: &[EnvVar], own: &[String]) -> Vec<Word> {
    if inputs.framework != Framework::Mpi {
        return Vec::new();
    }
    let layer = |(at, entry): (usize, EntryRef<'_>)| {
        let mut spec: OverrideSpec = entry.render(inputs);
        substitute_env(&mut spec, env);
        Layer::entry(at, entry.entry.id.as_str(), entry.entry.name.as_str(), spec)
    };
    let layers: Vec<Layer> = entries(inputs).enumerate().map(layer).collect();
    let context = Context { platform: platform.into(), gpu_architecture: architecture.into(), ..Context::default() };
    let mut findings = Vec::new();
    let matches = match_layers(&layers, &context, &mut findings);
    assert_eq!(findings, []);
    mpi_args(&layers, &matches, own)
}

/// Every entry renders, and no placeholder is left.
pub fn build_overrides(case: &Case) {
    let input = case.input();
    let inputs = inputs(&input, text(&input, "entryName"), number(&input, "nodesPerJob"));
    let rendered: Vec<OverrideSpec> = entries(&inputs).map(|entry| entry.render(&inputs)).collect();
    assert!(!json!(rendered).to_string().contains("${"), "{}", case.title());
    let mut config = json!({
        "EntryName": inputs.run,
        "NodesPerJob": inputs.nodes,
        "GpusPerNode": inputs.gpus,
        "MlnxPerNode": inputs.nics,
        "EnableMNNVL": inputs.mnnvl,
        "FrameworkType": input["frameworkType"],
    });
    if !inputs.nic_resource.is_empty() {
        config["NicResourceName"] = json!(inputs.nic_resource);
    }
    case.compare(json!({ "config": config, "atLeastOneOverride": !rendered.is_empty() }));
}

/// The entries that bring mpirun arguments.
pub fn override_mpi_args(case: &Case) {
    let input = case.input();
    let inputs = inputs(&input, text(&input, "entryName"), number(&input, "nodesPerJob"));
    let rendered = entries(&inputs).map(|entry| entry.render(&inputs)).filter(|o| !o.mpi_args.is_empty());
    let found: Vec<Value> = rendered.map(|o| json!({ "when": o.when, "mpiArgs": o.mpi_args })).collect();
    case.compare(Value::Array(found));
}
