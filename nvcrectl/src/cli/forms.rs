//! What commands show, and in which form.

use clap::ValueEnum;

/// What `render` prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// The Workflow: the run with everything that its platform adds.
    #[default]
    Workflow,
    /// What the reference engine's controller makes of every group: dependencies, Jobs, measurements.
    Jobs,
    /// What runs on Kubeflow Trainer without that controller: run record, dependencies, TrainJobs.
    Manifests,
}

/// Form of printed objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// YAML, several objects as several documents.
    #[default]
    Yaml,
    /// JSON, several objects one after the other.
    Json,
}

/// Form of overviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For people.
    #[default]
    Table,
    /// JSON (docs/json.md).
    Json,
}

/// Form of explanations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TextFormat {
    /// For people.
    #[default]
    Text,
    /// JSON (docs/json.md).
    Json,
}

/// Form of `cluster info`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum InfoFormat {
    /// For people.
    #[default]
    Table,
    /// JSON (docs/json.md).
    Json,
    /// YAML.
    Yaml,
}

/// Form of `version`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum VersionFormat {
    /// One line.
    #[default]
    Text,
    /// JSON.
    Json,
}
