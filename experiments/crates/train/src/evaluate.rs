//! Evaluation on fixed positions: the same in every cell of every experiment on a dataset.

use super::error::TrainError;
use super::metric_sums::{BatchMetrics, MetricSums};
use super::micro::measure;
use super::ranks::Ranks;
use super::tensors::on_device;
use config::RunConfig;
use dataset::{Batch, Dataset, Split, evaluation_batches};
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
    /// The processes that divide the batches among them, if there are several.
    pub ranks: Option<&'a Ranks>,
}

/// Evaluates weights on at most `positions` positions of a split: whole games, at least one. Of several ranks the first one has
/// the result, with the bits of one process; that of others is empty.
pub fn evaluate(subject: Subject<'_>, views: &Views, split: Split, positions: usize) -> Result<Evaluated, TrainError> {
    let Subject { config, network, dataset, device, ranks } = subject;
    let mut batches = evaluation_batches(dataset, split, config.input, config.eval.batch, positions as u64)?;
    let measure = measure(config);
    let measured = |batch: &Batch| -> Result<BatchMetrics, TrainError> {
        let examples = on_device(batch, device)?;
        Ok(tch::no_grad(|| BatchMetrics::of(&measure, &measure.answer(network, views, &examples), &examples))?)
    };
    let (mut sums, mut kept) = (MetricSums::default(), Vec::new());
    loop {
        // A batch for each rank.
        let round = batches.by_ref().take(ranks.map_or(1, Ranks::size)).collect::<Result<Vec<Batch>, _>>()?;
        if round.is_empty() {
            break;
        }
        let own = round.get(ranks.map_or(0, Ranks::rank)).map(&measured).transpose()?;
        let all = match ranks {
            None => own.into_iter().collect(),
            Some(ranks) => of_all_ranks(own.as_ref(), &round, ranks)?,
        };
        for (batch, measured) in round.iter().zip(&all) {
            for row in (0..batch.size).filter(|&row| !batch.is_padding(row)) {
                sums.add(measured, row, usize::from(batch.phase[row]), batch.novel[row]);
                kept.push(PositionMetrics {
                    game: batch.game[row],
                    ply: batch.ply[row],
                    novel: batch.novel[row],
                    map_cells: measured.map_cells(row),
                    values: MEASURES.map(|name| measured.value(name, row)),
                });
            }
        }
    }
    Ok(Evaluated { metrics: sums.metrics(&measure.metrics(), config.train.mask), positions: kept })
}

/// Gathers the metrics of a batch of each rank at the first one; `own` is `None` if there are fewer batches than ranks.
fn of_all_ranks(own: Option<&BatchMetrics>, round: &[Batch], ranks: &Ranks) -> Result<Vec<BatchMetrics>, TrainError> {
    let numbers = ranks.gather(&own.map(BatchMetrics::numbers).unwrap_or_default())?;
    let Some(first) = own.filter(|_| ranks.is_first()) else { return Ok(Vec::new()) };
    let values_per_batch = first.numbers().len();
    let columns = values_per_batch / round[0].size.max(1);
    let of_rank =
        |(rank, batch): (usize, &Batch)| first.with(&numbers[rank * values_per_batch..][..columns * batch.size]);
    Ok(round.iter().enumerate().map(of_rank).collect())
}
