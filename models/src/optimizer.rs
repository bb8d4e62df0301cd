//! Optimisers over the flat parameter store: a step is a few operations on one tensor, whatever the network.

mod adamw;
mod config;
mod groups;
mod moments;
mod muon;
mod nadam;

pub use config::{AdamwConfig, MuonConfig, NadamConfig, NadamTorchConfig, OptimizerConfig, Others};
pub use groups::{Group, GroupPart};
pub use muon::MuonScale;

use groups::Span;
use moments::{Moments, Update};
use muon::Matrix;
use nn::Layout;
use serde::{Deserialize, Serialize};
use tch::{Device, TchError, Tensor};

/// The numbers of an optimiser that are not tensors, for checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OptimizerProgress {
    /// Steps taken.
    pub steps: u64,
    /// The product of Nadam's momenta up to now; 1 for AdamW.
    pub momentum_product: f64,
}

/// Why an optimiser could not be made, loaded or stepped.
#[derive(Debug, thiserror::Error)]
pub enum OptimizerError {
    /// An option is out of range.
    #[error("optimizer: {name}: {value} is out of range; {range}")]
    Option {
        /// The option.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A group is not one.
    #[error("optimizer: the group {group} {why}")]
    Group {
        /// The group.
        group: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A group holds no parameter of this network.
    #[error("optimizer: the group {group} fits no parameter of this network; the nearest are {}. (`part: encoding` holds whatever a row's encodings have)", near.join(", "))]
    NoSuchParameter {
        /// The group.
        group: String,
        /// Names like its pattern.
        near: Vec<String>,
    },
    /// A checkpoint lacks a tensor of the state.
    #[error("the optimizer's state has no tensor \"{0}\": the checkpoint is of another kind of run")]
    Missing(&'static str),
    /// A tensor of the state has another size than the parameters.
    #[error(
        "the optimizer's \"{name}\" has {found} elements, the parameters have {expected}: the checkpoint is of another network"
    )]
    Size {
        /// The tensor.
        name: &'static str,
        /// Its elements.
        found: usize,
        /// Elements of the flat store.
        expected: usize,
    },
    /// LibTorch failed.
    #[error(transparent)]
    Tensor(#[from] TchError),
}

/// An optimiser with its state on the device of the parameters.
#[derive(Debug)]
pub struct Optimizer {
    config: OptimizerConfig,
    moments: Moments,
    progress: OptimizerProgress,
    /// Factors on the learning rate; they cover the store.
    rates: Vec<Span>,
    /// What takes Muon's steps.
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
    ///
    /// # Errors
    /// If an option is out of range, a group fits no parameter, or the device has no room for the state.
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
    ///
    /// # Errors
    /// If memory runs out.
    pub fn step(&mut self, flat: &mut Tensor, gradient: &Tensor, learning_rate: f64) -> Result<(), OptimizerError> {
        self.progress.steps += 1;
        self.decay(flat, learning_rate)?;
        let update = match &self.config {
            OptimizerConfig::Nadam(config) => config.next(&mut self.progress, learning_rate),
            OptimizerConfig::NadamTorch(config) => config.next(&mut self.progress, learning_rate),
            OptimizerConfig::Adamw(config) => config.next(&self.progress, learning_rate),
            OptimizerConfig::Muon(config) => {
                muon::step(&self.matrices, flat, gradient, &self.moments.first, config, learning_rate)?;
                config.others.next(&mut self.progress, learning_rate)
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
    ///
    /// # Errors
    /// If a tensor is missing or has another size; the optimiser is unchanged then.
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

impl Others {
    fn next(&self, progress: &mut OptimizerProgress, learning_rate: f64) -> Update {
        match self {
            Self::Nadam(config) => config.next(progress, learning_rate),
            Self::Adamw(config) => config.next(progress, learning_rate),
        }
    }
}

impl OptimizerConfig {
    /// Checks the options for a network.
    ///
    /// # Errors
    /// If one is out of range, or a group fits none of its parameters.
    pub fn check_for(&self, layout: &Layout) -> Result<(), OptimizerError> {
        self.check()?;
        groups::check(self.groups(), layout)
    }
}
