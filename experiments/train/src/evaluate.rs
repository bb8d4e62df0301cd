//! Evaluation on fixed positions: the same in every cell of every experiment on a dataset.

use super::error::TrainError;
use super::metric_sums::{BatchMetrics, MetricSums};
use super::objective::measure;
use super::setup::Setup;
use super::tensors::on_device;
use dataset::{Split, evaluation_batches};
use nn::Views;
use records::Metrics;
use records::positions::{MEASURES, PositionMetrics};

/// The result of an evaluation.
#[derive(Debug)]
pub struct Evaluated {
    /// Means over positions.
    pub metrics: Metrics,
    /// Metrics of single positions for paired comparisons, in the order of the evaluation.
    pub positions: Vec<PositionMetrics>,
}

/// Evaluates weights on at most `positions` positions of a split (whole games, at least one), without gradients.
///
/// # Errors
/// If the split is empty or a game of it cannot be replayed, or LibTorch fails.
pub fn evaluate(setup: &Setup, views: &Views, split: Split, positions: usize) -> Result<Evaluated, TrainError> {
    let config = &setup.config;
    let batches = evaluation_batches(&setup.dataset, split, config.input, config.eval.batch, positions as u64)?;
    let measure = measure(config);
    let (mut sums, mut kept) = (MetricSums::default(), Vec::new());
    for batch in batches {
        let batch = batch?;
        let examples = on_device(&batch, setup.device)?;
        let measured =
            tch::no_grad(|| BatchMetrics::of(&measure, &measure.answer(&setup.network, views, &examples), &examples))?;
        for row in (0..batch.size).filter(|&row| !batch.is_padding(row)) {
            sums.add(&measured, row, usize::from(batch.phase[row]), batch.novel[row]);
            kept.push(PositionMetrics {
                game: batch.game[row],
                ply: batch.ply[row],
                novel: batch.novel[row],
                map_cells: measured.map_cells(row),
                values: MEASURES.map(|name| measured.value(name, row)),
            });
        }
    }
    Ok(Evaluated { metrics: sums.metrics(&measure.metrics(), config.train.mask), positions: kept })
}
