//! An opened dataset: which of its rows are used, and what batches hold of them.

use super::order::Grouping;
use super::stored::StoredGame;
use super::targets::Targets;
use crate::derived::{Derived, DerivedOptions, Has, Room, RowSize, rows_together};
use crate::error::DatasetError;
use crate::manifest::{Manifest, Unit};
use crate::split::{PerSplit, Split};
use games::{Frame, GameKind, InputName, MovesName, with_game};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug)]
pub struct Dataset {
    manifest: Manifest,
    rows: Arc<Derived>,
    chosen: PerSplit<Chosen>,
    pub(super) reading: Reading,
    /// Targets that are computed from a row when it is read.
    targets: Option<Targets>,
    /// See [`DerivedOptions::exact_below`].
    exact_below: u64,
}

/// The used rows of a split.
#[derive(Debug, Clone, Default)]
enum Chosen {
    #[default]
    All,
    /// Those in some rating buckets, ascending.
    Rows(Arc<[u32]>),
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
    /// Opens the dataset in a folder, after checking that all shards are there and unchanged (size and hash). If an
    /// earlier process has put its rows into the cache, only sizes and the cache's index are checked.
    pub fn open(dir: &Path) -> Result<Self, DatasetError> {
        Self::load(dir, Manifest::read(dir)?)
    }

    /// Like [`Dataset::open`], with a manifest that was read before.
    pub fn load(dir: &Path, manifest: Manifest) -> Result<Self, DatasetError> {
        Self::load_with(dir, manifest, &DerivedOptions::default())
    }

    /// Like [`Dataset::load`], with another cache.
    pub fn load_with(dir: &Path, manifest: Manifest, options: &DerivedOptions) -> Result<Self, DatasetError> {
        manifest.check(dir)?;
        let rows = Arc::new(Derived::open(dir, &manifest, options)?);
        let reading = Reading { moves: MovesName::default(), plies: 1, rights: false, repeats: false };
        let (chosen, exact_below) = (PerSplit::default(), options.exact_below);
        Ok(Self { manifest, rows, chosen, reading, targets: None, exact_below })
    }

    /// The cached file that rows are read from; `None` if they are in memory.
    pub fn derived_file(&self) -> Option<&Path> {
        self.rows.file()
    }

    /// The bytes of all rows in that file or in memory.
    pub fn row_bytes(&self) -> u64 {
        self.rows.bytes()
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn game(&self) -> GameKind {
        self.manifest.game
    }

    /// The hash of its content, in hex: equal for equal datasets.
    pub fn content_hash(&self) -> &str {
        &self.manifest.content_hash
    }

    /// What decides its batches, see [`Manifest::identity`].
    pub fn identity(&self) -> String {
        self.manifest.identity()
    }

    pub fn games(&self, split: Split) -> usize {
        match &self.chosen[split] {
            Chosen::All => self.rows.rows(split),
            Chosen::Rows(rows) => rows.len(),
        }
    }

    pub fn positions(&self, split: Split) -> u64 {
        match &self.chosen[split] {
            Chosen::All => self.rows.positions(split),
            Chosen::Rows(_) => self.sizes(split).map(|size| u64::from(size.positions)).sum(),
        }
    }

    /// Whether its rows are games or single positions.
    pub fn unit(&self) -> Unit {
        self.manifest.unit
    }

    /// Keeps only the games of these rating buckets, for one stage of a curriculum. The manifest stays that of the
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
        for split in Split::ALL {
            self.chosen[split] = self.in_buckets(split, &buckets);
        }
        Ok(())
    }

    /// The training games of these rating buckets as a separate dataset, for a phase of training; it has no games for
    /// evaluation. Settings of moves and targets are copied.
    pub fn training_part(&self, buckets: &[impl AsRef<str>]) -> Self {
        let buckets: Vec<&str> = buckets.iter().map(AsRef::as_ref).collect();
        let none = || Chosen::Rows(Vec::new().into());
        let train = self.in_buckets(Split::Train, &buckets);
        Self {
            manifest: self.manifest.clone(),
            rows: Arc::clone(&self.rows),
            chosen: PerSplit { train, validation: none(), test: none() },
            ..*self
        }
    }

    /// The used rows of a split that are in these rating buckets.
    fn in_buckets(&self, split: Split, buckets: &[&str]) -> Chosen {
        let wanted: Vec<bool> = self.rows.buckets().iter().map(|name| buckets.contains(&name.as_str())).collect();
        let is_wanted = |&row: &u32| {
            let bucket = self.rows.size(split, row as usize).bucket;
            bucket.is_some_and(|bucket| wanted.get(usize::from(bucket)).is_some_and(|&wanted| wanted))
        };
        let rows: Vec<u32> =
            (0..self.games(split)).map(|i| self.row(split, i as u32) as u32).filter(is_wanted).collect();
        Chosen::Rows(rows.into())
    }

    /// The row of the `i`-th game of a split.
    fn row(&self, split: Split, i: u32) -> usize {
        match &self.chosen[split] {
            Chosen::All => i as usize,
            Chosen::Rows(rows) => rows[i as usize] as usize,
        }
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
        for (column, target) in targets.columns() {
            let has = self.has();
            let is_there = if column == "draw" { has.draw } else { has.value };
            if !is_there {
                let dataset = self.manifest.name.clone();
                return Err(DatasetError::NoTarget { dataset, column, target });
            }
        }
        let whole_games = self.manifest.unit == Unit::Game;
        if targets.plies_left && !whole_games {
            let reason = format!(
                "the dataset \"{}\" holds single positions, which have no game to end: leave the target out, or take a \
                 dataset of whole games",
                self.manifest.name
            );
            return Err(DatasetError::Option { option: "plies_left", reason });
        }
        if targets.rights && self.game() != GameKind::Chess {
            let reason = format!("{} has no rights of castling and en passant", self.game().name());
            return Err(DatasetError::Option { option: "rights", reason });
        }
        self.reading = Reading { rights: targets.rights, repeats: targets.repeats, ..self.reading };
        let of_games = Targets { rights: false, repeats: false, ..targets };
        self.targets = (of_games != Targets::default()).then_some(of_games);
        Ok(())
    }

    /// Refuses inputs with history for datasets without history, and with ratings for those without ratings.
    pub(crate) fn require_input(&self, input: InputName) -> Result<(), DatasetError> {
        let layout = self.game().offered(input);
        let layout = layout.map_err(|error| DatasetError::Option { option: "input", reason: error.to_string() })?;
        let wrong = |reason| DatasetError::Option { option: "input", reason };
        self.moves().supports(input).map_err(|error| wrong(error.to_string()))?;
        if input.frame() != Frame::SideToMove && self.manifest.map.is_some() {
            let reason = format!(
                "{} never turns the board, but the labels of the dataset \"{}\" are of the mover's board: take another input",
                input.name(),
                self.manifest.name
            );
            return Err(wrong(reason));
        }
        if self.manifest.unit == Unit::Position && layout.needs_history() {
            let reason = format!(
                "{} shows earlier positions, but the dataset \"{}\" holds single positions: \
                 take an input without history, or a dataset of whole games",
                input.name(),
                self.manifest.name
            );
            return Err(DatasetError::Option { option: "input", reason });
        }
        if layout.shows_ratings() && !self.has().rating {
            let reason = format!(
                "{} shows the players' ratings, but no game of the dataset \"{}\" has one: take piece_tokens, or games \
                 with ratings in their headers",
                input.name(),
                self.manifest.name
            );
            return Err(wrong(reason));
        }
        Ok(())
    }

    /// The optional columns that any used row has.
    fn has(&self) -> Has {
        let of_split = |&split: &Split| match &self.chosen[split] {
            Chosen::All => self.rows.has(split),
            Chosen::Rows(_) => self.sizes(split).fold(Has::default(), |has, size| has.or(size.has)),
        };
        Split::ALL.iter().map(of_split).fold(Has::default(), Has::or)
    }

    /// The size of the `i`-th game of a split.
    pub(super) fn size(&self, split: Split, i: u32) -> RowSize {
        self.rows.size(split, self.row(split, i))
    }

    /// The sizes of a split's games, in the dataset's order.
    pub(crate) fn sizes(&self, split: Split) -> impl Iterator<Item = RowSize> {
        (0..self.games(split)).map(move |i| self.size(split, i as u32))
    }

    /// These games of a split, one in memory at a time.
    pub(crate) fn read(
        &self,
        split: Split,
        games: impl IntoIterator<Item = u32>,
    ) -> impl Iterator<Item = Result<StoredGame, DatasetError>> {
        let mut room = Room::default();
        games.into_iter().map(move |game| {
            let mut read = self.rows.get(split, self.row(split, game), &mut room)?;
            if let Some(targets) = &self.targets {
                let whole_games = self.manifest.unit == Unit::Game;
                read.targets = Some(Box::new(with_game!(self.manifest.game, G => targets.of::<G>(&read, whole_games))));
            }
            Ok(read)
        })
    }

    /// All games of a split, in the dataset's order.
    pub(crate) fn read_all(&self, split: Split) -> impl Iterator<Item = Result<StoredGame, DatasetError>> {
        self.read(split, 0..self.games(split) as u32)
    }

    /// Which games of a split keep their place beside each other, and how many are replayed together.
    pub(super) fn grouping(&self, split: Split, block_games: usize) -> Grouping {
        let together = rows_together(self.manifest.unit, self.games(split) as u64, self.exact_below);
        let block_groups = match self.manifest.unit {
            // A single position is a row: a block holds as many groups of them as games elsewhere.
            Unit::Position => block_games,
            Unit::Game => block_games.div_ceil(together),
        };
        Grouping { together, block_groups }
    }

    /// An error if a required split has no games.
    pub(crate) fn require(&self, split: Split) -> Result<(), DatasetError> {
        if self.games(split) == 0 {
            return Err(DatasetError::EmptySplit { dataset: self.manifest.name.clone(), split });
        }
        Ok(())
    }
}
