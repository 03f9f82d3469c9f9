//! The whole road, from a run and its nodes to a rendering: the only place that knows all of it.
//!
//! ```
//! use nvcre_core::engine::{Engine, Options};
//! let engine = Engine::new();
//! let run = engine.read_run(
//!     b"apiVersion: nvcre.nvidia.com/v1alpha1
//! kind: WorkloadRun
//! metadata: {name: sweep}
//! spec:
//!   image: registry.example/nccl:1
//!   framework: {mpi: {binary: /opt/ar, mpirunPath: /usr/bin/mpirun}}
//!   numNodes: 2
//! ",
//!     "run.yaml",
//!     false,
//! );
//! let options = Options { platform: Some("aws".into()), gpu_arch: Some("gb300".into()), ..Options::default() };
//! let rendering = engine.render(&run, None, &options);
//! assert!(rendering.is_printable());
//! assert_eq!(rendering.workflow.spec.job_template.spec.workload.train_job.unwrap().trainer.unwrap().num_nodes, Some(2));
//! ```

mod accept;
mod annotations;
mod assumed;
mod blame;
mod chosen;
mod differences;
mod facts;
mod finish;
mod flags;
mod join;
mod kept;
mod knowledge;
mod layers;
mod placement;
mod plan;
mod plan_of;
mod read;
mod render;
mod requests;
mod resolve;
mod warnings;

pub use crate::jobs::Delivery;
pub use accept::ALLOW_ANNOTATION;
pub use facts::{Facts, parse_edition_flag};
pub use flags::{RunFlags, adjust_size, apply_flags};
pub(crate) use knowledge::holds;
pub use knowledge::{Knowledge, KnowledgeEntry, KnowledgeRow, PLATFORMS_FORMAT};
pub use plan::{PLAN_FORMAT, Plan, PlanGroup};
pub use read::RunInput;
pub use render::{Jobs, Rendering};
pub use resolve::ResolvedWorkflow;

use crate::catalogue::Catalogue;
use std::borrow::Cow;

/// What a caller says beside the run and the nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Platform, instead of the one that the nodes show.
    pub platform: Option<String>,
    /// GPU architecture, instead of the one that most nodes show.
    pub gpu_arch: Option<String>,
    /// Edition of the catalogue; its default when `None`.
    pub edition: Option<String>,
    /// Leaves nodes out that will not run the pods (00 D28).
    pub only_healthy: bool,
    /// Flags that edit the run.
    pub flags: RunFlags,
}

/// Renders runs with one catalogue.
#[derive(Debug, Clone)]
pub struct Engine {
    catalogue: Cow<'static, Catalogue>,
    /// No entry of the catalogue applies, wherever the run is rendered for.
    plain: bool,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// With the built-in catalogue, which is parsed once per process.
    pub fn new() -> Self {
        Self { catalogue: Cow::Borrowed(Catalogue::builtin()), plain: false }
    }

    /// With a catalogue of the caller's own.
    pub fn with_catalogue(catalogue: Catalogue) -> Self {
        Self { catalogue: Cow::Owned(catalogue), plain: false }
    }

    /// The same engine without entries of the catalogue: without a platform it resolves a run to what the run itself
    /// says, with the fallback of the hardware table for numbers that it does not give.
    pub(crate) fn without_entries(&self) -> Self {
        Self { plain: true, ..self.clone() }
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }
}
