//! `nvcrectl`: what a WorkloadRun will start, on the command line. It reads files, prints, and calls `nvcre-core`; it
//! holds no rule of the domain.
//!
//! Exit codes (00 D68): 0 no error, 1 error findings, 2 wrong usage or a file that cannot be opened.

mod cli;
mod commands;
mod difference;
mod explained;
mod folder;
mod input;
mod matrixed;
mod output;
mod progress;
mod report;
mod scheduling;
mod snapshots;
mod table;

use clap::Parser;
use clap::builder::styling::{AnsiColor, Style};
use std::process::ExitCode;

/// As clap shows the word.
const ERROR: Style = AnsiColor::Red.on_default().bold();

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match commands::run(cli) {
        Ok(commands::Outcome::Fine) => ExitCode::SUCCESS,
        Ok(commands::Outcome::Findings) => ExitCode::from(1),
        Ok(commands::Outcome::Unopened) => ExitCode::from(2),
        Err(error) => {
            output::stderr(&format!("{ERROR}error:{ERROR:#} {error:#}\n"));
            ExitCode::from(2)
        }
    }
}
