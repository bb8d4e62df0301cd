//! Activation functions by name.

use crate::fused::mish::bias_mish;
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
    /// max(x, 0)² (So et al. 2021, arXiv 2109.08668; `RELU_2` of Lc0).
    Relu2,
    /// λ·x above 0, λ·α·(eˣ − 1) below (Klambauer et al. 2017, arXiv 1706.02515).
    Selu,
    /// tanh x.
    Tanh,
    /// 1 / (1 + e⁻ˣ).
    Sigmoid,
    /// x itself.
    Identity,
}

impl Activation {
    /// Applies it, shape unchanged.
    pub fn apply(self, x: &Tensor) -> Tensor {
        match self {
            Self::Mish => bias_mish(x, None).unwrap_or_else(|| x.mish()),
            Self::Gelu => x.gelu("none"),
            Self::GeluTanh => x.gelu("tanh"),
            Self::Swish => x.silu(),
            Self::Relu => x.relu(),
            Self::Relu2 => x.relu().square(),
            Self::Selu => x.selu(),
            Self::Tanh => x.tanh(),
            Self::Sigmoid => x.sigmoid(),
            Self::Identity => x.shallow_clone(),
        }
    }
}
