//! Adam's family: AdamW's bias corrections, Nadam's schedule of momenta in Keras' and in PyTorch's form, and the step that running
//! moments of the gradient make.

use super::config::{AdamwConfig, NadamConfig, NadamTorchConfig};
use std::ops::Range;
use tch::{Device, Kind, TchError, Tensor};

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

/// One step of Adam's family: `flat += first_weight·m + gradient_weight·g` over `√v + epsilon`, after
/// `m ← beta1·m + (1−beta1)·g` and `v ← beta2·v + (1−beta2)·g²`. Learning rate, sign and bias corrections are in the
/// weights and in ε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Update {
    pub(super) beta1: f64,
    pub(super) beta2: f64,
    pub(super) first_weight: f64,
    pub(super) gradient_weight: f64,
    pub(super) epsilon: f64,
}

impl Update {
    /// The same with a learning rate `factor` times as high.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { first_weight: self.first_weight * factor, gradient_weight: self.gradient_weight * factor, ..*self }
    }
}

/// Running means of the gradient and of its square, and scratch space, so that a step allocates nothing.
#[derive(Debug)]
pub(super) struct Moments {
    pub(super) first: Tensor,
    pub(super) second: Tensor,
    numerator: Tensor,
    denominator: Tensor,
}

/// Elements that a step takes at once on the CPU, so that they stay in its cache. A multiple of every vector width, so
/// that it does not change results.
const CPU_CHUNK: i64 = 1 << 15;

impl Moments {
    pub(super) fn zeros(len: usize, device: Device) -> Result<Self, TchError> {
        let len = len as i64;
        let scratch = if device == Device::Cpu { CPU_CHUNK.min(len) } else { len };
        let zeros = |len| Tensor::f_zeros([len], (Kind::Float, device));
        Ok(Self { first: zeros(len)?, second: zeros(len)?, numerator: zeros(scratch)?, denominator: zeros(scratch)? })
    }

    /// A step of the elements in `range`.
    pub(super) fn apply(
        &mut self,
        flat: &mut Tensor,
        gradient: &Tensor,
        update: &Update,
        range: Range<usize>,
    ) -> Result<(), TchError> {
        let chunk = self.numerator.numel().max(1);
        for start in range.clone().step_by(chunk) {
            let size = chunk.min(range.end - start);
            let part = |tensor: &Tensor| tensor.f_narrow(0, start as i64, size as i64);
            self.apply_chunk(part(flat)?, part(gradient)?, part(&self.first)?, part(&self.second)?, update)?;
        }
        Ok(())
    }

    fn apply_chunk(
        &self,
        mut flat: Tensor,
        gradient: Tensor,
        mut first: Tensor,
        mut second: Tensor,
        update: &Update,
    ) -> Result<(), TchError> {
        let size = flat.numel() as i64;
        let numerator = self.numerator.f_narrow(0, 0, size)?;
        let mut denominator = self.denominator.f_narrow(0, 0, size)?;
        let _m = first.f_lerp_(&gradient, 1.0 - update.beta1)?;
        let square = gradient.f_square_out(&denominator)?;
        let _v = second.f_lerp_(&square, 1.0 - update.beta2)?;
        let weight = update.first_weight + update.gradient_weight;
        let numerator = match update.gradient_weight {
            0.0 => first,
            gradient_weight => first.f_lerp_scalar_out(&numerator, &gradient, gradient_weight / weight)?,
        };
        let _root = second.f_sqrt_out(&denominator)?;
        let _shifted = denominator.f_add_scalar_(update.epsilon)?;
        let _scaled = denominator.f_mul_scalar_(weight.recip())?;
        let _moved = flat.f_addcdiv_(&numerator, &denominator)?;
        Ok(())
    }
}
