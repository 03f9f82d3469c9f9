//! `workloadrun init`: a first run on stdout or in a new file, whole or not at all.

use crate::common::run;
use std::fs;

fn init(words: &[&str]) -> crate::common::Ran {
    run(&[&["workloadrun", "init"], words].concat())
}

#[test]
fn what_it_prints_has_no_finding_and_fits_the_schema() {
    for framework in ["mpi", "torch", "exec"] {
        let ran = init(&["--framework", framework, "--name", "sweep", "--image", "registry.example/nccl:1"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let first = "# yaml-language-server: $schema=workloadrun.schema.json\n";
        assert!(ran.stdout.starts_with(first) && ran.stdout.contains("\n  name: sweep\n"));
        let checked = crate::common::run_with(&["workloadrun", "check", "-"], ran.stdout.as_bytes());
        assert_eq!((checked.code, checked.stderr.as_str()), (0, "no findings\n"), "{framework}");
        // The schema that the first line names, as the command writes it.
        let schema = serde_json::from_str(&run(&["schema", "workloadrun"]).stdout).unwrap();
        let read = nvcre_core::engine::Engine::new().read_run(ran.stdout.as_bytes(), "run.yaml", false);
        let value = read.source.unwrap().root.unwrap().to_value();
        assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&value), "{framework}");
    }
}

#[test]
fn a_file_is_never_replaced_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.yaml");
    let file = path.to_str().unwrap();
    let ran = init(&["--out", file]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.starts_with(&format!("wrote {file}; ")));
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, init(&[]).stdout);
    fs::write(&path, "mine").unwrap();
    let again = init(&["--out", file]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("is there already, and stays as it is"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(init(&["--out", file, "--force"]).code, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    // A link to nowhere is somebody's, too.
    let link = folder.path().join("link.yaml");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
    assert_eq!(init(&["--out", link.to_str().unwrap()]).code, 2);
    assert!(!folder.path().join("nowhere").exists());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn wrong_usage_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.yaml");
    let file = path.to_str().unwrap();
    for (words, says) in [
        (&["--name", "Sweep"][..], "--name: "),
        (&["--name", ""], "--name: "),
        (&["--image", "a b"], "--image: "),
        (&["--image", ""], "--image: "),
        (&["--schema", "a b"], "without blanks"),
        (&["--schema", ""], "without blanks"),
        (&["--framework", "slurm"], "possible values: mpi, torch, exec"),
    ] {
        let ran = init(&[words, &["--out", file]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
        assert!(ran.stderr.contains(says), "{words:?}: {}", ran.stderr);
        assert!(!path.exists(), "{words:?}");
    }
    assert_eq!(init(&["--force"]).code, 2);
    assert_eq!(init(&["--out", folder.path().to_str().unwrap()]).code, 2);
    assert_eq!(init(&["--out", "/no/such/folder/run.yaml"]).code, 2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
