//! AdamW's bias corrections.

use super::moments::Update;
use super::{AdamwConfig, OptimizerProgress};

impl AdamwConfig {
    /// The step `progress.steps`, which was counted already.
    ///
    /// θ ← θ − lr·(m/(1 − β₁ᵗ)) / (√(v/(1 − β₂ᵗ)) + ε), both sides of the fraction multiplied by √(1 − β₂ᵗ).
    pub(super) fn next(&self, progress: &OptimizerProgress, learning_rate: f64) -> Update {
        let t = progress.steps as f64;
        let root = (1.0 - self.beta2.powf(t)).sqrt();
        Update {
            beta1: self.beta1,
            beta2: self.beta2,
            first_weight: -learning_rate * root / (1.0 - self.beta1.powf(t)),
            gradient_weight: 0.0,
            epsilon: self.epsilon * root,
        }
    }
}
