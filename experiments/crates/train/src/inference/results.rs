//! A network on whole datasets: predicted results beside actual ones, and the metrics on another dataset's labels.

use super::cell::Loaded;
use super::predict::rows;
use crate::error::TrainError;
use crate::evaluate::{Subject, evaluate};
use crate::micro::measure;
use crate::setup::open_data;
use crate::tensors::on_device;
use config::{DataView, RunConfig};
use dataset::{Split, evaluation_batches};
use games::Phase;
use models::{HeadName, Reading};
use records::Metrics;
use std::path::Path;
use std::sync::Arc;
use tch::Kind;

/// The prediction for a test position, and its result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predicted {
    pub phase: Phase,
    /// Probabilities of win, draw and loss for the side to move.
    pub shares: [f64; 3],
    /// The index of the actual result.
    pub outcome: usize,
    /// The probability of legal moves in the policy without a mask; `None` without a policy.
    pub legal_mass: Option<f64>,
}

/// Predictions for at most `positions` test positions of games with a result; `None` if the network predicts no result.
pub fn on_test_positions(cell: &Loaded, positions: u64) -> Result<Option<Vec<Predicted>>, TrainError> {
    let run = &cell.config;
    let dataset = Arc::new(open_data(run)?);
    let (views, device) = (cell.arena.frozen_views(), cell.arena.device());
    let (measure, moves) = (measure(run), run.spec().moves.len());
    let mut predicted = Vec::new();
    for batch in evaluation_batches(&dataset, Split::Test, run.input, run.eval.batch, positions)? {
        let batch = batch?;
        let examples = on_device(&batch, device)?;
        let output = tch::no_grad(|| measure.answer(&cell.network, &views, &examples));
        let answers: Vec<models::Answer> = output.into_iter().collect();
        let Some(result) = answers.iter().find(|answer| answer.reading == Reading::Result) else { return Ok(None) };
        let shares = rows(&result.tensor.softmax(-1, Kind::Float))?;
        let policy = answers.iter().find(|answer| answer.head == HeadName::Policy);
        let legal = policy.map(|answer| {
            let legal_bv = examples.legal(moves).to_kind(Kind::Float);
            (answer.tensor.softmax(-1, Kind::Float) * legal_bv).sum_dim_intlist([-1i64].as_slice(), false, Kind::Float)
        });
        let legal = legal.map(|mass| rows(&mass)).transpose()?;
        for row in (0..batch.size).filter(|&row| !batch.is_padding(row)) {
            // −1 where the game has no result.
            let Ok(outcome) = usize::try_from(batch.outcome[row]) else { continue };
            predicted.push(Predicted {
                phase: Phase::ALL[usize::from(batch.phase[row])],
                shares: normalised([0, 1, 2].map(|i| f64::from(shares[row][i]))),
                outcome,
                legal_mass: legal.as_ref().map(|mass| f64::from(mass[row][0])),
            });
        }
    }
    Ok(Some(predicted))
}

fn normalised(shares: [f64; 3]) -> [f64; 3] {
    let sum: f64 = shares.iter().sum();
    shares.map(|share| share / sum)
}

/// Evaluates the network on every test position of the dataset in `folder`, which must be of the same game and have the
/// network's targets. Values are those that the run takes from its own dataset.
pub fn on_labels(cell: &Loaded, folder: &Path) -> Result<Metrics, TrainError> {
    let (data, view) = (folder.to_owned(), DataView { value: cell.config.view.value, ..DataView::default() });
    let config = RunConfig { data, view, test_data: None, generate: None, imported: None, ..cell.config.clone() };
    let dataset = Arc::new(open_data(&config)?);
    let device = cell.arena.device();
    let subject = Subject { config: &config, network: &cell.network, dataset: &dataset, device, ranks: None };
    Ok(evaluate(subject, &cell.arena.frozen_views(), Split::Test, usize::MAX)?.metrics)
}
