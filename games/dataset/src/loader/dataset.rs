//! A dataset in memory, with games as moves (about ten bytes per position).

use super::contents::ShardContents;
use super::stored::StoredGame;
use super::targets::Targets;
use crate::error::DatasetError;
use crate::manifest::{Manifest, TestSet, Unit, content};
use crate::split::{PerSplit, Split};
use crate::store;
use games::maps::NO_LABEL;
use games::{Frame, GameKind, InputLayout, InputName, MovesName, with_game};
use std::path::Path;

#[derive(Debug)]
pub struct Dataset {
    pub(super) manifest: Manifest,
    pub(super) games: PerSplit<Vec<StoredGame>>,
    /// Where its test games come from, if that is another dataset.
    pub(super) test: Option<Box<TestSource>>,
    pub(super) reading: Reading,
}

/// The dataset that only the test games come from.
#[derive(Debug)]
pub(super) struct TestSource {
    pub(super) manifest: Manifest,
    pub(super) set: TestSet,
}

/// Options for reading positions from games.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub(super) moves: MovesName,
    /// Consecutive plies of a game per sequence.
    pub(super) plies: usize,
    pub(super) rights: bool,
    pub(super) repeats: bool,
}

impl Dataset {
    /// Loads the dataset in a folder, after checking that all shards are there and unchanged (size and hash).
    pub fn open(dir: &Path) -> Result<Self, DatasetError> {
        Self::load(dir, Manifest::read(dir)?)
    }

    /// Like [`Dataset::open`], with a manifest that was read before.
    pub fn load(dir: &Path, manifest: Manifest) -> Result<Self, DatasetError> {
        manifest.check(dir)?;
        let mut games = PerSplit::<Vec<StoredGame>>::default();
        let mut contents = ShardContents::default();
        for shard in &manifest.shards {
            store::verify(dir, shard)?;
            let before = contents.size();
            store::read_shard(&dir.join(&shard.file), &mut |row| {
                contents.add(&row);
                let split = row.split;
                games[split].push(StoredGame::from(row));
            })?;
            contents.check_shard(dir, &manifest, shard, before)?;
        }
        contents.check(dir, &manifest)?;
        let reading = Reading { moves: MovesName::default(), plies: 1, rights: false, repeats: false };
        let dataset = Self { manifest, games, test: None, reading };
        dataset.check_maps(dir)?;
        Ok(dataset)
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn game(&self) -> GameKind {
        self.manifest.game
    }

    /// The hash of its content, in hex, and of its test set's: equal for equal datasets.
    pub fn content(&self) -> String {
        content(&self.manifest.content_hash, self.test_set().map(|test| test.content_hash.as_str()))
    }

    pub fn games(&self, split: Split) -> usize {
        self.games[split].len()
    }

    pub fn positions(&self, split: Split) -> u64 {
        self.games[split].iter().map(|game| u64::from(game.positions)).sum()
    }

    /// Whether its rows are games or single positions.
    pub fn unit(&self) -> Unit {
        self.manifest.unit
    }

    /// Keeps only the games of these rating buckets; a test set of its own stays whole. The manifest stays that of the
    /// whole dataset.
    pub fn restrict(&mut self, buckets: &[impl AsRef<str>]) -> Result<(), DatasetError> {
        let known: Vec<&str> = self.manifest.rating_buckets.iter().map(|bucket| bucket.name.as_str()).collect();
        let buckets: Vec<&str> = buckets.iter().map(AsRef::as_ref).collect();
        if let Some(unknown) = buckets.iter().find(|bucket| !known.contains(bucket)) {
            let reason = match known.is_empty() {
                true => "the dataset has none: import it with --rating-buckets".to_owned(),
                false => format!("there is no \"{unknown}\"; there are {}", known.join(", ")),
            };
            return Err(DatasetError::Option { option: "rating buckets", reason });
        }
        let (_, splits) = self.sources()[0];
        for &split in splits {
            self.games[split].retain(|game| game.rating_bucket.as_deref().is_some_and(|name| buckets.contains(&name)));
        }
        Ok(())
    }

    /// The training games of these rating buckets as a separate dataset, for a phase of training; it has no games for
    /// evaluation. Settings of moves and targets are copied.
    pub fn training_part(&self, buckets: &[impl AsRef<str>]) -> Self {
        let wanted = |game: &&StoredGame| {
            let own = game.rating_bucket.as_deref();
            own.is_some_and(|name| buckets.iter().any(|bucket| bucket.as_ref() == name))
        };
        let mut games = PerSplit::<Vec<StoredGame>>::default();
        games[Split::Train] = self.games[Split::Train].iter().filter(wanted).cloned().collect();
        Self { manifest: self.manifest.clone(), games, test: None, reading: self.reading }
    }

    /// Sets the vocabulary of moves in batches; the default is the game's `from_to`.
    pub fn set_moves(&mut self, moves: MovesName) -> Result<(), DatasetError> {
        let known = self.game().vocabulary(moves);
        known.map_err(|error| DatasetError::Option { option: "moves", reason: error.to_string() })?;
        self.reading.moves = moves;
        Ok(())
    }

    pub fn moves(&self) -> MovesName {
        self.reading.moves
    }

    pub(super) fn reading(&self) -> Reading {
        self.reading
    }

    /// Bytes of a position's mask over the vocabulary.
    pub fn legal_bytes(&self) -> usize {
        self.game().moves(self.moves()).len().div_ceil(u8::BITS as usize)
    }

    /// Sets the targets of batches beside the policy and the outcome; replaces earlier ones.
    pub fn set_targets(&mut self, targets: Targets) -> Result<(), DatasetError> {
        targets.check()?;
        for (manifest, splits) in self.sources() {
            for (column, target) in targets.columns() {
                if !splits.iter().any(|&split| self.games[split].iter().any(|game| game.has_values(column))) {
                    return Err(DatasetError::NoTarget { dataset: manifest.name.clone(), column, target });
                }
            }
            if targets.plies_left && manifest.unit == Unit::Position {
                let reason = format!(
                    "the dataset \"{}\" holds single positions, which have no game to end: leave the target out, or take \
                     a dataset of whole games",
                    manifest.name
                );
                return Err(DatasetError::Option { option: "plies_left", reason });
            }
        }
        if targets.rights && self.game() != GameKind::Chess {
            let reason = format!("{} has no rights of castling and en passant", self.game().name());
            return Err(DatasetError::Option { option: "rights", reason });
        }
        self.reading = Reading { rights: targets.rights, repeats: targets.repeats, ..self.reading };
        let of_games = Targets { rights: false, repeats: false, ..targets };
        let any = of_games != Targets::default();
        let kind = self.game();
        for split in Split::ALL {
            let whole_games = self.manifest_of(split).unit == Unit::Game;
            for game in &mut self.games[split] {
                let made = || with_game!(kind, G => targets.of::<G>(game, whole_games));
                game.targets = any.then(|| Box::new(made()));
            }
        }
        Ok(())
    }

    /// Refuses inputs with history for datasets without history, and with ratings for those without ratings.
    pub(crate) fn require_input(&self, input: InputName) -> Result<(), DatasetError> {
        let wrong = |reason| DatasetError::Option { option: "input", reason };
        for (manifest, splits) in self.sources() {
            let layout = manifest.offered(input)?;
            let is_rated = |game: &StoredGame| game.ratings.iter().any(Option::is_some);
            if layout.shows_ratings() && !splits.iter().any(|&split| self.games[split].iter().any(is_rated)) {
                return Err(wrong(format!(
                    "{} shows the players' ratings, but no game of the dataset \"{}\" has one: take piece_tokens, or \
                     games with ratings in their headers",
                    input.name(),
                    manifest.name
                )));
            }
        }
        self.moves().supports(input).map_err(|error| wrong(error.to_string()))
    }

    /// The games of a split, in the dataset's order.
    pub(crate) fn stored(&self, split: Split) -> &[StoredGame] {
        &self.games[split]
    }

    /// An error if a required split has no games.
    pub(crate) fn require(&self, split: Split) -> Result<(), DatasetError> {
        if self.games[split].is_empty() {
            return Err(DatasetError::EmptySplit { dataset: self.manifest_of(split).name.clone(), split });
        }
        Ok(())
    }

    /// Checks that every ply has the map that the manifest describes, with valid labels.
    fn check_maps(&self, dir: &Path) -> Result<(), DatasetError> {
        let map = self.manifest.map.as_ref();
        let cells = map.map_or(0, |map| map.shape.cells(self.game().geometry().squares()));
        let classes = map.map_or(0, |map| i32::from(map.classes));
        let fits = |game: &StoredGame| {
            game.map.len() == cells * usize::from(game.plies)
                && game.map.iter().all(|&label| (i32::from(NO_LABEL)..classes).contains(&i32::from(label)))
        };
        match Split::ALL.iter().flat_map(|&split| self.stored(split)).find(|game| !fits(game)) {
            None => Ok(()),
            Some(game) => {
                let reason = format!(
                    "the map of game {} is not what dataset.yaml describes ({cells} cells, {classes} classes): {}",
                    game.id,
                    self.manifest.remedy()
                );
                Err(DatasetError::Manifest { dir: dir.to_owned(), reason })
            }
        }
    }
}

impl Manifest {
    /// The layout of an input, if the dataset has what it shows; which games have ratings is not known here.
    pub fn offered(&self, input: InputName) -> Result<&'static InputLayout, DatasetError> {
        let wrong = |reason| DatasetError::Option { option: "input", reason };
        let layout = self.game.offered(input).map_err(|error| wrong(error.to_string()))?;
        if input.frame() != Frame::SideToMove && self.map.is_some() {
            return Err(wrong(format!(
                "{} never turns the board, but the labels of the dataset \"{}\" are of the mover's board: take another \
                 input",
                input.name(),
                self.name
            )));
        }
        if self.unit == Unit::Position && layout.needs_history() {
            return Err(wrong(format!(
                "{} shows earlier positions, but the dataset \"{}\" holds single positions: take an input without \
                 history, or a dataset of whole games",
                input.name(),
                self.name
            )));
        }
        Ok(layout)
    }
}
