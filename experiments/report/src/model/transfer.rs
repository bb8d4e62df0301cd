//! Two games of a grid side by side.

use super::super::statistics::Interval;
use super::super::statistics::across::{RankCorrelation, Welch};

/// Two games of a grid side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// Their names.
    pub games: [String; 2],
    /// The rows that are compared in both.
    pub rows: Vec<TransferRow>,
    /// Whether the rows, the reference among them, come in the same order; none below three rows with all seeds.
    pub ranks: Option<RankCorrelation>,
    /// Why differences of the primary metric do not compare across games, if they do not; then there is no interaction.
    pub incomparable: Option<&'static str>,
}

/// One row in two games.
#[derive(Debug, Clone, PartialEq)]
pub struct TransferRow {
    /// Its label.
    pub label: String,
    /// Its effect in each game.
    pub effects: [Effect; 2],
    /// Whether the differences to the reference differ between the games.
    pub interaction: Option<GameDifference>,
}

/// A difference to the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// As measured, row less reference.
    pub difference: f64,
    /// Its plain 95 % interval.
    pub interval: Interval,
    /// In units of the game's pooled standard deviation of paired differences, with Hedges's correction; above zero is
    /// better if the metric has a better side.
    pub standardised: f64,
}

/// Whether a difference differs between two games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GameDifference {
    /// Welch's test of the paired differences of the first game against those of the second.
    pub test: Welch,
    /// Its p-value after Holm's correction over the rows of this table.
    pub holm_p: f64,
}
