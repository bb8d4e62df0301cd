//! The learning rate over steps.

use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A learning rate per step `s`, counted from 0, with a linear warm-up: while `s < warmup` the rate is scaled by
/// `(s + 1) / warmup`, as in Lc0's training code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ScheduleConfig", into = "ScheduleConfig")]
pub struct Schedule {
    warmup: u64,
    curve: RateCurve,
}

#[derive(Debug, Clone, PartialEq)]
enum RateCurve {
    /// `values[i]`, `i` the number of boundaries ≤ `s`.
    Constant {
        values: Vec<f64>,
        boundaries: Vec<u64>,
    },
    Cosine(Cosine),
}

/// Half a cosine from one rate to another (Loshchilov & Hutter 2017, arXiv 1608.03983, eq. 5, without restarts).
///
/// After the warm-up the rate of step `s` is `to + ½·(from − to)·(1 + cos(π·(s − warmup)/(steps − warmup)))`; from step
/// `steps` on it is `to`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cosine {
    /// The rate at the end of the warm-up.
    pub from: f64,
    /// The rate from step `steps` on; 0 by default.
    #[serde(default)]
    pub to: f64,
    /// The step at which `to` is reached; that of the run's end where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
}

/// The schedule in YAML, unchecked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScheduleConfig {
    #[serde(default)]
    warmup: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boundaries: Option<Vec<u64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cosine: Option<Cosine>,
}

impl TryFrom<ScheduleConfig> for Schedule {
    type Error = ScheduleError;

    fn try_from(config: ScheduleConfig) -> Result<Self, ScheduleError> {
        let ScheduleConfig { warmup, values, boundaries, cosine } = config;
        match (values, boundaries, cosine) {
            (None, None, Some(cosine)) => Self::cosine(warmup, cosine),
            (_, _, Some(_)) => Err(ScheduleError::Both),
            (None, _, None) => Err(ScheduleError::Neither),
            (Some(values), boundaries, None) => Self::new(warmup, values, boundaries.unwrap_or_default()),
        }
    }
}

impl From<Schedule> for ScheduleConfig {
    fn from(Schedule { warmup, curve }: Schedule) -> Self {
        match curve {
            RateCurve::Constant { values, boundaries } => {
                Self { warmup, values: Some(values), boundaries: Some(boundaries), cosine: None }
            }
            RateCurve::Cosine(cosine) => Self { warmup, values: None, boundaries: None, cosine: Some(cosine) },
        }
    }
}

/// Why a schedule is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages document the variants")]
pub enum ScheduleError {
    #[error("learning rate: {values} values need {} boundaries between them, but {boundaries} are given", values.saturating_sub(1))]
    Count { values: usize, boundaries: usize },
    #[error("learning rate: values is empty, give at least one rate")]
    Empty,
    #[error("learning rate: `cosine` and `values` with `boundaries` are two schedules; keep one")]
    Both,
    #[error("learning rate: there is no rate; write `values: [rate, …]` or `cosine: {{from: rate}}`")]
    Neither,
    #[error("learning rate: boundaries must increase, but {after} follows {before}")]
    Order { before: u64, after: u64 },
    #[error("learning rate: invalid rate {0}: rates are finite and not negative")]
    Value(f64),
    #[error("learning rate: the cosine ends at step {steps}, but the warm-up takes {warmup} steps")]
    Warmup { steps: u64, warmup: u64 },
}

impl Schedule {
    /// A piecewise constant schedule: from step `boundaries[i]` on the rate is `values[i + 1]`.
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
        values.iter().try_for_each(|&value| check_rate(value))?;
        Ok(Self { warmup, curve: RateCurve::Constant { values, boundaries } })
    }

    /// A cosine that begins after `warmup` steps.
    pub fn cosine(warmup: u64, cosine: Cosine) -> Result<Self, ScheduleError> {
        check_rate(cosine.from)?;
        check_rate(cosine.to)?;
        match cosine.steps {
            Some(steps) if steps <= warmup => Err(ScheduleError::Warmup { steps, warmup }),
            _ => Ok(Self { warmup, curve: RateCurve::Cosine(cosine) }),
        }
    }

    /// The schedule for a run of `steps` steps: a cosine without an explicit end ends with the run.
    pub fn ending_at(self, steps: u64) -> Result<Self, ScheduleError> {
        match self.curve {
            RateCurve::Cosine(cosine @ Cosine { steps: None, .. }) => {
                Self::cosine(self.warmup, Cosine { steps: Some(steps), ..cosine })
            }
            _ => Ok(self),
        }
    }

    /// The rate of a step, counted from 0. A cosine without an end stays at its first rate.
    pub fn at(&self, step: u64) -> f64 {
        let rate = self.curve.at(step, self.warmup);
        if step < self.warmup { rate * (step + 1) as f64 / self.warmup as f64 } else { rate }
    }

    /// Steps of warm-up.
    pub fn warmup(&self) -> u64 {
        self.warmup
    }

    /// The rate at the end of the warm-up.
    pub fn first(&self) -> f64 {
        self.curve.at(0, self.warmup)
    }

    /// Whether it is a cosine.
    pub fn is_cosine(&self) -> bool {
        matches!(self.curve, RateCurve::Cosine(_))
    }

    /// The steps at which the rate's formula changes: the boundaries, or the end of the cosine.
    pub fn changes(&self) -> Vec<u64> {
        match &self.curve {
            RateCurve::Constant { boundaries, .. } => boundaries.clone(),
            RateCurve::Cosine(cosine) => cosine.steps.into_iter().collect(),
        }
    }
}

impl RateCurve {
    fn at(&self, step: u64, warmup: u64) -> f64 {
        match self {
            Self::Constant { values, boundaries } => values[boundaries.partition_point(|&boundary| boundary <= step)],
            Self::Cosine(Cosine { from, to, steps }) => {
                let Some(steps) = steps else { return *from };
                let (done, all) = (step.saturating_sub(warmup), steps.saturating_sub(warmup));
                if done >= all { *to } else { to + 0.5 * (from - to) * (1.0 + (PI * done as f64 / all as f64).cos()) }
            }
        }
    }
}

fn check_rate(value: f64) -> Result<(), ScheduleError> {
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(ScheduleError::Value(value)) }
}
