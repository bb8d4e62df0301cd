//! A position of minishogi.

use super::board::{Board, HANDS, Kind};
use crate::position::{Position as _, Side};
use std::fmt;

/// A legal position of minishogi. Repetition does not end it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MinishogiPosition {
    pub(super) board: Board,
    /// The pieces in the hands of the first and of the second player, by kind.
    pub(super) hands: [[u8; HANDS]; 2],
    pub(super) turn: Side,
    /// The number of the next move.
    pub(super) ply: u32,
}

impl MinishogiPosition {
    /// The piece code of a square for a viewer: 0, 1 + its kind for the viewer's pieces, otherwise 11 + its kind.
    pub(super) fn code(&self, square: usize, viewer: Side) -> u8 {
        match self.board.0[square] {
            None => 0,
            Some((side, kind)) if side == viewer => 1 + kind as u8,
            Some((_, kind)) => 1 + (Kind::ALL.len() + kind as usize) as u8,
        }
    }

    /// The inverse of [`Self::code`] for the first player.
    pub(super) fn piece(code: u8) -> Option<Option<(Side, Kind)>> {
        let Some(number) = usize::from(code).checked_sub(1) else { return Some(None) };
        let side = if number < Kind::ALL.len() { Side::First } else { Side::Second };
        (number < 2 * Kind::ALL.len()).then(|| Some((side, Kind::ALL[number % Kind::ALL.len()])))
    }
}

impl fmt::Debug for MinishogiPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MinishogiPosition({})", self.to_text())
    }
}
