//! Will it be placed? What the scheduler's filters say of every pod of a group, on the nodes of the inventory: cordons,
//! taints against tolerations, node selector and required affinity, every requested resource, pods per node, host ports,
//! and what pods of one job require of each other. Several pods of a job on one node count together.
//!
//! The verdict is exact: `Fits` when there is a way to share out all pods of the job at the same time, `Waits` when
//! there is none. It speaks of one job on the nodes as they are, less what runs there ([`Inventory::taken`]), with no
//! other job of the run; what only a cluster knows is named as a [`Need`] and decides nothing.
//!
//! ```
//! use nvcre_core::engine::{Delivery, Engine, Options};
//! use nvcre_core::fleet::InventoryBuilder;
//! use nvcre_core::schedule::{Schedule, Verdict};
//! let mut builder = InventoryBuilder::new();
//! for name in ["a", "b"] {
//!     builder
//!         .node(name)
//!         .label("kubernetes.io/hostname", name)
//!         .label("nvidia.com/gpu.present", "true")
//!         .label("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3")
//!         .allocatable("nvidia.com/gpu", "8")
//!         .taint("nvidia.com/gpu", "present", "NoSchedule");
//! }
//! let inventory = builder.build();
//! let engine = Engine::new();
//! let text = b"apiVersion: nvcre.nvidia.com/v1alpha1
//! kind: WorkloadRun
//! metadata: {name: train}
//! spec: {image: registry.example/train:1, framework: {torch: {script: /train.py}}, numNodes: 2}
//! ";
//! let run = engine.read_run(text, "run.yaml", false);
//! let rendering = engine.render(&run, Some(&inventory), &Options::default());
//! let jobs = rendering.jobs(Delivery::Trainer);
//! let schedule = Schedule::new(jobs.prepared.as_ref().unwrap());
//! let verdict = schedule.verdict(0);
//! assert_eq!(verdict.verdict, Verdict::Waits);
//! assert_eq!(verdict.message, "0/2 nodes are available: 2 node(s) had untolerated taint(s).");
//! ```

mod affinity;
mod assign;
mod causes;
mod detail;
mod findings;
mod greedy;
mod kinds;
mod model;
mod needs;
mod nodes;
mod rules;
mod taints;
mod verdict;

#[cfg(doc)]
use crate::fleet::Inventory;

pub(crate) use findings::{Asked, findings};
pub use model::{FilterLine, GroupScheduling, GroupVerdict, Need, PodScheduling, Verdict};
pub use verdict::Schedule;
