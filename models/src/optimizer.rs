//! Optimisers over the flat parameter store: a step is a few operations on one tensor, whatever the network.

mod adam;
pub mod average;
mod config;
mod groups;
mod muon;
pub mod schedule;
mod sgd;

pub use adam::OptimizerProgress;
pub use config::{
    AdamwConfig, FallbackOptimizer, Group, GroupPart, MuonConfig, MuonScale, NadamConfig, NadamTorchConfig,
    OptimizerConfig, OptimizerError, SgdConfig,
};

use adam::Moments;
use groups::Span;
use muon::Matrix;
use nn::Layout;
use tch::{Device, TchError, Tensor};

/// An optimiser with its state on the device of the parameters.
#[derive(Debug)]
pub struct Optimizer {
    config: OptimizerConfig,
    moments: Moments,
    progress: OptimizerProgress,
    /// Factors on the learning rate; they cover the store.
    rates: Vec<Span>,
    /// The matrices that take Muon's steps.
    matrices: Vec<Matrix>,
    /// The rest: factors on the learning rate.
    others: Vec<Span>,
    /// Weight decays, where there are any.
    decays: Vec<Span>,
}

impl Optimizer {
    const FIRST_MOMENT: &'static str = "first_moment";
    const SECOND_MOMENT: &'static str = "second_moment";

    /// An optimiser at rest for a network of this layout.
    pub fn new(config: OptimizerConfig, layout: &Layout, device: Device) -> Result<Self, OptimizerError> {
        config.check_for(layout)?;
        let (rates, decays) = (groups::rates(config.common(), layout), groups::decays(config.common(), layout));
        let matrices = if let OptimizerConfig::Muon(_) = config { muon::matrices(layout, &rates) } else { Vec::new() };
        let taken: Vec<_> = matrices.iter().map(Matrix::elements).collect();
        Ok(Self {
            config,
            moments: Moments::zeros(layout.len(), device)?,
            progress: OptimizerProgress { steps: 0, momentum_product: 1.0 },
            others: groups::without(&rates, &taken),
            rates,
            matrices,
            decays,
        })
    }

    /// Moves the parameters `flat` in place by one step against `gradient`, both in layout order.
    pub fn step(&mut self, flat: &mut Tensor, gradient: &Tensor, learning_rate: f64) -> Result<(), OptimizerError> {
        self.progress.steps += 1;
        if !matches!(self.config, OptimizerConfig::Sgd(_)) {
            self.decay(flat, learning_rate)?;
        }
        let update = match &self.config {
            OptimizerConfig::Nadam(config) => config.next(&mut self.progress, learning_rate),
            OptimizerConfig::NadamTorch(config) => config.next(&mut self.progress, learning_rate),
            OptimizerConfig::Adamw(config) => config.next(&self.progress, learning_rate),
            OptimizerConfig::Muon(config) => {
                muon::step(&self.matrices, flat, gradient, &self.moments.first, config, learning_rate)?;
                match &config.others {
                    FallbackOptimizer::Nadam(own) => own.next(&mut self.progress, learning_rate),
                    FallbackOptimizer::Adamw(own) => own.next(&self.progress, learning_rate),
                }
            }
            OptimizerConfig::Sgd(config) => {
                let spans = [&self.rates[..], &self.decays[..]];
                sgd::step(config, flat, gradient, &mut self.moments.first, spans, learning_rate)?;
                return Ok(());
            }
        };
        for span in &self.others {
            self.moments.apply(flat, gradient, &update.scaled(span.value), span.start..span.end)?;
        }
        Ok(())
    }

    /// Takes its share off every weight that decays, before the step.
    fn decay(&self, flat: &Tensor, learning_rate: f64) -> Result<(), TchError> {
        for Span { start, end, value: decay } in &self.decays {
            for rate in self.rates.iter().filter(|rate| rate.start < *end && *start < rate.end) {
                let (start, end) = (*start.max(&rate.start), *end.min(&rate.end));
                let mut weights = flat.f_narrow(0, start as i64, (end - start) as i64)?;
                let _decayed = weights.f_mul_scalar_(1.0 - learning_rate * rate.value * decay)?;
            }
        }
        Ok(())
    }

    /// The tensors of the state, by name.
    pub fn state(&self) -> Vec<(&'static str, Tensor)> {
        vec![
            (Self::FIRST_MOMENT, self.moments.first.shallow_clone()),
            (Self::SECOND_MOMENT, self.moments.second.shallow_clone()),
        ]
    }

    /// The numbers of the state.
    pub fn progress(&self) -> OptimizerProgress {
        self.progress
    }

    /// Takes over a saved state: tensors by name, from any device, and numbers.
    /// An error leaves the optimiser unchanged.
    pub fn load_state(
        &mut self,
        state: &[(impl AsRef<str>, Tensor)],
        progress: OptimizerProgress,
    ) -> Result<(), OptimizerError> {
        let expected = self.moments.first.numel();
        let find = |name: &'static str| {
            let found = state.iter().find(|(given, _)| given.as_ref() == name);
            let (_, tensor) = found.ok_or(OptimizerError::Missing(name))?;
            if tensor.numel() != expected {
                return Err(OptimizerError::Size { name, found: tensor.numel(), expected });
            }
            Ok(tensor)
        };
        let (first, second) = (find(Self::FIRST_MOMENT)?, find(Self::SECOND_MOMENT)?);
        self.moments.first.f_copy_(first)?;
        self.moments.second.f_copy_(second)?;
        self.progress = progress;
        Ok(())
    }
}

impl OptimizerConfig {
    /// Checks the options for a network.
    pub fn check_for(&self, layout: &Layout) -> Result<(), OptimizerError> {
        self.check()?;
        groups::check(self.groups(), layout)
    }
}

/// Scales `gradient` in place so that its Euclidean norm is at most `max`, and returns the norm that it had before.
///
/// With `None` it only measures. A norm that is not finite is returned as it is and the gradient left alone: there is
/// nothing to rescue, and the caller reports it.
pub fn clip_global_norm(gradient: &mut Tensor, max: Option<f64>) -> Result<f64, TchError> {
    let norm = f64::try_from(gradient.f_norm()?)?;
    if let Some(max) = max.filter(|&max| norm.is_finite() && norm > max) {
        let _scaled = gradient.f_mul_scalar_(max / norm)?;
    }
    Ok(norm)
}

/// The same without waiting for the device: the norm stays there, and the gradient is multiplied by 1 where it is small enough.
/// A norm that is not finite leaves no use of the gradient, and the caller reports it when it reads the norm.
pub fn clip_global_norm_on_device(gradient: &mut Tensor, max: Option<f64>) -> Result<Tensor, TchError> {
    let norm = gradient.f_norm()?;
    if let Some(max) = max {
        let factor = norm.f_reciprocal()?.f_mul_scalar(max)?.f_clamp_max(1.0)?;
        let _scaled = gradient.f_mul_(&factor)?;
    }
    Ok(norm)
}
