//! The feed-forward layer.

use crate::config::ChessformerConfig;
use nn::{Activation, Init, Linear, Scope, Views};
use tch::Tensor;

/// `W₂·activation(W₁·x + b₁) + b₂`, both weights from Glorot's normal initialiser with variance scaled by `gain` (see
/// [`crate::body`]).
#[derive(Debug)]
pub(crate) struct FeedForward {
    hidden: Linear,
    out: Linear,
    activation: Activation,
}

impl FeedForward {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &ChessformerConfig, gain: f64) -> Self {
        let (d, ff) = (config.width as i64, config.ff as i64);
        let init = || Init::glorot_normal(d, ff, gain);
        let hidden = Linear::declare(&mut scope.sub("hidden"), d, ff, init(), true);
        let out = Linear::declare(&mut scope.sub("out"), ff, d, init(), true);
        Self { hidden, out, activation: config.activation }
    }

    /// `[b,l,d]` → `[b,l,d]`.
    pub(crate) fn forward(&self, views: &Views, x_bld: &Tensor) -> Tensor {
        let hidden = self.activation.apply(&self.hidden.forward(views, x_bld));
        self.out.forward(views, &hidden)
    }

    /// Multiplications for one token.
    pub(crate) fn macs_per_token(&self) -> u64 {
        self.hidden.macs() + self.out.macs()
    }
}
