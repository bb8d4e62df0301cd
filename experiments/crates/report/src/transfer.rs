//! Whether results carry over from one game to another.

mod partners;

use super::budgets::common;
use super::learnable;
use super::model::comparison::ALPHA;
use super::model::transfer::{Effect, GameDifference, Scale, Transfer, TransferRow};
use super::model::{GameReport, PrimaryMetric, RowReport};
use super::statistics::across::{RankCorrelation, hedges, pooled_sd, rank_correlation, welch_of};
use super::statistics::{MeanTest, holm};
use facts::Mask;
use facts::metrics::{self, Direction};
use partners::{Partners, compared};

/// Every pair of games that has rows in common. `axes` are the names of the varied axes.
pub(super) fn of(games: &[GameReport], primary: &PrimaryMetric, axes: &[String]) -> Vec<Transfer> {
    let pairs = games.iter().enumerate().flat_map(|(i, one)| games[i + 1..].iter().map(move |other| [one, other]));
    pairs.map(|pair| of_pair(pair, primary, axes)).filter(|transfer| !transfer.rows.is_empty()).collect()
}

fn of_pair(pair: [&GameReport; 2], primary: &PrimaryMetric, axes: &[String]) -> Transfer {
    let scale = scale(pair, primary);
    let incomparable = scale.as_ref().err().copied();
    // Without a common unit, differences stand in that of the metric.
    let scale = scale.unwrap_or(Scale::Metric);
    let better = if primary.direction == Direction::Lower { -1.0 } else { 1.0 };
    let pooled = pair.map(|game| pooled_sd(&compared(game).map(differences).collect::<Vec<_>>()));
    let Partners { pairs, alone } = Partners::of(pair, axes);
    let compare = |both: &[&RowReport; 2]| {
        let tests = [0, 1].map(|side| Some(both[side].comparison.as_ref()?.decisive?.over(scale.unit(side))));
        let [first, second] = [tests[0]?, tests[1]?];
        let effect = |side: usize, test| effect(both[side], pooled[side], better, test);
        let test = welch_of(&first, &second).filter(|_| incomparable.is_none());
        Some(TransferRow {
            label: label(both),
            labels: both.map(|row| row.label.clone()),
            effects: [effect(0, first)?, effect(1, second)?],
            interaction: test.map(|test| GameDifference { test, holm_p: test.p }),
        })
    };
    let mut rows: Vec<TransferRow> = pairs.iter().filter_map(compare).collect();
    let untested = pairs.iter().filter(|both| compare(both).is_none()).map(label).collect();
    let p_values: Vec<_> = rows.iter().map(|row| row.interaction.map(|interaction| interaction.test.p)).collect();
    for (row, corrected) in rows.iter_mut().zip(holm(&p_values, ALPHA)) {
        if let (Some(interaction), Some(corrected)) = (&mut row.interaction, corrected) {
            interaction.holm_p = corrected.p;
        }
    }
    let games = pair.map(|game| game.game.clone());
    let alone = alone.map(|rows| rows.iter().map(|row| row.label.clone()).collect());
    Transfer { games, ranks: ranks(&pairs), rows, alone, untested, scale, incomparable }
}

/// The label of a row in two games: what its labels have in common.
fn label(both: &[&RowReport; 2]) -> String {
    common(&both.map(|row| row.label.as_str()))
}

/// The unit in which differences compare across games, or why there is none.
fn scale(pair: [&GameReport; 2], primary: &PrimaryMetric) -> Result<Scale, &'static str> {
    if let Some(why) = incomparable(&primary.name) {
        return Err(why);
    }
    let metric = metrics::find(&primary.name).map_err(|_| UNKNOWN)?;
    let everywhere = |game: &&GameReport| game.rows.iter().any(|row| row.mask == Mask::None);
    if metric.renormalised && pair.iter().any(everywhere) {
        return Err(
            "it is over all moves, legal or not, where they are not masked, and vocabularies have different sizes",
        );
    }
    if metric.unit != "nats" {
        return Ok(Scale::Metric);
    }
    if !primary.at.is_last() {
        return Err("uniform choice and the entropy of the targets are measured on test positions only");
    }
    let bucket = primary.name.find('.').map_or("", |dot| &primary.name[dot..]);
    match pair.map(|game| learnable::of(&game.rows, bucket)) {
        [Some(first), Some(second)] => Ok(Scale::Learnable([first, second])),
        _ => Err("nats do not compare, and uniform choice or the entropy of the targets is not measured"),
    }
}

fn differences(row: &RowReport) -> Vec<f64> {
    let comparison = row.comparison.iter().flat_map(|comparison| &comparison.differences);
    comparison.map(|&(_, difference)| difference).collect()
}

fn effect(row: &RowReport, pooled: Option<(f64, usize)>, better: f64, test: MeanTest) -> Option<Effect> {
    let (difference, (sd, freedom)) = (row.comparison.as_ref()?.test?.mean, pooled?);
    let standardised = better * difference / sd * hedges(freedom);
    Some(Effect { difference: test.mean, interval: test.interval(1.0 - ALPHA), standardised })
}

/// Rows that have every seed in both games, the reference among them, by their differences to it: what all rows of a
/// seed share does not move ranks.
fn ranks(pairs: &[[&RowReport; 2]]) -> Option<RankCorrelation> {
    let complete = |row: &RowReport| row.comparison.as_ref().is_some_and(|c| c.pairs == c.planned);
    let rows: Vec<[Vec<f64>; 2]> =
        pairs.iter().filter(|both| both.iter().all(|row| complete(row))).map(|both| both.map(differences)).collect();
    let of = |side: usize| {
        let seeds = rows.first().map_or(0, |row| row[side].len());
        let mut all: Vec<Vec<f64>> = rows.iter().map(|row| row[side].clone()).collect();
        all.push(vec![0.0; seeds]);
        all
    };
    rank_correlation(&of(0), &of(1), 0)
}

/// The reason for a metric of another version.
const UNKNOWN: &str = "this version does not know the metric";

/// Why a metric's differences do not compare across games, by what it declares; none if they do in some unit.
pub fn incomparable(metric: &str) -> Option<&'static str> {
    let Ok(metric) = metrics::find(metric) else { return Some(UNKNOWN) };
    if metric.direction == Direction::Neither {
        return Some("it has no better side");
    }
    if metric.illegal_moves {
        return Some("vocabularies have different sizes, so different shares of the moves are illegal");
    }
    metric.heads().iter().find_map(|head| match head.name() {
        "policy" => None,
        "result" | "result_shares" | "win_rate" | "q" | "short_term" => {
            Some("games are drawn at different rates, so guessing the outcome is not equally hard")
        }
        "moves_left" => Some("games have different lengths"),
        "per_square" | "pairs" | "board" => Some("boards have different sizes"),
        _ => Some("its targets are not equally hard to guess in both games"),
    })
}
