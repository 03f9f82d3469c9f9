//! Explanations: for every scenario, every value has a chain that ends in it; and the sentences of the user's page.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::print_stderr, clippy::disallowed_types, missing_docs)]

mod scenarios;
mod support;

use nvcre_core::api::Value;
use nvcre_core::engine::{Delivery, Engine, Options, Rendering};
use nvcre_core::explain::{Answer, Explainer, Link, Query, ValueAnswer};
use nvcre_core::jobs::JobId;
use nvcre_core::overrides::unwrap_command;
use nvcre_core::trace::{Origin, Subject, Trace};
use scenarios::Scenario;

/// Calls with every scenario that can be rendered.
fn each(work: impl Fn(&str, &Rendering<'_>, &Trace, &Explainer<'_>)) {
    let engine = Engine::new();
    let mut count = 0;
    for scenario in Scenario::all() {
        let bytes = std::fs::read(scenario.folder.join("run.yaml")).unwrap();
        let run = engine.read_run(&bytes, "run.yaml", scenario.lenient);
        let (mut inventory, _) = scenario.inventory();
        if let Some(n) = scenario.assume {
            inventory = Some(engine.assume_nodes(&run, &scenario.options, n).value);
        }
        let (rendering, trace) = engine.render_traced(&run, inventory.as_ref(), &scenario.options);
        if !rendering.is_printable() {
            continue;
        }
        let jobs = rendering.jobs(Delivery::Trainer);
        let explainer = Explainer::new(&engine, &rendering, &trace, jobs.prepared.as_ref());
        work(&scenario.name, &rendering, &trace, &explainer);
        count += 1;
    }
    assert!(count > 100, "only {count} scenarios were rendered");
}

/// Every leaf, as JSON paths with numbers for elements of lists.
fn leaves(value: &Value, path: String, out: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                leaves(value, format!("{path}[{}]", serde_json::to_string(key).unwrap()), out);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for (at, value) in list.iter().enumerate() {
                leaves(value, format!("{path}[{at}]"), out);
            }
        }
        leaf => out.push((path, leaf.clone())),
    }
}

fn value(explainer: &Explainer<'_>, subject: &str) -> ValueAnswer {
    match explainer.answer(&Query::parse(subject), None) {
        Answer::Value(answer) => *answer,
        other => panic!("{subject}: {other:?}"),
    }
}

fn last(chain: &[Link]) -> Option<&Value> {
    chain.last()?.value.as_ref()
}

#[test]
fn every_field_of_every_workflow_has_a_chain_that_ends_in_its_value() {
    each(|name, rendering, _, explainer| {
        let mut all = Vec::new();
        leaves(&rendering.workflow_value(), String::new(), &mut all);
        for (path, wanted) in all {
            if path.starts_with("[\"spec\"][\"overrides\"]") {
                continue;
            }
            let answer = value(explainer, &path);
            let seen = &answer.seen[0];
            assert_eq!(seen.value.as_ref(), Some(&wanted), "{name}: {path}");
            assert_eq!(last(&seen.chain), Some(&wanted), "{name}: {path}: {:#?}", seen.chain);
        }
    });
}

#[test]
fn what_a_layer_changed_names_the_layer() {
    each(|name, _, trace, explainer| {
        for change in &trace.changes {
            let Subject::Field { path } = &change.subject else { continue };
            let answer = match explainer.answer(&Query::Field { object: None, path: path.clone() }, None) {
                Answer::Value(answer) => answer,
                // Gone, and what held it, too: the answer names what is there.
                Answer::Unknown { .. } if change.new.is_none() => continue,
                other => panic!("{name}: {path}: {other:?}"),
            };
            let named = |link: &Link| link.origin == change.origin;
            let chain = answer.seen[0].chain.iter();
            assert!(
                chain.clone().any(named) || answer.fields.iter().any(|f| named(&f.link)),
                "{name}: {path} is not said to be of {:?}: {answer:#?}",
                change.origin
            );
        }
    });
}

#[test]
fn undoing_all_changes_of_a_field_meets_what_was_recorded() {
    each(|name, _, trace, explainer| {
        for change in &trace.changes {
            let Subject::Field { path } = &change.subject else { continue };
            let Answer::Value(answer) = explainer.answer(&Query::Field { object: None, path: path.clone() }, None)
            else {
                continue;
            };
            for link in answer.seen[0].chain.iter().filter(|l| l.origin == change.origin) {
                let later = trace.changes.iter().filter(|c| c.subject == change.subject && c.origin == change.origin);
                let states: Vec<_> = later.map(|c| c.new.clone()).collect();
                assert!(states.contains(&link.value), "{name}: {path}: {link:#?} is none of {states:?}");
            }
        }
    });
}

#[test]
fn every_word_of_mpirun_is_there_once_and_every_pair_is_what_the_ranks_see() {
    let mut pairs = 0;
    let counted = std::cell::Cell::new(0);
    each(|name, rendering, _, explainer| {
        let workload = &rendering.workflow.spec.job_template.spec.workload;
        let Some(trainer) = workload.train_job.as_ref().and_then(|t| t.trainer.as_ref()) else { return };
        let words = match unwrap_command(&trainer.command, &trainer.args) {
            Some(unwrapped) => unwrapped.words,
            None => trainer.command.iter().chain(&trainer.args).cloned().collect(),
        };
        let overview = explainer.overview();
        let told: Vec<String> = overview.command.iter().flat_map(|part| part.words.clone()).collect();
        assert_eq!(told, words, "{name}");
        for part in &overview.command {
            let answer = value(explainer, &part.subject);
            if let Some(variable) = part.subject.strip_prefix("env/") {
                let ranks = answer.seen.iter().find(|s| s.at == "ranks").unwrap();
                // Of several pairs the last one counts.
                let same = |p: &&nvcre_core::explain::CommandPart| p.subject == part.subject;
                let pair = overview.command.iter().rfind(same).unwrap().words[1].clone();
                if let Some((_, text)) = pair.split_once('=') {
                    assert_eq!(ranks.value, Some(text.into()), "{name}: {variable}");
                }
                assert_eq!(last(&ranks.chain), ranks.value.as_ref(), "{name}: {variable}");
                counted.set(counted.get() + 1);
            } else {
                assert_eq!(last(&answer.seen[0].chain), answer.seen[0].value.as_ref(), "{name}: {}", part.subject);
            }
        }
    });
    pairs += counted.get();
    assert!(pairs > 1000, "only {pairs} pairs were looked at");
}

#[test]
fn every_variable_of_every_container_is_explained() {
    each(|name, rendering, _, explainer| {
        for object in &rendering.workflow.spec.dependencies {
            let jobs = object.pointer("/spec/template/spec/replicatedJobs").and_then(Value::as_array);
            for job in jobs.into_iter().flatten() {
                let env = job.pointer("/template/spec/template/spec/containers/0/env").and_then(Value::as_array);
                let at =
                    if rendering.run.spec.framework.mpi.is_some() { job["name"].as_str().unwrap() } else { "ranks" };
                for variable in env.into_iter().flatten() {
                    let variable_name = variable["name"].as_str().unwrap();
                    let answer = value(explainer, &format!("env/{variable_name}"));
                    let seen = answer.seen.iter().find(|s| s.at == at);
                    let seen = seen.unwrap_or_else(|| panic!("{name}: {variable_name} at {at}: {answer:#?}"));
                    assert_eq!(last(&seen.chain), seen.value.as_ref(), "{name}: {variable_name}");
                    if let Some(text) = variable.get("value").filter(|_| seen.chain.len() == 1) {
                        assert_eq!(seen.value.as_ref(), Some(text), "{name}: {variable_name}");
                    }
                }
            }
        }
    });
}

#[test]
fn every_field_of_every_manifest_has_a_chain_that_ends_in_its_value() {
    let engine = Engine::new();
    let mut fields = 0;
    for scenario in Scenario::all().into_iter().filter(|s| !s.nodes.is_empty() && !s.name.starts_with("fleet-200")) {
        let bytes = std::fs::read(scenario.folder.join("run.yaml")).unwrap();
        let run = engine.read_run(&bytes, "run.yaml", scenario.lenient);
        let (inventory, _) = scenario.inventory();
        let (rendering, trace) = engine.render_traced(&run, inventory.as_ref(), &scenario.options);
        let jobs = rendering.jobs(Delivery::Trainer);
        let Some(prepared) = &jobs.prepared else { continue };
        let explainer = Explainer::new(&engine, &rendering, &trace, Some(prepared));
        for manifest in prepared.manifests(JobId { iteration: 1, group: 0 }) {
            let kind = manifest.value["kind"].as_str().unwrap().to_owned();
            let object = format!("{kind}/{}", manifest.value["metadata"]["name"].as_str().unwrap());
            for field in ["metadata", "spec"].into_iter().filter(|field| manifest.value.get(field).is_some()) {
                let answer = value(&explainer, &format!("{object}:{field}"));
                let mut own = Vec::new();
                leaves(&manifest.value[field], String::new(), &mut own);
                assert!(!answer.fields.is_empty(), "{}: {object}", scenario.name);
                for line in &answer.fields {
                    assert_eq!(
                        line.link.value.as_ref(),
                        Some(&line.value),
                        "{}: {object}:{}",
                        scenario.name,
                        line.path
                    );
                    fields += 1;
                }
            }
        }
    }
    assert!(fields > 10_000, "only {fields} fields were looked at");
}

/// A run of the page on AWS with GB300, changed.
fn page(change: Value, work: impl Fn(&Explainer<'_>)) {
    let engine = Engine::new();
    let run = support::with(support::basic(), change);
    let text = support::run_text(&run);
    let run = engine.read_run(text.as_bytes(), "my-workload.yaml", false);
    let options = Options { platform: Some("aws".into()), gpu_arch: Some("gb300".into()), ..Options::default() };
    let (rendering, trace) = engine.render_traced(&run, None, &options);
    assert!(rendering.is_printable(), "{:#?}", rendering.diagnostics);
    work(&Explainer::new(&engine, &rendering, &trace, None));
}

fn origins(explainer: &Explainer<'_>, subject: &str) -> Vec<String> {
    let answer = value(explainer, subject);
    let short = |link: &Link| match &link.origin {
        Origin::Entry { id, .. } => id.clone(),
        Origin::Run { path } => path.to_string(),
        Origin::Default { .. } => "default".to_owned(),
        other => format!("{other:?}"),
    };
    answer.seen[0].chain.iter().map(short).collect()
}

#[test]
fn a_value_you_set_overrides_a_default() {
    page(serde_json::json!({"env": [{"name": "NCCL_DEBUG", "value": "WARN"}]}), |explainer| {
        assert_eq!(origins(explainer, "env/NCCL_DEBUG"), ["default", "spec.env[0]"]);
        assert_eq!(value(explainer, "env/NCCL_DEBUG").seen[0].value, Some("WARN".into()));
    });
}

#[test]
fn the_platform_value_then_replaces_the_default() {
    page(serde_json::json!({}), |explainer| {
        assert_eq!(origins(explainer, "env/NCCL_SOCKET_IFNAME"), ["default", "E7"]);
        let answer = value(explainer, "env/NCCL_SOCKET_IFNAME");
        assert!(answer.seen[0].chain[1].replaced.is_some());
    });
}

#[test]
fn a_pair_in_mpi_args_overrides_spec_env() {
    let mut mpi = support::basic()["framework"]["mpi"].clone();
    mpi["mpiArgs"] = serde_json::json!(["-x", "NCCL_DEBUG=TRACE"]);
    let env = serde_json::json!([{"name": "NCCL_DEBUG", "value": "WARN"}]);
    let args = serde_json::json!({"env": env, "framework": {"mpi": mpi}});
    page(args, |explainer| {
        let wanted = ["default", "spec.env[0]", "spec.framework.mpi.mpiArgs[1]"];
        assert_eq!(origins(explainer, "env/NCCL_DEBUG"), wanted);
        let answer = value(explainer, "env/NCCL_DEBUG");
        assert_eq!(answer.seen[0].value, Some("TRACE".into()));
        // The containers still say what spec.env says.
        assert_eq!(answer.seen[1].at, "node");
        assert_eq!(answer.seen[1].value, Some("WARN".into()));
    });
}

#[test]
fn a_value_of_the_run_that_an_entry_forwards_stays_the_runs() {
    page(serde_json::json!({"env": [{"name": "NCCL_SOCKET_IFNAME", "value": "ens1"}]}), |explainer| {
        let answer = value(explainer, "env/NCCL_SOCKET_IFNAME");
        assert_eq!(answer.seen[0].value, Some("ens1".into()));
        assert_eq!(answer.seen[0].chain.last().unwrap().place.path, Some("spec.env[0]".into()));
    });
}

#[test]
fn a_field_is_found_however_its_elements_are_written() {
    page(serde_json::json!({}), |explainer| {
        let runtime =
            "spec.dependencies[name=TrainingRuntime/my-workload-runtime].spec.template.spec.replicatedJobs[name=node]";
        let mounts = "template.spec.template.spec.containers[name=node].volumeMounts";
        let by_name = value(explainer, &format!("{runtime}.{mounts}[name=dshm].mountPath"));
        for text in [
            format!("{runtime}.{mounts}[mountPath=/dev/shm].mountPath"),
            format!("{runtime}.{mounts}[1].mountPath"),
            "/spec/dependencies/0/spec/template/spec/replicatedJobs/node/template/spec/template/spec/containers/0/volumeMounts/1/mountPath".to_owned(),
        ] {
            assert_eq!(value(explainer, &text), by_name, "{text}");
        }
    });
}

#[test]
fn a_field_that_is_not_there_names_those_that_look_like_it() {
    page(serde_json::json!({}), |explainer| {
        let unknown = explainer.answer(&Query::parse("spec.orchestration.iteration"), None);
        let Answer::Unknown { near, .. } = unknown else { panic!("{unknown:?}") };
        assert_eq!(near, ["spec.orchestration.iterations"]);
    });
}

#[test]
fn an_option_of_mpirun_and_its_value_are_one_part() {
    let mut mpi = support::basic()["framework"]["mpi"].clone();
    mpi["mpiArgs"] = serde_json::json!(["--bind-to", "none"]);
    page(serde_json::json!({"framework": {"mpi": mpi}}), |explainer| {
        let answer = value(explainer, "arg/--bind-to");
        assert_eq!(answer.seen[0].value, Some("none".into()));
        assert_eq!(origins(explainer, "arg/--bind-to"), ["spec.framework.mpi.mpiArgs[1]"]);
    });
}

#[test]
fn places_are_told_in_words_and_not_in_paragraphs_of_a_specification() {
    fn texts(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                if let Some(Value::String(text)) = map.get("place").and_then(|place| place.get("text")) {
                    out.push(text.clone());
                }
                map.values().for_each(|value| texts(value, out));
            }
            Value::Array(list) => list.iter().for_each(|value| texts(value, out)),
            _ => {}
        }
    }
    each(|name, _, trace, explainer| {
        let mut all = Vec::new();
        texts(&serde_json::to_value(explainer.overview()).unwrap(), &mut all);
        for change in trace.changes.iter().take(40) {
            if let Subject::Field { path } = &change.subject {
                let answer = explainer.answer(&Query::parse(&path.to_string()), None);
                texts(&serde_json::to_value(answer).unwrap(), &mut all);
            }
        }
        let told = |text: &String| !text.contains('§') && !text.ends_with("part of every run");
        assert!(!all.is_empty() && all.iter().all(told), "{name}: {:?}", all.iter().find(|t| !told(t)));
    });
}
