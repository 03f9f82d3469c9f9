//! `action.yml`: its steps, run as the runner of GitHub runs them, on a repository with a stale snapshot; and the hooks.

use crate::common::root;
use crate::repository::Repository;
use nvcre_core::yaml::{Limits, read_documents};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

fn yaml(file: &str) -> Value {
    let read = read_documents(&fs::read(root().join(file)).unwrap(), file, &Limits::RUN);
    assert_eq!(read.diagnostics, [], "{file}");
    read.value[0].root.as_ref().unwrap().to_value()
}

/// What a run of the action gave.
struct Done {
    code: i32,
    stdout: String,
    summary: String,
    result: String,
}

/// Runs the steps with `inputs`, and everything else as it is declared.
fn act(repository: &Repository, inputs: &[(&str, &str)]) -> Done {
    let action = yaml("action.yml");
    assert_eq!(action["runs"]["using"], "composite");
    let mut context: BTreeMap<String, String> = BTreeMap::new();
    context.insert("github.action_path".into(), root().to_string_lossy().into_owned());
    for (name, input) in action["inputs"].as_object().unwrap() {
        let given = inputs.iter().find(|(given, _)| given == name).map(|(_, value)| *value);
        let value = given.unwrap_or_else(|| input["default"].as_str().unwrap());
        context.insert(format!("inputs.{name}"), value.to_owned());
    }
    for (name, _) in inputs {
        assert!(context.contains_key(&format!("inputs.{name}")), "the action has no input {name}");
    }
    let summary = repository.path("summary.md");
    fs::write(&summary, "").unwrap();
    let mut done = Done { code: 0, stdout: String::new(), summary: String::new(), result: String::new() };
    for step in action["runs"]["steps"].as_array().unwrap() {
        assert_eq!(step["shell"], "bash");
        let id = step["id"].as_str().unwrap();
        let output = repository.path(&format!("output-{id}"));
        fs::write(&output, "").unwrap();
        let script = repository.path(&format!("{id}.sh"));
        let run = step["run"].as_str().unwrap();
        assert!(!run.contains("${{"), "what others write belongs into the environment, not into a script: {run}");
        fs::write(&script, run).unwrap();
        // As the runner does for `shell: bash`.
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(&script);
        command.current_dir(repository.path(""));
        command.env("GITHUB_STEP_SUMMARY", &summary).env("GITHUB_OUTPUT", &output);
        for (name, value) in step["env"].as_object().unwrap() {
            command.env(name, expression(value.as_str().unwrap(), &context));
        }
        let ran = command.output().unwrap();
        done.code = ran.status.code().unwrap();
        done.stdout.push_str(&String::from_utf8(ran.stdout).unwrap());
        for line in fs::read_to_string(&output).unwrap().lines() {
            let (name, value) = line.split_once('=').unwrap();
            context.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
        }
        if done.code != 0 {
            break;
        }
    }
    done.summary = fs::read_to_string(&summary).unwrap();
    done.result = expression(action["outputs"]["result"]["value"].as_str().unwrap(), &context);
    done
}

/// `${{ inputs.root }}`.
fn expression(text: &str, context: &BTreeMap<String, String>) -> String {
    let name = text.strip_prefix("${{ ").and_then(|t| t.strip_suffix(" }}"));
    let name = name.unwrap_or_else(|| panic!("{text} is more than one name"));
    context.get(name).unwrap_or_else(|| panic!("nothing sets {name}")).clone()
}

const PROGRAM: (&str, &str) = ("nvcrectl", env!("CARGO_BIN_EXE_nvcrectl"));

#[test]
fn a_stale_snapshot_fails_with_annotations_and_a_summary() {
    let repository = Repository::new();
    let done = act(&repository, &[PROGRAM, ("root", "runs")]);
    assert_eq!((done.code, done.stdout.as_str(), done.result.as_str()), (0, "", "same"));
    assert_eq!(done.summary, "### Snapshots: 2 scenarios: 2 as their snapshots\n");

    repository.replace("runs/aws/env/run.yaml", "TRACE", "WARN");
    let before = repository.text("runs/aws/env/snapshot/workflow.yaml");
    let done = act(&repository, &[PROGRAM, ("root", "runs")]);
    assert_eq!((done.code, done.result.as_str()), (1, "differs"));
    assert!(done.stdout.starts_with("::error title=NV304,file=runs/aws/env/run.yaml,line=16,"), "{}", done.stdout);
    assert!(done.summary.contains("NCCL\\_DEBUG is now WARN on all ranks (was TRACE)"), "{}", done.summary);
    assert!(done.summary.contains("<details><summary>aws/env differs from its snapshot</summary>"));
    assert_eq!(repository.text("runs/aws/env/snapshot/workflow.yaml"), before);

    let done = act(&repository, &[PROGRAM, ("root", "runs"), ("args", "smoke  --jobs 1"), ("format", "text")]);
    assert_eq!((done.code, done.stdout.as_str()), (0, "1 scenario: 1 as its snapshot\n"));
    let done = act(&repository, &[PROGRAM, ("root", "runs"), ("snapshots", "gold en"), ("format", "text")]);
    assert_eq!(done.code, 1);
    assert!(done.stdout.contains("2 without a snapshot"), "{}", done.stdout);
    let done = act(&repository, &[PROGRAM, ("root", "no where")]);
    assert_eq!((done.code, done.result.as_str()), (2, "error"));
}

#[test]
fn hooks_run_commands_that_exist() {
    let repository = Repository::new();
    let hooks = yaml(".pre-commit-hooks.yaml");
    for hook in hooks.as_array().unwrap() {
        let words: Vec<&str> = hook["entry"].as_str().unwrap().split(' ').collect();
        assert_eq!((words[0], &hook["pass_filenames"]), ("nvcrectl", &Value::Bool(false)));
        let mut command = Command::new(PROGRAM.1);
        // Hooks run in the root of the repository.
        let ran = command.args(&words[1..]).current_dir(repository.path("")).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&ran.stdout));
    }
}
