//! The one runtime patch that is ours. Its shape is written here and nowhere else (02 §7.4, 00 D20).

use crate::api::{
    JobSetSpecPatch, JobSetTemplatePatch, JobSpecPatch, JobTemplatePatch, PATCH_MANAGER, PodSpecPatch,
    PodTemplatePatch, ReplicatedJobPatch, RuntimePatch, RuntimeSpecPatch, TrainJobSpec,
};

/// Name of the replicated job that starts the others.
pub const LAUNCHER: &str = "launcher";
/// Name of the replicated job of the workers.
pub const WORKER: &str = "node";

/// Edits the entry of a replicated job in our patch. Patch and entry are found by manager and name, or appended.
/// Returns their positions.
pub fn edit_patch(
    train_job: &mut TrainJobSpec,
    job: &str,
    edit: impl FnOnce(&mut ReplicatedJobPatch),
) -> (usize, usize) {
    let patches = &mut train_job.runtime_patches;
    let at = patches.iter().position(|p| p.manager == PATCH_MANAGER).unwrap_or_else(|| {
        patches.push(RuntimePatch { manager: PATCH_MANAGER.to_owned(), ..RuntimePatch::default() });
        patches.len() - 1
    });
    let Some(patch) = patches.get_mut(at) else { return (at, 0) };
    patch.time = None;
    let spec = patch.training_runtime_spec.get_or_insert_with(RuntimeSpecPatch::default);
    let template = spec.template.get_or_insert_with(JobSetTemplatePatch::default);
    let jobs = &mut template.spec.get_or_insert_with(JobSetSpecPatch::default).replicated_jobs;
    let entry = jobs.iter().position(|j| j.name == job).unwrap_or_else(|| {
        jobs.push(ReplicatedJobPatch { name: job.to_owned(), ..ReplicatedJobPatch::default() });
        jobs.len() - 1
    });
    if let Some(job) = jobs.get_mut(entry) {
        edit(job);
    }
    (at, entry)
}

/// As [`edit_patch`], for the pod template of the replicated job.
pub fn edit_pod_patch(
    train_job: &mut TrainJobSpec,
    job: &str,
    edit: impl FnOnce(&mut PodTemplatePatch),
) -> (usize, usize) {
    edit_patch(train_job, job, |entry| {
        let template = entry.template.get_or_insert_with(JobTemplatePatch::default);
        let spec = template.spec.get_or_insert_with(JobSpecPatch::default);
        edit(spec.template.get_or_insert_with(PodTemplatePatch::default));
    })
}

/// The replicated jobs of a patch.
pub(crate) fn jobs_of(patch: &RuntimePatch) -> &[ReplicatedJobPatch] {
    let spec = patch.training_runtime_spec.as_ref().and_then(|s| s.template.as_ref()).and_then(|t| t.spec.as_ref());
    spec.map_or(&[], |spec| spec.replicated_jobs.as_slice())
}

/// The pod patches of a replicated job in the order of the patches, with the position of the patch.
pub(crate) fn patches_of<'a>(
    train_job: &'a TrainJobSpec,
    job: &'a str,
) -> impl Iterator<Item = (usize, &'a PodSpecPatch)> {
    train_job.runtime_patches.iter().enumerate().flat_map(move |(at, patch)| {
        let entries = jobs_of(patch).iter().filter(move |j| j.name == job);
        entries.filter_map(move |j| Some((at, j.template.as_ref()?.spec.as_ref()?.template.as_ref()?.spec.as_ref()?)))
    })
}

/// The replicated jobs that placement speaks to: all that patches of any manager name, in the order in which they are
/// first seen; `node` when there are none (03 §6.5).
pub fn target_jobs(train_job: &TrainJobSpec) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for job in train_job.runtime_patches.iter().flat_map(jobs_of) {
        if !job.name.is_empty() && !out.contains(&job.name) {
            out.push(job.name.clone());
        }
    }
    if out.is_empty() {
        out.push(WORKER.to_owned());
    }
    out
}

/// The replicated job of the workers: the first named one that is not the launcher, else `node` (03 §6.7).
pub fn worker_job(train_job: &TrainJobSpec) -> String {
    target_jobs(train_job).into_iter().find(|name| name != LAUNCHER).unwrap_or_else(|| WORKER.to_owned())
}

/// Moves our patch behind all others when one that comes later sets affinity or tolerations of the same jobs: later
/// patches replace those lists (08 row 20).
pub(crate) fn put_last_if_overruled(train_job: &mut TrainJobSpec, jobs: &[String]) {
    let Some(ours) = train_job.runtime_patches.iter().position(|p| p.manager == PATCH_MANAGER) else { return };
    let overruled = jobs.iter().any(|job| {
        patches_of(train_job, job)
            .any(|(at, spec)| at > ours && (spec.affinity.is_some() || !spec.tolerations.is_empty()))
    });
    if overruled {
        let patch = train_job.runtime_patches.remove(ours);
        train_job.runtime_patches.push(patch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn spec(patches: Value) -> TrainJobSpec {
        serde_json::from_value(json!({ "runtimePatches": patches })).unwrap()
    }

    fn entry(manager: &str, jobs: &[&str]) -> Value {
        let jobs: Vec<Value> = jobs.iter().map(|j| json!({ "name": j })).collect();
        json!({"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}})
    }

    #[test]
    fn patch_and_entry_are_found_or_appended() {
        let mut train_job = spec(json!([entry("other", &["node"]), entry(PATCH_MANAGER, &["launcher"])]));
        train_job.runtime_patches[1].time = Some("2026-01-01T00:00:00Z".into());
        assert_eq!(edit_patch(&mut train_job, "node", |_| ()), (1, 1));
        assert_eq!(edit_patch(&mut train_job, "launcher", |_| ()), (1, 0));
        assert_eq!(train_job.runtime_patches[1].time, None, "never a time");
        assert_eq!(target_jobs(&train_job), ["node", "launcher"]);
        let mut empty = TrainJobSpec::default();
        assert_eq!(edit_patch(&mut empty, "node", |_| ()), (0, 0));
        assert_eq!(
            serde_json::to_value(&empty).unwrap(),
            json!({ "runtimePatches": [entry(PATCH_MANAGER, &["node"])] })
        );
    }

    #[test]
    fn target_and_worker() {
        assert_eq!(target_jobs(&TrainJobSpec::default()), ["node"]);
        assert_eq!(worker_job(&TrainJobSpec::default()), "node");
        assert_eq!(worker_job(&spec(json!([entry(PATCH_MANAGER, &["launcher"])]))), "node");
        assert_eq!(worker_job(&spec(json!([entry("a", &["", "launcher", "trainer"])]))), "trainer");
    }

    #[test]
    fn ours_goes_last_when_a_later_patch_would_replace_it() {
        let later = json!({"manager": "late", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [
            {"name": "node", "template": {"spec": {"template": {"spec": {"tolerations": [{"operator": "Exists"}]}}}}},
        ]}}}});
        let mut train_job = spec(json!([entry(PATCH_MANAGER, &["node"]), later]));
        put_last_if_overruled(&mut train_job, &["launcher".into()]);
        assert_eq!(train_job.runtime_patches[0].manager, PATCH_MANAGER);
        put_last_if_overruled(&mut train_job, &["node".into()]);
        assert_eq!(train_job.runtime_patches[1].manager, PATCH_MANAGER);
    }
}
