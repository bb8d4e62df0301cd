//! Test games from another dataset than those of training and validation.

use super::dataset::{Dataset, TestSource};
use super::stored::StoredGame;
use super::used_rows::{PlyMask, UsedRows};
use crate::derived::OptionalColumns;
use crate::error::DatasetError;
use crate::manifest::{Manifest, TestSet};
use crate::split::Split;
use games::{Game, with_game};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use std::iter::repeat_n;
use std::sync::Arc;

/// Games that a thread replays at a time to find what is left out, and such chunks in memory.
const CHUNK_GAMES: u32 = 128;
const CHUNKS: usize = 64;

impl Dataset {
    /// Takes the test games of another dataset instead of its own. Positions of training and validation that occur in
    /// them are left out, by the key that finds duplicates: they are context of later positions, and in no batch. To be
    /// called before targets are set. An error if the datasets differ in what a network learns from them, the other one has
    /// no test games, or nothing is left.
    pub fn set_test(&mut self, other: Self) -> Result<(), DatasetError> {
        if self.is_endless() || other.is_endless() {
            return Err(refused(
                "positions without end have a test set of their own: leave the other one out".to_owned(),
            ));
        }
        let test = other.manifest_of(Split::Test).clone();
        if let Some((field, own, others)) = difference(self.manifest(), &test) {
            return Err(refused(format!(
                "`{field}` is {own} in the dataset \"{}\" and {others} in the test set \"{}\": take datasets that agree",
                self.manifest().name,
                test.name
            )));
        }
        other.require(Split::Test)?;
        let keys = with_game!(self.game(), G => keys::<G>(&other))?;
        let left_out_of_train = self.leave_out(Split::Train, &keys, &test)?;
        let left_out_of_validation = self.leave_out(Split::Validation, &keys, &test)?;
        let (name, content_hash) = (test.name.clone(), test.identity());
        let set = TestSet { name, content_hash, left_out_of_train, left_out_of_validation };
        let rows = Arc::clone(other.derived(Split::Test));
        self.used_rows[Split::Test] = other.used_rows.test;
        self.test = Some(Box::new(TestSource { manifest: test, rows, set }));
        Ok(())
    }

    /// The dataset of its test games, if it is another one.
    pub fn test_set(&self) -> Option<&TestSet> {
        self.test.as_ref().map(|test| &test.set)
    }

    /// The manifest of the dataset that a split comes from.
    pub fn manifest_of(&self, split: Split) -> &Manifest {
        match (&self.test, split) {
            (Some(test), Split::Test) => &test.manifest,
            _ => self.manifest(),
        }
    }

    /// The datasets that its games come from, each with the splits that it gives.
    pub(super) fn sources(&self) -> Vec<(&Manifest, &'static [Split])> {
        const ALL: &[Split] = &Split::ALL;
        const TRAINED_ON: &[Split] = &[Split::Train, Split::Validation];
        const TESTED_ON: &[Split] = &[Split::Test];
        match &self.test {
            None => vec![(self.manifest(), ALL)],
            Some(test) => vec![(self.manifest(), TRAINED_ON), (&test.manifest, TESTED_ON)],
        }
    }

    /// Leaves out the positions of a split with these keys, which are sorted, and returns their number.
    fn leave_out(&mut self, split: Split, keys: &[u64], test: &Manifest) -> Result<u64, DatasetError> {
        let (before, without) = (self.positions(split), self.without(split, keys)?);
        let left = without.positions;
        if before > 0 && left == 0 {
            return Err(refused(format!(
                "all {before} {} positions of the dataset \"{}\" occur in the test set \"{}\": take other games to test on",
                split.name(),
                self.manifest().name,
                test.name
            )));
        }
        if left < before {
            self.used_rows[split] = Some(Arc::new(without));
        }
        Ok(before - left)
    }

    /// What is left of a split without the positions with these keys, which are sorted. Every used row is read once.
    fn without(&self, split: Split, keys: &[u64]) -> Result<UsedRows, DatasetError> {
        let games = self.games(split) as u32;
        let of_game = |game: Result<StoredGame, DatasetError>| -> Result<(Box<[bool]>, OptionalColumns), DatasetError> {
            let game = game?;
            let used = with_game!(self.game(), G => game.without::<G>(keys))?;
            Ok((used, game.has()))
        };
        let of_chunk = |&start: &u32| {
            let chunk = start..start.saturating_add(CHUNK_GAMES).min(games);
            self.read(split, chunk).map(of_game).collect::<Result<Vec<_>, _>>()
        };
        let (mut used_rows, mut plies) = (UsedRows::default(), PlyMask::default());
        let starts: Vec<u32> = (0..games).step_by(CHUNK_GAMES as usize).collect();
        let mut game = 0;
        for starts in starts.chunks(CHUNKS) {
            let found: Vec<_> = starts.par_iter().map(of_chunk).collect();
            for (used, has) in found.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
                let row = self.row(split, game);
                for unused in plies.rows..row {
                    plies.add(repeat_n(false, self.derived(split).size(split, unused).plies.into()));
                }
                let positions = used.iter().filter(|&&used| used).count() as u64;
                plies.add(used);
                if positions > 0 {
                    used_rows.add(row, positions, has);
                }
                game += 1;
            }
        }
        Ok(UsedRows { plies: Some(Arc::new(plies)), ..used_rows })
    }
}

impl StoredGame {
    /// Whether each ply is used and has none of these keys, which are sorted.
    fn without<G: Game>(&self, keys: &[u64]) -> Result<Box<[bool]>, DatasetError> {
        let mut used = self.used.clone().unwrap_or_else(|| vec![true; usize::from(self.plies)].into_boxed_slice());
        self.play_through::<G>(|line, _| used[line.plies()] &= keys.binary_search(&line.key()).is_err())?;
        Ok(used)
    }
}

/// The keys of the test positions, sorted.
fn keys<G: Game>(dataset: &Dataset) -> Result<Vec<u64>, DatasetError> {
    let mut keys = Vec::new();
    for game in dataset.read_all(Split::Test) {
        let game = game?;
        game.play_through::<G>(|line, _| {
            if game.is_used(line.plies()) {
                keys.push(line.key());
            }
        })?;
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// The first field in which two datasets must agree and differ, with both values.
fn difference(own: &Manifest, test: &Manifest) -> Option<(&'static str, String, String)> {
    let map = |manifest: &Manifest| {
        let map = manifest.map.as_ref();
        map.map_or_else(|| "none".to_owned(), |map| format!("{} of {} classes {:?}", map.task, map.classes, map.names))
    };
    let slope = |manifest: &Manifest| format!("{:e}", manifest.value_curve.per_point);
    let source = |manifest: &Manifest| manifest.value_source.map_or("none", |source| source.name()).to_owned();
    let both_have_sources = own.value_source.is_some() && test.value_source.is_some();
    let fields = [
        ("game", own.game != test.game, own.game.name().to_owned(), test.game.name().to_owned()),
        ("map", own.map != test.map, map(own), map(test)),
        ("value_curve.per_point", slope(own) != slope(test), slope(own), slope(test)),
        ("value_source", both_have_sources && own.value_source != test.value_source, source(own), source(test)),
    ];
    let differs = fields.into_iter().find(|(_, differs, ..)| *differs);
    differs.map(|(field, _, own, test)| (field, own, test))
}

fn refused(reason: String) -> DatasetError {
    DatasetError::Option { option: "test set", reason }
}
