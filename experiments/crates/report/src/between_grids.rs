//! Each row in one grid less the same row in another: what a dataset or a setting that differs between them costs it.

use super::distinct::distinct;
use super::model::{Report, RowReport};
use super::numbers::{mean_sd, or_absent, p_value, with_interval};
use super::statistics::across::{Welch, welch_of};
use super::statistics::{MeanTest, Summary, holm};
use super::table::Table;

/// The level of the correction.
const ALPHA: f64 = 0.05;

/// A row in two grids.
#[derive(Debug, Clone, PartialEq)]
pub struct Between {
    pub label: String,
    /// Its primary metric in each.
    pub levels: [Option<Summary>; 2],
    /// Welch's test of the first mean less the second; none for single seeds.
    pub test: Option<Welch>,
    /// Its p-value after Holm's correction over these rows.
    pub holm_p: Option<f64>,
}

/// A table for each game of two grids with the same primary metric; none for other grids.
pub(super) fn tables(reports: &[Report]) -> Vec<Table> {
    let [one, other] = reports else { return Vec::new() };
    let games = distinct(one.games.iter().map(|game| game.game.as_str()));
    games.into_iter().filter_map(|game| of_game(one, other, game)).collect()
}

/// The rows that two grids with the same primary metric have in common on a game; none for other grids.
pub fn rows(one: &Report, other: &Report, game: &str) -> Vec<Between> {
    if one.primary.name != other.primary.name {
        return Vec::new();
    }
    let rows_of = |report: &Report| -> Vec<RowReport> {
        report.games.iter().filter(|own| own.game == game).flat_map(|own| own.rows.clone()).collect()
    };
    let (mine, others) = (rows_of(one), rows_of(other));
    let shared: Vec<(&RowReport, &RowReport)> =
        mine.iter().filter_map(|row| Some((row, others.iter().find(|other| other.label == row.label)?))).collect();
    let tests: Vec<Option<Welch>> = shared.iter().map(|(row, same)| test(row, same)).collect();
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

fn of_game(one: &Report, other: &Report, game: &str) -> Option<Table> {
    let found = rows(one, other, game);
    let cells = found.iter().map(|row| {
        let [own, same] = row.levels.map(|level| or_absent(level, |summary| mean_sd(&summary, 1.0)));
        let difference = or_absent(row.test, |test| with_interval(test.difference, &test.interval));
        vec![row.label.clone(), own, same, difference, or_absent(row.holm_p, p_value)]
    });
    let (first, second) = (one.experiment.as_str(), other.experiment.as_str());
    let header = ["row", first, second, "difference, 95 % interval", "Holm p"];
    let note = format!(
        "difference: of the means of {} over seeds (Welch's test, seeds of two grids are no pairs; Holm-corrected over these \
         rows); it does not count the noise of test positions",
        one.primary.name
    );
    let table = Table::new(header, &[0], cells).titled(&format!("{game}: {first} less {second}")).noted(vec![note]);
    (!found.is_empty()).then_some(table)
}

fn test(one: &RowReport, other: &RowReport) -> Option<Welch> {
    welch_of(&mean(one.primary.as_ref()?)?, &mean(other.primary.as_ref()?)?)
}

/// The mean with its standard error; none for a single seed.
fn mean(summary: &Summary) -> Option<MeanTest> {
    let count = summary.n as f64;
    Some(MeanTest::new(summary.mean, summary.sd? / count.sqrt(), count - 1.0))
}
