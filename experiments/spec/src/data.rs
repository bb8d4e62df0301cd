//! `data`: which dataset a game's rows learn from, and what of it.
//!
//! ```yaml
//! data: data/chess                                                  # one game: a folder
//! data: {path: data/chess, bucket: 2000-2500}                       # a part of it
//! data: {chess: data/chess, shogi: {path: data/shogi, value: short_term}}
//! ```

use dataset::ValueTarget;
use dataset::value::SHORT_TERM_DECAY;
use games::GameKind;
use serde::Serialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
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
}

/// A dataset as an experiment names it.
#[derive(Debug, Clone, PartialEq)]
pub struct DataEntry {
    /// Its folder, relative to the experiment file.
    pub path: PathBuf,
    /// What of it is taken.
    pub view: DataView,
}

/// The datasets of an experiment, as written.
#[derive(Debug, Clone, PartialEq)]
pub enum DataFolders {
    /// One, in an experiment with one game.
    One(DataEntry),
    /// One for each game.
    PerGame(BTreeMap<GameKind, DataEntry>),
}

impl DataFolders {
    /// A game's dataset; `None` if a map does not name the game.
    #[must_use]
    pub fn of(&self, game: GameKind) -> Option<&DataEntry> {
        match self {
            Self::One(entry) => Some(entry),
            Self::PerGame(entries) => entries.get(&game),
        }
    }
}

impl DataFolders {
    /// The folders of all datasets, to be changed.
    pub(super) fn paths_mut(&mut self) -> Box<dyn Iterator<Item = &mut PathBuf> + '_> {
        match self {
            Self::One(entry) => Box::new(std::iter::once(&mut entry.path)),
            Self::PerGame(entries) => Box::new(entries.values_mut().map(|entry| &mut entry.path)),
        }
    }
}

/// The keys of `data`: of one dataset, or the games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    Chess,
    Shogi,
    Path,
    Bucket,
    Value,
}

impl Key {
    const fn game(self) -> Option<GameKind> {
        match self {
            Self::Chess => Some(GameKind::Chess),
            Self::Shogi => Some(GameKind::Shogi),
            Self::Path | Self::Bucket | Self::Value => None,
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
        f.write_str("a dataset's folder, a map {path, bucket, value}, or a map of games to these")
    }

    fn visit_str<E: Error>(self, folder: &str) -> Result<DataFolders, E> {
        FolderOrView.visit_str(folder).map(DataFolders::One)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<DataFolders, M::Error> {
        let mut games = BTreeMap::new();
        let mut own = Parts::default();
        while let Some(key) = map.next_key::<Key>()? {
            match key.game() {
                Some(game) if games.insert(game, map.next_value::<DataEntry>()?).is_some() => {
                    return Err(M::Error::custom(format!("duplicate field `{}`", game.name())));
                }
                Some(_) => {}
                None => own.read(key, &mut map)?,
            }
        }
        match (games.is_empty(), own.is_empty()) {
            (false, true) => Ok(DataFolders::PerGame(games)),
            (true, _) => own.entry().map(DataFolders::One),
            (false, false) => Err(M::Error::custom(
                "`data` names games and keys of one dataset beside each other: write these inside each game, as in \
                 {chess: {path: data/chess, value: result}}",
            )),
        }
    }
}

impl<'de> Deserialize<'de> for DataEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FolderOrView)
    }
}

struct FolderOrView;

impl<'de> Visitor<'de> for FolderOrView {
    type Value = DataEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dataset's folder, or a map {path, bucket, value}")
    }

    fn visit_str<E: Error>(self, folder: &str) -> Result<DataEntry, E> {
        Ok(DataEntry { path: PathBuf::from(folder), view: DataView::default() })
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<DataEntry, M::Error> {
        let mut own = Parts::default();
        while let Some(key) = map.next_key::<OwnKey>()? {
            own.read(key.into(), &mut map)?;
        }
        own.entry()
    }
}

/// The keys of one dataset.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum OwnKey {
    Path,
    Bucket,
    Value,
}

impl From<OwnKey> for Key {
    fn from(key: OwnKey) -> Self {
        match key {
            OwnKey::Path => Self::Path,
            OwnKey::Bucket => Self::Bucket,
            OwnKey::Value => Self::Value,
        }
    }
}

/// The map of one dataset, while it is read.
#[derive(Default)]
struct Parts {
    path: Option<PathBuf>,
    bucket: Option<Names>,
    value: Option<ValueChoice>,
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.path.is_none() && self.bucket.is_none() && self.value.is_none()
    }

    fn read<'de, M: MapAccess<'de>>(&mut self, key: Key, map: &mut M) -> Result<(), M::Error> {
        let (name, twice) = match key {
            Key::Path => ("path", self.path.replace(map.next_value()?).is_some()),
            Key::Bucket => ("bucket", self.bucket.replace(map.next_value()?).is_some()),
            Key::Value => ("value", self.value.replace(map.next_value()?).is_some()),
            Key::Chess | Key::Shogi => ("game", map.next_value::<IgnoredAny>().map(|_| false)?),
        };
        if twice { Err(M::Error::custom(format!("duplicate field `{name}`"))) } else { Ok(()) }
    }

    fn entry<E: Error>(self) -> Result<DataEntry, E> {
        let path = self.path.ok_or_else(|| E::missing_field("path"))?;
        let bucket = self.bucket.map_or_else(Vec::new, |names| names.0);
        Ok(DataEntry { path, view: DataView { bucket, value: self.value.map(|choice| choice.0) } })
    }
}

/// One name or a list of names, for a field that is a list.
pub(super) fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Names::deserialize(deserializer).map(|names| names.0)
}

/// One name or a list of names.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrList)
    }
}

struct NameOrList;

impl<'de> Visitor<'de> for NameOrList {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a rating bucket, or a list of names")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Names, E> {
        Ok(Names(vec![name.to_owned()]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<Names, S::Error> {
        let names = Vec::<String>::deserialize(SeqAccessDeserializer::new(seq))?;
        match names.is_empty() {
            true => Err(S::Error::custom("an empty list names no rating bucket; leave `bucket` out for all games")),
            false => Ok(Names(names)),
        }
    }
}

/// A value target: its name, or a map of the name to options.
struct ValueChoice(ValueTarget);

impl<'de> Deserialize<'de> for ValueChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TargetOrMap)
    }
}

struct TargetOrMap;

impl<'de> Visitor<'de> for TargetOrMap {
    type Value = ValueChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("score, result, short_term or {short_term: {decay: …}}")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<ValueChoice, E> {
        let short_term = ValueTarget::ShortTerm { decay: SHORT_TERM_DECAY };
        if name == "short_term" {
            return Ok(ValueChoice(short_term));
        }
        ValueTarget::deserialize(StrDeserializer::new(name)).map(ValueChoice)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<ValueChoice, M::Error> {
        ValueTarget::deserialize(MapAccessDeserializer::new(map)).map(ValueChoice)
    }
}
