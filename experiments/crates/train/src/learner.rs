//! Parameters, their optimiser, and the step: forward, losses, gradient, clip, update.

use crate::error::TrainError;
use crate::micro::{Gradient, Model, Objective, measure};
use crate::phases::PhaseSchedule;
use crate::ranks::Ranks;
use crate::tensors::Staged;
use config::{RunConfig, Weights};
use models::{Average, Loss, Network, Optimizer, clip_global_norm, clip_global_norm_on_device};
use nn::{Arena, DropoutKey, Views};
use std::sync::Arc;
use tch::{Device, Tensor};

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

/// The metrics of one step, on the device: to read them is to wait for the step.
#[derive(Debug)]
pub(super) struct StepMetrics {
    number: u64,
    /// The largest norm of a gradient.
    clip: Option<f64>,
    losses: Vec<(&'static Loss, f64)>,
    /// The objective, the gradient's norm, and the mean of each loss, f32.
    numbers: Tensor,
}

/// The metrics of one step: each loss, raw and weighted, their sum, the gradient's norm, and whether it was clipped.
pub(super) type StepValues = Vec<(&'static str, f64)>;

impl StepMetrics {
    fn of(number: u64, clip: Option<f64>, gradient: &Gradient, norm: Tensor) -> Result<Self, TrainError> {
        let means = gradient.terms.iter().map(|term| term.mean.shallow_clone());
        let numbers = [gradient.objective.shallow_clone(), norm].into_iter().chain(means);
        let numbers = numbers.map(|number| number.f_reshape([1])).collect::<Result<Vec<_>, _>>()?;
        let losses = gradient.terms.iter().map(|term| (term.loss, term.weight)).collect();
        Ok(Self { number, clip, losses, numbers: Tensor::f_cat(&numbers, 0)? })
    }

    /// The values of steps in their order, in one transfer from the device; an error at the first that is not finite.
    pub(super) fn read(steps: &[Self]) -> Result<Vec<StepValues>, TrainError> {
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: Vec<&Tensor> = steps.iter().map(|step| &step.numbers).collect();
        let numbers: Vec<f32> = Vec::try_from(Tensor::f_cat(&numbers, 0)?.f_to_device(Device::Cpu)?)?;
        let mut rest = numbers.into_iter().map(f64::from);
        steps.iter().map(|step| step.values(&mut rest)).collect()
    }

    /// Takes as many numbers as the step has.
    fn values(&self, numbers: &mut impl Iterator<Item = f64>) -> Result<StepValues, TrainError> {
        let mut next = || numbers.next().unwrap_or(f64::NAN);
        let loss = finite("loss", self.number, next())?;
        let gradient_norm = finite("gradient", self.number, next())?;
        let mut values = vec![("loss", loss), ("gradient_norm", gradient_norm)];
        if let Some(largest) = self.clip {
            values.push(("clipped", f64::from(u8::from(gradient_norm > largest))));
        }
        for (loss, weight) in &self.losses {
            let mean = next();
            values.push((loss.metric.name, mean));
            values.push((loss.weighted, mean * weight));
        }
        Ok(values)
    }
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

    /// One step on a batch; `number` counts from 1. On a CPU, parameters stay unchanged if a value is not finite. A GPU is not
    /// waited for: whoever reads the metrics learns of it.
    pub(super) fn step(
        &mut self,
        network: &Network,
        run: &RunConfig,
        batch: &Staged,
        number: u64,
    ) -> Result<StepMetrics, TrainError> {
        let (train, device) = (&run.train, self.arena.device());
        let tensors = batch.on(device)?;
        let masks = Some(masks_of(run, number));
        let model = Model { network, arena: &self.arena, kind: train.dtype.kind(), masks };
        let settings = self.phases.at(number - 1);
        let objective = Objective { measure: measure(run), weights: settings.loss.clone() };
        let mut gradient = Gradient::of(&objective, model, &tensors, self.micro, self.ranks.as_deref())?;
        let norm = match device {
            // The norm is a number of f32.
            Device::Cpu => Tensor::f_from_slice(&[clip_global_norm(&mut gradient.flat, train.clip)? as f32])?,
            _ => clip_global_norm_on_device(&mut gradient.flat, train.clip)?,
        };
        let metrics = StepMetrics::of(number, train.clip, &gradient, norm)?;
        if device == Device::Cpu {
            StepMetrics::read(std::slice::from_ref(&metrics))?;
        }
        self.optimizer.step(
            &mut self.arena.flat(),
            &gradient.flat,
            settings.learning_rate(&train.learning_rate, number - 1),
        )?;
        self.arena.update_statistics(&gradient.observed)?;
        if let Some(average) = &mut self.average {
            average.update(&self.arena.flat(), number)?;
        }
        Ok(metrics)
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

pub(super) fn masks_of(run: &RunConfig, step: u64) -> DropoutKey {
    DropoutKey { seed: run.seed, salt: salt(run), step, first: 0 }
}

/// The salt of a run's streams for parameters and dropout. Everything else of an A/A control equals the reference's.
pub(super) fn salt(run: &RunConfig) -> &'static str {
    if run.twin { "twin" } else { "" }
}

/// `value` if it is finite, otherwise an error that ends the cell.
pub(super) fn finite(what: &str, step: u64, value: f64) -> Result<f64, TrainError> {
    let refuse = || TrainError::NotFinite { what: what.to_owned(), step, value };
    value.is_finite().then_some(value).ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::HeadName;

    fn step(number: u64, numbers: &[f32]) -> StepMetrics {
        let losses = vec![(&HeadName::Policy.measures().losses[0], 0.5)];
        StepMetrics { number, clip: Some(1.0), losses, numbers: Tensor::from_slice(numbers) }
    }

    #[test]
    fn steps_that_are_read_together_have_the_values_that_each_has_alone() {
        let steps = [step(1, &[3.0, 0.5, 6.0]), step(2, &[2.0, 1.5, 4.0])];
        let together = StepMetrics::read(&steps).expect("finite");
        let alone = steps.iter().flat_map(|step| StepMetrics::read(std::slice::from_ref(step)).expect("finite"));
        assert_eq!(together, alone.collect::<Vec<_>>());
        let of = |step: usize, name: &str| together[step].iter().find(|(own, _)| *own == name).map(|&(_, value)| value);
        assert_eq!((of(0, "loss"), of(1, "gradient_norm")), (Some(3.0), Some(1.5)));
        assert_eq!((of(0, "clipped"), of(1, "clipped")), (Some(0.0), Some(1.0)));
        assert_eq!((of(0, "policy_loss"), of(1, "policy_loss")), (Some(6.0), Some(4.0)));
        assert!(StepMetrics::read(&[]).expect("nothing to read").is_empty());
    }

    #[test]
    fn the_first_step_that_is_not_finite_is_named() {
        let steps = [step(7, &[3.0, 0.5, 6.0]), step(8, &[2.0, f32::NAN, 4.0]), step(9, &[f32::NAN; 3])];
        let error = StepMetrics::read(&steps).expect_err("step 8 is not finite").to_string();
        assert!(error.contains("the gradient of step 8 is not finite"), "{error}");
    }
}
