//! Findings about whole runs.

use super::testing::Nodes;
use super::testing_case::{Case, find, gpu, mpi};
use super::{Delivery, JobId, Owner, Role};
use crate::diagnostic::Code;
use crate::fleet::{Excluded, ExclusionReason};
use crate::trace::{Origin, Subject};
use serde_json::{Value, json};

#[test]
fn sizes_are_honoured_or_refused() {
    let too_few = Case::new(mpi("my-workload", 8), gpu(5));
    let (code, text) = &too_few.errors()[0];
    assert_eq!(*code, Code::NotEnoughNodes);
    assert!(text.contains("8 nodes") && text.contains("only 5"), "{text}");
    let unpinned = too_few.set("/spec/orchestration/placement", json!("Unpinned"));
    assert!(unpinned.errors()[0].1.contains("not lowered"));
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
    assert_eq!(codes, [Code::MissingHostnameLabel, Code::DuplicateHostnameLabel, Code::EngineDiffers]);
}

#[test]
fn products_of_resource_slices_pin_nothing() {
    let mut case = Case::new(mpi("my-workload", 2), gpu(3));
    case.fleet.synthesized = vec![0];
    assert!(!serde_json::to_string(find(&case.first(), Role::Job)).unwrap().contains("gpu.product"));
    case.fleet.excluded = vec![Excluded { node: 2, reason: ExclusionReason::Architecture { product: None } }];
    assert!(!serde_json::to_string(find(&case.first(), Role::Job)).unwrap().contains("gpu.product"));
    let case = case.set("/spec/orchestration/placement", json!("Unpinned"));
    let (code, text) = &case.errors()[0];
    assert_eq!(*code, Code::SynthesizedProducts);
    assert!(text.contains("gpu-01") && text.contains("gpu-03"), "{text}");
}

#[test]
fn names_that_no_cluster_takes() {
    for (name, code) in [("1-run", Code::BadName), ("my.run", Code::BadName)] {
        assert!(Case::new(mpi(name, 2), gpu(4)).errors().iter().any(|e| e.0 == code), "{name}");
    }
    let errors = Case::new(mpi(&"x".repeat(64), 2), gpu(4)).errors();
    assert!(errors.iter().any(|e| e.0 == Code::BadName), "{errors:?}");
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
