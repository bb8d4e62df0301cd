//! Running moments of the gradient, and the step that Adam's family makes of them.

use std::ops::Range;
use tch::{Device, Kind, TchError, Tensor};

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
