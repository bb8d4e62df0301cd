//! The primary metric on parts of the test positions, paired position by position.

use super::files::{CellRecord, RunFolder};
use super::model::slices::{Dimension, Slice, SliceReport};
use super::model::{GameReport, PrimaryMetric};
use super::statistics::crossed::{Differences, estimate};
use dataset::move_type::MOVE_TYPES;
use games::{GameKind, Phase, with_game};
use rayon::prelude::*;
use records::CellState;
use records::plan::Row;
use records::positions::{MEASURES, PositionRow};
use spec::{Role, Weights};
use std::collections::BTreeMap;

/// Slices with fewer positions are not reported.
const POSITIONS_NEEDED: usize = 50;

/// The positions of a game as all of its cells have them.
struct Positions {
    rows: Vec<PositionRow>,
    /// The place of each position's game among all games.
    games: Vec<usize>,
    count: usize,
}

/// A slice's name and the places of its positions.
type Group = (String, Vec<usize>);

/// The measurements of one row's cells, by seed.
type Measurements = BTreeMap<u64, Vec<Option<f32>>>;

/// The slices of a game; none if its cells have stored no positions, or nothing is compared.
pub(super) fn of(
    folder: &RunFolder,
    kind: GameKind,
    game: &GameReport,
    primary: &PrimaryMetric,
) -> Option<SliceReport> {
    let base = primary.name.split('.').next().unwrap_or_default();
    let measure = MEASURES.into_iter().find(|&measure| measure == base).unwrap_or(MEASURES[0]);
    let place = MEASURES.iter().position(|&known| known == measure)?;
    let lines = || folder.plan.rows.iter().zip(&folder.cells).filter(|(row, _)| row.game == kind);
    let mut table = None;
    let mut measurements = |wanted: &dyn Fn(&Row) -> bool| -> Measurements {
        let cells = lines().filter(|(row, _)| wanted(row)).flat_map(|(_, cells)| cells);
        cells.filter_map(|cell| Some((cell.seed, values(cell, place, primary.weights, &mut table)?))).collect()
    };
    let reference = measurements(&|row| row.role == Role::Reference);
    let labels: Vec<String> =
        game.rows.iter().filter(|row| row.role == Role::Compared).map(|row| row.label.clone()).collect();
    let rows: Vec<Measurements> =
        labels.iter().map(|label| measurements(&|row| row.role == Role::Compared && row.label == *label)).collect();
    let table = table?;
    let dimension = |(name, slices): (&'static str, Vec<Group>)| {
        let slices =
            slices.into_par_iter().filter_map(|(slice, places)| of_slice(&table, slice, &places, &reference, &rows));
        Dimension { name, slices: slices.collect() }
    };
    let mut dimensions: Vec<Dimension> = groups(&table, kind).into_iter().map(dimension).collect();
    dimensions.retain(|dimension| !dimension.slices.is_empty());
    let reference = game.rows.iter().find(|row| row.role == Role::Reference)?.label.clone();
    (!dimensions.is_empty()).then_some(SliceReport { measure, reference, rows: labels, dimensions })
}

/// The measurements of a finished cell on each position; none if it has not stored them, or on other positions than the
/// first cell.
fn values(
    cell: &CellRecord,
    place: usize,
    weights: Weights,
    table: &mut Option<Positions>,
) -> Option<Vec<Option<f32>>> {
    if cell.state != CellState::Done {
        return None;
    }
    let rows = cell.result.as_ref()?.positions(weights)?;
    let values = rows.iter().map(|row| row.values[place]).collect();
    let table = table.get_or_insert_with(|| Positions::of(rows.clone()));
    let same = |(own, other): (&PositionRow, &PositionRow)| own.game == other.game && own.ply == other.ply;
    (rows.len() == table.rows.len() && rows.iter().zip(&table.rows).all(same)).then_some(values)
}

impl Positions {
    fn of(rows: Vec<PositionRow>) -> Self {
        let mut places = BTreeMap::new();
        for row in &rows {
            let next = places.len();
            places.entry(row.game).or_insert(next);
        }
        let games = rows.iter().map(|row| places[&row.game]).collect();
        Self { games, count: places.len(), rows }
    }
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
    name: String,
    places: &[usize],
    reference: &Measurements,
    rows: &[Measurements],
) -> Option<Slice> {
    let first = reference.values().next()?;
    let places: Vec<usize> = places.iter().copied().filter(|&i| first[i].is_some()).collect();
    if places.len() < POSITIONS_NEEDED {
        return None;
    }
    let mut positions = vec![0; table.count];
    places.iter().for_each(|&i| positions[table.games[i]] += 1);
    let mean = |values: &Vec<Option<f32>>| {
        places.iter().map(|&i| f64::from(values[i].unwrap_or_default())).sum::<f64>() / places.len() as f64
    };
    let against = |row: &Measurements| {
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
        name,
    })
}
