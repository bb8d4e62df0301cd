//! Chooses a trial for each row of an experiment with `tune`, by the scores of the trials on validation positions.

use crate::prepare::selected;
use crate::select::Selector;
use config::metrics::{self, Direction};
use config::{Experiment, Tuning};
use records::folder::METRICS_FILE;
use records::lines::ReadError;
use records::tuning::{RoundRecord, TrialRecord, TunedRowRecord, TuningRecord};
use records::{CellState, Part, UserError, lines};
use std::path::Path;

/// A search for the best trial of each row, round by round.
#[derive(Debug)]
pub struct Search<'a> {
    experiment: &'a Experiment,
    tuning: &'a Tuning,
    selected: Vec<bool>,
    /// The remaining trials of each row.
    remaining: Vec<Vec<usize>>,
    round: usize,
    record: TuningRecord,
}

impl<'a> Search<'a> {
    /// A search among the trials of the selected rows; `None` if the experiment tunes nothing. The primary metric must
    /// have a better side.
    pub fn new(experiment: &'a Experiment, only: &[Selector]) -> Result<Option<Self>, UserError> {
        let Some(tuning) = &experiment.tuning else { return Ok(None) };
        selected(experiment, only)?;
        let primary = &experiment.primary;
        let direction = metrics::find(&primary.metric).map_or(Direction::Neither, |metric| metric.direction);
        if direction == Direction::Neither {
            let message = "`tune` needs a primary metric of which more or less is better, and";
            return Err(UserError::new(format!("{message} {} has no better side", primary.metric), "take another"));
        }
        let mut record = TuningRecord::new(&primary.metric, direction, primary.weights, tuning.seeds.clone());
        let trial = |trial: &config::tuning::Trial| TrialRecord {
            values: trial.values.iter().map(|(setting, value)| (setting.name(), value.clone())).collect(),
            place: trial.place.clone(),
            scores: Vec::new(),
        };
        record.rows = tuning
            .rows
            .iter()
            .zip(&experiment.rows)
            .map(|(tuned, row)| TunedRowRecord {
                game: row.run.game,
                folder: row.folder(),
                trials: tuned.trials.iter().map(trial).collect(),
                chosen: None,
            })
            .collect();
        let cells = experiment.cells();
        let is_selected = |label: &str| {
            let mut own = cells.iter().filter(|cell| cell.label == label);
            own.any(|cell| only.iter().filter(|one| !one.is_of_seeds()).all(|one| one.matches(cell)))
        };
        let selected = tuning.rows.iter().map(|row| is_selected(&row.label)).collect();
        let remaining = tuning.rows.iter().map(|row| (0..row.trials.len()).collect()).collect();
        Ok(Some(Self { experiment, tuning, selected, remaining, round: 0, record }))
    }

    /// The grid of the next round; `None` after the last one. It has the trials of all rows, so that a run of some rows keeps
    /// those of the others in the plan.
    pub fn next_round(&self) -> Option<Experiment> {
        self.experiment.trials(self.round, &self.remaining)
    }

    /// Selects the trials of the selected rows in the next round; empty if every row is selected.
    pub fn only(&self) -> Vec<Selector> {
        if self.selected.iter().all(|&selected| selected) {
            return Vec::new();
        }
        let rows = self.remaining.iter().enumerate().filter(|&(row, _)| self.selected[row]);
        let folders = rows.flat_map(|(row, trials)| {
            trials.iter().map(move |&trial| self.tuning.row(self.round, row, trial).folder())
        });
        vec![Selector::of_rows(folders.collect())]
    }

    /// The name of the next round: `round 1 of 2, 100 steps`.
    pub fn round_name(&self) -> String {
        let steps = self.tuning.rounds.get(self.round).and_then(|round| round.steps);
        let steps = steps.map_or_else(String::new, |steps| format!(", {steps} steps"));
        format!("round {} of {}{steps}", self.round + 1, self.tuning.rounds.len())
    }

    /// Reads the scores of the round from its run folder, and keeps the best trials of each row. A row outside of the
    /// selection keeps its choice if an earlier run finished all of its trials.
    pub fn read(&mut self, run_dir: &Path) -> Result<(), ReadError> {
        let round = &self.tuning.rounds[self.round];
        self.record.rounds.push(RoundRecord { folder: self.tuning.folder(self.round), steps: round.steps });
        for (row, remaining) in self.remaining.iter_mut().enumerate() {
            let cell = |trial: usize, seed: u64| {
                let folder = run_dir.join(self.tuning.row(self.round, row, trial).folder());
                folder.join(format!("seed-{seed}"))
            };
            let seeds = &self.tuning.seeds;
            let is_done =
                |&trial: &usize| seeds.iter().all(|&seed| CellState::of(&cell(trial, seed)) == CellState::Done);
            if !self.selected[row] && !remaining.iter().all(is_done) {
                remaining.clear();
            }
            let trials = &mut self.record.rows[row].trials;
            for &trial in &*remaining {
                let scores =
                    seeds.iter().map(|&seed| score(&cell(trial, seed), &self.record.metric, self.record.weights));
                trials[trial].scores.push(scores.collect::<Result<_, _>>()?);
            }
            let sign = if self.record.lower_is_better { 1.0 } else { -1.0 };
            let rank = |trial: &usize| trials[*trial].score().map_or(f64::INFINITY, |score| sign * score);
            remaining.retain(|trial| rank(trial).is_finite());
            // The sort is stable: of equal trials the first one of the file is kept.
            remaining.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
            remaining.truncate(round.keep);
        }
        self.round += 1;
        Ok(())
    }

    /// The experiment with the choice of each row, and the record of the search. A row without a finished trial keeps the
    /// values of its first one and has no choice in the record.
    pub fn finish(mut self) -> (Experiment, TuningRecord) {
        let best: Vec<Option<usize>> = self.remaining.iter().map(|trials| trials.first().copied()).collect();
        let chosen: Vec<usize> = best.iter().map(|best| best.unwrap_or(0)).collect();
        let tuned = self.experiment.tuned(&chosen);
        for ((record, best), row) in self.record.rows.iter_mut().zip(&best).zip(&tuned.rows) {
            record.chosen = *best;
            record.folder = row.folder();
        }
        (tuned, self.record)
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
