//! The matrix of the fixtures: every cell agrees with rendering the run for that platform and GPU alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)]
#![allow(missing_docs, clippy::disallowed_methods)]

mod scenarios;

use nvcre_core::api::Value;
use nvcre_core::compare::apply;
use nvcre_core::diagnostic::Diagnostic;
use nvcre_core::engine::{Engine, Options, RunInput};
use nvcre_core::explain::Explainer;
use nvcre_core::matrix::{Matrix, MatrixOptions, Variant, matrix};
use scenarios::Scenario;

fn read(scenario: &Scenario) -> RunInput {
    let bytes = std::fs::read(scenario.folder.join("run.yaml")).unwrap();
    Engine::new().read_run(&bytes, &format!("{}/run.yaml", scenario.name), scenario.lenient)
}

fn without_annotations(mut workflow: Value) -> Value {
    workflow["metadata"].as_object_mut().unwrap().remove("annotations");
    workflow
}

/// One cell beside `render --platform P --gpu-arch A`.
fn agrees(engine: &Engine, name: &str, run: &RunInput, matrix: &Matrix, options: &Options, variant: &Variant) {
    let (rendering, trace) = engine.render_traced(run, None, options);
    let known = |d: &&Diagnostic| {
        matrix.findings.iter().any(|m| m.code == d.code && m.path == d.path && m.message == d.message)
    };
    let found: Vec<&Diagnostic> = rendering.diagnostics.iter().filter(|d| !known(d)).collect();
    let told: Vec<&Diagnostic> = variant.differences.findings.iter().collect();
    assert_eq!(told, found, "{name}");
    assert_eq!(variant.rendered, rendering.is_printable(), "{name}");
    if !variant.rendered {
        assert!(variant.changes.is_empty() && !told.is_empty(), "{name}");
        return;
    }
    let plain = matrix.plain.iter().find(|p| Some(&p.edition) == options.edition.as_ref()).unwrap();
    // All changes together make the plain Workflow that of the rendering.
    let mut made = without_annotations(plain.workflow.clone());
    apply(&mut made, &variant.changes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(made, without_annotations(rendering.workflow_value()), "{name}");
    let applied = rendering.overrides.iter().filter(|o| o.matched).map(|o| &o.origin);
    for entry in &variant.differences.entries {
        assert!(applied.clone().any(|origin| *origin == entry.origin), "{name}: {:?}", entry.origin);
    }
    for origin in applied.filter(|origin| matches!(origin, nvcre_core::trace::Origin::Entry { .. })) {
        assert!(variant.differences.entries.iter().any(|entry| entry.origin == *origin), "{name}: {origin:?}");
    }
    let explainer = Explainer::new(engine, &rendering, &trace, None);
    let seen = explainer.environment();
    for variable in &variant.differences.environment {
        let value = seen.iter().find(|v| v.name == variable.name).and_then(|v| v.value.clone());
        assert_eq!(value, variable.new, "{name}: {}", variable.name);
        assert_ne!(variable.old, variable.new, "{name}: {}", variable.name);
    }
    let sizes = &rendering.facts.sizes;
    assert_eq!((variant.sizes.gpus_per_node, variant.sizes.mlnx_per_node), (sizes.gpus_per_node, sizes.mlnx_per_node));
}

#[test]
fn every_cell_agrees_with_its_rendering() {
    let engine = Engine::new();
    let mut cells = 0;
    // Every thirtieth scenario, and all that speak of platforms in an override or have a framework of their own.
    let all = Scenario::all();
    let chosen = all.iter().enumerate().filter(|(at, s)| at % 30 == 0 || s.name.starts_with("feature-override"));
    for (_, scenario) in chosen {
        let run = read(scenario);
        let flags = scenario.options.flags.clone();
        let editions = vec!["documented".to_owned(), "latest".to_owned()];
        let all = matrix(&engine, &run, &MatrixOptions { editions, flags: flags.clone(), ..MatrixOptions::default() });
        for row in &all.combinations {
            let known = engine.catalogue().architecture(&row.gpu_architecture).is_some();
            let options = Options {
                platform: Some(row.platform.clone()),
                gpu_arch: known.then(|| row.gpu_architecture.clone()),
                edition: Some(row.edition.clone()),
                only_healthy: false,
                flags: flags.clone(),
            };
            let name = format!("{}: {} {} {}", scenario.name, row.edition, row.platform, row.gpu_architecture);
            agrees(&engine, &name, &run, &all, &options, all.variant(row).unwrap());
            cells += 1;
        }
    }
    assert!(cells > 1_500, "{cells}");
}

/// A matrix, short enough to be read in a review: rows, then what each variant brings.
fn shown(matrix: &Matrix) -> Value {
    let mut value = serde_json::to_value(matrix).unwrap();
    for variant in value["variants"].as_array_mut().unwrap() {
        variant.as_object_mut().unwrap().remove("changes");
        let differences = variant["differences"].as_object_mut().unwrap();
        for key in ["values", "containers", "arguments", "resources", "objects"] {
            if let Some(list) = differences.get_mut(key) {
                *list = list.as_array().unwrap().iter().map(|m| m["text"].clone()).collect();
            }
        }
        for (key, field) in [("fields", "path"), ("findings", "code")] {
            if let Some(list) = differences.get_mut(key) {
                *list = list.as_array().unwrap().iter().map(|m| m[field].clone()).collect();
            }
        }
    }
    value["plain"].as_array_mut().unwrap().iter_mut().for_each(|p| drop(p.as_object_mut().unwrap().remove("workflow")));
    value.as_object_mut().unwrap().remove("common");
    value["combinations"] = value["combinations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| {
            let marks = c.get("marks").map(|m| format!(" {m}")).unwrap_or_default();
            format!("{} {} -> {}{marks}", c["platform"], c["gpuArchitecture"], c["variant"]).replace('"', "")
        })
        .collect();
    value
}

#[test]
fn the_matrix_of_the_page() {
    let engine = Engine::new();
    for name in ["page-basic-aws-gb300", "page-env", "page-unpinned", "platform-onprem-gb300-torch"] {
        let scenario = Scenario::read(scenarios::root().join("fixtures").join(name));
        let run = read(&scenario);
        let flags = scenario.options.flags.clone();
        let matrix = matrix(&engine, &run, &MatrixOptions { flags, ..MatrixOptions::default() });
        insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_json_snapshot!(format!("matrix-{name}"), shown(&matrix));
        });
    }
}
