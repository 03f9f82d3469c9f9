//! A whole run for the tests of this module.

use super::testing::{Nodes, all};
use super::{Delivery, Facts, JobsInput, Manifest, Prepared, Role};
use crate::api::{Workflow, WorkloadRun};
use crate::diagnostic::{Code, Diagnostic};
use crate::fleet::{Fleet, Inventory};
use crate::trace::Origin;
use serde_json::{Value, json};

/// A resolved MPI Workflow with a config and a claim, and everything around it.
pub struct Case {
    pub workflow: Value,
    pub inventory: Inventory,
    pub fleet: Fleet,
    pub delivery: Delivery,
    pub namespace: &'static str,
    pub origin: Option<Origin>,
}

pub fn mpi(name: &str, nodes: i64) -> Value {
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
                     {"name": "launcher", "dependsOn": [{"name": "node", "status": "Ready"}], "template": {
                         "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}, "spec": {"template":
                         {"spec": {"containers": [{"name": "node", "image": "i"}]}}}}},
                 ]}}}},
                {"apiVersion": "v1", "kind": "ConfigMap",
                 "metadata": {"name": format!("{name}-config"), "labels": {"app": name}}, "data": {"a": "text"}},
            ],
        },
    })
}

impl Case {
    pub fn new(workflow: Value, inventory: Inventory) -> Self {
        Self {
            workflow,
            fleet: Fleet { nodes: all(&inventory), products: vec!["NVIDIA-H100-80GB-HBM3".into()], ..Fleet::default() },
            inventory,
            delivery: Delivery::Controller,
            namespace: "default",
            origin: None,
        }
    }

    pub fn at(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    pub fn set(mut self, pointer: &str, value: Value) -> Self {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        self.workflow.pointer_mut(parent).unwrap()[key] = value;
        self
    }

    pub fn push(mut self, dependency: Value) -> Self {
        self.workflow["spec"]["dependencies"].as_array_mut().unwrap().push(dependency);
        self
    }

    pub fn run<T>(&self, then: impl FnOnce(Option<Prepared<'_>>, Vec<Diagnostic>) -> T) -> T {
        let workflow: Workflow = serde_json::from_value(self.workflow.clone()).unwrap();
        let run = WorkloadRun { metadata: workflow.metadata.clone(), ..WorkloadRun::default() };
        let facts = Facts::default();
        let (prepared, findings) = Prepared::new(JobsInput {
            workflow: &workflow,
            run: &run,
            inventory: &self.inventory,
            fleet: &self.fleet,
            facts: &facts,
            topology_origin: self.origin.as_ref(),
            namespace: self.namespace,
            delivery: self.delivery,
        });
        then(prepared, findings)
    }

    /// Manifests of the first job.
    pub fn first(&self) -> Vec<Manifest> {
        self.run(|prepared, findings| {
            let prepared = prepared.unwrap_or_else(|| panic!("{findings:#?}"));
            let job = prepared.jobs().next().unwrap();
            prepared.manifests(job)
        })
    }

    pub fn findings(&self) -> Vec<(Code, String)> {
        self.run(|_, findings| findings.into_iter().map(|d| (d.code, d.message)).collect())
    }

    pub fn errors(&self) -> Vec<(Code, String)> {
        self.run(|prepared, findings| {
            assert!(prepared.is_none(), "{findings:#?}");
            let errors = findings.into_iter().filter(|d| d.severity == crate::Severity::Error);
            errors.map(|d| (d.code, format!("{} {}", d.message, d.help.unwrap_or_default()))).collect()
        })
    }
}

pub fn find(manifests: &[Manifest], role: Role) -> &Value {
    &manifests.iter().find(|m| m.role == role).unwrap().value
}

pub fn gpu(count: usize) -> Inventory {
    Nodes::named("gpu-", count)
}
