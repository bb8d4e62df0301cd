//! Rows of several grids: one row in two grids, the agreement of two orders, and one correction for the comparisons of several
//! grids.

use crate::fields::{Fields, fault, unknown};
use crate::find::find;
use crate::library::Grid;
use crate::rows::{name_of, row};
use facts::Role;
use minijinja::{Error, Value};
use report::comparison::ALPHA;
use report::model::RowReport;
use report::no_verdict::Missing;
use report::side_by_side;
use report::statistics::across::{ITEMS_NEEDED, agreement};
use report::statistics::holm;
use std::ptr;
use std::sync::Arc;

/// A row of the first grid less the same row of the second.
pub(crate) fn between(first: &Grid, second: &Grid, game: &str, name: &str) -> Result<Value, Error> {
    let what = format!("{} less {}, {game}", first.name, second.name);
    let rows = side_by_side::between(&first.report, &second.report, game);
    if rows.is_empty() {
        return Err(fault(format!("{what}: the grids have no row of one primary metric in common")));
    }
    let row = find(rows.into_iter().map(|row| (row.label.clone(), row)).collect(), name, &what)?;
    let [own, other] = row.levels.map(|level| level.map(|level| level.mean));
    let (mean, ends) = row.test.map(|test| (test.mean, test.interval(0.95))).unzip();
    Ok(Fields::of(format!("{name}: {what}"))
        .with_some("first", own)
        .with_some("second", other)
        .with_difference("difference", mean, ends)
        .with_some("holm_p", row.holm_p)
        .value())
}

/// Kendall's τ of two lists with a value of each item, and its interval over draws of the items.
pub(crate) fn tau(first: &[f64], second: &[f64]) -> Result<Value, Error> {
    if first.len() != second.len() {
        return Err(fault(format!("τ needs two lists of one length, got {} and {} values", first.len(), second.len())));
    }
    let found = agreement(first, second)
        .ok_or_else(|| fault(format!("τ needs {ITEMS_NEEDED} items that are not all equal, got {}", first.len())))?;
    Ok(Fields::of("τ").with("items", first.len()).with("tau", found.tau).with_ends("", Some(found.interval)).value())
}

struct Member<'a> {
    row: &'a RowReport,
    /// Its p-value, if it has one, corrected together with all others.
    p: Option<f64>,
    /// Whether it is significant in its own grid.
    is_significant: bool,
}

/// Every comparison of these grids, with one correction over all of them.
fn corrected(grids: &[Arc<Grid>]) -> Vec<Member<'_>> {
    let games = grids.iter().flat_map(|grid| &grid.report.games);
    let compared = games.flat_map(|game| &game.rows).filter(|row| row.role == Role::Compared);
    let members = compared.filter_map(|row| {
        let comparison = row.comparison.as_ref().filter(|own| !own.missing.contains(&Missing::Exploratory))?;
        let p = comparison.holm.and(comparison.decisive).map(|test| test.p);
        Some(Member { row, p, is_significant: comparison.holm.is_some_and(|own| own.holm.p < ALPHA) })
    });
    let mut members: Vec<Member<'_>> = members.collect();
    let p_values: Vec<Option<f64>> = members.iter().map(|member| member.p).collect();
    for (member, corrected) in members.iter_mut().zip(holm(&p_values, ALPHA)) {
        member.p = corrected.map(|holm| holm.p);
    }
    members
}

/// How many comparisons these grids have, and how many stay significant if all are corrected together.
pub(crate) fn family(grids: &[Arc<Grid>]) -> Value {
    let members = corrected(grids);
    let significant: Vec<&Member<'_>> = members.iter().filter(|member| member.is_significant).collect();
    let kept = significant.iter().filter(|member| member.p.is_some_and(|p| p < ALPHA)).count();
    Fields::of("the family of comparisons")
        .with("comparisons", members.len())
        .with("significant", significant.len())
        .with("kept", kept)
        .with("lost", significant.len() - kept)
        .value()
}

/// The p-value of one comparison, corrected together with all others of these grids.
pub(crate) fn family_p(grids: &[Arc<Grid>], grid: &str, game: &str, name: &str) -> Result<f64, Error> {
    let own = grids.iter().find(|own| own.name == grid);
    let own = own.ok_or_else(|| unknown("grid", grid, "the family", grids.iter().map(|own| own.name.as_str())))?;
    let row = row(own, own.game(game)?, name)?;
    let found = corrected(grids).into_iter().find(|member| ptr::eq(member.row, row)).and_then(|member| member.p);
    found.ok_or_else(|| fault(format!("{} in {grid}, {game} is not a comparison with a p-value", name_of(row))))
}
