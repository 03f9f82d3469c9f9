//! `workloadrun init` as clap sees it.

use clap::{Args, ValueEnum};
use nvcre_core::catalogue::Framework;
use nvcre_core::starter::{SCHEMA_FILE, Starter};
use std::path::PathBuf;

/// Last lines of the help (00 D68).
pub const EXIT_CODES: &str =
    "Exit codes: 0 written, 2 wrong usage, or a file that is there already or cannot be written.";

/// `workloadrun init`.
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// How the workload is started.
    #[arg(long, value_enum, default_value_t)]
    pub framework: FrameworkName,
    /// Name of the run.
    #[arg(long, value_name = "NAME", default_value_t = Starter::default().name)]
    pub name: String,
    /// Image of the workload.
    #[arg(long, value_name = "IMAGE", default_value_t = Starter::default().image)]
    pub image: String,
    /// Where editors find the schema: a path relative to the run's own file, or a URL. `nvcrectl schema workloadrun`
    /// prints the file.
    #[arg(long, value_name = "PATH|URL", default_value = SCHEMA_FILE, value_parser = schema)]
    pub schema: String,
    /// Write this file instead of printing; a file that is there already stays as it is.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace the file of --out when it is there already.
    #[arg(long, requires = "out")]
    pub force: bool,
}

/// A schema stands in a comment and ends with the first blank.
fn schema(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("a path or URL without blanks is wanted: write %20 for a blank".to_owned());
    }
    Ok(text.to_owned())
}

/// How the workload is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FrameworkName {
    /// Launcher and workers through mpirun.
    #[default]
    Mpi,
    /// Through torchrun.
    Torch,
    /// A command as it is.
    Exec,
}

impl InitArgs {
    /// The run that is asked for.
    pub fn starter(&self) -> Starter {
        Starter {
            framework: match self.framework {
                FrameworkName::Mpi => Framework::Mpi,
                FrameworkName::Torch => Framework::Torch,
                FrameworkName::Exec => Framework::Exec,
            },
            name: self.name.clone(),
            image: self.image.clone(),
            schema: self.schema.clone(),
        }
    }
}
