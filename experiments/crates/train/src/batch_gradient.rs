//! The losses of one batch and the gradient of their weighted sum, for comparisons between implementations.

use super::error::TrainError;
use super::micro::{Gradient, Model};
use super::objective::Objective;
use config::RunConfig;
use models::{Examples, Network};
use nn::Arena;
use tch::{Kind, Tensor};

/// Losses and gradient of one batch.
#[derive(Debug)]
pub struct BatchGradient {
    /// The mean of each loss, by the name of its weight, as in training lines: scalars, f32.
    pub losses: Vec<(&'static str, Tensor)>,
    /// The weighted sum of the trained losses.
    pub total: Tensor,
    /// Its gradient in layout order, before clipping.
    pub gradient: Tensor,
}

/// Runs a forward and a backward pass on a batch in f32, like a training step before clipping.
pub fn batch_gradient(
    run: &RunConfig,
    network: &Network,
    arena: &Arena,
    batch: &Examples,
) -> Result<BatchGradient, TrainError> {
    let objective = Objective::of(run);
    let rows = batch.rows() as usize;
    let Gradient { flat, objective, terms, observed: _ } =
        Gradient::of(&objective, Model { network, arena, kind: Kind::Float }, batch, rows)?;
    let losses = terms.into_iter().map(|term| (term.loss.name(), term.mean)).collect();
    Ok(BatchGradient { losses, total: objective, gradient: flat })
}
