//! The dense layer.

use crate::{Init, ParamId, Scope, Views};
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
        let bias = bias.then(|| scope.full("bias", &[outputs], Init::ZEROS));
        Self { weight, bias, inputs, outputs }
    }

    /// `[…, in]` → `[…, out]`.
    pub fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        x.linear(&views[self.weight], self.bias.map(|bias| &views[bias]))
    }

    /// Multiplications for one row of input.
    #[must_use]
    pub fn macs(&self) -> u64 {
        (self.inputs * self.outputs) as u64
    }
}
