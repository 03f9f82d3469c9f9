//! Runtime patches (08 row 21).

use super::train_job_path;
use crate::api::TrainJobSpec;
use crate::diagnostic::{Code, Diagnostic};
use crate::jobs::patch::jobs_of;
use crate::jobs::runtime::{item_name, replicated_jobs};
use serde_json::Value;
use std::collections::BTreeSet;

/// Most runtime patches.
const MOST_PATCHES: usize = 16;

/// Managers, targets and fields of the patches.
pub(super) fn check(train_job: &TrainJobSpec, runtime: Option<&Value>, findings: &mut Vec<Diagnostic>) {
    let path = train_job_path().key("runtimePatches");
    let list = &train_job.runtime_patches;
    if list.len() > MOST_PATCHES {
        let message = format!("there are {} runtime patches; Trainer takes at most {MOST_PATCHES}", list.len());
        findings.push(
            Diagnostic::at(Code::RuntimePatches, path.clone(), message).with_help("merge patches of one manager"),
        );
    }
    let known: BTreeSet<&str> = runtime.into_iter().flat_map(replicated_jobs).map(item_name).collect();
    let mut managers = BTreeSet::new();
    for (index, patch) in list.iter().enumerate() {
        let path = path.index(index);
        let manager = &patch.manager;
        if manager.is_empty() || manager.len() > 253 {
            let message = format!(
                "the manager {manager:?} of a runtime patch has {} characters; it takes 1 to 253",
                manager.len()
            );
            findings.push(
                Diagnostic::at(Code::RuntimePatches, path.key("manager"), message)
                    .with_help("name who owns the patch, for example example.com/team"),
            );
        } else if !managers.insert(manager.as_str()) {
            let message = format!("two runtime patches have the manager {manager}, and each manager may have one");
            findings.push(
                Diagnostic::at(Code::RuntimePatches, path.key("manager"), message).with_help("merge the two patches"),
            );
        }
        for job in jobs_of(patch) {
            let path = ["trainingRuntimeSpec", "template", "spec", "replicatedJobs"]
                .iter()
                .fold(path.clone(), |path, key| path.key(*key))
                .named(job.name.as_str());
            if !known.is_empty() && !known.contains(job.name.as_str()) {
                let message = format!(
                    "the runtime patch of {manager} names the replicated job {:?}, and the runtime has only {}",
                    job.name,
                    known.iter().copied().collect::<Vec<_>>().join(", ")
                );
                findings.push(
                    Diagnostic::at(Code::RuntimePatches, path.key("name"), message)
                        .with_help("name a replicated job of the runtime"),
                );
            }
            let pod = job.template.as_ref().and_then(|t| t.spec.as_ref()).and_then(|s| s.template.as_ref());
            let containers = pod.and_then(|p| p.spec.as_ref()).map_or(&[][..], |s| s.containers.as_slice());
            if containers.iter().any(|c| c.name == "node" && !c.env.is_empty()) {
                let message = format!(
                    "the runtime patch of {manager} sets env of the container node in {}, and Trainer refuses that",
                    job.name
                );
                findings.push(
                    Diagnostic::at(Code::RuntimePatches, path, message)
                        .with_help("set the variables in spec.env or in trainer.env"),
                );
            }
        }
    }
}
