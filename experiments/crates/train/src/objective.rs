//! The objective of a step, and the metrics of a run.

use config::{LossWeights, Mask, RunConfig};
use models::{Masking, Measure};

/// Losses of a run and their weights.
#[derive(Debug, Clone)]
pub(super) struct Objective {
    pub(super) measure: Measure,
    pub(super) weights: LossWeights,
}

impl Objective {
    /// The objective of a run, with the weights outside of phases.
    pub(super) fn of(run: &RunConfig) -> Self {
        Self { measure: measure(run), weights: run.train.loss.clone() }
    }

    /// The same with these weights.
    pub(super) fn weighing(self, weights: LossWeights) -> Self {
        Self { weights, ..self }
    }
}

/// The measure of a run's network outputs.
pub(super) fn measure(run: &RunConfig) -> Measure {
    let mask = run.train.mask;
    let masking = Masking { training: mask == Mask::Train, measuring: mask != Mask::None };
    Measure::new(&run.model, &run.spec(), masking)
}
