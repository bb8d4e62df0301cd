//! The primary metric on parts of the test positions, paired position by position.

use super::files::RunFolder;
use super::model::slices::{Dimension, Slice, SliceReport};
use super::model::{GameReport, RowReport};
use super::positions::Positions;
use super::statistics::crossed::{Differences, estimate};
use dataset::move_type::MOVE_TYPES;
use facts::Role;
use games::{GameKind, Phase, with_game};
use rayon::prelude::*;
use records::plan::Row;
use records::positions::PositionRow;
use std::collections::BTreeMap;

/// Slices with fewer positions are not reported.
const POSITIONS_NEEDED: usize = 50;

/// A slice's name and the places of its positions.
type Group = (String, Vec<usize>);

/// The measurements of one row's cells, by seed.
type Measurements<'a> = BTreeMap<u64, &'a [Option<f32>]>;

/// The slices of a game for each reference; none if no slice has enough positions.
pub(super) fn of(folder: &RunFolder, kind: GameKind, game: &GameReport, table: &Positions) -> Vec<SliceReport> {
    let rows = || folder.plan.rows.iter().filter(|row| row.game == kind);
    let measurements = |role: Role, label: &str| -> Measurements<'_> {
        let of_row = |row: &Row| -> Measurements<'_> {
            let seeds = folder.plan.seeds.iter();
            seeds.filter_map(|&seed| Some((seed, table.values(&row.folder, seed)?))).collect()
        };
        rows().find(|row| row.role == role && row.label == label).map(of_row).unwrap_or_default()
    };
    let ways = groups(table, kind);
    let against = |reference: &RowReport| -> Option<SliceReport> {
        let is_against = |row: &&RowReport| {
            let comparison = row.comparison.as_ref().filter(|_| row.role == Role::Compared);
            comparison.is_some_and(|comparison| comparison.reference == reference.label)
        };
        let labels: Vec<String> = game.rows.iter().filter(is_against).map(|row| row.label.clone()).collect();
        let rows: Vec<Measurements<'_>> = labels.iter().map(|label| measurements(Role::Compared, label)).collect();
        let own = measurements(Role::Reference, &reference.label);
        let dimension = |(name, slices): &(&'static str, Vec<Group>)| {
            let slices = slices.par_iter().filter_map(|(slice, places)| of_slice(table, slice, places, &own, &rows));
            Dimension { name, slices: slices.collect() }
        };
        let mut dimensions: Vec<Dimension> = ways.iter().map(dimension).collect();
        dimensions.retain(|dimension| !dimension.slices.is_empty());
        let (measure, reference) = (table.measure, reference.label.clone());
        (!dimensions.is_empty()).then_some(SliceReport { measure, reference, rows: labels, dimensions })
    };
    game.rows.iter().filter(|row| row.role == Role::Reference).filter_map(against).collect()
}

/// Every way to slice: the names of the slices in their order, and the places of their positions.
fn groups(table: &Positions, kind: GameKind) -> Vec<(&'static str, Vec<Group>)> {
    let by = |names: &[&str], is: &dyn Fn(&PositionRow, &str) -> bool| -> Vec<Group> {
        let places = |name: &str| (0..table.rows.len()).filter(|&i| is(&table.rows[i], name)).collect();
        names.iter().map(|&name| (name.to_owned(), places(name))).collect()
    };
    let target = |place: usize| {
        move |row: &PositionRow, name: &str| row.target.as_ref().is_some_and(|target| target[place] == name)
    };
    let pieces = with_game!(kind, G => G::PIECES);
    vec![
        ("all", by(&["all positions"], &|_, _| true)),
        ("phase", by(&Phase::ALL.map(Phase::name), &|row, name| row.phase == name)),
        ("move type", by(&MOVE_TYPES, &target(0))),
        ("from- and to-square", by(&["rank", "file", "diagonal", "knight", "drop", "other"], &target(2))),
        ("distance", by(&DISTANCES.map(|(name, ..)| name), &distance)),
        ("piece", by(pieces, &target(1))),
    ]
}

/// Distances in king's moves: a name, the least and the greatest.
const DISTANCES: [(&str, u8, u8); 5] =
    [("1 square", 1, 1), ("2 squares", 2, 2), ("3 squares", 3, 3), ("4 or 5", 4, 5), ("6 or more", 6, u8::MAX)];

fn distance(row: &PositionRow, name: &str) -> bool {
    let band = DISTANCES.iter().find(|(known, ..)| *known == name);
    band.zip(row.distance).is_some_and(|((_, least, most), distance)| (*least..=*most).contains(&distance))
}

fn of_slice(
    table: &Positions,
    name: &str,
    places: &[usize],
    reference: &Measurements<'_>,
    rows: &[Measurements<'_>],
) -> Option<Slice> {
    let first = reference.values().next()?;
    let places: Vec<usize> = places.iter().copied().filter(|&i| first[i].is_some()).collect();
    if places.len() < POSITIONS_NEEDED {
        return None;
    }
    let mut positions = vec![0; table.count];
    places.iter().for_each(|&i| positions[table.games[i]] += 1);
    let mean = |values: &&[Option<f32>]| {
        places.iter().map(|&i| f64::from(values[i].unwrap_or_default())).sum::<f64>() / places.len() as f64
    };
    let against = |row: &Measurements<'_>| {
        let pairs = row.iter().filter_map(|(seed, values)| Some((values, reference.get(seed)?)));
        let sums: Vec<Vec<f64>> = pairs
            .map(|(own, other)| {
                let mut sums = vec![0.0; table.count];
                for &i in &places {
                    sums[table.games[i]] +=
                        f64::from(own[i].unwrap_or_default()) - f64::from(other[i].unwrap_or_default());
                }
                sums
            })
            .collect();
        estimate(Differences { sums: &sums, positions: &positions })
    };
    Some(Slice {
        positions: places.len(),
        reference: reference.values().map(mean).sum::<f64>() / reference.len() as f64,
        differences: rows.iter().map(against).collect(),
        name: name.to_owned(),
    })
}
