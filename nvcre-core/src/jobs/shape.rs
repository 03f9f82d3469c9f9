//! What all jobs of a run have in common, without making any of them: for comparing whole fleets.

use super::prepared::Prepared;
use super::template::{Fill, JobValues, Manifest};
use super::{bandwidth_name, goodput_name, train_job_name};
use crate::jobs::partition::Group;

/// What stands in the place of everything that differs from job to job.
pub(crate) const ANY: &str = "*";

impl Prepared<'_> {
    /// The objects of a job with `*` for what differs from job to job: in names, for the group, the iteration, its nodes
    /// and hosts, and for its size where groups have several sizes. In the order of [`Self::manifests`].
    pub fn shape(&self) -> Vec<Manifest> {
        let job = format!("{}-{ANY}", self.input.run_name());
        let sizes = || self.groups().iter().map(|group: &Group| group.nodes.len());
        let first = sizes().next().unwrap_or(0);
        let one_size = sizes().all(|size| size == first);
        let values = JobValues {
            copies: self.copy_originals().map(|original| format!("{original}-{ANY}")).collect(),
            train_job: train_job_name(&job),
            goodput: goodput_name(&job),
            bandwidth: bandwidth_name(&job),
            job,
            group: ANY.to_owned(),
            iteration: ANY.to_owned(),
            group_nodes: ANY.to_owned(),
            hosts: vec![ANY.to_owned()],
            size: first,
        };
        let shape = |template: &super::template::Template| {
            let mut manifest = template.of(&values);
            if !one_size {
                for (place, _) in template.slots.iter().filter(|(_, fill)| *fill == Fill::Size) {
                    if let Some(slot) = super::references::at_mut(&mut manifest.value, place) {
                        *slot = ANY.into();
                    }
                }
            }
            manifest
        };
        self.templates_of_jobs().iter().map(shape).collect()
    }
}
