//! Objects on stdout, findings on stderr, and readers that leave early.

use crate::common::{command, finish, run, run_with};
use crate::{BAD, NODES, RUN};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn several_objects_are_documents_or_json_one_after_the_other() {
    let words = ["workloadrun", "render", RUN, "--nodes", NODES, "--show", "manifests"];
    let yaml = run(&words);
    let documents: Vec<&str> = yaml.stdout.split("---\n").collect();
    assert!(documents.iter().all(|d| d.starts_with("apiVersion: ")), "{}", yaml.stdout);
    let json = run(&[&words[..], &["-o", "json"]].concat());
    let objects = serde_json::Deserializer::from_str(&json.stdout).into_iter::<serde_json::Value>();
    assert_eq!(objects.map(Result::unwrap).count(), documents.len());
    assert!(json.stdout.ends_with("}\n") && yaml.stdout.ends_with('\n'));
    assert!(run(&["version", "-o", "json"]).stdout.ends_with("}\n"));
}

#[test]
fn a_template_keeps_its_conditions() {
    let ran = run(&["workloadrun", "render", RUN, "-o", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let workflow: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let overrides = workflow["spec"]["overrides"].as_array().unwrap();
    assert!(overrides.len() > 5);
    assert!(overrides.iter().all(|o| o["when"].is_object()));
    assert!(ran.stderr.contains("notice[NV207]"), "{}", ran.stderr);
}

/// `… | head -1`
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let words = [
        "workloadrun",
        "render",
        RUN,
        "--platform",
        "aws",
        "--gpu-arch",
        "gb300",
        "--assume-nodes",
        "4000",
        "--show",
        "manifests",
    ];
    let mut child = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "apiVersion: v1\n");
    let rest = child.wait_with_output().unwrap();
    assert_eq!((rest.status.code(), String::from_utf8(rest.stderr).unwrap().as_str()), (Some(0), ""));
}

/// Findings count, even when nobody reads them.
#[test]
fn a_closed_stderr_changes_no_exit_code() {
    let mut child = command(&["workloadrun", "check", BAD]).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let words = ["workloadrun", "render", RUN, "--platform", "aws", "--gpu-arch", "gb300"];
    let ran = finish(command(&words).stdout(full()).stderr(Stdio::piped()));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: cannot write to stdout: No space left"), "{}", ran.stderr);
    assert_eq!(finish(command(&["workloadrun", "check", BAD]).stderr(full())).code, 1);
    assert_eq!(finish(command(&["workloadrun", "check", "no-such-file"]).stderr(full())).code, 2);
}

#[test]
fn no_progress_without_a_terminal() {
    let nodes: String = (0..4000)
        .map(|n| format!("apiVersion: v1\nkind: Node\nmetadata:\n  name: n{n:05}\n  labels: {{nvidia.com/gpu.present: \"true\", nvidia.com/gpu.product: NVIDIA-H100}}\n---\n"))
        .collect();
    let ran = run_with(&["cluster", "info", "--nodes", "-", "-o", "json"], nodes.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stderr.contains("reading"), "{}", ran.stderr);
}
