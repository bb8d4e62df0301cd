//! The phases of training: dataset, loss weights and learning rate of each step.

use config::{LossWeights, Phase, TrainConfig};
use dataset::{Dataset, Split};
use models::Schedule;
use std::sync::Arc;

/// Consecutive steps that take their batches from one dataset.
#[derive(Debug)]
pub(super) struct DataSegment {
    pub(super) dataset: Arc<Dataset>,
    /// The first step, counted from 0, and the step after the last.
    pub(super) begin: u64,
    pub(super) end: u64,
}

/// Loss weights and learning-rate multiplier of the steps of a phase.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StepSettings {
    /// The step after its last one, counted from 0.
    end: u64,
    pub(super) loss: LossWeights,
    multiplier: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct PhaseSchedule(Vec<StepSettings>);

impl PhaseSchedule {
    pub(super) fn constant(train: &TrainConfig) -> Self {
        Self(vec![StepSettings { end: u64::MAX, loss: train.loss.clone(), multiplier: 1.0 }])
    }

    /// The settings of a step, counted from 0.
    pub(super) fn at(&self, step: u64) -> StepSettings {
        self.0.iter().find(|settings| step < settings.end).or(self.0.last()).expect("a run has a phase").clone()
    }
}

impl StepSettings {
    /// The learning rate of a step, counted from 0. A multiplier of 1 leaves it bit-identical.
    pub(super) fn learning_rate(&self, schedule: &Schedule, step: u64) -> f64 {
        schedule.at(step) * self.multiplier
    }
}

/// The datasets and settings of a run's phases; without phases, one of each for all steps.
pub(super) fn phase_schedule(dataset: &Arc<Dataset>, train: &TrainConfig) -> (Vec<DataSegment>, PhaseSchedule) {
    if train.phases.is_empty() {
        let segment = DataSegment { dataset: Arc::clone(dataset), begin: 0, end: u64::MAX };
        return (vec![segment], PhaseSchedule::constant(train));
    }
    let mut segments: Vec<DataSegment> = Vec::new();
    let mut settings = Vec::new();
    let mut before: Option<&Phase> = None;
    for phase in &train.phases {
        let same_dataset = before.is_some_and(|before| before.bucket == phase.bucket);
        let begin = segments.last().map_or(0, |segment| segment.end);
        if !same_dataset {
            let dataset = match phase.bucket.is_empty() {
                true => Arc::clone(dataset),
                false => Arc::new(dataset.training_part(&phase.bucket)),
            };
            segments.push(DataSegment { dataset, begin, end: begin });
        }
        if let Some(segment) = segments.last_mut() {
            let steps = phase.steps(segment.dataset.rows(Split::Train), train.batch);
            segment.end = steps.map_or(u64::MAX, |steps| begin + steps);
            let multiplier = phase.learning_rate.unwrap_or(1.0);
            settings.push(StepSettings { end: segment.end, loss: phase.weights(&train.loss), multiplier });
        }
        before = Some(phase);
    }
    (segments, PhaseSchedule(settings))
}
