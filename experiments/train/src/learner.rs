//! Parameters and their optimiser, and the step: forward, losses, gradient, clip, update.

use super::error::TrainError;
use super::micro::{Gradient, Mean, Model};
use super::objective::Objective;
use super::stages::Timetable;
use super::tensors::on_device;
use dataset::Batch;
use models::{Average, Network, Optimizer, clip_global_norm};
use nn::{Arena, Views};
use spec::{RunConfig, Weights};
use tch::{Device, Tensor};

/// What to do about numbers that are not finite.
pub(super) const REMEDY: &str = "lower the learning rate, lengthen the warm-up or clip the gradient";

/// Parameters, their optimiser and their average.
#[derive(Debug)]
pub(super) struct Learner {
    pub(super) arena: Arena,
    pub(super) optimizer: Optimizer,
    pub(super) average: Option<Average>,
    /// What changes between the phases of training; nothing unless somebody says so.
    pub(super) timetable: Timetable,
    /// How many positions go through the network at once.
    micro: usize,
}

/// The numbers of one step: by metric, each loss as it is and weighted, their sum, and the gradient's norm.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) values: Vec<(&'static str, f64)>,
}

impl Learner {
    /// An optimiser at rest for these parameters; `micro` positions go through the network at once.
    pub(super) fn new(run: &RunConfig, arena: Arena, micro: usize) -> Result<Self, TrainError> {
        let optimizer = Optimizer::new(run.train.optimizer(), arena.layout(), arena.device())?;
        let average = run.train.averaging.map(|config| Average::new(config, &arena.flat())).transpose()?;
        Ok(Self { arena, optimizer, average, timetable: Timetable::constant(&run.train), micro })
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
        let tensors = on_device(batch, self.arena.device())?;
        let model = Model { network, arena: &self.arena, kind: train.dtype.kind() };
        let terms = self.timetable.at(number - 1);
        let objective = Objective::of(run).weighing(terms.loss.clone());
        let mut gradient = Gradient::of(&objective, model, &tensors, self.micro)?;
        let loss = finite("loss", number, f64::try_from(&gradient.objective)?)?;
        let gradient_norm = finite("gradient", number, clip_global_norm(&mut gradient.flat, train.clip)?)?;
        self.optimizer.step(
            &mut self.arena.flat(),
            &gradient.flat,
            terms.learning_rate(&train.learning_rate, number - 1),
        )?;
        self.arena.follow(&gradient.observed)?;
        if let Some(average) = &mut self.average {
            average.update(&self.arena.flat(), number)?;
        }
        let mut values = vec![("loss", loss), ("gradient_norm", gradient_norm)];
        for (term, mean) in gradient.terms.iter().zip(means(&gradient.terms)?) {
            values.push((term.loss.metric.name, mean));
            values.push((term.loss.weighted, mean * term.weight));
        }
        Ok(Step { values })
    }

    /// The weights as they are, matrices in the run's element type.
    pub(super) fn views(&self, run: &RunConfig) -> Views {
        Views::split_in(self.arena.layout(), &self.arena.flat(), run.train.dtype.kind())
    }

    /// The weights as an evaluation looks at them, matrices in the run's element type; `None` where there is no average
    /// (yet).
    pub(super) fn evaluated(&self, run: &RunConfig, weights: Weights) -> Option<Views> {
        let flat = match weights {
            Weights::Raw => self.arena.flat(),
            Weights::Averaged => self.average.as_ref()?.flat()?.shallow_clone(),
        };
        Some(Views::split_in(self.arena.layout(), &flat, run.train.dtype.kind()))
    }
}

/// The mean of each loss, all in one transfer from the device.
fn means(terms: &[Mean]) -> Result<Vec<f64>, TrainError> {
    let means: Vec<&Tensor> = terms.iter().map(|term| &term.mean).collect();
    let means: Vec<f32> = Vec::try_from(Tensor::f_stack(&means, 0)?.f_to_device(Device::Cpu)?)?;
    Ok(means.into_iter().map(f64::from).collect())
}

/// `value`, or the end of the cell.
pub(super) fn finite(what: &str, step: u64, value: f64) -> Result<f64, TrainError> {
    let refuse = || TrainError::NotFinite { what: what.to_owned(), step, value, remedy: REMEDY };
    value.is_finite().then_some(value).ok_or_else(refuse)
}
