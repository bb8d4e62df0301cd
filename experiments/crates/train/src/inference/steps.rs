//! Steps of an optimiser as tensors: first weights, gradients, last weights.

use super::cell::Loaded;
use super::error::InferenceError;
use super::tensors_file::{self, Named};
use crate::TrainError;
use crate::batch_gradient::batch_gradient;
use models::{Examples, Optimizer, clip_global_norm};
use std::path::Path;
use tch::{Kind, Tensor};

/// The file's name beside an export.
pub const STEPS_FILE: &str = "steps.safetensors";

/// Takes `count` steps on one batch and writes, in the order of the flat store (padding included): `first [n]` and
/// `last [n]`, the weights before and after; `gradients [count,n]`, each before clipping; and `rates [count]`, f64, the
/// learning rates of the schedule. The cell then holds the last weights.
///
/// # Errors
/// If a number is out of range, LibTorch fails or the file cannot be written.
pub fn write(cell: &mut Loaded, batch: &Examples, count: u64, dir: &Path) -> Result<(), InferenceError> {
    let train = cell.config.train.clone();
    let mut optimizer =
        Optimizer::new(train.optimizer(), cell.layout(), cell.arena.device()).map_err(TrainError::from)?;
    let first = cell.arena.flat().copy();
    let (mut gradients, mut rates) = (Vec::new(), Vec::new());
    for step in 0..count {
        let mut gradient = batch_gradient(&cell.config, &cell.network, &cell.arena, batch)?.gradient;
        gradients.push(gradient.copy());
        clip_global_norm(&mut gradient, train.clip)?;
        let rate = train.learning_rate.at(step);
        optimizer.step(&mut cell.arena.flat(), &gradient, rate).map_err(TrainError::from)?;
        rates.push(rate);
    }
    let named = [
        Named::new("first", first),
        Named::new("gradients", Tensor::f_stack(&gradients, 0)?),
        Named::new("rates", Tensor::f_from_slice(&rates)?.f_to_kind(Kind::Double)?),
        Named::new("last", cell.arena.flat()),
    ];
    tensors_file::write(&dir.join(STEPS_FILE), &named)
}
