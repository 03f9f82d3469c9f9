//! Tables at 80 and 200 columns, and in a pipe.

use crate::common::{command, finish};
use crate::{NODES, RUN};

fn plan(run: &str, nodes: &str, columns: Option<usize>) -> String {
    let mut command = command(&["workloadrun", "plan", run, "--nodes", nodes]);
    if let Some(columns) = columns {
        command.env("COLUMNS", columns.to_string());
    }
    let ran = finish(&mut command);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn a_plan_fits_into_its_terminal() {
    for columns in [80, 120, 200] {
        for (run, nodes) in [
            (RUN, NODES),
            ("fixtures/partition-3-2-leftovers/run.yaml", "fixtures/inventories/onprem-h100-18.yaml"),
            ("fixtures/page-basic-aws-h100/run.yaml", "fixtures/inventories/aws-h100-16.yaml"),
        ] {
            let text = plan(run, nodes, Some(columns));
            let groups = text.split("\n\n").nth(1).unwrap();
            for line in groups.lines() {
                assert!(line.chars().count() <= columns, "{columns}: {line}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}

#[test]
fn why_groups_wait_fits_into_the_terminal() {
    for columns in [80, 120, 200] {
        for (run, nodes) in [
            ("fixtures/platform-oci-h100-exec/run.yaml", "fixtures/inventories/oci-h100-4.yaml"),
            ("fixtures/fleet-unwell/run.yaml", "fixtures/inventories/onprem-h100-unwell.yaml"),
            (RUN, NODES),
        ] {
            let text = plan(run, nodes, Some(columns));
            let told =
                text.split("\n\n").skip(2).filter(|part| part.starts_with("WAITING") || part.starts_with("ONLY"));
            let lines: Vec<&str> = told.flat_map(str::lines).collect();
            assert!(!lines.is_empty(), "{text}");
            for line in lines {
                assert!(line.chars().count() <= columns, "{columns}: {line}\n{text}");
            }
        }
    }
}

#[test]
fn long_names_lose_their_common_domain_on_a_terminal_only() {
    let narrow = plan(RUN, NODES, Some(80));
    assert!(narrow.contains("names      shown without .us-west-2.compute.internal\n"), "{narrow}");
    assert!(
        narrow.contains("group-0   4      fits     ip-10-52-17-29, ip-10-52-19-99,   nn-8eaf8043fb5e4ae05\n"),
        "{narrow}"
    );
    assert!(narrow.contains("                          ip-10-52-22-64, ip-10-52-26-131\n"), "{narrow}");
    let piped = plan(RUN, NODES, None);
    assert!(!piped.contains("shown without"), "{piped}");
    let group = piped.lines().find(|line| line.starts_with("group-0 ")).unwrap();
    assert_eq!(group.matches(".us-west-2.compute.internal").count(), 4, "{group}");
}

#[test]
fn nodes_of_which_the_same_is_said_share_a_row() {
    let text = plan("fixtures/fleet-200/run.yaml", "fixtures/fleet-200/nodes.yaml", None);
    let twice = text.split("RUN TWICE").nth(1).unwrap();
    assert_eq!(twice.trim_end().lines().count(), 1 + 4, "{twice}");
    assert!(
        twice.contains("aks-gb200-60528847-vmss000000…aks-gb200-60528847-vmss00000d   group-0, group-12-overflow\n"),
        "{twice}"
    );
    let text = plan("fixtures/fleet-cordoned/run.yaml", "fixtures/inventories/onprem-h100-cordoned.yaml", None);
    assert!(text.contains("nodes      4 take part, 4 stay out\n"), "{text}");
    assert!(text.contains("dgx-h100-22, dgx-h100-25   is cordoned (spec.unschedulable: true)\n"), "{text}");
}

#[test]
fn every_gpu_of_a_platform_is_listed_once() {
    let ran = finish(&mut command(&["platforms"]));
    let rows: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("aws ")).collect();
    assert_eq!(rows.len(), 6, "{}", ran.stdout);
    for gpu in ["h100", "h200", "a100", "l40s", "l40", "b200", "b300", "gb200", "gb300", "rtxpro6000"] {
        let word = |row: &&&str| row.split([' ', ',']).any(|w| w == gpu);
        assert_eq!(rows.iter().filter(word).count(), 1, "{gpu}\n{}", ran.stdout);
    }
}
