//! Parameters and their optimiser, and the step: forward, losses, gradient, clip, update.

use super::error::TrainError;
use super::objective::Objective;
use super::tensors::Tensors;
use crate::config::RunConfig;
use dataset::Batch;
use models::{Network, Optimizer, clip_global_norm};
use nn::Arena;

/// What to do about numbers that are not finite.
pub(super) const REMEDY: &str = "lower the learning rate, lengthen the warm-up or clip the gradient";

/// Parameters and their optimiser.
#[derive(Debug)]
pub(super) struct Learner {
    pub(super) arena: Arena,
    pub(super) optimizer: Optimizer,
}

/// The numbers of one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) policy_loss: f64,
    pub(super) value_loss: f64,
    pub(super) loss: f64,
    pub(super) gradient_norm: f64,
}

impl Learner {
    /// An optimiser at rest for these parameters.
    pub(super) fn new(run: &RunConfig, arena: Arena) -> Result<Self, TrainError> {
        let optimizer = Optimizer::new(run.train.optimizer, arena.layout(), arena.device())?;
        Ok(Self { arena, optimizer })
    }

    /// One step on a batch, the `number`-th from 1. Parameters stay as they were where a number is not finite.
    pub(super) fn step(
        &mut self,
        network: &Network,
        run: &RunConfig,
        batch: &Batch,
        number: u64,
    ) -> Result<Step, TrainError> {
        let train = &run.train;
        let objective = Objective { mask: train.mask, weights: train.loss, moves: run.spec().moves.len() };
        let tensors = Tensors::new(batch, self.arena.device())?;
        let losses = objective.losses(network, &self.arena.views(), &tensors);
        let loss = finite("loss", number, f64::try_from(&losses.objective)?)?;
        let mut gradient = self.arena.gradient(&losses.objective)?;
        let gradient_norm = finite("gradient", number, clip_global_norm(&mut gradient, train.clip)?)?;
        self.optimizer.step(&mut self.arena.flat(), &gradient, train.learning_rate.at(number - 1))?;
        let (policy_loss, value_loss) = (f64::try_from(&losses.policy)?, f64::try_from(&losses.value)?);
        Ok(Step { policy_loss, value_loss, loss, gradient_norm })
    }
}

/// `value`, or the end of the cell.
pub(super) fn finite(what: &str, step: u64, value: f64) -> Result<f64, TrainError> {
    let refuse = || TrainError::NotFinite { what: what.to_owned(), step, value, remedy: REMEDY };
    value.is_finite().then_some(value).ok_or_else(refuse)
}
