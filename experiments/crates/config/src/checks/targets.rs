//! The heads that a dataset has targets for.

use crate::settings::data::DataView;
use dataset::{DatasetError, Manifest, Unit, ValueTarget, store};
use games::map_labels::MapShape;
use games::{GameResult, with_game};
use models::{HeadDeclaration, HeadName, Need, Outputs};
use serde::Deserialize;
use std::path::Path;

/// What to do with heads that the dataset has no targets for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnMissingTargets {
    #[default]
    Error,
    /// Leave these heads out of the network.
    Skip,
}

/// The targets of a dataset, other than its map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Moves that are targets of the policy.
    moves: bool,
    distributions: bool,
    results: bool,
    /// Values of positions, as the view defines them.
    values: bool,
    /// Values of positions in the column `value`.
    stored_values: bool,
    draws: bool,
}

impl Contents {
    /// The labels of generated positions: a map, or moves and perhaps results.
    pub(crate) fn generated(manifest: &Manifest) -> Self {
        let moves = manifest.map.is_none();
        let results = manifest.counts.results.keys().any(|result| result != GameResult::Unknown.name());
        Self { moves, distributions: moves, results, values: results, stored_values: results, draws: false }
    }

    /// Reads the manifest and the footers of the shards.
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
            draws: store::has_values(dir, manifest, "draw")?,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingTarget {
    pub(crate) head: HeadName,
    pub(crate) column: &'static str,
    /// The content of a dataset with this target.
    pub(crate) wanted: &'static str,
}

/// The heads that a dataset has no targets for, in the order of [`HeadName`].
pub(crate) fn missing(outputs: &Outputs, manifest: &Manifest, contents: Contents) -> Vec<MissingTarget> {
    let of_head = |head: HeadName| {
        let mut needs = HeadDeclaration::of(head).needs.iter().map(|&need| has(need, manifest, contents));
        needs.find(|(there, ..)| !there).map(|(_, column, wanted)| MissingTarget { head, column, wanted })
    };
    outputs.heads().into_iter().filter_map(of_head).collect()
}

/// Those of some heads that a dataset in `dir` has targets for.
pub fn heads_with_targets(heads: &[HeadName], dir: &Path, manifest: &Manifest) -> Result<Vec<HeadName>, DatasetError> {
    let contents = Contents::of(dir, manifest, &DataView::default())?;
    let is_taught =
        |head: &HeadName| HeadDeclaration::of(*head).needs.iter().all(|&need| has(need, manifest, contents).0);
    Ok(heads.iter().copied().filter(is_taught).collect())
}

/// Whether a dataset has the target of a head, the column of the target, and the content of a dataset with it.
fn has(need: Need, manifest: &Manifest, contents: Contents) -> (bool, &'static str, &'static str) {
    let map = |shape| manifest.map.as_ref().is_some_and(|map| map.shape == shape);
    let whole_games = manifest.unit == Unit::Game;
    match need {
        Need::Moves => (contents.moves, "moves", "games whose moves are targets (`policy_from_ply`)"),
        Need::Distributions => (contents.distributions, "policy_probs", DISTRIBUTIONS),
        Need::Results => (contents.results, "result", "games whose result is known"),
        Need::Values => (contents.values, "value", VALUES),
        Need::Draws => (contents.draws, "draw", "probabilities of a draw, as Lc0's chunks have"),
        Need::StoredValues => (contents.stored_values, "value", "scores or values of positions"),
        Need::Ends => (whole_games, "plies", "whole games, not single positions"),
        Need::Boards => (whole_games, "moves", "whole games, not single positions"),
        Need::SquareMap => {
            (map(MapShape::Squares), "map", "a map of squares (`data: {path: …, map: attacked-squares}` computes one)")
        }
        Need::PairMap => {
            (map(MapShape::Pairs), "map", "a map of pairs of squares (`data: {path: …, map: attackers}` computes one)")
        }
        Need::Rights => (contents.moves && with_game!(manifest.game, G => G::HAS_RIGHTS), "moves", RIGHTS),
        Need::Teacher => (false, "moves", TEACHER),
    }
}

const DISTRIBUTIONS: &str = "distributions over moves, as Lc0's chunks, HCPE3 and engines with MultiPV give (a softened \
    single move is the same move)";
const VALUES: &str = "scores or values of positions, or write `data: {value: result}`";
const RIGHTS: &str = "games of chess whose moves are targets (no other game has castling and en passant)";
const TEACHER: &str = "a column that teaches them (there is none: only imported networks have further policies)";

/// The reason why a map head does not fit the dataset's map, if it does not.
pub(crate) fn wrong_classes(outputs: &Outputs, manifest: &Manifest) -> Option<String> {
    let map = manifest.map.as_ref()?;
    let found = usize::from(map.classes);
    let expected = match map.shape {
        MapShape::Squares => outputs.per_square?.classes,
        MapShape::Pairs => outputs.pairs.map(|_| 2)?,
    };
    let what = match map.shape {
        MapShape::Squares => format!("write `per_square: {{classes: {found}}}`"),
        MapShape::Pairs => "the pairs head has two classes only: take a map of squares, or another task".to_owned(),
    };
    (expected != found)
        .then(|| format!("the map `{}` of {} has {found} classes, not {expected}; {what}", map.task, manifest.name))
}
