//! A residual network whose last blocks are attention layers: Yamaoka's for shogi.
//!
//! ```text
//! planes ─ stem ─ residual block × N ─ embed ─ attention layer × M ─ the heads of a residual network
//! ```
//!
//! Convolutions and heads are [`crate::resnet`]'s, the attention layers [`crate::body`]'s with all injection points of encodings.
//! Reference: TadaoYamaoka/DeepLearningShogi, branch feature/resnet-transformer,
//! `dlshogi/network/policy_value_network_transformer.py`. Deviation: no dropout, of which it has 0.1 on attention weights
//! and in the feed-forward layers.

pub(crate) mod config;

use crate::body::Body;
use crate::config::{EmbedAt, ModelError, ResnetTransformerConfig};
use crate::resnet::Resnet;
use encodings::{LayerContext, Stack, Tokens};
use games::InputLayout;
use nn::{LayoutBuilder, Part};
use tch::Tensor;

/// The trunk.
#[derive(Debug)]
pub(crate) struct ResnetTransformer {
    resnet: Resnet,
    attention: Body,
    embed: EmbedAt,
}

impl ResnetTransformer {
    /// Declares `embedding` (the stem) and `body`, the residual blocks in `body.residual`, the attention layers in
    /// `body.attention`.
    pub(crate) fn declare(
        builder: &mut LayoutBuilder,
        input: &InputLayout,
        channels: usize,
        tokens: &Tokens,
        config: &ResnetTransformerConfig,
    ) -> Result<Self, ModelError> {
        let stem = &mut builder.scope("embedding", Part::Trunk);
        let resnet = Resnet::declare(stem, input, channels, tokens, &config.resnet)?;
        let mut body = builder.scope("body", Part::Trunk);
        let resnet = resnet.with_blocks(&mut body.sub("residual"), &config.resnet);
        let attention = Body::declare(&mut body.sub("attention"), &config.body());
        Ok(Self { resnet, attention, embed: config.embed })
    }

    /// `[b,n,c]` → `[b,n,channels]`.
    pub(crate) fn forward(&self, at: LayerContext<'_>, stack: &Stack, x_bnc: &Tensor) -> Tensor {
        let tokens = match self.embed {
            EmbedAt::Attention => stack.embed(at, self.resnet.forward(at.views, x_bnc)),
            EmbedAt::Stem => self.resnet.forward_with(at.views, x_bnc, |x| stack.embed(at, x)),
        };
        self.attention.forward(at, stack, tokens.contiguous().to_kind(tch::Kind::Float), None)
    }

    /// Those of the convolutions.
    pub(crate) fn position_sources(&self) -> Vec<&'static str> {
        [Resnet::position_sources(), self.attention.position_sources()].concat()
    }

    /// Multiplications of the stem.
    pub(crate) fn input_macs(&self) -> u64 {
        self.resnet.input_macs()
    }

    /// Multiplications of all blocks for `length` tokens: by weights, and all.
    pub(crate) fn body_macs(&self, length: u64) -> [u64; 2] {
        let blocks = self.resnet.body_macs();
        [blocks + length * self.attention.weight_macs_per_token(), blocks + self.attention.macs(length)]
    }
}
