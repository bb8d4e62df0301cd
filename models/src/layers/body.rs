//! The body: a row of blocks, passed once or several times, and with `norm: pre` one more norm after them.
//! A block is attention and feed-forward, each in a residual branch with a normalisation; [`super::residual`] defines how
//! these and the residual stream go together.

use super::attention::Attention;
use super::feed_forward::FeedForward;
use super::residual::{Residual, Stream, Sublayer};
use crate::config::{BodyConfig, NormPlace};
use encodings::{LayerContext, Stack};
use nn::{Norm, Scope, TokenLayers};
use tch::Tensor;

/// The attention layers of a network. They add no information about positions: attention does not depend on the order of
/// tokens, and every other operation acts on each token alone.
#[derive(Debug)]
pub(crate) struct Body {
    blocks: Vec<Block>,
    loops: usize,
    stream: Stream,
    final_norm: Option<Norm>,
}

impl Body {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let blocks = (0..config.dims.layers).map(|i| Block::declare(&mut scope.sub(i), config)).collect();
        let final_norm = (config.norm == NormPlace::Pre)
            .then(|| Norm::declare(&mut scope.sub("final_norm"), config.width(), config.normalisation));
        Self { blocks, loops: config.loops, stream: Stream::of(config), final_norm }
    }

    /// `[b,l,d]` → `[b,l,d]`. `at.layer` is set for each block; `mask` as in [`Attention`].
    pub(crate) fn forward(&self, at: LayerContext<'_>, stack: &Stack, x_bld: Tensor, mask: Option<&Tensor>) -> Tensor {
        let x_bld = x_bld.to_kind(self.stream.kind(at.views));
        stack.record_stream(&x_bld);
        let passes = (0..self.loops).flat_map(|_| self.blocks.iter().enumerate());
        let x = passes.fold(x_bld, |x, (layer, block)| {
            let x = block.forward(LayerContext { layer, ..at }, stack, &x, mask);
            stack.record_stream(&x);
            x
        });
        match &self.final_norm {
            Some(norm) => norm.forward(at.views, &x),
            None => x,
        }
    }

    pub(crate) fn weight_macs_per_token(&self) -> u64 {
        self.loops as u64 * self.blocks.iter().map(Block::weight_macs_per_token).sum::<u64>()
    }

    pub(crate) fn macs(&self, length: u64) -> u64 {
        self.loops as u64 * self.blocks.iter().map(|block| block.macs(length)).sum::<u64>()
    }
}

#[derive(Debug)]
struct Block {
    attention: Attention,
    attention_norm: Norm,
    feed_forward: FeedForward,
    feed_forward_norm: Norm,
    /// Of attention, of the feed-forward layer.
    residuals: [Residual; 2],
    /// The share of attention weights, and of the feed-forward layer's outputs, that training drops.
    dropout: f64,
}

impl Block {
    fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let (width, kind) = (config.width(), config.normalisation);
        Self {
            attention: Attention::declare(&mut scope.sub("attention"), config),
            attention_norm: Norm::declare(&mut scope.sub("attention_norm"), width, kind),
            feed_forward: FeedForward::declare(&mut scope.sub("feed_forward"), config),
            feed_forward_norm: Norm::declare(&mut scope.sub("feed_forward_norm"), width, kind),
            residuals: [Sublayer::Attention, Sublayer::FeedForward].map(|sublayer| Residual::of(config, sublayer)),
            dropout: config.dropout,
        }
    }

    fn forward(&self, at: LayerContext<'_>, stack: &Stack, x_bld: &Tensor, mask: Option<&Tensor>) -> Tensor {
        let views = at.views;
        let normed = self.residuals[0].norms_inputs().then(|| self.attention_norm.forward(views, x_bld));
        let mixed = self.attention.mixture(at, stack, normed.as_ref().unwrap_or(x_bld), mask);
        let in_one = self.token_layers().filter(|_| !views.drop_numbers(self.dropout));
        if let Some(output) = in_one.and_then(|layers| layers.forward(views, x_bld, &mixed)) {
            return output;
        }
        let [(of_attention, factor), (of_feed_forward, feed_factor)] =
            self.residuals.map(|residual| residual.in_weights(views.device()));
        let attended = self.attention.out().forward_times(views, &mixed, factor);
        let x = of_attention.add(views, &self.attention_norm, x_bld, &attended);
        let normed = of_feed_forward.norms_inputs().then(|| self.feed_forward_norm.forward(views, &x));
        let fed = self.feed_forward.forward(views, normed.as_ref().unwrap_or(&x), feed_factor);
        of_feed_forward.add(views, &self.feed_forward_norm, &x, &views.dropout(&fed, self.dropout))
    }

    /// Everything after the mixture, where one operation computes it.
    fn token_layers(&self) -> Option<TokenLayers<'_>> {
        let (inner, outer, activation) = self.feed_forward.dense_layers()?;
        let [attention, feed_forward] = self.residuals;
        let factors = attention.common_factors(feed_forward).filter(|_| !attention.norms_inputs())?;
        let norms = [&self.attention_norm, &self.feed_forward_norm];
        Some(TokenLayers { out: self.attention.out(), inner, outer, norms, activation, factors })
    }

    fn weight_macs_per_token(&self) -> u64 {
        self.attention.weight_macs_per_token() + self.feed_forward.macs_per_token()
    }

    fn macs(&self, length: u64) -> u64 {
        length * self.weight_macs_per_token() + self.attention.product_macs(length)
    }
}
