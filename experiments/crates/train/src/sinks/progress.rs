//! Progress of one cell: a bar on a terminal, plain `key=value` lines elsewhere.
//!
//! No colours are used, so `NO_COLOR` has no effect.

use super::Sink;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use records::{MetricLine, Part};
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write};

const SHOWN: [&str; 5] = ["policy_loss", "policy_accuracy", "value_loss", "map_loss", "gradient_norm"];

/// Progress on stderr: a bar on a terminal, plain lines elsewhere.
pub fn on_stderr(steps: u64) -> Box<dyn Sink> {
    if io::stderr().is_terminal() { Box::new(Bar::new(steps)) } else { Box::new(Plain { steps, to: io::stderr() }) }
}

struct Plain<W> {
    steps: u64,
    to: W,
}

impl<W: Write + Send> Sink for Plain<W> {
    fn line(&mut self, line: &MetricLine) -> io::Result<()> {
        writeln!(
            self.to,
            "step={}/{} split={}{}{} positions_per_s={:.0}",
            line.step,
            self.steps,
            line.split.name(),
            of_weights(line),
            shown(line),
            line.time.positions_per_s
        )
    }
}

struct Bar(ProgressBar);

impl Bar {
    fn new(steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
        // An invalid template would be a mistake in this file; indicatif's default is used then.
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} steps, {eta} left{msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Sink for Bar {
    fn line(&mut self, line: &MetricLine) -> io::Result<()> {
        if line.split == Part::Train {
            self.0.set_position(line.step);
            self.0.set_message(shown(line));
        } else {
            self.0.println(format!(
                "step={} split={}{}{}",
                line.step,
                line.split.name(),
                of_weights(line),
                shown(line)
            ));
        }
        Ok(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn of_weights(line: &MetricLine) -> String {
    if line.weights.are_raw() { String::new() } else { format!(" weights={}", line.weights.name()) }
}

fn shown(line: &MetricLine) -> String {
    SHOWN.iter().filter_map(|name| Some((name, line.metrics.get(name)?))).fold(String::new(), |mut text, (name, v)| {
        let _ = write!(text, " {name}={v:.4}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Weights;
    use records::{Metrics, Time};

    #[test]
    fn a_plain_line_has_the_step_the_split_and_the_metrics_it_has() {
        let mut metrics = Metrics::default();
        metrics.push("loss", 3.0);
        metrics.push("policy_loss", 2.5);
        metrics.push("map_loss", 1.25);
        let time = Time { unix_s: 0.0, wall_s: 1.0, positions_per_s: 120.4 };
        let line = MetricLine { step: 50, split: Part::Train, weights: Weights::Raw, epochs: 0.5, metrics, time };
        let mut out = Vec::new();
        Plain { steps: 600, to: &mut out }.line(&line).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "step=50/600 split=train policy_loss=2.5000 map_loss=1.2500 positions_per_s=120\n"
        );
    }
}
