//! Findings for people, for programs, for GitHub and as SARIF.

use crate::common::{command, finish, run};
use crate::{BAD, RUN};
use serde_json::Value;

#[test]
fn people_see_file_line_and_column_and_the_line_itself() {
    let ran = run(&["workloadrun", "check", BAD]);
    for line in [
        "error[NV004]: a string is wanted here, but Kubernetes reads `8` as a number",
        "  --> fixtures/bad-several/run.yaml:12:20",
        "12 |       args: [\"-b\", 8]",
        "   |                    ^ spec.framework.mpi.args[1]",
        "   = help: put it in quotes: `- \"8\"`",
    ] {
        assert!(ran.stderr.lines().any(|l| l == line), "{line}\n{}", ran.stderr);
    }
    assert!(ran.stderr.lines().last().unwrap().contains(" errors"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}'));
    let fine = run(&["workloadrun", "check", RUN, "--platform", "aws", "--gpu-arch", "gb300"]);
    assert_eq!((fine.stderr.as_str(), fine.stdout.as_str()), ("no findings\n", ""));
}

/// A name that stands in a flag is not looked for in the file.
#[test]
fn a_flag_has_no_line() {
    let words = ["workloadrun", "check", RUN, "--platform", "aws", "--gpu-arch", "gb300", "--name", "Not_A_Name"];
    let ran = run(&words);
    assert!(ran.stderr.starts_with("error[NV048]: \"Not_A_Name\" is no name"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("my-workload"), "{}", ran.stderr);
    assert!(ran.stderr.contains("metadata.name"), "{}", ran.stderr);
}

#[test]
fn colours_follow_the_usual_variables() {
    let words = ["workloadrun", "check", BAD];
    let forced = finish(command(&words).env("CLICOLOR_FORCE", "1"));
    assert!(forced.stderr.contains("\u{1b}["), "{}", forced.stderr);
    let refused = finish(command(&words).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1"));
    assert!(!refused.stderr.contains('\u{1b}'), "{}", refused.stderr);
    let usage = ["workloadrun", "render", RUN, "--platform", "awz"];
    assert!(finish(command(&usage).env("CLICOLOR_FORCE", "1")).stderr.starts_with("\u{1b}[1m\u{1b}[31merror:"));
    assert!(finish(command(&usage).env("NO_COLOR", "1")).stderr.starts_with("error: --platform"));
}

#[test]
fn programs_get_one_object_a_line() {
    let ran = run(&["workloadrun", "check", BAD, "--message-format", "json"]);
    let lines: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let number = lines.iter().find(|d| d["path"] == "spec.framework.mpi.args[1]").unwrap();
    assert_eq!((&number["code"], &number["severity"]), (&"NV004".into(), &"error".into()));
    assert_eq!((&number["span"]["start"]["line"], &number["span"]["start"]["column"]), (&12.into(), &20.into()));
    assert_eq!(number["file"], BAD);
    let human = run(&["workloadrun", "check", BAD]);
    assert_eq!(human.stderr.matches("error[").count(), lines.iter().filter(|d| d["severity"] == "error").count());
}

#[test]
fn github_gets_workflow_commands() {
    let ran = run(&["workloadrun", "check", BAD, "--message-format", "github"]);
    assert!(
        ran.stderr.contains(
            "::error title=NV004,file=fixtures/bad-several/run.yaml,line=12,col=20,endLine=12,endColumn=20::spec.framework.mpi.args[1]: a string is wanted here, but Kubernetes reads `8` as a number%0Ahelp: put it in quotes: `- \"8\"`\n"
        ),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.lines().all(|line| line.starts_with("::")), "{}", ran.stderr);
}

#[test]
fn sarif_is_one_log() {
    let ran = run(&["workloadrun", "check", "fixtures/bad-duplicate-keys/run.yaml", "--message-format", "sarif"]);
    let log: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run_ = &log["runs"][0];
    assert_eq!(
        (&run_["tool"]["driver"]["name"], &run_["columnKind"]),
        (&"nvcrectl".into(), &"unicodeCodePoints".into())
    );
    let rules = run_["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run_["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
    }
    let first = &run_["results"][0];
    assert_eq!(first["ruleId"], "NV002");
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "fixtures/bad-duplicate-keys/run.yaml");
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&12.into(), &3.into()));
    assert_eq!(first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "spec.image");
    assert_eq!(first["relatedLocations"][0]["message"]["text"], "first written here");
    // No findings are a log as well.
    let fine = ["workloadrun", "check", RUN, "--platform", "aws", "--gpu-arch", "gb300", "--message-format", "sarif"];
    let log: Value = serde_json::from_str(&run(&fine).stderr).unwrap();
    assert_eq!(log["runs"][0]["results"], Value::Array(Vec::new()));
}

const ACCEPTED: &str = "fixtures/feature-accepted/run.yaml";
const ON_AZURE: [&str; 4] = ["--platform", "azure", "--gpu-arch", "h100"];
const REASON: &str = "TCP and the nightly build are what is measured";

fn accepted(more: &[&str]) -> crate::common::Ran {
    let mut words = vec!["workloadrun", "check", ACCEPTED];
    words.extend(ON_AZURE);
    words.extend(more);
    run(&words)
}

#[test]
fn people_are_told_how_many_findings_are_accepted_and_no_more() {
    let ran = accepted(&[]);
    assert!(!ran.stderr.contains("[NV343]") && !ran.stderr.contains("[NV361]"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().last(), Some("1 notice, 2 accepted by the run (NV343, NV361)"));
    let github = accepted(&["--message-format", "github"]);
    assert!(!github.stderr.contains("title=NV343") && github.stderr.contains("title=NV098"), "{}", github.stderr);
}

#[test]
fn accepted_findings_do_not_count_and_others_do() {
    assert_eq!(accepted(&["--deny-warnings"]).code, 0);
    let open = ["workloadrun", "check", "fixtures/findings/NV361-rdma-off/run.yaml"];
    let words: Vec<&str> = open.into_iter().chain(ON_AZURE).chain(["--deny-warnings"]).collect();
    assert_eq!(run(&words).code, 1);
}

#[test]
fn programs_see_what_is_accepted_and_why() {
    let ran = accepted(&["--message-format", "json"]);
    let lines: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |code: &str| lines.iter().find(|d| d["code"] == code).unwrap();
    for code in ["NV343", "NV361"] {
        assert_eq!((&of(code)["accepted"], &of(code)["severity"]), (&REASON.into(), &"warning".into()));
    }
    assert_eq!(of("NV098")["accepted"], Value::Null);
    let ran = accepted(&["--message-format", "sarif"]);
    let log: Value = serde_json::from_str(&ran.stderr).unwrap();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let wanted = match result["ruleId"].as_str().unwrap() {
            "NV098" => Value::Null,
            _ => serde_json::json!([{ "kind": "inSource", "justification": REASON }]),
        };
        assert_eq!(result["suppressions"], wanted, "{}", result["ruleId"]);
    }
}
