//! Scalars, lists and mappings in the place of another type (08 rows 27 and 29).

use super::*;

#[test]
fn row_27_bools_and_numbers_where_a_string_is_wanted() {
    let env = |value: &str| format!("env:\n- name: A\n  value: {value}");
    for (value, wanted) in [
        ("true", "Kubernetes reads `true` as a bool | put it in quotes: `value: \"true\"`"),
        ("yes", "Kubernetes reads `yes` as the bool true | put it in quotes: `value: \"yes\"`"),
        ("off", "Kubernetes reads `off` as the bool false | put it in quotes: `value: \"off\"`"),
        ("8", "Kubernetes reads `8` as a number | put it in quotes: `value: \"8\"`"),
        ("017", "Kubernetes reads `017` as the number 15 | put it in quotes: `value: \"017\"`"),
        ("1_000", "Kubernetes reads `1_000` as the number 1000 | put it in quotes: `value: \"1_000\"`"),
    ] {
        let told = only(&env(value));
        assert_eq!(told, format!("NV004 spec.env[0].value 7:12 a string is wanted here, but {wanted}"));
        assert_eq!(run(&env(value)).value.spec.env[0].value, value);
    }
    for fine in ["\"true\"", "'8'", "abc", "2026-10-12", "12:30:45", "|\n    8"] {
        assert_eq!(run(&env(fine)).diagnostics, [], "{fine}");
    }
    assert_eq!(
        only("target:\n  nodeSelector:\n    gpu: true"),
        "NV004 spec.target.nodeSelector.gpu 7:12 a string is wanted here, but Kubernetes reads `true` as a bool \
         | put it in quotes: `gpu: \"true\"`"
    );
    assert_eq!(
        only("framework:\n  exec:\n    command: [sleep, 8]"),
        "NV004 spec.framework.exec.command[1] 7:24 a string is wanted here, but Kubernetes reads `8` as a number \
         | put it in quotes: `- \"8\"`"
    );
}

#[test]
fn row_29_strings_where_a_number_or_bool_is_wanted() {
    assert_eq!(
        only("numNodes: \"4\""),
        "NV004 spec.numNodes 5:13 a whole number is wanted here, but `\"4\"` is a string | remove the quotes: `numNodes: 4`"
    );
    assert_eq!(run("numNodes: \"4\"").value.spec.num_nodes, 4);
    assert_eq!(
        only("numNodes: four"),
        "NV004 spec.numNodes 5:13 a whole number is wanted here, but `four` is a string \
         | write a whole number without quotes"
    );
    assert_eq!(
        only("enableMNNVL: 'no'"),
        "NV004 spec.enableMNNVL 5:16 true or false is wanted here, but `\"no\"` is a string \
         | write it without quotes: `enableMNNVL: false`"
    );
    assert_eq!(run("enableMNNVL: 'no'").value.spec.enable_mnnvl, Some(false));
    assert_eq!(
        only("enableMNNVL: 1"),
        "NV004 spec.enableMNNVL 5:16 true or false is wanted here, but Kubernetes reads `1` as a number \
         | write true or false"
    );
    assert_eq!(
        only("numNodes: 1.5"),
        "NV004 spec.numNodes 5:13 a whole number is wanted here, but `1.5` is not one | write a whole number"
    );
}

#[test]
fn whole_numbers_in_every_form_and_their_range() {
    for (text, number) in [("4", 4), ("4.0", 4), ("1e1", 10), ("0x10", 16), ("-1", -1), ("2147483647", i32::MAX)] {
        let read = run(&format!("numNodes: {text}"));
        assert_eq!((read.diagnostics, read.value.spec.num_nodes), (vec![], number), "{text}");
    }
    assert_eq!(
        only("numNodes: 2147483648"),
        "NV009 spec.numNodes 5:13 `2147483648` does not fit into 32 bits | write a number from -2147483648 to 2147483647"
    );
    assert!(only("numNodes: 99999999999999999999").starts_with("NV009 spec.numNodes 5:13 "));
    assert!(only("numNodes: 1e300").starts_with("NV009 spec.numNodes 5:13 "));
}

#[test]
fn lists_mappings_and_scalars_in_each_others_place() {
    for (spec, wanted) in [
        (
            "env:\n  NCCL_DEBUG: INFO",
            "NV004 spec.env 5:3 a list is wanted here, but this is a mapping | write a list with `- name: NCCL_DEBUG` \
             and its `value` below, one element for each key",
        ),
        (
            "framework:\n  exec:\n    command: sleep 8",
            "NV004 spec.framework.exec.command 7:16 a list is wanted here, but this is the string `sleep 8` \
             | write it as a list, one element for each word: `command: [\"sleep\", \"8\"]`",
        ),
        (
            "config:\n- inline",
            "NV004 spec.config 5:3 a mapping is wanted here, but this is a list \
             | write it as a mapping: `key: value` on each line, without the leading `-`",
        ),
        (
            "checkpoint: 500Gi",
            "NV004 spec.checkpoint 5:15 a mapping is wanted here, but this is the string `500Gi` \
             | write it as a mapping: `key: value` on lines of their own, indented below this field",
        ),
        (
            "nicResourceName: [rdma/ib]",
            "NV004 spec.nicResourceName 5:3 a string is wanted here, but this is a list \
             | write the value alone, without `-` or brackets",
        ),
        (
            "volumes: 3",
            "NV004 spec.volumes 5:12 a list is wanted here, but this is a number \
             | write it as a list: one line with a leading `- ` for each element",
        ),
    ] {
        assert_eq!(only(spec), wanted);
    }
}

#[test]
fn null_is_absent_in_a_mapping_and_wrong_in_a_list_or_map() {
    let read = run("env: ~\ntarget:\nconfig: null");
    assert_eq!(read.diagnostics, []);
    assert_eq!((read.value.spec.env.len(), read.value.spec.target), (0, None));
    assert_eq!(
        only("framework:\n  exec:\n    command:\n    - a\n    -"),
        "NV004 spec.framework.exec.command[1] 9:8 this element of the list is empty (null), but a string is wanted \
         | remove the element, or write \"\" for an empty string"
    );
    assert_eq!(
        only("target:\n  nodeSelector:\n    gpu:"),
        "NV004 spec.target.nodeSelector.gpu 7:7 `gpu` has no value (null), but a string is wanted \
         | remove the key, or write \"\" for an empty string"
    );
}

#[test]
fn grammars_of_quantities_and_durations() {
    assert_eq!(
        only("resources:\n  limits: {memory: 64GB}"),
        "NV012 spec.resources.limits.memory 6:22 \"64GB\" is not a quantity \
         | write a number, with a suffix if need be, for example 8, 500m, 1.5 or 64Gi"
    );
    assert_eq!(
        run("resources:\n  limits: {memory: 64Gi, cpu: 1.5, nvidia.com/gpu: 8, a: \"8\", b: 1e3}").diagnostics,
        []
    );
    let told = only("goodputMeasurement: {logProfileRef: a, sampleInterval: 1d}");
    assert!(
        told.starts_with("NV012 spec.goodputMeasurement.sampleInterval 5:58 \"1d\" is not a duration | write "),
        "{told}"
    );
    assert!(only("goodputMeasurement: {logProfileRef: a, sampleInterval: 60}").contains("as a number"));
    let probe = "initContainers:\n- name: a\n  readinessProbe:\n    httpGet: {port: ";
    for (port, findings) in [("http", 0), ("80", 0), ("\"80\"", 0), ("true", 1), ("80.5", 1)] {
        assert_eq!(run(&format!("{probe}{port}}}")).diagnostics.len(), findings, "{port}");
    }
}
