//! The progress of long work, on stderr: a bar with rate and time left on a terminal, otherwise a line every 10 seconds.
//!
//! No colours are used, so `NO_COLOR` holds by construction.

use config::grouped;
use dataset::WorkDone;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

const DRAW_EVERY: Duration = Duration::from_millis(100);

pub(crate) struct Display {
    bar: Option<ProgressBar>,
    what: &'static str,
    /// When the work that is measured began, and what was done by then.
    begun: (Instant, u64),
    shown: Instant,
}

impl Display {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(0));
        Self { bar, what: "", begun: (now, 0), shown: now }
    }

    /// Measures rates and times from now on; `done` was finished before.
    pub(crate) fn begin_at(&mut self, done: u64) {
        self.begun = (Instant::now(), done);
        self.bar.iter().for_each(ProgressBar::reset_eta);
    }

    /// Shows that `done` of `total` units `what` are done ("bytes" are written with their units). `words` adds to the line, from the
    /// seconds since the work began.
    pub(crate) fn show(&mut self, what: &'static str, done: u64, total: u64, words: impl FnOnce(f64) -> String) {
        if self.what != what {
            self.what = what;
            self.begun = (Instant::now(), done);
            if let Some(bar) = &self.bar {
                bar.set_style(style(what));
                bar.reset();
            }
        }
        let pause = if self.bar.is_some() { DRAW_EVERY } else { LINE_EVERY };
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        let seconds = self.begun.0.elapsed().as_secs_f64();
        let words = match words(seconds) {
            none if none.is_empty() => none,
            words => format!("; {words}"),
        };
        match &self.bar {
            Some(bar) => {
                bar.set_length(total);
                bar.set_position(done);
                bar.set_message(words);
            }
            None => eprintln!("{}{words}", line(what, done, total, self.begun.1, seconds)),
        }
    }

    /// The same for work on whole datasets.
    pub(crate) fn show_done(&mut self, progress: WorkDone) {
        self.show(progress.what, progress.done, progress.total, |_| String::new());
    }

    pub(crate) fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// Does work on whole datasets and shows its progress.
pub(crate) fn shown<T>(work: impl FnOnce(&mut dyn FnMut(WorkDone)) -> T) -> T {
    let mut display = Display::new();
    let outcome = work(&mut |done| display.show_done(done));
    display.finish();
    outcome
}

fn style(what: &str) -> ProgressStyle {
    let template = match what {
        "bytes" => "{bar:20} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left{msg}".to_owned(),
        what => format!("{{bar:20}} {{human_pos}}/{{human_len}} {what} {{rate}}, {{eta}} left{{msg}}"),
    };
    // An invalid template would be a mistake in this file; the bar then keeps indicatif's own.
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate)
}

fn rate(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    // What cannot be written is not shown.
    let _ = match state.per_sec() {
        slow if slow < 10.0 => write!(out, "{slow:.1}/s"),
        fast => write!(out, "{}/s", grouped(fast as u64)),
    };
}

/// A line for where there is no terminal. `found` was done before the seconds began.
fn line(what: &str, done: u64, total: u64, found: u64, seconds: f64) -> String {
    let rate = done.saturating_sub(found) as f64 / seconds.max(1e-3);
    let left = match rate {
        0.0 => "unknown time".to_owned(),
        rate => {
            let seconds = (total.saturating_sub(done) as f64 / rate).min(1e9);
            format!("about {}", HumanDuration(Duration::from_secs_f64(seconds)))
        }
    };
    let share = 100.0 * done as f64 / total.max(1) as f64;
    let count = |number: u64| if what == "bytes" { HumanBytes(number).to_string() } else { grouped(number) };
    let what = if what == "bytes" { String::new() } else { format!(" {what}") };
    format!("{share:.0} %: {} of {}{what}, {} a second, {left} left", count(done), count(total), count(rate as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_share_rate_and_time_left() {
        // 300 of what is new in 10 s: 30 a second, so the other 600 take 20 s.
        assert_eq!(line("rows", 400, 1_000, 100, 10.0), "40 %: 400 of 1,000 rows, 30 a second, about 20 seconds left");
        let bytes = line("bytes", 3 << 20, 4 << 20, 0, 1.0);
        assert_eq!(bytes, "75 %: 3.00 MiB of 4.00 MiB, 3.00 MiB a second, about 0 seconds left");
        assert!(line("rows", 0, 5, 0, 0.0).ends_with("unknown time left"));
    }
}
