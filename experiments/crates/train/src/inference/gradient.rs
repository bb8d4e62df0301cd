//! A training batch, its losses and the gradient of their sum, as named tensors.

use super::cell::Loaded;
use super::error::InferenceError;
use super::export::parameters;
use super::tensors_file::{self, Named};
use crate::batch_gradient::{BatchGradient, batch_gradient};
use crate::setup::loader;
use crate::tensors::on_device;
use dataset::{Dataset, TrainLoader};
use models::{Column, Examples};
use nn::Views;
use std::path::Path;
use std::sync::Arc;

/// The file's name in an export.
pub const GRADIENT_FILE: &str = "gradient.safetensors";

/// The first training batch of a run, on its cell's device.
///
/// # Errors
/// If the dataset cannot serve it, or the device has no room.
pub fn first_batch(cell: &Loaded, dataset: &Arc<Dataset>) -> Result<Examples, InferenceError> {
    let device = cell.arena.device();
    let batch = TrainLoader::new(dataset, loader(&cell.config, device), 0)?.next()?;
    Ok(on_device(&batch, device)?)
}

/// Writes `batch.<part>`, `loss.<name>` and `gradient.<parameter>`.
pub fn write(cell: &Loaded, batch: &Examples, dir: &Path) -> Result<(), InferenceError> {
    let BatchGradient { losses, total, gradient } = batch_gradient(&cell.config, &cell.network, &cell.arena, batch)?;
    let mut named = batch_parts(cell, batch);
    named.extend(losses.into_iter().map(|(name, loss)| Named::new(format!("loss.{name}"), loss)));
    named.push(Named::new("loss.total", total));
    let gradients = parameters(cell, &Views::split(cell.layout(), &gradient));
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
        ("map", column(Column::Map)),
    ];
    parts.into_iter().map(|(name, tensor)| Named::new(format!("batch.{name}"), tensor)).collect()
}
