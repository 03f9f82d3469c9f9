//! Help texts and whole conversations: `tests/cmd/*.md`, and the commands of README.md. `TRYCMD=overwrite` rewrites them.

use crate::common::root;

fn conversations(pattern: &str) {
    // Commands name files as one does in the root of the repository.
    std::env::set_current_dir(root()).unwrap();
    trycmd::TestCases::new()
        .env("TERM", "dumb")
        .case(root().join(pattern))
        .register_bin("nvcrectl", std::path::Path::new(env!("CARGO_BIN_EXE_nvcrectl")));
}

#[test]
fn conversations_are_as_written() {
    conversations("nvcrectl/tests/cmd/*.md");
}

#[test]
fn commands_of_the_readme_work() {
    let commands = include_str!("../../../README.md").lines().filter(|line| line.starts_with("$ nvcrectl ")).count();
    assert!(commands >= 8, "README.md shows {commands} commands");
    conversations("README.md");
}

/// Every direct dependency of the workspace is in the table of README.md with its reason, and nothing else is.
#[test]
fn the_table_of_dependencies_is_current() {
    let (_, table) = include_str!("../../../README.md").split_once("## Dependencies").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let mut told: Vec<&str> =
        rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2)).collect();
    told.sort_unstable();
    let manifest = include_str!("../../../Cargo.toml");
    let (_, dependencies) = manifest.split_once("[workspace.dependencies]").unwrap();
    let lines = dependencies.lines().take_while(|line| !line.starts_with("[workspace.lints"));
    let mut used: Vec<&str> = lines.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
    used.retain(|name| *name != "nvcre-core");
    used.push("serde-saphyr");
    used.sort_unstable();
    assert_eq!(told, used);
}
