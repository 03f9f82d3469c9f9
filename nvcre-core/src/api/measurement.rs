//! Measurements of a run (01 §3.5, §3.6, §4).

use crate::check::GoDuration;
use serde::{Deserialize, Serialize};

/// Goodput of a job (01 §3.5).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["logProfileRef"])))]
#[serde(rename_all = "camelCase", default)]
pub struct GoodputMeasurementConfig {
    /// Name of a cluster-scoped LogProfile.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub log_profile_ref: String,
    /// Time between two samples; unset is 60 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = "60s")))]
    pub sample_interval: Option<GoDuration>,
}

/// Bandwidth of a job (01 §3.6).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("required" = ["logProfileRef"])))]
#[serde(rename_all = "camelCase", default)]
pub struct BandwidthMeasurementConfig {
    /// Name of a cluster-scoped LogProfile.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub log_profile_ref: String,
    /// Time between two samples; unset is 60 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = "60s")))]
    pub sample_interval: Option<GoDuration>,
    /// Collective, for example `all_reduce`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("examples" = ["all_reduce", "alltoall"])))]
    pub test_type: String,
}
