//! The wire types of group `nvcre.nvidia.com/v1alpha1` (01), as plain data.
//!
//! Optional scalars whose zero differs from "unset" are `Option`; what is left out of the output when empty follows
//! 01 §0.3. Kubernetes' own pod types are kept as JSON ([`Value`]): nothing the user wrote is lost in a round trip, and
//! [`crate::schema`] checks their fields.

mod job;
mod kube;
mod measurement;
mod node;
mod overrides;
mod train_job;
mod workflow;
mod workload_run;

pub use job::*;
pub use kube::*;
pub use measurement::*;
pub use node::*;
pub use overrides::*;
pub use train_job::*;
pub use workflow::*;
pub use workload_run::*;

pub use serde_json::Value;

/// `apiVersion` of every kind of the engine.
pub const API_VERSION: &str = "nvcre.nvidia.com/v1alpha1";
/// Group of the engine's kinds.
pub const GROUP: &str = "nvcre.nvidia.com";
/// `apiVersion` of Kubeflow Trainer's kinds.
pub const TRAINER_API_VERSION: &str = "trainer.kubeflow.org/v1alpha1";
/// Group of Kubeflow Trainer's kinds.
pub const TRAINER_GROUP: &str = "trainer.kubeflow.org";
/// Value of `app.kubernetes.io/managed-by` on everything rendered (00 D10).
pub const MANAGED_BY: &str = "nvcre";
/// Key of the managed-by label.
pub const MANAGED_BY_KEY: &str = "app.kubernetes.io/managed-by";
/// Prefix of the engine's own label keys.
pub const OWN_PREFIX: &str = "nvcre.nvidia.com/";
/// Label with the name of the run.
pub const RUN_KEY: &str = "nvcre.nvidia.com/workload-run";
/// Label with the name of the Workflow.
pub const WORKFLOW_KEY: &str = "nvcre.nvidia.com/workflow";
/// Label with the name of the group.
pub const GROUP_KEY: &str = "nvcre.nvidia.com/group";
/// Label with the number of the iteration.
pub const ITERATION_KEY: &str = "nvcre.nvidia.com/iteration";
/// Label with the name of the Job.
pub const JOB_KEY: &str = "nvcre.nvidia.com/job";
/// Annotation with the nodes of a group, joined with commas.
pub const GROUP_NODES_KEY: &str = "nvcre.nvidia.com/group-nodes";
/// Manager of the one runtime patch that is ours (02 §7.4).
pub const PATCH_MANAGER: &str = "nvcre.nvidia.com/controller";
/// Label that every GPU node must carry with value `true` (03 §1).
pub const GPU_PRESENT_KEY: &str = "nvidia.com/gpu.present";
/// Label with the GPU product.
pub const GPU_PRODUCT_KEY: &str = "nvidia.com/gpu.product";
/// Label with the NVLink clique.
pub const GPU_CLIQUE_KEY: &str = "nvidia.com/gpu.clique";
/// The GPU resource.
pub const GPU_RESOURCE: &str = "nvidia.com/gpu";
/// Label with the host name.
pub const HOSTNAME_KEY: &str = "kubernetes.io/hostname";

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Patterns of 01 §0.5 for schemas; the library itself checks without a regular-expression engine.
#[cfg(feature = "schema")]
pub(crate) mod pattern {
    /// P-QUEUE.
    pub const QUEUE: &str = "^$|^[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$";
    /// P-LABELKEY.
    pub const LABEL_KEY: &str = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?$";
    /// P-LABELKEY, or nothing.
    pub const OPTIONAL_LABEL_KEY: &str = r"^$|^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?$";
    /// P-LABELVALUE.
    pub const LABEL_VALUE: &str = "^$|^[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?$";
    /// P-SIZE.
    pub const SIZE: &str = r"^([0-9]+(\.[0-9]+)?)(Ki|Mi|Gi|Ti|Pi|Ei)?$";
    /// P-EXTRES.
    pub const EXTENDED_RESOURCE: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[a-zA-Z0-9]([-A-Za-z0-9_.]{0,61}[a-zA-Z0-9])?$";
    /// P-PRIORITY, or nothing.
    pub const PRIORITY: &str = r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
    /// Reserved domains of `nicResourceName` (01 §1.11).
    pub const RESERVED_RESOURCE: &str = r"kubernetes\.io/|^k8s\.io/|\.k8s\.io/";
    /// Reserved label keys (01 §1.8 K1).
    pub const RESERVED_LABEL_KEY: &str = r"^app\.kubernetes\.io/managed-by$|^nvcre\.nvidia\.com/";
}
