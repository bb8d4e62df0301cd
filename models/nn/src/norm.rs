//! Normalisation of tokens.

use crate::fused::norm::residual_norm;
use crate::{Backend, BatchNorm, Init, ParamId, Scope, Views};
use serde::{Deserialize, Serialize};
use tch::{Kind, Tensor};

/// What a [`Norm`] computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormKind {
    /// x / √(mean(x²) + 1e-5) · γ, without centring or bias (Zhang & Sennrich 2019, arXiv 1910.07467).
    Rms,
    /// The same with ε = 1e-6: torchtune's default, which ChessDecoder has.
    #[serde(rename = "rms_1e-6")]
    RmsFine,
    /// (x − mean) / √(var + 1e-3) · γ + β (Ba et al. 2016, arXiv 1607.06450; ε as Keras' default, which Lc0's
    /// training code uses).
    Layer,
    /// The same with ε = 1e-6: Lc0's attention networks before the embedding that sees all squares.
    #[serde(rename = "layer_1e-6")]
    LayerFine,
    /// [`BatchNorm`]: mean and variance of a channel over all tokens of the batch, and outside training the running ones,
    /// which follow with PyTorch's momentum, 0.1.
    Batch,
}

/// PyTorch's share of a batch in the running statistics.
const MOMENTUM: f64 = 0.1;

/// A normalisation of `width` channels with a learned gain, and for all but the root mean squares a learned bias. γ starts at
/// 1, β at 0.
///
/// Deviation from Lc0's training code: γ is not constrained to stay ≥ 0.
#[derive(Debug)]
pub struct Norm {
    form: Form,
    width: i64,
}

#[derive(Debug)]
enum Form {
    Rms { gain: ParamId, epsilon: f64 },
    Layer { gain: ParamId, bias: ParamId, epsilon: f64 },
    Batch(BatchNorm),
}

impl Norm {
    pub(crate) const EPSILON: f64 = 1e-5;
    const FINE_EPSILON: f64 = 1e-6;

    /// Declares `gain` (and `bias`, and running statistics) of `width` in `scope`.
    pub fn declare(scope: &mut Scope<'_>, width: i64, kind: NormKind) -> Self {
        let form = match kind {
            NormKind::Layer | NormKind::LayerFine => Form::Layer {
                gain: scope.f32_param("gain", &[width], Init::ONES),
                bias: scope.f32_param("bias", &[width], Init::ZEROS),
                epsilon: if kind == NormKind::Layer { 1e-3 } else { Self::FINE_EPSILON },
            },
            NormKind::Rms | NormKind::RmsFine => Form::Rms {
                gain: scope.cast_param("gain", &[width], Init::ONES),
                epsilon: if kind == NormKind::Rms { Self::EPSILON } else { Self::FINE_EPSILON },
            },
            NormKind::Batch => Form::Batch(BatchNorm::declare(scope, width, MOMENTUM)),
        };
        Self { form, width }
    }

    /// The norm of a sum of two tensors `[…, width]`, each times its factor, in one pass: on CPUs, in f32, for
    /// root mean squares. `None` otherwise.
    pub fn of_sum(&self, views: &Views, stream: (&Tensor, f64), branch: (&Tensor, f64)) -> Option<Tensor> {
        match &self.form {
            Form::Rms { gain, epsilon } => residual_norm(stream, Some(branch), &views[*gain], *epsilon),
            Form::Layer { .. } | Form::Batch(_) => None,
        }
    }

    /// The gain, where this is [`NormKind::Rms`].
    pub(crate) fn gain_of_root_mean_square(&self) -> Option<ParamId> {
        match self.form {
            Form::Rms { gain, epsilon } if epsilon == Self::EPSILON => Some(gain),
            Form::Rms { .. } | Form::Layer { .. } | Form::Batch(_) => None,
        }
    }

    /// `[…, width]` (for [`NormKind::Batch`] `[b, l, width]`) → the same shape and element type; computed in f32.
    pub fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        let kind = x.kind();
        if let (Form::Rms { gain, epsilon }, Backend::Fused) = (&self.form, Backend::on(x.device())) {
            // LibTorch takes the elementary operations if gain and input are of different types.
            let gain = if kind == views.kind() { views.cast(*gain) } else { views[*gain].to_kind(kind) };
            return x.rms_norm([self.width], Some(&gain), *epsilon);
        }
        let x = x.to_kind(Kind::Float);
        let normed = match &self.form {
            Form::Rms { gain, epsilon } => {
                if let Some(normed) = residual_norm((&x, 1.0), None, &views[*gain], *epsilon) {
                    return normed.to_kind(kind);
                }
                // A sum of products: the backward passes of a square and of a mean go over the whole tensor once more each.
                let square_sum = (&x * &x).sum_dim_intlist([-1i64].as_slice(), true, Kind::Float);
                x * (square_sum * (self.width as f64).recip() + *epsilon).rsqrt() * &views[*gain]
            }
            Form::Layer { gain, bias, epsilon } => {
                x.layer_norm([self.width], Some(&views[*gain]), Some(&views[*bias]), *epsilon, false)
            }
            // Channel by channel, in which order the kernel sums does not depend on the number of threads.
            Form::Batch(norm) => norm.forward(views, &x.transpose(1, 2).contiguous()).transpose(1, 2).contiguous(),
        };
        normed.to_kind(kind)
    }
}
