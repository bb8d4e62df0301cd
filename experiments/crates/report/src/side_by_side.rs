//! Tables over several grids: `posenc compare`.

use super::between_grids;
use super::distinct::distinct;
use super::model::comparison::Comparison;
use super::model::{Report, RowReport};
use super::numbers::{alone, fixed, mean_sd, or_absent, with_interval};
use super::phrases;
use super::statistics::across::kendall;
use super::table::{ABSENT, Table};
use facts::Role;
use std::iter::once;

/// The settings in which grids differ, then their differences to their own references: a table for each game with a row
/// for each label, in the order of first occurrence, and a column for each grid. Verdicts are corrected within each grid. Of two
/// grids also the difference of each row between them.
pub fn compare(reports: &[Report]) -> Vec<Table> {
    let games = distinct(reports.iter().flat_map(|report| &report.games).map(|game| game.game.as_str()));
    let sides = games.into_iter().map(|game| of_game(reports, game));
    once(settings(reports)).chain(sides).chain(between_grids::tables(reports)).collect()
}

/// The settings and conditions in which grids differ.
fn settings(reports: &[Report]) -> Table {
    let primary = |report: &Report| (phrases::PRIMARY_METRIC.to_owned(), phrases::primary(report));
    let grids: Vec<Vec<(String, String)>> = reports
        .iter()
        .map(|report| {
            let settings = report.settings.iter().map(|setting| (setting.name.clone(), setting.value.clone()));
            once(primary(report)).chain(settings).filter(|(_, value)| !value.is_empty()).collect()
        })
        .collect();
    let names = distinct(grids.iter().flatten().map(|(name, _)| name.as_str()));
    let rows = names.into_iter().filter_map(|name| {
        let value = |grid: &Vec<(String, String)>| {
            let found = grid.iter().find(|(own, _)| own == name);
            found.map_or_else(|| ABSENT.to_owned(), |(_, value)| value.clone())
        };
        let values: Vec<String> = grids.iter().map(value).collect();
        let differs = values.iter().any(|value| *value != values[0]);
        differs.then(|| once(name.to_owned()).chain(values).collect())
    });
    let header = once("setting".to_owned()).chain(labels(reports));
    let rows: Vec<Vec<String>> = rows.collect();
    let text_columns: Vec<usize> = (0..=reports.len()).collect();
    match rows.is_empty() {
        true => {
            let equal = vec!["none".to_owned()].into_iter().chain(reports.iter().map(|_| String::new())).collect();
            Table::new(header, &text_columns, [equal]).titled(DIFFERENT_SETTINGS)
        }
        false => Table::new(header, &text_columns, rows).titled(DIFFERENT_SETTINGS).noted(vec![
            "settings that all rows of a grid share, and the conditions of its cells; varies: the rows of the grid differ"
                .to_owned(),
        ]),
    }
}

const DIFFERENT_SETTINGS: &str = "settings in which the grids differ";

fn of_game(reports: &[Report], game: &str) -> Table {
    let rows_of = |report: &Report| -> Vec<RowReport> {
        report.games.iter().filter(|own| own.game == game).flat_map(|own| own.rows.clone()).collect()
    };
    let grids: Vec<Vec<RowReport>> = reports.iter().map(rows_of).collect();
    let rows = distinct(grids.iter().flatten().map(|row| row.label.as_str()));
    let rows = rows.into_iter().map(|label| {
        let cells = grids.iter().map(|grid| or_absent(grid.iter().find(|row| row.label == label), cell));
        once(label.to_owned()).chain(cells).collect()
    });
    Table::new(once("row".to_owned()).chain(labels(reports)), &[0], rows).titled(game).noted(notes(reports, &grids))
}

fn cell(row: &RowReport) -> String {
    match (row.role, &row.comparison) {
        (Role::Reference, _) | (_, None) => {
            let level = or_absent(row.primary.as_ref(), |summary| mean_sd(summary, 1.0));
            if row.role == Role::Reference { format!("{level} (reference)") } else { level }
        }
        (_, Some(comparison)) => difference(comparison),
    }
}

fn difference(comparison: &Comparison) -> String {
    or_absent(comparison.mean(), |mean| {
        let shown = comparison.interval.map_or_else(|| alone(mean), |ends| with_interval(mean, &ends));
        format!("{shown} {}", comparison.judgement())
    })
}

/// The experiments' names; numbered if two are equal.
pub(super) fn labels(reports: &[Report]) -> Vec<String> {
    let label = |(i, report): (usize, &Report)| {
        let twice = reports.iter().filter(|other| other.experiment == report.experiment).count() > 1;
        if twice { format!("{} ({})", report.experiment, i + 1) } else { report.experiment.clone() }
    };
    reports.iter().enumerate().map(label).collect()
}

fn notes(reports: &[Report], grids: &[Vec<RowReport>]) -> Vec<String> {
    let labels = labels(reports);
    let mut notes = vec![
        "row less the reference of the same grid, with its plain 95 % interval; verdicts are Holm-corrected within each \
         grid, not over all grids"
            .to_owned(),
    ];
    notes.extend(labels.iter().zip(reports).filter_map(|(label, report)| {
        Some(format!("equivalent rows of {label} are within {}", report.primary.within()?))
    }));
    for (i, one) in grids.iter().enumerate() {
        for (j, other) in grids.iter().enumerate().skip(i + 1) {
            notes.extend(order(one, other).map(|tau| {
                format!("order of the rows in {} and {}: Kendall's τ = {}", labels[i], labels[j], fixed(tau, 2))
            }));
        }
    }
    notes
}

/// Kendall's τ of the differences of the rows that two grids have in common, with 0 for the reference; none below three
/// rows.
fn order(one: &[RowReport], other: &[RowReport]) -> Option<f64> {
    let difference = |row: &RowReport| match row.role {
        Role::Reference => Some(0.0),
        _ => Some(row.comparison.as_ref()?.test?.mean),
    };
    let in_both = one.iter().filter_map(|row| {
        let same = other.iter().find(|other| other.label == row.label)?;
        Some((difference(row)?, difference(same)?))
    });
    let (a, b): (Vec<f64>, Vec<f64>) = in_both.unzip();
    if a.len() < 3 { None } else { kendall(&a, &b) }
}
