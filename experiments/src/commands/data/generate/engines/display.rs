//! Progress: a bar on a terminal, else a line now and then; both on stderr.

use crate::generate::Progress;
use crate::table::grouped;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows how far the games are.
pub(super) struct Display {
    bar: Option<ProgressBar>,
    begun: Instant,
    last: Instant,
}

impl Display {
    pub(super) fn new() -> Self {
        let bar = || {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games {eta} {msg}");
            ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        };
        let now = Instant::now();
        Self { bar: std::io::stderr().is_terminal().then(bar), begun: now, last: now }
    }

    pub(super) fn show(&mut self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            bar.set_length(progress.games);
            bar.set_position(progress.finished + progress.given_up);
            bar.set_message(self.words(progress));
        } else if self.last.elapsed() >= LINE_EVERY {
            self.last = Instant::now();
            eprintln!("{} of {} games; {}", progress.finished, progress.games, self.words(progress));
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// How fast it went, in plies that engines chose.
    pub(super) fn rate(&self, progress: &Progress) -> String {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        format!(
            "{} plies in {seconds:.1} s, {:.1} a second",
            grouped(progress.new_plies),
            progress.new_plies as f64 / seconds
        )
    }

    fn words(&self, progress: &Progress) -> String {
        let mut words = self.rate(progress);
        if progress.restarts > 0 {
            words.push_str(&format!(", {} restarts", progress.restarts));
        }
        if progress.given_up > 0 {
            words.push_str(&format!(", {} given up", progress.given_up));
        }
        words
    }
}
