//! Suite `render`: a hand-written Workflow, resolved for nodes or for a platform and a GPU (03 §7).

use super::support::{Case, text};
use nvcre_core::api::Workflow;
use nvcre_core::engine::{Engine, Options};
use nvcre_core::fleet::read_inventory;

pub fn workflow(case: &Case) {
    let config = case.yaml("input_config.yaml");
    let workflow: Workflow = serde_json::from_value(case.yaml("input_workflow.yaml")).unwrap();
    let nodes = case.text_if_any("input_nodes.yaml").map(|text| read_inventory(&text));
    if let Some(read) = &nodes {
        assert_eq!(read.diagnostics, [], "{}", case.title());
    }
    let given = |key: &str| Some(text(&config, key).to_owned()).filter(|t| !t.is_empty());
    let options = Options { platform: given("platform"), gpu_arch: given("gpuArch"), ..Options::default() };
    let resolved = Engine::new().resolve_workflow(&workflow, nodes.as_ref().map(|n| &n.value), &options);
    case.compare_error(&resolved.diagnostics, None);
    case.compare(serde_json::to_value(&resolved.workflow).unwrap());
}
