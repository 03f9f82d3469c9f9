//! Snapshots: what is a scenario, what its files may say, what differs from a snapshot and from which line of the run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods)]
#![allow(clippy::disallowed_types, missing_docs)]

mod scenarios;

use nvcre_core::diagnostic::{Code, Diagnostic};
use nvcre_core::engine::{Delivery, Engine};
use nvcre_core::snapshot::{
    Files, Layout, Listed, Listing, Mark, Orphan, Review, ScenarioFolder, ScenarioInput, ScenarioReview, Verdict,
    compare, discover, join, mark, orphans, read_scenario, read_settings, render, select,
};
use scenarios::Scenario;

fn listing(files: &[&str]) -> Listing {
    let mut out = Listing::default();
    for file in files {
        let parts: Vec<&str> = file.split('/').collect();
        for end in 1..parts.len() {
            out.0.insert(parts[..end].join("/"), Listed::Folder);
        }
        out.0.insert((*file).to_owned(), Listed::File);
    }
    out
}

fn codes(found: &[Diagnostic]) -> Vec<Code> {
    found.iter().map(|d| d.code).collect()
}

#[test]
fn folders_with_a_run_are_scenarios_by_name() {
    let files =
        ["b/run.yaml", "a/x/run.yaml", "a/x/scenario.yaml", "a/nodes.yaml", "old/run.yaml", "a/x/deep/run.yaml"];
    let (found, findings) = discover(&listing(&files), &["./old/".into()]);
    let names: Vec<(&str, bool)> = found.iter().map(|s| (s.name.as_str(), s.has_file)).collect();
    assert_eq!(names, [("a/x", true), ("a/x/deep", false), ("b", false)]);
    assert_eq!(findings, []);
    // The root may be one itself.
    let (found, findings) = discover(&listing(&["run.yaml", "nodes.yaml"]), &[]);
    assert_eq!((found[0].name.as_str(), findings.len()), (".", 0));
    assert_eq!(listing(&["run.yaml", "x/nodes.yaml"]).beside("."), ["run.yaml"]);
    assert_eq!(listing(&["x/nodes.yaml", "x/y/z.yaml", "xx/a.yaml"]).beside("x"), ["nodes.yaml"]);
}

#[test]
fn what_keeps_folders_from_being_scenarios_is_found() {
    let mut files =
        listing(&["Ä/run.yaml", "ä/run.yaml", "c/scenario.yaml", "c/run.yml", "d/scenario.yaml", "e/scenario.yaml"]);
    files.0.insert("loop".into(), Listed::Loop);
    files.0.insert("dark".into(), Listed::Unreadable("denied".into()));
    files.0.insert("e/run.yaml".into(), Listed::Unreadable("denied".into()));
    let (found, findings) = discover(&files, &[]);
    // What cannot be read is a scenario all the same, and is told when it is read.
    assert_eq!(found.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["e", "Ä", "ä"]);
    let wanted = [
        Code::ScenarioWithoutRun,
        Code::ScenarioWithoutRun,
        Code::ScenarioUnreadable,
        Code::ScenarioLink,
        Code::ScenarioTwice,
    ];
    assert_eq!(codes(&findings), wanted);
    assert_eq!(findings[0].help.as_deref(), Some("rename run.yml to run.yaml"));
    assert_eq!(codes(&discover(&listing(&["x/nodes.yaml"]), &[]).1), [Code::NoScenarios]);
}

#[test]
fn snapshots_of_no_scenario_are_orphans_unless_something_was_not_looked_at() {
    let mut root = listing(&["a/run.yaml", "half/scenario.yaml"]);
    let there = listing(&[
        "a/findings.yaml",
        "half/findings.yaml",
        "gone/findings.yaml",
        "gone/plan.json",
        "gone/notes.md",
        "dark/x/findings.yaml",
        "foreign/findings.yaml",
        "no-findings/plan.json",
    ]);
    let is_snapshot = |folder: &str| folder != "foreign";
    let found = |root: &Listing| orphans(Layout::Apart, root, &[], &there, is_snapshot);
    let names = |found: &[Orphan]| found.iter().map(|o| o.folder.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found(&root)), ["dark/x", "gone"]);
    assert_eq!(found(&root)[1].files, ["findings.yaml", "plan.json"]);
    root.0.insert("dark".into(), Listed::Unreadable("denied".into()));
    assert_eq!(names(&found(&root)), ["gone"]);
    // Beside scenarios, only folders of that name are snapshots.
    let root = listing(&["a/run.yaml", "a/snapshot/findings.yaml", "b/snapshot/findings.yaml", "c/findings.yaml"]);
    assert_eq!(names(&orphans(Layout::Beside, &root, &[], &root, |_| true)), ["b/snapshot"]);
    assert_eq!(names(&orphans(Layout::Beside, &root, &["b".into()], &root, |_| true)), [""; 0]);
}

#[test]
fn names_choose_scenarios() {
    let all: Vec<ScenarioFolder> = ["aws/env", "aws/smoke", "env", "smoke-2"]
        .map(|name| ScenarioFolder { name: name.into(), has_file: false })
        .into();
    let chosen = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        select(&all, &names, "runs").map(|found| found.iter().map(|s| s.name.clone()).collect::<Vec<_>>())
    };
    assert_eq!(chosen(&[]).unwrap().len(), 4);
    assert_eq!(chosen(&["env"]).unwrap(), ["aws/env", "env"]);
    assert_eq!(chosen(&["smoke-2", "aws"]).unwrap(), ["aws/env", "aws/smoke", "smoke-2"]);
    assert_eq!(chosen(&["runs/aws/", "aws/env"]).unwrap(), ["aws/env", "aws/smoke"]);
    assert_eq!(chosen(&["*smoke*"]).unwrap(), ["aws/smoke", "smoke-2"]);
    assert_eq!(chosen(&["runs"]).unwrap().len(), 4);
    assert_eq!(chosen(&["env", "smok-2"]), Err(("smok-2".into(), Some("smoke-2".into()))));
    assert_eq!(chosen(&["zzzzzz"]), Err(("zzzzzz".into(), None)));
}

#[test]
fn every_field_of_a_scenario_is_read() {
    let text = b"title: All\nnodes: [../a/./nodes.yaml]\ngroups: [group-1]\nexpect: {exit: 1, codes: [NV001]}\nflags:\n  \
        platform: aws\n  gpuArch: gb300\n  edition: latest\n  delivery: controller\n  onlyHealthy: true\n  name: nn\n  \
        namespace: s\n  testScale: intra-node\n  nodeList: 'a,b'\n  topologyDomain: d\n  topologyKey: k\n  lenient: true\n  \
        denyWarnings: true\n  show: manifests\n";
    let read = read_scenario("x/y", Some(text), &["nodes.yaml"]);
    assert_eq!(read.diagnostics, []);
    let s = read.value;
    assert_eq!(
        (s.name.as_str(), s.title.as_str(), s.nodes.as_slice()),
        ("x/y", "All", &["../a/nodes.yaml".to_owned()][..])
    );
    let text = |option: &Option<String>| option.clone().unwrap();
    assert_eq!((text(&s.options.platform), text(&s.options.gpu_arch)), ("aws".into(), "gb300".into()));
    assert_eq!(
        (text(&s.options.edition), s.delivery, s.options.only_healthy),
        ("latest".into(), Delivery::Controller, true)
    );
    let flags = &s.options.flags;
    let words = [
        &flags.name,
        &flags.namespace,
        &flags.test_scale,
        &flags.node_list,
        &flags.topology_domain,
        &flags.topology_key,
    ];
    assert_eq!(words, ["nn", "s", "intra-node", "a,b", "d", "k"]);
    assert_eq!((s.lenient, s.deny_warnings, s.jobs, s.groups), (true, true, Some(true), vec!["group-1".to_owned()]));
    assert_eq!((s.expect.exit, s.expect.codes), (1, vec!["NV001".to_owned()]));
    // Without a file, or with one that says nothing.
    for bytes in [None, Some(&b""[..]), Some(&b"# later\n"[..])] {
        let read = read_scenario("x", bytes, &["nodes.json", "run.yaml"]);
        assert_eq!(read.diagnostics, [], "{bytes:?}");
        assert_eq!(read.value.nodes, ["nodes.json"]);
        assert_eq!((read.value.delivery, read.value.jobs), (Delivery::Trainer, None));
    }
    assert_eq!(
        read_scenario("x", Some(b"flags: {assumeNodes: 4, platform: aws}"), &["nodes.yaml"]).value.nodes,
        [""; 0]
    );
}

#[test]
fn everything_that_is_wrong_with_a_scenario_is_found_at_its_place() {
    for (text, beside, wanted) in [
        ("titel: x\n", &[][..], vec![(Code::UnknownField, "titel", 1)]),
        ("expect: {exit: one}\n", &[], vec![(Code::WrongType, "expect.exit", 1)]),
        (
            "expect: {exit: 2, codes: [NV001, NV999]}\n",
            &[],
            vec![(Code::ScenarioValue, "expect.exit", 1), (Code::ScenarioValue, "expect.codes[1]", 1)],
        ),
        (
            "flags:\n  delivery: trainr\n  show: all\n",
            &[],
            vec![(Code::ScenarioValue, "flags.delivery", 2), (Code::ScenarioValue, "flags.show", 3)],
        ),
        (
            "flags: {assumeNodes: 0}\nnodes: [/etc/nodes.yaml]\n",
            &[],
            vec![
                (Code::ScenarioValue, "flags.assumeNodes", 1),
                (Code::ScenarioValue, "flags.assumeNodes", 1),
                (Code::ScenarioValue, "nodes[0]", 2),
            ],
        ),
        ("title: both\n", &["nodes.yaml", "nodes.json"], vec![(Code::ScenarioValue, "nodes", 1)]),
    ] {
        let read = read_scenario("x", Some(text.as_bytes()), beside);
        let found: Vec<(Code, String, u32)> = read
            .diagnostics
            .iter()
            .map(|d| {
                assert_eq!(d.file.as_deref(), Some("scenario.yaml"));
                (d.code, d.path.as_ref().unwrap().to_string(), d.span.unwrap().start.line)
            })
            .collect();
        let wanted: Vec<(Code, String, u32)> = wanted.into_iter().map(|(c, p, l)| (c, p.to_owned(), l)).collect();
        assert_eq!(found, wanted, "{text}");
        let flaws: Vec<String> = read.diagnostics.iter().flat_map(scenarios::flaws).collect();
        assert_eq!(flaws, [""; 0]);
    }
    assert_eq!(codes(&read_scenario("x", Some(b"title: 'a\n"), &[]).diagnostics), [Code::Syntax]);
    assert_eq!(codes(&read_scenario("x", Some(b"title: a\n---\ntitle: b\n"), &[]).diagnostics), [Code::ExtraDocument]);
    assert_eq!(codes(&read_scenario("x", Some(b"[1]\n"), &[]).diagnostics), [Code::WrongType]);
    let settings = read_settings(Some(b"snapshots: /tmp\nignore: [there, gone]\n"), &listing(&["there/run.yaml"]));
    assert_eq!(codes(&settings.diagnostics), [Code::ScenarioValue, Code::ScenarioValue]);
}

#[test]
fn marks() {
    for (text, wanted) in [
        ("format: nvcre.nvidia.com/snapshot/v1\nfindings: []\n", Mark::Snapshot),
        ("format: nvcre.nvidia.com/snapshot/v9\n", Mark::Snapshot),
        ("<<<<<<< HEAD\nformat: nvcre.nvidia.com/snapshot/v1\n", Mark::Snapshot),
        ("", Mark::Snapshot),
        ("findings: []\n", Mark::Foreign),
        ("# format: nvcre.nvidia.com/snapshot/v1\n", Mark::Foreign),
        ("format: nvcre.nvidia.com/plan/v1\n", Mark::Foreign),
    ] {
        assert_eq!(mark(text.as_bytes()), wanted, "{text}");
    }
}

#[test]
fn paths_are_joined() {
    for (folder, path, wanted) in [
        ("", "a", "a"),
        (".", ".", "."),
        ("a", "..", "."),
        ("/a", "../..", "/.."),
        ("a/b", "../../../c", "../c"),
        ("./x/", "y//z", "x/y/z"),
    ] {
        assert_eq!(join(folder, path), wanted);
    }
}

const RUN: &str = "apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata:
  name: sweep
spec:
  image: registry.example/nccl:1
  framework:
    mpi: {binary: /opt/ar, mpirunPath: /usr/bin/mpirun}
  numNodes: 2
  env:
    - name: NCCL_DEBUG
      value: WARN
    - name: HOME_MADE
      value: '1'
";

fn review(scenario: &str, run: &str, before: &Files) -> (ScenarioReview, Files) {
    let engine = Engine::new();
    let scenario = read_scenario("sweep", Some(scenario.as_bytes()), &[]).value;
    let input = ScenarioInput { scenario: &scenario, run: run.as_bytes(), inventory: None };
    let outcome = render(&engine, &input);
    let review = compare(&engine, &input, &outcome, before, "runs", None);
    (review, outcome.files.into_iter().map(|f| (f.name.to_owned(), f.text.into_bytes())).collect())
}

const AWS: &str = "flags: {platform: aws, gpuArch: gb300, assumeNodes: 4}\n";

#[test]
fn a_difference_is_told_on_the_line_that_it_comes_from() {
    let (missing, before) = review(AWS, RUN, &Files::new());
    assert_eq!((missing.verdict, codes(&missing.findings)), (Verdict::Missing, vec![Code::SnapshotMissing]));
    assert_eq!(missing.findings[0].file.as_deref(), Some("runs/sweep/run.yaml"));
    assert_eq!(before.keys().collect::<Vec<_>>(), ["findings.yaml", "manifests.yaml", "plan.json", "workflow.yaml"]);
    assert!(review(AWS, RUN, &before).0.is_fine());
    for (old, new, lines, sentence) in [
        ("value: WARN", "value: TRACE", vec![Some(12)], "NCCL_DEBUG is now TRACE on all ranks (was WARN)"),
        ("numNodes: 2", "numNodes: 4", vec![Some(9)], "jobs are of 4 nodes instead of 2"),
        ("nccl:1", "nccl:2", vec![Some(6)], "registry.example/nccl:2"),
        ("    - name: HOME_MADE\n      value: '1'\n", "", vec![Some(10)], "HOME_MADE is no longer set"),
        ("name: sweep", "name: other", vec![Some(4)], "the run is called other instead of sweep"),
        // A key that belongs to nothing: an error at its own place.
        ("numNodes: 2", "numNodes: 2\n  numNode: 2", vec![Some(10)], "a new error NV005"),
    ] {
        let (differs, _) = review(AWS, &RUN.replace(old, new), &before);
        assert_eq!(differs.verdict, Verdict::Differs, "{new}");
        let of_difference: Vec<&Diagnostic> =
            differs.findings.iter().filter(|d| d.code == Code::SnapshotDiffers).collect();
        let found: Vec<Option<u32>> = of_difference.iter().map(|d| d.span.map(|s| s.start.line)).collect();
        assert_eq!(found, lines, "{new}: {of_difference:#?}");
        assert!(of_difference.iter().any(|d| d.message.contains(sentence)), "{new}: {of_difference:#?}");
        assert!(of_difference.iter().all(|d| d.file.as_deref() == Some("runs/sweep/run.yaml")));
        let flaws: Vec<String> = differs.findings.iter().flat_map(scenarios::flaws).collect();
        assert_eq!(flaws, [""; 0]);
    }
}

#[test]
fn what_comes_from_no_line_of_the_run_names_none() {
    let (_, before) = review(AWS, RUN, &Files::new());
    let (differs, _) = review("flags: {platform: aws, gpuArch: gb200, assumeNodes: 4}\n", RUN, &before);
    assert_eq!(codes(&differs.findings), [Code::SnapshotDiffers]);
    assert_eq!(differs.findings[0].span, None);
    assert!(
        differs.findings[0].message.contains("the GPU is gb200 instead of gb300"),
        "{}",
        differs.findings[0].message
    );
    // Places of findings move, and nothing else.
    let warned = format!("{RUN}  config: {{}}\n");
    let (_, before) = review(AWS, &warned, &Files::new());
    let (differs, _) = review(AWS, &format!("# A comment.\n{warned}"), &before);
    assert_eq!((differs.verdict, &differs.difference), (Verdict::Differs, &None));
    assert!(
        differs.findings[0].message.contains("no value differs, only places of findings"),
        "{:?}",
        differs.findings
    );
    // A comment where nothing is found is no difference.
    let (_, before) = review(AWS, RUN, &Files::new());
    assert!(review(AWS, &format!("# A comment.\n{RUN}"), &before).0.is_fine());
}

#[test]
fn line_breaks_of_windows_are_the_same() {
    let (_, before) = review(AWS, RUN, &Files::new());
    let windows = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    let checked_out: Files = before.iter().map(|(name, bytes)| (name.clone(), windows(bytes))).collect();
    assert!(review(AWS, RUN, &checked_out).0.is_fine());
    let (differs, _) = review(AWS, &RUN.replace("WARN", "INFO"), &checked_out);
    assert_eq!(differs.verdict, Verdict::Differs);
    assert_eq!(differs.files.len(), 2, "{:?}", differs.files);
}

/// Fifty scenarios, each as another one's snapshot: whatever differs is told with a place or a sentence, and nothing
/// breaks.
#[test]
fn any_two_renderings_can_be_compared() {
    let all: Vec<Scenario> =
        Scenario::all().into_iter().filter(|s| !s.name.starts_with("fleet-200")).step_by(5).collect();
    let engine = Engine::new();
    let snapshots: Vec<Files> = all
        .iter()
        .map(|s| s.render().files.into_iter().map(|f| (f.name.to_owned(), f.text.into_bytes())).collect())
        .collect();
    for (scenario, before) in all.iter().zip(snapshots.iter().cycle().skip(1)) {
        let review = scenario.with_input(|input| compare(&engine, input, &render(&engine, input), before, ".", None));
        assert_eq!(review.verdict, Verdict::Differs, "{}: {:?}", scenario.name, review.findings);
        let told = review.findings.iter().filter(|d| d.code == Code::SnapshotDiffers).count();
        assert!(told > 0 && !review.files.is_empty(), "{}", scenario.name);
        let mut flaws: Vec<String> = review.findings.iter().flat_map(scenarios::flaws).collect();
        // Arguments of a run may hold quotes.
        flaws.retain(|flaw| !flaw.contains("speaks of `\\\"`"));
        assert_eq!(flaws, [""; 0], "{}", scenario.name);
        let all = Review::new(".", None, vec![review], Vec::new(), Vec::new());
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Review>(&text).unwrap(), all, "{}", scenario.name);
    }
}
