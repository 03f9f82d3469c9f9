//! Where runs, nodes and catalogues may come from.

use crate::common::{command, finish, root, run, run_with};
use crate::{NODES, RUN};
use std::fs;

fn plan(words: &[&str]) -> serde_json::Value {
    let mut all = vec!["workloadrun", "plan", RUN, "-o", "json"];
    all.extend(words);
    let ran = run(&all);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn the_pages_own_command_works_word_for_word() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join(RUN), folder.path().join("my-workload.yaml")).unwrap();
    let words = ["workloadrun", "render", "--platform", "aws", "my-workload.yaml"];
    let ran = finish(command(&words).current_dir(folder.path()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("rm -rf /opt/amazon"), "{}", ran.stdout);
    assert!(ran.stdout.contains("NCCL_NET_PLUGIN=none"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("gb300 adds compute-domain, aws-topology-key, aws-gb300-mpi-transport, aws-gb300-roce"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_run_may_come_from_stdin() {
    let text = fs::read(root().join(RUN)).unwrap();
    let words = ["workloadrun", "render", "-", "--platform", "aws", "--gpu-arch", "gb300"];
    let piped = run_with(&words, &text);
    let named = run(&["workloadrun", "render", RUN, "--platform", "aws", "--gpu-arch", "gb300"]);
    assert_eq!((piped.code, &piped.stdout), (0, &named.stdout));
    let bad = run_with(&["workloadrun", "check", "-"], b"kind: WorkloadRun\nspec: [\n");
    assert_eq!(bad.code, 1);
    assert!(bad.stderr.contains("<stdin>:"), "{}", bad.stderr);
    let empty = run_with(&["workloadrun", "check", "-"], b"");
    assert_eq!(empty.code, 1);
}

#[test]
fn any_bytes_are_findings_and_no_panic() {
    let long = vec![b'a'; 9 << 20];
    for bytes in [&b"\xff\xfe\x00\x00"[..], b"\0", b"\x80\x81", b"{", b"- a\n- b", b"a: b: c", b"---\n---\n", &long] {
        let ran = run_with(&["workloadrun", "render", "-"], bytes);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{:?}: {}", bytes.get(..8), ran.stderr);
        assert!(ran.stderr.contains("error[NV"), "{}", ran.stderr);
        let ran = run_with(&["cluster", "info", "--nodes", "-"], bytes);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{:?}: {}", bytes.get(..8), ran.stderr);
    }
}

#[test]
fn nodes_may_be_files_folders_and_stdin() {
    let whole = plan(&["--nodes", NODES]);
    assert_eq!(whole["totalNodes"], 16);
    // The same file twice is the same nodes.
    assert_eq!(plan(&["--nodes", NODES, "--nodes", NODES]), whole);
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join(NODES), folder.path().join("a.yaml")).unwrap();
    fs::write(folder.path().join("notes.txt"), "no inventory").unwrap();
    assert_eq!(plan(&["--nodes", folder.path().to_str().unwrap()]), whole);
    let text = fs::read(root().join(NODES)).unwrap();
    let piped = run_with(&["workloadrun", "plan", RUN, "-o", "json", "--nodes", "-"], &text);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&piped.stdout).unwrap(), whole);
    // Split over two files, and as JSON.
    let list: serde_json::Value =
        serde_json::from_slice(&fs::read(root().join("fixtures/fleet-json/nodes.json")).unwrap()).unwrap();
    let items = list["items"].as_array().unwrap();
    let (first, second) = items.split_at(1);
    let parts = [("1.json", first), ("2.json", second)].map(|(name, part)| {
        let path = folder.path().join(name);
        fs::write(&path, serde_json::json!({ "kind": "List", "apiVersion": "v1", "items": part }).to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let info = |words: &[&str]| run(&[&["cluster", "info", "-o", "json"], words].concat()).stdout;
    let [one, two] = &parts;
    let split = info(&["--nodes", one, "--nodes", two]);
    assert_eq!(split, info(&["--nodes", "fixtures/fleet-json/nodes.json"]));
    assert_eq!(split, info(&["--nodes", two, "--nodes", one]));
}

#[test]
fn made_up_nodes_are_of_the_declared_platform() {
    let plan = plan(&["--platform", "azure", "--gpu-arch", "gb200", "--assume-nodes", "9"]);
    assert_eq!((&plan["platform"], &plan["gpuArchitecture"]), (&"azure".into(), &"gb200".into()));
    assert_eq!((&plan["totalNodes"], &plan["totalGroups"]), (&9.into(), &3.into()));
    let unnamed = run(&["workloadrun", "plan", RUN, "--platform", "aws", "--assume-nodes", "4"]);
    assert!(unnamed.stderr.contains("warning[NV066]: no GPU is named"), "{}", unnamed.stderr);
}

#[test]
fn flags_edit_the_run() {
    let ran = run(&[
        "workloadrun",
        "render",
        RUN,
        "--nodes",
        NODES,
        "--name",
        "friday",
        "-n",
        "gpu-tests",
        "--show",
        "manifests",
        "-o",
        "json",
        "--group",
        "group-1",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let objects: Vec<serde_json::Value> =
        serde_json::Deserializer::from_str(&ran.stdout).into_iter().map(Result::unwrap).collect();
    let job = objects.iter().find(|o| o["kind"] == "TrainJob").unwrap();
    assert_eq!(objects.iter().filter(|o| o["kind"] == "TrainJob").count(), 1);
    assert!(objects.iter().all(|o| o["kind"] != "ConfigMap" || o["metadata"]["name"] != "friday-nvcre-run"));
    assert_eq!(job["metadata"]["namespace"], "gpu-tests");
    assert_eq!(job["metadata"]["labels"]["nvcre.nvidia.com/workload-run"], "friday");
    assert_eq!(job["metadata"]["labels"]["nvcre.nvidia.com/group"], "group-1");
}

#[test]
fn a_catalogue_of_ones_own() {
    let data = "nvcre-core/src/catalogue/data";
    let own = run(&["workloadrun", "render", RUN, "--platform", "aws", "--gpu-arch", "gb300", "--catalogue", data]);
    let built_in = run(&["workloadrun", "render", RUN, "--platform", "aws", "--gpu-arch", "gb300"]);
    assert_eq!((own.code, &own.stdout), (0, &built_in.stdout), "{}", own.stderr);
    assert_eq!(run(&["platforms", "--catalogue", data]).stdout, run(&["platforms"]).stdout);
    let fine = run(&["catalogue", "check", data]);
    let entries = fs::read_to_string(root().join(data).join("4-entries.yaml")).unwrap();
    let entries = entries.lines().filter(|line| line.starts_with("- id: ")).count();
    assert!(fine.stdout.starts_with(&format!("{entries} entries, ")), "{}", fine.stdout);
    assert!(fine.stdout.ends_with(" GPU architectures, 2 editions\n"), "{}", fine.stdout);
    // A broken one is all that is spoken of.
    let broken = run(&["workloadrun", "render", RUN, "--platform", "aws", "--catalogue", RUN]);
    assert!(broken.stderr.contains("error[NV005]: a catalogue has no field"), "{}", broken.stderr);
    assert!(!broken.stderr.contains("NV109"), "{}", broken.stderr);
}
