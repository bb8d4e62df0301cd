//! The sources of noise that the test of a verdict counts, and the stored test positions of a game, for verdicts and for slices.

use super::primary::PrimaryMetric;
use super::run_folder::{CellRecord, RunFolder};
use super::statistics::crossed::{Crossed, Differences, test};
use facts::ReadAt;
use facts::metrics::NOVEL;
use games::GameKind;
use rayon::prelude::*;
use records::CellState;
use records::positions::{MAP_LOSS, MEASURES, PositionRow, of_games};
use std::collections::BTreeMap;
use std::fmt;

/// The noise that a test counts. `Ok`: that of seeds and test games, both of which are samples. `Err`: that of seeds alone, where the
/// test set is taken as it is, and why.
pub type Noise = Result<Crossed, NoGameNoise>;

#[derive(Debug, Clone, PartialEq)]
pub enum NoGameNoise {
    /// The primary metric is read on validation positions, of which nothing is stored.
    OnValidation,
    /// The primary metric is not a mean of what cells store of each position.
    NoMean,
    /// No cell stored positions, or none can be read.
    NothingStored,
    /// A cell of this seed stored nothing that can be read, or other positions.
    NotStored { seed: u64 },
    /// The mean of what a cell stored is not its metric.
    OtherMean { seed: u64, stored: f64, measured: f64 },
    /// Fewer than two.
    FewGames,
}

impl fmt::Display for NoGameNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnValidation => f.write_str("the primary metric is read on validation positions"),
            Self::NoMean => f.write_str("the primary metric is not stored for each position"),
            Self::NothingStored => f.write_str("cells stored no test positions"),
            Self::NotStored { seed } => write!(f, "a cell of seed {seed} stored no test positions, or other ones"),
            Self::OtherMean { seed, stored, measured } => {
                write!(f, "at seed {seed} the stored positions have the mean {stored:.6}, the metric is {measured:.6}")
            }
            Self::FewGames => f.write_str("there are fewer than two test games"),
        }
    }
}

/// The noise that a list of tests counts.
pub(crate) fn counted<'a>(all: impl Iterator<Item = &'a Noise>) -> &'static str {
    let (of_both, of_seeds): (Vec<&Noise>, Vec<&Noise>) = all.partition(|noise| noise.is_ok());
    match (of_both.is_empty(), of_seeds.is_empty()) {
        (false, true) => "seeds and test games",
        (false, false) => "seeds and test games where every cell stored its positions, otherwise over seeds only",
        (true, _) => "seeds only",
    }
}

/// The greatest distance between a metric and the mean of its stored values, which are rounded to f32, relative to 1 or
/// to the metric if that is larger.
const ROUNDING: f64 = 1e-5;

/// The metrics of each test position of a game by its cells, which all have the same positions.
pub(crate) struct Positions {
    /// The metric whose values are read.
    pub(crate) measure: &'static str,
    /// Its index among the stored metrics.
    pub(crate) metric_index: usize,
    /// The positions, in the order of the evaluation, or the means of some.
    pub(crate) rows: Vec<PositionRow>,
    /// The place of each position's game among all games.
    pub(crate) games: Vec<usize>,
    pub(crate) count: usize,
    /// The places of the positions that the primary metric is the mean of, or why it is not such a mean.
    primary: Result<Vec<usize>, NoGameNoise>,
    cells: BTreeMap<(String, u64), Stored>,
}

struct Stored {
    values: Vec<Option<f32>>,
    /// Whether the mean of the stored values is the cell's primary metric.
    fits: Result<(), NoGameNoise>,
}

impl Positions {
    /// Of the finished cells of a game; none if no cell stored positions that can be read.
    pub(crate) fn read(folder: &RunFolder, kind: GameKind, primary: &PrimaryMetric) -> Option<Self> {
        let (base, bucket) = match primary.name.split_once('.') {
            Some((base, bucket)) => (base, Some(bucket)),
            None => (&primary.name[..], None),
        };
        let place = MEASURES.iter().position(|&measure| measure == base);
        let metric_index = place.unwrap_or_default();
        let cells = folder.lines_of(kind).flat_map(|(row, cells)| cells.iter().map(move |cell| (&row.folder, cell)));
        let cells: Vec<(&String, &CellRecord)> = cells.filter(|(_, cell)| cell.state == CellState::Done).collect();
        let stored = |cell: &CellRecord| cell.result.as_ref()?.positions(primary.weights);
        // Use the positions of the first cell that has values.
        let mut rows = cells.iter().find_map(|(_, cell)| {
            stored(cell).filter(|rows| rows.iter().any(|row| row.values[metric_index].is_some()))
        })?;
        // Cells of a compact bundle have means of games, those beside them single positions: then all are taken as means.
        let is_compact = |cell: &CellRecord| stored(cell).is_some_and(|rows| !are_single(&rows));
        if are_single(&rows) && cells.par_iter().any(|(_, cell)| is_compact(cell)) {
            rows = of_games(&rows);
        }
        let places = match (place, primary.at) {
            (_, ReadAt::Step(_)) => Err(NoGameNoise::OnValidation),
            (None, ReadAt::Last) => Err(NoGameNoise::NoMean),
            (Some(_), ReadAt::Last) => Ok(of_bucket(&rows, metric_index, bucket)),
        };
        // Labelled cells weigh in the map loss only: rows with and without that head have the same positions.
        let is_map = MEASURES[metric_index] == MAP_LOSS;
        let same = |own: &PositionRow, other: &PositionRow| {
            let place = |row: &PositionRow| (row.game, row.ply, row.positions, row.map_cells.filter(|_| is_map));
            let [own_place, other_place] = [own, other].map(place);
            own_place == other_place && own.values[metric_index].is_some() == other.values[metric_index].is_some()
        };
        let of_cell = |(folder, cell): &(&String, &CellRecord)| {
            let own = stored(cell)?;
            let own = if are_single(&own) && !are_single(&rows) { of_games(&own) } else { own };
            if own.len() != rows.len() || !own.iter().zip(&rows).all(|(own, other)| same(own, other)) {
                return None;
            }
            let values: Vec<Option<f32>> = own.iter().map(|row| row.values[metric_index]).collect();
            let fits = places.as_ref().map_or(Ok(()), |places| fits(cell, &own, metric_index, places, &primary.name));
            Some((((*folder).clone(), cell.seed), Stored { values, fits }))
        };
        let cells = cells.par_iter().filter_map(of_cell).collect();
        let (games, count) = games_of(&rows);
        Some(Self { measure: MEASURES[metric_index], metric_index, rows, games, count, primary: places, cells })
    }

    /// The values of a cell; none if it stored none, or on other positions than the others.
    pub(crate) fn values(&self, folder: &str, seed: u64) -> Option<&[Option<f32>]> {
        self.cells.get(&(folder.to_owned(), seed)).map(|stored| &stored.values[..])
    }

    /// The test of a sum of rows of the plan, each with its sign, over these seeds.
    pub(crate) fn test(&self, rows: &[(&str, f64)], seeds: &[u64]) -> Result<Crossed, NoGameNoise> {
        let places = self.primary.as_ref().map_err(Clone::clone)?;
        let mut positions = vec![0; self.count];
        places.iter().for_each(|&i| positions[self.games[i]] += self.rows[i].weight(self.metric_index) as u32);
        let sums = seeds.iter().map(|&seed| {
            let mut sums = vec![0.0; self.count];
            for (folder, sign) in rows {
                let stored = self.cells.get(&((*folder).to_owned(), seed)).ok_or(NoGameNoise::NotStored { seed })?;
                stored.fits.clone()?;
                for &i in places {
                    let value = f64::from(stored.values[i].unwrap_or_default());
                    sums[self.games[i]] += sign * self.rows[i].weight(self.metric_index) * value;
                }
            }
            Ok(sums)
        });
        let sums: Vec<Vec<f64>> = sums.collect::<Result<_, NoGameNoise>>()?;
        test(Differences { sums: &sums, positions: &positions }).ok_or(NoGameNoise::FewGames)
    }
}

/// Whether every row is one position, as slices need it. Published bundles can have means of games instead.
pub(crate) fn are_single(rows: &[PositionRow]) -> bool {
    rows.iter().all(|row| row.positions == 1)
}

/// The places of the positions of a bucket that have the metric.
fn of_bucket(rows: &[PositionRow], metric_index: usize, bucket: Option<&str>) -> Vec<usize> {
    let inside = |row: &PositionRow| match bucket {
        None => true,
        Some(NOVEL) => row.novel,
        Some(phase) => row.phase == phase,
    };
    (0..rows.len()).filter(|&i| rows[i].values[metric_index].is_some() && inside(&rows[i])).collect()
}

/// Whether a cell's metric is the mean of what it stored.
fn fits(
    cell: &CellRecord,
    rows: &[PositionRow],
    metric_index: usize,
    places: &[usize],
    metric: &str,
) -> Result<(), NoGameNoise> {
    let seed = cell.seed;
    let measured = cell.result.as_ref().and_then(|result| result.test.metrics.get(metric));
    let measured = measured.ok_or(NoGameNoise::NotStored { seed })?;
    let weight = |i: usize| rows[i].weight(metric_index);
    let sum: f64 =
        places.iter().map(|&i| weight(i) * f64::from(rows[i].values[metric_index].unwrap_or_default())).sum();
    let stored = sum / places.iter().map(|&i| weight(i)).sum::<f64>();
    let close = (stored - measured).abs() <= ROUNDING * measured.abs().max(1.0);
    if close { Ok(()) } else { Err(NoGameNoise::OtherMean { seed, stored, measured }) }
}

/// The place of each position's game, and how many games there are.
fn games_of(rows: &[PositionRow]) -> (Vec<usize>, usize) {
    let mut places = BTreeMap::new();
    for row in rows {
        let next = places.len();
        places.entry(row.game).or_insert(next);
    }
    (rows.iter().map(|row| places[&row.game]).collect(), places.len())
}
