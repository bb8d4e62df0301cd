//! `data`: which dataset a game's rows learn from, and what of it.
//!
//! ```yaml
//! data: data/chess                                                  # one game: a folder
//! data: {path: data/chess, bucket: 2000-2500}                       # a part of it
//! data: {path: data/chess, map: attacked-squares}                   # with labels of every position for a second head
//! data: {train: data/chess, test: data/lichess}                      # a test set of its own
//! data: {generate: {probe: attacked-squares, game: chess, seed: 1}}  # positions without end
//! data: {chess: data/chess, shogi: {path: data/shogi, value: short_term}}
//! ```

use crate::yaml::visitors::{one_or_list, read_by, reads};
use dataset::value::SHORT_TERM_DECAY;
use dataset::{DatasetError, ValueTarget};
use games::GameKind;
use games::map_labels::MapTask;
use generate::probe::{EndlessProbe, LICENCE, Task};
use serde::Serialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::PathBuf;

/// What a run takes of its dataset.
#[derive(Debug, Clone, Default, PartialEq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataView {
    /// The rating buckets whose games it takes, from the lowest up; all games if empty.
    #[serde(default)]
    pub bucket: Vec<String>,
    /// What the value of a position is; the stored one by default.
    #[serde(default)]
    pub value: Option<ValueTarget>,
    /// A map whose labels are computed from every position; `None` for the dataset's own map, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapTask>,
}

/// A source of positions without end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generate {
    /// The task, by its name in `posenc data generate probe`.
    pub probe: String,
    pub game: GameKind,
    #[serde(default)]
    pub seed: u64,
    /// A position of a random game every N plies; one position of a game if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<NonZeroU16>,
}

impl Generate {
    /// The generator. An error if there is no such task, or its positions have an end.
    pub fn probe(&self) -> Result<EndlessProbe, DatasetError> {
        let task = Task::of_games().into_iter().find(|task| task.name() == self.probe).ok_or_else(|| {
            let known: Vec<&str> = Task::of_games().into_iter().map(Task::name).collect();
            let reason = format!("there is no \"{}\" without end; there are {}", self.probe, known.join(", "));
            DatasetError::Option { option: "probe", reason }
        })?;
        let probe = EndlessProbe { task, game: self.game, seed: self.seed, every: self.every };
        probe.check()?;
        Ok(probe)
    }

    pub fn licence(&self) -> &'static str {
        LICENCE
    }
}

/// A dataset as an experiment names it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataEntry {
    /// Its folder, relative to the file that names it; empty if its positions are generated.
    pub path: PathBuf,
    /// Where its positions come from if they are made while a network trains.
    pub generate: Option<Generate>,
    /// The dataset of the test games, if it is another one.
    pub test: Option<PathBuf>,
    /// What of it is taken.
    pub view: DataView,
}

/// The datasets of an experiment, as written.
#[derive(Debug, Clone, PartialEq)]
pub enum DataFolders {
    /// One, in an experiment with one game.
    One(DataEntry),
    PerGame(BTreeMap<GameKind, DataEntry>),
}

impl DataFolders {
    /// A game's dataset; `None` if a map does not name the game.
    pub fn of(&self, game: GameKind) -> Option<&DataEntry> {
        match self {
            Self::One(entry) => Some(entry),
            Self::PerGame(entries) => entries.get(&game),
        }
    }
}

/// The map of one dataset, or of one to train on and one to test on, beside those of named games.
macro_rules! dataset_map {
    ($name:ident: $($game:ident)*) => {
        #[derive(Default, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $name {
            $($game: Option<DataEntry>,)*
            path: Option<PathBuf>,
            train: Option<PathBuf>,
            test: Option<PathBuf>,
            generate: Option<Generate>,
            #[serde(default, deserialize_with = "names")]
            bucket: Vec<String>,
            value: Option<ValueChoice>,
            map: Option<MapTask>,
        }
    };
}

dataset_map! { OneDataset: }

impl OneDataset {
    fn entry<E: Error>(mut self) -> Result<DataEntry, E> {
        if let Some(generate) = self.generate.take() {
            return match self == Self::default() {
                true => Ok(DataEntry { generate: Some(generate), ..DataEntry::default() }),
                false => Err(E::custom("`generate` makes all positions: leave the keys beside it out")),
            };
        }
        let Self { path, train, test, bucket, value, map, .. } = self;
        let (path, test) = match (path, train, test) {
            (Some(path), None, None) => (path, None),
            (None, Some(train), Some(test)) => (train, Some(test)),
            (None, Some(_), None) => return Err(E::missing_field("test")),
            (None, None, Some(_)) => return Err(E::missing_field("train")),
            (None, None, None) => return Err(E::missing_field("path")),
            (Some(_), ..) => {
                return Err(E::custom(
                    "`path` is one dataset with all its splits: write either `path`, or `train` and `test`",
                ));
            }
        };
        let view = DataView { bucket, value: value.map(|choice| choice.0), map };
        Ok(DataEntry { path, generate: None, test, view })
    }
}

macro_rules! datasets {
    ([$(($variant:ident $game:ident $type:ident))+]) => {
        dataset_map! { Datasets: $($game)+ }

        impl Datasets {
            /// The datasets of named games, and the one without a name.
            fn split(self) -> (BTreeMap<GameKind, DataEntry>, OneDataset) {
                let Self { $($game,)+ path, train, test, generate, bucket, value, map } = self;
                let games = [$((GameKind::$variant, $game)),+];
                let games = games.into_iter().filter_map(|(game, entry)| Some((game, entry?))).collect();
                (games, OneDataset { path, train, test, generate, bucket, value, map })
            }
        }
    };
}

games::for_games! { [datasets] }

read_by! { FolderOrMap => DataFolders }

impl<'de> Visitor<'de> for FolderOrMap {
    reads! { DataFolders, "a dataset's folder, a map {path, bucket, value, map}, {train, test, bucket, value, map} or {generate}, or a map of games to these" }

    fn visit_str<E: Error>(self, folder: &str) -> Result<DataFolders, E> {
        FolderOrView.visit_str(folder).map(DataFolders::One)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<DataFolders, M::Error> {
        let (games, one) = Datasets::deserialize(MapAccessDeserializer::new(map))?.split();
        match (games.is_empty(), one == OneDataset::default()) {
            (true, _) => one.entry().map(DataFolders::One),
            (false, true) => Ok(DataFolders::PerGame(games)),
            (false, false) => Err(M::Error::custom(
                "`data` names games and keys of one dataset beside each other: write these inside each game, as in \
                 {chess: {path: data/chess, value: result}}",
            )),
        }
    }
}

read_by! { FolderOrView => DataEntry }

impl<'de> Visitor<'de> for FolderOrView {
    reads! { DataEntry, "a dataset's folder, or a map {path, bucket, value, map}, {train, test, bucket, value, map} or {generate}" }

    fn visit_str<E: Error>(self, folder: &str) -> Result<DataEntry, E> {
        Ok(DataEntry { path: PathBuf::from(folder), ..DataEntry::default() })
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<DataEntry, M::Error> {
        OneDataset::deserialize(MapAccessDeserializer::new(map))?.entry()
    }
}

pub(crate) fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    one_or_list("the name of a rating bucket, or a list of names; none for all games", deserializer)
}

/// A value target: its name, or a map of the name to options.
#[derive(PartialEq)]
struct ValueChoice(ValueTarget);

read_by! { TargetOrMap => ValueChoice }

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WithOptions {
    short_term: ShortTerm,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ShortTerm {
    decay: f64,
}

impl<'de> Visitor<'de> for TargetOrMap {
    reads! { ValueChoice, "score, result, short_term or {short_term: {decay: …}}" }

    fn visit_str<E: Error>(self, name: &str) -> Result<ValueChoice, E> {
        let short_term = ValueTarget::ShortTerm { decay: SHORT_TERM_DECAY };
        if name == "short_term" {
            return Ok(ValueChoice(short_term));
        }
        ValueTarget::deserialize(StrDeserializer::new(name)).map(ValueChoice)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<ValueChoice, M::Error> {
        let WithOptions { short_term } = WithOptions::deserialize(MapAccessDeserializer::new(map))?;
        Ok(ValueChoice(ValueTarget::ShortTerm { decay: short_term.decay }))
    }
}
