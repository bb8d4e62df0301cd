//! One block of the body: attention and feed-forward, each in a residual branch with a normalisation.

use crate::attention::Attention;
use crate::body::BodyConfig;
use crate::feed_forward::FeedForward;
use crate::residual::Residual;
use encodings::{LayerContext, Stack};
use nn::{Norm, Scope, TokenLayers};
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

    pub(crate) fn forward(&self, at: LayerContext<'_>, stack: &Stack, x_bld: &Tensor, mask: Option<&Tensor>) -> Tensor {
        let views = at.views;
        let normed = self.residual.norms_inputs().then(|| self.attention_norm.forward(views, x_bld));
        let mixed = self.attention.mixture(at, stack, normed.as_ref().unwrap_or(x_bld), mask);
        if let Some(output) = self.token_layers().and_then(|layers| layers.forward(views, x_bld, &mixed)) {
            return output;
        }
        let attended = self.attention.out().forward(views, &mixed);
        let x = self.residual.add(views, &self.attention_norm, x_bld, &attended);
        let normed = self.residual.norms_inputs().then(|| self.feed_forward_norm.forward(views, &x));
        let fed = self.feed_forward.forward(views, normed.as_ref().unwrap_or(&x));
        self.residual.add(views, &self.feed_forward_norm, &x, &fed)
    }

    /// Everything behind the mixture, where it is of the form that one operation computes.
    fn token_layers(&self) -> Option<TokenLayers<'_>> {
        let (inner, outer, activation) = self.feed_forward.dense_layers()?;
        let factors = (!self.residual.norms_inputs()).then(|| self.residual.factors())?;
        let norms = [&self.attention_norm, &self.feed_forward_norm];
        Some(TokenLayers { out: self.attention.out(), inner, outer, norms, activation, factors })
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
