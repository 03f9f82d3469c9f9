//! Help texts and whole conversations: `tests/cmd/*.md`, and the commands of README.md. `TRYCMD=overwrite` rewrites them.

use crate::common::root;

#[test]
fn conversations_are_as_written() {
    trycmd::TestCases::new()
        .env("TERM", "dumb")
        .case("tests/cmd/*.md")
        .register_bin("nvcrectl", std::path::Path::new(env!("CARGO_BIN_EXE_nvcrectl")));
}

/// Every command of README.md that is no call of cargo. Its blocks say `console`, so trycmd runs them; they are run in
/// a copy of what they read, since they may write.
#[test]
fn commands_of_the_readme_work() {
    let folder = tempfile::tempdir().unwrap();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    std::fs::write(folder.path().join("README.md"), readme).unwrap();
    let commands = include_str!("../../../README.md").lines().filter(|line| line.starts_with("$ nvcrectl ")).count();
    assert!(commands >= 8, "README.md shows {commands} commands");
    trycmd::TestCases::new()
        .env("TERM", "dumb")
        .case("../README.md")
        .register_bin("nvcrectl", std::path::Path::new(env!("CARGO_BIN_EXE_nvcrectl")));
}
