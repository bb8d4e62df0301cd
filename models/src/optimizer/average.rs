//! Averages of the weights over steps, beside the weights that are trained: one operation on the flat store.

use serde::{Deserialize, Serialize};
use tch::{TchError, Tensor};

/// The kind of average, as experiments write it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AverageConfig {
    /// Stochastic weight averaging in the form of Lc0's training code (`tf/tfprocess.py`).
    Swa(SwaConfig),
}

/// Every `every` steps `average ← average·n/(n + 1) + weights/(n + 1)` and `n ← min(n + 1, max_n)`, `n` from 0: the mean of
/// the first `max_n + 1` of them, then an exponential moving average of decay `max_n/(max_n + 1)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SwaConfig {
    /// Steps between two updates.
    pub every: u64,
    /// The largest n.
    pub max_n: u64,
}

impl Default for SwaConfig {
    fn default() -> Self {
        Self { every: 100, max_n: 10 }
    }
}

/// An option that must not be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}: 0 is too few; write a whole number, 1 or more")]
pub struct AverageError(&'static str);

impl AverageConfig {
    /// An error if an option is 0.
    pub fn check(&self) -> Result<(), AverageError> {
        match *self {
            Self::Swa(SwaConfig { every: 0, .. }) => Err(AverageError("every")),
            Self::Swa(SwaConfig { max_n: 0, .. }) => Err(AverageError("max_n")),
            Self::Swa(_) => Ok(()),
        }
    }

    /// The first step (from 1) after which there is an average.
    pub fn begins_at(&self) -> u64 {
        let Self::Swa(swa) = self;
        swa.every
    }

    /// The factor of the weights in the average of step `step` (from 1) after `updates` updates; `None` at a step that
    /// does not change the average.
    fn share(&self, step: u64, updates: u64) -> Option<f64> {
        let Self::Swa(SwaConfig { every, max_n }) = *self;
        step.is_multiple_of(every).then(|| 1.0 / (updates.min(max_n) + 1) as f64)
    }
}

/// An average with its weights in layout order, on the device of the parameters.
#[derive(Debug)]
pub struct Average {
    config: AverageConfig,
    flat: Tensor,
    updates: u64,
}

impl Average {
    /// An average without an update, for parameters like `flat`.
    pub fn new(config: AverageConfig, flat: &Tensor) -> Result<Self, TchError> {
        config.check().map_err(|error| TchError::Torch(error.to_string()))?;
        Ok(Self { config, flat: flat.f_zeros_like()?, updates: 0 })
    }

    /// Takes the weights after step `step`, counted from 1.
    pub fn update(&mut self, weights: &Tensor, step: u64) -> Result<(), TchError> {
        if let Some(share) = self.config.share(step, self.updates) {
            // With a share of 1 this is the weights themselves, to the bit.
            let _average = self.flat.f_lerp_(weights, share)?;
            self.updates += 1;
        }
        Ok(())
    }

    /// The averaged weights; `None` before the first update.
    pub fn flat(&self) -> Option<&Tensor> {
        (self.updates > 0).then_some(&self.flat)
    }

    /// How many updates there were.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Takes over a saved average of `updates` updates, from any device.
    pub fn load(&mut self, flat: &Tensor, updates: u64) -> Result<(), TchError> {
        self.flat.f_copy_(flat)?;
        self.updates = updates;
        Ok(())
    }
}
