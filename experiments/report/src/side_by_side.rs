//! Tables over several grids: `posenc compare`.

use super::model::{Comparison, Report, RowReport};
use super::numbers::{fixed, interval, interval_decimals, mean_sd, signed};
use super::sheet::Sheet;
use super::statistics::across::kendall;
use records::plan::Role;

const ABSENT: &str = "–";

/// Differences to each grid's own reference, a table for each game: rows are the labels of all grids, in the order in
/// which they first come, columns the grids. Verdicts are those of each grid, corrected over it alone.
#[must_use]
pub fn compare(reports: &[Report]) -> Vec<Sheet> {
    let mut games: Vec<&str> = Vec::new();
    for game in reports.iter().flat_map(|report| &report.games) {
        if !games.contains(&game.game.as_str()) {
            games.push(&game.game);
        }
    }
    games.into_iter().map(|game| of_game(reports, game)).collect()
}

fn of_game(reports: &[Report], game: &str) -> Sheet {
    let rows_of = |report: &Report| -> Vec<RowReport> {
        report.games.iter().filter(|own| own.game == game).flat_map(|own| own.rows.clone()).collect()
    };
    let grids: Vec<Vec<RowReport>> = reports.iter().map(rows_of).collect();
    let mut labels: Vec<&str> = Vec::new();
    for row in grids.iter().flatten() {
        if !labels.contains(&row.label.as_str()) {
            labels.push(&row.label);
        }
    }
    let header = ["encoding".to_owned()].into_iter().chain(names(reports));
    let rows = labels.iter().map(|label| {
        let cells = grids.iter().map(|grid| grid.iter().find(|row| row.label == *label).map_or_else(absent, cell));
        std::iter::once((*label).to_owned()).chain(cells).collect()
    });
    let sheet = Sheet::new(header, &[0], rows).titled(game);
    Sheet { notes: notes(reports, &grids), ..sheet }
}

fn absent() -> String {
    ABSENT.to_owned()
}

fn cell(row: &RowReport) -> String {
    match (row.role, &row.comparison) {
        (Role::Reference, _) | (_, None) => {
            let level = row.primary.as_ref().map_or_else(absent, |summary| mean_sd(summary, 1.0));
            if row.role == Role::Reference { format!("{level} (reference)") } else { level }
        }
        (_, Some(comparison)) => difference(comparison),
    }
}

fn difference(comparison: &Comparison) -> String {
    let (Some(test), Some(ends)) = (comparison.test, comparison.interval) else { return absent() };
    let decimals = interval_decimals(&ends);
    format!("{} {} {}", signed(test.mean, decimals), interval(&ends, decimals), comparison.verdict)
}

/// The experiments' names; numbered where two are the same.
fn names(reports: &[Report]) -> Vec<String> {
    let name = |(i, report): (usize, &Report)| {
        let twice = reports.iter().filter(|other| other.experiment == report.experiment).count() > 1;
        if twice { format!("{} ({})", report.experiment, i + 1) } else { report.experiment.clone() }
    };
    reports.iter().enumerate().map(name).collect()
}

fn notes(reports: &[Report], grids: &[Vec<RowReport>]) -> Vec<String> {
    let names = names(reports);
    let metric = |report: &Report| (report.primary.name.clone(), report.primary.at, report.primary.weights.clone());
    let mut notes = vec![
        "row less the reference of the same grid, with its plain 95 % interval; verdicts are Holm-corrected within each \
         grid, not over all of them"
            .to_owned(),
    ];
    if reports.windows(2).any(|pair| metric(&pair[0]) != metric(&pair[1])) {
        let said =
            reports.iter().zip(&names).map(|(report, name)| format!("{name}: {}", super::words::primary(report)));
        notes.push(format!("! the grids have different primary metrics: {}", said.collect::<Vec<_>>().join("; ")));
    }
    for (i, one) in grids.iter().enumerate() {
        for (j, other) in grids.iter().enumerate().skip(i + 1) {
            notes.extend(order(one, other).map(|tau| {
                format!("order of the rows in {} and {}: Kendall's τ = {}", names[i], names[j], fixed(tau, 2))
            }));
        }
    }
    notes
}

/// Kendall's τ of the differences of the rows that two grids have in common, the reference among them as 0; none below
/// three.
fn order(one: &[RowReport], other: &[RowReport]) -> Option<f64> {
    let difference = |row: &RowReport| match row.role {
        Role::Reference => Some(0.0),
        _ => Some(row.comparison.as_ref()?.test?.mean),
    };
    let in_both = one.iter().filter_map(|row| {
        let twin = other.iter().find(|other| other.label == row.label)?;
        Some((difference(row)?, difference(twin)?))
    });
    let (a, b): (Vec<f64>, Vec<f64>) = in_both.unzip();
    if a.len() < 3 { None } else { kendall(&a, &b) }
}
