//! Evaluation on fixed positions: the same in every cell of every experiment on a dataset.

use super::error::TrainError;
use super::objective::measure;
use super::setup::Setup;
use super::tally::{Measured, Tally};
use super::tensors::on_device;
use dataset::{Split, evaluation_batches};
use nn::Views;
use records::Metrics;
use records::positions::{MEASURES, Measured as Position};

/// What an evaluation found.
#[derive(Debug)]
pub struct Evaluated {
    /// Means over positions.
    pub metrics: Metrics,
    /// What reports compare position by position, in the order of the evaluation.
    pub positions: Vec<Position>,
}

/// Evaluates weights on at most `positions` positions of a split (whole games, at least one), without gradients.
///
/// # Errors
/// If the split is empty or a game of it cannot be replayed, or LibTorch fails.
pub fn evaluate(setup: &Setup, views: &Views, split: Split, positions: usize) -> Result<Evaluated, TrainError> {
    let config = &setup.config;
    let batches = evaluation_batches(&setup.dataset, split, config.input, config.eval.batch, positions as u64)?;
    let measure = measure(config);
    let (mut tally, mut kept) = (Tally::default(), Vec::new());
    for batch in batches {
        let batch = batch?;
        let examples = on_device(&batch, setup.device)?;
        let measured =
            tch::no_grad(|| Measured::of(&measure, &measure.answer(&setup.network, views, &examples), &examples))?;
        for row in (0..batch.size).filter(|&row| !batch.is_padding(row)) {
            tally.add(&measured, row, usize::from(batch.phase[row]), batch.novel[row]);
            kept.push(Position {
                game: batch.game[row],
                ply: batch.ply[row],
                novel: batch.novel[row],
                values: MEASURES.map(|name| measured.value(name, row)),
            });
        }
    }
    Ok(Evaluated { metrics: tally.metrics(&measure.metrics(), config.train.mask), positions: kept })
}
