//! A chess position: shakmaty's rules with posenc's [`Position`] trait.

use super::{Chess, moves};
use crate::position::{Game, Position as _};
use shakmaty::{Color, Role, Square, attacks};
use std::fmt;

/// A legal position of standard chess. The rules of repetition and of fifty moves do not end it. Two positions are
/// equal if they count as a repetition of each other: clocks are ignored.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ChessPosition {
    pub(super) rules: shakmaty::Chess,
}

impl ChessPosition {
    /// The position as shakmaty's type, for code that needs its rules (reading SAN).
    pub fn as_shakmaty(&self) -> &shakmaty::Chess {
        &self.rules
    }

    /// Writes the piece codes of the board from `viewer`'s view.
    pub(super) fn pack_board(&self, viewer: Color, out: &mut [u8]) {
        let board = shakmaty::Position::board(&self.rules);
        out.fill(0);
        for (kind, role) in Role::ALL.into_iter().enumerate() {
            let own = 1 + kind as u8;
            let opponent = own + Chess::PIECES.len() as u8;
            for square in board.by_role(role) {
                let code = if board.by_color(viewer).contains(square) { own } else { opponent };
                out[moves::in_frame(square, viewer)] = code;
            }
        }
    }

    /// Whether the other king is in check once the piece on `from` stands on `to` with this role.
    pub(super) fn checks_by(&self, role: Role, from: Square, to: Square) -> bool {
        let (board, turn) = (shakmaty::Position::board(&self.rules), shakmaty::Position::turn(&self.rules));
        let Some(king) = board.king_of(!turn) else { return false };
        let occupied = board.occupied().without(from).with(to);
        let others = board.by_color(turn).without(from);
        attacks::attacks(to, role.of(turn), occupied).contains(king)
            || (attacks::rook_attacks(king, occupied) & board.rooks_and_queens() & others).any()
            || (attacks::bishop_attacks(king, occupied) & board.bishops_and_queens() & others).any()
    }

    pub(super) fn from_rules(rules: shakmaty::Chess) -> Self {
        Self { rules }
    }
}

impl fmt::Debug for ChessPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChessPosition({})", self.to_text())
    }
}
