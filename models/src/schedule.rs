//! The learning rate over steps.

use serde::{Deserialize, Serialize};

/// Piecewise constant with a linear warm-up, as in Lc0's training code.
///
/// At step `s` (from 0) the rate is `values[i]`, `i` the number of boundaries ≤ `s`; while `s < warmup` it is scaled
/// by `(s + 1) / warmup`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Schedule {
    warmup: u64,
    values: Vec<f64>,
    boundaries: Vec<u64>,
}

/// The schedule as YAML has it, unchecked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    warmup: u64,
    values: Vec<f64>,
    #[serde(default)]
    boundaries: Vec<u64>,
}

impl TryFrom<Written> for Schedule {
    type Error = ScheduleError;

    fn try_from(written: Written) -> Result<Self, ScheduleError> {
        Self::new(written.warmup, written.values, written.boundaries)
    }
}

impl From<Schedule> for Written {
    fn from(schedule: Schedule) -> Self {
        Self { warmup: schedule.warmup, values: schedule.values, boundaries: schedule.boundaries }
    }
}

/// Why numbers are no schedule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScheduleError {
    /// There is not one value more than boundaries.
    #[error("learning rate: {values} values need {} boundaries between them, but {boundaries} are given", values.saturating_sub(1))]
    Count {
        /// How many values there are.
        values: usize,
        /// How many boundaries there are.
        boundaries: usize,
    },
    /// There is no value.
    #[error("learning rate: values is empty, give at least one rate")]
    Empty,
    /// Boundaries do not increase.
    #[error("learning rate: boundaries must increase, but {after} follows {before}")]
    Order {
        /// A boundary.
        before: u64,
        /// The one behind it.
        after: u64,
    },
    /// A value is no rate.
    #[error("learning rate: {0} is no rate; rates are finite and not negative")]
    Value(f64),
}

impl Schedule {
    /// A schedule.
    ///
    /// # Errors
    /// If there is not exactly one value more than boundaries, boundaries do not increase, or a value is negative or
    /// not finite.
    pub fn new(warmup: u64, values: Vec<f64>, boundaries: Vec<u64>) -> Result<Self, ScheduleError> {
        if values.is_empty() {
            return Err(ScheduleError::Empty);
        }
        if values.len() != boundaries.len() + 1 {
            return Err(ScheduleError::Count { values: values.len(), boundaries: boundaries.len() });
        }
        if let Some(pair) = boundaries.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(ScheduleError::Order { before: pair[0], after: pair[1] });
        }
        if let Some(&value) = values.iter().find(|value| !value.is_finite() || **value < 0.0) {
            return Err(ScheduleError::Value(value));
        }
        Ok(Self { warmup, values, boundaries })
    }

    /// The rate of a step, counted from 0.
    #[must_use]
    pub fn at(&self, step: u64) -> f64 {
        let value = self.values[self.boundaries.partition_point(|&boundary| boundary <= step)];
        if step < self.warmup { value * (step + 1) as f64 / self.warmup as f64 } else { value }
    }

    /// Steps of warm-up.
    #[must_use]
    pub fn warmup(&self) -> u64 {
        self.warmup
    }

    /// The rates between boundaries.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The steps at which the rate changes.
    #[must_use]
    pub fn boundaries(&self) -> &[u64] {
        &self.boundaries
    }
}
