//! A training batch with its losses and gradients, and the steps of an optimiser, as named tensors.

use super::cell::Loaded;
use super::export::parameters;
use super::tensors_file::{self, Named};
use crate::error::TrainError;
use crate::micro::Gradient;
use crate::setup::loader;
use crate::tensors::on_device;
use dataset::{Dataset, TrainLoader};
use models::{Column, Examples, Optimizer, clip_global_norm};
use nn::Views;
use std::path::Path;
use std::sync::Arc;
use tch::{Kind, Tensor};

/// Names of the files in an export.
const GRADIENT_FILE: &str = "gradient.safetensors";
const STEPS_FILE: &str = "steps.safetensors";

/// The first training batch of a run, on its cell's device.
pub fn first_batch(cell: &Loaded, dataset: &Arc<Dataset>) -> Result<Examples, TrainError> {
    let device = cell.arena.device();
    let batch = TrainLoader::new(dataset, loader(&cell.config, device), 0)?.next()?;
    Ok(on_device(&batch, device)?)
}

/// Writes `batch.<part>`, `loss.<name>` and `gradient.<parameter>`.
pub fn write(cell: &Loaded, batch: &Examples, dir: &Path) -> Result<(), TrainError> {
    let gradient = Gradient::of_batch(&cell.config, &cell.network, &cell.arena, batch)?;
    let mut named = batch_parts(cell, batch);
    named.extend(gradient.terms.into_iter().map(|term| Named::new(format!("loss.{}", term.loss.name()), term.mean)));
    named.push(Named::new("loss.total", gradient.objective));
    let gradients = parameters(cell, &Views::split(cell.layout(), &gradient.flat));
    named.extend(gradients.into_iter().map(|part| Named::new(format!("gradient.{}", part.name), part.tensor)));
    tensors_file::write(&dir.join(GRADIENT_FILE), &named)
}

fn batch_parts(cell: &Loaded, batch: &Examples) -> Vec<Named> {
    let column = |column: Column| batch.get(column).shallow_clone();
    let parts = [
        ("packed", column(Column::Packed)),
        ("legal", batch.legal(cell.config.spec().moves.len())),
        ("policy_index", column(Column::PolicyIndex)),
        ("policy_prob", column(Column::PolicyProb)),
        ("outcome", column(Column::Outcome)),
        ("value", column(Column::Value)),
        ("short_term", column(Column::ShortTerm)),
        ("moves_left", column(Column::MovesLeft)),
        ("points", column(Column::Points)),
        ("draw", column(Column::Draw)),
        ("map", column(Column::Map)),
        ("rights", column(Column::Rights)),
        ("repeats", column(Column::Repeats)),
    ];
    parts.into_iter().map(|(name, tensor)| Named::new(format!("batch.{name}"), tensor)).collect()
}

/// Takes `count` steps on one batch and writes, in the order of the flat store (padding included): `first [n]` and
/// `last [n]`, the weights before and after; `gradients [count,n]`, each before clipping; and `rates [count]`, f64, the
/// learning rates of the schedule. The cell then holds the last weights.
pub fn write_steps(cell: &mut Loaded, batch: &Examples, count: u64, dir: &Path) -> Result<(), TrainError> {
    let train = cell.config.train.clone();
    let mut optimizer = Optimizer::new(train.optimizer(), cell.layout(), cell.arena.device())?;
    let first = cell.arena.flat().copy();
    let (mut gradients, mut rates) = (Vec::new(), Vec::new());
    for step in 0..count {
        let mut gradient = Gradient::of_batch(&cell.config, &cell.network, &cell.arena, batch)?.flat;
        gradients.push(gradient.copy());
        clip_global_norm(&mut gradient, train.clip)?;
        let rate = train.learning_rate.at(step);
        optimizer.step(&mut cell.arena.flat(), &gradient, rate)?;
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
