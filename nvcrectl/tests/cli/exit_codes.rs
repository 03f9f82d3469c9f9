//! 0: no finding of severity error; 1: error findings; 2: wrong usage, or a file that cannot be opened (00 D68).

use crate::common::run;
use crate::{BAD, NODES, RUN};

const AWS: [&str; 4] = ["--platform", "aws", "--gpu-arch", "gb300"];

fn code(words: &str) -> (i32, String, String) {
    let ran = run(&words.split(' ').collect::<Vec<_>>());
    (ran.code, ran.stdout, ran.stderr)
}

#[test]
fn every_kind_of_end() {
    let aws = AWS.join(" ");
    for (words, wanted) in [
        (format!("workloadrun render {RUN} {aws}"), 0),
        (format!("wr render {RUN} {aws}"), 0),
        (format!("workloadrun render {RUN}"), 0),
        (format!("workloadrun render {RUN} --nodes {NODES} --show jobs"), 0),
        (format!("workloadrun render {RUN} --nodes {NODES} --show manifests"), 0),
        (format!("workloadrun render {RUN} {aws} --assume-nodes 4 --show manifests"), 0),
        (format!("workloadrun plan {RUN} --nodes {NODES}"), 0),
        (format!("workloadrun check {RUN} {aws}"), 0),
        (format!("cluster info --nodes {NODES}"), 0),
        ("platforms".to_owned(), 0),
        ("platforms --edition latest -o json".to_owned(), 0),
        ("schema workloadrun".to_owned(), 0),
        ("crd".to_owned(), 0),
        ("catalogue check nvcre-core/src/catalogue/data".to_owned(), 0),
        ("version".to_owned(), 0),
        ("--help".to_owned(), 0),
        // Findings.
        (format!("workloadrun render {BAD}"), 1),
        (format!("workloadrun check {BAD}"), 1),
        (format!("workloadrun check {RUN} {BAD}"), 1),
        ("workloadrun check fixtures/bad-syntax/run.yaml".to_owned(), 1),
        ("workloadrun check fixtures/bad-latin1/run.yaml".to_owned(), 1),
        ("workloadrun check fixtures/bad-utf16/run.yaml".to_owned(), 1),
        ("workloadrun check fixtures/bad-empty-file/run.yaml".to_owned(), 1),
        (format!("workloadrun render {RUN} --nodes {RUN}"), 1),
        (format!("workloadrun render {RUN} --show jobs"), 1),
        (format!("workloadrun render {RUN} {aws} --show manifests"), 1),
        (format!("workloadrun plan {RUN}"), 1),
        (format!("cluster info --nodes {RUN}"), 1),
        (format!("catalogue check {RUN}"), 1),
        (format!("workloadrun render {RUN} {aws} --catalogue {RUN}"), 1),
        (format!("cluster info --nodes {NODES} --catalogue {RUN}"), 1),
        (format!("platforms --catalogue {RUN}"), 1),
        (format!("workloadrun render {RUN} --name Not_A_Name {aws}"), 1),
        // Usage.
        ("workloadrun render no-such-file.yaml".to_owned(), 2),
        ("workloadrun check no-such-file.yaml".to_owned(), 2),
        (format!("workloadrun check {BAD} no-such-file.yaml {RUN}"), 2),
        (format!("workloadrun check {RUN} fixtures"), 2),
        ("workloadrun render fixtures".to_owned(), 2),
        (format!("workloadrun render {RUN} --nodes no-such-file.yaml"), 2),
        (format!("workloadrun render {RUN} --nodes docs"), 2),
        (format!("workloadrun render {RUN} --catalogue no-such-file.yaml"), 2),
        (format!("workloadrun render {RUN} --platform awz"), 2),
        (format!("workloadrun render {RUN} --platform AWS"), 2),
        (format!("workloadrun render {RUN} --platform aws --gpu-arch gb400"), 2),
        (format!("workloadrun render {RUN} --platform aws --edition newest"), 2),
        (format!("workloadrun render {RUN} --nodes {NODES} --platform awz"), 2),
        (format!("workloadrun render {RUN} --test-scale rack"), 2),
        (format!("workloadrun render {RUN} --show everything"), 2),
        (format!("workloadrun render {RUN} -o toml"), 2),
        (format!("workloadrun render {RUN} --assume-nodes 4"), 2),
        (format!("workloadrun render {RUN} --platform aws --assume-nodes 0"), 2),
        (format!("workloadrun render {RUN} --platform aws --assume-nodes 4 --nodes {NODES}"), 2),
        (format!("workloadrun render {RUN} --topology-key example.com/rack"), 2),
        (format!("workloadrun render {RUN} --group group-0"), 2),
        (format!("workloadrun render {RUN} --nodes {NODES} --show jobs --group group-9"), 2),
        ("workloadrun render - --nodes -".to_owned(), 2),
        ("platforms --edition newest".to_owned(), 2),
        ("cluster info".to_owned(), 2),
        ("completion basic".to_owned(), 2),
        ("workloadrun rendr".to_owned(), 2),
        ("schema".to_owned(), 2),
    ] {
        let (found, stdout, stderr) = code(&words);
        assert_eq!(found, wanted, "nvcrectl {words}\n{stderr}");
        if wanted != 0 {
            assert_eq!(stdout, "", "nvcrectl {words}");
            assert_ne!(stderr, "", "nvcrectl {words}");
        }
    }
}

#[test]
fn warnings_count_when_they_are_denied() {
    let render = format!("workloadrun render {RUN} --platform aws");
    let (warned, stdout, stderr) = code(&render);
    assert_eq!(warned, 0);
    assert!(stderr.contains("warning[NV066]"), "{stderr}");
    let (denied, same, _) = code(&format!("{render} --deny-warnings"));
    assert_eq!(denied, 1);
    assert_eq!(same, stdout, "a warning keeps nothing from being printed");
    assert_eq!(code(&format!("{render} --gpu-arch gb300 --deny-warnings")).0, 0);
    // A notice is no warning.
    let check = "workloadrun check fixtures/fleet-200/run.yaml --nodes fixtures/fleet-200/nodes.yaml --deny-warnings";
    let (noticed, _, stderr) = code(check);
    assert!(stderr.contains("notice["), "{stderr}");
    assert_eq!(noticed, 0);
}

#[test]
fn lenient_makes_unknown_fields_warnings() {
    let file = "fixtures/bad-unknown-fields/run.yaml";
    let (strict, stdout, stderr) = code(&format!("workloadrun render {file} --platform aws --gpu-arch gb300"));
    assert_eq!((strict, stdout.as_str()), (1, ""));
    assert!(stderr.contains("error[NV005]"), "{stderr}");
    let (lenient, _, stderr) = code(&format!("workloadrun check {file} --platform aws --gpu-arch gb300 --lenient"));
    assert!(stderr.contains("warning[NV005]") && !stderr.contains("error[NV005]"), "{stderr}");
    assert_eq!(lenient, 0, "{stderr}");
}

#[test]
fn wrong_usage_names_what_is_known() {
    let said = |words: &str| code(words).2;
    let platform = said(&format!("workloadrun render {RUN} --platform awz"));
    assert!(platform.contains("--platform: \"awz\" is no known platform"), "{platform}");
    assert!(platform.contains("aws, gcp, azure, oci, onprem, togetherai, mistral, forge, nscale"), "{platform}");
    let gpu = said(&format!("workloadrun render {RUN} --platform aws --gpu-arch gb400"));
    assert!(gpu.contains("a100, b200, b300, gb200, gb300, h100, h200, l40, l40s, rtxpro6000"), "{gpu}");
    let edition = said("platforms --edition newest");
    assert!(edition.contains("known are documented, latest"), "{edition}");
    let scale = said(&format!("workloadrun render {RUN} --test-scale rack"));
    assert!(scale.contains("[possible values: intra-node, intra-rack, full-scale]"), "{scale}");
    let group = said(&format!("workloadrun render {RUN} --nodes {NODES} --show jobs --group group-9"));
    assert!(group.contains("there are 4 (group-0, group-1, group-2, group-3)"), "{group}");
    let nodes = said(&format!("workloadrun render {RUN} --show manifests"));
    assert!(
        nodes.contains("error[NV137]") && nodes.contains("--nodes") && nodes.contains("--assume-nodes N"),
        "{nodes}"
    );
    let assumed = said(&format!("workloadrun render {RUN} --assume-nodes 4"));
    assert!(assumed.contains("--platform <PLATFORM>"), "{assumed}");
}
