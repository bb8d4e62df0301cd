//! Collecting the games that are kept: duplicates, split, shards, counts.

use super::examine::Examined;
use super::output::{Output, Rejects};
use super::source::format;
use super::{ImportOptions, ImportReport};
use crate::error::DatasetError;
use crate::manifest::{Counts, FORMAT, Filters, Manifest, Shard, SplitBy, SplitSummary, content_hash};
use crate::split::{PerSplit, Split, assign};
use crate::store::{GameRow, ShardWriter};
use crate::value::ValueCurve;
use games::Rejected;
use std::collections::HashMap;
use std::path::Path;

/// Games in a shard: files of some 10 MB, which are easy to move and to fetch again.
const SHARD_GAMES: u64 = 16_384;

/// What was kept so far.
pub(super) struct Collector<'a> {
    options: &'a ImportOptions,
    output: &'a Output,
    rejects: Rejects,
    first_rejected: Option<(String, Rejected)>,
    counts: Counts,
    /// Fingerprint to id of every game kept.
    ids: HashMap<[u8; 32], u32>,
    /// Keys of all training positions, unsorted.
    train_keys: Vec<u64>,
    /// Validation and test games, with their positions' keys.
    waiting: Vec<(GameRow, Vec<u64>)>,
    shards: Shards<'a>,
    games: PerSplit<u64>,
    positions: PerSplit<u64>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(options: &'a ImportOptions, output: &'a Output) -> Self {
        Self {
            options,
            output,
            rejects: Rejects::new(output),
            first_rejected: None,
            counts: Counts::default(),
            ids: HashMap::new(),
            train_keys: Vec::new(),
            waiting: Vec::new(),
            shards: Shards { dir: output.dir(), open: None, done: Vec::new() },
            games: PerSplit::default(),
            positions: PerSplit::default(),
        }
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Whether as many games are kept as were wanted.
    pub(super) fn is_full(&self) -> bool {
        self.options.max_games.is_some_and(|max| self.counts.kept >= max)
    }

    /// Takes the next record of a file.
    pub(super) fn add(&mut self, file: &str, examined: Result<Examined, Rejected>) -> Result<(), DatasetError> {
        self.counts.read += 1;
        let game = match examined {
            Ok(game) => game,
            Err(rejected) => return self.reject(file, rejected),
        };
        if let Some(id) = self.ids.get(&game.fingerprint) {
            self.counts.duplicates += 1;
            return self.rejects.duplicate(file, game.number, *id);
        }
        let id = self.counts.kept as u32;
        self.ids.insert(game.fingerprint, id);
        self.counts.kept += 1;
        self.keep(file, id, game)
    }

    fn reject(&mut self, file: &str, rejected: Rejected) -> Result<(), DatasetError> {
        if self.options.strict {
            return Err(DatasetError::Rejected { file: file.to_owned(), rejected });
        }
        self.counts.rejected += 1;
        *self.counts.rejected_by_kind.entry(rejected.kind.name().to_owned()).or_default() += 1;
        self.rejects.rejected(file, &rejected)?;
        self.first_rejected.get_or_insert_with(|| (file.to_owned(), rejected));
        Ok(())
    }

    fn keep(&mut self, file: &str, id: u32, examined: Examined) -> Result<(), DatasetError> {
        let Examined { number, game, moves, plies, value, keys, .. } = examined;
        let split = assign(self.options.split_seed, &self.options.fractions, game.start.as_deref(), &moves);
        *self.counts.results.entry(game.result.name().to_owned()).or_default() += 1;
        *self.counts.terminations.entry(game.termination.name().to_owned()).or_default() += 1;
        self.counts.positions += u64::from(plies);
        self.games[split] += 1;
        self.positions[split] += u64::from(plies);
        let row = GameRow {
            id,
            split,
            start: game.start,
            moves,
            plies,
            result: game.result,
            termination: game.termination,
            policy_from_ply: self.options.policy_from_ply,
            value,
            clock: said(game.clocks),
            time: said(game.times),
            seen_in_train: None,
            ratings: game.ratings,
            source_file: file.to_owned(),
            source_game: number,
        };
        if split == Split::Train {
            self.train_keys.extend(keys);
            self.shards.push(&row)
        } else {
            self.waiting.push((row, keys));
            Ok(())
        }
    }

    /// Marks and writes what waits, and describes the dataset.
    pub(super) fn finish(mut self) -> Result<ImportReport, DatasetError> {
        if self.counts.kept == 0 {
            return Err(DatasetError::NothingKept {
                read: self.counts.read,
                format: format(self.options.game),
                first: self.first_rejected.map(|(_, rejected)| Box::new(rejected)),
            });
        }
        self.train_keys.sort_unstable();
        self.train_keys.dedup();
        let mut novel = PerSplit::<u64>::default();
        for split in [Split::Validation, Split::Test] {
            for (row, keys) in self.waiting.iter_mut().filter(|(row, _)| row.split == split) {
                let seen: Vec<bool> = keys.iter().map(|key| self.train_keys.binary_search(key).is_ok()).collect();
                novel[split] += seen.iter().filter(|&&seen| !seen).count() as u64;
                row.seen_in_train = Some(seen);
                self.shards.push(row)?;
            }
        }
        let shards = self.shards.finish()?;
        let rejects = self.rejects.finish()?;
        let share = |split| novel[split] as f64 / self.positions[split].max(1) as f64;
        let options = self.options;
        let manifest = Manifest {
            format: FORMAT,
            name: options.name.clone(),
            game: options.game,
            source: options.source.clone(),
            licence: options.licence.clone(),
            made_by: options.made_by.clone(),
            filters: Filters { max_games: options.max_games, ply_cap: options.ply_cap },
            policy_from_ply: options.policy_from_ply,
            value_curve: ValueCurve::of(options.game),
            counts: self.counts,
            split: SplitSummary {
                by: SplitBy::Game,
                seed: options.split_seed,
                fractions: options.fractions,
                games: self.games,
                positions: self.positions,
                novel_validation_positions: share(Split::Validation),
                novel_test_positions: share(Split::Test),
            },
            content_hash: content_hash(options.game, &shards),
            shards,
        };
        let rejects = rejects.then(|| self.output.target().join(super::REJECTS_FILE));
        Ok(ImportReport { manifest, rejects, first_rejected: self.first_rejected })
    }
}

/// A per-ply column, if the record says anything in it.
fn said(column: Vec<Option<f32>>) -> Option<Vec<Option<f32>>> {
    column.iter().any(Option::is_some).then_some(column)
}

/// The shards of one dataset; each holds games of one split.
struct Shards<'a> {
    dir: &'a Path,
    open: Option<(Split, ShardWriter)>,
    done: Vec<Shard>,
}

impl Shards<'_> {
    fn push(&mut self, row: &GameRow) -> Result<(), DatasetError> {
        if self.open.as_ref().is_some_and(|(split, writer)| *split != row.split || writer.games() >= SHARD_GAMES) {
            self.close()?;
        }
        let writer = match &mut self.open {
            Some((_, writer)) => writer,
            none => {
                let file = format!("{:05}-{}.parquet", self.done.len(), row.split.name());
                &mut none.insert((row.split, ShardWriter::create(&self.dir.join(file))?)).1
            }
        };
        writer.push(row)
    }

    fn close(&mut self) -> Result<(), DatasetError> {
        if let Some((_, writer)) = self.open.take() {
            self.done.push(writer.finish()?);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Shard>, DatasetError> {
        self.close()?;
        Ok(self.done)
    }
}
