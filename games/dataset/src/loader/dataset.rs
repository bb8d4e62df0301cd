//! An opened dataset: which of its rows are used, and what batches hold of them.

use super::endless::{Endless, EndlessOptions, GenerationCounts, Training};
use super::order::Grouping;
use super::replay::Reading;
use super::stored::StoredGame;
use super::targets::Targets;
use super::used_rows::{PlyMask, UsedRows};
use crate::derived::{Derived, DerivedOptions, OptionalColumns, RowSize, UnitCache, rows_together};
use crate::error::DatasetError;
use crate::generated::MadePosition;
use crate::manifest::{EXACT_BELOW, Manifest, MapInfo, TestSet, Unit, content};
use crate::split::{PerSplit, Split};
use crate::value::ValueTarget;
use crate::work_done::WorkDone;
use games::map_labels::MapTask;
use games::{Frame, GameKind, InputLayout, InputName, MovesName, with_game};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A dataset whose games are read.
///
/// ```no_run
/// use dataset::{Dataset, Split};
///
/// let dataset = Dataset::open("experiments/data/chess-starter".as_ref())?;
/// println!("{} games with {} positions", dataset.games(Split::Train), dataset.positions(Split::Train));
/// # Ok::<(), dataset::DatasetError>(())
/// ```
#[derive(Debug)]
pub struct Dataset {
    manifest: Manifest,
    rows: Arc<Derived>,
    /// The used rows of each split; `None` for all.
    pub(super) used_rows: PerSplit<Option<Arc<UsedRows>>>,
    /// Where its test games come from, if that is another dataset.
    pub(super) test: Option<Box<TestSource>>,
    /// Where its training positions come from, if they are not stored.
    pub(super) training: Option<Arc<Training>>,
    pub(super) reading: Reading,
    /// Targets that are computed from a row when it is read.
    targets: Option<Targets>,
    /// See [`DerivedOptions::exact_below`].
    exact_below: u64,
}

/// The dataset that only the test games come from.
#[derive(Debug)]
pub(super) struct TestSource {
    pub(super) manifest: Manifest,
    pub(super) rows: Arc<Derived>,
    pub(super) set: TestSet,
}

impl Dataset {
    /// Opens the dataset in a folder, after checking that all shards are there and unchanged (size and hash). If an
    /// earlier process has put its rows into the cache, only sizes and the cache's index are checked.
    pub fn open(dir: &Path) -> Result<Self, DatasetError> {
        Self::load(dir, Manifest::read(dir)?)
    }

    /// Like [`Dataset::open`]. `progress` is called while its rows are read from the shards, which takes minutes for large
    /// datasets; never if an earlier process has put them into the cache.
    pub fn open_shown(dir: &Path, progress: &mut dyn FnMut(WorkDone)) -> Result<Self, DatasetError> {
        Self::load_with(dir, Manifest::read(dir)?, &DerivedOptions::default(), progress)
    }

    /// Like [`Dataset::open`], with a manifest that was read before.
    pub fn load(dir: &Path, manifest: Manifest) -> Result<Self, DatasetError> {
        Self::load_with(dir, manifest, &DerivedOptions::default(), &mut |_| {})
    }

    /// Like [`Dataset::load`] with another cache; `progress` as in [`Dataset::open_shown`].
    pub fn load_with(
        dir: &Path,
        manifest: Manifest,
        options: &DerivedOptions,
        progress: &mut dyn FnMut(WorkDone),
    ) -> Result<Self, DatasetError> {
        manifest.check(dir)?;
        let rows = Arc::new(Derived::open(dir, &manifest, options, progress)?);
        Ok(Self { exact_below: options.exact_below, ..Self::of_parts(manifest, rows, None) })
    }

    /// A dataset with these validation and test positions, which differ from each other, and a source of training
    /// positions.
    pub fn endless(
        options: &EndlessOptions,
        source: Arc<dyn Endless>,
        held_out: PerSplit<Vec<MadePosition>>,
    ) -> Result<Self, DatasetError> {
        let (manifest, rows, training) = Training::beside(held_out, options, source)?;
        Ok(Self::of_parts(manifest, Arc::new(rows), Some(Arc::new(training))))
    }

    fn of_parts(manifest: Manifest, rows: Arc<Derived>, training: Option<Arc<Training>>) -> Self {
        let reading = Reading { moves: MovesName::default(), plies: 1, rights: false, repeats: false, map: None };
        let used_rows = PerSplit::default();
        Self { manifest, rows, used_rows, test: None, training, reading, targets: None, exact_below: EXACT_BELOW }
    }

    /// Whether its training positions are made without end instead of being stored.
    pub fn is_endless(&self) -> bool {
        self.training.is_some()
    }

    /// What the blocks of an endless dataset took that begin at one of these training positions, as far as loaders of this process
    /// made them; `None` for stored training positions. Equal for equal blocks, however often they were made.
    pub fn made(&self, positions: Range<u64>) -> Option<GenerationCounts> {
        self.training.as_ref().map(|training| training.made(positions))
    }

    /// The cached file that rows are read from, but for the test games of another dataset; `None` if they are in memory.
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

    /// What identifies its batches: equal for equal datasets and test sets. See [`Manifest::identity`].
    pub fn content(&self) -> String {
        content(&self.manifest.identity(), self.test_set().map(|test| test.content_hash.as_str()))
    }

    pub fn games(&self, split: Split) -> usize {
        match &self.used_rows[split] {
            None => self.derived(split).rows(split),
            Some(used_rows) => used_rows.rows.count,
        }
    }

    pub fn positions(&self, split: Split) -> u64 {
        match &self.used_rows[split] {
            None => self.derived(split).positions(split),
            Some(used_rows) => used_rows.positions,
        }
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
            self.used_rows[split] = Some(self.in_buckets(split, &buckets));
        }
        Ok(())
    }

    /// The training games of these rating buckets as a separate dataset, for a phase of training; it has no games for
    /// evaluation. Settings of moves and targets are copied.
    pub fn training_part(&self, buckets: &[impl AsRef<str>]) -> Self {
        let buckets: Vec<&str> = buckets.iter().map(AsRef::as_ref).collect();
        let none = || Some(Arc::default());
        let train = Some(self.in_buckets(Split::Train, &buckets));
        Self {
            manifest: self.manifest.clone(),
            rows: Arc::clone(&self.rows),
            used_rows: PerSplit { train, validation: none(), test: none() },
            test: None,
            training: None,
            ..*self
        }
    }

    /// The used rows of a split that are in these rating buckets.
    fn in_buckets(&self, split: Split, buckets: &[&str]) -> Arc<UsedRows> {
        let names = self.derived(split).buckets();
        let wanted: Vec<bool> = names.iter().map(|name| buckets.contains(&name.as_str())).collect();
        let mut used_rows = UsedRows { plies: self.plies(split).cloned(), ..UsedRows::default() };
        for i in 0..self.games(split) as u32 {
            let size = self.size(split, i);
            if size.bucket.is_some_and(|bucket| wanted.get(usize::from(bucket)).is_some_and(|&wanted| wanted)) {
                used_rows.add(self.row(split, i), size.positions.into(), size.has);
            }
        }
        Arc::new(used_rows)
    }

    /// Where the rows of a split are.
    pub(super) fn derived(&self, split: Split) -> &Arc<Derived> {
        match (&self.test, split) {
            (Some(test), Split::Test) => &test.rows,
            _ => &self.rows,
        }
    }

    /// The row of the `i`-th game of a split.
    pub(super) fn row(&self, split: Split, i: u32) -> usize {
        match &self.used_rows[split] {
            None => i as usize,
            Some(used_rows) => used_rows.rows.place(i as usize),
        }
    }

    /// The used plies of a split's rows, if some are left out for a test set.
    fn plies(&self, split: Split) -> Option<&Arc<PlyMask>> {
        self.used_rows[split].as_ref()?.plies.as_ref()
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

    /// Bytes of a position's mask over the vocabulary.
    pub fn legal_bytes(&self) -> usize {
        self.game().moves(self.moves()).len().div_ceil(u8::BITS as usize)
    }

    /// Sets the targets of batches beside the policy and the outcome; replaces earlier ones.
    pub fn set_targets(&mut self, targets: Targets) -> Result<(), DatasetError> {
        targets.check()?;
        let stored =
            Targets { value: targets.value.filter(|&value| value == ValueTarget::Score), ..Targets::default() };
        if self.is_endless() && targets != stored {
            let reason =
                "positions without end have a policy, a map or their stored value as targets, and no other".to_owned();
            return Err(DatasetError::Option { option: "generate", reason });
        }
        for (manifest, splits) in self.sources() {
            let has = self.has(splits);
            for (column, target) in targets.columns() {
                let is_there = if column == "draw" { has.draw } else { has.value };
                if !is_there {
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
        if targets.rights && !with_game!(self.game(), G => G::HAS_RIGHTS) {
            let reason = format!("{} has no rights of castling and en passant", self.game().name());
            return Err(DatasetError::Option { option: "rights", reason });
        }
        self.reading = Reading { rights: targets.rights, repeats: targets.repeats, ..self.reading };
        let of_games = Targets { rights: false, repeats: false, ..targets };
        self.targets = (of_games != Targets::default()).then_some(of_games);
        Ok(())
    }

    /// Labels every position with the map of a task, computed when it is read. Refuses a dataset with a map of its own, and one
    /// without end.
    pub fn set_map(&mut self, task: MapTask) -> Result<(), DatasetError> {
        let what = if self.is_endless() { "are made without end" } else { "have a map of their own" };
        let with_map = |manifest: &Manifest| self.is_endless() || manifest.map.is_some();
        if let Some((manifest, _)) = self.sources().into_iter().find(|(manifest, _)| with_map(manifest)) {
            let reason = format!("the positions of \"{}\" {what}: leave `map` out", manifest.name);
            return Err(DatasetError::Option { option: "map", reason });
        }
        let map = Some(MapInfo::of(task, self.game()));
        self.reading.map = Some(task);
        if let Some(test) = &mut self.test {
            test.manifest.map.clone_from(&map);
        }
        self.manifest.map = map;
        Ok(())
    }

    /// Refuses inputs with history for datasets without history, and with ratings for those without ratings.
    pub(crate) fn require_input(&self, input: InputName) -> Result<(), DatasetError> {
        let wrong = |reason| DatasetError::Option { option: "input", reason };
        for (manifest, splits) in self.sources() {
            let layout = manifest.offered(input)?;
            if layout.shows_ratings() && !self.has(splits).rating {
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

    /// The optional columns that any used row of these splits has.
    fn has(&self, splits: &[Split]) -> OptionalColumns {
        let of_split = |&split: &Split| match &self.used_rows[split] {
            None => self.derived(split).has(split),
            Some(used_rows) => used_rows.has,
        };
        splits.iter().map(of_split).fold(OptionalColumns::default(), OptionalColumns::or)
    }

    /// The size of the `i`-th game of a split.
    pub(super) fn size(&self, split: Split, i: u32) -> RowSize {
        let (rows, row) = (self.derived(split), self.row(split, i));
        let size = rows.size(split, row);
        match self.plies(split) {
            None => size,
            Some(plies) => RowSize { positions: plies.count(row, |row| rows.size(split, row).plies), ..size },
        }
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
        let mut cache = UnitCache::default();
        let (rows, manifest) = (self.derived(split), self.manifest_of(split));
        let in_another_dataset = split == Split::Test && self.test.is_some();
        games.into_iter().map(move |game| {
            let row = self.row(split, game);
            let mut read = rows.get(split, row, &mut cache)?;
            if let Some(plies) = self.plies(split) {
                read.use_only(plies.of(row, |row| rows.size(split, row).plies));
            }
            if in_another_dataset {
                // What occurs in them has left training.
                read.seen_in_train = vec![false; usize::from(read.plies)].into_boxed_slice();
            }
            if let Some(targets) = &self.targets {
                let whole_games = manifest.unit == Unit::Game;
                read.targets = Some(Box::new(with_game!(manifest.game, G => targets.of::<G>(&read, whole_games))));
            }
            Ok(read)
        })
    }

    /// All games of a split, in the dataset's order.
    pub(crate) fn read_all(&self, split: Split) -> impl Iterator<Item = Result<StoredGame, DatasetError>> {
        self.read(split, 0..self.games(split) as u32)
    }

    /// At most `count` positions of a split, each from another game and later in it than the one before: the start
    /// (FEN, SFEN or `startpos`), then `moves` and the moves played, and `ratings` with those of both players if both are
    /// known and the input shows them. The result is deterministic.
    pub fn lines(&self, split: Split, count: usize, input: InputName) -> Result<Vec<String>, DatasetError> {
        self.require(split)?;
        let shows_ratings = self.game().input(input).shows_ratings();
        let games = self.games(split);
        let count = count.min(games);
        let chosen = (0..count).map(|i| (i * games / count) as u32);
        let line = |(i, game): (usize, Result<StoredGame, DatasetError>)| {
            let game = game?;
            let plies = usize::from(game.plies) * i / count;
            let start = game.start.text(self.game());
            let start = start.as_deref().unwrap_or("startpos");
            let played: Vec<&str> = game.moves.split_ascii_whitespace().take(plies).collect();
            let moves = if played.is_empty() { String::new() } else { format!(" moves {}", played.join(" ")) };
            let ratings = match game.ratings {
                [Some(first), Some(second)] if shows_ratings => format!(" ratings {first} {second}"),
                _ => String::new(),
            };
            Ok(format!("{start}{moves}{ratings}"))
        };
        self.read(split, chosen).enumerate().map(line).collect()
    }

    /// Which games of a split keep their place beside each other, and how many are replayed together.
    pub(super) fn grouping(&self, split: Split, block_games: usize) -> Grouping {
        let unit = self.manifest_of(split).unit;
        let together = rows_together(unit, self.games(split) as u64, self.exact_below);
        let block_groups = match unit {
            // A single position is a row: a block holds as many groups of them as games elsewhere.
            Unit::Position => block_games,
            Unit::Game => block_games.div_ceil(together),
        };
        Grouping { together, block_groups }
    }

    /// An error if a required split has no positions.
    pub(crate) fn require(&self, split: Split) -> Result<(), DatasetError> {
        let is_made = split == Split::Train && self.is_endless();
        if self.positions(split) == 0 && !is_made {
            return Err(DatasetError::EmptySplit { dataset: self.manifest_of(split).name.clone(), split });
        }
        Ok(())
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
