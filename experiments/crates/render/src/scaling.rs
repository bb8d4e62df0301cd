//! Curves over budgets of positions: losses, data multipliers, exponents, and what a bundle has predicted.

use crate::fields::{Fields, fault, unknown};
use crate::find::find;
use crate::library::Grid;
use bundle::predictions::PredictedLoss;
use minijinja::{Error, Value};
use report::numbers::with_interval;
use report::sections::scaling::{Scaling, ScalingRow, factor};
use report::statistics::Interval;
use report::statistics::ladder::Bounded;
use report::table::ABSENT;

pub(crate) fn scaling(grid: &Grid, game: &str) -> Result<Value, Error> {
    let all = &grid.game(game)?.scaling;
    let what = format!("the curves of {}, {game}", grid.name);
    let [own] = &all[..] else {
        return Err(fault(format!("{what} have {} references; expected one with two finished budgets", all.len())));
    };
    let names: Vec<String> = own.rows.iter().map(|row| row.label.clone()).collect();
    Ok(Fields::of(what)
        .with("budgets", own.budgets.clone())
        .with("reference", names[0].clone())
        .with("rows", names)
        .with_some("floor", own.floor)
        .value())
}

/// The loss of a row at a finished budget.
pub(crate) fn budget(grid: &Grid, game: &str, name: &str, positions: u64) -> Result<Value, Error> {
    let (_, row, what) = curve(grid, game, name)?;
    let known = row.points.iter().map(|own| own.at.exp().round() as u64);
    let (loss, ends) = row.measured(positions).ok_or_else(|| no_budget(positions, &what, known))?;
    Ok(Fields::of(format!("{what} at {positions}")).with_estimate("loss", loss, ends).value())
}

/// How many times fewer positions a row needs than its reference, for the loss that this has at a budget.
pub(crate) fn multiplier(grid: &Grid, game: &str, name: &str, positions: u64) -> Result<Value, Error> {
    let (scaling, row, what) = curve(grid, game, name)?;
    let place = scaling.budgets.iter().position(|&own| own == positions);
    let place = place.ok_or_else(|| no_budget(positions, &what, scaling.budgets.iter().copied()))?;
    let multiple = row.multipliers.get(place).copied().flatten();
    let multiple = multiple.ok_or_else(|| fault(format!("{what} has no multiplier: it is a reference")))?;
    let (at, bound) = multiple.at.words();
    let [low, high] = multiple.ends.map(Bounded::exact);
    Ok(Fields::of(format!("the multiplier of {what} at {positions}"))
        .with("at", at)
        .with("bound", bound)
        .with_some("low", low)
        .with_some("high", high)
        .with("shown", factor(&multiple))
        .value())
}

/// The power law of a row with the `known` floor or the `fitted` one; as in tables a dash while too few budgets have finished.
pub(crate) fn exponent(grid: &Grid, game: &str, name: &str, floor: &str) -> Result<Value, Error> {
    let law = match floor {
        "known" => 0,
        "fitted" => 1,
        _ => return Err(fault(format!("the floor is \"known\" or \"fitted\", got {floor:?}"))),
    };
    let (_, row, what) = curve(grid, game, name)?;
    let fields = Fields::of(format!("the power law of {what} with the {floor} floor"));
    let Some(own) = row.laws[law].as_ref() else {
        return Ok(fields.with("shown", ABSENT).with("with_interval", "").value());
    };
    let budget = |place: usize| own.points[place].at.exp().round() as u64;
    let test = row.steeper[law];
    let shown = test.map(|test| with_interval(test.mean, &test.interval(0.95)));
    Ok(fields
        .with_estimate("exponent", own.exponent.mean, own.exponent.interval(0.95))
        .with("floor", own.floor)
        .with("first", budget(0))
        .with("last", budget(own.points.len() - 1))
        .with_some("difference", test.map(|test| test.mean))
        .with("with_interval", shown.unwrap_or_default())
        .with_some("holm_p", row.holm_p[law])
        .value())
}

/// What the bundle predicted of a row when it was published.
pub(crate) fn predicted(grid: &Grid, game: &str, name: &str) -> Result<Value, Error> {
    let all = grid
        .predictions
        .as_ref()
        .ok_or_else(|| fault(format!("{} predicts nothing; publish its run folder with --extrapolate", grid.name)))?;
    let of = format!("{}, {game}", grid.name);
    let rows = all.rows.iter().filter(|row| row.game == game).map(|row| (row.row.clone(), row)).collect();
    let row = find(rows, name, &format!("the predictions of {of}"))?;
    let what = format!("the prediction of {} in {of}", row.row);
    let loss = |own: PredictedLoss| {
        let ends = Interval { low: own.low, high: own.high };
        Fields::of(what.as_str()).with_estimate("loss", own.loss, ends).value()
    };
    Ok(Fields::of(what.as_str())
        .with("positions", row.positions)
        .with_some("known", row.with_floor.map(loss))
        .with_some("fitted", row.with_fitted_floor.map(loss))
        .with("cells", all.made_from.cells)
        .with("blake3", all.made_from.blake3.clone())
        .value())
}

/// The loss that a row has at the predicted budget, divided by the loss that the power law with the known floor predicts there
/// from the smaller budgets of the same bundle.
pub(crate) fn outcome(grid: &Grid, game: &str, name: &str) -> Result<Value, Error> {
    let (_, row, what) = curve(grid, game, name)?;
    let (ratio, ends) =
        row.outcome(0).ok_or_else(|| fault(format!("{what} has no measured loss beside a predicted one")))?;
    Ok(Fields::of(format!("the outcome of {what}"))
        .with_estimate("ratio", ratio, ends)
        .with_some("holm_p", row.outcomes_holm_p[0])
        .value())
}

/// The row with a curve that a name fits, the curves that it belongs to, and its name for errors.
fn curve<'a>(grid: &'a Grid, game: &str, name: &str) -> Result<(&'a Scaling, &'a ScalingRow, String), Error> {
    let all = grid.game(game)?.scaling.iter();
    let rows = all.flat_map(|own| own.rows.iter().map(move |row| (row.label.clone(), (own, row)))).collect();
    let of = format!("the curves of {}, {game}", grid.name);
    let (scaling, row) = find(rows, name, &of)?;
    Ok((scaling, row, format!("{} in {of}", row.label)))
}

fn no_budget(positions: u64, of: &str, known: impl Iterator<Item = u64>) -> Error {
    unknown("finished budget", &positions.to_string(), of, known.map(|own| own.to_string()))
}
