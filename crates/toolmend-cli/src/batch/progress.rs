//! How far `batch` has come, for people: drawn on a terminal, silent everywhere else.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::say::say;

/// How often the bar is redrawn, at least.
const TICK: Duration = Duration::from_millis(200);

/// A bar over the bytes of the input; without their number, a count of those read.
pub(crate) struct Progress {
    bar: ProgressBar,
    shares_terminal: bool,
}

impl Progress {
    /// A bar on standard error. It draws nothing where that is no terminal, nor where it would stand in
    /// the way of somebody who types the input.
    pub(crate) fn new(length: Option<u64>, typed: bool) -> Progress {
        let target = if typed { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(length, target);
        if !bar.is_hidden() {
            let template = match length {
                Some(_) => "{bar:32} {percent:>3} %  {bytes} of {total_bytes}  {bytes_per_sec}  {eta} left",
                None => "{spinner} {bytes}  {bytes_per_sec}",
            };
            bar.set_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.enable_steady_tick(TICK);
        }
        Progress { bar, shares_terminal: false }
    }

    /// Tells whether the answers go to a terminal, too: then the bar makes way for them.
    pub(crate) fn share_terminal(&mut self, shares: bool) {
        self.shares_terminal = shares;
    }

    /// Does something that may write to a terminal.
    pub(crate) fn around<T>(&self, write: impl FnOnce() -> T) -> T {
        if self.shares_terminal && !self.bar.is_hidden() { self.bar.suspend(write) } else { write() }
    }

    /// Says a line, above the bar.
    pub(crate) fn say(&self, line: &str) {
        if self.bar.is_hidden() {
            say(line);
        } else {
            self.bar.suspend(|| say(line));
        }
    }

    /// So many bytes more are done.
    pub(crate) fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Takes the bar away and leaves this line in its place.
    pub(crate) fn finish(&self, line: &str) {
        if !self.bar.is_hidden() {
            self.bar.finish_and_clear();
            say(line);
        }
    }
}

impl Drop for Progress {
    /// A run that fails leaves no half-drawn bar behind its error.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
