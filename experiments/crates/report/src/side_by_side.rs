//! Tables over several grids: `posenc compare`.

use super::comparison::{ALPHA, Comparison};
use super::model::{Report, RowReport};
use super::numbers::{alone, fixed, mean_sd, of_test, or_absent, p_value, with_interval};
use super::sections::notes;
use super::sections::settings::DATASET;
use super::statistics::across::welch;
use super::statistics::{MeanTest, Summary, holm};
use super::table::{ABSENT, ROW, Table};
use facts::row_name::readable;
use facts::{Direction, Role, distinct};
use std::iter::once;
use strength::kendall::tau;

/// The settings in which grids differ, then their differences to their own references: a table for each game with a row
/// for each label, in the order of first occurrence, and a column for each grid. Verdicts are corrected within each grid. Of two
/// grids also the difference of each row between them.
pub fn compare(reports: &[Report]) -> Vec<Table> {
    let mut tables = vec![settings(reports)];
    tables.extend(games(reports).into_iter().map(|game| of_game(reports, game)));
    if let [one, other] = reports {
        let of_one = games(&reports[..1]);
        tables.extend(of_one.into_iter().filter_map(|game| less([one, other], &labels(reports), game)));
    }
    tables
}

fn games(reports: &[Report]) -> Vec<&str> {
    distinct(reports.iter().flat_map(|report| &report.games).map(|game| game.game.as_str()))
}

fn rows_of<'a>(report: &'a Report, game: &str) -> Vec<&'a RowReport> {
    report.games.iter().filter(|own| own.game == game).flat_map(|own| &own.rows).collect()
}

/// The settings and conditions in which grids differ.
fn settings(reports: &[Report]) -> Table {
    let primary = |report: &Report| (notes::PRIMARY_METRIC.to_owned(), notes::primary(report));
    let all = || reports.iter().flat_map(|report| &report.settings);
    let of_grid = |report: &Report| -> Vec<(String, String)> {
        let settings = report.settings.iter().map(|setting| (setting.name.clone(), setting.beside(all())));
        once(primary(report)).chain(settings).filter(|(_, value)| !value.is_empty()).collect()
    };
    let grids: Vec<Vec<(String, String)>> = reports.iter().map(of_grid).collect();
    let names = distinct(grids.iter().flatten().map(|(name, _)| name.as_str()));
    let value = |grid: &[(String, String)], name: &str| {
        grid.iter().find(|(own, _)| own == name).map_or_else(|| ABSENT.to_owned(), |(_, value)| value.clone())
    };
    let values = |name: &str| -> Vec<String> { grids.iter().map(|grid| value(grid, name)).collect() };
    // Where the content hashes are equal, another path to the data is no difference.
    let is_path_to_same_data = |name: &str| {
        let Some((game, "data" | "test_data")) = name.split_once(": ") else { return false };
        let hashes = values(&format!("{game}: {DATASET}"));
        hashes.iter().all(|hash| !hash.is_empty() && hash != ABSENT && *hash == hashes[0])
    };
    let rows = names.into_iter().filter_map(|name| {
        let values = values(name);
        let differs = values.iter().any(|value| *value != values[0]) && !is_path_to_same_data(name);
        differs.then(|| once(name.to_owned()).chain(values).collect())
    });
    let header = once("setting".to_owned()).chain(labels(reports));
    let mut rows: Vec<Vec<String>> = rows.collect();
    let note = "settings that all rows of a grid share, and the conditions of its cells; varies: the rows of the grid differ; \
                in brackets those with another value in another grid";
    let note = (!rows.is_empty()).then_some(note);
    if rows.is_empty() {
        rows.push(once("none".to_owned()).chain(reports.iter().map(|_| String::new())).collect());
    }
    let text_columns: Vec<usize> = (0..=reports.len()).collect();
    Table::new(header, &text_columns, rows).titled("settings in which the grids differ").noted(note)
}

fn of_game(reports: &[Report], game: &str) -> Table {
    let grids: Vec<Vec<&RowReport>> = reports.iter().map(|report| rows_of(report, game)).collect();
    let rows = distinct(grids.iter().flatten().map(|row| row.label.as_str()));
    let rows = rows.into_iter().map(|label| {
        let cells = grids.iter().map(|grid| or_absent(grid.iter().find(|row| row.label == label), |row| cell(row)));
        once(readable(label)).chain(cells).collect()
    });
    let note = "row less the reference of the same grid, with its plain 95 % interval; verdicts are Holm-corrected within each \
                grid, not over all grids";
    let table = Table::new(once(ROW.to_owned()).chain(labels(reports)), &[0], rows);
    table.titled(game).noted([note]).noted(remarks(reports, &grids))
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

fn remarks(reports: &[Report], grids: &[Vec<&RowReport>]) -> Vec<String> {
    let labels = labels(reports);
    let equivalent = labels.iter().zip(reports).filter_map(|(label, report)| {
        Some(format!("equivalent rows of {label} are within {}", report.primary.within()?))
    });
    let mut notes: Vec<String> = equivalent.collect();
    for (i, one) in grids.iter().enumerate() {
        for (j, other) in grids.iter().enumerate().skip(i + 1) {
            notes.extend(order([&reports[i], &reports[j]], [one, other]).map(|tau| {
                format!("order of the rows in {} and {}: Kendall's τ = {}", labels[i], labels[j], fixed(tau, 2))
            }));
        }
    }
    notes
}

/// Kendall's τ of the differences of the rows that two grids have in common, with 0 for the reference; none below three
/// rows, or with several references. Differences of a metric of which more is better have their signs changed.
fn order(reports: [&Report; 2], [one, other]: [&[&RowReport]; 2]) -> Option<f64> {
    let signs = reports.map(|report| if report.primary.direction == Direction::Higher { -1.0 } else { 1.0 });
    let difference = |row: &RowReport, sign: f64| match row.role {
        Role::Reference => Some(0.0),
        _ => Some(sign * row.comparison.as_ref()?.test?.mean),
    };
    // Differences to several references have no common order.
    if [one, other].iter().any(|rows| rows.iter().filter(|row| row.role == Role::Reference).count() > 1) {
        return None;
    }
    let in_both = one.iter().filter_map(|row| {
        let same = other.iter().find(|other| other.label == row.label)?;
        Some((difference(row, signs[0])?, difference(same, signs[1])?))
    });
    let (a, b): (Vec<f64>, Vec<f64>) = in_both.unzip();
    if a.len() < 3 { None } else { tau(&a, &b) }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Between {
    pub label: String,
    pub levels: [Option<Summary>; 2],
    /// Welch's test of the first mean less the second; none for single seeds.
    pub test: Option<MeanTest>,
    /// Its p-value after Holm's correction over these rows.
    pub holm_p: Option<f64>,
}

/// The rows that two grids with the same primary metric, at the same step and of the same weights, have in common on a game; none for
/// other grids.
pub fn between(one: &Report, other: &Report, game: &str) -> Vec<Between> {
    let judged_by = |report: &Report| (report.primary.name.clone(), report.primary.at, report.primary.weights);
    if judged_by(one) != judged_by(other) {
        return Vec::new();
    }
    let others = rows_of(other, game);
    let same = |row: &RowReport| others.iter().copied().find(|other| other.label == row.label);
    let shared: Vec<(&RowReport, &RowReport)> =
        rows_of(one, game).into_iter().filter_map(|row| Some((row, same(row)?))).collect();
    let test =
        |(one, other): &(&RowReport, &RowReport)| welch(&mean(one.primary.as_ref()?)?, &mean(other.primary.as_ref()?)?);
    let tests: Vec<Option<MeanTest>> = shared.iter().map(test).collect();
    let corrected = holm(&tests.iter().map(|test| test.map(|test| test.p)).collect::<Vec<_>>(), ALPHA);
    let rows = shared.iter().zip(tests.into_iter().zip(corrected));
    rows.map(|((row, same), (test, corrected))| Between {
        label: row.label.clone(),
        levels: [row.primary, same.primary],
        test,
        holm_p: corrected.map(|holm| holm.p),
    })
    .collect()
}

fn less([one, other]: [&Report; 2], labels: &[String], game: &str) -> Option<Table> {
    let found = between(one, other, game);
    let cells = found.iter().map(|row| {
        let [own, same] = row.levels.map(|level| or_absent(level, |summary| mean_sd(&summary, 1.0)));
        let difference = or_absent(row.test.as_ref(), of_test);
        vec![readable(&row.label), own, same, difference, or_absent(row.holm_p, p_value)]
    });
    let (first, second) = (labels[0].as_str(), labels[1].as_str());
    let header = [ROW, first, second, "difference, 95 % interval", "Holm p"];
    let note = format!(
        "difference: of the means of {} over seeds (Welch's test, seeds of two grids are no pairs; Holm-corrected over these \
         rows); it does not count the noise of test positions",
        one.primary.name
    );
    let table = Table::new(header, &[0], cells).titled(&format!("{game}: {first} less {second}")).noted([note]);
    (!found.is_empty()).then_some(table)
}

/// The mean with its standard error; none for a single seed.
fn mean(summary: &Summary) -> Option<MeanTest> {
    let count = summary.n as f64;
    Some(MeanTest::new(summary.mean, summary.sd? / count.sqrt(), count - 1.0))
}
