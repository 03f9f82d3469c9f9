//! A repository that keeps runs, made for one test.

use crate::common::{Ran, command, finish, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with scenarios in `runs/`.
pub struct Repository(tempfile::TempDir);

impl Repository {
    /// `runs/aws/env` (16 nodes) and `runs/smoke` (a template), both with snapshots beside them.
    pub fn new() -> Self {
        let out = Self::empty();
        out.copy("fixtures/page-env/run.yaml", "runs/aws/env/run.yaml");
        out.copy("fixtures/inventories/aws-gb300-16.yaml", "runs/inventories/aws.yaml");
        out.put("runs/aws/env/scenario.yaml", "title: A variable\nnodes: [../../inventories/aws.yaml]\n");
        out.copy("fixtures/page-basic-aws-gb300/run.yaml", "runs/smoke/run.yaml");
        let ran = out.update(&[]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        out
    }

    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn copy(&self, from: &str, to: &str) {
        self.put(to, &fs::read_to_string(root().join(from)).unwrap());
    }

    pub fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn replace(&self, name: &str, old: &str, new: &str) {
        let text = self.text(name);
        assert!(text.contains(old), "{name} does not hold {old}");
        self.put(name, &text.replace(old, new));
    }

    fn run(&self, what: &str, words: &[&str]) -> Ran {
        let words = [&["snapshot", what, "--root", "runs"], words].concat();
        finish(command(&words).current_dir(self.0.path()))
    }

    pub fn check(&self, words: &[&str]) -> Ran {
        self.run("check", words)
    }

    pub fn update(&self, words: &[&str]) -> Ran {
        self.run("update", words)
    }

    /// Every file with its bytes and the time of its last change.
    pub fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
        fn walk(folder: &Path, out: &mut BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    walk(&path, out);
                } else if path.is_file() {
                    let changed = path.metadata().unwrap().modified().unwrap();
                    out.insert(path.clone(), (fs::read(&path).unwrap_or_default(), changed));
                }
            }
        }
        let mut out = BTreeMap::new();
        walk(self.0.path(), &mut out);
        out
    }
}
