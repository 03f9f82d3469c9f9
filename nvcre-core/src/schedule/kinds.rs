//! The kinds of pods of a job, compiled for one inventory.

use super::affinity::Affinity;
use super::taints::Borne;
use crate::api::{Toleration, Value};
use crate::check::pod_parts::{list, text};
use crate::check::{Amounts, pod_requests};
use crate::fleet::Inventory;
use crate::jobs::{JobPods, PodCount, Prepared};
use std::collections::{BTreeMap, BTreeSet};

/// Most Jobs of one kind that are told apart, when each wants a topology domain of its own.
const MOST_APART: usize = 4;

/// Equal pods of a job.
#[derive(Debug, Clone)]
pub(super) struct Kind {
    /// Name of the replicated job.
    pub name: String,
    /// Pods in a job.
    pub count: PodCount,
    /// How often that many.
    pub times: usize,
    /// What one requests.
    pub requests: Amounts,
    /// Taints that it bears.
    pub borne: Borne,
    /// Labels and names of nodes that it wants.
    pub affinity: Affinity,
    /// Ports of the node, as pretended resources of which every node has one.
    pub ports: BTreeSet<String>,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The label whose domain its Job has for itself.
    pub exclusive: Option<String>,
    /// Its spec.
    pub spec: Value,
}

impl Kind {
    /// All kinds, in the order in which their pods are made.
    pub(super) fn all(prepared: &Prepared<'_>, inventory: &Inventory) -> Vec<Self> {
        let mut out = Vec::new();
        for pods in prepared.pod_templates() {
            let apart = pods.exclusive.is_some() && (2..=MOST_APART).contains(&pods.replicas);
            let kind = Self::new(inventory, pods, apart);
            let copies = if apart { kind.times } else { 1 };
            let times = if apart { 1 } else { kind.times };
            out.extend(std::iter::repeat_n(Self { times, ..kind }, copies));
        }
        share_ports(&mut out);
        out
    }

    fn new(inventory: &Inventory, pods: JobPods, apart: bool) -> Self {
        let JobPods { name, count, replicas, spec, labels, exclusive } = pods;
        let tolerations: Vec<Toleration> =
            list(&spec, "tolerations").iter().filter_map(|t| serde_json::from_value(t.clone()).ok()).collect();
        let requests = pod_requests(&spec);
        Self {
            name,
            count,
            times: replicas,
            borne: Borne::new(inventory, &tolerations, &requests),
            requests,
            affinity: Affinity::new(inventory, &spec),
            ports: ports(&spec),
            labels,
            exclusive: exclusive.filter(|_| apart || replicas == 1),
            spec,
        }
    }
}

/// Ports of the node that a pod takes: `port 8080/TCP`, with the address where it is a certain one.
fn ports(spec: &Value) -> BTreeSet<String> {
    let of_host = spec.get("hostNetwork").and_then(Value::as_bool).unwrap_or_default();
    let sidecar = |c: &&Value| text(c, "restartPolicy") == "Always";
    let containers = list(spec, "containers").iter().chain(list(spec, "initContainers").iter().filter(sidecar));
    let ports = containers.flat_map(|c| list(c, "ports"));
    let number = |port: &Value, key: &str| port.get(key).and_then(Value::as_u64).filter(|n| *n > 0);
    let named = |port: &Value| {
        let number = number(port, "hostPort").or_else(|| number(port, "containerPort").filter(|_| of_host))?;
        let protocol = Some(text(port, "protocol")).filter(|p| !p.is_empty()).unwrap_or("TCP");
        let address = text(port, "hostIP");
        let any = matches!(address, "" | "0.0.0.0" | "::");
        Some(format!("port {number}/{protocol}{}{}", if any { "" } else { " of " }, if any { "" } else { address }))
    };
    ports.filter_map(named).collect()
}

/// A port of any address is the same as one of each.
fn share_ports(kinds: &mut [Kind]) {
    let all: BTreeSet<String> = kinds.iter().flat_map(|k| k.ports.iter().cloned()).collect();
    for kind in kinds {
        let wider = |port: &String| {
            let any = port.split_once(" of ").map_or(port.as_str(), |(any, _)| any);
            if all.contains(any) { any.to_owned() } else { port.clone() }
        };
        kind.ports = kind.ports.iter().map(wider).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ports_of_the_node() {
        let of = |spec: Value| -> Vec<String> { ports(&spec).into_iter().collect() };
        let container = |ports: Value| json!({"containers": [{"ports": ports}]});
        assert_eq!(of(container(json!([{"containerPort": 22}]))), [""; 0]);
        assert_eq!(of(container(json!([{"containerPort": 22, "hostPort": 2222}]))), ["port 2222/TCP"]);
        assert_eq!(
            of(container(json!([{"hostPort": 1, "protocol": "UDP", "hostIP": "10.0.0.1"}]))),
            ["port 1/UDP of 10.0.0.1"]
        );
        let host = json!({"hostNetwork": true, "containers": [{"ports": [{"containerPort": 22}]}]});
        assert_eq!(of(host), ["port 22/TCP"]);
    }
}
