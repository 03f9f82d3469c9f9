//! Cases of what a run adds to its pods, and of its overrides.

use serde_json::{Value, json};

/// Rules: name, a patch of the basic run that is fine, and one that breaks the rule.
pub fn rules() -> Vec<(&'static str, Value, Value)> {
    let spec = |spec: Value| json!({ "spec": spec });
    let env = |variable: Value| json!({"spec": {"env": [variable]}});
    let patch = |operation: Value| json!({"spec": {"overrides": [{"when": {}, "jobTemplatePatch": [operation]}]}});
    let dependency = |object: Value| json!({"spec": {"overrides": [{"when": {}, "dependencies": [object]}]}});
    let volume = |source: Value| {
        let mut volume = json!({"name": "data"});
        volume.as_object_mut().unwrap().extend(source.as_object().unwrap().clone());
        json!({"spec": {"volumes": [volume]}})
    };
    let mount = |fields: Value| {
        let mut mount = json!({"name": "data", "mountPath": "/data"});
        mount.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({"spec": {"volumes": [{"name": "data", "emptyDir": {}}], "volumeMounts": [mount]}})
    };
    let init = |container: Value| json!({"spec": {"initContainers": [container]}});
    let from = |source: Value| env(json!({"name": "A", "valueFrom": source}));
    let init_env = |variable: Value| init(json!({"name": "i", "image": "a", "env": [variable]}));
    vec![
        ("env name", env(json!({"name": "A"})), env(json!({"name": "A=B"}))),
        ("env name given", env(json!({"name": "A"})), env(json!({"value": "b"}))),
        (
            "env one source",
            from(json!({"fieldRef": {"fieldPath": "metadata.name"}})),
            from(json!({"fieldRef": {"fieldPath": "a"}, "configMapKeyRef": {"name": "a", "key": "b"}})),
        ),
        ("env no source", from(json!({"fieldRef": {"fieldPath": "metadata.name"}})), from(json!({}))),
        (
            "env value and source",
            env(json!({"name": "A", "value": "", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}})),
            env(json!({"name": "A", "value": "b", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}})),
        ),
        (
            "env secret",
            from(json!({"secretKeyRef": {"name": "a", "key": "b"}})),
            from(json!({"secretKeyRef": {"name": "A", "key": "b"}})),
        ),
        (
            "env secret key",
            from(json!({"secretKeyRef": {"name": "a", "key": "b"}})),
            from(json!({"secretKeyRef": {"name": "a", "key": "b/c"}})),
        ),
        (
            "env map given",
            from(json!({"configMapKeyRef": {"name": "a", "key": "b"}})),
            from(json!({"configMapKeyRef": {"key": "b"}})),
        ),
        ("init env name", init_env(json!({"name": "A"})), init_env(json!({"name": "A=B"}))),
        (
            "init env both",
            init_env(json!({"name": "A", "value": "b"})),
            init_env(json!({"name": "A", "value": "b", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}})),
        ),
        ("volume name", volume(json!({"emptyDir": {}})), volume(json!({"name": "Data", "emptyDir": {}}))),
        ("volume taken", volume(json!({"emptyDir": {}})), volume(json!({"name": "dshm", "emptyDir": {}}))),
        ("volume source", volume(json!({"emptyDir": {}})), volume(json!({}))),
        (
            "volume two sources",
            volume(json!({"emptyDir": {}})),
            volume(json!({"emptyDir": {}, "hostPath": {"path": "/a"}})),
        ),
        (
            "volume secret name",
            volume(json!({"secret": {"secretName": "a"}})),
            volume(json!({"secret": {"secretName": "A"}})),
        ),
        ("mount name", mount(json!({})), mount(json!({"name": ""}))),
        (
            "env map",
            from(json!({"configMapKeyRef": {"name": "a", "key": "b"}})),
            from(json!({"configMapKeyRef": {"name": "A", "key": "b"}})),
        ),
        (
            "env map key",
            from(json!({"configMapKeyRef": {"name": "a", "key": "b"}})),
            from(json!({"configMapKeyRef": {"name": "a", "key": "b/c"}})),
        ),
        (
            "resource request",
            spec(json!({"resources": {"requests": {"cpu": 8}}})),
            spec(json!({"resources": {"requests": {"gpu": 8}}})),
        ),
        (
            "interval above zero, goodput",
            spec(json!({"goodputMeasurement": {"logProfileRef": "a", "sampleInterval": "1m"}})),
            spec(json!({"goodputMeasurement": {"logProfileRef": "a", "sampleInterval": "-1m"}})),
        ),
        ("volume map", volume(json!({"configMap": {"name": "a"}})), volume(json!({"configMap": {"name": "A"}}))),
        ("volume map given", volume(json!({"configMap": {"name": "a"}})), volume(json!({"configMap": {}}))),
        ("volume secret", volume(json!({"secret": {"secretName": "a"}})), volume(json!({"secret": {}}))),
        (
            "volume claim",
            volume(json!({"persistentVolumeClaim": {"claimName": "a"}})),
            volume(json!({"persistentVolumeClaim": {"claimName": "A"}})),
        ),
        ("volume host", volume(json!({"hostPath": {"path": "/a"}})), volume(json!({"hostPath": {"path": "/a/../b"}}))),
        ("mount path", mount(json!({})), mount(json!({"mountPath": "/a:b"}))),
        ("mount path empty", mount(json!({})), mount(json!({"mountPath": ""}))),
        ("mount sub path", mount(json!({"subPath": "a/b"})), mount(json!({"subPath": "/a"}))),
        ("mount sub path up", mount(json!({"subPathExpr": "a"})), mount(json!({"subPathExpr": "a/.."}))),
        ("mount two sub paths", mount(json!({"subPath": "a"})), mount(json!({"subPath": "a", "subPathExpr": "b"}))),
        ("init image", init(json!({"name": "i", "image": "a"})), init(json!({"name": "i"}))),
        ("init image blanks", init(json!({"name": "i", "image": "a"})), init(json!({"name": "i", "image": "a b"}))),
        ("init name", init(json!({"name": "i", "image": "a"})), init(json!({"name": "I", "image": "a"}))),
        (
            "resource name",
            spec(json!({"resources": {"limits": {"nvidia.com/gpu": 8, "hugepages-2Mi": "2Gi"}}})),
            spec(json!({"resources": {"limits": {"gpu": 8}}})),
        ),
        (
            "quantity",
            spec(json!({"resources": {"limits": {"cpu": "500m"}}})),
            spec(json!({"resources": {"limits": {"cpu": "500mm"}}})),
        ),
        (
            "override when",
            spec(json!({"overrides": [{"when": {}, "mpiArgs": ["-v"]}]})),
            spec(json!({"overrides": [{"mpiArgs": ["-v"]}]})),
        ),
        (
            "override placement",
            spec(json!({"overrides": [{"when": {}, "orchestration": {"placement": "Pinned"}}]})),
            spec(json!({"overrides": [{"when": {}, "orchestration": {"placement": "pinned"}}]})),
        ),
        (
            "override timeout",
            spec(json!({"overrides": [{"when": {}, "orchestration": {"execution": {"timeoutPerJob": "1h"}}}]})),
            spec(json!({"overrides": [{"when": {}, "orchestration": {"execution": {"timeoutPerJob": "0s"}}}]})),
        ),
        (
            "override iterations",
            spec(json!({"overrides": [{"when": {}, "orchestration": {"iterations": 2}}]})),
            spec(json!({"overrides": [{"when": {}, "orchestration": {"iterations": 0}}]})),
        ),
        (
            "override target",
            spec(json!({"overrides": [{"when": {}, "orchestration": {"target": {"nodeNames": ["a"]}}}]})),
            spec(json!({"overrides": [{"when": {}, "orchestration": {"target": {"nodeNames": ["A"]}}}]})),
        ),
        (
            "override topology",
            spec(json!({"overrides": [{"when": {}, "orchestration": {"topology": {"topologyKey": "a"}}}]})),
            spec(json!({"overrides": [{"when": {}, "orchestration": {"topology": {"topologyKey": "a b"}}}]})),
        ),
        (
            "dependency kind",
            dependency(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})),
            dependency(json!({"apiVersion": "v1", "metadata": {"name": "a"}})),
        ),
        (
            "dependency name",
            dependency(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})),
            dependency(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}})),
        ),
        (
            "dependency when",
            dependency(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})),
            dependency(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "when": {}})),
        ),
        (
            "patch operation",
            patch(json!({"op": "add", "path": "/spec/x", "value": 1})),
            patch(json!({"op": "put", "path": "/spec/x", "value": 1})),
        ),
        (
            "patch value",
            patch(json!({"op": "test", "path": "/spec/x", "value": 1})),
            patch(json!({"op": "test", "path": "/spec/x"})),
        ),
        (
            "patch from",
            patch(json!({"op": "copy", "path": "/spec/x", "from": "/a"})),
            patch(json!({"op": "move", "path": "/spec/x"})),
        ),
        (
            "patch pointer",
            patch(json!({"op": "remove", "path": "/spec/x"})),
            patch(json!({"op": "remove", "path": "spec/x"})),
        ),
        (
            "patch remove",
            patch(json!({"op": "remove", "path": "/spec/x"})),
            patch(json!({"op": "remove", "path": "/spec/x", "value": 1})),
        ),
        (
            "patch key",
            patch(json!({"op": "remove", "path": "/spec/x"})),
            patch(json!({"op": "remove", "path": "/spec/x", "pth": 1})),
        ),
    ]
}
