//! What a grid has beside the differences of its rows: its games, its trials, what its cells were asked, every printed table.

use crate::fields::{Fields, fault, unknown};
use crate::find::find;
use crate::library::Grid;
use crate::rows::{name_of, row};
use facts::Role;
use minijinja::{Error, Value};
use records::baselines::BaselineName;
use report::model::{GameReport, RowReport};
use report::noise::Noise;
use report::numbers::{interval, mean_sd, signed};
use report::printed_tables;
use report::sections::strength::{RowStrength, StrengthReport};
use report::statistics::Interval;
use report::table::Table;

/// Facts about a grid: its comparisons, and the order of its rows on two games.
pub(crate) fn grid(grid: &Grid) -> Value {
    let ranks = grid.report.transfer.first().and_then(|transfer| transfer.ranks);
    Fields::of(grid.name.as_str())
        .with("comparisons", grid.report.family)
        .with("interactions", grid.report.interaction_family)
        .with_some("tau", ranks.map(|ranks| ranks.tau))
        .with_some("tau_low", ranks.map(|ranks| ranks.interval.low))
        .with_some("tau_high", ranks.map(|ranks| ranks.interval.high))
        .value()
}

/// Facts about the test positions of a game.
pub(crate) fn game(grid: &Grid, game: &str) -> Result<Value, Error> {
    let own = grid.game(game)?;
    let games =
        |row: &RowReport| row.comparison.as_ref()?.noise.as_ref().and_then(Noise::crossed).map(|noise| noise.games);
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
    let trial = found.ok_or_else(|| {
        let known: Vec<String> = trials.iter().map(|trial| values(&trial.values)).collect();
        unknown("trial", wanted, &format!("{label} in {}, {game}", grid.name), known.iter().map(String::as_str))
    })?;
    trial.score.ok_or_else(|| fault(format!("the trial {wanted} of {label} in {}, {game} has no score", grid.name)))
}

/// What a row answered to a question of `evaluate`; `about` is its name (a file, labels, an opponent),
/// or a part of its name that no other question has.
pub(crate) fn asked(grid: &Grid, game: &str, about: &str, name: &str) -> Result<Value, Error> {
    let own = grid.game(game)?;
    let title = |one: &StrengthReport| format!("{} {}", one.measure.name(), one.name);
    let exact: Vec<&StrengthReport> = own.strength.iter().filter(|one| one.name == about).collect();
    let similar = own.strength.iter().filter(|one| title(one).contains(about));
    let found: Vec<&StrengthReport> = if exact.is_empty() { similar.collect() } else { exact };
    let [question] = &found[..] else {
        let known: Vec<String> = own.strength.iter().map(title).collect();
        return Err(unknown(
            "single question",
            about,
            &format!("{}, {game}", grid.name),
            known.iter().map(String::as_str),
        ));
    };
    let what = format!("{} in {}, {game}", title(question), grid.name);
    let label = |row: &RowStrength| if row.role == Role::Twin { "A/A control".to_owned() } else { row.label.clone() };
    let rows = question.rows.iter().map(|row| (label(row), row)).collect();
    Ok(answer(question, find(rows, name, &what)?, what))
}

fn answer(question: &StrengthReport, row: &RowStrength, what: String) -> Value {
    const LEVEL: f64 = 0.95;
    let (scale, decimals) = if question.measure.is_share() { (100.0, 1) } else { (1.0, 3) };
    let ends = row.test.map(|test| {
        let Interval { low, high } = test.interval(LEVEL);
        Interval { low: low * scale, high: high * scale }
    });
    let difference = row.difference.map(|test| test.mean * scale);
    let shown = difference.zip(ends);
    let shown = shown.map(|(mean, ends)| format!("{} {}", signed(mean, decimals), interval(&ends, decimals)));
    Fields::of(what)
        .with("mean", row.summary.mean * scale)
        .with("value", mean_sd(&row.summary, scale))
        .with_some("difference", difference)
        .with_some("low", ends.map(|ends| ends.low))
        .with_some("high", ends.map(|ends| ends.high))
        .with("with_interval", shown.unwrap_or_default())
        .with_some("tau", question.ranks.map(|ranks| ranks.tau))
        .with_some("tau_low", question.ranks.map(|ranks| ranks.interval.low))
        .with_some("tau_high", question.ranks.map(|ranks| ranks.interval.high))
        .value()
}

/// A cell of a table that `posenc report` prints, by a part of the table's title. Tables that belong to no game are asked with an
/// empty one.
pub(crate) fn printed(grid: &Grid, game: &str, title: &str, name: &str, column: &str) -> Result<String, Error> {
    let own: Option<&GameReport> = if game.is_empty() { None } else { Some(grid.game(game)?) };
    let tables = printed_tables(&grid.report);
    let of_game = own.map(|own| own.game.as_str());
    let tables: Vec<&Table> =
        tables.iter().filter(|(of, _)| of.as_deref() == of_game).map(|(_, table)| table).collect();
    let table = tables.iter().find(|table| table.title.contains(title)).ok_or_else(|| {
        let known = tables.iter().map(|table| table.title.as_str());
        unknown("table", title, &format!("{}, {game}", grid.name), known)
    })?;
    let twin = own.and_then(|own| own.twin.as_ref());
    let label = |shown: &str| match twin {
        Some(twin) if shown == format!("{} (A/A)", twin.label) => name_of(twin).to_owned(),
        _ => shown.trim_end_matches(" †").to_owned(),
    };
    let what = format!("the table {:?} of {}", table.title, grid.name);
    let place = table.header.iter().position(|own| own == column);
    let place = place.ok_or_else(|| unknown("column", column, &what, table.header.iter().map(String::as_str)))?;
    let rows = table.rows.iter().map(|row| (label(&row[0]), row)).collect();
    Ok(find(rows, name, &what)?[place].clone())
}
