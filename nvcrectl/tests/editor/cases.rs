//! Cases of the schema of a run.

use serde_json::{Value, json};

/// Scenarios whose errors the schema does not see: name, codes, why.
pub const UNSEEN: &[(&str, &str, &str)] = &[
    ("bad-override-runtime-patches", "NV005", "a patch may hold a part of anything, so it is open"),
    ("bad-override-trainer-env", "NV174 NV175", "a patch may hold a part of anything, so it is open"),
    ("bad-queue-conflict", "NV045", "two fields contradict each other"),
    ("bad-two-runs", "NV014", "a schema looks at one document after the other"),
    ("bad-volumes-collide-mpi", "NV054", "which names are taken follows from the framework"),
];

/// The basic run, changed by a patch.
pub fn run(patch: &Value) -> Value {
    let mut out = json!({
        "apiVersion": "nvcre.nvidia.com/v1alpha1",
        "kind": "WorkloadRun",
        "metadata": {"name": "sweep"},
        "spec": {
            "image": "registry.example/nccl:1",
            "framework": {"mpi": {"binary": "/opt/ar", "mpirunPath": "/usr/bin/mpirun"}},
            "numNodes": 2,
        },
    });
    merge(&mut out, patch);
    out
}

/// RFC 7386.
pub fn merge(target: &mut Value, patch: &Value) {
    let Some(patch) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            target.as_object_mut().unwrap().remove(key);
        } else {
            merge(&mut target[key], value);
        }
    }
}

/// Rules: name, a patch of the basic run that is fine, and one that breaks the rule.
pub fn rules() -> Vec<(&'static str, Value, Value)> {
    let spec = |spec: Value| json!({ "spec": spec });
    let target = |target: Value| json!({"spec": {"target": target}});
    let expression = |operator: &str, values: Value| json!({"spec": {"target": {"matchExpressions": [{"key": "a.b/c", "operator": operator, "values": values}]}}});
    let framework = |name: &str, fields: Value| {
        let mut framework = json!({"mpi": null, "torch": null, "exec": null});
        framework[name] = fields;
        json!({"spec": {"framework": framework}})
    };
    let orchestration = |fields: Value| json!({"spec": {"orchestration": fields}});
    let env = |variable: Value| json!({"spec": {"env": [variable]}});
    let gang = |fields: Value| {
        let mut gang = json!({"schedulerName": "kai-scheduler"});
        gang.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({"spec": {"gangScheduler": gang}})
    };
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
    let long = "a".repeat(64);
    vec![
        ("kind", json!({}), json!({"kind": "WorkloadRuns"})),
        ("apiVersion", json!({}), json!({"apiVersion": "nvcre.nvidia.com/v1"})),
        ("name given", json!({"metadata": {"name": "a"}}), json!({"metadata": {"name": null, "namespace": "x"}})),
        ("name grammar", json!({"metadata": {"name": "a-1"}}), json!({"metadata": {"name": "1a"}})),
        ("name end", json!({"metadata": {"name": "a-1"}}), json!({"metadata": {"name": "a-"}})),
        ("name length", json!({"metadata": {"name": "a"}}), json!({"metadata": {"name": long}})),
        ("namespace", json!({"metadata": {"namespace": "team-a"}}), json!({"metadata": {"namespace": "Team"}})),
        ("label key", json!({"metadata": {"labels": {"a.b/c": "d"}}}), json!({"metadata": {"labels": {"a b": "d"}}})),
        ("label value", json!({"metadata": {"labels": {"a": ""}}}), json!({"metadata": {"labels": {"a": "-b"}}})),
        ("image given", json!({}), spec(json!({"image": null}))),
        ("image empty", json!({}), spec(json!({"image": ""}))),
        ("image blanks", json!({}), spec(json!({"image": "a b"}))),
        ("image length", json!({}), spec(json!({"image": "a".repeat(501)}))),
        ("numNodes given", json!({}), spec(json!({"numNodes": null}))),
        ("numNodes", spec(json!({"numNodes": 1})), spec(json!({"numNodes": 0}))),
        ("gpusPerNode", spec(json!({"gpusPerNode": 1})), spec(json!({"gpusPerNode": 0}))),
        ("mlnxPerNode", spec(json!({"mlnxPerNode": 0})), spec(json!({"mlnxPerNode": -1}))),
        ("nicResourceName", spec(json!({"nicResourceName": "rdma/ib"})), spec(json!({"nicResourceName": "rdma"}))),
        ("NIC domain", spec(json!({"nicResourceName": "rdma/ib"})), spec(json!({"nicResourceName": "x.k8s.io/ib"}))),
        ("one framework", json!({}), spec(json!({"framework": {"exec": {"command": ["/bin/true"]}}}))),
        ("a framework", json!({}), spec(json!({"framework": {"mpi": null}}))),
        (
            "torch",
            framework("torch", json!({"script": "a"})),
            framework("torch", json!({"script": "a", "module": "b"})),
        ),
        ("torch nothing", framework("torch", json!({"module": "a"})), framework("torch", json!({"args": ["a"]}))),
        ("torch empty", framework("torch", json!({"module": "a"})), framework("torch", json!({"script": ""}))),
        ("mpi binary", json!({}), framework("mpi", json!({"binary": null}))),
        ("mpi binary empty", json!({}), framework("mpi", json!({"mpirunPath": "/m", "binary": ""}))),
        ("mpirunPath", json!({}), framework("mpi", json!({"mpirunPath": null}))),
        (
            "mpiImplementation",
            framework("mpi", json!({"binary": "/b", "mpirunPath": "/m", "mpiImplementation": "OpenMPI"})),
            framework("mpi", json!({"binary": "/b", "mpirunPath": "/m", "mpiImplementation": "MPICH"})),
        ),
        ("exec command", framework("exec", json!({"command": ["a"]})), framework("exec", json!({"command": []}))),
        (
            "selector key",
            target(json!({"nodeSelector": {"a/b": "c"}})),
            target(json!({"nodeSelector": {"a/b/c": "d"}})),
        ),
        ("selector value", target(json!({"nodeSelector": {"a": ""}})), target(json!({"nodeSelector": {"a": "b c"}}))),
        ("node name", target(json!({"nodeNames": ["a.b"]})), target(json!({"nodeNames": ["A"]}))),
        ("operator", expression("In", json!(["a"])), expression("in", json!(["a"]))),
        ("In values", expression("In", json!(["a"])), expression("In", json!([]))),
        ("In value", expression("NotIn", json!([""])), expression("NotIn", json!(["a b"]))),
        ("Exists", expression("Exists", json!([])), expression("Exists", json!(["a"]))),
        ("Gt one", expression("Gt", json!(["3"])), expression("Gt", json!(["3", "4"]))),
        ("Lt number", expression("Lt", json!(["-3"])), expression("Lt", json!(["x"]))),
        (
            "expression key",
            expression("Exists", json!([])),
            target(json!({"matchExpressions": [{"key": "a b", "operator": "Exists"}]})),
        ),
        (
            "taint key",
            target(json!({"taintSelectors": [{"key": "a"}]})),
            target(json!({"taintSelectors": [{"key": "a b"}]})),
        ),
        (
            "taint key given",
            target(json!({"taintSelectors": [{"key": "a"}]})),
            target(json!({"taintSelectors": [{"value": "b"}]})),
        ),
        (
            "taint effect",
            target(json!({"taintSelectors": [{"key": "a", "effect": "NoExecute"}]})),
            target(json!({"taintSelectors": [{"key": "a", "effect": "NoRun"}]})),
        ),
        (
            "taint value",
            target(json!({"taintSelectors": [{"key": "a", "value": "b"}]})),
            target(json!({"taintSelectors": [{"key": "a", "value": "b c"}]})),
        ),
        (
            "config one",
            spec(json!({"config": {"inline": {"a": "b"}}})),
            spec(json!({"config": {"inline": {"a": "b"}, "configMapRef": {"name": "c"}}})),
        ),
        (
            "config file",
            spec(json!({"config": {"inline": {"a.txt": "b"}}})),
            spec(json!({"config": {"inline": {"a/b": "c"}}})),
        ),
        (
            "config folder",
            spec(json!({"config": {"inline": {".a": "b"}}})),
            spec(json!({"config": {"inline": {"..a": "b"}}})),
        ),
        (
            "configMapRef",
            spec(json!({"config": {"configMapRef": {"name": "a"}}})),
            spec(json!({"config": {"configMapRef": {"name": "A"}}})),
        ),
        (
            "pull secret",
            spec(json!({"imagePullSecrets": [{"name": "a"}]})),
            spec(json!({"imagePullSecrets": [{"name": "A"}]})),
        ),
        (
            "pull secret given",
            spec(json!({"imagePullSecrets": [{"name": "a"}]})),
            spec(json!({"imagePullSecrets": [{}]})),
        ),
        (
            "storage size",
            spec(json!({"checkpoint": {"storageSize": "1.5Ti"}})),
            spec(json!({"checkpoint": {"storageSize": "10 GB"}})),
        ),
        (
            "storage size given",
            spec(json!({"checkpoint": {"storageSize": "1Gi"}})),
            spec(json!({"checkpoint": {"maxRestarts": 1}})),
        ),
        (
            "storage class",
            spec(json!({"checkpoint": {"storageSize": "1Gi", "storageClassName": "fast"}})),
            spec(json!({"checkpoint": {"storageSize": "1Gi", "storageClassName": "Fast"}})),
        ),
        (
            "maxRestarts",
            spec(json!({"checkpoint": {"storageSize": "1Gi", "maxRestarts": 0}})),
            spec(json!({"checkpoint": {"storageSize": "1Gi", "maxRestarts": -1}})),
        ),
        ("testScale", orchestration(json!({"testScale": "full-scale"})), orchestration(json!({"testScale": "rack"}))),
        ("placement", orchestration(json!({"placement": "Pinned"})), orchestration(json!({"placement": "pinned"}))),
        ("repeatCount", orchestration(json!({"repeatCount": 1})), orchestration(json!({"repeatCount": 0}))),
        ("maxConcurrent", orchestration(json!({"maxConcurrent": 0})), orchestration(json!({"maxConcurrent": -1}))),
        (
            "timeout above zero",
            orchestration(json!({"timeoutPerJob": "30m"})),
            orchestration(json!({"timeoutPerJob": "0s"})),
        ),
        (
            "timeout not below",
            orchestration(json!({"timeoutPerJob": "30m"})),
            orchestration(json!({"timeoutPerJob": "-1h30m"})),
        ),
        // What is no duration is a warning and becomes 24h.
        ("timeout zero", orchestration(json!({"timeoutPerJob": "-x"})), orchestration(json!({"timeoutPerJob": "0"}))),
        (
            "topologyKey",
            orchestration(json!({"topology": {"topologyKey": "a/b"}})),
            orchestration(json!({"topology": {"topologyKey": "a b"}})),
        ),
        (
            "topologyKey strict",
            orchestration(json!({"topology": {"topologyKey": ""}})),
            orchestration(json!({"topology": {"topologyKey": "", "strictDomain": true}})),
        ),
        (
            "topologyKey rack",
            orchestration(json!({"testScale": "intra-rack", "topology": {"topologyKey": "", "strictDomain": false}})),
            orchestration(json!({"testScale": "intra-rack", "topology": {"topologyKey": ""}})),
        ),
        (
            "Unpinned node",
            orchestration(json!({"placement": "Unpinned", "testScale": "full-scale"})),
            orchestration(json!({"placement": "Unpinned", "testScale": "intra-node"})),
        ),
        (
            "Unpinned strict",
            orchestration(json!({"placement": "Unpinned", "topology": {"strictDomain": false}})),
            orchestration(json!({"placement": "Unpinned", "topology": {"strictDomain": true}})),
        ),
        (
            "threshold",
            spec(json!({"thresholds": {"goodputRatio": "value > 0.9"}})),
            spec(json!({"thresholds": {"goodput": "value > 0.9"}})),
        ),
        (
            "log profile",
            spec(json!({"bandwidthMeasurement": {"logProfileRef": "a"}})),
            spec(json!({"bandwidthMeasurement": {"logProfileRef": ""}})),
        ),
        (
            "log profile given",
            spec(json!({"goodputMeasurement": {"logProfileRef": "a"}})),
            spec(json!({"goodputMeasurement": {}})),
        ),
        (
            "interval",
            spec(json!({"goodputMeasurement": {"logProfileRef": "a", "sampleInterval": "30s"}})),
            spec(json!({"goodputMeasurement": {"logProfileRef": "a", "sampleInterval": "30"}})),
        ),
        (
            "interval above zero",
            spec(json!({"bandwidthMeasurement": {"logProfileRef": "a", "sampleInterval": "1m"}})),
            spec(json!({"bandwidthMeasurement": {"logProfileRef": "a", "sampleInterval": "0s"}})),
        ),
        ("scheduler", gang(json!({})), spec(json!({"gangScheduler": {"schedulerName": ""}}))),
        ("queue", gang(json!({"queue": "a"})), gang(json!({"queue": "a b"}))),
        ("queue label", gang(json!({"queueLabelKey": "a/b"})), gang(json!({"queueLabelKey": "a b"}))),
        (
            "queue label ours",
            gang(json!({"queueLabelKey": "a/b"})),
            gang(json!({"queueLabelKey": "nvcre.nvidia.com/q"})),
        ),
        (
            "queue label of JobSet",
            gang(json!({"queueLabelKey": "a/b"})),
            gang(json!({"queueLabelKey": "jobset.sigs.k8s.io/q"})),
        ),
        (
            "workload label",
            spec(json!({"workloadMetadata": {"labels": {"a": "b"}}})),
            spec(json!({"workloadMetadata": {"labels": {"a b": "c"}}})),
        ),
        (
            "workload label app",
            spec(json!({"workloadMetadata": {"labels": {"apps": "b"}}})),
            spec(json!({"workloadMetadata": {"labels": {"app": "b"}}})),
        ),
        ("priority", spec(json!({"priorityClassName": "high"})), spec(json!({"priorityClassName": "High"}))),
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
