//! `tuning.json`: the trials of each row of a tuned grid, their scores, and the chosen one.

use crate::files::{RecordError, read_json, write_json};
use crate::folder::is_plain;
use crate::time_left::mean;
use facts::{Direction, Weights};
use games::GameKind;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

pub const FILE: &str = "tuning.json";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuningRecord {
    /// The metric that decides, on the validation positions after the last step of a trial.
    pub metric: String,
    pub lower_is_better: bool,
    pub weights: Weights,
    pub seeds: Vec<u64>,
    pub rounds: Vec<RoundRecord>,
    pub rows: Vec<TunedRowRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// The folder of its grid, below the run folder.
    pub folder: String,
    /// Optimiser steps, where they differ from the rows'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TunedRowRecord {
    pub game: GameKind,
    /// The row's folder, with the choice.
    pub folder: String,
    pub trials: Vec<TrialRecord>,
    /// The index of the chosen trial; `None` if no trial has finished.
    pub chosen: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    pub values: Vec<(String, String)>,
    /// The indices of the values on their axes.
    pub place: Vec<usize>,
    /// For each of its rounds, the metric of each seed; `None` for a failed seed.
    pub scores: Vec<Vec<Option<f64>>>,
}

impl TunedRowRecord {
    /// Why the row is invalid; reports compare its trials axis by axis.
    fn fault(&self) -> Option<String> {
        if self.chosen.is_some_and(|chosen| chosen >= self.trials.len()) {
            return Some(format!("the chosen trial of {} is not in it", self.folder));
        }
        let axes = self.trials.first()?.place.len();
        let fits = |trial: &TrialRecord| trial.place.len() == axes && trial.values.len() == axes;
        let (number, other) = self.trials.iter().enumerate().find(|(_, trial)| !fits(trial))?;
        let (values, places) = (other.values.len(), other.place.len());
        Some(format!(
            "trial {number} of {} has {values} values and {places} places, expected {axes} of each",
            self.folder
        ))
    }
}

impl TrialRecord {
    /// The mean over the seeds of its last round; `None` if a seed failed.
    pub fn score(&self) -> Option<f64> {
        let scores: Option<Vec<f64>> = self.scores.last()?.iter().copied().collect();
        mean(&scores?)
    }
}

impl TuningRecord {
    pub fn new(metric: &str, direction: Direction, weights: Weights, seeds: Vec<u64>) -> Self {
        let lower_is_better = direction == Direction::Lower;
        Self { metric: metric.to_owned(), lower_is_better, weights, seeds, rounds: Vec::new(), rows: Vec::new() }
    }

    /// Reads and checks a run folder's; `None` if the grid is not tuned.
    pub fn read(run_dir: &Path) -> Result<Option<Self>, RecordError> {
        let path = run_dir.join(FILE);
        let record: Option<Self> = read_json(&path)?;
        match record.as_ref().and_then(Self::fault) {
            None => Ok(record),
            Some(reason) => Err(RecordError::Refused { path, reason }),
        }
    }

    fn fault(&self) -> Option<String> {
        let mut folders = self.rounds.iter().map(|round| &round.folder).chain(self.rows.iter().map(|row| &row.folder));
        if let Some(name) = folders.find(|name| !is_plain(name)) {
            return Some(format!("{name:?} must be the plain name of a folder"));
        }
        self.rows.iter().find_map(TunedRowRecord::fault)
    }

    pub fn write(&self, run_dir: &Path) -> io::Result<()> {
        write_json(&run_dir.join(FILE), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_names_no_folder_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = TuningRecord::new("policy_loss", Direction::Lower, Weights::Raw, vec![100]);
        record.rounds.push(RoundRecord { folder: "tuning".to_owned(), steps: None });
        record.write(dir.path()).unwrap();
        assert_eq!(TuningRecord::read(dir.path()).unwrap(), Some(record.clone()));
        for folder in ["../victim", "/abs", "..", ""] {
            record.rounds[0].folder = folder.to_owned();
            record.write(dir.path()).unwrap();
            let error = TuningRecord::read(dir.path()).unwrap_err().to_string();
            assert!(error.contains(&format!("{folder:?}")) && error.contains(FILE), "{error}");
        }
    }

    #[test]
    fn the_trials_of_a_row_have_the_same_axes() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = TuningRecord::new("policy_loss", Direction::Lower, Weights::Raw, vec![100]);
        let trial = |values: usize, places: usize| TrialRecord {
            values: vec![("train.batch".to_owned(), "4".to_owned()); values],
            place: vec![0; places],
            scores: vec![vec![Some(1.0)]],
        };
        let folder = "chess-shaw-0123456789ab".to_owned();
        record.rows.push(TunedRowRecord { game: GameKind::Chess, folder, trials: Vec::new(), chosen: None });
        let mut read = |trials: Vec<TrialRecord>| {
            record.rows[0].trials = trials;
            record.write(dir.path()).unwrap();
            TuningRecord::read(dir.path()).map_err(|error| error.to_string())
        };
        assert!(read(vec![trial(2, 2), trial(2, 2)]).is_ok());
        for wrong in [trial(2, 1), trial(1, 1), trial(1, 2), trial(2, 0)] {
            let error = read(vec![trial(2, 2), wrong]).unwrap_err();
            assert!(
                error.contains("trial 1 of chess-shaw-0123456789ab has ") && error.contains("expected 2 of each"),
                "{error}"
            );
        }
    }
}
