//! The tables of games side by side.

use super::cells::ROW;
use crate::model::Report;
use crate::model::learnable::Learnable;
use crate::model::transfer::{Effect, GameDifference, Scale, Transfer};
use crate::numbers::{fixed, interval, p_value, signed, with_interval};
use crate::statistics::Interval;
use crate::statistics::across::RankCorrelation;
use crate::table::Table;

/// Games side by side, a table for each pair of games.
pub(crate) fn transfer(report: &Report) -> Vec<Table> {
    report.transfer.iter().map(of_transfer).collect()
}

/// Rows whose labels differ between the games.
fn matched(transfer: &Transfer) -> Option<String> {
    let [first, second] = &transfer.games;
    let differing = transfer.rows.iter().map(|row| &row.labels).filter(|[one, other]| one != other);
    let pairs: Vec<String> =
        differing.map(|[one, other]| format!("\"{one}\" on {first} with \"{other}\" on {second}")).collect();
    (!pairs.is_empty()).then(|| format!("rows matched by encoding, with settings chosen by game: {}", pairs.join("; ")))
}

/// Rows that are not in the table.
fn left_out(transfer: &Transfer) -> Vec<String> {
    let Transfer { games: [first, second], alone: [of_first, of_second], untested, .. } = transfer;
    let of_game = |own: &str, other: &str, rows: &[String]| {
        (!rows.is_empty()).then(|| format!("! rows of {own} without a partner on {other}: {}", listed(rows)))
    };
    let few =
        (!untested.is_empty()).then(|| format!("! rows without a test on one of the games: {}", listed(untested)));
    [of_game(first, second, of_first), of_game(second, first, of_second), few].into_iter().flatten().collect()
}

fn listed(labels: &[String]) -> String {
    labels.iter().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(", ")
}

fn of_transfer(transfer: &Transfer) -> Table {
    let [first, second] = &transfer.games;
    let (unit, factor) = match transfer.scale {
        Scale::Metric => ("difference", 1.0),
        Scale::Learnable(_) => ("learnt %", 100.0),
    };
    let shown = |difference: f64, ends: &Interval| {
        with_interval(difference * factor, &Interval { low: ends.low * factor, high: ends.high * factor })
    };
    let header = [
        ROW.to_owned(),
        format!("{first}: {unit}"),
        format!("{second}: {unit}"),
        format!("{first}: effect"),
        format!("{second}: effect"),
        format!("{first} less {second}"),
        "Holm p".to_owned(),
    ];
    let rows = transfer.rows.iter().map(|row| {
        let [a, b] = &row.effects;
        let (interaction, p) = match &row.interaction {
            Some(GameDifference { test, holm_p }) => (shown(test.difference, &test.interval), p_value(*holm_p)),
            None => ("n/a".to_owned(), "n/a".to_owned()),
        };
        let difference = |effect: &Effect| shown(effect.difference, &effect.interval);
        let effect = |effect: &Effect| signed(effect.standardised, 1);
        vec![row.label.clone(), difference(a), difference(b), effect(a), effect(b), interaction, p]
    });
    let mut notes = vec![format!(
        "effect: the difference in units of the game's pooled standard deviation over seeds, above zero is better; {first} \
         less {second}: the difference between the games (Welch's test, Holm-corrected over these rows)"
    )];
    if let Scale::Learnable(ranges) = transfer.scale {
        let of = |side: usize| {
            let Learnable { uniform, floor } = ranges[side];
            format!("{uniform:.3} and {floor:.3} nats on {}", transfer.games[side])
        };
        notes.push(format!(
            "learnt %: how much more a row learns than the reference, in percent of the learnable gap between uniform choice \
             and the entropy of the targets ({}, {}); nats do not compare across games",
            of(0),
            of(1)
        ));
    }
    notes.push(match &transfer.ranks {
        Some(RankCorrelation { tau, interval: ends }) => format!(
            "order of the rows in both games: Kendall's τ = {}, over draws of the seeds {} (1: the same order, −1: \
             reversed; imprecise with few rows or seeds)",
            fixed(*tau, 2),
            interval(ends, 2)
        ),
        None => {
            "order of the rows in both games: needs two or more rows with all seeds beside the reference".to_owned()
        }
    });
    notes.extend(matched(transfer));
    notes.extend(left_out(transfer));
    notes.extend(transfer.incomparable.map(|why| format!("! the metric does not compare across games: {why}")));
    Table::new(header, &[0], rows).titled(&format!("{first} against {second}")).noted(notes)
}
