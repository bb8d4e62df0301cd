//! Evaluation on fixed positions: the same in every cell of every experiment on a dataset.

use super::error::TrainError;
use super::metric_sums::{BatchMetrics, MetricSums};
use super::micro::measure;
use super::tensors::on_device;
use config::RunConfig;
use dataset::{Dataset, Split, evaluation_batches};
use models::Network;
use nn::Views;
use records::Metrics;
use records::positions::{MEASURES, PositionMetrics};
use std::sync::Arc;
use tch::Device;

#[derive(Debug)]
pub struct Evaluated {
    pub metrics: Metrics,
    /// Metrics of single positions for paired comparisons, in the order of the evaluation.
    pub positions: Vec<PositionMetrics>,
}

/// A network without its weights, and the dataset of its evaluation.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub config: &'a RunConfig,
    pub network: &'a Network,
    pub dataset: &'a Arc<Dataset>,
    pub device: Device,
}

/// Evaluates weights on at most `positions` positions of a split: whole games, at least one.
pub fn evaluate(subject: Subject<'_>, views: &Views, split: Split, positions: usize) -> Result<Evaluated, TrainError> {
    let Subject { config, network, dataset, device } = subject;
    let batches = evaluation_batches(dataset, split, config.input, config.eval.batch, positions as u64)?;
    let measure = measure(config);
    let (mut sums, mut kept) = (MetricSums::default(), Vec::new());
    for batch in batches {
        let batch = batch?;
        let examples = on_device(&batch, device)?;
        let measured =
            tch::no_grad(|| BatchMetrics::of(&measure, &measure.answer(network, views, &examples), &examples))?;
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
