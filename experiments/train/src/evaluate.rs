//! Evaluation on fixed positions: the same in every cell of every experiment on a dataset.

use super::error::TrainError;
use super::measure::{Measure, Measured};
use super::setup::Setup;
use super::tally::{ROWS, Row, Tally, Target};
use super::tensors::Tensors;
use dataset::{Batch, Split, evaluation_batches};
use nn::Views;
use records::Metrics;
use records::positions::{MEASURES, Measured as Position};
use tch::{Device, TchError, Tensor};

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
    let outputs = config.outputs();
    let measure = Measure {
        mask: config.train.mask,
        moves: config.spec().moves.len(),
        temperature: outputs.temperature(),
        rights: outputs.rights,
    };
    let mut tally = Tally::default();
    let mut kept = Vec::new();
    for batch in batches {
        let batch = batch?;
        let tensors = Tensors::new(&batch, setup.device)?;
        let answer = || tensors.answer(&setup.network, views, measure.moves);
        let measured = tch::no_grad(|| measure.all(&answer(), &tensors))?;
        add_rows(&batch, &measured, |i, row| {
            tally.add(row);
            kept.push(position(&batch, i, row));
        })?;
    }
    Ok(Evaluated { metrics: tally.metrics(config.train.mask), positions: kept })
}

/// What is kept of one position.
fn position(batch: &Batch, i: usize, row: &Row) -> Position {
    let value = |name: &str| {
        let place = ROWS.iter().position(|(row, _)| *row == name)?;
        row.values[place].filter(|_| row.counts[ROWS[place].1 as usize] > 0)
    };
    Position { game: batch.game[i], ply: batch.ply[i], novel: batch.novel[i], values: MEASURES.map(value) }
}

/// Hands out the rows of a batch with their places.
fn add_rows(batch: &Batch, measured: &Measured, mut add: impl FnMut(usize, &Row)) -> Result<(), TchError> {
    let columns = measured.values.iter().map(|(_, rows)| rows).chain(measured.counts.iter().map(|(_, rows)| rows));
    let columns: Vec<&Tensor> = columns.collect();
    // One transfer for all columns, `[columns][b]` one after the other.
    let numbers: Vec<f32> = Vec::try_from(Tensor::f_cat(&columns, 0)?.f_to_device(Device::Cpu)?)?;
    let (values, counts) = numbers.split_at(measured.values.len() * batch.size);
    for i in (0..batch.size).filter(|&i| !batch.is_padding(i)) {
        let mut row = Row {
            values: [None; ROWS.len()],
            counts: [0; Target::COUNT],
            phase: usize::from(batch.phase[i]),
            novel: batch.novel[i],
        };
        for ((name, _), column) in measured.values.iter().zip(values.chunks(batch.size)) {
            if let Some(place) = ROWS.iter().position(|(row, _)| row == name) {
                row.values[place] = Some(column[i]);
            }
        }
        for ((target, _), column) in measured.counts.iter().zip(counts.chunks(batch.size)) {
            row.counts[*target as usize] = column[i] as u32;
        }
        add(i, &row);
    }
    Ok(())
}
