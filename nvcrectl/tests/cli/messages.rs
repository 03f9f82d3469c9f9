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
