//! `controller/apply-overrides`: a Workflow spec with its overrides, applied in a context.

use nvcre_core::overrides::{Base, Context, Layer, apply, match_layers};
use nvcre_core::trace::Trace;
use serde_json::{Value, json};

#[test]
fn apply_overrides() {
    for case in super::cases("controller/apply-overrides") {
        let name = &case.name;
        let spec = &case.input["spec"];
        let base_of = || Base {
            job_template: spec["jobTemplate"].clone(),
            dependencies: spec["dependencies"].as_array().cloned().unwrap_or_default(),
            orchestration: serde_json::from_value(spec["orchestration"].clone()).unwrap(),
            own_topology_key: false,
        };
        let overrides = spec["overrides"].as_array().cloned().unwrap_or_default();
        let layer = |(at, value): (usize, &Value)| Layer::user(at, at, serde_json::from_value(value.clone()).unwrap());
        let layers: Vec<Layer> = overrides.iter().enumerate().map(layer).collect();
        let text = |key: &str| case.input[key].as_str().unwrap_or_default().to_owned();
        let context = Context {
            platform: text("platform"),
            gpu_architecture: text("gpuArchitecture"),
            workload_kind: text("workloadKind"),
            topology_mode: text("topologyMode"),
            domain_count: case.input["domainCount"].as_i64().unwrap_or(0),
        };
        let mut findings = Vec::new();
        let matches = match_layers(&layers, &context, &mut findings);
        let (mut base, mut traced) = (base_of(), base_of());
        apply(&mut base, &layers, &matches, &mut (), &mut findings);
        apply(&mut traced, &layers, &matches, &mut Trace::default(), &mut findings);
        assert_eq!(base, traced, "{name}");
        let errors = nvcre_core::diagnostic::has_errors(&findings);

        let Some(expected) = case.expected else {
            assert!(errors, "{name}: an error is expected");
            continue;
        };
        assert!(!errors, "{name}: {findings:#?}");
        let mut found = spec.clone();
        found["jobTemplate"] = base.job_template;
        found["orchestration"] = serde_json::to_value(&base.orchestration).unwrap();
        if !base.dependencies.is_empty() {
            found["dependencies"] = json!(base.dependencies);
        }
        let keys = |v: &Value| v.as_object().map(|m| m.keys().cloned().collect::<Vec<_>>());
        assert_eq!(keys(&found), keys(&expected), "{name}");
        for (key, expected) in expected.as_object().unwrap() {
            // The overrides stay as they are, up to empty conditions.
            assert_eq!(&found[key], expected, "{name}: {key}");
        }
    }
}
