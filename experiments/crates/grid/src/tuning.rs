//! Chooses a trial for each row of an experiment with `tune`, by the scores of the trials on validation positions.

use crate::prepare::selected;
use crate::select::Selector;
use config::metrics::{self, Direction};
use config::trials::FOLDER;
use config::{Experiment, Tuning};
use records::folder::METRICS_FILE;
use records::lines::ReadError;
use records::tuning::{RoundRecord, TrialRecord, TunedRowRecord, TuningRecord};
use records::{CellState, Part, UserError, lines};
use std::path::Path;

/// A search for the best trial of each row.
#[derive(Debug)]
pub struct TuningSearch<'a> {
    experiment: &'a Experiment,
    tuning: &'a Tuning,
    grid: Experiment,
    selected: Vec<bool>,
    record: TuningRecord,
}

impl<'a> TuningSearch<'a> {
    /// A search among the trials of the selected rows; `None` if the experiment tunes nothing. The primary metric must
    /// have a better side.
    pub fn new(experiment: &'a Experiment, only: &[Selector]) -> Result<Option<Self>, UserError> {
        let (Some(tuning), Some(grid)) = (&experiment.tuning, experiment.trials()) else { return Ok(None) };
        selected(experiment, only)?;
        let primary = &experiment.primary;
        let direction = metrics::find(&primary.metric).map_or(Direction::Neither, |metric| metric.direction);
        if direction == Direction::Neither {
            let message = "`tune` needs a primary metric of which more or less is better, and";
            return Err(UserError::new(format!("{message} {} has no better side", primary.metric), "take another"));
        }
        let mut record = TuningRecord::new(&primary.metric, direction, primary.weights, tuning.seeds.clone());
        let trial = |trial: &config::trials::Trial| TrialRecord {
            values: trial.values.iter().map(|(setting, value)| (setting.name(), value.clone())).collect(),
            place: trial.place.clone(),
            scores: Vec::new(),
        };
        let rows = tuning.rows.iter().zip(&experiment.rows).map(|(tuned, row)| {
            let trials = tuned.trials.iter().map(trial).collect();
            TunedRowRecord { game: row.run.game, folder: row.folder(), trials, chosen: None }
        });
        record.rows = rows.collect();
        let of_rows: Vec<Selector> = only.iter().filter(|selector| !selector.is_of_seeds()).cloned().collect();
        let cells = selected(experiment, &of_rows)?;
        let selected = tuning.rows.iter().map(|row| cells.iter().any(|cell| cell.label == row.label)).collect();
        Ok(Some(Self { experiment, tuning, grid, selected, record }))
    }

    /// The grid of the trials. It has the trials of all rows, so that a run of some rows keeps those of the others in the
    /// plan.
    pub fn grid(&self) -> &Experiment {
        &self.grid
    }

    /// Selects the trials of the selected rows; empty if every row is selected.
    pub fn only(&self) -> Vec<Selector> {
        if self.selected.iter().all(|&selected| selected) {
            return Vec::new();
        }
        let rows = self.tuning.rows.iter().enumerate().filter(|&(row, _)| self.selected[row]);
        let folders = rows
            .flat_map(|(row, tuned)| (0..tuned.trials.len()).map(move |trial| self.tuning.row(row, trial).folder()));
        vec![Selector::of_rows(folders.collect())]
    }

    /// Reads the scores of the trials from their run folder, and chooses the best trial of each row: the experiment with the
    /// choices, and the record of the search. A row outside of the selection keeps its choice if an earlier run ended all of
    /// its trials. A row without a finished trial keeps the values of its first one and has no choice in the record.
    pub fn choose(self, run_dir: &Path) -> Result<(Experiment, TuningRecord), ReadError> {
        let Self { experiment, tuning, selected, mut record, .. } = self;
        record.rounds.push(RoundRecord { folder: FOLDER.to_owned(), steps: None });
        for (row, (tuned, selected)) in tuning.rows.iter().zip(selected).enumerate() {
            let cell =
                |trial: usize, seed: u64| run_dir.join(tuning.row(row, trial).folder()).join(format!("seed-{seed}"));
            let has_ended =
                |trial: usize| tuning.seeds.iter().all(|&seed| CellState::of(&cell(trial, seed)).is_final());
            if !selected && !(0..tuned.trials.len()).all(has_ended) {
                continue;
            }
            for (trial, own) in record.rows[row].trials.iter_mut().enumerate() {
                let scores = tuning.seeds.iter().map(|&seed| score(&cell(trial, seed), &record.metric, record.weights));
                own.scores.push(scores.collect::<Result<_, _>>()?);
            }
            let sign = if record.lower_is_better { 1.0 } else { -1.0 };
            let scores = record.rows[row].trials.iter().enumerate();
            let ranks = scores.filter_map(|(trial, own)| own.score().map(|score| (trial, sign * score)));
            // Of equal trials `min_by` takes the first one of the file.
            let best = ranks.filter(|(_, rank)| rank.is_finite()).min_by(|a, b| a.1.total_cmp(&b.1));
            record.rows[row].chosen = best.map(|(trial, _)| trial);
        }
        let chosen: Vec<usize> = record.rows.iter().map(|row| row.chosen.unwrap_or(0)).collect();
        let tuned = experiment.tuned(&chosen);
        record.rows.iter_mut().zip(&tuned.rows).for_each(|(record, row)| record.folder = row.folder());
        Ok((tuned, record))
    }
}

/// The metric of a cell on the validation positions after its last step; `None` if the cell has not finished.
fn score(cell: &Path, metric: &str, weights: config::Weights) -> Result<Option<f64>, ReadError> {
    if CellState::of(cell) != CellState::Done {
        return Ok(None);
    }
    let lines = lines::read(&cell.join(METRICS_FILE))?;
    let last = lines.iter().rfind(|line| line.split == Part::Validation && line.weights == weights);
    Ok(last.and_then(|line| line.metrics.get(metric)).filter(|value| value.is_finite()))
}
