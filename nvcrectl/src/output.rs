//! Writing on stdout and stderr. A reader that has seen enough is no error, and neither is a stderr that takes nothing.

use anyhow::{Context, Result};
use std::io::{self, BufWriter, ErrorKind, Write};

/// Writes on stdout; a closed pipe ends the writing and is no error.
///
/// # Errors
/// When stdout takes no more for another reason, such as a full disk.
pub fn stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            // What is left in the buffer has no reader.
            let _ = out.into_parts();
            Ok(())
        }
        other => other.context("cannot write to stdout"),
    }
}

/// Prints a text on stdout.
///
/// # Errors
/// As [`stdout`].
pub fn print(text: &str) -> Result<()> {
    stdout(|out| out.write_all(text.as_bytes()))
}

/// Prints a text with colours on stdout, which shows them on a terminal that wants them.
///
/// # Errors
/// As [`stdout`].
pub fn print_styled(text: &str) -> Result<()> {
    let choice = anstream::AutoStream::choice(&io::stdout());
    stdout(|out| match choice {
        anstream::ColorChoice::Never => out.write_all(anstream::adapter::strip_str(text).to_string().as_bytes()),
        _ => out.write_all(text.as_bytes()),
    })
}

/// Prints a value as JSON on stdout.
///
/// # Errors
/// As [`stdout`].
pub fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&(nvcre_core::yaml::to_json_pretty(value) + "\n"))
}

/// Prints a text with colours on stderr, which shows them or not. When stderr takes nothing, nobody can be told.
pub fn stderr(text: &str) {
    let mut out = anstream::stderr();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Columns of the terminal on stdout, else those of the variable `COLUMNS`; `None` when the output is no terminal and
/// nobody says: then nothing is shortened.
pub fn width() -> Option<usize> {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let said = || std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    terminal.or_else(said).filter(|width| *width > 0)
}
