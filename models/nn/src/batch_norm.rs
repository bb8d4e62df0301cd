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
        let kind = x.kind();
        let x = x.to_kind(Kind::Float);
        let normed = if views.are_for_training() { self.by_batch(views, &x) } else { self.by_statistics(views, &x) };
        normed.to_kind(kind)
    }

    fn by_statistics(&self, views: &Views, x: &Tensor) -> Tensor {
        // The kernel has no gradient for them, also where the views ask for everyone's.
        let (mean, variance) = (views[self.mean].detach(), views[self.variance].detach());
        x.batch_norm(
            Some(&views[self.gain]),
            Some(&views[self.bias]),
            Some(&mean),
            Some(&variance),
            false,
            0.0,
            EPSILON,
            false,
        )
    }

    fn by_batch(&self, views: &Views, x: &Tensor) -> Tensor {
        // With a momentum of 1 the kernel leaves the batch's own statistics in what it is given as running ones.
        let seen = || Tensor::zeros([self.channels], (Kind::Float, views.device()));
        let (mean, variance) = (seen(), seen());
        let (gain, bias) = (Some(&views[self.gain]), Some(&views[self.bias]));
        let normed = x.batch_norm(gain, bias, Some(&mean), Some(&variance), true, 1.0, EPSILON, false);
        for (id, value) in [(self.mean, mean), (self.variance, variance)] {
            views.observe(Observation { id, value, momentum: self.momentum });
        }
        normed
    }
}
