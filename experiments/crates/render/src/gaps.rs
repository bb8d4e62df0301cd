//! Gaps between rows and their changes, as the interactions of a grid have them.

use crate::fields::{Fields, fault, unknown};
use crate::find::{fits, parts};
use crate::library::Grid;
use minijinja::{Error, Value};
use report::numbers::{interval, interval_decimals};
use report::sections::interactions::{Gap, InteractionReport};

/// The gap `shaw less absolute` where these parts hold, e.g. `layers 1, steps 250`.
pub(crate) fn gap(grid: &Grid, game: &str, name: &str, place: &str) -> Result<Value, Error> {
    let mut found: Vec<(String, Gap)> = Vec::new();
    for one in with_name(grid, game, name)? {
        for (side, value) in one.definition.by.iter().enumerate() {
            let whole =
                one.definition.within.as_ref().map_or_else(|| value.clone(), |within| format!("{within}, {value}"));
            let Some(gap) = one.gaps[side].filter(|_| fits(&whole, place)) else { continue };
            // Several interactions have a gap that they share.
            if found.iter().all(|(_, known)| *known != gap) {
                found.push((whole, gap));
            }
        }
    }
    let what = format!("the gap {name} ({place}) of {}", grid.name);
    match &found[..] {
        [(_, Gap { mean, interval: ends })] => Ok(Fields::of(what)
            .with_difference("mean", Some(*mean), Some(*ends))
            .with("interval", interval(ends, interval_decimals(ends)))
            .value()),
        [] => Err(fault(format!("{what} is in no interaction; the places are: {}", places(grid, game, name)?))),
        several => {
            let places: Vec<&str> = several.iter().map(|(place, _)| place.as_str()).collect();
            Err(fault(format!("{what} is not one gap but several: {}; name more of one", places.join("; "))))
        }
    }
}

/// How a gap changes over two values, the first and the second, where these parts hold.
pub(crate) fn change(grid: &Grid, game: &str, name: &str, place: &str, by: &[String]) -> Result<Value, Error> {
    let is_meant = |one: &&InteractionReport| {
        one.definition.by[..] == *by && one.definition.within.as_deref().is_none_or(|within| fits(within, place))
    };
    let what = format!("the change of {name} ({place}) over {} in {}", by.join(" to "), grid.name);
    let found: Vec<&InteractionReport> = with_name(grid, game, name)?.into_iter().filter(is_meant).collect();
    let [one] = &found[..] else {
        let count = found.len();
        return Err(fault(format!("{what}: {count} interactions fit; the places are: {}", places(grid, game, name)?)));
    };
    Ok(Fields::of(what)
        .with_difference("mean", one.test.map(|test| test.mean), one.interval)
        .with_some("p", one.decisive.map(|test| test.p))
        .with_some("holm_p", one.holm.map(|corrected| corrected.holm.p))
        .with("verdict", one.change.name())
        .value())
}

/// `shaw less absolute`, without the common part of the rows.
fn short(one: &InteractionReport) -> String {
    let [from, to] = &one.definition.gap;
    format!("{to} less {from}")
}

fn with_name<'a>(grid: &'a Grid, game: &str, name: &str) -> Result<Vec<&'a InteractionReport>, Error> {
    let all = &grid.game(game)?.interactions;
    let found: Vec<&InteractionReport> = all.iter().filter(|one| short(one) == name).collect();
    if found.is_empty() {
        let mut names: Vec<String> = all.iter().map(short).collect();
        names.sort();
        names.dedup();
        return Err(unknown("gap", name, &grid.name, names.iter()));
    }
    Ok(found)
}

/// Where a gap is known, for an error.
fn places(grid: &Grid, game: &str, name: &str) -> Result<String, Error> {
    let mut places: Vec<String> = Vec::new();
    for one in with_name(grid, game, name)? {
        let within = one.definition.within.as_deref().map(parts).unwrap_or_default();
        places.extend(one.definition.by.iter().map(|by| [&within[..], &[by.as_str()]].concat().join(", ")));
    }
    places.sort();
    places.dedup();
    Ok(places.join("; "))
}
