//! Whether what holds in one game holds in another.

use super::model::{ALPHA, GameReport, PrimaryMetric, RowReport};
use super::statistics::across::{RankCorrelation, Welch, hedges, pooled_sd, rank_correlation, welch};
use super::statistics::{Interval, holm};
use records::plan::Role;
use spec::metrics::Direction;

/// Two games of a grid side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// Their names.
    pub games: [String; 2],
    /// The rows that are compared in both.
    pub rows: Vec<Carried>,
    /// Whether the rows, the reference among them, come in the same order; none below three rows with all seeds.
    pub ranks: Option<RankCorrelation>,
    /// Why differences of the primary metric do not compare across games, if they do not; then there is no interaction.
    pub incomparable: Option<&'static str>,
}

/// One row in two games.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    /// Its label.
    pub label: String,
    /// Its effect in each game.
    pub effects: [Effect; 2],
    /// Whether the differences to the reference differ between the games.
    pub interaction: Option<Interaction>,
}

/// A difference to the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// As measured, row less reference.
    pub difference: f64,
    /// Its plain 95 % interval.
    pub interval: Interval,
    /// In units of the game's pooled standard deviation of paired differences, with Hedges's correction; above zero is
    /// better where the metric has a better side.
    pub standardised: f64,
}

/// Whether a difference differs between two games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interaction {
    /// Welch's test of the paired differences of the first game against those of the second.
    pub test: Welch,
    /// Its p-value after Holm's correction over the rows of this table.
    pub holm_p: f64,
}

/// Every pair of games that has rows in common.
pub(super) fn of(games: &[GameReport], primary: &PrimaryMetric) -> Vec<Transfer> {
    let pairs = games.iter().enumerate().flat_map(|(i, one)| games[i + 1..].iter().map(move |other| [one, other]));
    pairs.map(|pair| of_pair(pair, primary)).filter(|transfer| !transfer.rows.is_empty()).collect()
}

fn of_pair(pair: [&GameReport; 2], primary: &PrimaryMetric) -> Transfer {
    let incomparable = incomparable(&primary.name);
    let better = if primary.direction == Direction::Lower { -1.0 } else { 1.0 };
    let pooled = pair.map(|game| pooled_sd(&compared(game).map(differences).collect::<Vec<_>>()));
    let in_both = compared(pair[0]).filter_map(|row| Some([row, compared(pair[1]).find(|r| r.label == row.label)?]));
    let mut rows: Vec<Carried> = in_both
        .filter_map(|both| {
            let effect = |side: usize| effect(both[side], pooled[side], better);
            let test = welch(&differences(both[0]), &differences(both[1])).filter(|_| incomparable.is_none());
            Some(Carried {
                label: both[0].label.clone(),
                effects: [effect(0)?, effect(1)?],
                interaction: test.map(|test| Interaction { test, holm_p: test.p }),
            })
        })
        .collect();
    let p_values: Vec<_> = rows.iter().map(|row| row.interaction.map(|interaction| interaction.test.p)).collect();
    for (row, corrected) in rows.iter_mut().zip(holm(&p_values, ALPHA)) {
        if let (Some(interaction), Some(corrected)) = (&mut row.interaction, corrected) {
            interaction.holm_p = corrected.p;
        }
    }
    let games = pair.map(|game| game.game.clone());
    Transfer { games, ranks: ranks(pair), rows, incomparable }
}

fn compared(game: &GameReport) -> impl Iterator<Item = &RowReport> {
    game.rows.iter().filter(|row| row.role == Role::Compared)
}

fn differences(row: &RowReport) -> Vec<f64> {
    let comparison = row.comparison.iter().flat_map(|comparison| &comparison.differences);
    comparison.map(|&(_, difference)| difference).collect()
}

fn effect(row: &RowReport, pooled: Option<(f64, usize)>, better: f64) -> Option<Effect> {
    let comparison = row.comparison.as_ref()?;
    let (difference, (sd, freedom)) = (comparison.test?.mean, pooled?);
    let standardised = better * difference / sd * hedges(freedom);
    Some(Effect { difference, interval: comparison.interval?, standardised })
}

/// Rows that have every seed in both games, the reference among them, by their differences to it: what all rows of a
/// seed share does not move ranks.
fn ranks(pair: [&GameReport; 2]) -> Option<RankCorrelation> {
    let in_both = compared(pair[0]).filter_map(|row| Some([row, compared(pair[1]).find(|r| r.label == row.label)?]));
    let complete = |row: &RowReport| row.comparison.as_ref().is_some_and(|c| c.pairs == c.planned);
    let rows: Vec<[Vec<f64>; 2]> =
        in_both.filter(|both| both.iter().all(|row| complete(row))).map(|both| both.map(differences)).collect();
    let of = |side: usize| {
        let seeds = rows.first().map_or(0, |row| row[side].len());
        let mut all: Vec<Vec<f64>> = rows.iter().map(|row| row[side].clone()).collect();
        all.push(vec![0.0; seeds]);
        all
    };
    rank_correlation(&of(0), &of(1), 0)
}

/// Why a metric's differences mean something else in another game; none if they do not.
#[must_use]
pub fn incomparable(metric: &str) -> Option<&'static str> {
    let base = metric.split('.').next().unwrap_or(metric);
    let is_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| base.starts_with(prefix));
    if is_of(&["value_", "q_", "short_term_"]) {
        Some("games are drawn at different rates, so guessing the outcome is not equally hard")
    } else if is_of(&["moves_left"]) {
        Some("games have different lengths")
    } else if is_of(&["legal_mass", "policy_accuracy_unmasked"]) {
        Some("vocabularies have different sizes, so as much is illegal in neither")
    } else if is_of(&["map_"]) {
        Some("boards have different sizes")
    } else {
        None
    }
}
