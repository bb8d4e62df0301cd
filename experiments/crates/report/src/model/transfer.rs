//! Two games of a grid side by side.

use super::super::statistics::Interval;
use super::super::statistics::across::{RankCorrelation, Welch};
use super::learnable::Learnable;

/// Two games of a grid side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    pub games: [String; 2],
    /// The rows that are compared in both.
    pub rows: Vec<TransferRow>,
    /// The labels of the compared rows of each game that have no partner in the other one.
    pub alone: [Vec<String>; 2],
    /// The labels of rows that have a partner and no test in one of the games.
    pub untested: Vec<String>,
    /// Whether the rows, the reference among them, come in the same order; none below three rows with all seeds.
    pub ranks: Option<RankCorrelation>,
    pub scale: Scale,
    /// Why differences of the primary metric do not compare across games, if they do not; then there is no interaction.
    pub incomparable: Option<&'static str>,
}

/// The unit in which games are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    Metric,
    /// The share of what can be learnt in each game, above zero is better.
    Learnable([Learnable; 2]),
}

impl Scale {
    /// How many units of the metric one unit of a game has.
    pub(crate) fn unit(&self, side: usize) -> f64 {
        match self {
            Self::Metric => 1.0,
            Self::Learnable(ranges) => -ranges[side].gap(),
        }
    }
}

/// One row in two games.
#[derive(Debug, Clone, PartialEq)]
pub struct TransferRow {
    /// What its labels have in common.
    pub label: String,
    /// Its label in each game. They differ where a setting is chosen by game.
    pub labels: [String; 2],
    /// Its effect in each game.
    pub effects: [Effect; 2],
    /// Whether the differences to the reference differ between the games.
    pub interaction: Option<GameDifference>,
}

/// A difference to the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Row less reference, in units of [`Transfer::scale`].
    pub difference: f64,
    /// Its plain 95 % interval, over the noise that decides verdicts.
    pub interval: Interval,
    /// In units of the game's pooled standard deviation of paired differences, with Hedges's correction; above zero is
    /// better if the metric has a better side.
    pub standardised: f64,
}

/// Whether a difference differs between two games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GameDifference {
    /// Welch's test of the mean difference in the first game against that in the second.
    pub test: Welch,
    /// Its p-value after Holm's correction over the rows of this table.
    pub holm_p: f64,
}
