//! Parameters, their optimiser, and the step: forward, losses, gradient, clip, update.

use crate::error::TrainError;
use crate::micro::{Gradient, LossMean, Model, Objective, measure};
use crate::phases::PhaseSchedule;
use crate::ranks::Ranks;
use crate::tensors::on_device;
use config::{RunConfig, Weights};
use dataset::Batch;
use models::{Average, Network, Optimizer, clip_global_norm};
use nn::{Arena, Views};
use std::sync::Arc;
use tch::{Device, Tensor};

/// The remedy named by errors about non-finite values.
pub(super) const REMEDY: &str = "lower the learning rate, lengthen the warm-up or clip the gradient";

#[derive(Debug)]
pub(super) struct Learner {
    pub(super) arena: Arena,
    pub(super) optimizer: Optimizer,
    pub(super) average: Option<Average>,
    /// Loss weights and learning-rate multipliers of the phases; constant by default.
    pub(super) phases: PhaseSchedule,
    /// Positions that go through the network at once.
    micro: usize,
    /// The processes that divide each step, if there are several.
    ranks: Option<Arc<Ranks>>,
}

/// The metrics of one step: each loss, raw and weighted, their sum, the gradient's norm, and whether it was clipped.
#[derive(Debug, Clone)]
pub(super) struct StepMetrics {
    pub(super) values: Vec<(&'static str, f64)>,
}

impl Learner {
    /// A new optimiser for these parameters; `micro` positions go through the network at once.
    pub(super) fn new(
        run: &RunConfig,
        arena: Arena,
        micro: usize,
        ranks: Option<Arc<Ranks>>,
    ) -> Result<Self, TrainError> {
        let optimizer = Optimizer::new(run.train.optimizer(), arena.layout(), arena.device())?;
        let average = run.train.averaging.map(|config| Average::new(config, &arena.flat())).transpose()?;
        Ok(Self { arena, optimizer, average, phases: PhaseSchedule::constant(&run.train), micro, ranks })
    }

    /// One step on a batch; `number` counts from 1. Parameters stay unchanged if a value is not finite.
    pub(super) fn step(
        &mut self,
        network: &Network,
        run: &RunConfig,
        batch: &Batch,
        number: u64,
    ) -> Result<StepMetrics, TrainError> {
        let train = &run.train;
        let tensors = on_device(batch, self.arena.device())?;
        let model = Model { network, arena: &self.arena, kind: train.dtype.kind() };
        let settings = self.phases.at(number - 1);
        let objective = Objective { measure: measure(run), weights: settings.loss.clone() };
        let mut gradient = Gradient::of(&objective, model, &tensors, self.micro, self.ranks.as_deref())?;
        let loss = finite("loss", number, f64::try_from(&gradient.objective)?)?;
        let gradient_norm = finite("gradient", number, clip_global_norm(&mut gradient.flat, train.clip)?)?;
        self.optimizer.step(
            &mut self.arena.flat(),
            &gradient.flat,
            settings.learning_rate(&train.learning_rate, number - 1),
        )?;
        self.arena.update_statistics(&gradient.observed)?;
        if let Some(average) = &mut self.average {
            average.update(&self.arena.flat(), number)?;
        }
        let mut values = vec![("loss", loss), ("gradient_norm", gradient_norm)];
        if let Some(largest) = train.clip {
            values.push(("clipped", f64::from(u8::from(gradient_norm > largest))));
        }
        for (term, mean) in gradient.terms.iter().zip(means(&gradient.terms)?) {
            values.push((term.loss.metric.name, mean));
            values.push((term.loss.weighted, mean * term.weight));
        }
        Ok(StepMetrics { values })
    }

    /// The raw weights, matrices in the run's element type.
    pub(super) fn views(&self, run: &RunConfig) -> Views {
        Views::split_in(self.arena.layout(), &self.arena.flat(), run.train.dtype.kind())
    }

    /// The weights that an evaluation uses, matrices in the run's element type; `None` before the first average.
    pub(super) fn evaluated(&self, run: &RunConfig, weights: Weights) -> Option<Views> {
        let flat = match weights {
            Weights::Raw => self.arena.flat(),
            Weights::Averaged => self.average.as_ref()?.flat()?.shallow_clone(),
        };
        Some(Views::split_in(self.arena.layout(), &flat, run.train.dtype.kind()))
    }
}

/// The mean of each loss, in one transfer from the device.
fn means(terms: &[LossMean]) -> Result<Vec<f64>, TrainError> {
    let means: Vec<&Tensor> = terms.iter().map(|term| &term.mean).collect();
    let means: Vec<f32> = Vec::try_from(Tensor::f_stack(&means, 0)?.f_to_device(Device::Cpu)?)?;
    Ok(means.into_iter().map(f64::from).collect())
}

/// `value` if it is finite, otherwise an error that ends the cell.
pub(super) fn finite(what: &str, step: u64, value: f64) -> Result<f64, TrainError> {
    let refuse = || TrainError::NotFinite { what: what.to_owned(), step, value, remedy: REMEDY };
    value.is_finite().then_some(value).ok_or_else(refuse)
}
