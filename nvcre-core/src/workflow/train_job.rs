//! The TrainJob inside the job template (02 §7).

use crate::api::{LocalObjectReference, PodSpecPatch, TrainJobSpec};
use crate::jobs::{LAUNCHER, WORKER, edit_patch, edit_pod_patch};

/// Puts the entries that a run needs into our runtime patch (02 §7.4): pull secrets on every pod template of the run
/// (00 D8), and for MPI the entries `node` and `launcher` in this order, so that later stages reach both. Nothing is
/// made when nothing is needed; pull secrets that are there stay.
///
/// It makes the patch of a fresh TrainJob, and brings it back where an override replaced the list of patches.
pub fn complete_patches(train_job: &mut TrainJobSpec, mpi: bool, pull_secrets: &[LocalObjectReference]) {
    let jobs: &[&str] = if mpi { &[WORKER, LAUNCHER] } else { &[WORKER] };
    for job in jobs.iter().filter(|_| mpi || !pull_secrets.is_empty()) {
        edit_patch(train_job, job, |_| ());
        if !pull_secrets.is_empty() {
            edit_pod_patch(train_job, job, |pod| {
                let spec = pod.spec.get_or_insert_with(PodSpecPatch::default);
                if spec.image_pull_secrets.is_empty() {
                    spec.image_pull_secrets = pull_secrets.to_vec();
                }
            });
        }
    }
}
