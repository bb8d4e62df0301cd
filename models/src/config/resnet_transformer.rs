//! Sizes and choices of a residual network followed by attention.

use super::body::{BodyConfig, FeedForwardKind, NormPlace};
use super::defaults::{batch, gelu, is_batch, is_default, is_gelu, is_one, is_post_plain, one, post_plain};
use super::error::{MOST_LAYERS, ModelError, check_dropout, check_limits};
use super::resnet::ResnetConfig;
use encodings::Dims;
use nn::layout::LARGEST_SIZE;
use nn::{Activation, NormKind};
use serde::{Deserialize, Serialize};

/// A residual network whose last blocks are attention layers. The sizes that an experiment is about have no default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResnetTransformerConfig {
    /// The convolutions and the heads; its `channels` are the width of the attention layers, and its
    /// `init` is what these start from too.
    pub resnet: ResnetConfig,
    /// The attention layers between the residual blocks and the heads.
    pub attention: AttentionConfig,
    /// Where encodings that act once act.
    #[serde(default, skip_serializing_if = "is_default")]
    pub embed: EmbedAt,
}

/// Where the encodings' injection point `embed` lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbedAt {
    /// In front of the attention layers, as in dlshogi.
    #[default]
    Attention,
    /// Behind the stem, in front of the first residual block.
    Stem,
}

/// The attention layers. The defaults are those of dlshogi's, without what its code has and its article does not mention
/// (`qkv_groups`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionConfig {
    /// How many attention layers there are.
    pub layers: usize,
    /// Attention heads; they divide the resnet's channels.
    pub heads: usize,
    /// Width of the feed-forward layer's inside.
    pub ff: usize,
    /// The hidden part of the feed-forward layers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ff_kind: FeedForwardKind,
    /// Whether the feed-forward layers have biases.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ff_bias: bool,
    /// The places of the normalisations, and the scale of branches.
    #[serde(default = "post_plain", skip_serializing_if = "is_post_plain")]
    pub norm: NormPlace,
    /// Which norm stands at these places; batch normalisation by default.
    #[serde(default = "batch", skip_serializing_if = "is_batch")]
    pub normalisation: NormKind,
    /// The activation of dense feed-forward layers.
    #[serde(default = "gelu", skip_serializing_if = "is_gelu")]
    pub activation: Activation,
    /// Whether queries, keys and values have biases.
    #[serde(default, skip_serializing_if = "is_default")]
    pub qkv_bias: bool,
    /// Into how many groups the layer of queries, keys and values is cut, as a grouped convolution is; 8 is the committed
    /// code's, where the groups end elsewhere than queries, keys, values and heads do.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub qkv_groups: usize,
    /// Whether attention's output has a bias.
    #[serde(default, skip_serializing_if = "is_default")]
    pub out_bias: bool,
    /// The share of attention weights and of the feed-forward layers' outputs that training drops; 0.1 in dlshogi's code.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dropout: f64,
}

impl ResnetTransformerConfig {
    /// The sizes that encodings need.
    pub fn dims(&self) -> Dims {
        Dims { width: self.resnet.channels, heads: self.attention.heads, layers: self.attention.layers }
    }

    pub(crate) fn body(&self) -> BodyConfig {
        let attention = &self.attention;
        BodyConfig {
            dims: self.dims(),
            ff: attention.ff,
            ff_kind: attention.ff_kind,
            ff_bias: attention.ff_bias,
            norm: attention.norm,
            normalisation: attention.normalisation,
            activation: attention.activation,
            ff_activation: None,
            qkv_bias: attention.qkv_bias,
            qk_norm: false,
            qkv_groups: attention.qkv_groups,
            out_bias: attention.out_bias,
            init: self.resnet.init,
            loops: one(),
            dropout: attention.dropout,
        }
    }

    pub(crate) fn check_sizes(&self) -> Result<(), ModelError> {
        let within = |part| move |error| ModelError::Within { part, error: Box::new(error) };
        self.resnet.check_sizes("resnet_transformer").map_err(within("resnet"))?;
        self.check_attention().map_err(within("attention"))
    }

    fn check_attention(&self) -> Result<(), ModelError> {
        let AttentionConfig { layers, heads, ff, ff_kind, qkv_groups: groups, norm, activation, dropout, .. } =
            self.attention;
        let width = self.resnet.channels;
        let sizes = [("heads", heads), ("ff", ff), ("qkv_groups", groups)];
        check_limits(MOST_LAYERS, &[("layers", layers)])?;
        check_limits(LARGEST_SIZE, &sizes)?;
        if !width.is_multiple_of(heads) {
            return Err(ModelError::heads_do_not_divide(width, heads));
        }
        if !width.is_multiple_of(groups) {
            return Err(ModelError::Groups { groups, width });
        }
        check_dropout(dropout)?;
        if ff_kind != FeedForwardKind::Dense && !is_gelu(&activation) {
            return Err(ModelError::NoEffect { option: "activation", with: "a gated ff_kind" });
        }
        norm.check()?;
        norm.check_start(self.resnet.init)
    }
}
