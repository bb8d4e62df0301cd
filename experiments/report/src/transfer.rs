//! Whether results carry over from one game to another.

use super::model::comparison::ALPHA;
use super::model::transfer::{Effect, GameDifference, Transfer, TransferRow};
use super::model::{GameReport, PrimaryMetric, RowReport};
use super::statistics::across::{RankCorrelation, hedges, pooled_sd, rank_correlation, welch};
use super::statistics::holm;
use spec::Role;
use spec::metrics::Direction;

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
    let mut rows: Vec<TransferRow> = in_both
        .filter_map(|both| {
            let effect = |side: usize| effect(both[side], pooled[side], better);
            let test = welch(&differences(both[0]), &differences(both[1])).filter(|_| incomparable.is_none());
            Some(TransferRow {
                label: both[0].label.clone(),
                effects: [effect(0)?, effect(1)?],
                interaction: test.map(|test| GameDifference { test, holm_p: test.p }),
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

/// Why a metric's differences do not compare across games; none if they do.
#[must_use]
pub fn incomparable(metric: &str) -> Option<&'static str> {
    let base = metric.split('.').next().unwrap_or(metric);
    let is_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| base.starts_with(prefix));
    if is_of(&["value_", "q_", "short_term_"]) {
        Some("games are drawn at different rates, so guessing the outcome is not equally hard")
    } else if is_of(&["moves_left"]) {
        Some("games have different lengths")
    } else if is_of(&["legal_mass", "policy_accuracy_unmasked"]) {
        Some("vocabularies have different sizes, so different shares of the moves are illegal")
    } else if is_of(&["map_"]) {
        Some("boards have different sizes")
    } else {
        None
    }
}
