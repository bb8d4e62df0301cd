//! The input embedding.

use crate::config::ChessformerConfig;
use nn::{Activation, Init, Linear, Scope, Views};
use tch::Tensor;

/// `activation(x·Wᵀ + b)`, the same for every token, W from Glorot's normal initialiser.
///
/// The "old" embedding of Lc0's training code (`tf/tfprocess.py`, `embedding_style: old`); the gates that it applies
/// behind are a position encoding here.
#[derive(Debug)]
pub(crate) struct Embedding {
    dense: Linear,
    activation: Activation,
}

impl Embedding {
    pub(crate) fn declare(scope: &mut Scope<'_>, channels: usize, config: &ChessformerConfig) -> Self {
        let (inputs, outputs) = (channels as i64, config.width as i64);
        let dense = Linear::declare(scope, inputs, outputs, Init::glorot_normal(inputs, outputs, 1.0), true);
        Self { dense, activation: config.activation }
    }

    /// `[b,l,c]` → `[b,l,d]`.
    pub(crate) fn forward(&self, views: &Views, x_blc: &Tensor) -> Tensor {
        self.activation.apply(&self.dense.forward(views, x_blc))
    }

    /// None: every token goes through the same weights.
    pub(crate) fn position_sources(&self) -> Vec<&'static str> {
        Vec::new()
    }

    pub(crate) fn macs_per_token(&self) -> u64 {
        self.dense.macs()
    }
}
