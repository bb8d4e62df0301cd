//! How far the games are.

use crate::commands::data::display;
use config::grouped;
use engines::Progress;
use std::time::Instant;

/// Shows how far the games are.
pub(super) struct Display {
    shown: display::Display,
    begun: Instant,
}

impl Display {
    pub(super) fn new() -> Self {
        Self { shown: display::Display::new(), begun: Instant::now() }
    }

    pub(super) fn show(&mut self, progress: &Progress) {
        let words = self.words(progress);
        let ended = progress.finished + progress.given_up;
        if ended == progress.found {
            self.shown.begin_at(ended);
        }
        self.shown.show("games", ended, progress.games, |_| words);
    }

    pub(super) fn finish(&self) {
        self.shown.finish();
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
