//! `--out DIR`: whole files or none, stale ones removed, foreign ones never touched.

use crate::common::{Ran, command, finish, run};
use crate::{NODES, RUN};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn render(folder: &Path, words: &[&str]) -> Ran {
    let folder = folder.to_str().unwrap();
    run(&[&["workloadrun", "render", RUN, "--nodes", NODES, "--out", folder], words].concat())
}

/// Files of a folder and their length, the index apart.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    fn walk(folder: &Path, root: &Path, out: &mut BTreeMap<String, u64>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, out);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                out.insert(name, path.metadata().unwrap().len());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(folder, folder, &mut out);
    out.remove(".nvcrectl-files");
    out
}

fn names(folder: &Path) -> Vec<String> {
    files(folder).into_keys().collect()
}

#[test]
fn a_workflow_is_one_file_and_jobs_are_folders() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/er");
    let ran = render(&out, &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert_eq!(names(&out), ["workflow.yaml"]);
    assert_eq!(
        fs::read_to_string(out.join("workflow.yaml")).unwrap(),
        run(&["workloadrun", "render", RUN, "--nodes", NODES]).stdout
    );
    // Another form replaces it.
    assert_eq!(render(&out, &["--show", "manifests"]).code, 0);
    let manifests = names(&out);
    assert_eq!(manifests[0], "group-0/01-computedomain-my-workload-compute-domain-18d10-group-0-iter-1.yaml");
    assert!(manifests.iter().any(|n| n == "run/01-configmap-my-workload-nvcre-run.yaml"), "{manifests:?}");
    assert!(!manifests.iter().any(|n| n == "workflow.yaml"));
    let folders: Vec<&str> = manifests.iter().map(|n| n.split('/').next().unwrap()).collect();
    for group in ["group-0", "group-1", "group-2", "group-3", "run"] {
        assert!(folders.contains(&group), "{manifests:?}");
    }
    // The same objects in the same order as on stdout.
    let mut joined: Vec<String> = Vec::new();
    let mut in_order = manifests.clone();
    in_order.sort_by_key(|name| (!name.starts_with("run/"), name.clone()));
    for name in &in_order {
        joined.push(fs::read_to_string(out.join(name)).unwrap());
    }
    let printed = run(&["workloadrun", "render", RUN, "--nodes", NODES, "--show", "manifests"]).stdout;
    assert_eq!(joined.join("---\n"), printed);
    // Only one group: the others are of an earlier rendering.
    assert_eq!(render(&out, &["--show", "manifests", "--group", "group-2", "-o", "json"]).code, 0);
    let one = names(&out);
    assert!(one.iter().all(|n| n.starts_with("group-2/") && n.ends_with(".json")), "{one:?}");
    assert!(!out.join("group-0").exists());
}

#[test]
fn foreign_files_are_never_touched() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    fs::write(out.join("README.md"), "mine").unwrap();
    assert_eq!(render(out, &["--show", "jobs"]).code, 0);
    fs::write(out.join("group-1/notes.txt"), "mine").unwrap();
    // A group folder that goes keeps what is not ours; one that stays is not written over it.
    assert_eq!(render(out, &[]).code, 0);
    assert_eq!(names(out), ["README.md", "group-1/notes.txt", "workflow.yaml"]);
    let refused = render(out, &["--show", "jobs"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("group-1/notes.txt was not written by nvcrectl"), "{}", refused.stderr);
    assert_eq!(names(out), ["README.md", "group-1/notes.txt", "workflow.yaml"]);
    // Somebody else's file in the place of ours.
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("workflow.yaml"), "mine").unwrap();
    let refused = render(other.path(), &[]);
    assert_eq!(refused.code, 2);
    assert_eq!(fs::read_to_string(other.path().join("workflow.yaml")).unwrap(), "mine");
}

#[test]
fn an_error_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let words = ["workloadrun", "render", crate::BAD, "--nodes", NODES, "--out", out.to_str().unwrap()];
    assert_eq!(run(&words).code, 1);
    assert!(!out.exists());
    fs::write(&out, "a file").unwrap();
    let ran = render(&out, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot make the folder"), "{}", ran.stderr);
}

#[test]
fn a_killed_rendering_is_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    assert_eq!(render(out, &["--show", "jobs"]).code, 0);
    let whole = files(out);
    // As after a kill: the index names what was begun, a file is half there under its temporary name.
    fs::write(out.join(".nvcrectl-files"), "group-0/\ngroup-1/\ngroup-2/\ngroup-3/\n").unwrap();
    fs::write(out.join("group-0/.nvcrectl-tmp-01-job-x.yaml"), "apiVer").unwrap();
    fs::write(out.join("group-0/09-job-of-an-earlier-one.yaml"), "apiVersion: v1\n").unwrap();
    fs::remove_dir_all(out.join("group-3")).unwrap();
    let again = render(out, &["--show", "jobs"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(files(out), whole);
    // What else somebody puts there is not ours.
    fs::write(out.join(".nvcrectl-files"), "group-0/\n").unwrap();
    fs::write(out.join("group-0/notes.txt"), "mine").unwrap();
    assert_eq!(render(out, &["--show", "jobs"]).code, 2);
    assert!(out.join("group-0/notes.txt").exists());
}

#[cfg(unix)]
#[test]
fn links_are_foreign() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("group-0")).unwrap();
    let ran = render(folder.path(), &["--show", "jobs"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(names(elsewhere.path()), [""; 0]);
}

/// A limit on the size of files stands for a disk that is full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_says_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // The run record is small, the runtimes are not: 4 blocks of 1 KiB. A signal would end the process unheard.
    let script = format!(
        "trap '' XFSZ; ulimit -f 4; exec {} workloadrun render {RUN} --nodes {NODES} --show manifests --out {}",
        env!("CARGO_BIN_EXE_nvcrectl"),
        out.display()
    );
    let mut shell = std::process::Command::new("bash");
    let ran = finish(shell.args(["-c", &script]).current_dir(crate::common::root()));
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cannot write ") && ran.stderr.contains("of this rendering are in place"),
        "{}",
        ran.stderr
    );
    let left = names(&out);
    assert!(left.iter().all(|name| !name.contains(".nvcrectl-tmp-")), "{left:?}");
    for name in &left {
        assert!(fs::read_to_string(out.join(name)).unwrap().ends_with('\n'), "{name} is not whole");
    }
    // With room again, the next one puts everything right.
    assert_eq!(render(&out, &["--show", "manifests"]).code, 0);
    assert!(names(&out).len() > left.len());
}

/// Root may write anywhere, so this shows only what others see.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.path().join("probe"), "").is_ok() {
        eprintln!("this user may write into read-only folders: nothing to see");
        return;
    }
    let ran = render(folder.path(), &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot write"), "{}", ran.stderr);
}

#[test]
fn manual_pages_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let ran = finish(&mut command(&["man", folder.path().join("man1").to_str().unwrap()]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let pages = names(&folder.path().join("man1"));
    assert!(pages.contains(&"nvcrectl-workloadrun-render.1".to_owned()), "{pages:?}");
    assert_eq!(run(&["completion", "bash"]).code, 0);
}
