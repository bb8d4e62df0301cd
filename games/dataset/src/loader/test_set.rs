//! Test games from another dataset than those of training and validation.

use super::dataset::{Dataset, TestSource};
use super::stored::StoredGame;
use crate::error::DatasetError;
use crate::manifest::{Manifest, TestSet};
use crate::split::Split;
use games::{Game, with_game};
use rayon::iter::{IntoParallelRefMutIterator as _, ParallelIterator as _};

impl Dataset {
    /// Takes the test games of another dataset instead of its own. Positions of training and validation that occur in
    /// them are left out, by the key that finds duplicates: they are context of later positions, and in no batch. To be
    /// called before targets are set.
    ///
    /// # Errors
    /// If the datasets differ in what a network learns from them, the other one has no test games, or nothing is left.
    pub fn set_test(&mut self, other: Self) -> Result<(), DatasetError> {
        if let Some((field, own, others)) = difference(&self.manifest, &other.manifest) {
            return Err(refused(format!(
                "`{field}` is {own} in the dataset \"{}\" and {others} in the test set \"{}\": take datasets that agree",
                self.manifest.name, other.manifest.name
            )));
        }
        other.require(Split::Test)?;
        let keys = with_game!(self.game(), G => keys::<G>(other.stored(Split::Test)))?;
        let left_out_of_train = self.leave_out(Split::Train, &keys, &other.manifest)?;
        let left_out_of_validation = self.leave_out(Split::Validation, &keys, &other.manifest)?;
        let Self { manifest, mut games, .. } = other;
        for game in &mut games[Split::Test] {
            // What occurs in them has just left training.
            game.seen_in_train = vec![false; usize::from(game.plies)].into_boxed_slice();
        }
        self.games[Split::Test] = std::mem::take(&mut games[Split::Test]);
        let (name, content_hash) = (manifest.name.clone(), manifest.content_hash.clone());
        let set = TestSet { name, content_hash, left_out_of_train, left_out_of_validation };
        self.test = Some(Box::new(TestSource { manifest, set }));
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
            None => vec![(&self.manifest, ALL)],
            Some(test) => vec![(&self.manifest, TRAINED_ON), (&test.manifest, TESTED_ON)],
        }
    }

    /// Leaves out the positions of a split with these keys, which are sorted, and returns their number.
    fn leave_out(&mut self, split: Split, keys: &[u64], test: &Manifest) -> Result<u64, DatasetError> {
        let (before, kind) = (self.positions(split), self.game());
        let stored = &mut self.games[split];
        with_game!(kind, G => stored.par_iter_mut().try_for_each(|game| game.leave_out::<G>(keys)))?;
        stored.retain(|game| game.positions > 0);
        let left = self.positions(split);
        if before > 0 && left == 0 {
            return Err(refused(format!(
                "all {before} {} positions of the dataset \"{}\" occur in the test set \"{}\": take other games to test on",
                split.name(),
                self.manifest.name,
                test.name
            )));
        }
        Ok(before - left)
    }
}

impl StoredGame {
    /// Leaves out its positions with these keys, which are sorted.
    fn leave_out<G: Game>(&mut self, keys: &[u64]) -> Result<(), DatasetError> {
        let mut used = self.used.clone().unwrap_or_else(|| vec![true; usize::from(self.plies)].into_boxed_slice());
        self.play_through::<G>(|line, _| used[line.plies()] &= keys.binary_search(&line.key()).is_err())?;
        let positions = used.iter().filter(|&&used| used).count() as u32;
        if positions < self.positions {
            (self.used, self.positions) = (Some(used), positions);
        }
        Ok(())
    }
}

/// The keys of the positions of games, sorted.
fn keys<G: Game>(games: &[StoredGame]) -> Result<Vec<u64>, DatasetError> {
    let mut keys = Vec::new();
    for game in games {
        game.play_through::<G>(|line, _| {
            if game.used.as_ref().is_none_or(|used| used[line.plies()]) {
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
