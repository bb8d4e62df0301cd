//! The dense layer.

use crate::fused::mish::bias_mish;
use crate::product::dense;
use crate::{Activation, Init, ParamId, Scope, Views, fused};
use tch::Tensor;

/// `y = x·Wᵀ (+ b)`, `W [out, in]`, `b [out]` starting at zero.
#[derive(Debug)]
pub struct Linear {
    weight: ParamId,
    bias: Option<ParamId>,
    inputs: i64,
    outputs: i64,
}

impl Linear {
    /// Declares `weight` and, if asked for, `bias` in `scope`.
    pub fn declare(scope: &mut Scope<'_>, inputs: i64, outputs: i64, init: Init, bias: bool) -> Self {
        let weight = scope.matrix("weight", &[outputs, inputs], init);
        let bias = bias.then(|| scope.cast_param("bias", &[outputs], Init::ZEROS));
        Self { weight, bias, inputs, outputs }
    }

    /// `[…, in]` → `[…, out]`, in the element type of the views' matrices.
    pub fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        let bias = self.bias.map(|bias| views.cast(bias));
        dense(&x.to_kind(views.kind()), &views[self.weight], bias.as_ref())
    }

    /// [`Self::forward`] times a factor that weight and bias are multiplied by, which are fewer numbers than the output.
    pub fn forward_times(&self, views: &Views, x: &Tensor, factor: f64) -> Tensor {
        if factor == 1.0 {
            return self.forward(views, x);
        }
        let bias = self.bias.map(|bias| views.cast_times(bias, factor));
        dense(&x.to_kind(views.kind()), &(&views[self.weight] * factor), bias.as_ref())
    }

    /// The activation of [`Self::forward`]; where it can, in one pass with the bias.
    pub fn forward_activated(&self, views: &Views, x: &Tensor, activation: Activation) -> Tensor {
        match (activation, self.bias) {
            (Activation::Mish, Some(bias)) if fused::supports(&fused::widened(x)) && views.kind() == x.kind() => {
                let product = dense(x, &views[self.weight], None);
                bias_mish(&product, Some(&views[bias])).expect("products are of their operands' kind")
            }
            _ => activation.apply(&self.forward(views, x)),
        }
    }

    /// The weight and the bias.
    pub(crate) fn parameters(&self) -> (ParamId, Option<ParamId>) {
        (self.weight, self.bias)
    }

    /// Multiplications for one row of input.
    pub fn macs(&self) -> u64 {
        (self.inputs * self.outputs) as u64
    }
}
