use super::super::testing::{Nodes, all};
use super::super::{Excluded, Facts, Owner, Role};
use super::*;
use crate::api::{Workflow, WorkloadRun};
use crate::diagnostic::Code;
use crate::fleet::Inventory;
use serde_json::json;

/// A resolved MPI Workflow with a config and a claim, and everything around it.
struct Case {
    workflow: Value,
    inventory: Inventory,
    facts: Facts,
    excluded: Excluded,
    delivery: Delivery,
    namespace: &'static str,
    origin: Option<Origin>,
}

fn mpi(name: &str, nodes: i64) -> Value {
    let runtime = format!("{name}-runtime");
    json!({
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "jobTemplate": {"spec": {"workload": {"trainJob": {
                "runtimeRef": {"kind": "TrainingRuntime", "name": runtime},
                "trainer": {"image": "i", "command": ["mpirun"], "args": ["-N", "8"], "numNodes": nodes, "numProcPerNode": 8},
                "runtimePatches": [{"manager": "nvcre.nvidia.com/controller", "trainingRuntimeSpec": {"template": {"spec":
                    {"replicatedJobs": [{"name": "node"}, {"name": "launcher"}]}}}}],
            }}}},
            "orchestration": {"iterations": 1, "execution": {"timeoutPerJob": "1h0m0.5s", "maxConcurrent": 2}},
            "dependencies": [
                {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime",
                 "metadata": {"name": runtime, "labels": {"app": name}},
                 "spec": {"mlPolicy": {"numNodes": 1, "mpi": {"numProcPerNode": 8}}, "template": {"spec": {"replicatedJobs": [
                     {"name": "node", "template": {"spec": {"template": {"spec": {
                         "volumes": [{"name": "config-volume", "configMap": {"name": format!("{name}-config")}}],
                         "containers": [{"name": "node", "image": "i"}]}}}}},
                     {"name": "launcher", "dependsOn": [{"name": "node", "status": "Ready"}], "template": {"spec": {"template":
                         {"spec": {"containers": [{"name": "node", "image": "i"}]}}}}},
                 ]}}}},
                {"apiVersion": "v1", "kind": "ConfigMap",
                 "metadata": {"name": format!("{name}-config"), "labels": {"app": name}}, "data": {"a": "text"}},
            ],
        },
    })
}

impl Case {
    fn new(workflow: Value, inventory: Inventory) -> Self {
        Self {
            workflow,
            inventory,
            facts: Facts { products: vec!["NVIDIA-H100-80GB-HBM3".into()], ..Facts::default() },
            excluded: Excluded::default(),
            delivery: Delivery::Controller,
            namespace: "default",
            origin: None,
        }
    }

    fn at(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    fn set(mut self, pointer: &str, value: Value) -> Self {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        self.workflow.pointer_mut(parent).unwrap()[key] = value;
        self
    }

    fn push(mut self, dependency: Value) -> Self {
        self.workflow["spec"]["dependencies"].as_array_mut().unwrap().push(dependency);
        self
    }

    fn run<T>(&self, then: impl FnOnce(Option<Prepared<'_>>, Vec<Diagnostic>) -> T) -> T {
        let workflow: Workflow = serde_json::from_value(self.workflow.clone()).unwrap();
        let run = WorkloadRun { metadata: workflow.metadata.clone(), ..WorkloadRun::default() };
        let nodes = all(&self.inventory);
        let (prepared, findings) = Prepared::new(JobsInput {
            workflow: &workflow,
            run: &run,
            inventory: &self.inventory,
            nodes: &nodes,
            excluded: &self.excluded,
            facts: &self.facts,
            topology_origin: self.origin.as_ref(),
            namespace: self.namespace,
            delivery: self.delivery,
        });
        then(prepared, findings)
    }

    /// Manifests of the first job.
    fn first(&self) -> Vec<Manifest> {
        self.run(|prepared, findings| {
            let prepared = prepared.unwrap_or_else(|| panic!("{findings:#?}"));
            let job = prepared.jobs().next().unwrap();
            prepared.manifests(job)
        })
    }

    fn findings(&self) -> Vec<(Code, String)> {
        self.run(|_, findings| findings.into_iter().map(|d| (d.code, d.message)).collect())
    }

    fn errors(&self) -> Vec<(Code, String)> {
        self.run(|prepared, findings| {
            assert!(prepared.is_none(), "{findings:#?}");
            let errors = findings.into_iter().filter(|d| d.severity == crate::Severity::Error);
            errors.map(|d| (d.code, format!("{} {}", d.message, d.help.unwrap_or_default()))).collect()
        })
    }
}

fn find(manifests: &[Manifest], role: Role) -> &Value {
    &manifests.iter().find(|m| m.role == role).unwrap().value
}

fn gpu(count: usize) -> Inventory {
    Nodes::named("gpu-", count)
}

#[test]
fn the_job_of_the_worked_example() {
    let manifests = Case::new(mpi("my-workload", 2), gpu(4)).first();
    let affinity = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": ["gpu-01", "gpu-02"]},
            {"key": "nvidia.com/gpu.product", "operator": "In", "values": ["NVIDIA-H100-80GB-HBM3"]},
        ]},
    ]}}});
    let pod = json!({"affinity": affinity, "tolerations": [{"operator": "Exists"}]});
    let entry = |name: &str| json!({"name": name, "template": {"spec": {"template": {"spec": pod}}}});
    let mut train_job = json!({
        "runtimeRef": {"kind": "TrainingRuntime", "name": "my-workload-runtime-18d10-group-0-iter-1"},
        "trainer": {"image": "i", "command": ["mpirun"], "args": ["-N", "8"], "numNodes": 2, "numProcPerNode": 8},
        "runtimePatches": [{"manager": "nvcre.nvidia.com/controller", "trainingRuntimeSpec": {"template": {"spec": {
            "replicatedJobs": [entry("node"), entry("launcher")]}}}}],
    });
    assert_eq!(
        find(&manifests, Role::Job),
        &json!({
            "apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "Job",
            "metadata": {
                "name": "my-workload-group-0-iter-1", "namespace": "default",
                "labels": {"app.kubernetes.io/managed-by": "nvcre", "nvcre.nvidia.com/workflow": "my-workload",
                           "nvcre.nvidia.com/group": "group-0"},
                "annotations": {"nvcre.nvidia.com/group-nodes": "gpu-01,gpu-02"},
            },
            "spec": {"workload": {"trainJob": train_job},
                     "nodeHealthMonitor": {"cel": {"expression": "node.spec.unschedulable == true"}}},
        })
    );
    train_job["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]
        ["template"]["metadata"] = json!({"labels": {"nvcre.nvidia.com/job": "my-workload-group-0-iter-1"}});
    assert_eq!(
        find(&manifests, Role::TrainJob),
        &json!({
            "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
            "metadata": {
                "name": "my-workload-group-0-iter-1-workload", "namespace": "default",
                "labels": {"app.kubernetes.io/managed-by": "nvcre", "nvcre.nvidia.com/job": "my-workload-group-0-iter-1"},
            },
            "spec": train_job,
        })
    );
    let owners: Vec<(Role, Option<Owner>)> = manifests.iter().map(|m| (m.role, m.owner)).collect();
    assert_eq!(
        owners,
        [
            (Role::Dependency, Some(Owner::Job { controller: false })),
            (Role::Dependency, Some(Owner::Job { controller: false })),
            (Role::Job, Some(Owner::Workflow { controller: true })),
            (Role::TrainJob, Some(Owner::Job { controller: true })),
        ]
    );
}

#[test]
fn copies_of_the_worked_example() {
    let case = Case::new(mpi("my-workload", 2), gpu(4)).set("/spec/dependencies/1/data/a", json!("my-workload"));
    case.run(|prepared, _| {
        let prepared = prepared.unwrap();
        let job = JobId { iteration: 1, group: 1 };
        let manifests = prepared.manifests(job);
        let (config, runtime) = (&manifests[0].value, &manifests[1].value);
        assert_eq!(config["metadata"]["name"], "my-workload-config-18d10-group-1-iter-1");
        assert_eq!(config["data"]["a"], "my-workload", "content is the user's");
        assert_eq!(config["metadata"]["labels"]["app"], "my-workload-18d10-group-1-iter-1");
        assert_eq!(config["metadata"]["labels"]["nvcre.nvidia.com/workflow"], "my-workload");
        assert_eq!(config["metadata"]["namespace"], "default");
        assert_eq!(runtime["metadata"]["name"], "my-workload-runtime-18d10-group-1-iter-1");
        let pod = &runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"];
        assert_eq!(pod["volumes"][0]["configMap"]["name"], "my-workload-config-18d10-group-1-iter-1");
        assert_eq!(prepared.runtime_copy(job).as_deref(), Some("my-workload-runtime-18d10-group-1-iter-1"));
        assert!(prepared.shared(|_| String::new()).is_empty());
    });
    let single = Case::new(mpi("my-workload", 4), gpu(4)).first();
    assert_eq!(find(&single, Role::Job)["metadata"]["name"], "my-workload-job");
    assert_eq!(find(&single, Role::TrainJob)["metadata"]["name"], "my-workload-job-workload");
    assert_eq!(single[1].value["metadata"]["name"], "my-workload-runtime-18d10-job");
}

#[test]
fn in_place_and_cloned_manifests_are_equal() {
    let case = Case::new(mpi("my-workload", 2), gpu(5)).set("/spec/orchestration/iterations", json!(3));
    for delivery in [Delivery::Controller, Delivery::Trainer] {
        let case = Case { delivery, workflow: case.workflow.clone(), ..Case::new(Value::Null, gpu(5)) };
        case.run(|prepared, _| {
            let prepared = prepared.unwrap();
            assert_eq!(prepared.len(), 9);
            let mut renderer = prepared.renderer();
            let mut seen = Vec::new();
            for job in prepared.jobs() {
                assert_eq!(renderer.render(job), prepared.manifests(job));
                seen.push((job.iteration, job.group));
            }
            assert!(seen.is_sorted());
            assert!(prepared.overlap(1, 2) && prepared.overlap(2, 1) && !prepared.overlap(0, 2));
            assert_eq!(prepared.conflicts(2).collect::<Vec<_>>(), [1]);
            assert!(prepared.manifests(JobId { iteration: 4, group: 0 }).is_empty());
            assert!(prepared.manifests(JobId { iteration: 1, group: 3 }).is_empty());
        });
    }
}

#[test]
fn direct_delivery() {
    let case = Case::new(mpi("my-workload", 2), gpu(4))
        .at(Delivery::Trainer)
        .set("/spec/jobTemplate/spec/checkpoint", json!({"pvcName": "my-workload-checkpoint-pvc", "maxRestarts": 3}))
        .set("/spec/jobTemplate/spec/workloadMetadata", json!({"labels": {"team": "a"}}))
        .push(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "my-workload-checkpoint-pvc"}, "spec": {"storageClassName": "fast"}}));
    let manifests = case.first();
    assert_eq!(manifests.iter().filter(|m| m.role == Role::Job).count(), 0);
    assert!(manifests.iter().all(|m| m.owner == Some(Owner::Record)));
    let train_job = find(&manifests, Role::TrainJob);
    assert_eq!(
        train_job["metadata"]["labels"],
        json!({
            "app.kubernetes.io/managed-by": "nvcre", "nvcre.nvidia.com/job": "my-workload-group-0-iter-1", "team": "a",
            "nvcre.nvidia.com/workload-run": "my-workload", "nvcre.nvidia.com/group": "group-0",
            "nvcre.nvidia.com/iteration": "1",
        })
    );
    assert_eq!(train_job["metadata"]["annotations"], json!({"nvcre.nvidia.com/group-nodes": "gpu-01,gpu-02"}));
    assert_eq!(train_job["spec"]["activeDeadlineSeconds"], 3601);
    let runtime = manifests.iter().find(|m| m.value["kind"] == "TrainingRuntime").unwrap();
    assert_eq!(runtime.value["spec"]["template"]["spec"]["failurePolicy"], json!({"maxRestarts": 3}));
    assert_eq!(runtime.value["metadata"]["labels"]["nvcre.nvidia.com/workload-run"], "my-workload");
    case.run(|prepared, findings| {
        assert_eq!(findings, [], "nothing to say");
        let shared = prepared.unwrap().shared(|run| format!("yaml of {}", run["metadata"]["name"]));
        assert_eq!(shared.len(), 1);
        let record = &shared[0].value;
        assert_eq!((shared[0].role, shared[0].owner), (Role::Record, None));
        assert_eq!(record["metadata"]["name"], "my-workload-nvcre-run");
        assert_eq!(record["immutable"], true);
        assert_eq!(
            record["metadata"]["labels"],
            json!({"app.kubernetes.io/managed-by": "nvcrectl", "nvcre.nvidia.com/workload-run": "my-workload"})
        );
        assert_eq!(record["data"]["run.yaml"], "yaml of \"my-workload\"");
        assert_eq!(record["data"]["format"], "1");
        let plan: Value = serde_json::from_str(record["data"]["plan.json"].as_str().unwrap()).unwrap();
        assert_eq!(plan["groups"][1], json!({"name": "group-1", "nodes": ["gpu-03", "gpu-04"]}));
        assert_eq!((&plan["maxConcurrent"], &plan["timeoutPerJob"]), (&json!(2), &json!("1h0m0.5s")));
    });
    let own = case.set("/spec/dependencies/0/spec/template/spec/failurePolicy", json!({"maxRestarts": 1}));
    let found = own.findings();
    assert!(
        matches!(found.as_slice(), [(Code::NoEffectInDelivery, text)] if text.contains("runtime to 1")),
        "{found:?}"
    );
    let runtime = own.first().into_iter().find(|m| m.value["kind"] == "TrainingRuntime").unwrap();
    assert_eq!(runtime.value["spec"]["template"]["spec"]["failurePolicy"]["maxRestarts"], 1, "the override wins");
}

#[test]
fn a_run_goes_on_from_its_plan() {
    let mut inventory = Nodes::default();
    for i in 1..=5 {
        let host = if i == 3 { "other-host".to_owned() } else { format!("n{i}") };
        let labels = [("kubernetes.io/hostname", host.as_str()), ("rack", if i < 4 { "a" } else { "b" })];
        inventory = inventory.add(&format!("n{i}"), &labels);
    }
    let case = Case::new(mpi("my-workload", 2), inventory.build())
        .at(Delivery::Trainer)
        .set("/spec/orchestration/topology", json!({"topologyKey": "rack"}));
    let workflow: Workflow = serde_json::from_value(case.workflow.clone()).unwrap();
    case.run(|prepared, findings| {
        let prepared = prepared.unwrap_or_else(|| panic!("{findings:?}"));
        let plan = prepared.plan();
        let text = serde_json::to_string(&plan).unwrap();
        let read =
            RunPlan::read(&[("format".to_owned(), "1".to_owned()), ("plan.json".to_owned(), text)].into(), |_| None);
        assert_eq!(read.as_ref(), Ok(&plan));
        let inventory = plan.inventory();
        let run = WorkloadRun::default();
        let input = JobsInput {
            workflow: &workflow,
            run: &run,
            inventory: &inventory,
            nodes: &all(&inventory),
            excluded: &Excluded::default(),
            facts: &plan.facts,
            topology_origin: None,
            namespace: &plan.namespace,
            delivery: plan.delivery,
        };
        let (resumed, findings) = Prepared::resume(input, &plan);
        let resumed = resumed.unwrap_or_else(|| panic!("{findings:?}"));
        assert_eq!(resumed.plan(), plan);
        assert!(prepared.jobs().eq(resumed.jobs()));
        for job in prepared.jobs() {
            assert_eq!(prepared.manifests(job), resumed.manifests(job));
            assert_eq!(prepared.copy_names(job), resumed.copy_names(job));
        }
        let other = [("format".to_owned(), "2".to_owned())].into();
        assert!(matches!(RunPlan::read(&other, |_| None), Err(super::super::PlanError::Format { .. })));
    });
}

#[test]
fn a_large_plan_is_split() {
    let long: Vec<String> = (0..20_000).map(|i| format!("node-{i:06}-{}", "x".repeat(50))).collect();
    let inventory =
        long.iter().fold(Nodes::default(), |nodes, n| nodes.add(n, &[("kubernetes.io/hostname", n)])).build();
    Case::new(mpi("my-workload", 4), inventory).at(Delivery::Trainer).run(|prepared, findings| {
        let prepared = prepared.unwrap_or_else(|| panic!("{findings:?}"));
        let shared = prepared.shared(|_| "yaml".into());
        assert!(shared.len() > 2);
        let data: Vec<std::collections::BTreeMap<String, String>> =
            shared.iter().map(|m| serde_json::from_value(m.value["data"].clone()).unwrap()).collect();
        assert!(data.iter().all(|d| d.values().map(String::len).sum::<usize>() <= 1000 * 1024));
        assert_eq!(shared[1].value["metadata"]["name"], "my-workload-nvcre-run-1");
        assert_eq!((shared[0].owner, shared[1].owner), (None, Some(Owner::Record)));
        assert_eq!(RunPlan::read(&data[0], |n| data.get(n)), Ok(prepared.plan()));
        assert!(RunPlan::read(&data[0], |n| data.get(n).filter(|_| n != 2)).is_err());
    });
}

#[test]
fn unpinned_runs_name_no_hosts_unless_the_target_does() {
    let case = Case::new(mpi("my-workload", 3), gpu(5)).set("/spec/orchestration/placement", json!("Unpinned"));
    let manifests = case.first();
    let job = find(&manifests, Role::Job);
    assert_eq!(job["metadata"].get("annotations"), None);
    assert_eq!(job["metadata"]["name"], "my-workload-job");
    assert_eq!(job["spec"]["workload"]["trainJob"]["trainer"]["numNodes"], 3);
    let text = serde_json::to_string(job).unwrap();
    assert!(!text.contains("hostname") && text.contains("arm64"), "{text}");
    let named = Case {
        inventory: Nodes::default().add("b", &[("kubernetes.io/hostname", "host-b")]).add("a", &[]).build(),
        ..case
    }
    .set("/spec/orchestration/target", json!({"nodeNames": ["b", "a", "b"]}))
    .set("/spec/jobTemplate/spec/workload/trainJob/trainer/numNodes", json!(2));
    let text = serde_json::to_string(find(&named.first(), Role::Job)).unwrap();
    assert!(text.contains(r#""values":["host-b","a"]"#), "{text}");
}

#[test]
fn torch_runs_have_one_entry_and_no_tolerations() {
    let case = Case::new(mpi("my-workload", 2), gpu(2))
        .set("/spec/jobTemplate/spec/workload/trainJob/runtimePatches", json!([]));
    let manifests = case.first();
    let patches = &find(&manifests, Role::TrainJob)["spec"]["runtimePatches"];
    assert_eq!(patches.as_array().unwrap().len(), 1);
    let jobs = &patches[0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"];
    assert_eq!(jobs.as_array().unwrap().len(), 1);
    assert_eq!(jobs[0]["name"], "node");
    assert_eq!(jobs[0]["template"]["spec"]["template"]["spec"].get("tolerations"), None);
}

#[test]
fn lists_of_the_runtime_are_kept() {
    let pod = "/spec/dependencies/0/spec/template/spec/replicatedJobs/0/template/spec/template/spec";
    let arm = json!({"key": "kubernetes.io/arch", "operator": "Equal", "value": "arm64", "effect": "NoSchedule"});
    let term = json!({"matchExpressions": [{"key": "zone", "operator": "Exists"}]});
    let case = Case::new(mpi("my-workload", 2), gpu(2)).set(&format!("{pod}/tolerations"), json!([arm])).set(
        &format!("{pod}/affinity"),
        json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}),
    );
    let manifests = case.first();
    let jobs = &find(&manifests, Role::Job)["spec"]["workload"]["trainJob"]["runtimePatches"][0]["trainingRuntimeSpec"]
        ["template"]["spec"]["replicatedJobs"];
    let spec = |i: usize| &jobs[i]["template"]["spec"]["template"]["spec"];
    assert_eq!(spec(0)["tolerations"], json!([arm, {"operator": "Exists"}]));
    assert_eq!(spec(1)["tolerations"], json!([{"operator": "Exists"}]));
    let terms =
        &spec(0)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
    let keys: Vec<&str> =
        terms[0]["matchExpressions"].as_array().unwrap().iter().map(|e| e["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["zone", "kubernetes.io/hostname", "nvidia.com/gpu.product"]);
    assert_eq!(terms[0]["matchExpressions"][1]["values"], json!(["gpu-01", "gpu-02"]));
    assert_eq!(case.findings().iter().map(|f| f.0).collect::<Vec<_>>(), [Code::EngineDiffers], "the affinity");
    let empty = case.set(
        &format!("{pod}/affinity"),
        json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]}}}),
    );
    assert_eq!(empty.errors()[0].0, Code::EmptyAffinityTerm);
}

#[test]
fn health_check_thresholds_and_measurements() {
    let monitor = "/spec/jobTemplate/spec/nodeHealthMonitor";
    let default = json!({"cel": {"expression": "node.spec.unschedulable == true"}});
    let own = json!({"cel": {"expression": "false"}});
    let cordon = json!({"taintSelectors": [{"key": "node.kubernetes.io/unschedulable"}]});
    let include = json!({"includeUnschedulable": true});
    for (target, set, expected) in [
        (json!({}), None, Some(&default)),
        (json!({}), Some(&own), Some(&own)),
        (cordon.clone(), Some(&own), None),
        (cordon, None, None),
        (include.clone(), None, None),
        (include.clone(), Some(&default), None),
        (include, Some(&own), Some(&own)),
    ] {
        let mut case = Case::new(mpi("my-workload", 2), gpu(2)).set("/spec/orchestration/target", target);
        if let Some(set) = set {
            case = case.set(monitor, set.clone());
        }
        assert_eq!(find(&case.first(), Role::Job)["spec"].get("nodeHealthMonitor"), expected);
    }
    let case = Case::new(mpi("my-workload", 2), gpu(2))
        .set("/spec/jobTemplate/spec/thresholds", json!({"old": "value > 1"}))
        .set("/spec/jobTemplate/spec/goodputMeasurement", json!({"logProfileRef": "megatron"}))
        .set(
            "/spec/jobTemplate/spec/bandwidthMeasurement",
            json!({"logProfileRef": "nccl", "sampleInterval": "30s", "testType": "all_reduce"}),
        )
        .set(
            "/spec/validation",
            json!({"performance": {"thresholds": {"thresholds": {"new": "value > 2"}}, "measurementTimeout": "2m0s"}}),
        );
    let manifests = case.first();
    let job = find(&manifests, Role::Job);
    assert_eq!(job["spec"]["thresholds"], json!({"new": "value > 2"}));
    assert_eq!(job["spec"]["measurementTimeout"], "2m0s");
    let measured: Vec<&Value> = manifests.iter().filter(|m| m.role == Role::Measurement).map(|m| &m.value).collect();
    let reference = json!({"apiGroup": "nvcre.nvidia.com", "kind": "Job", "name": "my-workload-job"});
    assert_eq!(
        measured[1],
        &json!({
            "apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "BandwidthMeasurement",
            "metadata": {"name": "my-workload-job-bandwidth", "namespace": "default",
                "labels": {"app.kubernetes.io/managed-by": "nvcre", "nvcre.nvidia.com/job": "my-workload-job"}},
            "spec": {"jobRef": reference, "logProfileRef": "nccl", "sampleInterval": "30s", "testType": "all_reduce"},
        })
    );
    assert_eq!(measured[0]["spec"], json!({"jobRef": reference, "logProfileRef": "megatron"}));
}

#[test]
fn compute_domains_have_the_size_of_their_group() {
    let domain = json!({"apiVersion": "resource.nvidia.com/v1beta1", "kind": "ComputeDomain",
        "metadata": {"name": "my-workload-compute-domain", "labels": {"app": "my-workload"}},
        "spec": {"numNodes": 2, "channel": {"resourceClaimTemplate": {"name": "my-workload-channel"}}}});
    let pod = "/spec/dependencies/0/spec/template/spec/replicatedJobs/0/template/spec/template/spec";
    let case = Case::new(mpi("my-workload", 2), Nodes::domains(&[("a", 3), ("b", 2)]))
        .set("/spec/orchestration/topology", json!({"topologyKey": "rack", "strictDomain": true}))
        .set(
            &format!("{pod}/resourceClaims"),
            json!([{"name": "c", "resourceClaimTemplateName": "my-workload-channel"}]),
        )
        .push(domain);
    case.run(|prepared, findings| {
        let prepared = prepared.unwrap_or_else(|| panic!("{findings:?}"));
        let mut sizes = Vec::new();
        for job in prepared.jobs() {
            let manifests = prepared.manifests(job);
            let domain = manifests.iter().find(|m| m.value["kind"] == "ComputeDomain").unwrap();
            let names = prepared.copy_names(job);
            let copy = names.iter().find(|n| n.kind == "ComputeDomain").unwrap();
            assert_eq!(domain.value["metadata"]["name"], copy.name.as_str());
            let template = copy.claim_template.as_deref().unwrap();
            assert_eq!(domain.value["spec"]["channel"]["resourceClaimTemplate"]["name"], template);
            let runtime = manifests.iter().find(|m| m.value["kind"] == "TrainingRuntime").unwrap();
            assert!(serde_json::to_string(&runtime.value).unwrap().contains(template));
            let trainer = &find(&manifests, Role::TrainJob)["spec"]["trainer"];
            sizes.push((domain.value["spec"]["numNodes"].clone(), trainer["numNodes"].clone()));
        }
        assert_eq!(sizes, [(json!(3), json!(3)), (json!(2), json!(2))]);
        let codes: Vec<Code> = findings.iter().map(|d| d.code).collect();
        assert!(codes.contains(&Code::GroupSize) && codes.contains(&Code::EngineDiffers), "{findings:?}");
    });
}

#[test]
fn sizes_are_honoured_or_refused() {
    let too_few = Case {
        excluded: Excluded { cordoned: vec![0], capacity: vec![(1, 4)], gpus_needed: 8, ..Excluded::default() },
        ..Case::new(mpi("my-workload", 8), gpu(5))
    };
    let (code, text) = &too_few.errors()[0];
    assert_eq!(*code, Code::TooFewNodes);
    for part in ["8 nodes", "5 take part", "gpu-01", "gpu-02 has 4", "gpusPerNode", "spec.numNodes to 5", "uncordon"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let unpinned = too_few.set("/spec/orchestration/placement", json!("Unpinned"));
    assert!(unpinned.errors()[0].1.contains("make 8 qualifying nodes available"));
    for size in [json!(0), json!(-2), Value::Null] {
        let case = Case::new(mpi("my-workload", 1), gpu(5));
        let case = case.set("/spec/jobTemplate/spec/workload/trainJob/trainer/numNodes", size);
        assert_eq!(case.errors()[0].0, Code::JobSize);
    }
    let overflow = Case::new(mpi("my-workload", 2), gpu(3)).findings();
    assert!(matches!(overflow.as_slice(), [(Code::NodesRunTwice, text)] if text.contains("gpu-02")), "{overflow:?}");
}

#[test]
fn missing_domains_name_the_entry_and_both_remedies() {
    let origin = Origin::Entry { id: "E2".into(), name: "aws-topology".into() };
    let case = Case { origin: Some(origin), ..Case::new(mpi("my-workload", 2), gpu(3)) }
        .set("/spec/orchestration/topology", json!({"topologyKey": "topology.k8s.aws/network-node-layer-1"}));
    let (code, text) = &case.errors()[0];
    assert_eq!(*code, Code::MissingTopologyLabel);
    for part in ["E2 aws-topology", "gpu-01, gpu-02, gpu-03", "kubectl label node", "topologyKey: \"\""] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn hostnames_come_from_the_label() {
    let inventory = Nodes::default()
        .add("a", &[("kubernetes.io/hostname", "host-a")])
        .add("b", &[])
        .add("c", &[("kubernetes.io/hostname", "host-a")])
        .build();
    let case = Case::new(mpi("my-workload", 3), inventory);
    let text = serde_json::to_string(find(&case.first(), Role::Job)).unwrap();
    assert!(text.contains(r#""values":["host-a","b"]"#) && text.contains(r#"group-nodes":"a,b,c""#), "{text}");
    let codes: Vec<Code> = case.findings().into_iter().map(|f| f.0).collect();
    assert_eq!(codes, [Code::HostnameLabel, Code::HostnameLabel, Code::EngineDiffers]);
}

#[test]
fn products_of_resource_slices_pin_nothing() {
    let mut case = Case::new(mpi("my-workload", 2), gpu(3));
    case.facts.synthesized = vec!["gpu-01".into()];
    assert!(!serde_json::to_string(find(&case.first(), Role::Job)).unwrap().contains("gpu.product"));
    case.excluded.architecture = vec![2];
    assert!(!serde_json::to_string(find(&case.first(), Role::Job)).unwrap().contains("gpu.product"));
    let case = case.set("/spec/orchestration/placement", json!("Unpinned"));
    let (code, text) = &case.errors()[0];
    assert_eq!(*code, Code::SynthesizedProducts);
    assert!(text.contains("gpu-01") && text.contains("gpu-03"), "{text}");
}

#[test]
fn names_that_no_cluster_takes() {
    for (name, code) in [("1-run", Code::IllegalRunName), ("my.run", Code::IllegalRunName)] {
        assert_eq!(Case::new(mpi(name, 2), gpu(4)).errors()[0].0, code, "{name}");
    }
    assert_eq!(Case::new(mpi(&"x".repeat(64), 2), gpu(4)).errors()[0].0, Code::IllegalRunName);
    let long = Case::new(mpi("a-run-of-a-long-name", 2), gpu(4))
        .set("/spec/dependencies/0/spec/template/spec/replicatedJobs/1/name", json!("launcher-of-the-run"))
        .set(
            "/spec/jobTemplate/spec/workload/trainJob/runtimePatches/0/trainingRuntimeSpec/template/spec/replicatedJobs/1/name",
            json!("launcher-of-the-run"),
        );
    let (code, text) = &long.errors()[0];
    assert_eq!(*code, Code::NameTooLong);
    // 63 - (1 + 19 + 2 + 2 + 6) = 33 for the TrainJob, 24 for the Job, 15 of which are -group-0-iter-1.
    assert!(text.contains("at most 33") && text.contains("has 9 characters"), "{text}");
}

#[test]
fn equal_names_are_lengthened_or_refused() {
    let count = 2600;
    let case = |delivery| {
        Case::new(mpi("nccl-all-reduce-fleet-sweep", 1), gpu(count))
            .at(delivery)
            .set("/spec/orchestration/iterations", json!(2))
    };
    let errors = case(Delivery::Controller).errors();
    assert!(errors.iter().all(|(code, _)| *code == Code::NamesCollide) && !errors.is_empty());
    assert!(errors[0].1.matches("group-").count() >= 2, "{}", errors[0].1);
    case(Delivery::Trainer).run(|prepared, findings| {
        let prepared = prepared.unwrap_or_else(|| panic!("{findings:?}"));
        let mut jobs = std::collections::BTreeSet::new();
        let mut copies = std::collections::BTreeSet::new();
        for job in prepared.jobs() {
            let names = prepared.names(job);
            assert!(names.job.len() <= 35 && names.train_job.len() <= 44);
            assert!(jobs.insert(names.train_job));
            for copy in prepared.copy_names(job) {
                assert!(copy.name.len() <= 63 && copies.insert((copy.kind, copy.name)));
            }
        }
        assert_eq!(jobs.len(), 2 * count);
    });
}

#[test]
fn dependencies_are_checked() {
    let case = Case::new(mpi("my-workload", 2), gpu(2))
        .push(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "my-workload-config"}}))
        .push(json!({"kind": "ConfigMap"}))
        .set("/spec/jobTemplate/spec/checkpoint", json!({"pvcName": "gone"}));
    let codes: Vec<Code> = case.errors().into_iter().map(|e| e.0).collect();
    assert_eq!(codes, [Code::InvalidDependency, Code::InvalidDependency, Code::CheckpointPVCMissing]);
}

#[test]
fn texts_that_only_look_like_names_stay() {
    let case = Case::new(mpi("my-workload", 2), gpu(2))
        .push(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}))
        .set("/spec/jobTemplate/spec/workload/trainJob/trainer/args", json!(["settings", "my-workload"]));
    case.run(|prepared, findings| {
        let prepared = prepared.unwrap();
        let manifests = prepared.manifests(JobId { iteration: 1, group: 0 });
        assert_eq!(find(&manifests, Role::TrainJob)["spec"]["trainer"]["args"], json!(["settings", "my-workload"]));
        let shared = prepared.shared(|_| String::new());
        assert_eq!(shared[0].value["metadata"]["name"], "settings");
        assert_eq!(shared[0].owner, Some(Owner::Workflow { controller: false }));
        let seen: Vec<(Code, bool, bool)> = findings
            .iter()
            .map(|d| (d.code, d.message.contains("\"my-workload\""), d.message.contains("\"settings\"")))
            .collect();
        assert_eq!(
            seen,
            [
                (Code::SharedDependency, false, false),
                (Code::EngineDiffers, true, false),
                (Code::EngineDiffers, false, true)
            ],
            "{findings:#?}"
        );
    });
}

#[test]
fn the_trace_names_renaming_and_placement() {
    Case::new(mpi("my-workload", 2), gpu(4)).run(|prepared, _| {
        let changes = prepared.unwrap().changes(JobId { iteration: 1, group: 0 });
        let shown: Vec<String> = changes
            .iter()
            .filter(|(_, c)| c.origin == Origin::Renaming)
            .map(|(n, c)| {
                let Subject::Field { path } = &c.subject else { panic!() };
                format!("{n} {path} {} {}", c.old.as_ref().unwrap(), c.new.as_ref().unwrap())
            })
            .collect();
        assert!(
            shown.contains(&r#"2 spec.workload.trainJob.runtimeRef.name "my-workload-runtime" "my-workload-runtime-18d10-group-0-iter-1""#.to_owned()),
            "{shown:#?}"
        );
        assert!(changes.iter().any(|(_, c)| c.origin == Origin::Placement));
    });
}

#[test]
fn printed_manifests_have_no_owner_references_and_no_empty_lists() {
    for delivery in [Delivery::Controller, Delivery::Trainer] {
        let case = Case { namespace: "", ..Case::new(mpi("my-workload", 2), gpu(3)).at(delivery) };
        case.run(|prepared, _| {
            let prepared = prepared.unwrap();
            for job in prepared.jobs() {
                for manifest in prepared.manifests(job) {
                    let text = serde_json::to_string(&manifest.value).unwrap();
                    for bad in ["ownerReferences", "\"values\":[]", "\"namespace\"", "\"time\"", "uid"] {
                        assert!(!text.contains(bad), "{bad} in {text}");
                    }
                }
            }
        });
    }
}
