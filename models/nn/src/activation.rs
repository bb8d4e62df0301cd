//! Activation functions by name.

use crate::mish::mish;
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// An elementwise activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// x·tanh(softplus(x)) (Misra 2019, arXiv 1908.08681).
    Mish,
    /// x·Φ(x), exact (Hendrycks & Gimpel 2016, arXiv 1606.08415).
    Gelu,
    /// x·Φ(x) by its approximation with tanh: x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) (the same paper, section 2).
    GeluTanh,
    /// x·σ(x), also called SiLU (Ramachandran et al. 2017, arXiv 1710.05941).
    #[serde(alias = "silu")]
    Swish,
    /// max(x, 0).
    Relu,
}

impl Activation {
    /// Applies it, shape unchanged.
    pub fn apply(self, x: &Tensor) -> Tensor {
        match self {
            Self::Mish => mish(x),
            Self::Gelu => x.gelu("none"),
            Self::GeluTanh => x.gelu("tanh"),
            Self::Swish => x.silu(),
            Self::Relu => x.relu(),
        }
    }
}
