//! Two dense layers on the coordinates of a displacement, for encodings whose logits are a learned function of them.

use crate::Dims;
use nn::{Init, ParamId, Scope, Views};
use tch::Tensor;

/// Coordinates of a displacement: of its ranks and of its files.
const COORDINATES: i64 = 2;

/// W₂·relu(W₁·x + b) for every displacement, without a second bias: it would add the same to all logits of a row. In f32
/// whatever the training precision.
#[derive(Debug)]
pub(crate) struct Perceptron {
    /// W₁ `[hidden, 2]`.
    hidden: ParamId,
    /// b `[hidden]`.
    bias: ParamId,
    /// W₂ `[h, hidden]`.
    out: ParamId,
}

impl Perceptron {
    /// Declares `hidden.weight`, `hidden.bias` and `out.weight`, which start in this order from `starts`.
    pub(crate) fn declare(scope: &mut Scope<'_>, dims: Dims, width: usize, starts: [Init; 3]) -> Self {
        let (heads, width) = (dims.heads as i64, width as i64);
        let [start_of_hidden, start_of_bias, start_of_out] = starts;
        let mut hidden = scope.sub("hidden");
        Self {
            hidden: hidden.f32_param("weight", &[width, COORDINATES], start_of_hidden),
            bias: hidden.f32_param("bias", &[width], start_of_bias),
            out: scope.sub("out").f32_param("weight", &[heads, width], start_of_out),
        }
    }

    pub(crate) fn parameters(&self) -> [ParamId; 3] {
        [self.hidden, self.bias, self.out]
    }

    /// `[classes, 2]` → `[h, classes]`.
    pub(crate) fn forward(&self, views: &Views, x_c2: &Tensor) -> Tensor {
        let hidden = x_c2.matmul(&views[self.hidden].transpose(0, 1)) + &views[self.bias];
        views[self.out].matmul(&hidden.relu().transpose(0, 1))
    }
}
