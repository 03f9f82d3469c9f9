//! Cases of the schema of a run.

#[path = "pods.rs"]
mod pods;

use serde_json::{Value, json};

/// Scenarios whose errors the schema does not see: name, codes, why.
pub const UNSEEN: &[(&str, &str, &str)] = &[
    ("bad-cel", "NV094 NV160", "CEL has a grammar of its own"),
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
    let gang = |fields: Value| {
        let mut gang = json!({"schedulerName": "kai-scheduler"});
        gang.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({"spec": {"gangScheduler": gang}})
    };
    let long = "a".repeat(64);
    let mut out = vec![
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
    ];
    out.extend(pods::rules());
    out
}
