//! Batch normalisation, and how its running statistics live in the flat store.
//!
//! Running means and variances are parameters of [`Part::Statistic`]: they lie in the store like everything else, so that
//! checkpoints keep them and averages of weights average them. No gradient reaches them and nothing decays them. A pass
//! through [`Views::for_training`] normalises by the batch and leaves what it saw with the views; the optimiser's step hands
//! that to [`crate::Arena::update_statistics`].

use crate::{Init, Observation, ParamId, Part, Scope, Views};
use tch::{Kind, Tensor};

/// Added to variances: PyTorch's default, and Lc0's.
const EPSILON: f64 = 1e-5;

/// `(x − mean) / √(variance + 1e-5) · γ + β` for each channel (Ioffe & Szegedy 2015, arXiv 1502.03167). γ starts at 1, β
/// at 0, the running mean at 0 and the running variance at 1.
#[derive(Debug)]
pub struct BatchNorm {
    gain: ParamId,
    bias: ParamId,
    mean: ParamId,
    variance: ParamId,
    channels: i64,
    momentum: f64,
}

impl BatchNorm {
    /// Declares `gain`, `bias`, `running_mean` and `running_variance` of `channels` in `scope`.
    ///
    /// `momentum` is PyTorch's: the share of a batch in the running statistics (Keras' is 1 minus that).
    pub fn declare(scope: &mut Scope<'_>, channels: i64, momentum: f64) -> Self {
        let gain = scope.f32_param("gain", &[channels], Init::ONES);
        let bias = scope.f32_param("bias", &[channels], Init::ZEROS);
        let mut statistics = scope.part(Part::Statistic);
        let mean = statistics.f32_param("running_mean", &[channels], Init::ZEROS);
        let variance = statistics.f32_param("running_variance", &[channels], Init::ONES);
        Self { gain, bias, mean, variance, channels, momentum }
    }

    /// `[b, channels, …]` (ranks and files, or tokens) → the same shape and element type; computed in f32.
    ///
    /// In training the batch's own mean and (biased) variance normalise; what is observed of the variance is unbiased, as
    /// in PyTorch.
    pub fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        let trains = views.are_for_training();
        let [mean, variance] = [self.mean, self.variance].map(|id| {
            // In training the kernel leaves the batch's own statistics here, with a momentum of 1. It has no gradient for running ones,
            // also where the views ask for everyone's.
            if trains { Tensor::zeros([self.channels], (Kind::Float, views.device())) } else { views[id].detach() }
        });
        let (gain, bias) = (Some(&views[self.gain]), Some(&views[self.bias]));
        let (momentum, wide) = (if trains { 1.0 } else { 0.0 }, x.to_kind(Kind::Float));
        let normed = wide.batch_norm(gain, bias, Some(&mean), Some(&variance), trains, momentum, EPSILON, false);
        if trains {
            for (id, value) in [(self.mean, mean), (self.variance, variance)] {
                views.observe(Observation { id, value, momentum: self.momentum });
            }
        }
        normed.to_kind(x.kind())
    }
}
