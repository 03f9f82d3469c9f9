//! 04 §7–8, 02 §8.3–9: the environment in entries, mpirun arguments, wrapping.

use super::*;
use crate::api::EnvVar;

fn user_env() -> Vec<EnvVar> {
    let secret =
        EnvVar { value_from: Some(json!({"secretKeyRef": {"name": "s", "key": "k"}})), ..EnvVar::new("S", "") };
    vec![EnvVar::new("A", "first"), EnvVar::new("ONLY", "user"), secret, EnvVar::new("A", "user")]
}

fn pair(name: &str, value: &str) -> Value {
    json!({"name": name, "value": value})
}

#[test]
fn item_12_spec_env_in_all_three_places() {
    let runtime = |kind: &str, containers: &str| {
        json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "r"}, "spec": {"template": {"spec": {"replicatedJobs": [
            {"name": "node", "template": {"spec": {"template": {"spec": {
                containers: [{"name": "node", "env": [pair("B", "1"), pair("A", "1")]}, {"name": "bare"}]
            }}}}}
        ]}}}})
    };
    let env_of = |spec: &OverrideSpec, at: usize, containers: &str| {
        spec.dependencies[at]["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
            [containers][0]["env"]
            .clone()
    };
    let mut entry = spec(json!({
        "jobTemplate": patch(json!({"env": [pair("A", "1"), pair("B", "1"), pair("A", "2"), pair("S", "1")]})),
        "dependencies": [runtime("TrainingRuntime", "containers"), runtime("TrainingRuntime", "initContainers"), runtime("Other", "containers")],
        "mpiArgs": ["-x", "A=1", "-x", "S=1", "-x", "B=1", "-x", "A", "x", "A=9", "--mca", "A", "-x"],
        "jobTemplatePatch": [{"op": "add", "path": "/x", "value": [pair("A", "1")]}],
    }));
    let used = substitute_env(&mut entry, &user_env());
    let secret = json!({"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}});
    // Twice in the entry's list: only the last occurrence.
    assert_eq!(
        entry.job_template.clone().unwrap()["spec"]["workload"]["trainJob"]["trainer"]["env"],
        json!([pair("A", "1"), pair("B", "1"), pair("A", "user"), secret])
    );
    assert_eq!(env_of(&entry, 0, "containers"), json!([pair("B", "1"), pair("A", "user")]));
    assert_eq!(env_of(&entry, 1, "initContainers"), json!([pair("B", "1"), pair("A", "1")]));
    assert_eq!(env_of(&entry, 2, "containers"), json!([pair("B", "1"), pair("A", "1")]));
    assert_eq!(
        entry.mpi_args,
        ["-x", "A=user", "-x", "S", "-x", "B=1", "-x", "A=user", "x", "A=9", "--mca", "A", "-x"]
    );
    assert_eq!(entry.job_template_patch.unwrap()[0]["value"], json!([pair("A", "1")]));
    let used: Vec<(String, String)> = used.into_iter().map(|(n, p)| (n, p.to_string())).collect();
    assert_eq!(used, [("A".into(), "spec.env[3]".into()), ("S".into(), "spec.env[2]".into())]);

    let untouched =
        spec(json!({"jobTemplate": {"spec": 3}, "dependencies": [3, {"kind": "TrainingRuntime", "spec": []}]}));
    let mut odd = untouched.clone();
    assert!(substitute_env(&mut odd, &user_env()).is_empty());
    assert_eq!(odd, untouched);
}

#[test]
fn the_trace_says_whose_value_an_entry_carries() {
    let mut layer = entry(
        0,
        json!({
            "jobTemplate": patch(json!({"env": [pair("A", "1"), pair("B", "1")]})), "mpiArgs": ["-x", "A=1", "-x", "B=1"]
        }),
    );
    layer.substituted = substitute_env(&mut layer.spec, &user_env());
    let out = run(base(json!({})), std::slice::from_ref(&layer));
    let origin = |value: &str| out.changes.iter().find(|c| c.new == Some(json!(value))).unwrap().origin.clone();
    assert_eq!(origin("user"), Origin::Run { path: "spec.env[3]".into() });
    assert_eq!(origin("1"), layer.origin);
    let words = mpi_args(std::slice::from_ref(&layer), &[Match::Holds], &[]);
    assert_eq!(words[1].origin(), Origin::Run { path: "spec.env[3]".into() });
    assert_eq!(words[3].origin(), layer.origin);
}

#[test]
fn item_13_order_of_mpi_args_and_lines() {
    let args = |name: &str| json!({"mpiArgs": [format!("-{name}1"), format!("-{name}2")], "preCommand": [name]});
    let other = json!({"when": {"platform": {"equals": "gcp"}}, "mpiArgs": ["-no"], "preCommand": ["no"]});
    let layers = [
        entry(0, args("a")),
        entry(1, other),
        entry(2, args("b")),
        Layer::user(3, 0, spec(args("u"))),
        Layer::user(4, 1, spec(args("v"))),
    ];
    let mut findings = Vec::new();
    let matches = match_layers(&layers, &aws(), &mut findings);
    let own = ["-own".to_owned()];
    let words = mpi_args(&layers, &matches, &own);
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_ref()).collect();
    assert_eq!(texts, ["-b1", "-b2", "-a1", "-a2", "-u1", "-u2", "-v1", "-v2", "-own"]);
    assert_eq!(words[5].path().to_string(), "spec.overrides[0].mpiArgs[1]");
    assert_eq!(words[8].origin(), Origin::Run { path: "spec.framework.mpi.mpiArgs[0]".into() });
    let lines = pre_command(&layers, &matches);
    assert_eq!(lines.iter().map(|w| w.text.as_ref()).collect::<Vec<_>>(), ["a", "b", "u", "v"]);
    assert_eq!(lines[3].origin(), user_origin(1));
}

#[test]
fn mpi_args_are_matched_in_the_full_context() {
    let layers = users(&[
        json!({"when": {"workloadKind": "TrainJob", "topology": {"mode": "simple"}}, "mpiArgs": ["yes"]}),
        json!({"when": {"expression": "nonsense"}, "mpiArgs": ["no"]}),
    ]);
    let mut findings = Vec::new();
    let matches = match_layers(&layers, &aws(), &mut findings);
    assert_eq!(mpi_args(&layers, &matches, &[]).len(), 1);
    assert_eq!(codes(&findings), [(BROKEN, "spec.overrides[1].when.expression".into())]);
}

#[test]
fn repeated_options_of_the_user_are_named() {
    let layers = [
        entry(0, json!({"mpiArgs": ["--mca", "pml", "ob1", "--mca", "btl", "tcp", "-x", "A=1", "-x", "B=1"]})),
        entry(1, json!({"mpiArgs": ["--mca", "pml", "ucx"]})),
        Layer::user(2, 0, spec(json!({"mpiArgs": ["-x", "A=2", "--mca", "btl", "tcp"]}))),
    ];
    let own: Vec<String> =
        ["--tag-output", "--mca", "pml", "cm", "-x", "B", "-x"].iter().map(|s| (*s).into()).collect();
    let words = mpi_args(&layers, &[Match::Holds, Match::Holds, Match::Holds], &own);
    let findings = repeated_options(&words);
    // Two entries among themselves and equal values are no finding.
    assert_eq!(
        codes(&findings),
        [
            (Code::RepeatedMpiOption, "spec.overrides[0].mpiArgs[1]".into()),
            (Code::RepeatedMpiOption, "spec.framework.mpi.mpiArgs[3]".into()),
            (Code::RepeatedMpiOption, "spec.framework.mpi.mpiArgs[5]".into()),
        ]
    );
    for part in ["-x A", "catalogue entry E0 entry-0", "Open MPI 4", "Open MPI 5"] {
        assert!(findings[0].message.contains(part), "{}", findings[0].message);
    }
}

#[test]
fn item_14_wrapping() {
    let words = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<String>>();
    let lines = ["rm -rf /opt/amazon", "unset NCCL_NET_PLUGIN"];
    for (command, args, last) in [
        (
            words(&["timeout", "3600", "/usr/local/mpi/bin/mpirun"]),
            words(&["-N", "4", "--mca", "plm_rsh_args", "-o StrictHostKeyChecking=no -o ConnectionAttempts=10"]),
            r#"exec "timeout" "3600" "/usr/local/mpi/bin/mpirun" "-N" "4" "--mca" "plm_rsh_args" "-o StrictHostKeyChecking=no -o ConnectionAttempts=10""#,
        ),
        (words(&["torchrun"]), words(&["train.py"]), r#"exec "torchrun" "train.py""#),
        (words(&["sh", "-c"]), words(&["echo \"a\\b\"\n"]), r#"exec "sh" "-c" "echo \"a\\b\"\n""#),
        (Vec::new(), Vec::new(), "exec "),
    ] {
        let (shell, script) = wrap_command(&lines, command.clone(), args.clone());
        assert_eq!(shell, ["/bin/bash", "-c"]);
        assert_eq!(script, [format!("rm -rf /opt/amazon\nunset NCCL_NET_PLUGIN\n{last}")]);
        assert_eq!(wrap_command(&[], command.clone(), args.clone()), (command, args));
    }
}

#[test]
fn quoting_is_gos() {
    for (word, quoted) in [
        ("", r#""""#),
        ("plain -x A=$B `c` 'd' !", r#""plain -x A=$B `c` 'd' !""#),
        ("\"\\", r#""\"\\""#),
        ("\u{7}\u{8}\u{c}\n\r\t\u{b}", r#""\a\b\f\n\r\t\v""#),
        ("\0\u{1}\u{1b}\u{1f}\u{7f}", r#""\x00\x01\x1b\x1f\x7f""#),
        ("\u{80}\u{9f}\u{a0}\u{ad}", r#""\u0080\u009f\u00a0\u00ad""#),
        ("äé中文😀€", r#""äé中文😀€""#),
        // A combining mark is printable, also first in a word.
        ("\u{301}e\u{301}", "\"\u{301}e\u{301}\""),
        ("\u{200b}\u{2028}\u{3000}\u{feff}\u{e000}", r#""\u200b\u2028\u3000\ufeff\ue000""#),
        ("\u{fffd}", "\"\u{fffd}\""),
        ("\u{e0001}\u{10ffff}\u{f0000}", r#""\U000e0001\U0010ffff\U000f0000""#),
    ] {
        assert_eq!(go_quote(word), quoted);
    }
    for (word, found) in [("a$b", Some('$')), ("`", Some('`')), ("a\nb", Some('\n')), ("a'b\"c!", None)] {
        assert_eq!(expanded_by_bash(word), found, "{word}");
    }
}
