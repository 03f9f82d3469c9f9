use super::super::testing::Nodes;
use super::super::testing_case::{Case, find, gpu, mpi};
use super::super::{Owner, PlanError, Printed, Role};
use super::*;
use crate::api::{Workflow, WorkloadRun};
use crate::diagnostic::Code;
use serde_json::json;

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
fn in_place_printed_and_cloned_manifests_are_equal() {
    let case = Case::new(mpi("my-workload", 2), gpu(5)).set("/spec/orchestration/iterations", json!(3));
    for delivery in [Delivery::Controller, Delivery::Trainer] {
        let case = Case { delivery, workflow: case.workflow.clone(), ..Case::new(Value::Null, gpu(5)) };
        case.run(|prepared, _| {
            let prepared = prepared.unwrap();
            assert_eq!(prepared.len(), 9);
            let (mut renderer, mut printer) = (prepared.renderer(), prepared.printer());
            let mut seen = Vec::new();
            for job in prepared.jobs() {
                let manifests = prepared.manifests(job);
                assert_eq!(renderer.render(job), manifests);
                let printed = manifests.iter().map(|m| Printed {
                    kind: m.value["kind"].as_str().unwrap().to_owned(),
                    name: m.value["metadata"]["name"].as_str().unwrap().to_owned(),
                    yaml: crate::yaml::to_yaml(&m.value),
                });
                assert_eq!(printer.print(job), printed.collect::<Vec<_>>());
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
    let case = Case::new(mpi("my-workload", 3), inventory.build())
        .at(Delivery::Trainer)
        .set("/spec/orchestration/topology", json!({"topologyKey": "rack"}));
    let workflow: Workflow = serde_json::from_value(case.workflow.clone()).unwrap();
    case.run(|prepared, findings| {
        let prepared = prepared.unwrap_or_else(|| panic!("{findings:?}"));
        let plan = prepared.plan();
        let spread = plan.groups.iter().find(|g| g.overflow).unwrap();
        assert_eq!(spread.domain_node_counts, [("a".to_owned(), 1), ("b".to_owned(), 2)].into());
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
            fleet: &plan.fleet(&inventory),
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
        assert!(matches!(RunPlan::read(&other, |_| None), Err(PlanError::Format { .. })));
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
        .set("/spec/jobTemplate/spec/thresholds", json!({"goodputRatio": "value > 1"}))
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
