//! Nadam's schedule of momenta.

use super::moments::Update;
use super::{NadamConfig, OptimizerProgress};

impl NadamConfig {
    /// The momentum of step `t`, counted from 1: β₁·(1 − ½·0.96ᵗ). (Keras since 2.11 has no further exponent; PyTorch's
    /// NAdam has 0.004, optax has no schedule.)
    fn momentum(&self, t: u64) -> f64 {
        self.beta1 * (1.0 - 0.5 * 0.96f64.powf(t as f64))
    }

    /// The step `progress.steps`, which was counted already; multiplies its momentum into the product.
    ///
    /// Keras: θ ← θ − lr·(μₜ₊₁·m/(1 − Πₜ₊₁) + (1 − μₜ)·g/(1 − Πₜ)) / (√(v/(1 − β₂ᵗ)) + ε), Πₜ = μ₁·…·μₜ. Here both sides
    /// of the fraction are multiplied by √(1 − β₂ᵗ), and the product of momenta is kept in f64 instead of f32.
    pub(super) fn next(&self, progress: &mut OptimizerProgress, learning_rate: f64) -> Update {
        let t = progress.steps;
        let (momentum, next_momentum) = (self.momentum(t), self.momentum(t + 1));
        progress.momentum_product *= momentum;
        let product = progress.momentum_product;
        let root = (1.0 - self.beta2.powf(t as f64)).sqrt();
        Update {
            beta1: self.beta1,
            beta2: self.beta2,
            first_weight: -learning_rate * root * next_momentum / (1.0 - product * next_momentum),
            gradient_weight: -learning_rate * root * (1.0 - momentum) / (1.0 - product),
            epsilon: self.epsilon * root,
        }
    }
}
