//! Sums over evaluated rows, and the means that they become.

use super::metrics::{self, Metric, NOVEL};
use crate::config::Mask;
use crate::sinks::Metrics;
use games::Phase;

/// What is measured on every row, and which target it needs.
pub(super) const ROWS: [(&str, Target); 9] = [
    ("policy_loss", Target::Policy),
    ("policy_kl", Target::Policy),
    ("policy_accuracy", Target::Policy),
    ("policy_top5", Target::Policy),
    ("policy_accuracy_unmasked", Target::Policy),
    ("legal_mass", Target::Policy),
    ("uniform_baseline", Target::Policy),
    ("value_loss", Target::Value),
    ("value_accuracy", Target::Value),
];

/// What a row must have for a measurement to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A move that is a policy target.
    Policy,
    /// A known outcome.
    Value,
}

/// One evaluated position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// In the order of [`ROWS`].
    pub(super) values: [f32; ROWS.len()],
    pub(super) has_policy: bool,
    pub(super) has_value: bool,
    /// Index in [`Phase::ALL`].
    pub(super) phase: usize,
    pub(super) novel: bool,
}

/// Sums over all rows and over those of each bucket, in the order in which rows come.
#[derive(Debug, Default)]
pub(super) struct Tally {
    all: Bucket,
    phases: [Bucket; Phase::ALL.len()],
    novel: Bucket,
}

#[derive(Debug, Default)]
struct Bucket {
    positions: u64,
    with_policy: u64,
    with_value: u64,
    sums: [f64; ROWS.len()],
}

impl Tally {
    /// Takes the next row.
    pub(super) fn add(&mut self, row: &Row) {
        self.all.add(row);
        if let Some(phase) = self.phases.get_mut(row.phase) {
            phase.add(row);
        }
        if row.novel {
            self.novel.add(row);
        }
    }

    /// Every metric of the registry that means something for this mask and has rows, in the registry's order.
    pub(super) fn metrics(&self, mask: Mask) -> Metrics {
        let mut out = Metrics::default();
        for metric in metrics::all().iter().filter(|metric| metric.applies(mask)) {
            if let Some(value) = self.value(metric) {
                out.push(&metric.name, value);
            }
        }
        out
    }

    fn value(&self, metric: &Metric) -> Option<f64> {
        match metric.name.split_once('.') {
            None => self.all.value(&metric.name),
            Some((base, NOVEL)) => self.novel.value(base),
            Some((base, bucket)) => {
                let phase = Phase::ALL.iter().position(|phase| phase.name() == bucket)?;
                self.phases[phase].value(base)
            }
        }
    }
}

impl Bucket {
    fn add(&mut self, row: &Row) {
        self.positions += 1;
        self.with_policy += u64::from(row.has_policy);
        self.with_value += u64::from(row.has_value);
        for ((sum, value), (_, target)) in self.sums.iter_mut().zip(row.values).zip(ROWS) {
            let counts = match target {
                Target::Policy => row.has_policy,
                Target::Value => row.has_value,
            };
            if counts {
                *sum += f64::from(value);
            }
        }
    }

    /// A mean over the rows with its target, or a count; `None` without such rows.
    fn value(&self, name: &str) -> Option<f64> {
        match name {
            "positions" => return Some(self.positions as f64),
            "policy_targets" => return Some(self.with_policy as f64),
            "value_targets" => return Some(self.with_value as f64),
            _ => {}
        }
        let place = ROWS.iter().position(|&(row, _)| row == name)?;
        let count = match ROWS[place].1 {
            Target::Policy => self.with_policy,
            Target::Value => self.with_value,
        };
        (count > 0).then(|| self.sums[place] / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f32, phase: usize, has_policy: bool, novel: bool) -> Row {
        Row { values: [value; ROWS.len()], has_policy, has_value: true, phase, novel }
    }

    #[test]
    fn means_divide_by_the_rows_that_have_the_target_in_their_bucket() {
        let mut tally = Tally::default();
        tally.add(&row(1.0, 0, true, false));
        tally.add(&row(2.0, 0, false, true));
        tally.add(&row(6.0, 2, true, true));
        let metrics = tally.metrics(Mask::Eval);
        assert_eq!(metrics.get("policy_loss"), Some(3.5));
        assert_eq!(metrics.get("value_loss"), Some(3.0));
        assert_eq!(metrics.get("policy_loss.opening"), Some(1.0));
        assert_eq!(metrics.get("value_loss.opening"), Some(1.5));
        assert_eq!(metrics.get("policy_loss.novel"), Some(6.0));
        assert_eq!(metrics.get("positions"), Some(3.0));
        assert_eq!(metrics.get("policy_targets"), Some(2.0));
        assert_eq!(metrics.get("value_targets"), Some(3.0));
        assert_eq!(metrics.get("legal_mass.opening"), Some(1.0));
        assert_eq!(metrics.get("policy_kl.endgame"), Some(6.0));
        assert_eq!(metrics.get("positions.opening"), Some(2.0));
        assert_eq!(metrics.get("positions.middlegame"), Some(0.0));
        assert_eq!(metrics.get("policy_loss.middlegame"), None);
    }

    #[test]
    fn every_row_metric_is_in_the_registry_and_illegal_ones_go_with_the_mask() {
        assert!(ROWS.iter().all(|(name, _)| metrics::find(name).is_ok()));
        let mut tally = Tally::default();
        tally.add(&row(1.0, 1, true, false));
        assert_eq!(tally.metrics(Mask::Train).get("legal_mass"), None);
        assert_eq!(tally.metrics(Mask::Eval).get("legal_mass"), Some(1.0));
    }
}
