//! A row in two grids, as `posenc compare` compares them.

use crate::fields::{Fields, fault};
use crate::find::find;
use crate::library::Grid;
use minijinja::{Error, Value};
use report::numbers::with_interval;
use report::side_by_side;

/// A row of the first grid less the same row of the second.
pub(crate) fn between(first: &Grid, second: &Grid, game: &str, name: &str) -> Result<Value, Error> {
    let what = format!("{} less {}, {game}", first.name, second.name);
    let rows = side_by_side::between(&first.report, &second.report, game);
    if rows.is_empty() {
        return Err(fault(format!("{what}: the grids have no row of one primary metric in common")));
    }
    let row = find(rows.into_iter().map(|row| (row.label.clone(), row)).collect(), name, &what)?;
    let [own, other] = row.levels.map(|level| level.map(|level| level.mean));
    let ends = row.test.map(|test| test.interval(0.95));
    let shown = row.test.zip(ends).map(|(test, ends)| with_interval(test.mean, &ends));
    Ok(Fields::of(format!("{name}: {what}"))
        .with_some("first", own)
        .with_some("second", other)
        .with_some("difference", row.test.map(|test| test.mean))
        .with_some("low", ends.map(|ends| ends.low))
        .with_some("high", ends.map(|ends| ends.high))
        .with("with_interval", shown.unwrap_or_default())
        .with_some("holm_p", row.holm_p)
        .value())
}
