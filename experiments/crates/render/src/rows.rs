//! A row of a grid as a template sees it.

use crate::fields::{Fields, fault};
use crate::find::find;
use crate::library::Grid;
use facts::metrics::{self, Direction};
use facts::{Mask, Role};
use minijinja::{Error, Value};
use report::comparison::{Comparison, Corrected, Verdict};
use report::model::{GameReport, Report, RowReport};
use report::numbers::{interval, interval_decimals, mean_sd, signed};
use report::sections::tuning::TunedRow;
use report::statistics::Summary;

/// The name of the A/A control in reports.
const CONTROL: &str = "A/A control";

pub(crate) fn row<'a>(grid: &'a Grid, game: &'a GameReport, name: &str) -> Result<&'a RowReport, Error> {
    let rows = game.rows.iter().chain(&game.twin).map(|row| (name_of(row).to_owned(), row)).collect();
    find(rows, name, &format!("{}, {}", grid.name, game.game))
}

pub(crate) fn name_of(row: &RowReport) -> &str {
    if row.role == Role::Twin { CONTROL } else { &row.label }
}

pub(crate) fn named(grid: &Grid, game: &str, name: &str) -> Result<Value, Error> {
    let game = grid.game(game)?;
    Ok(value(&grid.report, game, row(grid, game, name)?))
}

/// How a row's equivalence with its reference came out, in a grid that was judged with a margin.
pub(crate) fn equivalence(grid: &Grid, game: &str, name: &str) -> Result<Value, Error> {
    let game = grid.game(game)?;
    let row = row(grid, game, name)?;
    let what = format!("the equivalence of {} in {}, {}", name_of(row), grid.name, game.game);
    let comparison = row.comparison.as_ref();
    let tests = comparison.and_then(|comparison| Some((comparison, comparison.equivalence?)));
    let (comparison, tests) = tests.ok_or_else(|| fault(format!("{what} was not tested: it has no complete pairs")))?;
    let shown = interval(&tests.interval, interval_decimals(&tests.interval));
    let fields = Fields::of(what).with("p", tests.p).with("holm_p", tests.holm.p).with("interval", shown);
    Ok(fields.with_ends("", Some(tests.interval)).with("verdict", comparison.judgement()).value())
}

/// These rows in this order; without names all but the A/A control, the best first.
pub(crate) fn rows(grid: &Grid, game: &str, names: Option<Vec<String>>) -> Result<Vec<Value>, Error> {
    let game = grid.game(game)?;
    let found: Vec<&RowReport> = match names {
        Some(names) => names.iter().map(|name| row(grid, game, name)).collect::<Result<_, _>>()?,
        None => {
            let sign = if grid.report.primary.direction == Direction::Higher { -1.0 } else { 1.0 };
            let place = |row: &&RowReport| row.primary.map_or(f64::INFINITY, |primary| sign * primary.mean);
            let mut rows: Vec<&RowReport> = game.rows.iter().collect();
            rows.sort_by(|a, b| place(a).total_cmp(&place(b)));
            rows
        }
    };
    Ok(found.into_iter().map(|row| value(&grid.report, game, row)).collect())
}

fn value(report: &Report, game: &GameReport, row: &RowReport) -> Value {
    let name = name_of(row);
    let shown = row.primary.map(|primary| mean_sd(&primary, 1.0)).unwrap_or_default();
    let mark = row.comparison.as_ref().map_or("", |comparison| mark(report, row, comparison));
    let tuned = game.tuning.as_ref().and_then(|tuning| tuning.rows.iter().find(|tuned| tuned.label == row.label));
    let tuned = tuned.filter(|_| row.role != Role::Twin);
    let policy = row.test.get("policy_loss").filter(|_| row.mask != Mask::None);
    let learnt = policy.zip(game.learnable).map(|(loss, range)| range.learnt(loss.mean));
    let fields = Fields::of(format!("the row {name} of {}, {}", report.experiment, game.game))
        .with("name", name)
        .with("cell", format!("{shown} {mark}").trim())
        .with("value", shown)
        .with("mark", mark)
        .with_some("mean", row.primary.map(|primary| primary.mean))
        .with_some("sd", row.primary.and_then(|primary| primary.sd))
        .with_some("learnt", learnt)
        .with("test", test(name, row))
        .with("parameters", row.network.parameters())
        .with("encoding_parameters", row.network.encoding)
        .with_some("step", row.step_time.and_then(|time| time.ratio))
        .with_some("epochs", row.epochs)
        .with_some("per_doubling", row.per_doubling())
        .with("choice", tuned.map(choice).unwrap_or_default())
        .with("is_edge", tuned.is_some_and(|tuned| !tuned.edges.is_empty()));
    match &row.comparison {
        Some(comparison) => compared(fields, comparison).value(),
        // Tables leave these cells of the reference empty.
        None => fields.with("with_interval", "").with("with_holm_interval", "").value(),
    }
}

fn test(name: &str, row: &RowReport) -> Value {
    let metric = |name: &str, summary: &Summary| {
        let is_share = metrics::find(name).is_ok_and(|metric| metric.unit == "share");
        Fields::of(name)
            .with("mean", summary.mean)
            .with_some("sd", summary.sd)
            .with("value", mean_sd(summary, if is_share { 100.0 } else { 1.0 }))
            .value()
    };
    let fields = Fields::of(format!("the metrics of {name}"));
    row.test.iter().fold(fields, |fields, (name, summary)| fields.with(name, metric(name, summary))).value()
}

/// The values of the chosen trial.
fn choice(tuned: &TunedRow) -> String {
    let chosen = tuned.chosen.and_then(|place| tuned.trials.get(place));
    let values = chosen.into_iter().flat_map(|trial| &trial.values).map(|(_, value)| value.as_str());
    values.collect::<Vec<_>>().join(", ")
}

/// The difference to the reference, its intervals and its test.
fn compared(fields: Fields, comparison: &Comparison) -> Fields {
    let difference = comparison.test.map(|test| test.mean);
    let plain = comparison.interval;
    let holm = comparison.holm;
    // In the digits of the plain interval.
    let wide = difference.zip(plain).zip(holm).map(|((mean, plain), Corrected { interval: wide, .. })| {
        let decimals = interval_decimals(&plain);
        format!("{} {}", signed(mean, decimals), interval(&wide, decimals))
    });
    fields
        .with_difference("difference", difference, plain)
        .with_some("p", comparison.decisive.map(|test| test.p))
        .with_some("holm_p", holm.map(|corrected| corrected.holm.p))
        .with_ends("holm_", holm.map(|corrected| corrected.interval))
        .with("with_holm_interval", wide.unwrap_or_default())
        .with("verdict", comparison.verdict.name())
        .with_some("games_share", comparison.crossed().map(|crossed| crossed.games_share))
}

/// A verdict as pages write it: ▲ better, ▼ worse, in brackets where it depends on tuning.
fn mark(report: &Report, row: &RowReport, comparison: &Comparison) -> &'static str {
    let is_better = |mean: f64| (mean < 0.0) == (report.primary.direction == Direction::Lower);
    match (row.role, comparison.verdict, comparison.test) {
        (Role::Compared, Verdict::Better, _) => "▲",
        (Role::Compared, Verdict::Worse, _) => "▼",
        (Role::Compared, Verdict::DependsOnTuning, Some(test)) if is_better(test.mean) => "(▲)",
        (Role::Compared, Verdict::DependsOnTuning, _) => "(▼)",
        _ => "",
    }
}
