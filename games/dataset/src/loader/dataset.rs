//! A dataset in memory, games still as moves (about ten bytes a position).

use crate::error::DatasetError;
use crate::manifest::{FORMAT, Manifest, content_hash};
use crate::playback::{Move, Stuck, play_through};
use crate::split::{PerSplit, Split};
use crate::store::{self, GameRow};
use games::{Game, GameKind, GameResult, Line, Termination};
use std::path::Path;

/// A game as the loader needs it.
#[derive(Debug, Clone)]
pub(crate) struct StoredGame {
    pub(crate) id: u32,
    pub(crate) start: Option<Box<str>>,
    /// UCI or USI, separated by spaces.
    pub(crate) moves: Box<str>,
    pub(crate) plies: u16,
    pub(crate) result: GameResult,
    pub(crate) termination: Termination,
    pub(crate) policy_from_ply: u16,
    /// Per ply, NaN where there is none.
    pub(crate) value: Box<[f32]>,
    /// Per ply; empty for training games.
    pub(crate) seen_in_train: Box<[bool]>,
}

/// A dataset, checked and loaded.
#[derive(Debug)]
pub struct Dataset {
    manifest: Manifest,
    games: PerSplit<Vec<StoredGame>>,
}

impl Dataset {
    /// Loads the dataset that `manifest` describes from its folder, after checking that all shards are there and
    /// unchanged (size and hash).
    ///
    /// # Errors
    /// If a shard is missing, damaged or replaced, or the manifest contradicts its shards.
    pub fn open(dir: &Path, manifest: Manifest) -> Result<Self, DatasetError> {
        check_manifest(dir, &manifest)?;
        let mut games = PerSplit::<Vec<StoredGame>>::default();
        for shard in &manifest.shards {
            store::verify(dir, shard)?;
            store::read_shard(&dir.join(&shard.file), &mut |row| {
                let split = row.split;
                games[split].push(StoredGame::from(row));
            })?;
        }
        let dataset = Self { manifest, games };
        dataset.check_counts(dir)?;
        Ok(dataset)
    }

    /// What it says about itself.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Its game.
    #[must_use]
    pub fn game(&self) -> GameKind {
        self.manifest.game
    }

    /// The hash of its content, in hex: datasets with the same one are the same.
    #[must_use]
    pub fn content_hash(&self) -> &str {
        &self.manifest.content_hash
    }

    /// How many games a split has.
    #[must_use]
    pub fn games(&self, split: Split) -> usize {
        self.games[split].len()
    }

    /// How many positions a split has.
    #[must_use]
    pub fn positions(&self, split: Split) -> u64 {
        self.games[split].iter().map(|game| u64::from(game.plies)).sum()
    }

    /// The games of a split, in the dataset's order.
    pub(crate) fn stored(&self, split: Split) -> &[StoredGame] {
        &self.games[split]
    }

    /// The error of a split that is needed and has no games.
    pub(crate) fn require(&self, split: Split) -> Result<(), DatasetError> {
        if self.games[split].is_empty() {
            return Err(DatasetError::EmptySplit { dataset: self.manifest.name.clone(), split });
        }
        Ok(())
    }

    fn check_counts(&self, dir: &Path) -> Result<(), DatasetError> {
        for split in Split::ALL {
            let stated = (self.manifest.split.games[split], self.manifest.split.positions[split]);
            let found = (self.games(split) as u64, self.positions(split));
            if stated != found {
                let reason = format!(
                    "it states {} games and {} positions for {}, the shards hold {} and {}: import the dataset anew",
                    stated.0,
                    stated.1,
                    split.name(),
                    found.0,
                    found.1
                );
                return Err(DatasetError::Manifest { dir: dir.to_owned(), reason });
            }
        }
        Ok(())
    }
}

fn check_manifest(dir: &Path, manifest: &Manifest) -> Result<(), DatasetError> {
    let wrong = |reason| Err(DatasetError::Manifest { dir: dir.to_owned(), reason });
    if manifest.format != FORMAT {
        return wrong(format!(
            "format {} is not the {FORMAT} that this version reads: import the dataset anew",
            manifest.format
        ));
    }
    if let Some(shard) = manifest.shards.iter().find(|shard| Path::new(&shard.file).components().count() != 1) {
        return wrong(format!("the shard \"{}\" is not the name of a file beside it", shard.file));
    }
    if content_hash(manifest.game, &manifest.shards) != manifest.content_hash {
        return wrong("content_hash does not fit the shards: fetch the dataset again, or import it anew".to_owned());
    }
    Ok(())
}

impl StoredGame {
    /// Plays the game through, see [`play_through`].
    pub(crate) fn play_through<G: Game>(
        &self,
        on_ply: impl FnMut(&Line<G::Position>, Move<G>),
    ) -> Result<(), DatasetError> {
        play_through::<G>(self.start.as_deref(), &self.moves, on_ply)
            .map_err(|Stuck { ply, reason }| DatasetError::BadGame { game: self.id, ply, reason })
    }
}

impl From<GameRow> for StoredGame {
    fn from(row: GameRow) -> Self {
        Self {
            id: row.id,
            start: row.start.map(String::into_boxed_str),
            moves: row.moves.into_boxed_str(),
            plies: row.plies,
            result: row.result,
            termination: row.termination,
            policy_from_ply: row.policy_from_ply,
            value: row.value.into_iter().map(|value| value.unwrap_or(f32::NAN)).collect(),
            seen_in_train: row.seen_in_train.unwrap_or_default().into_boxed_slice(),
        }
    }
}
