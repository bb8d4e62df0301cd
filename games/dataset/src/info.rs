//! Summary statistics of a dataset.

mod histogram;

pub use histogram::{Bin, Histogram};

use crate::error::DatasetError;
use crate::filter;
use crate::loader::{Dataset, StoredGame};
use crate::manifest::Manifest;
use crate::move_type::{MOVE_TYPES, move_type};
use crate::split::{PerSplit, Split};
use games::{Game, Phase, Position as _, with_game};
use serde::Serialize;
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
                *self.move_types.entry(move_type::<G>(line.position(), mv, &mut row)).or_default() += 1;
            }
        })
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
}
