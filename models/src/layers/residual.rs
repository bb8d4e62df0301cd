//! How a sublayer, its norm and the residual stream go together, and how wide their weights start.

use crate::config::{BodyConfig, InitKind, NormPlace};
use nn::{Backend, Init, Norm, NormKind, Views};
use tch::{Device, Kind, Tensor};

/// The residual stream of a body, from the embedding to the heads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream {
    /// Whether a root-mean-square norm follows every sum with a branch, so that rounding errors do not add up.
    normed_sums: bool,
}

impl Stream {
    pub(crate) fn of(body: &BodyConfig) -> Self {
        let root_mean_square = matches!(body.normalisation, NormKind::Rms | NormKind::RmsFine);
        Self { normed_sums: root_mean_square && body.norm != NormPlace::Pre }
    }

    /// Its element type: f32, or bf16 where LibTorch's fused norm reads and writes bf16, and computes in f32, between layers in
    /// bf16.
    pub(crate) fn kind(self, views: &Views) -> Kind {
        let fused = Backend::on(views.device()) == Backend::Fused;
        if self.normed_sums && fused && views.kind() == Kind::BFloat16 { Kind::BFloat16 } else { Kind::Float }
    }
}

/// Which of a block's two layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sublayer {
    Attention,
    FeedForward,
}

/// [`NormPlace`] with its numbers for a sublayer in a body of a certain depth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Residual {
    sum: Sum,
    start: Start,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Sum {
    /// `Norm(x + α·Sub(x))`.
    ScaledBranch(f64),
    /// `Norm(α·x + Sub(x))`.
    ScaledStream(f64),
    /// `x + Sub(Norm(x))`.
    NormInBranch,
}

#[derive(Debug, Clone, Copy)]
enum Start {
    /// Glorot's truncated normal initialiser, for the sublayers' outputs with this factor on its variance.
    Truncated { variance: f64 },
    /// Glorot's normal initialiser, for the sublayers' outputs with this factor on its standard deviation.
    Normal { gain: f64 },
    /// PyTorch's, [`Init::torch`].
    Torch,
    /// PyTorch's for queries, keys and values; attention's output and the feed-forward layer as in [`Self::Normal`]
    /// (dlshogi's commit 1735243, where the paper of DeepNorm has the values among these).
    TorchInside { gain: f64 },
}

impl Residual {
    /// How a sublayer joins the residual stream of this body.
    pub(crate) fn of(body: &BodyConfig, sublayer: Sublayer) -> Self {
        let layers = (body.loops * body.dims.layers) as f64;
        let (root, beta) = ((2.0 * layers).powf(-0.25), (8.0 * layers).powf(-0.25));
        let deepnet = (Sum::ScaledStream(root.recip()), Start::Normal { gain: beta });
        let plain = (Sum::ScaledBranch(1.0), Start::Truncated { variance: 1.0 });
        let (sum, start) = match body.norm {
            NormPlace::Post => (Sum::ScaledBranch(root), Start::Truncated { variance: beta }),
            NormPlace::PostDeepnet => deepnet,
            NormPlace::PostDeepnetAttention if sublayer == Sublayer::Attention => deepnet,
            NormPlace::PostDeepnetAttention | NormPlace::PostPlain => plain,
            NormPlace::PostScaled { alpha, beta } => (Sum::ScaledBranch(alpha), Start::Truncated { variance: beta }),
            NormPlace::Pre => (Sum::NormInBranch, Start::Truncated { variance: 1.0 }),
        };
        let start = match (body.init, start) {
            (InitKind::Glorot, start) => start,
            (InitKind::Torch, Start::Normal { gain }) => Start::TorchInside { gain },
            (InitKind::Torch, _) => Start::Torch,
        };
        Self { sum, start }
    }

    /// How attention's output and the feed-forward layer start.
    pub(crate) fn scaled(self, fan_in: i64, fan_out: i64) -> Init {
        match self.start {
            Start::Truncated { variance } => Init::glorot_normal(fan_in, fan_out, variance),
            Start::Normal { gain } | Start::TorchInside { gain } => glorot_without_cut(fan_in, fan_out, gain),
            Start::Torch => Init::torch(fan_in),
        }
    }

    pub(crate) fn values(self, fan_in: i64, fan_out: i64) -> Init {
        match self.start {
            Start::Truncated { .. } | Start::Normal { .. } => self.scaled(fan_in, fan_out),
            Start::Torch | Start::TorchInside { .. } => Init::torch(fan_in),
        }
    }

    /// How queries and keys start.
    pub(crate) fn unscaled(self, fan_in: i64, fan_out: i64) -> Init {
        match self.start {
            Start::Truncated { .. } => Init::glorot_normal(fan_in, fan_out, 1.0),
            Start::Normal { .. } => glorot_without_cut(fan_in, fan_out, 1.0),
            Start::Torch | Start::TorchInside { .. } => Init::torch(fan_in),
        }
    }

    /// Whether a sublayer reads the norm of the stream; otherwise the norm is that of the sum.
    pub(crate) fn norms_inputs(self) -> bool {
        matches!(self.sum, Sum::NormInBranch)
    }

    /// The stream with a sublayer's output, and the norm of it unless that was the sublayer's input.
    pub(crate) fn add(self, views: &Views, norm: &Norm, x: &Tensor, branch: &Tensor) -> Tensor {
        if self.norms_inputs() { self.sum(x, branch) } else { self.normed_sum(views, norm, x, branch) }
    }

    /// The norm of stream and branch, each with its factor.
    pub(crate) fn normed_sum(self, views: &Views, norm: &Norm, x: &Tensor, branch: &Tensor) -> Tensor {
        let (of_stream, of_branch) = self.factors();
        let in_one_pass = norm.of_sum(views, (x, of_stream), (branch, of_branch));
        in_one_pass.unwrap_or_else(|| norm.forward(views, &self.sum(x, branch)))
    }

    /// Stream and branch, each with its factor.
    pub(crate) fn sum(self, x: &Tensor, branch: &Tensor) -> Tensor {
        let (of_stream, of_branch) = self.factors();
        scaled(branch, of_branch) + scaled(x, of_stream)
    }

    /// How the branch is added if the layer before it applies its factor, and the factor for that layer. Only LibTorch's fused
    /// operations leave it to the layer: a norm in posenc's kernel multiplies at no cost.
    pub(crate) fn in_weights(self, device: Device) -> (Self, f64) {
        match (self.sum, Backend::on(device)) {
            (Sum::ScaledBranch(alpha), Backend::Fused) => (Self { sum: Sum::ScaledBranch(1.0), ..self }, alpha),
            _ => (self, 1.0),
        }
    }

    /// The factors of stream and branch, where two sublayers have the same.
    pub(crate) fn common_factors(self, other: Self) -> Option<(f64, f64)> {
        (self.sum == other.sum).then(|| self.factors())
    }

    /// Of the stream and of the branch.
    pub(crate) fn factors(self) -> (f64, f64) {
        match self.sum {
            Sum::ScaledBranch(alpha) => (1.0, alpha),
            Sum::ScaledStream(alpha) => (alpha, 1.0),
            Sum::NormInBranch => (1.0, 1.0),
        }
    }
}

fn scaled(x: &Tensor, factor: f64) -> Tensor {
    if factor == 1.0 { x.shallow_clone() } else { x * factor }
}

/// PyTorch's `xavier_normal_`: std = gain · √(2 / (fan_in + fan_out)).
fn glorot_without_cut(fan_in: i64, fan_out: i64, gain: f64) -> Init {
    Init::Normal { std: gain * (2.0 / (fan_in + fan_out) as f64).sqrt() }
}
