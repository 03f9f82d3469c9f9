//! Suites of the command line's own steps: flags, reading, building and resolving a WorkloadRun.

use super::platform::{self, EDITION};
use super::support::{Case, number, text, typed};
use nvcre_core::api::WorkloadRun;
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::Code;
use nvcre_core::engine::{Engine, Options, Rendering, RunFlags, RunInput, apply_flags};
use nvcre_core::overrides::{go_quote, mpi_args};
use nvcre_core::workflow::{BuildInput, Built, Sizes, build};
use serde_json::{Value, json};

/// The run of a case, with the counts that the function under test is given beside it.
fn run_of(input: &Value) -> WorkloadRun {
    let mut run: WorkloadRun = typed(&input["run"]);
    run.spec.gpus_per_node = Some(number(input, "gpusPerNode"));
    run.spec.mlnx_per_node = Some(number(input, "mlnxPerNode"));
    run.spec.enable_mnnvl = input["enableMNNVL"].as_bool();
    run
}

fn options(platform: &str, architecture: &str) -> Options {
    let given = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
    Options { platform: given(platform), gpu_arch: given(architecture), ..Options::default() }
}

fn rendered(input: &RunInput, options: &Options) -> (Value, Vec<nvcre_core::Diagnostic>) {
    let Rendering { workflow, diagnostics, .. } = Engine::new().render(input, None, options);
    (serde_json::to_value(workflow).unwrap(), diagnostics)
}

fn sizes(run: &WorkloadRun, platform: &str, architecture: &str) -> Sizes {
    Sizes::resolve(&run.spec, Catalogue::builtin(), architecture, platform, &mut ())
}

/// The words that mpirun gets on a platform; the engine's own command line holds them as they are.
pub fn platform_mpi_args(case: &Case) {
    let input = case.input();
    let (name, architecture) = (text(&input, "platform"), text(&input, "gpuArch"));
    let run = run_of(&input);
    let Some(mpi) = &run.spec.framework.mpi else { return case.compare(json!({ "mpiArgs": null })) };
    let inputs = platform::inputs(&input, &run.metadata.name, sizes(&run, name, architecture).nodes_per_job);
    let (layers, matches) = platform::layers(&inputs, name, architecture, &run.spec.env);
    let words = mpi_args(&layers, &matches, &mpi.mpi_args);
    let words: Vec<&str> = words.iter().map(|w| w.text.as_ref()).collect();
    let (workflow, findings) = rendered(&RunInput::from(run.clone()), &options(name, architecture));
    case.compare_error(&findings, None);
    let args = &workflow["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]["args"];
    let args: Vec<&str> = args.as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    let quoted = words.iter().map(|w| go_quote(w)).collect::<Vec<_>>().join(" ");
    let holds = args.iter().any(|a| a.contains(&quoted)) || args.windows(words.len()).any(|w| w == words);
    assert!(holds, "{}: {words:?} are not together in {args:?}", case.title());
    case.compare(json!({ "mpiArgs": words }));
}

pub fn run_overrides(case: &Case) {
    let input = case.input();
    let mut run: WorkloadRun = typed(&input["run"]);
    let flag = |key: &str| text(&input, key).to_owned();
    let flags = RunFlags {
        name: flag("nameOverride"),
        namespace: String::new(),
        node_list: flag("nodeList"),
        topology_domain: flag("topologyDomain"),
        topology_key: flag("topologyKey"),
        test_scale: flag("testScale"),
    };
    let findings = apply_flags(&mut run, &flags);
    case.compare_error(&findings, None);
    case.compare(json!({
        "name": run.metadata.name,
        "numNodes": run.spec.num_nodes,
        "target": run.spec.target,
        "orchestration": run.spec.orchestration,
    }));
}

fn env_of(container: &Value) -> Value {
    let entries = container["env"].as_array().into_iter().flatten();
    entries.map(|e| json!(format!("{}={}", text(e, "name"), text(e, "value")))).collect()
}

fn named<'a>(list: &'a Value, name: &str) -> Option<&'a Value> {
    list.as_array()?.iter().find(|e| e["name"] == name)
}

/// The base Workflow of a run; where a platform is given, with its mpirun words.
pub fn workflow_spec(case: &Case) {
    let input = case.input();
    let run = run_of(&input);
    let (name, architecture) = (text(&input, "platform"), text(&input, "gpuArch"));
    let sizes = sizes(&run, name, architecture);
    let inputs = platform::inputs(&input, &run.metadata.name, sizes.nodes_per_job);
    let own = run.spec.framework.mpi.as_ref().map(|m| m.mpi_args.clone()).unwrap_or_default();
    let (layers, matches) = platform::layers(&inputs, name, architecture, &run.spec.env);
    let words = mpi_args(&layers, &matches, &own);
    let built = build(
        &BuildInput {
            run: &run,
            catalogue: Catalogue::builtin(),
            edition: EDITION,
            framework: inputs.framework,
            sizes,
            architecture,
            platform: name,
            mpi_words: &words,
            pre_command: &[],
        },
        &mut (),
    );
    let Built { spec, findings } = built;
    assert_eq!(findings, [], "{}", case.title());
    if name.is_empty() {
        // The engine's template is the same, with the conditional overrides beside it.
        let (workflow, findings) = rendered(&RunInput::from(run.clone()), &Options::default());
        case.compare_error(&findings, None);
        let mut template = workflow["spec"].clone();
        assert!(!template["overrides"].as_array().unwrap().is_empty(), "{}", case.title());
        template.as_object_mut().unwrap().remove("overrides");
        assert_eq!(template, serde_json::to_value(&spec).unwrap(), "{}", case.title());
    }
    let spec = serde_json::to_value(&spec).unwrap();
    let jobs = &spec["dependencies"][0]["spec"]["template"]["spec"]["replicatedJobs"];
    let worker = named(jobs, "node").unwrap();
    let pod = &worker["template"]["spec"]["template"];
    let container = named(&pod["spec"]["containers"], "node").unwrap();
    let list = |value: &Value, show: &dyn Fn(&Value) -> String| -> Value {
        value.as_array().into_iter().flatten().map(|v| json!(show(v))).collect()
    };
    let mut found = json!({
        "trainer": spec["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"],
        "timeoutPerJob": spec["orchestration"]["execution"]["timeoutPerJob"],
        "iterations": spec["orchestration"]["iterations"],
        "dependencyKinds": list(&spec["dependencies"], &|d| text(d, "kind").into()),
        "validation": spec["validation"],
        "workerEnv": env_of(container),
        "workerVolumeMounts": list(&container["volumeMounts"], &|m| {
            format!("{} at {}", text(m, "name"), text(m, "mountPath"))
        }),
        "runtimeVolumes": list(&pod["spec"]["volumes"], &|v| text(v, "name").into()),
    });
    if let Some(launcher) = named(jobs, "launcher") {
        let containers = &launcher["template"]["spec"]["template"]["spec"]["containers"];
        found["launcherEnv"] = env_of(named(containers, "node").unwrap());
    }
    if let Some(scheduler) = pod["spec"].get("schedulerName") {
        let labels = |holder: &Value| -> Value {
            let labels = holder["metadata"]["labels"].as_object().into_iter().flatten();
            labels.map(|(key, value)| json!(format!("{key}={}", value.as_str().unwrap()))).collect()
        };
        found["gangSchedulerName"] = scheduler.clone();
        found["gangSchedulerJobLabels"] = labels(&worker["template"]);
        found["gangSchedulerPodLabels"] = labels(pod);
    }
    case.compare(found);
}

/// A file, read; the keys of its thresholds are checked.
pub fn read(case: &Case) {
    let input = Engine::new().read_run(case.text("input.yaml").as_bytes(), "input.yaml", false);
    let (_, findings) = rendered(&input, &Options::default());
    match case.text_if_any("error") {
        Some(sentence) => {
            let rule = findings.iter().find(|d| d.code == Code::UnknownThreshold).unwrap();
            assert!(rule.span.is_some() && rule.file.is_some(), "{}: without a place", case.title());
            case.compare_error(&findings, Some(sentence.trim_end()));
        }
        None => {
            case.compare_error(&findings, None);
            let thresholds = Some(&input.run.spec.thresholds).filter(|t| !t.is_empty());
            case.compare(json!({ "name": input.run.metadata.name, "thresholds": thresholds }));
        }
    }
}

/// Without torch and mpi, exec must be there. The input is a spec alone, so nothing but this rule counts.
pub fn exec_framework(case: &Case) {
    let mut run = WorkloadRun { spec: typed(&case.input()), ..WorkloadRun::default() };
    run.metadata.name = "test-wr".into();
    let found = nvcre_core::check::check_run(&run);
    let rule: Vec<_> = found.into_iter().filter(|d| d.code == Code::FrameworkChoice).collect();
    let expected = case.expected();
    case.compare_error(&rule, expected["error"].as_str());
    case.compare(json!({ "error": expected["error"] }));
}

/// Labels of the workload object, when the Workflow is built and when its overrides are applied.
pub fn metadata(case: &Case) {
    let (input, expected) = (case.input(), case.expected());
    let run = RunInput::from(run_of(&input));
    let (built, findings) = rendered(&run, &Options::default());
    case.compare_error(&findings, expected["buildError"].as_str());
    let mut found = json!({ "labels": null, "gangScheduler": null });
    let mut workflow = built;
    if let Some(error) = expected.get("buildError") {
        found["buildError"] = error.clone();
        return case.compare(found);
    }
    if !text(&input, "platform").is_empty() {
        let options = options(text(&input, "platform"), text(&input, "gpuArchitecture"));
        let (resolved, findings) = rendered(&run, &options);
        case.compare_error(&findings, expected["validateError"].as_str());
        if let Some(error) = expected.get("validateError") {
            found["validateError"] = error.clone();
        }
        assert_eq!(resolved["spec"].get("overrides"), None, "{}", case.title());
        workflow = resolved;
    }
    let labels = &workflow["spec"]["jobTemplate"]["spec"]["workloadMetadata"]["labels"];
    found["labels"] = labels.clone();
    found["gangScheduler"] = workflow["spec"]["gangScheduler"].clone();
    case.compare(found);
}
