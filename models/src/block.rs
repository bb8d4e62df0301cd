//! One block of the body: attention and feed-forward, each in a residual branch with a normalisation.

use crate::attention::Attention;
use crate::body::BodyConfig;
use crate::feed_forward::FeedForward;
use crate::residual::Residual;
use encodings::{LayerContext, Stack};
use nn::{Norm, Scope};
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
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let (width, kind, residual) = (config.width(), config.normalisation, config.residual());
        Self {
            attention: Attention::declare(&mut scope.sub("attention"), config),
            attention_norm: Norm::declare(&mut scope.sub("attention_norm"), width, kind),
            feed_forward: FeedForward::declare(&mut scope.sub("feed_forward"), config),
            feed_forward_norm: Norm::declare(&mut scope.sub("feed_forward_norm"), width, kind),
            residual,
        }
    }

    /// `[b,l,d]` → `[b,l,d]`.
    pub(crate) fn forward(&self, at: LayerContext<'_>, stack: &Stack, x_bld: &Tensor, mask: Option<&Tensor>) -> Tensor {
        let attend = |x: &Tensor| self.attention.forward(at, stack, x, mask);
        let x = self.residual.apply(at.views, &self.attention_norm, x_bld, attend);
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
