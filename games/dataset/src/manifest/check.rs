//! Checks of a manifest by itself, before a shard is opened. Its other fields are compared with the shards when
//! the dataset is loaded.

use super::{FORMAT, Manifest};
use crate::error::DatasetError;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path};

/// The largest slope of a value curve: a hundredth of a pawn decides the game.
const STEEPEST: f64 = 1.0;

/// The most classes that labels of one signed byte can have.
const MOST_CLASSES: u16 = i8::MAX as u16 + 1;

/// Tolerance of the sum of the split's fractions.
const ROUNDING: f64 = 1e-6;

impl Manifest {
    /// Checks format, shard names, numbers and content hash.
    pub(crate) fn check(&self, dir: &Path) -> Result<(), DatasetError> {
        let fault = self.wrong_format().or_else(|| self.wrong_shard()).or_else(|| self.wrong_number());
        match fault.or_else(|| self.wrong_hash()) {
            None => Ok(()),
            Some(fault) => {
                let reason = format!("{fault}: fetch the dataset again, or {}", self.remedy());
                Err(DatasetError::Manifest { dir: dir.to_owned(), reason })
            }
        }
    }

    fn wrong_format(&self) -> Option<String> {
        (self.format != FORMAT).then(|| format!("format {} is not the {FORMAT} that this version reads", self.format))
    }

    fn wrong_shard(&self) -> Option<String> {
        let mut names = BTreeSet::new();
        self.shards.iter().map(|shard| &shard.file).find_map(|file| {
            let mut parts = Path::new(file).components();
            let is_name = matches!(parts.next(), Some(Component::Normal(name)) if name == OsStr::new(file));
            match (is_name, names.insert(file)) {
                (true, true) => None,
                (true, false) => Some(format!("the shard \"{file}\" is listed twice")),
                (false, _) => Some(format!("the shard \"{file}\" is not the name of a file beside it")),
            }
        })
    }

    /// The first number outside its range; NaN is outside of every range.
    fn wrong_number(&self) -> Option<String> {
        let split = &self.split;
        let fractions = [split.fractions.train, split.fractions.validation, split.fractions.test];
        let (share, any) = (0.0..=1.0, f64::MIN..=f64::MAX);
        let (whole, slopes) = (1.0 - ROUNDING..=1.0 + ROUNDING, f64::MIN_POSITIVE..=STEEPEST);
        let numbers = [
            ("split.fractions.train", fractions[0], &share),
            ("split.fractions.validation", fractions[1], &share),
            ("split.fractions.test", fractions[2], &share),
            ("the sum of split.fractions", fractions.iter().sum::<f64>(), &whole),
            ("split.novel_validation_positions", split.novel_validation_positions, &share),
            ("split.novel_test_positions", split.novel_test_positions, &share),
            ("value_curve.per_point", self.value_curve.per_point, &slopes),
            ("filters.min_minutes", self.filters.min_minutes.unwrap_or(0.0), &any),
            ("filters.min_increment", self.filters.min_increment.unwrap_or(0.0), &any),
        ];
        let number = numbers.into_iter().find(|(_, number, range)| !range.contains(number));
        let number = number.map(|(field, number, range)| {
            format!("{field} is {number:?}, expected a number from {:?} to {:?}", range.start(), range.end())
        });
        let classes = self.map.as_ref().map(|map| map.classes);
        number.or_else(|| {
            let classes = classes.filter(|classes| !(1..=MOST_CLASSES).contains(classes))?;
            Some(format!("map.classes is {classes}, expected a number from 1 to {MOST_CLASSES}"))
        })
    }

    fn wrong_hash(&self) -> Option<String> {
        let right = self.hash_of_content();
        if right == self.content_hash {
            return None;
        }
        let mut unseeded = self.clone();
        unseeded.split.seed = 0;
        Some(match unseeded.hash_of_content() == self.content_hash {
            true => format!(
                "content_hash does not cover split.seed, which is {} and decides the positions of evaluations; earlier \
                 versions left it out. If you trust the seed, write `content_hash: {right}` (cells on this dataset get \
                 new names). Otherwise",
                self.split.seed
            ),
            false => "content_hash does not fit the shards".to_owned(),
        })
    }
}
