use crate::catalogue::Catalogue;
use crate::diagnostic::Code;
use serde_json::{Value, json};

/// A small catalogue without findings.
fn small() -> Value {
    json!({
        "editions": [{ "name": "mine", "title": "Mine" }],
        "platforms": [
            { "name": "cave", "title": "Cave", "topologyKey": "cave/rack", "synthetic": { "providerID": "cave://x" } },
            { "name": "hill", "title": "Hill" },
        ],
        "detection": [
            { "platform": "cave", "providerIDPrefix": "cave://" },
            { "platform": "hill" },
        ],
        "architectures": [
            { "name": "h100", "gpusPerNode": 8, "mlnxPerNode": 8, "product": "NVIDIA-H100" },
            { "name": "gb300", "gpusPerNode": 4, "mlnxPerNode": 8, "product": "NVIDIA-GB300" },
        ],
        "fallback": { "gpusPerNode": 4, "mlnxPerNode": 0 },
        "nicDetection": [{ "platform": "cave", "architectures": ["h100"], "prefixes": ["rdma/"] }],
        "baseEnvironment": [{ "name": "NCCL_DEBUG", "value": "INFO" }],
        "environments": [{ "name": "ib", "variables": [{ "name": "A", "value": "1" }] }],
        "tolerations": [{ "name": "gpu", "key": "nvidia.com/gpu", "operator": "Exists" }],
        "entries": [{
            "id": "C1", "name": "cave-ib", "title": "IB", "when": { "platform": "cave", "gpuArchitecture": "h100" },
            "env": "ib", "worker": [{ "tolerations": ["gpu"], "resources": { "rdma/ib": "${nics}" } }],
        }],
    })
}

/// Codes and paths of the findings after a change.
fn after(change: impl FnOnce(&mut Value)) -> Vec<(Code, String)> {
    let mut value = small();
    change(&mut value);
    let catalogue: Catalogue = serde_json::from_value(value).unwrap();
    let findings = catalogue.check();
    findings.into_iter().map(|d| (d.code, d.path.unwrap().to_string())).collect()
}

fn entry(id: &str, more: Value) -> Value {
    let mut entry = json!({ "id": id, "name": id.to_lowercase(), "title": "x", "preCommand": ["true"] });
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

#[test]
fn built_in_catalogue_has_no_findings() {
    assert_eq!(Catalogue::builtin().check(), []);
    assert_eq!(after(|_| {}), []);
}

#[test]
fn facts() {
    type Change = fn(&mut Value);
    let cases: [(Change, Code, &str); 17] = [
        (|c| c["editions"] = json!([]), Code::CatalogueValue, "editions"),
        (|c| c["editions"][0]["name"] = json!("My Edition"), Code::CatalogueValue, "editions[0].name"),
        (|c| c["platforms"][1]["name"] = json!("cave"), Code::CatalogueDuplicate, "platforms[1].name"),
        (|c| c["platforms"][0]["topologyKey"] = json!("a b"), Code::CatalogueLabelKey, "platforms[0].topologyKey"),
        (|c| c["platforms"][0]["synthetic"] = json!({}), Code::CatalogueValue, "platforms[0].synthetic"),
        (|c| c["detection"][0]["platform"] = json!("cav"), Code::CatalogueUnknownName, "detection[0].platform"),
        (|c| c["detection"][0]["label"] = json!("/x"), Code::CatalogueLabelKey, "detection[0].label"),
        (|c| c["detection"][0]["labelContains"] = json!("x"), Code::CatalogueValue, "detection[0].labelContains"),
        (|c| c["detection"][0]["noProviderID"] = json!(true), Code::CatalogueValue, "detection[0]"),
        (
            |c| c["detection"][1] = json!({ "platform": "hill", "providerIDPrefix": "cave://deep" }),
            Code::CatalogueUnreachableRule,
            "detection[1]",
        ),
        (|c| c["architectures"][1]["name"] = json!("h100"), Code::CatalogueDuplicate, "architectures[1].name"),
        (|c| c["architectures"][1]["gpusPerNode"] = json!(0), Code::CatalogueValue, "architectures[1].gpusPerNode"),
        (|c| c["architectures"][1]["product"] = json!("a b"), Code::CatalogueValue, "architectures[1].product"),
        (|c| c["fallback"]["mlnxPerNode"] = json!(-1), Code::CatalogueValue, "fallback.mlnxPerNode"),
        (
            |c| c["hardwareExceptions"] = json!([{ "platform": "cave", "architecture": "gb30" }]),
            Code::CatalogueUnknownName,
            "hardwareExceptions[0].architecture",
        ),
        (
            |c| c["nicDetection"][0]["architectures"] = json!(["h1000"]),
            Code::CatalogueUnknownName,
            "nicDetection[0].architectures[0]",
        ),
        (|c| c["nicDetection"][0]["prefixes"] = json!([]), Code::CatalogueValue, "nicDetection[0]"),
    ];
    for (change, code, path) in cases {
        let found = after(change);
        assert!(found.contains(&(code, path.to_owned())), "{code} at {path} is not among {found:?}");
    }
}

#[test]
fn entries() {
    let patch = |worker: Value| entry("C2", json!({ "worker": [worker] }));
    let env = |list: Value| entry("C2", json!({ "when": { "platform": "hill" }, "env": list }));
    let cases = [
        (entry("C1", json!({})), Code::CatalogueDuplicate, "id"),
        (entry("C2", json!({ "name": "cave-ib" })), Code::CatalogueDuplicate, "name"),
        (entry("C2", json!({ "name": "Cave IB" })), Code::CatalogueValue, "name"),
        (entry("C2", json!({ "editions": ["yours"] })), Code::CatalogueUnknownName, "editions[0]"),
        (entry("C2", json!({ "when": { "platform": "cavee" } })), Code::CatalogueUnknownName, "when.platform"),
        (
            entry("C2", json!({ "when": { "gpuArchitecture": { "notIn": ["h10"] } } })),
            Code::CatalogueUnknownName,
            "when.gpuArchitecture",
        ),
        (entry("C2", json!({ "whenByEdition": { "yours": {} } })), Code::CatalogueUnknownName, "whenByEdition.yours"),
        (entry("C2", json!({ "preCommand": ["echo ${Run}"] })), Code::CataloguePlaceholder, "preCommand[0]"),
        (entry("C2", json!({ "mpiArgs": [["-n", "x${gpus:number}"]] })), Code::CataloguePlaceholder, "mpiArgs[0][1]"),
        (
            patch(json!({ "resources": { "${nic}": 1 } })),
            Code::CataloguePlaceholder,
            r#"worker[0].resources["${nic}"]"#,
        ),
        (env(json!("ibb")), Code::CatalogueUnknownName, "env"),
        (env(json!([{ "name": "A B", "value": "" }])), Code::CatalogueVariable, "env[0].name"),
        (
            env(json!([{ "name": "A", "value": "" }, { "name": "A", "value": "", "if": { "gpus": { "in": [2] } } }])),
            Code::CatalogueVariable,
            "env[1].name",
        ),
        (env(json!([{ "name": "PET_NNODES", "value": "" }])), Code::CatalogueReservedVariable, "env"),
        (entry("C2", json!({ "topologyKey": "a b" })), Code::CatalogueLabelKey, "topologyKey"),
        (entry("C2", json!({ "objects": [{ "kind": "X" }] })), Code::CatalogueObject, "objects[0]"),
        (patch(json!({ "tolerations": ["gpus"] })), Code::CatalogueUnknownName, "worker[0].tolerations[0]"),
        (patch(json!({ "resources": { "ib": 1 } })), Code::CatalogueResource, "worker[0].resources.ib"),
        (
            patch(json!({ "resources": { "rdma/ib": "one" } })),
            Code::CatalogueResource,
            r#"worker[0].resources["rdma/ib"]"#,
        ),
        (
            patch(json!({ "jobAnnotations": { "a b": "" } })),
            Code::CatalogueLabelKey,
            r#"worker[0].jobAnnotations["a b"]"#,
        ),
        (
            entry("C2", json!({ "jobTemplatePatch": [{ "op": "put", "path": "/a" }] })),
            Code::CatalogueJobTemplatePatch,
            "jobTemplatePatch[0].op",
        ),
        (entry("C2", json!({ "preCommand": [] })), Code::CatalogueUnused, ""),
    ];
    for (entry, code, path) in cases {
        let path = if path.is_empty() { "entries[1]".into() } else { format!("entries[1].{path}") };
        let found = after(|c| c["entries"].as_array_mut().unwrap().push(entry));
        assert!(found.contains(&(code, path.clone())), "{code} at {path} is not among {found:?}");
    }
}

#[test]
fn conditions_that_exclude_each_other_allow_a_name_twice() {
    for (first, second, allowed) in [
        (json!({ "gpus": { "equals": 8 } }), json!({ "gpus": { "in": [2, 4] } }), true),
        (json!({ "gpus": { "greaterThan": 4 } }), json!({ "gpus": { "lessThan": 6 } }), false),
        (json!({ "gpus": { "greaterThan": 4 } }), json!({ "gpus": { "lessThan": 5 } }), true),
        (json!({ "nicResource": "set" }), json!({ "nicResource": "unset" }), true),
        (json!({ "mnnvl": true }), json!({ "mnnvl": false }), true),
        (json!({ "mnnvl": true }), json!({ "nics": { "equals": 0 } }), false),
    ] {
        let variable = |condition: &Value| json!({ "name": "A", "value": "1", "if": condition });
        let list = json!([variable(&first), variable(&second)]);
        let new = entry("C2", json!({ "when": { "platform": "hill" }, "env": list }));
        let found = after(|c| c["entries"].as_array_mut().unwrap().push(new));
        assert_eq!(found.is_empty(), allowed, "{first} {second}: {found:?}");
    }
}

#[test]
fn only_one_entry_sets_trainer_env() {
    let list = json!([{ "name": "B", "value": "1" }]);
    let both = |more: Value| {
        let found = after(|c| c["entries"].as_array_mut().unwrap().push(entry("C2", more)));
        found.iter().any(|(code, path)| *code == Code::CatalogueTrainerEnv && path == "entries[1]")
    };
    assert!(both(json!({ "env": list })));
    assert!(both(json!({ "when": { "platform": "cave" }, "trainerEnv": list })));
    assert!(!both(json!({ "when": { "platform": "hill" }, "env": list })));
    assert!(!both(json!({ "framework": "mpi", "env": list })));
    assert!(!both(json!({ "when": { "gpuArchitecture": { "notIn": ["h100"] } }, "env": list })));
    let patch = json!({ "spec": { "workload": { "trainJob": { "trainer": { "env": [] } } } } });
    assert!(both(json!({ "jobTemplate": patch })));
}

#[test]
fn shared_parts() {
    type Change = fn(&mut Value);
    let cases: [(Change, Code, &str); 7] = [
        (|c| c["tolerations"][0]["operator"] = json!("Equals"), Code::CatalogueValue, "tolerations[0].operator"),
        (|c| c["tolerations"][0]["effect"] = json!("Never"), Code::CatalogueValue, "tolerations[0].effect"),
        (|c| c["entries"][0]["worker"] = json!([]), Code::CatalogueUnused, "tolerations[0]"),
        (|c| c["entries"][0]["env"] = json!([]), Code::CatalogueUnused, "environments[0]"),
        (
            |c| c["baseEnvironment"][0]["value"] = json!("${gpus}"),
            Code::CataloguePlaceholder,
            "baseEnvironment[0].value",
        ),
        (
            |c| c["baseEnvironment"][0]["if"] = json!({ "gpus": { "equals": 8 } }),
            Code::CatalogueValue,
            "baseEnvironment[0].if",
        ),
        (
            |c| c["advice"] = json!([{ "message": "x", "editions": ["other"] }]),
            Code::CatalogueUnknownName,
            "advice[0].editions[0]",
        ),
    ];
    for (change, code, path) in cases {
        let found = after(change);
        assert!(found.contains(&(code, path.to_owned())), "{code} at {path} is not among {found:?}");
    }
}

#[cfg(feature = "schema")]
#[test]
fn schema_speaks_of_the_short_forms() {
    let schema = json!(schemars::schema_for!(Catalogue)).to_string();
    for word in ["whenByEdition", "nicResource", "jobAnnotations", "nonMpi", "anyOf"] {
        assert!(schema.contains(word), "{word}");
    }
}

#[test]
fn what_an_entry_writes_in_kubernetes_own_words_is_checked() {
    let one = |more: Value| {
        let mut entry = entry("C2", more);
        entry["when"] = json!({ "platform": "cave", "gpuArchitecture": "gb300" });
        after(|c| c["entries"].as_array_mut().unwrap().push(entry))
    };
    let at = |path: &str| format!("entries[1].{path}");
    let worker = |part: Value| json!({ "worker": [part] });
    for (more, code, path) in [
        (worker(json!({"container": {"volumeMount": []}})), Code::UnknownField, "worker[0].container.volumeMount"),
        (worker(json!({"pod": {"spec": {"hostNetwork": true}}})), Code::UnknownField, "worker[0].pod.spec"),
        (worker(json!({"pod": {"hostNetwork": "yes"}})), Code::WrongType, "worker[0].pod.hostNetwork"),
        (
            json!({"objects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "daat": {}}]}),
            Code::UnknownField,
            "objects[0].daat",
        ),
        (json!({"jobTemplate": {"spec": {"workloda": {}}}}), Code::UnknownField, "jobTemplate.spec.workloda"),
        (json!({"jobTemplate": 5}), Code::CatalogueValue, "jobTemplate"),
        (json!({"mpiArgs": ["--mca btl_tcp_if_include eth0"]}), Code::CatalogueValue, "mpiArgs[0]"),
    ] {
        assert_eq!(one(more.clone()), [(code, at(path))], "{more}");
    }
    // Placeholders stand for values of their kind, and a patch need not be whole.
    assert_eq!(one(worker(json!({"pod": {"terminationGracePeriodSeconds": "${nics:number}"}}))), []);
    assert_eq!(one(json!({"mpiArgs": [["-x", "A=b c"], ["--mca", "plm_rsh_args", "-o A=b"]]})), []);
}

#[test]
fn conditions_are_checked_as_those_of_a_run() {
    let one = |when: Value| {
        let mut entry = entry("C2", json!({}));
        entry["when"] = when;
        after(|c| c["entries"].as_array_mut().unwrap().push(entry))
    };
    let at = |path: &str| format!("entries[1].when.{path}");
    assert_eq!(one(json!({"expression": "gpuArchitecture == 'h100'"})), []);
    #[cfg(feature = "cel")]
    for expression in ["gpuArch == 'h100'", "gpuArchitecture == (", "domainCount"] {
        assert_eq!(one(json!({ "expression": expression })), [(Code::OverrideExpression, at("expression"))]);
    }
    assert_eq!(one(json!({"workloadKind": "MPIJob"})), [(Code::ConditionNeverHolds, at("workloadKind"))]);
}
