//! What pods wait for that only the cluster knows.

use super::kinds::Kind;
use super::model::Need;
use super::verdict::Schedule;
use crate::api::Value;
use crate::check::pod_parts::{list, text};
use std::collections::BTreeSet;

/// The scheduler that every cluster has.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

fn need(kind: &str, name: &str, why: impl Into<String>) -> Need {
    Need { kind: kind.to_owned(), name: name.to_owned(), why: why.into() }
}

impl Schedule<'_> {
    /// What of the cluster the pods wait for, whatever the verdict: the same for all groups.
    pub fn needs(&self) -> Vec<Need> {
        let mut out = BTreeSet::new();
        let dependencies = &self.prepared.input.workflow.spec.dependencies;
        let made = |kind: &str, name: &str| {
            dependencies
                .iter()
                .any(|d| text(d, "kind") == kind && d.pointer("/metadata/name").and_then(Value::as_str) == Some(name))
        };
        if self.prepared.is_suspended() {
            out.insert(need("TrainJob", "suspend", "somebody has to resume the TrainJob, which is made suspended"));
        }
        for kind in &self.kinds {
            for field in [("priorityClassName", "PriorityClass"), ("runtimeClassName", "RuntimeClass")] {
                let name = text(&kind.spec, field.0);
                if !name.is_empty() && !made(field.1, name) && !name.starts_with("system-") {
                    out.insert(need(field.1, name, "no pod is made before it exists"));
                }
            }
            let account = text(&kind.spec, "serviceAccountName");
            if !matches!(account, "" | "default") && !made("ServiceAccount", account) {
                out.insert(need("ServiceAccount", account, "no pod is made before it exists"));
            }
            let scheduler = text(&kind.spec, "schedulerName");
            if !matches!(scheduler, "" | DEFAULT_SCHEDULER) {
                let why = "it has to run in the cluster, and adds rules of its own (queues, quotas, gangs)";
                out.insert(need("scheduler", scheduler, why));
            }
            for gate in list(&kind.spec, "schedulingGates") {
                out.insert(need("scheduling gate", text(gate, "name"), "somebody has to remove it from the pods"));
            }
            for volume in list(&kind.spec, "volumes") {
                let claim = volume.get("persistentVolumeClaim").map_or("", |c| text(c, "claimName"));
                if !claim.is_empty() {
                    let why = match made("PersistentVolumeClaim", claim) {
                        true => {
                            "the run makes it; a volume has to be found for it (its storage class) where the pods may run"
                        }
                        false => "it has to exist in the namespace, with a volume where the pods may run",
                    };
                    out.insert(need("PersistentVolumeClaim", claim, why));
                }
                if volume.get("ephemeral").is_some_and(|e| !e.is_null()) {
                    let why = "a volume has to be found for it (its storage class)";
                    out.insert(need("ephemeral volume", text(volume, "name"), why));
                }
            }
            claims(kind, dependencies, &mut out);
        }
        out.into_iter().collect()
    }
}

/// Devices that pods claim (DRA).
fn claims(kind: &Kind, dependencies: &[Value], out: &mut BTreeSet<Need>) {
    for claim in list(&kind.spec, "resourceClaims") {
        let template = text(claim, "resourceClaimTemplateName");
        if template.is_empty() {
            let why = "it has to exist, and its devices have to be where the pods may run";
            out.insert(need("ResourceClaim", text(claim, "resourceClaimName"), why));
            continue;
        }
        let of = |kind: &str, path: &str| {
            let named =
                |d: &&Value| text(d, "kind") == kind && d.pointer(path).and_then(Value::as_str) == Some(template);
            dependencies.iter().find(named)
        };
        let requests = of("ResourceClaimTemplate", "/metadata/name")
            .and_then(|t| t.pointer("/spec/spec/devices"))
            .map(|devices| list(devices, "requests"));
        if let Some(requests) = requests {
            for request in requests {
                let exactly = request.get("exactly").unwrap_or(request);
                let count = exactly.get("count").and_then(Value::as_u64).unwrap_or(1);
                let why =
                    format!("every node of the job has to offer {count} free devices of this class in ResourceSlices");
                out.insert(need("DeviceClass", text(exactly, "deviceClassName"), why));
            }
        } else if of("ComputeDomain", "/spec/channel/resourceClaimTemplate/name").is_some() {
            let why = "the driver of ComputeDomains has to make its claim template and offer a channel on every node";
            out.insert(need("ComputeDomain", template, why));
        } else {
            let why = "it has to exist in the namespace, and its devices have to be where the pods may run";
            out.insert(need("ResourceClaimTemplate", template, why));
        }
    }
}
