//! What a dataset can teach: which heads it has targets for.

use super::data::DataView;
use dataset::{DatasetError, Manifest, Unit, ValueTarget, store};
use games::maps::MapShape;
use games::{GameKind, GameResult};
use models::Outputs;
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
        let stored_values = store::says(dir, manifest, "value")?;
        Ok(Self {
            // A position is a game of one move.
            moves: manifest.unit == Unit::Game || manifest.policy_from_ply == 0,
            distributions: store::says(dir, manifest, "policy_probs")?,
            results,
            values: if view.value == Some(ValueTarget::Result) { results } else { stored_values },
            stored_values,
        })
    }
}

/// A head without targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lack {
    /// The head's name in `outputs`.
    pub(crate) head: &'static str,
    /// The column that says nothing.
    pub(crate) column: &'static str,
    /// What a dataset that has it has.
    pub(crate) wanted: String,
}

/// The heads that a dataset has no targets for, in the order of [`Outputs::names`].
pub(crate) fn lacks(outputs: &Outputs, manifest: &Manifest, contents: Contents) -> Vec<Lack> {
    let map = |shape| manifest.map.as_ref().is_some_and(|map| map.shape == shape);
    let find = |head| {
        let (there, column, wanted) = match head {
            "policy" => (contents.moves, "moves", "games whose moves are targets (`policy_from_ply`)".to_owned()),
            "soft_policy" => (contents.distributions, "policy_probs", DISTRIBUTIONS.to_owned()),
            "further_policies" => (false, "moves", FURTHER.to_owned()),
            "result" | "result_shares" => (contents.results, "result", "games whose result is known".to_owned()),
            "win_rate" if !contents.results => (false, "result", "games whose result is known".to_owned()),
            "win_rate" => (contents.values, "value", format!("{VALUES}, or write `data: {{value: result}}`")),
            "q" => (contents.values, "value", VALUES.to_owned()),
            "short_term" => (contents.stored_values, "value", VALUES.to_owned()),
            "moves_left" => (manifest.unit == Unit::Game, "plies", "whole games, not single positions".to_owned()),
            "per_square" => (map(MapShape::Squares), "map", format!("a map of squares ({PROBES})")),
            "rights" => (contents.moves && manifest.game == GameKind::Chess, "moves", RIGHTS.to_owned()),
            "pairs" => (map(MapShape::Pairs), "map", format!("a map of pairs of squares ({PROBES})")),
            "board" => (manifest.unit == Unit::Game, "moves", "whole games, not single positions".to_owned()),
            _ => return None,
        };
        (!there).then_some(Lack { head, column, wanted })
    };
    outputs.names().into_iter().filter_map(find).collect()
}

const DISTRIBUTIONS: &str = "distributions over moves, as Lc0's chunks, HCPE3 and engines with MultiPV give (a softened \
    single move is the same move)";
const FURTHER: &str = "a column that teaches them (there is none: only imported networks have further policies)";
const VALUES: &str = "scores or values of positions";
const RIGHTS: &str = "games of chess whose moves are targets (no other game has castling and en passant)";
const PROBES: &str = "`posenc data generate probe` makes some";

/// The same network without these heads.
pub(crate) fn without(mut outputs: Outputs, lacks: &[Lack]) -> Outputs {
    for lack in lacks {
        match lack.head {
            "policy" => outputs.policy = None,
            "soft_policy" => outputs.soft_policy = None,
            "further_policies" => outputs.further_policies.clear(),
            "result" => outputs.result = None,
            "result_shares" => outputs.result_shares = None,
            "win_rate" => outputs.win_rate = None,
            "q" => outputs.q = None,
            "short_term" => outputs.short_term = None,
            "moves_left" => outputs.moves_left = None,
            "per_square" => outputs.per_square = None,
            "pairs" => outputs.pairs = None,
            "board" => outputs.board = None,
            "rights" => outputs.rights = None,
            _ => {}
        }
    }
    outputs
}

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
