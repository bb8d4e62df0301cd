//! A curriculum: training in phases, each with its own games, weights of the losses and learning rate.
//!
//! ```yaml
//! train:
//!   phases:
//!     - {bucket: 500-1000, epochs: 1}
//!     - {bucket: [1000-1500, 1500-2000], epochs: 2}
//!     - {bucket: 2000+}                       # the steps that are left
//! ```
//! ```yaml
//!   phases:                                   # of all games, in the order that they have without phases
//!     - {steps: 1000, loss: {value: 0}}
//!     - {learning_rate: 0.5}
//! ```
//!
//! Within a phase the order is that of a dataset that holds these games only; where the next phase has the same ones,
//! it goes on in it. A last step's batch is always full: a phase takes as many steps as its epochs need, rounded up.
//! Evaluations use all games in every phase.

use super::data::names;
use super::losses::{LossChanges, LossWeights};
use facts::described;
use facts::numbers::{above_zero_if_any, at_least_one_if_any};
use serde::{Deserialize, Serialize};

described! {
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Rating buckets of its games; all games by default.
    #[serde(default, deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
    pub bucket: Vec<String>,
    /// Passes through its games, rounded up to whole batches.
    #[serde(default, deserialize_with = "above_zero_if_any", skip_serializing_if = "Option::is_none")]
    pub epochs: Option<f64>,
    /// Steps, instead of `epochs`. The last phase has neither.
    #[serde(default, deserialize_with = "at_least_one_if_any", skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Weights that differ from `train.loss` during the phase.
    #[serde(default, skip_serializing_if = "LossChanges::is_empty")]
    pub loss: LossChanges,
    /// Factor on the schedule, which counts all steps.
    #[serde(default, deserialize_with = "above_zero_if_any", skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f64>,
}
}

impl Phase {
    /// How many steps of `batch` rows it takes, if a pass has so many `rows`; `None` for all that are left.
    pub fn steps(&self, rows: u64, batch: usize) -> Option<u64> {
        // 1.1 epochs of 12,800 rows in batches of 256 are 55 steps, and a little more in floating point.
        let steps = |epochs: f64| (epochs * rows as f64 / batch as f64 * (1.0 - 1e-9)).ceil() as u64;
        self.steps.or_else(|| self.epochs.map(steps))
    }

    /// The weights of the losses while it lasts.
    pub fn weights(&self, usual: &LossWeights) -> LossWeights {
        usual.with(&self.loss)
    }
}

#[cfg(test)]
mod tests {
    use super::Phase;

    #[test]
    fn a_part_of_a_pass_takes_no_step_for_a_rounding_error() {
        let steps = |epochs: f64, rows: u64, batch: usize| {
            let phase: Phase = serde_yaml::from_str(&format!("{{epochs: {epochs}}}")).expect("a phase");
            phase.steps(rows, batch)
        };
        assert_eq!([steps(1.1, 12_800, 256), steps(2.2, 12_800, 256)], [Some(55), Some(110)]);
        assert_eq!([steps(1.0, 12_801, 256), steps(0.5, 100, 64)], [Some(51), Some(1)]);
    }
}
