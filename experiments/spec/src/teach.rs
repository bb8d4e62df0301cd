//! What a dataset can teach: which heads it has targets for.

use super::data::DataView;
use dataset::{DatasetError, Manifest, Unit, ValueTarget, store};
use games::maps::MapShape;
use games::{GameKind, GameResult};
use models::{HeadName, Need, Outputs};
use serde::Deserialize;
use std::path::Path;

/// What to do about heads that the dataset has no targets for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingTargets {
    /// Refuse the experiment.
    #[default]
    Error,
    /// Leave these heads out of the network.
    Skip,
}

/// What a dataset has targets for, beside its map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Moves that the policy may learn.
    moves: bool,
    /// Distributions over moves.
    distributions: bool,
    /// Known results.
    results: bool,
    /// What a position's value is made of, for the reward and for its average over the plies to come.
    values: bool,
    stored_values: bool,
}

impl Contents {
    /// Looks at the manifest and at the footers of the shards.
    ///
    /// # Errors
    /// If a shard cannot be read.
    pub(crate) fn of(dir: &Path, manifest: &Manifest, view: &DataView) -> Result<Self, DatasetError> {
        let unknown = GameResult::Unknown.name();
        let results = manifest.counts.results.iter().any(|(result, &games)| result != unknown && games > 0);
        let stored_values = store::has_values(dir, manifest, "value")?;
        Ok(Self {
            // A position is a game of one move.
            moves: manifest.unit == Unit::Game || manifest.policy_from_ply == 0,
            distributions: store::has_values(dir, manifest, "policy_probs")?,
            results,
            values: if view.value == Some(ValueTarget::Result) { results } else { stored_values },
            stored_values,
        })
    }
}

/// A head without targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lack {
    /// The head.
    pub(crate) head: HeadName,
    /// The column that is empty.
    pub(crate) column: &'static str,
    /// What a dataset that has it has.
    pub(crate) wanted: &'static str,
}

/// The heads that a dataset has no targets for, in the order of [`HeadName`].
pub(crate) fn lacks(outputs: &Outputs, manifest: &Manifest, contents: Contents) -> Vec<Lack> {
    let missing = |head: &HeadName| {
        let mut needs = head.declaration().needs.iter().map(|&need| has(need, manifest, contents));
        needs.find(|(there, ..)| !there)
    };
    let lack = |head| missing(&head).map(|(_, column, wanted)| Lack { head, column, wanted });
    outputs.heads().into_iter().filter_map(lack).collect()
}

/// Whether a dataset has what a head needs, in which column it would be, and what a dataset that has it has.
fn has(need: Need, manifest: &Manifest, contents: Contents) -> (bool, &'static str, &'static str) {
    let map = |shape| manifest.map.as_ref().is_some_and(|map| map.shape == shape);
    let whole_games = manifest.unit == Unit::Game;
    match need {
        Need::Moves => (contents.moves, "moves", "games whose moves are targets (`policy_from_ply`)"),
        Need::Distributions => (contents.distributions, "policy_probs", DISTRIBUTIONS),
        Need::Results => (contents.results, "result", "games whose result is known"),
        Need::Values => (contents.values, "value", VALUES),
        Need::StoredValues => (contents.stored_values, "value", "scores or values of positions"),
        Need::Ends => (whole_games, "plies", "whole games, not single positions"),
        Need::Boards => (whole_games, "moves", "whole games, not single positions"),
        Need::SquareMap => {
            (map(MapShape::Squares), "map", "a map of squares (`posenc data generate probe` makes some)")
        }
        Need::PairMap => {
            (map(MapShape::Pairs), "map", "a map of pairs of squares (`posenc data generate probe` makes some)")
        }
        Need::Rights => (contents.moves && manifest.game == GameKind::Chess, "moves", RIGHTS),
        Need::Teacher => (false, "moves", TEACHER),
    }
}

const DISTRIBUTIONS: &str = "distributions over moves, as Lc0's chunks, HCPE3 and engines with MultiPV give (a softened \
    single move is the same move)";
const VALUES: &str = "scores or values of positions, or write `data: {value: result}`";
const RIGHTS: &str = "games of chess whose moves are targets (no other game has castling and en passant)";
const TEACHER: &str = "a column that teaches them (there is none: only imported networks have further policies)";

/// Why a map head does not fit the dataset's map, if it does not.
pub(crate) fn wrong_classes(outputs: &Outputs, manifest: &Manifest) -> Option<String> {
    let map = manifest.map.as_ref()?;
    let found = usize::from(map.classes);
    let asked = match map.shape {
        MapShape::Squares => outputs.per_square?.classes,
        MapShape::Pairs => outputs.pairs.map(|_| 2)?,
    };
    let what = match map.shape {
        MapShape::Squares => format!("write `per_square: {{classes: {found}}}`"),
        MapShape::Pairs => "the pairs head knows yes and no only: take a map of squares, or another task".to_owned(),
    };
    (asked != found)
        .then(|| format!("the map `{}` of {} has {found} classes, not {asked}; {what}", map.task, manifest.name))
}
