//! Targets of further heads, computed when a game is read and only if requested.

use super::stored::{GameTargets, StoredGame};
use crate::error::DatasetError;
use crate::value::{ValueTarget, mover, result_for, short_term, short_term_draw};
use games::{Game, GameResult, Position as _, Side, Termination};

/// The targets of batches beside the policy and the outcome. The default is the stored value only, so that loaders of
/// other networks compute no more.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Targets {
    /// The target in [`Batch::value`](super::Batch::value); `None` for the stored value, which may be missing.
    pub value: Option<ValueTarget>,
    /// Whether [`Batch::draw`](super::Batch::draw) is filled, and with `short_term` also
    /// [`Batch::short_term_draw`](super::Batch::short_term_draw).
    pub draw: bool,
    /// The decay per ply of [`Batch::short_term`](super::Batch::short_term), 0…1
    /// ([`SHORT_TERM_DECAY`](crate::value::SHORT_TERM_DECAY) in Lc0); `None` to leave it empty.
    pub short_term: Option<f64>,
    pub plies_left: bool,
    pub points: bool,
    pub rights: bool,
    /// Whether [`Batch::repeats`](super::Batch::repeats) is filled, from the game's history.
    pub repeats: bool,
}

impl Targets {
    /// The columns that these targets need, each with the target's name.
    pub fn columns(&self) -> Vec<(&'static str, &'static str)> {
        let of_value = match self.value {
            Some(ValueTarget::Score) => Some((VALUE, "score")),
            Some(ValueTarget::ShortTerm { .. }) => Some((VALUE, "short_term")),
            Some(ValueTarget::Result) | None => None,
        };
        let of_short_term = self.short_term.map(|_| (VALUE, "short_term"));
        let of_draw = self.draw.then_some((DRAW, "draw"));
        of_value.or(of_short_term).into_iter().chain(of_draw).collect()
    }

    pub fn check(&self) -> Result<(), DatasetError> {
        let of_value = match self.value {
            Some(ValueTarget::ShortTerm { decay }) => Some(decay),
            _ => None,
        };
        match [of_value, self.short_term].into_iter().flatten().find(|decay| !(0.0..=1.0).contains(decay)) {
            Some(decay) => {
                let reason = format!("the decay {decay} does not lie in 0…1; lc0's is 5/6");
                Err(DatasetError::Option { option: "short_term", reason })
            }
            None => Ok(()),
        }
    }

    pub(super) fn of<G: Game>(&self, game: &StoredGame, whole_games: bool) -> GameTargets {
        let value = self.value.filter(|&target| target != ValueTarget::Score);
        let smooth_draw = self.short_term.filter(|_| self.draw);
        GameTargets {
            value: value.map(|target| value_of::<G>(target, game)),
            draw: self.draw.then(|| known(&game.draw, game.plies)),
            short_term: self.short_term.map(|decay| short_term(&game.value, decay).into_boxed_slice()),
            short_term_draw: smooth_draw
                .map(|decay| short_term_draw(&known(&game.draw, game.plies), decay).into_boxed_slice()),
            plies_left: self.plies_left.then_some(whole_games && has_end(game)),
            points: self.points.then(|| value_of::<G>(ValueTarget::Result, game)),
        }
    }
}

const VALUE: &str = "value";
const DRAW: &str = "draw";

/// Each ply's value; NaN if unknown.
fn value_of<G: Game>(target: ValueTarget, game: &StoredGame) -> Box<[f32]> {
    match target {
        ValueTarget::Score => game.value.clone(),
        ValueTarget::Result if !game.mean_result.is_empty() => game.mean_result.clone(),
        ValueTarget::Result => {
            let first = game.start.position::<G>().map_or(Side::First, |position| position.side_to_move());
            (0..usize::from(game.plies)).map(|ply| result_for(game.result, mover(first, ply))).collect()
        }
        ValueTarget::ShortTerm { decay } => short_term(&game.value, decay).into_boxed_slice(),
    }
}

/// A column that a shard may lack.
fn known(column: &[f32], plies: u16) -> Box<[f32]> {
    match column.is_empty() {
        true => std::iter::repeat_n(f32::NAN, plies.into()).collect(),
        false => column.into(),
    }
}

/// Whether the last move ended the game, according to the record.
fn has_end(game: &StoredGame) -> bool {
    game.result != GameResult::Unknown && game.termination != Termination::PlyCap
}

/// The targets of many positions: one entry per position in every requested list; the others are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TargetLists {
    pub(super) draw: Vec<f32>,
    pub(super) short_term: Vec<f32>,
    pub(super) short_term_draw: Vec<f32>,
    pub(super) plies_left: Vec<f32>,
    pub(super) points: Vec<f32>,
}

impl TargetLists {
    /// Adds one ply of a game; `None` for a padding row.
    pub(super) fn push(&mut self, targets: &GameTargets, ply: Option<usize>, plies: u16) {
        let columns = [
            (&mut self.draw, &targets.draw),
            (&mut self.short_term, &targets.short_term),
            (&mut self.short_term_draw, &targets.short_term_draw),
            (&mut self.points, &targets.points),
        ];
        for (list, column) in columns {
            list.extend(column.as_ref().map(|column| ply.map_or(f32::NAN, |ply| column[ply])));
        }
        let left = ply.map_or(f32::NAN, |ply| f32::from(plies) - ply as f32);
        self.plies_left.extend(targets.plies_left.map(|has_end| if has_end { left } else { f32::NAN }));
    }
}
