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
        let draw = self.draw.then(|| known(&game.draw, game.plies));
        let smooth_draw = draw.as_ref().zip(self.short_term);
        let smooth_draw = smooth_draw.map(|(draw, decay)| short_term_draw(draw, decay).into_boxed_slice());
        let further = [
            draw,
            self.short_term.map(|decay| short_term(&game.value, decay).into_boxed_slice()),
            smooth_draw,
            self.plies_left.then(|| plies_left(game, whole_games)),
            self.points.then(|| value_of::<G>(ValueTarget::Result, game)),
        ];
        GameTargets { value: value.map(|target| value_of::<G>(target, game)), further }
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

/// The moves from each ply to the end of the game; NaN if the record does not say that its last move ended the game.
fn plies_left(game: &StoredGame, whole_games: bool) -> Box<[f32]> {
    let has_end = whole_games && game.result != GameResult::Unknown && game.termination != Termination::PlyCap;
    (0..game.plies).map(|ply| if has_end { f32::from(game.plies - ply) } else { f32::NAN }).collect()
}

/// The [further](GameTargets::further) targets of many positions: one entry per position in every requested list; the
/// others are empty.
pub(super) type TargetLists = [Vec<f32>; 5];

/// Adds one ply of a game; `None` for a padding row.
pub(super) fn push(lists: &mut TargetLists, targets: &GameTargets, ply: Option<usize>) {
    for (list, column) in lists.iter_mut().zip(&targets.further) {
        list.extend(column.as_ref().map(|column| ply.map_or(f32::NAN, |ply| column[ply])));
    }
}
