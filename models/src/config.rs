//! What a network is made of, as experiments write it.

use crate::preset::Preset;
use encodings::{Dims, EncodingError};
use nn::{Activation, DuplicateName, NormKind};
use serde::{Deserialize, Serialize};

/// A network, by its architecture or by a preset of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelConfig {
    /// The encoder of Chessformer with its attention policy and a win/draw/loss head.
    Chessformer(ChessformerConfig),
    /// A published network, by name.
    Preset(Preset),
}

impl ModelConfig {
    /// The architecture with every size written out.
    ///
    /// # Errors
    /// If a size is zero or the heads do not divide the width.
    pub fn resolve(&self) -> Result<ChessformerConfig, ModelError> {
        let config = match self {
            Self::Chessformer(config) => config.clone(),
            Self::Preset(preset) => preset.config(),
        };
        config.check()?;
        Ok(config)
    }
}

/// An architecture that [`ModelConfig`] can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelDescription {
    /// Its name in YAML.
    pub name: &'static str,
    /// What it is, in a line.
    pub description: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// Every architecture, for `posenc list models`.
#[must_use]
pub fn models() -> &'static [ModelDescription] {
    &[ModelDescription {
        name: "chessformer",
        description: "encoder with one token per square, attention policy head, win/draw/loss head",
        source: "Monroe & Chalmers 2024, arXiv 2409.12272",
    }]
}

/// Sizes and choices of the Chessformer network. The sizes that an experiment is about have no default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChessformerConfig {
    /// Attention blocks.
    pub layers: usize,
    /// Width `d` of every token.
    pub width: usize,
    /// Attention heads; they divide the width.
    pub heads: usize,
    /// Width of the feed-forward layer's inside.
    pub ff: usize,
    /// Where the normalisations stand.
    #[serde(default)]
    pub norm: NormPlace,
    /// Which normalisation.
    #[serde(default = "rms")]
    pub normalisation: NormKind,
    /// The activation of the embedding, the feed-forward layers and the heads.
    #[serde(default = "mish")]
    pub activation: Activation,
    /// Whether queries, keys and values have biases.
    #[serde(default)]
    pub qkv_bias: bool,
    /// The policy head.
    #[serde(default)]
    pub policy: PolicyConfig,
    /// The value head.
    #[serde(default)]
    pub value: ValueConfig,
}

fn rms() -> NormKind {
    NormKind::Rms
}

fn mish() -> Activation {
    Activation::Mish
}

/// Where a block normalises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormPlace {
    /// After each residual sum, with DeepNorm's scaling (Wang et al. 2022, arXiv 2203.00555).
    #[default]
    Post,
    /// Before each sublayer, and once after the last block (Xiong et al. 2020, arXiv 2002.04745).
    Pre,
}

/// Sizes of the policy head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyConfig {
    /// Width of the embedding from which queries and keys are made; the network's width by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<usize>,
    /// Width of queries and keys; the network's width by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// Sizes of the value head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ValueConfig {
    /// Channels that each square is reduced to.
    pub embedding: usize,
    /// Width of the hidden layer.
    pub hidden: usize,
    /// How the squares become one vector.
    pub pool: Pool,
}

impl Default for ValueConfig {
    fn default() -> Self {
        Self { embedding: 32, hidden: 128, pool: Pool::Flatten }
    }
}

/// How the squares become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// Side by side: a weight per square, so a source of position.
    #[default]
    Flatten,
    /// Their mean, which cannot tell squares apart.
    Mean,
}

impl ChessformerConfig {
    /// The sizes that encodings need.
    #[must_use]
    pub fn dims(&self) -> Dims {
        Dims { width: self.width, heads: self.heads, layers: self.layers }
    }

    /// Width of the policy's embedding.
    #[must_use]
    pub fn policy_embedding(&self) -> usize {
        self.policy.embedding.unwrap_or(self.width)
    }

    /// Width of the policy's queries and keys.
    #[must_use]
    pub fn policy_depth(&self) -> usize {
        self.policy.depth.unwrap_or(self.width)
    }

    fn check(&self) -> Result<(), ModelError> {
        let sizes = [
            ("layers", self.layers),
            ("width", self.width),
            ("heads", self.heads),
            ("ff", self.ff),
            ("policy.embedding", self.policy_embedding()),
            ("policy.depth", self.policy_depth()),
            ("value.embedding", self.value.embedding),
            ("value.hidden", self.value.hidden),
        ];
        if let Some((name, _)) = sizes.into_iter().find(|&(_, size)| size == 0) {
            return Err(ModelError::Zero { name });
        }
        if !self.width.is_multiple_of(self.heads) {
            return Err(ModelError::heads_do_not_divide(self.width, self.heads));
        }
        Ok(())
    }
}

/// Why a network cannot be declared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A size is zero.
    #[error("model: {name} is 0, it must be at least 1")]
    Zero {
        /// The option.
        name: &'static str,
    },
    /// The heads do not divide the width.
    #[error(
        "model: heads: {heads} do not divide width: {width}; nearest that fit: heads: {}, or width: {}",
        any_of(nearest_heads),
        any_of(nearest_widths)
    )]
    HeadsDoNotDivide {
        /// The width.
        width: usize,
        /// The heads.
        heads: usize,
        /// Head counts that divide this width.
        nearest_heads: Vec<usize>,
        /// Widths that these heads divide.
        nearest_widths: Vec<usize>,
    },
    /// An encoding refuses its options or the sizes.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// Two parameters got the same name.
    #[error(transparent)]
    DuplicateName(#[from] DuplicateName),
}

impl ModelError {
    fn heads_do_not_divide(width: usize, heads: usize) -> Self {
        let divides = |h: &usize| width.is_multiple_of(*h);
        let below = (1..heads.min(width + 1)).rev().find(divides);
        let above = (heads + 1..=width).find(divides);
        let narrower = width / heads * heads;
        let nearest_widths = [narrower, narrower + heads].into_iter().filter(|&w| w > 0).collect();
        Self::HeadsDoNotDivide { width, heads, nearest_heads: below.into_iter().chain(above).collect(), nearest_widths }
    }
}

fn any_of(choices: &[usize]) -> String {
    choices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}
