//! `workloadrun matrix`: filters, exit codes, widths, the same in every form.

use crate::common::{command, finish, run};
use crate::{BAD, RUN};
use serde_json::Value;

fn matrix(words: &[&str]) -> crate::common::Ran {
    run(&[&["workloadrun", "matrix"], words].concat())
}

#[test]
fn the_table_has_every_combination_once() {
    let known: Value = serde_json::from_str(&run(&["platforms", "-o", "json"]).stdout).unwrap();
    let text = matrix(&[RUN]).stdout;
    let (_, table) = text.split_once("PLATFORM").unwrap();
    let rows: Vec<&str> = table.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    for row in known["rows"].as_array().unwrap() {
        let (platform, gpu) = (row["platform"].as_str().unwrap(), row["gpuArchitecture"].as_str().unwrap());
        let of = |line: &&&str| {
            let mut cells = line.split("   ").map(str::trim).filter(|cell| !cell.is_empty());
            cells.next().is_some_and(|cell| cell.trim_end_matches('*') == platform)
                && cells.next().is_some_and(|cell| cell.split(", ").any(|name| name.trim_end_matches('?') == gpu))
        };
        assert_eq!(rows.iter().filter(of).count(), 1, "{platform} {gpu}");
    }
}

#[test]
fn lines_fit_the_terminal() {
    for width in [80, 120, 200] {
        let mut command = command(&["workloadrun", "matrix", RUN, "--editions"]);
        let ran = finish(command.env("COLUMNS", width.to_string()));
        assert_eq!(ran.code, 0);
        let long: Vec<&str> = ran.stdout.lines().filter(|line| line.chars().count() > width).collect();
        // A word that is longer than the terminal cannot be broken.
        assert_eq!(long, [""; 0], "{width}");
    }
}

#[test]
fn exit_codes() {
    // Errors of the run itself.
    let bad = matrix(&[BAD]);
    assert_eq!((bad.code, bad.stdout.as_str()), (1, ""));
    assert!(bad.stderr.contains("error[NV004]"));
    // Findings of combinations are told, and count when warnings do.
    assert_eq!(matrix(&[RUN]).code, 0);
    let denied = matrix(&[RUN, "--deny-warnings"]);
    assert_eq!(denied.code, 1);
    assert!(denied.stdout.contains("warning[NV159]"));
    let fine = &["--platform", "gcp", "--gpu-arch", "gb300", "--deny-warnings"];
    assert_eq!(matrix(&[&[RUN][..], fine].concat()).code, 0);
    let rack = &["--test-scale", "intra-rack", "--platform", "oci", "--gpu-arch", "h100"];
    let failed = matrix(&[&[RUN][..], rack].concat());
    assert_eq!(failed.code, 0);
    assert!(failed.stdout.contains("cannot be rendered") && failed.stdout.contains("error["), "{}", failed.stdout);
    assert_eq!(matrix(&[&[RUN][..], rack, &["--deny-warnings"]].concat()).code, 1);
    // Wrong usage.
    for words in [
        &[RUN, "--platform", "awz"][..],
        &[RUN, "--gpu-arch", "gb400"],
        &[RUN, "--edition", "newest"],
        &[RUN, "--editions", "--edition", "latest"],
        &[RUN, "--nodes", "x.yaml"],
        &["no-such-file.yaml"],
    ] {
        let ran = matrix(words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
    }
}

#[test]
fn flags_edit_the_run_and_filter() {
    let value: Value = serde_json::from_str(
        &matrix(&[
            RUN,
            "--name",
            "other",
            "--platform",
            "aws",
            "--platform",
            "oci",
            "--gpu-arch",
            "gb300",
            "-o",
            "json",
        ])
        .stdout,
    )
    .unwrap();
    assert_eq!(value["run"], "other");
    let rows: Vec<&str> =
        value["combinations"].as_array().unwrap().iter().map(|c| c["platform"].as_str().unwrap()).collect();
    assert_eq!(rows, ["aws", "oci"]);
    assert!(
        value["variants"][0]["differences"]["objects"][0]["text"].as_str().unwrap().contains("other-compute-domain")
    );
    let markdown = matrix(&[RUN, "--editions", "--gpu-arch", "unknown", "-o", "markdown"]).stdout;
    assert!(markdown.contains("| documented | aws | unknown? |") && markdown.contains("| latest | aws | unknown? |"));
    assert_eq!(markdown.matches("<details>").count(), markdown.matches("</details>").count());
}
