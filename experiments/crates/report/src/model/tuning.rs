//! The trials by which the settings of each row were chosen.

/// The trials of a game's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningReport {
    /// The metric that decided, on validation positions.
    pub metric: String,
    /// The seeds of the trials.
    pub seeds: Vec<u64>,
    pub trials: usize,
    /// Optimiser steps of each round of trials, where they differ from those of the rows.
    pub rounds: Vec<Option<u64>>,
    /// The rows, in the order of the game's table.
    pub rows: Vec<TunedRow>,
}

/// A row with its trials.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedRow {
    pub label: String,
    pub trials: Vec<TrialReport>,
    /// The number of the trial that was chosen; none if no trial has finished.
    pub chosen: Option<usize>,
    /// Settings whose choice is the first or the last value that was tried.
    pub edges: Vec<Edge>,
    /// The expected best score of `n` trials, for `n` from 1 to their number.
    pub expected_best: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TrialReport {
    /// The settings and their values.
    pub values: Vec<(String, String)>,
    /// The metric of each seed in the trial's last round.
    pub scores: Vec<f64>,
    /// Their mean; none if a seed failed.
    pub score: Option<f64>,
    /// The last round that the trial took part in, from 1.
    pub round: usize,
}

/// A choice at the edge of the values that were tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    pub setting: String,
    pub value: String,
    /// The value to try next; none if the values are no numbers.
    pub next: Option<f64>,
}
