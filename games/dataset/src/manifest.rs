//! The manifest of a dataset: the content of `dataset.yaml`.

mod check;

use crate::filter::Filters;
use crate::split::{PerSplit, Split, SplitBy};
use crate::value::ValueCurve;
use games::chess::lc0::ValueSource;
use games::map_labels::{MapShape, MapTask};
use games::{GameKind, with_game};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU16;

/// The manifest's file name in a dataset's folder.
pub const MANIFEST_FILE: &str = "dataset.yaml";

/// The format version of columns and their meaning.
pub const FORMAT: u32 = 1;

/// The number of rows of a split below which they are shuffled one by one, in the order of posenc 0.1. The identity of
/// larger datasets has the version of their order, see [`Manifest::identity`]. The largest published dataset, of study 7, has
/// 4.2 million rows.
pub const EXACT_BELOW: u64 = 5_000_000;

/// The version of the order of large splits: the number of rows that stay together, and how blocks are made of them.
const LARGE_ORDER: &str = "groups1";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: u32,
    pub name: String,
    pub game: GameKind,
    #[serde(default, skip_serializing_if = "Unit::is_game")]
    pub unit: Unit,
    pub source: String,
    pub licence: String,
    pub made_by: String,
    pub filters: Filters,
    /// Moves before this ply (counted from 0) are not policy targets: they came from a book or were random.
    pub policy_from_ply: u16,
    pub value_curve: ValueCurve,
    /// Which value of Lc0's chunks was used; `None` without such chunks, or if sources differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_source: Option<ValueSource>,
    pub counts: Counts,
    /// The named subsets by average rating, from the lowest up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rating_buckets: Vec<RatingBucket>,
    /// The map of each position, in datasets whose label is a map of the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapInfo>,
    /// How positions were taken from random games, in generated datasets of several positions a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
    pub split: SplitSummary,
    pub shards: Vec<Shard>,
    /// A hash of the content, equal for equal datasets: see [`Manifest::hash_of_content`].
    pub content_hash: String,
}

impl Manifest {
    /// How to reproduce the dataset, for the end of an error message: the command that made it, if the manifest has it.
    /// The text warns that the command comes from whoever wrote the manifest.
    pub fn remedy(&self) -> String {
        let command = self.command();
        match command.starts_with("posenc ") {
            true => format!(
                "make the dataset again; its dataset.yaml names this command, written by whoever made the dataset, so \
                 read it before you run it: `{command}`"
            ),
            false => "make the dataset again".to_owned(),
        }
    }

    /// The text of `made_by` without control characters, also those that reverse the direction of a text.
    pub fn command(&self) -> String {
        let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        self.made_by.chars().filter(|&c| !c.is_control() && !turns(c)).collect()
    }

    /// The content hash that belongs to the manifest: over the game, the shards' hashes, and the fields that decide
    /// numbers but cannot be compared with the shards, where they are not at their default. Those are the split's seed,
    /// which orders the games of evaluations, and the slope of the value curve.
    pub fn hash_of_content(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("posenc 2026 dataset content v1");
        hasher.update(self.game.name().as_bytes());
        for shard in &self.shards {
            hasher.update(b"\n");
            hasher.update(shard.blake3.as_bytes());
        }
        if self.split.seed != 0 {
            hasher.update(format!("\nsplit.seed {}", self.split.seed).as_bytes());
        }
        let slope = self.value_curve.per_point;
        if slope != ValueCurve::of(self.game).per_point {
            hasher.update(format!("\nvalue_curve.per_point {slope:e}").as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// What decides the batches of a dataset: its content hash, and the version of the order in which large splits are
    /// shuffled (see [`EXACT_BELOW`]). Smaller datasets have the order that every version of posenc gives them.
    pub fn identity(&self) -> String {
        let is_large = Split::ALL.iter().any(|&split| self.split.games[split] >= EXACT_BELOW);
        if is_large { format!("{}-{LARGE_ORDER}", self.content_hash) } else { self.content_hash.clone() }
    }

    /// The manifest with the content hash that belongs to it.
    pub fn sealed(self) -> Self {
        Self { content_hash: self.hash_of_content(), ..self }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A game, whose positions have a history.
    #[default]
    Game,
    /// A single position: a row of one ply. Games are unknown, so inputs with history are refused and intervals are
    /// unclustered, unless random games give several (`sampled`).
    Position,
}

impl Unit {
    fn is_game(&self) -> bool {
        *self == Self::Game
    }
}

/// The counts of an import: `read = kept + rejected + duplicates + all of filtered_games`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    pub read: u64,
    pub kept: u64,
    /// Games with the same start and moves as an earlier one.
    pub duplicates: u64,
    pub rejected: u64,
    pub rejected_by_kind: BTreeMap<String, u64>,
    /// Excluded games, by the first filter that they failed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub filtered_games: BTreeMap<String, u64>,
    /// Used positions of the games kept: one per played move, minus the filtered ones.
    pub positions: u64,
    /// Excluded positions of the games kept, by the first filter that they failed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub filtered_positions: BTreeMap<String, u64>,
    pub results: BTreeMap<String, u64>,
    pub terminations: BTreeMap<String, u64>,
    /// Labelled cells of the maps by class, in the order of the classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub map_classes: Vec<u64>,
}

/// The map of a position: a label for each square or each pair of squares, in the frame of the side to move (see
/// [`games::map_labels`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapInfo {
    pub task: String,
    /// The number of classes: labels are 0 to `classes − 1`, or −1 without a label.
    pub classes: u16,
    pub shape: MapShape,
    /// The classes' names; empty if the classes are numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl MapInfo {
    /// That of a task in a game.
    pub fn of(task: MapTask, game: GameKind) -> Self {
        Self {
            task: task.name().to_owned(),
            classes: with_game!(game, G => task.classes::<G>()),
            shape: task.shape(),
            names: task.class_names().iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// The classes' names or numbers, with the number of cells of each.
    pub fn counted(&self, cells: &[u64]) -> Vec<(String, u64)> {
        let name = |class: usize| self.names.get(class).cloned().unwrap_or_else(|| class.to_string());
        (0..self.classes.into()).map(|class| (name(class), cells.get(class).copied().unwrap_or(0))).collect()
    }
}

/// Positions of random games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampled {
    /// Plies between the positions of a game.
    pub every: NonZeroU16,
    /// The games that gave a position.
    pub games: u64,
}

/// A named subset: the games whose players' average rating lies in a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingBucket {
    pub name: String,
    pub games: u64,
}

/// The split: options and result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitSummary {
    pub by: SplitBy,
    /// Plies of an opening, if games are split by opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening_plies: Option<u16>,
    /// The seed of the assignment, and of the order of games in evaluations.
    pub seed: u64,
    pub fractions: PerSplit<f64>,
    pub games: PerSplit<u64>,
    pub positions: PerSplit<u64>,
    /// The share of validation positions that occur in no training game.
    pub novel_validation_positions: f64,
    /// The share of test positions that occur in no training game.
    pub novel_test_positions: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    pub file: String,
    pub games: u64,
    /// Positions in it, used or not.
    pub positions: u64,
    pub bytes: u64,
    /// Its BLAKE3 hash, in hex.
    pub blake3: String,
}

/// The dataset of the test games, and what left training for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestSet {
    pub name: String,
    pub content_hash: String,
    /// Training positions that occur in the test games; they are left out.
    pub left_out_of_train: u64,
    /// Validation positions that occur in the test games; they are left out.
    pub left_out_of_validation: u64,
}

/// What identifies the data of a cell: the content hash of the dataset, and that of its test set.
pub fn content(train: &str, test: Option<&str>) -> String {
    test.map_or_else(|| train.to_owned(), |test| format!("{train}, test {test}"))
}
