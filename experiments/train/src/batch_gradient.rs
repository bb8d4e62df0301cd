//! The losses of one batch and the gradient of their sum, for whoever compares implementations.

use super::error::TrainError;
use super::micro::{Gradient, Model};
use super::objective::Objective;
use models::{Examples, Network};
use nn::Arena;
use spec::RunConfig;
use tch::{Kind, Tensor};

/// What a batch says to a network.
#[derive(Debug)]
pub struct Measured {
    /// The mean of each loss by the name of its weight, as training lines show it: scalars, f32.
    pub losses: Vec<(&'static str, Tensor)>,
    /// The weighted sum of what is trained.
    pub total: Tensor,
    /// Its gradient in layout order, not clipped.
    pub gradient: Tensor,
}

/// Runs a network forwards and backwards on a batch in f32, as a step of training does before it clips.
///
/// # Errors
/// If LibTorch fails.
pub fn measure(run: &RunConfig, network: &Network, arena: &Arena, batch: &Examples) -> Result<Measured, TrainError> {
    let objective = Objective::of(run);
    let rows = batch.rows() as usize;
    let Gradient { flat, objective, terms, observed: _ } =
        Gradient::of(&objective, Model { network, arena, kind: Kind::Float }, batch, rows)?;
    let losses = terms.into_iter().map(|term| (term.loss.name(), term.mean)).collect();
    Ok(Measured { losses, total: objective, gradient: flat })
}
