//! What a step minimises, and how a run is measured.

use models::{Masking, Measure};
use spec::{LossWeights, Mask, RunConfig};

/// How the losses of a run are made and added up.
#[derive(Debug, Clone)]
pub(super) struct Objective {
    pub(super) measure: Measure,
    pub(super) weights: LossWeights,
}

impl Objective {
    /// That of a run, with the weights that hold outside of phases.
    pub(super) fn of(run: &RunConfig) -> Self {
        Self { measure: measure(run), weights: run.train.loss.clone() }
    }

    /// The same with these weights.
    pub(super) fn weighing(self, weights: LossWeights) -> Self {
        Self { weights, ..self }
    }
}

/// How the answers of a run's network are measured.
pub(super) fn measure(run: &RunConfig) -> Measure {
    let mask = run.train.mask;
    let masking = Masking { training: mask == Mask::Train, measuring: mask != Mask::None };
    Measure::new(&run.model, &run.spec(), masking)
}
