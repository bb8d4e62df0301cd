//! Summary statistics of a dataset.

use crate::error::DatasetError;
use crate::filter;
use crate::loader::{Dataset, MOVE_TYPES, MoveTraits, StoredGame};
use crate::manifest::Manifest;
use crate::split::{PerSplit, Split};
use games::{Game, Phase, Position as _, with_game};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    pub manifest: Manifest,
    pub bytes: u64,
    pub plies: Lengths,
    pub splits: PerSplit<SplitInfo>,
    /// Games by plies, bin width 20.
    pub lengths: Histogram,
    /// Games by the players' average rating, bin width 100.
    pub ratings: Histogram,
    /// Positions by value for the side to move, bin width 1/20.
    pub values: Histogram,
    /// Positions by the score of their value, bin width 100 points; the first bin has scores of −2,000 and below, the last
    /// of 2,000 and above.
    pub scores: Histogram,
    /// Positions by draw probability, bin width 1/20.
    pub draws: Histogram,
    /// Positions by the number of moves in their policy target.
    pub candidates: Histogram,
}

/// Scores of so many points and more are counted in one bin.
const MOST_POINTS: f64 = 2_000.0;

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Lengths {
    pub min: u16,
    pub median: u16,
    pub mean: f64,
    pub max: u16,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SplitInfo {
    pub games: u64,
    /// Positions: one per played move.
    pub positions: u64,
    /// Positions whose move is a policy target.
    pub policy_targets: u64,
    /// Positions with a value from a score.
    pub values: u64,
    pub draws: u64,
    /// Positions that occur in no training game, as far as they are marked; `None` for training.
    pub novel_positions: Option<u64>,
    pub phases: BTreeMap<&'static str, u64>,
    /// Moves by kind, see [`MOVE_TYPES`].
    pub move_types: BTreeMap<&'static str, u64>,
    pub results: BTreeMap<&'static str, u64>,
    pub terminations: BTreeMap<&'static str, u64>,
}

/// Summarises a dataset; replays every game to determine the phases.
pub fn summarise(dataset: &Dataset) -> Result<Info, DatasetError> {
    let mut splits = PerSplit::<SplitInfo>::default();
    let of = Histogram::new;
    let scores = Histogram::within(100.0, MOST_POINTS);
    let mut histograms = [of(20.0), of(100.0), of(0.05), scores, of(0.05), of(1.0)];
    for split in Split::ALL {
        let info = &mut splits[split];
        info.phases = Phase::ALL.iter().map(|phase| (phase.name(), 0)).collect();
        info.move_types = MOVE_TYPES.iter().map(|&name| (name, 0)).collect();
        info.novel_positions = (split != Split::Train).then_some(0);
        for game in dataset.read_all(split) {
            let game = game?;
            count(dataset, &game, &mut histograms);
            with_game!(dataset.game(), G => info.add::<G>(&game))?;
        }
    }
    let manifest = dataset.manifest().clone();
    let bytes = manifest.shards.iter().map(|shard| shard.bytes).sum();
    let [lengths, ratings, values, scores, draws, candidates] = histograms;
    Ok(Info { manifest, bytes, plies: plies(dataset), splits, lengths, ratings, values, scores, draws, candidates })
}

fn count(dataset: &Dataset, game: &StoredGame, histograms: &mut [Histogram; 6]) {
    let [lengths, ratings, values, scores, draws, candidates] = histograms;
    lengths.add(game.plies.into());
    if let [Some(first), Some(second)] = game.ratings {
        ratings.add(filter::mean(first, second));
    }
    let mut policies = game.policy.as_ref().map(|policy| policy.plies());
    for ply in 0..usize::from(game.plies) {
        let weighed = policies.as_mut().and_then(Iterator::next).map_or(0, |policy| policy.iter().count());
        if !game.is_used(ply) {
            continue;
        }
        let value = f64::from(game.value[ply]);
        values.add(below_one(value));
        scores.add(points(value, dataset.manifest().value_curve.per_point));
        if let Some(&draw) = game.draw.get(ply) {
            draws.add(below_one(draw.into()));
        }
        if ply >= usize::from(game.policy_from_ply) {
            candidates.add(weighed.max(1) as f64);
        }
    }
}

/// The score of a value in whole points, because single precision may fall short of them.
fn points(value: f64, per_point: f64) -> f64 {
    ((value / (1.0 - value)).ln() / per_point).round()
}

/// A probability of 1 is counted in the last bin. What lies outside of 0 to 1, which only `verify` finds, is counted in the
/// first or the last; unknown values (NaN) stay NaN and are not counted.
fn below_one(probability: f64) -> f64 {
    probability.clamp(0.0, 0.999_999)
}

fn plies(dataset: &Dataset) -> Lengths {
    let mut games = vec![0u64; usize::from(u16::MAX) + 1];
    Split::ALL.iter().flat_map(|&split| dataset.sizes(split)).for_each(|size| games[usize::from(size.plies)] += 1);
    let count: u64 = games.iter().sum();
    let lengths = || (0..=u16::MAX).zip(&games).filter(|&(_, &games)| games > 0);
    let (Some((min, _)), Some((max, _))) = (lengths().next(), lengths().next_back()) else { return Lengths::default() };
    let mut before = 0;
    let median = lengths().find(|&(_, &games)| {
        before += games;
        before > count / 2
    });
    let total: u64 = lengths().map(|(plies, &games)| u64::from(plies) * games).sum();
    Lengths { min, median: median.map_or(max, |(plies, _)| plies), mean: total as f64 / count as f64, max }
}

impl SplitInfo {
    fn add<G: Game>(&mut self, game: &StoredGame) -> Result<(), DatasetError> {
        self.games += 1;
        let plies = || (0..usize::from(game.plies)).filter(move |&ply| game.is_used(ply));
        self.positions += u64::from(game.positions);
        self.policy_targets += plies().filter(|&ply| ply >= usize::from(game.policy_from_ply)).count() as u64;
        self.values += plies().filter(|&ply| !game.value[ply].is_nan()).count() as u64;
        self.draws += plies().filter(|&ply| game.draw.get(ply).is_some_and(|draw| !draw.is_nan())).count() as u64;
        if let Some(novel) = &mut self.novel_positions {
            let is_novel = |&ply: &usize| game.seen_in_train.get(ply).is_some_and(|seen| !seen);
            *novel += plies().filter(is_novel).count() as u64;
        }
        *self.results.entry(game.result.name()).or_default() += 1;
        *self.terminations.entry(game.termination.name()).or_default() += 1;
        let mut row = Vec::new();
        game.play_through::<G>(|line, mv| {
            if game.is_used(line.plies()) {
                *self.phases.entry(line.position().phase().name()).or_default() += 1;
                let kind = MoveTraits::of::<G>(line.position(), mv, &mut row).kind;
                *self.move_types.entry(kind).or_default() += 1;
            }
        })
    }
}

/// The number of values in each bin; empty bins between others are shown as 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    width: f64,
    /// Values that reach this number or its negative are counted in one bin.
    most: f64,
    counts: BTreeMap<i64, u64>,
}

/// A bin and the number of values in it; its end may be infinite, in JSON null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    pub from: f64,
    pub to: f64,
    pub count: u64,
}

impl Histogram {
    /// Bins of this width, one starting at 0.
    pub fn new(width: f64) -> Self {
        Self::within(width, f64::INFINITY)
    }

    /// Bins of this width between a multiple of it and its negative, and one without end on either side.
    pub fn within(width: f64, most: f64) -> Self {
        Self { width, most, counts: BTreeMap::new() }
    }

    /// Counts a value. Infinite ones and NaN are not counted.
    pub fn add(&mut self, value: f64) {
        let value = match value.clamp(-self.most, self.most) {
            lowest if lowest == -self.most => lowest - self.width,
            other => other,
        };
        if value.is_finite() {
            *self.counts.entry((value / self.width).floor() as i64).or_default() += 1;
        }
    }

    /// The bins from the lowest to the highest value.
    pub fn bins(&self) -> Vec<Bin> {
        let (Some((&first, _)), Some((&last, _))) = (self.counts.first_key_value(), self.counts.last_key_value())
        else {
            return Vec::new();
        };
        let bin = |i: i64| {
            let [from, to] = [i, i + 1].map(|i| i as f64 * self.width);
            Bin {
                from: if from < -self.most { f64::NEG_INFINITY } else { from },
                to: if to > self.most { f64::INFINITY } else { to },
                count: self.counts.get(&i).copied().unwrap_or(0),
            }
        };
        (first..=last).map(bin).collect()
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.bins().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::ValueCurve;
    use games::{GameKind, Score, Side};

    #[test]
    fn scores_lie_in_the_bins_of_their_whole_points() {
        for curve in [GameKind::Chess, GameKind::Shogi].map(ValueCurve::of) {
            let bin = |score: Score| {
                let mut scores = Histogram::within(100.0, MOST_POINTS);
                scores.add(points(curve.win_probability(score, Side::First).into(), curve.per_point));
                scores.bins()[0].from
            };
            for score in -1_999_i32..2_000 {
                let begins = f64::from(score.div_euclid(100) * 100);
                assert_eq!(bin(Score::Centipawns(score)), begins, "{score} of {}", curve.name);
            }
            let highest = [Score::Centipawns(2_000), Score::Centipawns(9_999), Score::MateIn(1)];
            assert!(highest.into_iter().all(|score| bin(score) == 2_000.0), "{}", curve.name);
            let lowest = [Score::Centipawns(-2_000), Score::Centipawns(-9_999), Score::MateIn(-1)];
            assert!(lowest.into_iter().all(|score| bin(score) == f64::NEG_INFINITY), "{}", curve.name);
            assert!(points(f64::NAN, curve.per_point).is_nan());
        }
    }

    #[test]
    fn values_lie_in_half_open_ranges() {
        let mut histogram = Histogram::new(10.0);
        for value in [0.0, 9.9, 10.0, 39.0, f64::NAN, f64::INFINITY] {
            histogram.add(value);
        }
        let bins: Vec<(f64, u64)> = histogram.bins().iter().map(|bin| (bin.from, bin.count)).collect();
        assert_eq!(bins, [(0.0, 2), (10.0, 1), (20.0, 0), (30.0, 1)]);
        assert_eq!(Histogram::new(1.0).bins(), []);
    }

    #[test]
    fn the_ends_are_open() {
        let mut histogram = Histogram::within(10.0, 10.0);
        for value in [f64::NEG_INFINITY, -10.0, -9.9, 9.9, 10.0, 99.0, f64::INFINITY, f64::NAN] {
            histogram.add(value);
        }
        let bins: Vec<_> = histogram.bins().iter().map(|bin| (bin.from, bin.to, bin.count)).collect();
        let [low, high] = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(bins, [(low, -10.0, 2), (-10.0, 0.0, 1), (0.0, 10.0, 1), (10.0, high, 3)]);
    }
}
