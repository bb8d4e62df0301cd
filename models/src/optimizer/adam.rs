//! The steps of Adam's family: AdamW's bias corrections, and Nadam's schedule of momenta in Keras' and in PyTorch's form.

use super::config::{AdamwConfig, NadamConfig, NadamTorchConfig};
use super::moments::Update;

/// The numbers of an optimiser that are not tensors, for checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptimizerProgress {
    /// Steps taken.
    pub steps: u64,
    /// The product of Nadam's momenta up to now; 1 for AdamW.
    pub momentum_product: f64,
}

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

impl NadamConfig {
    /// The step `progress.steps`, which was counted already; multiplies its momentum into the product.
    pub(super) fn next(&self, progress: &mut OptimizerProgress, learning_rate: f64) -> Update {
        let Self { beta1, beta2, epsilon, .. } = *self;
        let form = NadamTorchConfig { beta1, beta2, epsilon, momentum_decay: 1.0, ..NadamTorchConfig::default() };
        form.next(progress, learning_rate)
    }
}

impl NadamTorchConfig {
    /// The momentum of step `t`, counted from 1: β₁·(1 − ½·0.96^(t·ψ)). Keras since 2.11 has no ψ (it is 1), PyTorch's
    /// NAdam has ψ = 0.004, optax has no schedule.
    fn momentum(&self, t: u64) -> f64 {
        self.beta1 * (1.0 - 0.5 * 0.96f64.powf(t as f64 * self.momentum_decay))
    }

    /// θ ← θ − lr·(μₜ₊₁·m/(1 − Πₜ₊₁) + (1 − μₜ)·g/(1 − Πₜ)) / (√(v/(1 − β₂ᵗ)) + ε), Πₜ = μ₁·…·μₜ. Here both sides of the
    /// fraction are multiplied by √(1 − β₂ᵗ), and the product of momenta is kept in f64 instead of f32.
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
