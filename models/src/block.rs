//! One block of the body: attention and feed-forward, each in a residual branch with a normalisation.

use crate::attention::Attention;
use crate::config::{ChessformerConfig, NormPlace};
use crate::feed_forward::FeedForward;
use encodings::{At, Stack};
use nn::{Norm, Scope, Views};
use tch::Tensor;

#[derive(Debug)]
pub(crate) struct Block {
    attention: Attention,
    attention_norm: Norm,
    feed_forward: FeedForward,
    feed_forward_norm: Norm,
    residual: Residual,
}

impl Block {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &ChessformerConfig, residual: Residual) -> Self {
        let (width, kind) = (config.width as i64, config.normalisation);
        let gain = residual.variance_gain();
        Self {
            attention: Attention::declare(&mut scope.sub("attention"), config, gain),
            attention_norm: Norm::declare(&mut scope.sub("attention_norm"), width, kind),
            feed_forward: FeedForward::declare(&mut scope.sub("feed_forward"), config, gain),
            feed_forward_norm: Norm::declare(&mut scope.sub("feed_forward_norm"), width, kind),
            residual,
        }
    }

    /// `[b,l,d]` → `[b,l,d]`.
    pub(crate) fn forward(&self, at: At<'_>, stack: &Stack, x_bld: &Tensor) -> Tensor {
        let x = self.residual.apply(at.views, &self.attention_norm, x_bld, |x| self.attention.forward(at, stack, x));
        self.residual.apply(at.views, &self.feed_forward_norm, &x, |x| self.feed_forward.forward(at.views, x))
    }

    /// Multiplications by weights for one token.
    pub(crate) fn weight_macs_per_token(&self) -> u64 {
        self.attention.weight_macs_per_token() + self.feed_forward.macs_per_token()
    }

    /// All multiplications for a sequence.
    pub(crate) fn macs(&self, length: u64) -> u64 {
        length * self.weight_macs_per_token() + self.attention.product_macs(length)
    }
}

/// How a sublayer, its norm and the residual stream go together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Residual {
    /// `Norm(x + α·Sub(x))`.
    Post {
        /// The branch's scale α.
        alpha: f64,
        /// The gain β of the variance of values, output and feed-forward weights.
        beta: f64,
    },
    /// `x + Sub(Norm(x))`.
    Pre,
}

impl Residual {
    /// The form that suits a body of `layers` blocks (see [`crate::body`]).
    pub(crate) fn of(place: NormPlace, layers: usize) -> Self {
        let layers = layers as f64;
        match place {
            NormPlace::Post => Self::Post { alpha: (2.0 * layers).powf(-0.25), beta: (8.0 * layers).powf(-0.25) },
            NormPlace::Pre => Self::Pre,
        }
    }

    fn variance_gain(self) -> f64 {
        match self {
            Self::Post { beta, .. } => beta,
            Self::Pre => 1.0,
        }
    }

    fn apply(self, views: &Views, norm: &Norm, x: &Tensor, sublayer: impl FnOnce(&Tensor) -> Tensor) -> Tensor {
        match self {
            Self::Post { alpha, .. } => norm.forward(views, &(sublayer(x) * alpha + x)),
            Self::Pre => sublayer(&norm.forward(views, x)) + x,
        }
    }
}
