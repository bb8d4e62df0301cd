//! Options of attention blocks.

use super::error::ModelError;
use encodings::Dims;
use nn::{Activation, NormKind};
use serde::{Deserialize, Serialize};

/// The options of a body, in any architecture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyConfig {
    pub(crate) dims: Dims,
    pub(crate) ff: usize,
    pub(crate) ff_kind: FeedForwardKind,
    pub(crate) ff_bias: bool,
    pub(crate) norm: NormPlace,
    pub(crate) normalisation: NormKind,
    pub(crate) activation: Activation,
    pub(crate) ff_activation: Option<Activation>,
    pub(crate) qkv_bias: bool,
    pub(crate) qk_norm: bool,
    pub(crate) qkv_groups: usize,
    pub(crate) out_bias: bool,
    pub(crate) init: InitKind,
    /// How often its blocks are passed, one after the other.
    pub(crate) loops: usize,
    /// The share of attention weights and of the feed-forward layers' outputs that training drops.
    pub(crate) dropout: f64,
}

impl BodyConfig {
    pub(crate) fn width(&self) -> i64 {
        self.dims.width as i64
    }
}

/// The hidden part of a feed-forward layer. The gated forms have two weights inside, `ff` wide each:
/// two thirds of a dense layer's `ff` cost as much as that layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedForwardKind {
    /// `activation(W₁·x)`.
    #[default]
    Dense,
    /// `σ(W·x) ⊙ V·x` (Dauphin et al. 2016, arXiv 1612.08083).
    Glu,
    /// `swish(W·x) ⊙ V·x` (Shazeer 2020, arXiv 2002.05202; `glu` of Lc0's training code).
    Swiglu,
    /// `gelu(W·x) ⊙ V·x` (the same paper).
    Geglu,
}

/// Where a block normalises, and how it scales its branches. N is the number of blocks.
///
/// The `post` forms differ in α and β. DeepNorm (Wang et al. 2022, arXiv 2203.00555, the encoder's column of its
/// figure 2) is `post_deepnet`; `post` is what Lc0's training code (`tf/tfprocess.py`, `encoder_layer`) makes of it,
/// which the Chessformer's networks were trained with. Two things are different there:
///
/// * the branch is scaled by α = (2N)^(-1/4), where the paper scales the stream by its inverse: the same function but
///   for the norm's ε, which a stream 1/α times as large weakens;
/// * β = (8N)^(-1/4) is handed to Keras' `VarianceScaling`, a scale of the *variance*, so that weights start √β times as
///   wide as Glorot's and not β times, as in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NormPlace {
    /// `Norm(x + α·Sub(x))`, α = (2N)^(-1/4). Values, attention's output and the feed-forward layer start from Glorot's
    /// truncated normal initialiser with β = (8N)^(-1/4) times its variance. DeepNorm as in Lc0's code.
    #[default]
    Post,
    /// `Norm(α·x + Sub(x))`, α = (2N)^(1/4). The same weights start normal, β = (8N)^(-1/4) times as wide as Glorot's;
    /// queries and keys as Glorot's (`xavier_normal_` in the paper's listing: not truncated). DeepNorm as published.
    PostDeepnet,
    /// Attention as in `post_deepnet`, the feed-forward layer as in `post_plain`: dlshogi's log of 10 June 2024 (commit
    /// 456401a of its branch feature/resnet-transformer).
    PostDeepnetAttention,
    /// `Norm(x + Sub(x))`, all weights from Glorot's truncated normal initialiser (Vaswani et al. 2017, arXiv
    /// 1706.03762).
    PostPlain,
    /// As `post` with other numbers.
    PostScaled {
        /// The branch's factor α.
        alpha: f64,
        /// The factor β of the variance of first weights.
        beta: f64,
    },
    /// `x + Sub(Norm(x))`, and one more norm after the last block (Xiong et al. 2020, arXiv 2002.04745). Weights as in
    /// `post_plain`.
    Pre,
}

impl NormPlace {
    pub(crate) fn check(self) -> Result<(), ModelError> {
        let Self::PostScaled { alpha, beta } = self else { return Ok(()) };
        let scales = [("norm.post_scaled.alpha", alpha), ("norm.post_scaled.beta", beta)];
        match scales.into_iter().find(|(_, scale)| !(scale.is_finite() && *scale > 0.0)) {
            Some((name, found)) => Err(ModelError::out_of_range(name, found, "a number above 0")),
            None => Ok(()),
        }
    }

    /// Refuses what PyTorch's start of weights contradicts.
    pub(crate) fn check_start(self, init: InitKind) -> Result<(), ModelError> {
        match (init, self) {
            (InitKind::Torch, Self::Post) => Err(ModelError::Starts { norm: "post" }),
            (InitKind::Torch, Self::PostScaled { .. }) => Err(ModelError::Starts { norm: "post_scaled" }),
            _ => Ok(()),
        }
    }
}

/// From which family of distributions weights start. Biases start at zero in both (PyTorch's own do not).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitKind {
    /// Glorot's normal initialiser, as in Lc0's training code; in blocks of attention as [`NormPlace`] says.
    #[default]
    Glorot,
    /// Uniform in ±1/√fan_in, PyTorch's default for dense layers and convolutions, as in dlshogi.
    Torch,
}
