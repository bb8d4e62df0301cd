//! Whether results carry over from one game to another.

pub(crate) mod partners;

use super::budgets::common;
use super::learnable::{self, Learnable};
use crate::comparison::ALPHA;
use crate::figures::{Figure, Styles};
use crate::model::{GameReport, RowReport};
use crate::numbers::{of_ranks, p_value, signed, with_interval};
use crate::primary::PrimaryMetric;
use crate::statistics::across::{RankCorrelation, hedges, pooled_sd, rank_correlation, welch};
use crate::statistics::{Interval, MeanTest, holm};
use crate::table::{ABSENT, ROW, Table};
use facts::metrics::{self, Direction};
use facts::row_name::readable;
use facts::{HeadName, Mask, distinct};
use figures::plot::scatter::{self, Guide, ScatterPlot, ScatterPoint};
use partners::{Partners, compared};
use std::iter::once;

#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    pub games: [String; 2],
    pub rows: Vec<TransferRow>,
    /// The labels of the compared rows of each game that have no partner in the other one.
    pub unpaired: [Vec<String>; 2],
    /// The labels of rows that have a partner and no test in one of the games.
    pub untested: Vec<String>,
    /// Whether the rows, the reference among them, come in the same order; none below three rows with all seeds.
    pub ranks: Option<RankCorrelation>,
    /// What can be learnt in each game. If it is there, differences are shares of it, and above zero is better; otherwise they are in
    /// the unit of the metric.
    pub learnable: Option<[Learnable; 2]>,
    /// Why differences of the primary metric do not compare across games, if they do not; then there is no interaction.
    pub incomparable: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TransferRow {
    /// What its labels have in common.
    pub label: String,
    /// Its label in each game. They differ where a setting is chosen by game.
    pub labels: [String; 2],
    pub effects: [Effect; 2],
    /// Whether the differences to the reference differ between the games.
    pub interaction: Option<GameDifference>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Row less reference, as a share of [`Transfer::learnable`], or in the metric's unit without it.
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
    pub test: MeanTest,
    /// Its p-value after Holm's correction over the rows of this table.
    pub holm_p: f64,
}

/// Every pair of games that has rows in common. `axes` are the names of the varied axes.
pub(crate) fn of(games: &[GameReport], primary: &PrimaryMetric, axes: &[String]) -> Vec<Transfer> {
    let pairs = games.iter().enumerate().flat_map(|(i, one)| games[i + 1..].iter().map(move |other| [one, other]));
    pairs.map(|pair| of_pair(pair, primary, axes)).filter(|transfer| !transfer.rows.is_empty()).collect()
}

fn of_pair(pair: [&GameReport; 2], primary: &PrimaryMetric, axes: &[String]) -> Transfer {
    let comparable = comparable(pair, primary);
    let incomparable = comparable.as_ref().err().copied();
    // Without a common unit, differences are in that of the metric.
    let learnable = comparable.unwrap_or_default();
    let unit = |side: usize| learnable.map_or(1.0, |ranges| -ranges[side].gap());
    let better = if primary.direction == Direction::Lower { -1.0 } else { 1.0 };
    let pooled = pair.map(|game| pooled_sd(&compared(game).map(differences).collect::<Vec<_>>()));
    let Partners { pairs, unpaired } = Partners::of(pair, axes);
    let compare = |both: &[&RowReport; 2]| {
        let tests = [0, 1].map(|side| Some(both[side].comparison.as_ref()?.decisive?.over(unit(side))));
        let [first, second] = [tests[0]?, tests[1]?];
        let effect = |side: usize, test| effect(both[side], pooled[side], better, test);
        // As verdicts: of all planned seeds, of which none diverged.
        let has_all = |row: &&RowReport| {
            row.comparison.as_ref().is_some_and(|own| own.p().is_some() && own.diverged + own.reference_diverged == 0)
        };
        let test = welch(&first, &second).filter(|_| incomparable.is_none() && both.iter().all(has_all));
        Some(TransferRow {
            label: label(both),
            labels: both.map(|row| row.label.clone()),
            effects: [effect(0, first)?, effect(1, second)?],
            interaction: test.map(|test| GameDifference { test, holm_p: test.p }),
        })
    };
    let mut rows: Vec<TransferRow> = pairs.iter().filter_map(compare).collect();
    let untested = pairs.iter().filter(|both| compare(both).is_none()).map(label).collect();
    let mut p_values: Vec<_> = rows.iter().map(|row| row.interaction.map(|interaction| interaction.test.p)).collect();
    // Rows without a test count, too.
    p_values.resize(pairs.len(), None);
    for (row, corrected) in rows.iter_mut().zip(holm(&p_values, ALPHA)) {
        if let (Some(interaction), Some(corrected)) = (&mut row.interaction, corrected) {
            interaction.holm_p = corrected.p;
        }
    }
    let games = pair.map(|game| game.game.clone());
    let unpaired = unpaired.map(|rows| rows.iter().map(|row| row.label.clone()).collect());
    Transfer { games, ranks: ranks(&pairs), rows, unpaired, untested, learnable, incomparable }
}

fn label(both: &[&RowReport; 2]) -> String {
    common(&both.map(|row| row.label.as_str()))
}

/// `Ok`: what can be learnt in each game, if differences compare across games as shares of it; none if they compare in the metric's
/// unit. `Err`: why they do not compare.
fn comparable(pair: [&GameReport; 2], primary: &PrimaryMetric) -> Result<Option<[Learnable; 2]>, &'static str> {
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
        return Ok(None);
    }
    if !primary.at.is_last() {
        return Err("uniform choice and the entropy of the targets are measured on test positions only");
    }
    let bucket = primary.name.find('.').map_or("", |dot| &primary.name[dot..]);
    match pair.map(|game| learnable::of(&game.rows, bucket)) {
        [Some(first), Some(second)] => Ok(Some([first, second])),
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
    // Differences to several references have no common order.
    let references =
        |side: usize| pairs.iter().filter_map(move |both| Some(&both[side].comparison.as_ref()?.reference));
    if [0, 1].into_iter().any(|side| distinct(references(side)).len() > 1) {
        return None;
    }
    let rows: Vec<[Vec<f64>; 2]> =
        pairs.iter().filter(|both| both.iter().all(|row| complete(row))).map(|both| both.map(differences)).collect();
    let of = |side: usize| {
        let seeds = rows.first().map_or(0, |row| row[side].len());
        let mut all: Vec<Vec<f64>> = rows.iter().map(|row| row[side].clone()).collect();
        all.push(vec![0.0; seeds]);
        all
    };
    rank_correlation(&of(0), &of(1))
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
    metric.heads().iter().find_map(|head| match head {
        HeadName::Policy => None,
        HeadName::Result
        | HeadName::ResultShares
        | HeadName::ValueResult
        | HeadName::ValueShares
        | HeadName::WinRate
        | HeadName::Q
        | HeadName::ShortTerm => {
            Some("games are drawn at different rates, so guessing the outcome is not equally hard")
        }
        HeadName::MovesLeft => Some("games have different lengths"),
        HeadName::PerSquare | HeadName::Pairs | HeadName::Board => Some("boards have different sizes"),
        HeadName::SoftPolicy | HeadName::FurtherPolicies | HeadName::Rights | HeadName::Refined => {
            Some("its targets are not equally hard to guess in both games")
        }
    })
}

/// Rows whose labels differ between the games.
fn matched(transfer: &Transfer) -> Option<String> {
    let [first, second] = &transfer.games;
    let differing = transfer.rows.iter().map(|row| &row.labels).filter(|[one, other]| one != other);
    let names = differing.map(|labels| labels.each_ref().map(|label| readable(label)));
    let pairs: Vec<String> =
        names.map(|[one, other]| format!("\"{one}\" on {first} with \"{other}\" on {second}")).collect();
    (!pairs.is_empty()).then(|| format!("rows matched by encoding, with settings chosen by game: {}", pairs.join("; ")))
}

/// Rows that are not in the table.
fn left_out(transfer: &Transfer) -> Vec<String> {
    let Transfer { games: [first, second], unpaired: [of_first, of_second], untested, .. } = transfer;
    let of_game = |own: &str, other: &str, rows: &[String]| {
        (!rows.is_empty()).then(|| format!("! rows of {own} without a partner on {other}: {}", listed(rows)))
    };
    let few =
        (!untested.is_empty()).then(|| format!("! rows without a test on one of the games: {}", listed(untested)));
    [of_game(first, second, of_first), of_game(second, first, of_second), few].into_iter().flatten().collect()
}

fn listed(labels: &[String]) -> String {
    labels.iter().map(|label| format!("\"{}\"", readable(label))).collect::<Vec<_>>().join(", ")
}

pub(crate) fn table(transfer: &Transfer) -> Table {
    let [first, second] = &transfer.games;
    let (unit, factor) = if transfer.learnable.is_some() { ("learnt %", 100.0) } else { ("difference", 1.0) };
    let shown = |difference: f64, ends: &Interval| with_interval(difference * factor, &ends.map(|end| end * factor));
    let of_games = |what: &str| transfer.games.each_ref().map(|game| format!("{game}: {what}"));
    let interactions = [format!("{first} less {second}"), "Holm p".to_owned()];
    let header = once(ROW.to_owned()).chain(of_games(unit)).chain(of_games("effect")).chain(interactions);
    let rows = transfer.rows.iter().map(|row| {
        let [a, b] = &row.effects;
        let (interaction, p) = match &row.interaction {
            Some(GameDifference { test, holm_p }) => (shown(test.mean, &test.interval(1.0 - ALPHA)), p_value(*holm_p)),
            None => ("n/a".to_owned(), "n/a".to_owned()),
        };
        let difference = |effect: &Effect| shown(effect.difference, &effect.interval);
        let effect = |effect: &Effect| match effect.standardised {
            // A deviation with one degree of freedom is no unit.
            0.0 if effect.difference != 0.0 => ABSENT.to_owned(),
            size => signed(size, 1),
        };
        vec![readable(&row.label), difference(a), difference(b), effect(a), effect(b), interaction, p]
    });
    let effect = format!(
        "effect: the difference in units of the game's pooled standard deviation over seeds, above zero is better; {first} \
         less {second}: the difference between the games (Welch's test, Holm-corrected over these rows)"
    );
    let learnt = transfer.learnable.map(|ranges| {
        let of = |side: usize| {
            let Learnable { uniform, floor } = ranges[side];
            format!("{uniform:.3} and {floor:.3} nats on {}", transfer.games[side])
        };
        format!(
            "learnt %: how much more a row learns than the reference, in percent of the learnable gap between uniform choice \
             and the entropy of the targets ({}, {}); nats do not compare across games",
            of(0),
            of(1)
        )
    });
    let ranks = transfer.ranks.as_ref().map_or_else(
        || "needs one reference, and two or more rows with all seeds beside it".to_owned(),
        |ranks| format!("{} (1: the same order, −1: reversed; imprecise with few rows or seeds)", of_ranks(ranks)),
    );
    Table::new(header, &[0], rows)
        .titled(&format!("{first} against {second}"))
        .noted(once(effect).chain(learnt))
        .noted([format!("order of the rows in both games: {ranks}")])
        .noted(matched(transfer))
        .noted(left_out(transfer))
        .noted(transfer.incomparable.map(|why| format!("! the metric does not compare across games: {why}")))
}

pub(crate) fn figure(primary: &PrimaryMetric, transfer: &Transfer, styles: &Styles) -> Option<Figure> {
    let [first, second] = &transfer.games;
    let unit = transfer.learnable.map_or_else(|| primary.with_unit(), |_| "the learnt share of the gap".to_owned());
    let points = transfer.rows.iter().map(|row| {
        let [x, y] = row.effects;
        ScatterPoint {
            label: readable(&row.label),
            style: styles.label(&row.labels[0]),
            at: (x.difference, y.difference),
            across: Some(x.interval),
            upright: Some(y.interval),
        }
    });
    let plot = ScatterPlot {
        title: format!("Does it carry over? Differences on {first} and on {second}."),
        x_label: format!("{first}: difference in {unit}"),
        y_label: format!("{second}: difference in {unit}"),
        points: points.collect(),
        guide: Guide::Agreement,
        size: (620.0, 440.0),
    };
    let id = format!("{first}-{second}-transfer");
    let svg = scatter::draw(&plot, &id, styles.medium)?;
    let caption = "Row less reference, with plain 95 % intervals; on the diagonal a row's difference is the same in both \
                   games.";
    Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
}
