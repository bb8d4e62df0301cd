//! Builds a dataset row by row: duplicates, split, shards, and which test positions occur in training.
//!
//! All commands that write datasets (import, split, merge, averaging) use a [`Builder`] and an [`Output`] folder, which
//! is renamed when complete. Memory does not grow with the dataset: validation and test games are buffered on disk
//! until all training positions are known; known games and positions are sorted on disk.
//!
//! Whenever a shard is complete, a builder can save its state ([`BuilderState`]), and another one can resume from it
//! with identical output.

mod append_log;
mod held_out;
mod known_games;
mod output;
mod shards;
mod training_keys;

pub(crate) use append_log::{AppendLog, next_part};
pub(crate) use known_games::KnownGames;
pub(crate) use output::Output;
pub(crate) use shards::Shards;
pub(crate) use training_keys::{KEYS_IN_MEMORY, SortedKeys, TrainingKeys};

use crate::contents::ShardContents;
use crate::error::DatasetError;
use crate::filter::Filters;
use crate::manifest::{Counts, FORMAT, Manifest, Shard, SplitSummary, Unit};
use crate::split::{PerSplit, Split, SplitBy, assign, without_counters};
use crate::store::GameRow;
use crate::value::ValueCurve;
use games::GameKind;
use held_out::{HeldOutRows, HeldOutState};
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Clone, PartialEq)]
pub struct SplitPlan {
    pub by: SplitBy,
    /// Plies of an opening, for [`SplitBy::Opening`].
    pub opening_plies: u16,
    pub seed: u64,
    /// The fractions of the splits, which sum to 1.
    pub fractions: PerSplit<f64>,
}

impl SplitPlan {
    /// Whole games, with these fractions.
    pub fn by_game(seed: u64, fractions: PerSplit<f64>) -> Self {
        Self { by: SplitBy::Game, opening_plies: 0, seed, fractions }
    }

    /// The split of a position in a dataset that is [split by position](SplitBy::Position); `text` is its FEN or SFEN.
    pub fn of_position(&self, game: GameKind, text: &str) -> Split {
        assign(self.seed, &self.fractions, Some(&without_counters(game, text)), "")
    }

    pub(crate) fn check(&self, unit: Unit) -> Result<(), DatasetError> {
        let wrong = |option, reason: &str| Err(DatasetError::Option { option, reason: reason.to_owned() });
        let fractions = [self.fractions.train, self.fractions.validation, self.fractions.test];
        let sum: f64 = fractions.iter().sum();
        if fractions.iter().any(|fraction| !(0.0..=1.0).contains(fraction)) || (sum - 1.0).abs() > 1e-9 {
            return wrong("fractions", "the shares of train, validation and test must lie in 0…1 and add up to 1");
        }
        match (unit, self.by) {
            (Unit::Position, SplitBy::Opening) => {
                wrong("split by", "single positions have no opening: split them by position")
            }
            (Unit::Game, SplitBy::Position) => {
                wrong("split by", "games cannot be split by position: average them first")
            }
            (Unit::Game, SplitBy::Opening) if self.opening_plies == 0 => wrong("opening plies", "must be at least 1"),
            _ => Ok(()),
        }
    }
}

/// A row before it is added to a dataset.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The row; its id, split and `seen_in_train` are set later.
    pub(crate) row: GameRow,
    /// Per ply, the repetition key of the position.
    pub(crate) keys: Vec<u64>,
    /// Identifies duplicate games; `None` if rows are not games.
    pub(crate) fingerprint: Option<u128>,
    /// Rows with the same text go to the same split; `None` if each game is assigned separately.
    pub(crate) together: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Built {
    pub(crate) shards: Vec<Shard>,
    pub(crate) kept: u64,
    /// The random games that gave the rows: how often a row has another group than the one before.
    pub(crate) games: u64,
    pub(crate) positions: u64,
    /// What the rows determine; held-out rows are added when they are written.
    pub(crate) contents: ShardContents,
}

impl Built {
    /// The manifest of the dataset. Callers add filters, buckets, maps and the curve, and [seal](Manifest::sealed) it.
    pub(crate) fn describe(self, about: DatasetDescription, plan: &SplitPlan, counts: Counts) -> Manifest {
        let DatasetDescription { name, game, unit, source, licence, made_by } = about;
        self.contents.describe(Manifest {
            format: FORMAT,
            name,
            game,
            unit,
            source,
            licence,
            made_by,
            filters: Filters::default(),
            policy_from_ply: self.contents.policy_from_ply.unwrap_or(0),
            value_curve: ValueCurve::of(game),
            value_source: None,
            counts,
            rating_buckets: Vec::new(),
            map: None,
            sampled: None,
            split: SplitSummary {
                by: plan.by,
                opening_plies: (plan.by == SplitBy::Opening).then_some(plan.opening_plies),
                seed: plan.seed,
                fractions: plan.fractions,
                games: PerSplit::default(),
                positions: PerSplit::default(),
                novel_validation_positions: 0.0,
                novel_test_positions: 0.0,
            },
            shards: self.shards,
            content_hash: String::new(),
        })
    }
}

pub(crate) struct DatasetDescription {
    pub(crate) name: String,
    pub(crate) game: GameKind,
    pub(crate) unit: Unit,
    pub(crate) source: String,
    pub(crate) licence: String,
    pub(crate) made_by: String,
}

/// A builder's state at a complete shard: the shards and the lengths of its files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct BuilderState {
    pub(crate) built: Built,
    games: u64,
    train_keys: u64,
    validation: HeldOutState,
    test: HeldOutState,
}

pub(crate) struct Builder<'a> {
    pub(crate) plan: &'a SplitPlan,
    known: KnownGames,
    shards: Shards<'a>,
    novelty: TrainingKeys,
    validation: HeldOutRows,
    test: HeldOutRows,
    last_group: Option<u64>,
    /// The rows so far, without the shards.
    pub(crate) built: Built,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(dir: &'a Path, plan: &'a SplitPlan) -> Result<Self, DatasetError> {
        Self::resume(dir, plan, BuilderState::default())
    }

    pub(crate) fn resume(dir: &'a Path, plan: &'a SplitPlan, state: BuilderState) -> Result<Self, DatasetError> {
        let BuilderState { mut built, games, train_keys, validation, test } = state;
        Ok(Self {
            plan,
            known: KnownGames::resume(dir, games)?,
            shards: Shards::resume(dir, std::mem::take(&mut built.shards))?,
            novelty: TrainingKeys::resume(dir, train_keys)?,
            validation: HeldOutRows::resume(dir, Split::Validation, validation)?,
            test: HeldOutRows::resume(dir, Split::Test, test)?,
            last_group: None,
            built,
        })
    }

    /// The number of complete shards, if no shard is open: then [`Builder::state`] returns the state.
    pub(crate) fn complete_shards(&self) -> Option<usize> {
        self.shards.between().map(<[Shard]>::len)
    }

    /// Closes the open training shard after the last training game.
    pub(crate) fn end_training(&mut self) -> Result<(), DatasetError> {
        self.shards.close()
    }

    /// Syncs all files and returns the state; `None` while a shard is open.
    pub(crate) fn state(&mut self) -> Result<Option<BuilderState>, DatasetError> {
        let Some(shards) = self.shards.between() else { return Ok(None) };
        let built = Built { shards: shards.to_vec(), ..self.built.clone() };
        Ok(Some(BuilderState {
            built,
            games: self.known.log.sync()?,
            train_keys: self.novelty.log.sync()?,
            validation: self.validation.sync()?,
            test: self.test.sync()?,
        }))
    }

    /// Adds a row. If it has the start and the moves of an earlier game, it is left out, and that game's id is returned.
    pub(crate) fn add(&mut self, draft: Draft) -> Result<Option<u32>, DatasetError> {
        let Draft { mut row, keys, fingerprint, together } = draft;
        let Ok(id) = u32::try_from(self.built.kept) else {
            let reason = format!("a dataset holds at most {} rows: make several", u32::MAX);
            return Err(DatasetError::Option { option: "output", reason });
        };
        if let Some(fingerprint) = fingerprint
            && let Some(first) = self.known.find_or_add(fingerprint, id)?
        {
            return Ok(Some(first));
        }
        row.id = id;
        row.split = match &together {
            None => assign(self.plan.seed, &self.plan.fractions, row.start.as_deref(), &row.moves),
            Some(text) => assign(self.plan.seed, &self.plan.fractions, Some(text), ""),
        };
        self.built.kept += 1;
        self.built.games += u64::from(row.group != self.last_group);
        self.last_group = row.group;
        self.built.positions += row.positions();
        match row.split {
            Split::Train => {
                row.seen_in_train = None;
                self.built.contents.add(&row);
                self.novelty.train(&keys)?;
                self.shards.push(&row)?;
            }
            Split::Validation => self.validation.push(&row, &keys)?,
            Split::Test => self.test.push(&row, &keys)?,
        }
        Ok(None)
    }

    /// Marks and writes the held-out games.
    pub(crate) fn finish(self) -> Result<Built, DatasetError> {
        let Self { mut shards, novelty, validation, test, mut built, .. } = self;
        let trained = novelty.sorted()?;
        for waiting in [validation, test] {
            waiting.release(&trained, |mut row, seen| {
                row.seen_in_train = Some(seen);
                built.contents.add(&row);
                shards.push(&row)
            })?;
        }
        built.shards = shards.finish()?;
        Ok(built)
    }
}

/// A hash that is equal for duplicate games: of start and moves.
pub(crate) fn fingerprint(start: Option<&str>, moves: &str) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(start.unwrap_or("").as_bytes());
    hasher.update(b"\n");
    hasher.update(moves.as_bytes());
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    u128::from_le_bytes(bytes)
}
