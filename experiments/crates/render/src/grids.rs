//! The parts of a grid beside the differences of its rows: its games, its trials, the answers of its cells to
//! `evaluate`, and the times of its cells.

use crate::fields::{Fields, fault, unknown};
use crate::find::find;
use crate::library::Grid;
use crate::rows::row;
use crate::times::TrainedCell;
use facts::Role;
use minijinja::{Error, Value};
use records::baselines::BaselineName;
use report::model::RowReport;
use report::numbers::{interval, mean_sd, signed};
use report::sections::strength::{RowStrength, StrengthReport};
use std::collections::BTreeSet;

/// Facts about a grid: what it asks and expects, its cells and comparisons, and the order of its rows on two games.
pub(crate) fn grid(grid: &Grid) -> Value {
    let ranks = grid.report.transfer.first().and_then(|transfer| transfer.ranks);
    Fields::of(grid.name.as_str())
        .with_some("question", grid.report.question.clone())
        .with_some("expect", grid.report.expect.clone())
        .with("cells", grid.report.cells.all)
        .with("cells_done", grid.report.cells.done)
        .with("comparisons", grid.report.family)
        .with("interactions", grid.report.interaction_family)
        .with_ranks(ranks)
        .value()
}

/// Facts about the test positions of a game.
pub(crate) fn game(grid: &Grid, game: &str) -> Result<Value, Error> {
    let own = grid.game(game)?;
    let games = |row: &RowReport| Some(row.comparison.as_ref()?.crossed()?.games);
    let targets = own.heads.iter().find(|head| head.name == "policy").and_then(|head| head.targets);
    let log_linear = own.baselines.as_ref().and_then(|set| set.get(BaselineName::LogLinear));
    Ok(Fields::of(format!("{}, {game}", grid.name))
        .with_some("test_positions", own.test_positions)
        .with_some("test_games", own.rows.iter().filter_map(games).max())
        .with_some("targets", targets.map(|(_, count)| count))
        .with_some("uniform", own.learnable.map(|range| range.uniform).or(own.uniform_baseline))
        .with_some("floor", own.learnable.map(|range| range.floor))
        .with_some("log_linear", log_linear.map(|baseline| baseline.loss))
        .with_some("log_linear_weights", log_linear.map(|baseline| baseline.weights))
        .value())
}

/// The score of a row's trial with this value of the tuned setting, on validation.
pub(crate) fn trial(grid: &Grid, game: &str, name: &str, wanted: &str) -> Result<f64, Error> {
    let own = grid.game(game)?;
    let label = &row(grid, own, name)?.label;
    let tuned = own.tuning.as_ref().and_then(|tuning| tuning.rows.iter().find(|tuned| tuned.label == *label));
    let trials = tuned.map(|tuned| &tuned.trials[..]).unwrap_or_default();
    let values =
        |values: &[(String, String)]| values.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ");
    let found = trials.iter().find(|trial| values(&trial.values) == wanted);
    let of = format!("{label} in {}, {game}", grid.name);
    let known = trials.iter().map(|trial| values(&trial.values));
    let trial = found.ok_or_else(|| unknown("trial", wanted, &of, known))?;
    trial.score().ok_or_else(|| fault(format!("the trial {wanted} of {of} has no score")))
}

/// The answer of a row to a question of `evaluate`; `about` is its name (a file, labels, an opponent),
/// or a part of its name that no other question has.
pub(crate) fn evaluation(grid: &Grid, game: &str, about: &str, name: &str) -> Result<Value, Error> {
    let (own, of) = (grid.game(game)?, format!("{}, {game}", grid.name));
    let title = |one: &StrengthReport| format!("{} {}", one.measure.name(), one.name);
    let exact: Vec<&StrengthReport> = own.strength.iter().filter(|one| one.name == about).collect();
    let similar = own.strength.iter().filter(|one| title(one).contains(about));
    let found: Vec<&StrengthReport> = if exact.is_empty() { similar.collect() } else { exact };
    let [question] = &found[..] else {
        return Err(unknown("single question", about, &of, own.strength.iter().map(title)));
    };
    let what = format!("{} in {of}", title(question));
    let label = |row: &RowStrength| if row.role == Role::Twin { "A/A control".to_owned() } else { row.label.clone() };
    let rows = question.rows.iter().map(|row| (label(row), row)).collect();
    Ok(answer(question, find(rows, name, &what)?, what))
}

fn answer(question: &StrengthReport, row: &RowStrength, what: String) -> Value {
    const LEVEL: f64 = 0.95;
    let (scale, decimals) = if question.measure.is_share() { (100.0, 1) } else { (1.0, 3) };
    let ends = row.test.map(|test| test.interval(LEVEL).map(|end| end * scale));
    let difference = row.difference.map(|test| test.mean * scale);
    let shown = difference.zip(ends);
    let shown = shown.map(|(mean, ends)| format!("{} {}", signed(mean, decimals), interval(&ends, decimals)));
    Fields::of(what)
        .with("mean", row.summary.mean * scale)
        .with("value", mean_sd(&row.summary, scale))
        .with_some("difference", difference)
        .with_ends("", ends)
        .with("with_interval", shown.unwrap_or_default())
        .with_ranks(question.ranks)
        .value()
}

/// How many cells a grid has, and when the first began and the last ended. `of` is `trial` or `cell`, or none for both; those of
/// rows whose folder lacks the text `rows`, and those that the grid `without` has too, are left out.
pub(crate) fn trained(
    grid: &Grid,
    of: Option<&str>,
    rows: Option<&str>,
    without: Option<&Grid>,
) -> Result<Value, Error> {
    let is_trial = match of {
        None => None,
        Some("trial") => Some(true),
        Some("cell") => Some(false),
        Some(other) => return Err(fault(format!("of is \"trial\" or \"cell\", got {other:?}"))),
    };
    let theirs: BTreeSet<&str> =
        without.into_iter().flat_map(|other| &other.trained).map(|cell| cell.id.as_str()).collect();
    let meant = |cell: &&TrainedCell| {
        let is_one = is_trial.is_none_or(|wanted| cell.is_trial == wanted);
        is_one && rows.is_none_or(|text| cell.row.contains(text)) && !theirs.contains(cell.id.as_str())
    };
    let trained: Vec<&TrainedCell> = grid.trained.iter().filter(meant).collect();
    let fields = Fields::of(format!("the times of {}", grid.name))
        .with("count", trained.len())
        .with_some("began", trained.iter().map(|cell| cell.began).reduce(f64::min))
        .with_some("ended", trained.iter().map(|cell| cell.ended).reduce(f64::max));
    Ok(fields.value())
}
