//! Running the built binary in the root of the repository.
#![allow(dead_code, reason = "each test target uses its part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the binary gave.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The binary, without anything in the environment that changes how it prints.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nvcrectl"));
    command.args(words).current_dir(root());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM"] {
        command.env_remove(variable);
    }
    command
}

/// Runs it with nothing on stdin.
pub fn run(words: &[&str]) -> Ran {
    finish(command(words).stdin(Stdio::null()))
}

/// Runs it with a text on stdin.
pub fn run_with(words: &[&str], stdin: &[u8]) -> Ran {
    let mut child = command(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that does not read it all closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    ran(child.wait_with_output().unwrap())
}

/// Runs a prepared command.
pub fn finish(command: &mut Command) -> Ran {
    ran(command.output().unwrap())
}

fn ran(output: std::process::Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
