//! Values that an experiment may write in more than one way.
//!
//! They read straight from the document, without a buffer in between, so that errors keep their line and column.

use encodings::EncodingConfig;
use games::GameKind;
use models::{OptimizerConfig, Schedule};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The encodings of one network: `shaw`, `{rope: {…}}`, or a list of such.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingStack(pub Vec<EncodingConfig>);

impl<'de> Deserialize<'de> for EncodingStack {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrList)
    }
}

struct OneOrList;

impl<'de> Visitor<'de> for OneOrList {
    type Value = EncodingStack;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an encoding or a list of encodings")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<EncodingStack, E> {
        EncodingConfig::deserialize(StrDeserializer::new(name)).map(|one| EncodingStack(vec![one]))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<EncodingStack, M::Error> {
        EncodingConfig::deserialize(MapAccessDeserializer::new(map)).map(|one| EncodingStack(vec![one]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<EncodingStack, S::Error> {
        let list = Vec::<EncodingConfig>::deserialize(SeqAccessDeserializer::new(seq))?;
        if list.is_empty() {
            return Err(S::Error::custom("an empty list names no encoding; write `none` for no position at all"));
        }
        Ok(EncodingStack(list))
    }
}

/// An optimiser: its name (all options at their defaults), or a map of the name to options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptimizerChoice(pub OptimizerConfig);

impl<'de> Deserialize<'de> for OptimizerChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OptimizerNameOrMap)
    }
}

struct OptimizerNameOrMap;

impl<'de> Visitor<'de> for OptimizerNameOrMap {
    type Value = OptimizerChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an optimizer, or a map of it to its options")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<OptimizerChoice, E> {
        let defaults = serde_json::json!({ name: {} });
        OptimizerConfig::deserialize(defaults).map(OptimizerChoice).map_err(E::custom)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<OptimizerChoice, M::Error> {
        OptimizerConfig::deserialize(MapAccessDeserializer::new(map)).map(OptimizerChoice)
    }
}

/// A learning rate: a number for a constant one, or a map with warm-up, values and boundaries.
#[derive(Debug, Clone, PartialEq)]
pub struct RateChoice(pub Schedule);

impl<'de> Deserialize<'de> for RateChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RateOrMap)
    }
}

struct RateOrMap;

impl<'de> Visitor<'de> for RateOrMap {
    type Value = RateChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a learning rate, or a map {warmup, values, boundaries}")
    }

    fn visit_f64<E: Error>(self, rate: f64) -> Result<RateChoice, E> {
        Schedule::new(0, vec![rate], Vec::new()).map(RateChoice).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, rate: u64) -> Result<RateChoice, E> {
        self.visit_f64(rate as f64)
    }

    fn visit_i64<E: Error>(self, rate: i64) -> Result<RateChoice, E> {
        self.visit_f64(rate as f64)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<RateChoice, M::Error> {
        Schedule::deserialize(MapAccessDeserializer::new(map)).map(RateChoice)
    }
}

/// Where the datasets lie, as written: relative to the experiment file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataFolders {
    /// One folder, in an experiment with one game.
    One(PathBuf),
    /// A folder per game.
    PerGame(BTreeMap<GameKind, PathBuf>),
}

impl DataFolders {
    /// The folder of a game's dataset; `None` if a map does not name the game.
    #[must_use]
    pub fn of(&self, game: GameKind) -> Option<&PathBuf> {
        match self {
            Self::One(folder) => Some(folder),
            Self::PerGame(folders) => folders.get(&game),
        }
    }
}

impl<'de> Deserialize<'de> for DataFolders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FolderOrMap)
    }
}

struct FolderOrMap;

impl<'de> Visitor<'de> for FolderOrMap {
    type Value = DataFolders;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dataset's folder, or a map of games to folders")
    }

    fn visit_str<E: Error>(self, folder: &str) -> Result<DataFolders, E> {
        Ok(DataFolders::One(PathBuf::from(folder)))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<DataFolders, M::Error> {
        let mut folders = BTreeMap::new();
        while let Some(game) = map.next_key::<GameKind>()? {
            if folders.insert(game, map.next_value::<PathBuf>()?).is_some() {
                return Err(M::Error::custom(format!("duplicate field `{}`", game.name())));
            }
        }
        Ok(DataFolders::PerGame(folders))
    }
}

/// The step at which the primary metric is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAt {
    /// After the last step, on the test positions.
    Last,
    /// After this step, on the validation positions.
    Step(u64),
}

impl<'de> Deserialize<'de> for ReadAt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StepOrLast)
    }
}

struct StepOrLast;

impl Visitor<'_> for StepOrLast {
    type Value = ReadAt;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`last` or the number of a step")
    }

    fn visit_u64<E: Error>(self, step: u64) -> Result<ReadAt, E> {
        Ok(ReadAt::Step(step))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<ReadAt, E> {
        match word {
            "last" => Ok(ReadAt::Last),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
        }
    }
}
