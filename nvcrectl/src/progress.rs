//! Progress on stderr: only on a terminal, and only of work that takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Read};
use std::time::{Duration, Instant};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Work under way.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// When it began; `None` once the bar is shown, or when it never will be.
    since: Option<Instant>,
}

impl Progress {
    /// Work of a known length in steps. It stays hidden when stdout is the same terminal: the output shows the progress.
    pub fn steps(length: usize, what: &str, prints: bool) -> Self {
        let hidden = prints && io::stdout().is_terminal();
        Self::new(u64::try_from(length).unwrap_or(u64::MAX), what, "{msg} {bar:30} {pos} of {len} {eta}", hidden)
    }

    /// Reading a text, of a known length where it is above zero.
    pub fn bytes(length: u64, what: &str) -> Self {
        let template = if length == 0 { "{msg} {bytes}" } else { "{msg} {bar:30} {percent}% {eta}" };
        Self::new(length, what, template, false)
    }

    fn new(length: u64, what: &str, template: &str, hidden: bool) -> Self {
        let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden())
            .with_style(style)
            .with_message(what.to_owned());
        Self { bar, since: (!hidden && io::stderr().is_terminal()).then(Instant::now) }
    }

    /// Some of it is done.
    pub fn advance(&mut self, by: u64) {
        self.bar.inc(by);
        if self.since.is_some_and(|since| since.elapsed() >= PATIENCE) {
            self.since = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A text that is being read.
#[derive(Debug)]
pub struct Reading<R> {
    inner: R,
    progress: Progress,
}

impl<R: Read> Reading<R> {
    /// Reads `inner`, which has `length` bytes (0: not known).
    pub fn new(inner: R, length: u64, name: &str) -> Self {
        Self { inner, progress: Progress::bytes(length, &format!("reading {name}")) }
    }
}

impl<R: Read> Read for Reading<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.advance(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }
}
