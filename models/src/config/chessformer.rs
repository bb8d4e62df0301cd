//! Sizes and choices of a Chessformer, as experiments write them.

use super::body::{BodyConfig, FeedForwardKind, InitKind, NormPlace};
use super::cls_parts::PartsConfig;
use super::defaults::{is_default, is_one, is_unit, mish, one, rms, unit, with_defaults, yes};
use super::error::{MOST_LAYERS, ModelError, check_dropout, check_limits};
use super::heads::{MovesLeft, Outputs, PlaneBias, PolicyConfig, PolicyOptions, RewardOptions, check_offered};
use encodings::Dims;
use facts::{HeadName, described};
use games::Vocabulary;
use nn::layout::LARGEST_SIZE;
use nn::{Activation, NormKind};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Temperatures of the soft policy: within them the roots of probabilities of legal moves are normal numbers of f32, and that of 0
/// is 0.
const TEMPERATURES: RangeInclusive<f64> = 0.1..=1000.0;

/// Temperatures of a refinement pass: within them a masked logit stays a finite number of f32.
const REFINEMENT_TEMPERATURES: RangeInclusive<f64> = 0.01..=100.0;

pub(crate) const MOST_REGISTERS: usize = 16;

described! {
/// Sizes and choices of the Chessformer network. The sizes that an experiment is about have no default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChessformerConfig {
    /// Attention blocks.
    pub layers: usize,
    /// Width of every token.
    pub width: usize,
    /// Attention heads; they divide the width.
    pub heads: usize,
    /// Width inside the feed-forward layers.
    pub ff: usize,
    /// How channels become tokens.
    #[serde(default, skip_serializing_if = "is_default")]
    pub embedding: EmbeddingConfig,
    /// Whether the network sees where the board ends.
    #[serde(default, skip_serializing_if = "is_default")]
    pub edge: Edge,
    /// W₂·act(W₁·x + b₁) + b₂, or gated W₂·(g(W·x) ⊙ V·x) with g = σ, swish, exact GELU; `ff` is the width of W and of
    /// V.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ff_kind: FeedForwardKind,
    /// Biases of the feed-forward layers.
    #[serde(default = "yes", skip_serializing_if = "bool::clone")]
    pub ff_bias: bool,
    /// Where blocks normalise, and how they scale branches.
    #[serde(default)]
    pub norm: NormPlace,
    /// The norm.
    #[serde(default = "rms")]
    pub normalisation: NormKind,
    /// Of embedding, feed-forward layers and heads. `gelu` is exact, `relu2` is max(x, 0)².
    #[serde(default = "mish")]
    pub activation: Activation,
    /// Inside dense feed-forward layers; `activation` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ff_activation: Option<Activation>,
    /// Biases of queries, keys and values.
    #[serde(default)]
    pub qkv_bias: bool,
    /// RMS norm of every head's queries and keys, one gain for all heads (arXiv 2010.04245).
    #[serde(default, skip_serializing_if = "is_default")]
    pub qk_norm: bool,
    /// Learned tokens that no head reads, up to 16 (arXiv 2309.16588). Not with `edge: hidden` or `embedding: new`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub registers: usize,
    /// Passes through the blocks with the same weights (arXiv 1807.03819).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub loops: usize,
    /// Share of attention weights, and of feed-forward outputs, that training drops. Masks depend on seed, step and
    /// position only.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dropout: f64,
    /// Bias of attention's output.
    #[serde(default = "yes", skip_serializing_if = "bool::clone")]
    pub out_bias: bool,
    /// Sizes of the policies; the width by default.
    #[serde(default)]
    pub policy: PolicyConfig,
    /// Sizes of each value head. `flatten` is a source of position; `token` reads the summary token without embedding
    /// and hidden layer.
    #[serde(default)]
    pub value: ValueConfig,
    /// The heads (default `policy` and `result`); they replace a preset's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub outputs: Outputs,
    /// A second pass over the likeliest moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<RefinementConfig>,
}
}

/// Sizes of a value head.
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
    /// Their mean, which does not distinguish squares.
    Mean,
    /// The vector of the summary token, without a hidden layer.
    Token,
}

/// How the channels of a token become its vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EmbeddingConfig {
    /// `embed(activation(W·x + b))`: CF-6M's, `embedding_style: old` in Lc0's training code.
    #[default]
    Old,
    /// `embed(W·x + b)`: the linear projection of the Chessformer paper's text (arXiv 2409.12272, A.1).
    Linear,
    /// As `old`, with a fixed map after the channels: a channel for each square, 1 where the vocabulary has a move from
    /// the token's square there, −1 for the square itself, else 0. `PE_MAP` in Lc0's networks (`kPosEncoding`): before
    /// smolgen it was what distinguished their squares. Auxiliary tokens have zeros.
    Reach,
    /// Each token sees a summary of where all pieces stand, made for it alone, and a norm and a feed-forward layer follow:
    /// CF-240M's, `embedding_style: new` in Lc0's training code.
    ///
    /// ```text
    /// s = P·pieces + c                                 pieces of all squares, now; s has `dense` numbers a token
    /// y = embed(Norm(activation(W·[x, s] + b)))
    /// z = Norm(y + α·FeedForward(y))                   α and first weights as in the body's blocks
    /// ```
    New {
        /// Numbers of the summary per token; 512 in CF-240M and in Lc0's BT4.
        dense: usize,
        /// Width of its feed-forward layer's inside; the body's by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ff: Option<usize>,
    },
    /// `embed(W·x)`, W from a standard normal as in PyTorch's `Embedding`: a row of a table for each word where every token
    /// has one channel that is 1 (`tokens_68`).
    Table,
    /// Each token of `cls_tokens` from its own embeddings, without a dense layer: see [`PartsConfig`].
    Parts(PartsConfig),
}

impl EmbeddingConfig {
    /// Its sizes, `dense` and `ff`; 1 where it has or names none.
    fn sizes(self) -> [usize; 2] {
        match self {
            Self::Old | Self::Linear | Self::Reach | Self::Table | Self::Parts(_) => [1, 1],
            Self::New { dense, ff } => [dense, ff.unwrap_or(1)],
        }
    }
}

/// Whether the network sees where the board ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// Attention sees the squares of the board only.
    #[default]
    Shown,
    /// Empty squares outside the board hide it; for `none` and encodings that see displacements only.
    Hidden,
}

/// The configuration of a refinement pass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RefinementConfig {
    /// The number of refined moves; 3 by default, as in the text.
    pub moves: usize,
    /// The first pass's logits are divided by it before they become the probabilities in the candidates' tokens.
    #[serde(skip_serializing_if = "is_unit")]
    pub temperature: f64,
}

impl Default for RefinementConfig {
    fn default() -> Self {
        Self { moves: 3, temperature: unit() }
    }
}

impl RefinementConfig {
    fn check(self, has_policy: bool, is_new_embedding: bool) -> Result<(), ModelError> {
        if !REFINEMENT_TEMPERATURES.contains(&self.temperature) {
            let wanted = "0.01 to 100; 1 leaves the probabilities as they are";
            return Err(ModelError::out_of_range("refinement.temperature", self.temperature, wanted));
        }
        match self.moves {
            2..=5 if !has_policy => Err(ModelError::RefinementWithoutPolicy),
            2..=5 if is_new_embedding => Err(ModelError::RefinementInNewEmbedding),
            2..=5 => Ok(()),
            other => Err(ModelError::out_of_range("refinement.moves", other, "2 to 5; the text's is 3")),
        }
    }
}

impl ChessformerConfig {
    /// A network of these sizes whose options all have their defaults.
    pub(crate) fn of_sizes(layers: usize, width: usize, heads: usize, ff: usize) -> Self {
        with_defaults(&[("layers", layers), ("width", width), ("heads", heads), ("ff", ff)])
    }

    /// Llama's blocks on words, twelve of them: RMS norms before the sublayers, SwiGLU, no bias; the policy is its only
    /// head.
    pub(crate) fn llama_style(width: usize, heads: usize, ff: usize) -> Self {
        Self {
            embedding: EmbeddingConfig::Table,
            ff_kind: FeedForwardKind::Swiglu,
            ff_bias: false,
            norm: NormPlace::Pre,
            out_bias: false,
            value: ValueConfig { pool: Pool::Token, ..ValueConfig::default() },
            outputs: Outputs { policy: Some(PolicyOptions::default()), ..Outputs::none() },
            ..Self::of_sizes(12, width, heads, ff)
        }
    }

    /// The sizes that encodings need.
    pub fn dims(&self) -> Dims {
        Dims { width: self.width, heads: self.heads, layers: self.layers }
    }

    /// Width of the policy's embedding.
    pub fn policy_embedding(&self) -> usize {
        self.policy.embedding.unwrap_or(self.width)
    }

    /// Width of the policy's queries and keys.
    pub fn policy_depth(&self) -> usize {
        self.policy.depth.unwrap_or(self.width)
    }

    pub(crate) fn body(&self) -> BodyConfig {
        BodyConfig {
            dims: self.dims(),
            ff: self.ff,
            ff_kind: self.ff_kind,
            ff_bias: self.ff_bias,
            norm: self.norm,
            normalisation: self.normalisation,
            activation: self.activation,
            ff_activation: self.ff_activation,
            qkv_bias: self.qkv_bias,
            qk_norm: self.qk_norm,
            qkv_groups: 1,
            out_bias: self.out_bias,
            init: InitKind::Glorot,
            loops: self.loops,
            dropout: self.dropout,
        }
    }

    pub(crate) fn check_sizes(&self) -> Result<(), ModelError> {
        let outputs = &self.outputs;
        let mut further = outputs.further_policies.values().filter_map(|head| head.depth);
        // 0 buckets are no output.
        let buckets = |head: Option<RewardOptions>| head.map_or(1, |head| head.buckets.max(1));
        let sizes = [
            ("width", self.width),
            ("heads", self.heads),
            ("ff", self.ff),
            ("embedding.new.dense", self.embedding.sizes()[0]),
            ("embedding.new.ff", self.embedding.sizes()[1]),
            ("policy.embedding", self.policy_embedding()),
            ("policy.depth", self.policy_depth()),
            ("value.embedding", self.value.embedding),
            ("value.hidden", self.value.hidden),
            ("outputs.soft_policy.depth", outputs.soft_policy.and_then(|soft| soft.depth).unwrap_or(1)),
            ("outputs.further_policies", further.find(|depth| !(1..=LARGEST_SIZE).contains(depth)).unwrap_or(1)),
            ("outputs.q.buckets", buckets(outputs.q)),
            ("outputs.short_term.buckets", buckets(outputs.short_term)),
            ("outputs.moves_left.embedding", outputs.moves_left.map_or(1, |head| head.embedding)),
            ("outputs.moves_left.hidden", outputs.moves_left.map_or(1, |head| head.hidden)),
            // Fewer than 2 classes are refused below.
            ("outputs.per_square.classes", outputs.per_square.map_or(1, |head| head.classes.max(1))),
            ("outputs.pairs.embedding", outputs.pairs.and_then(|pairs| pairs.embedding).unwrap_or(1)),
            ("outputs.pairs.depth", outputs.pairs.and_then(|pairs| pairs.depth).unwrap_or(1)),
        ];
        check_limits(MOST_LAYERS, &[("layers", self.layers), ("loops", self.loops)])?;
        if self.registers > MOST_REGISTERS {
            return Err(ModelError::out_of_range("registers", self.registers, format!("at most {MOST_REGISTERS}")));
        }
        check_limits(LARGEST_SIZE, &sizes)?;
        if !self.width.is_multiple_of(self.heads) {
            return Err(ModelError::heads_do_not_divide(self.width, self.heads));
        }
        self.norm.check()?;
        check_dropout(self.dropout)?;
        if self.ff_activation.is_some() && self.ff_kind != FeedForwardKind::Dense {
            return Err(ModelError::NoEffect { option: "ff_activation", with: "a gated ff_kind" });
        }
        let is_offered = |head: &HeadName| !matches!(head, HeadName::Board | HeadName::Refined);
        let offered: Vec<HeadName> = HeadName::ALL.iter().copied().filter(is_offered).collect();
        check_offered("chessformer", outputs, &offered)?;
        self.check_pool()?;
        if self.edge == Edge::Hidden && (self.embedding != EmbeddingConfig::Old || self.refinement.is_some()) {
            let with = "refinement or another embedding than old";
            return Err(ModelError::NoEffect { option: "edge", with });
        }
        let has_own_tokens = self.edge == Edge::Hidden || matches!(self.embedding, EmbeddingConfig::New { .. });
        if self.registers > 0 && has_own_tokens {
            return Err(ModelError::NoEffect { option: "registers", with: "edge: hidden or embedding: new" });
        }
        if !outputs.further_policies.is_empty() && outputs.policy.is_none() && outputs.soft_policy.is_none() {
            return Err(ModelError::NoEffect {
                option: "outputs.further_policies",
                with: "outputs that have neither policy nor soft_policy",
            });
        }
        if let Some(refinement) = self.refinement {
            refinement.check(outputs.policy.is_some(), matches!(self.embedding, EmbeddingConfig::New { .. }))?;
        }
        if let Some(rights) = outputs.rights.filter(|rights| rights.columns().is_none()) {
            return Err(ModelError::out_of_range("outputs.rights.bits", rights.bits, "13 or 11"));
        }
        if let Some(classes) = outputs.per_square.map(|head| head.classes).filter(|&classes| classes < 2) {
            let wanted = "at least 2; a map of attacked squares has 4";
            return Err(ModelError::out_of_range("outputs.per_square.classes", classes, wanted));
        }
        let temperature = outputs.soft_policy.map(|soft| soft.temperature);
        if let Some(temperature) = temperature.filter(|temperature| !TEMPERATURES.contains(temperature)) {
            let (name, wanted) = ("outputs.soft_policy.temperature", "0.1 to 1000; the paper's is 4");
            return Err(ModelError::out_of_range(name, temperature, wanted));
        }
        Ok(())
    }

    /// Refuses options of the policy that mean nothing for a vocabulary.
    pub(crate) fn check_policy(&self, moves: Vocabulary) -> Result<(), ModelError> {
        let soft_depth = self.outputs.soft_policy.and_then(|soft| soft.depth);
        let of_pairs = [
            ("policy.embedding", self.policy.embedding.is_some()),
            ("policy.depth", self.policy.depth.is_some()),
            ("outputs.soft_policy.depth", soft_depth.is_some()),
            ("outputs.further_policies", !self.outputs.further_policies.is_empty()),
            ("embedding.reach", self.embedding == EmbeddingConfig::Reach),
        ];
        let of_planes = [("policy.plane_bias", self.policy.plane_bias != PlaneBias::default())];
        let without_meaning = match moves {
            Vocabulary::FromTo(_) => of_planes.to_vec(),
            Vocabulary::Planes(_) => of_pairs.to_vec(),
            Vocabulary::List(_) => [&of_pairs[..], &of_planes].concat(),
        };
        match without_meaning.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(ModelError::PolicyOption { option, moves: moves.name() }),
            None => Ok(()),
        }
    }

    /// Refuses sizes of layers that `pool: token` does not have.
    fn check_pool(&self) -> Result<(), ModelError> {
        let usual = ValueConfig { pool: Pool::Token, ..ValueConfig::default() };
        let sizes = [
            ("value.embedding", self.value.embedding != usual.embedding),
            ("value.hidden", self.value.hidden != usual.hidden),
            ("outputs.moves_left", self.outputs.moves_left.is_some_and(|head| head != MovesLeft::default())),
        ];
        match sizes.into_iter().find(|&(_, given)| given && self.value.pool == Pool::Token) {
            Some((option, _)) => Err(ModelError::NoHiddenLayer { option }),
            None => Ok(()),
        }
    }
}
