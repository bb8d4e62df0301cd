//! What is in a dataset.

use crate::error::DatasetError;
use crate::loader::{Dataset, StoredGame};
use crate::manifest::Manifest;
use crate::split::{PerSplit, Split};
use games::{Game, Phase, Position as _, with_game};
use serde::Serialize;
use std::collections::BTreeMap;

/// A summary of a dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// What the dataset says about itself.
    pub manifest: Manifest,
    /// Size of the shards.
    pub bytes: u64,
    /// Plies of a game.
    pub plies: Lengths,
    /// Each split's content.
    pub splits: PerSplit<SplitInfo>,
}

/// How long games are, in plies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Lengths {
    /// The shortest game.
    pub min: u16,
    /// Half of the games are no longer than this.
    pub median: u16,
    /// The mean.
    pub mean: f64,
    /// The longest game.
    pub max: u16,
}

/// What is in a split.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SplitInfo {
    /// Games.
    pub games: u64,
    /// Positions: one for every move played.
    pub positions: u64,
    /// Positions whose move is a policy target.
    pub policy_targets: u64,
    /// Positions with a value from a score.
    pub values: u64,
    /// Positions that occur in no training game; `None` for training itself.
    pub novel_positions: Option<u64>,
    /// Positions by phase.
    pub phases: BTreeMap<&'static str, u64>,
    /// Games by result.
    pub results: BTreeMap<&'static str, u64>,
    /// Games by ending.
    pub terminations: BTreeMap<&'static str, u64>,
}

/// Summarises a dataset; replays every game, to know the phases.
///
/// # Errors
/// If a game cannot be replayed.
pub fn summarise(dataset: &Dataset) -> Result<Info, DatasetError> {
    let mut splits = PerSplit::<SplitInfo>::default();
    for split in Split::ALL {
        let info = &mut splits[split];
        info.phases = Phase::ALL.iter().map(|phase| (phase.name(), 0)).collect();
        info.novel_positions = (split != Split::Train).then_some(0);
        for game in dataset.stored(split) {
            with_game!(dataset.game(), G => info.add::<G>(game))?;
        }
    }
    let manifest = dataset.manifest().clone();
    let bytes = manifest.shards.iter().map(|shard| shard.bytes).sum();
    Ok(Info { manifest, bytes, plies: lengths(dataset), splits })
}

fn lengths(dataset: &Dataset) -> Lengths {
    let mut plies: Vec<u16> =
        Split::ALL.iter().flat_map(|&split| dataset.stored(split)).map(|game| game.plies).collect();
    plies.sort_unstable();
    let (Some(&min), Some(&max)) = (plies.first(), plies.last()) else { return Lengths::default() };
    let total: u64 = plies.iter().copied().map(u64::from).sum();
    Lengths { min, median: plies[plies.len() / 2], mean: total as f64 / plies.len() as f64, max }
}

impl SplitInfo {
    fn add<G: Game>(&mut self, game: &StoredGame) -> Result<(), DatasetError> {
        self.games += 1;
        self.positions += u64::from(game.plies);
        self.policy_targets += u64::from(game.plies.saturating_sub(game.policy_from_ply));
        self.values += game.value.iter().filter(|value| !value.is_nan()).count() as u64;
        if let Some(novel) = &mut self.novel_positions {
            *novel += game.seen_in_train.iter().filter(|&&seen| !seen).count() as u64;
        }
        *self.results.entry(game.result.name()).or_default() += 1;
        *self.terminations.entry(game.termination.name()).or_default() += 1;
        game.play_through::<G>(|line, _| *self.phases.entry(line.position().phase().name()).or_default() += 1)
    }
}
