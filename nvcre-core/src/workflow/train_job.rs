//! The TrainJob inside the job template (02 §7).

use crate::api::{
    JobSetSpecPatch, JobSetTemplatePatch, JobSpecPatch, JobTemplatePatch, LocalObjectReference, PATCH_MANAGER,
    PodSpecPatch, PodTemplatePatch, ReplicatedJobPatch, RuntimePatch, RuntimeSpecPatch,
};

/// The runtime patches of a fresh TrainJob (02 §7.4): pull secrets on every pod template of the run (00 D8), and for
/// MPI the entries `node` and `launcher` in this order, so that later stages reach both. Empty when not needed.
pub(super) fn base_patches(mpi: bool, pull_secrets: &[LocalObjectReference]) -> Vec<RuntimePatch> {
    let names: &[&str] = match (mpi, pull_secrets.is_empty()) {
        (true, _) => &["node", "launcher"],
        (false, false) => &["node"],
        (false, true) => return Vec::new(),
    };
    let replicated_jobs = names.iter().map(|name| ReplicatedJobPatch {
        name: (*name).into(),
        template: (!pull_secrets.is_empty()).then(|| JobTemplatePatch {
            metadata: None,
            spec: Some(JobSpecPatch {
                template: Some(PodTemplatePatch {
                    metadata: None,
                    spec: Some(PodSpecPatch { image_pull_secrets: pull_secrets.to_vec(), ..PodSpecPatch::default() }),
                }),
            }),
        }),
    });
    vec![RuntimePatch {
        manager: PATCH_MANAGER.into(),
        time: None,
        training_runtime_spec: Some(RuntimeSpecPatch {
            template: Some(JobSetTemplatePatch {
                metadata: None,
                spec: Some(JobSetSpecPatch { replicated_jobs: replicated_jobs.collect() }),
            }),
        }),
    }]
}
