//! A residual network whose last blocks are attention layers: Yamaoka's for shogi.
//!
//! ```text
//! planes ─ stem ─ residual block × N ─ embed ─ attention layer × M ─ the heads of a residual network
//! ```
//!
//! Convolutions and heads are [`super::resnet`]'s, the attention layers [`crate::layers::body`]'s with all injection points of encodings.
//! Reference: TadaoYamaoka/DeepLearningShogi, branch feature/resnet-transformer,
//! `dlshogi/network/policy_value_network_transformer.py`, whose dropout of 0.1 is the option `dropout`.

use super::resnet::{Resnet, heads};
use super::trunk::{Declared, Trunk, TrunkMacs};
use crate::config::{EmbedAt, GameSpec, ModelError, ResnetTransformerConfig};
use crate::layers::body::Body;
use encodings::{EncodingConfig, LayerContext, Stack};
use nn::{LayoutBuilder, Part};
use tch::Tensor;

#[derive(Debug)]
struct ResnetTransformer {
    resnet: Resnet,
    attention: Body,
    embed: EmbedAt,
    length: u64,
}

/// Declares `embedding` (the stem) and `body`, the residual blocks in `body.residual`, the attention layers in
/// `body.attention`.
pub(super) fn declare(
    builder: &mut LayoutBuilder,
    encodings: &[EncodingConfig],
    spec: &GameSpec,
    config: &ResnetTransformerConfig,
) -> Result<Declared, ModelError> {
    let tokens = spec.tokens();
    let stem = &mut builder.scope("embedding", Part::Trunk);
    let resnet = Resnet::declare(stem, spec.input, &tokens, &config.resnet)?;
    let mut body = builder.scope("body", Part::Trunk);
    let resnet = resnet.with_blocks(&mut body.sub("residual"), &config.resnet);
    let attention = Body::declare(&mut body.sub("attention"), &config.body());
    let stack = Stack::declare(encodings, &mut builder.scope("encoding", Part::Encoding), config.dims(), &tokens)?;
    let heads = heads::declare(builder, &config.resnet, &tokens, spec.moves);
    let trunk = ResnetTransformer { resnet, attention, embed: config.embed, length: tokens.len() as u64 };
    Ok(Declared { trunk: Box::new(trunk), stack, heads, tokens })
}

impl Trunk for ResnetTransformer {
    fn forward(&self, at: LayerContext<'_>, stack: &Stack) -> Tensor {
        let tokens = match self.embed {
            EmbedAt::Attention => stack.embed(at, self.resnet.forward_with(at, |x| x)),
            EmbedAt::Stem => self.resnet.forward_with(at, |x| stack.embed(at, x)),
        };
        self.attention.forward(at, stack, tokens.contiguous().to_kind(tch::Kind::Float), None)
    }

    /// The position sources of the convolutions.
    fn position_sources(&self) -> Vec<&'static str> {
        Resnet::sources()
    }

    fn macs(&self, encoding: u64) -> TrunkMacs {
        let (embedding, blocks) = (self.resnet.input_macs(), self.resnet.body_macs());
        TrunkMacs {
            trunk: embedding + blocks + self.attention.macs(self.length),
            embedding,
            encoding,
            weights: embedding + blocks + self.length * self.attention.weight_macs_per_token(),
            ..TrunkMacs::default()
        }
    }
}
