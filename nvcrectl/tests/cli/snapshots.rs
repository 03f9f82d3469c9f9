//! `snapshot check` and `snapshot update` on repositories of their own.

use crate::common::{Ran, run};
use crate::repository::Repository;
use serde_json::Value;
use std::fs;

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", ran.stdout, ran.stderr))
}

fn codes(review: &Value) -> Vec<String> {
    let of = |value: &Value| -> Vec<String> {
        let findings = value["findings"].as_array().cloned().unwrap_or_default();
        findings.iter().map(|f| f["code"].as_str().unwrap().to_owned()).collect()
    };
    let mut out = of(review);
    review["scenarios"].as_array().unwrap().iter().for_each(|scenario| out.extend(of(scenario)));
    out
}

#[test]
fn the_snapshots_of_this_project_are_current() {
    let ran = run(&["snapshot", "check", "--root", "fixtures"]);
    assert_eq!(ran.code, 0, "nvcrectl snapshot update --root fixtures\n{}", ran.stdout);
}

#[test]
fn what_was_written_is_as_its_scenario_and_check_writes_nothing() {
    let repository = Repository::new();
    let before = repository.files();
    let names: Vec<String> = before.keys().map(|p| p.to_string_lossy().into_owned()).collect();
    for file in ["findings.yaml", "manifests.yaml", "plan.json", "workflow.yaml"] {
        assert!(names.iter().any(|n| n.ends_with(&format!("runs/aws/env/snapshot/{file}"))), "{names:?}");
    }
    // A template has no jobs.
    assert!(!names.iter().any(|n| n.ends_with("smoke/snapshot/plan.json")), "{names:?}");
    for format in ["text", "json", "markdown", "junit", "github", "sarif"] {
        let ran = repository.check(&["-o", format]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{format}: {}", ran.stdout);
    }
    assert_eq!(repository.check(&[]).stdout, "2 scenarios: 2 as their snapshots\n");
    // Nothing to do: nothing is touched.
    assert_eq!(repository.update(&[]).stdout, "2 scenarios: 0 snapshots written, 0 removed\n");
    repository.replace("runs/aws/env/run.yaml", "TRACE", "WARN");
    let edited = repository.files();
    for format in ["text", "json", "markdown", "junit", "github", "sarif"] {
        assert_eq!(repository.check(&["-o", format]).code, 1, "{format}");
    }
    assert_eq!(repository.files(), edited);
    // Only what changed is written.
    let ran = repository.update(&[]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "aws/env: changed manifests.yaml, workflow.yaml\n2 scenarios: 1 snapshot written, 0 removed\n")
    );
    let after = repository.files();
    let touched: Vec<String> = after
        .iter()
        .filter(|(path, now)| before.get(*path) != Some(now))
        .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(touched, ["run.yaml", "manifests.yaml", "workflow.yaml"]);
    assert_eq!(repository.check(&[]).code, 0);
}

#[test]
fn what_differs_is_told_in_every_form_at_the_line_of_the_run() {
    let repository = Repository::new();
    repository.replace("runs/aws/env/run.yaml", "TRACE", "WARN");
    let sentence = "NCCL_DEBUG is now WARN on all ranks (was TRACE)";
    let text = repository.check(&[]).stdout;
    assert!(text.starts_with("aws/env differs from its snapshot\nA  runs/aws/env/snapshot: run my-workload"), "{text}");
    for line in [
        &format!("* {sentence}"),
        "Comes from\n* runs/aws/env/run.yaml:16:14 spec.env[name=NCCL_DEBUG].value\n",
        "  ~ -x NCCL_DEBUG: TRACE → WARN",
        "2 scenarios: 1 as its snapshot, 1 differs",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let review = json(&repository.check(&["-o", "json"]));
    assert_eq!(review["format"], "nvcre.nvidia.com/snapshot-review/v1");
    assert_eq!(review["counts"]["differs"], 1);
    let scenario = &review["scenarios"][0];
    assert_eq!((&scenario["name"], &scenario["verdict"]), (&"aws/env".into(), &"differs".into()));
    assert_eq!(scenario["difference"]["meanings"][0]["text"], sentence);
    assert_eq!(scenario["findings"][0]["span"]["start"]["line"], 16);
    assert_eq!(codes(&review), ["NV304"]);
    let annotations = repository.check(&["-o", "github"]).stdout;
    assert_eq!(
        annotations,
        format!(
            "::error title=NV304,file=runs/aws/env/run.yaml,line=16,col=14,endLine=16,endColumn=17::\
             spec.env[name=NCCL_DEBUG].value: `aws/env` is not as its snapshot: {sentence}%0Ahelp: if it is meant so, \
             accept it with `nvcrectl snapshot update --root runs aws/env`\n"
        )
    );
    let markdown = repository.check(&["-o", "markdown"]).stdout;
    assert!(markdown.starts_with("### Snapshots: 2 scenarios: 1 as its snapshot, 1 differs\n\n* **aws/env** differs"));
    assert!(markdown.contains("<details><summary>aws/env differs from its snapshot</summary>"), "{markdown}");
    let junit = repository.check(&["-o", "junit"]).stdout;
    assert!(junit.contains("<testsuites name=\"nvcrectl snapshot check\" tests=\"2\" skipped=\"0\" failures=\"1\""));
    assert!(junit.contains(&format!("<failure message=\"{sentence}\" type=\"NV304\">")), "{junit}");
    assert!(
        junit.contains("<testcase name=\"smoke\" classname=\"runs\" file=\"runs/smoke/run.yaml\"/>")
            || junit.contains("<testcase name=\"smoke\" classname=\"runs\" file=\"runs/smoke/run.yaml\">"),
        "{junit}"
    );
    let sarif = json(&repository.check(&["-o", "sarif"]));
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"NV304".into(), &"error".into()));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 16);
}

#[test]
fn fields_that_no_sentence_speaks_of_lead_to_their_lines_too() {
    let repository = Repository::new();
    repository.replace("runs/smoke/run.yaml", "numNodes: 4", "numNodes: 2");
    let annotations = repository.check(&["-o", "github", "smoke"]).stdout;
    let number = |text: &str| text.lines().position(|line| line.contains("numNodes: 2")).unwrap() + 1;
    let line = number(&repository.text("runs/smoke/run.yaml"));
    assert!(
        annotations.starts_with(&format!("::error title=NV304,file=runs/smoke/run.yaml,line={line},col=13,")),
        "{annotations}"
    );
    let field = "`spec.jobTemplate.spec.workload.trainJob.trainer.numNodes` is 2 instead of 4";
    assert!(annotations.contains(&format!("spec.numNodes: `smoke` is not as its snapshot: {field}")), "{annotations}");
}

#[test]
fn nodes_that_leave_are_told_and_are_no_line_of_the_run() {
    let repository = Repository::new();
    let nodes = repository.text("runs/inventories/aws.yaml");
    let at = nodes.find("name: ip-").unwrap() + "name: ".len();
    let node = nodes[at..].split_whitespace().next().unwrap().to_owned();
    repository.put("runs/inventories/aws.yaml", &nodes.replace(&node, &format!("{node}-replaced")));
    let review = json(&repository.check(&["-o", "json"]));
    let scenario = &review["scenarios"][0];
    assert_eq!(scenario["difference"]["left"][0]["node"], node);
    assert_eq!(scenario["difference"]["joined"][0]["node"], format!("{node}-replaced"));
    assert_eq!(scenario["findings"][0]["file"], "runs/aws/env/run.yaml");
    assert_eq!(scenario["findings"][0]["span"], Value::Null);
}

#[test]
fn snapshots_without_a_scenario_are_found_and_only_our_files_removed() {
    let repository = Repository::new();
    for file in ["run.yaml", "scenario.yaml"] {
        fs::remove_file(repository.path("runs/aws/env").join(file)).unwrap();
    }
    repository.put("runs/aws/env/snapshot/notes.md", "mine");
    // No mark: nobody's snapshot.
    repository.put("runs/foreign/snapshot/findings.yaml", "- mine\n");
    let ran = repository.check(&[]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("error[NV306]: the snapshot belongs to no scenario"), "{}", ran.stdout);
    assert!(ran.stdout.contains("runs/aws/env/snapshot/findings.yaml"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("foreign"), "{}", ran.stdout);
    // Not looked for when scenarios are chosen.
    assert_eq!(repository.check(&["smoke"]).code, 0);
    assert_eq!(repository.update(&["smoke"]).stdout, "1 scenario: 0 snapshots written, 0 removed\n");
    let ran = repository.update(&[]);
    assert_eq!(
        ran.stdout,
        "aws/env/snapshot (no such scenario): removed findings.yaml, manifests.yaml, plan.json, workflow.yaml\n\
         1 scenario: 0 snapshots written, 1 removed\n"
    );
    assert_eq!(repository.text("runs/aws/env/snapshot/notes.md"), "mine");
    assert_eq!(repository.text("runs/foreign/snapshot/findings.yaml"), "- mine\n");
    assert_eq!(fs::read_dir(repository.path("runs/aws/env/snapshot")).unwrap().count(), 1);
    assert_eq!(repository.check(&[]).code, 0);
}

#[test]
fn files_that_are_no_snapshot_are_never_replaced() {
    let repository = Repository::empty();
    repository.copy("fixtures/page-basic-aws-gb300/run.yaml", "runs/smoke/run.yaml");
    repository.put("runs/smoke/snapshot/workflow.yaml", "kind: Mine\n");
    let ran = repository.update(&[]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("error[NV316]"), "{}", ran.stdout);
    assert_eq!(repository.text("runs/smoke/snapshot/workflow.yaml"), "kind: Mine\n");
    assert_eq!(fs::read_dir(repository.path("runs/smoke/snapshot")).unwrap().count(), 1);
}

#[test]
fn broken_snapshots_are_findings_and_an_update_mends_them() {
    let cut = |text: &str| text[..text.len() / 2].trim_end().to_owned();
    let merge = |text: &str| format!("format: nvcre.nvidia.com/snapshot/v1\n<<<<<<< HEAD\n{text}=======\n>>>>>>> x\n");
    type Damage<'d> = &'d dyn Fn(&str) -> String;
    let cases: [(&str, Damage<'_>, &str, &str); 8] = [
        ("workflow.yaml", &|_| "a: [1,\n".into(), "NV307", "cannot be read"),
        ("manifests.yaml", &cut, "NV307", "breaks off"),
        ("plan.json", &cut, "NV307", "breaks off"),
        ("plan.json", &|_| "{\"format\": \"x/plan/v9\"}\n".into(), "NV308", "x/plan/v9"),
        ("findings.yaml", &merge, "NV307", "mark of a merge"),
        ("findings.yaml", &|_| String::new(), "NV307", "it is empty"),
        ("findings.yaml", &|t| t.replace("snapshot/v1", "snapshot/v7"), "NV308", "snapshot/v7"),
        ("manifests.yaml", &|t| t.replace("trainer.kubeflow.org/v1alpha1", "trainer.kubeflow.org/v9"), "NV308", "v9"),
    ];
    for (file, damage, code, words) in cases {
        let repository = Repository::new();
        let path = format!("runs/aws/env/snapshot/{file}");
        let whole = repository.text(&path);
        repository.put(&path, &damage(&whole));
        let ran = repository.check(&[]);
        assert_eq!(ran.code, 1, "{file} {code}");
        assert!(ran.stdout.contains(&format!("error[{code}]")), "{file} {code}: {}", ran.stdout);
        assert!(ran.stdout.contains(words) && ran.stdout.contains(&path), "{file} {code}: {}", ran.stdout);
        assert!(ran.stdout.contains("1 as its snapshot, 1 with a broken snapshot"), "{}", ran.stdout);
        let ran = repository.update(&[]);
        assert_eq!(ran.code, 0, "{file}: {}", ran.stdout);
        assert_eq!(repository.text(&path), whole);
        assert_eq!(repository.check(&[]).code, 0);
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let repository = Repository::new();
    repository.put("runs/no-run/scenario.yaml", "title: no run\n");
    repository.put("runs/Smoke/run.yaml", "x");
    repository.put("runs/typo/run.yaml", "kind: WorkloadRun\n");
    repository.put("runs/typo/scenario.yaml", "flag: {platform: aws}\nexpect: {exit: one}\n");
    repository.copy("fixtures/page-basic-aws-gb300/run.yaml", "runs/lost/run.yaml");
    repository.put("runs/lost/scenario.yaml", "nodes: [../nowhere.yaml]\n");
    repository.copy("fixtures/page-basic-aws-gb300/run.yaml", "runs/wants/run.yaml");
    repository.put("runs/wants/scenario.yaml", "expect: {exit: 1, codes: [NV001]}\n");
    let ran = repository.check(&["-o", "json"]);
    // A file that cannot be opened is that, beside everything else.
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(ran.stderr, "error: a file or folder cannot be read (NV313)\n");
    let review = json(&ran);
    let mut found = codes(&review);
    found.sort_unstable();
    found.dedup();
    let wanted = ["NV004", "NV005", "NV305", "NV309", "NV310", "NV313", "NV315"];
    assert_eq!(found, wanted, "{}", ran.stdout);
    let named = |name: &str| {
        let scenarios = review["scenarios"].as_array().unwrap();
        scenarios.iter().find(|s| s["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    assert_eq!(named("lost")["findings"][0]["file"], "runs/lost/scenario.yaml");
    assert_eq!(named("lost")["findings"][0]["path"], "nodes[0]");
    assert_eq!(named("typo")["verdict"], "failed");
    assert_eq!(named("aws/env")["verdict"], "same");
    let names: Vec<&str> =
        review["scenarios"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted(), "{names:?}");
    // What can be written is written.
    let ran = repository.update(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("wants: new findings.yaml, workflow.yaml"), "{}", ran.stdout);
    assert!(ran.stdout.contains("error[NV315]") && ran.stdout.contains("error[NV309]"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("NV305"), "{}", ran.stdout);
}

#[test]
fn scenarios_are_chosen_by_name() {
    let repository = Repository::new();
    repository.replace("runs/aws/env/run.yaml", "TRACE", "WARN");
    for (words, code, summary) in [
        (vec!["smoke"], 0, "1 scenario: 1 as its snapshot\n"),
        (vec!["aws"], 1, "1 scenario: 1 differs"),
        (vec!["env", "smoke"], 1, "2 scenarios: 1 as its snapshot, 1 differs"),
        (vec!["runs/smoke"], 0, "1 scenario: 1 as its snapshot\n"),
        (vec!["s*"], 0, "1 scenario: 1 as its snapshot\n"),
    ] {
        let ran = repository.check(&words);
        assert_eq!(ran.code, code, "{words:?}: {}", ran.stdout);
        assert!(ran.stdout.contains(summary), "{words:?}: {}", ran.stdout);
    }
    let ran = repository.check(&["smok"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(ran.stderr, "error: no scenario in runs is named `smok`, did you mean `smoke`?\n");
}

#[test]
fn snapshots_may_be_in_a_folder_of_their_own() {
    let repository = Repository::empty();
    repository.copy("fixtures/page-basic-aws-gb300/run.yaml", "runs/a/smoke/run.yaml");
    repository.put("runs/snapshots.yaml", "snapshots: ../golden\nignore: [old]\n");
    repository.put("runs/old/x/run.yaml", "not looked at");
    assert_eq!(repository.update(&[]).code, 0);
    assert!(repository.path("golden/a/smoke/workflow.yaml").is_file());
    assert_eq!(repository.check(&[]).stdout, "1 scenario: 1 as its snapshot\n");
    // A flag is stronger.
    let ran = repository.check(&["--snapshots", "elsewhere"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("1 without a snapshot"), "{}", ran.stdout);
    assert!(!repository.path("elsewhere").exists());
    fs::remove_dir_all(repository.path("runs/a")).unwrap();
    repository.copy("fixtures/page-basic-aws-gb300/run.yaml", "runs/b/run.yaml");
    assert!(repository.check(&[]).stdout.contains("golden/a/smoke/findings.yaml"));
    assert_eq!(repository.update(&[]).code, 0);
    assert!(!repository.path("golden/a/smoke").exists());
    repository.put("runs/snapshots.yaml", "snapshot: ../golden\nignore: [nothing]\n");
    let ran = repository.check(&[]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("did you mean `snapshots`") && ran.stdout.contains("NV314"), "{}", ran.stdout);
}

#[test]
fn roots_that_hold_nothing_or_are_none() {
    let repository = Repository::empty();
    fs::create_dir(repository.path("runs")).unwrap();
    let ran = repository.check(&[]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("error[NV311]: no folder here holds a run.yaml"), "{}", ran.stdout);
    fs::remove_dir(repository.path("runs")).unwrap();
    let ran = repository.check(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: cannot open the folder runs: "), "{}", ran.stderr);
}

#[test]
fn one_thread_and_many_say_the_same() {
    let words = |jobs| ["snapshot", "check", "--root", "fixtures", "--snapshots", "docs", "-o", "json", "--jobs", jobs];
    let (one, four) = (run(&words("1")), run(&words("4")));
    assert_eq!(one.code, 1);
    assert!(one.stdout == four.stdout);
}

#[test]
fn annotations_beyond_what_github_shows_are_counted() {
    let repository = Repository::empty();
    for n in 0..12 {
        repository.copy("fixtures/page-basic-aws-gb300/run.yaml", &format!("runs/run-{n:02}/run.yaml"));
    }
    let ran = repository.check(&["-o", "github"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 10);
    assert!(lines[8].contains("file=runs/run-08/run.yaml"), "{}", lines[8]);
    assert!(lines[9].starts_with("::error title=snapshots::3 more findings are left out"), "{}", lines[9]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_unless_they_lead_back() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new();
    symlink("..", repository.path("runs/aws/again")).unwrap();
    symlink("self", repository.path("runs/self")).unwrap();
    fs::create_dir(repository.path("other")).unwrap();
    repository.copy("fixtures/page-basic-aws-gb300/run.yaml", "other/linked/run.yaml");
    symlink("../other", repository.path("runs/other")).unwrap();
    let ran = repository.check(&[]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stdout.matches("error[NV312]").count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("runs/aws/again") && ran.stdout.contains("runs/self"), "{}", ran.stdout);
    assert!(ran.stdout.contains("other/linked has no snapshot"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_snapshot_that_cannot_be_written_leaves_everything_as_it_was() {
    let repository = Repository::new();
    repository.replace("runs/smoke/run.yaml", "numNodes: 4", "numNodes: 2");
    repository.replace("runs/aws/env/run.yaml", "TRACE", "WARN");
    // A folder in the place of the temporary file: not even root can write there.
    fs::create_dir(repository.path("runs/smoke/snapshot/.nvcrectl-tmp-workflow.yaml")).unwrap();
    let before = repository.files();
    let ran = repository.update(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("cannot write runs/smoke/snapshot/workflow.yaml"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("Nothing was changed\n"), "{}", ran.stderr);
    assert_eq!(repository.files(), before);
}
