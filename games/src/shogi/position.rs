//! A shogi position: rsshogi's rules with posenc's [`Position`] trait.

use super::frame;
use crate::position::Position as _;
use rsshogi::board::{Position as Rules, PositionState};
use rsshogi::types as rules;
use shogi_core::{Color, Move, Piece, PieceKind, Square};
use std::fmt;

/// A legal position of shogi. Repetition and entering kings do not end it.
///
/// rsshogi keeps earlier positions for undoing moves and judging repetition. Neither is used here (a [`crate::Line`]
/// holds the keys of a game, [`super::repetition`] judges them), so the history is dropped regularly. A position still
/// takes tens of kilobytes and a clone about half a microsecond: play moves on one rather than store many.
#[derive(Clone)]
pub struct ShogiPosition {
    pub(super) rules: Rules,
    /// The number of the next move; rsshogi's own counter is limited to 65,535.
    pub(super) ply: u32,
}

impl ShogiPosition {
    /// The colour to move.
    pub fn turn(&self) -> Color {
        frame::color(self.rules.turn())
    }

    /// The piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        frame::piece(self.rules.piece_on(frame::rules_square(square)))
    }

    /// How many pieces of an unpromoted kind a player holds; 0 for the king and promoted kinds.
    pub fn in_hand(&self, color: Color, kind: PieceKind) -> u8 {
        let hand = self.rules.hand(frame::rules_color(color));
        frame::HAND.iter().find(|&&(k, _)| k == kind).map_or(0, |&(_, piece)| hand.count(piece) as u8)
    }

    /// Whether a move is legal.
    pub fn is_legal(&self, mv: Move) -> bool {
        if let Move::Drop { piece, .. } = mv
            && (piece.color() != self.turn() || frame::HAND.iter().all(|&(kind, _)| kind != piece.piece_kind()))
        {
            return false;
        }
        self.rules.is_legal_move32(self.with_piece(mv))
    }

    /// A position whose next move has this number, not that of `state`.
    pub(super) fn from_state(state: &PositionState, ply: u32) -> Self {
        Self { rules: rsshogi::board::position_from_position_state(state), ply }
    }

    /// rsshogi's move with the piece that makes it.
    pub(super) fn with_piece(&self, mv: Move) -> rules::Move32 {
        self.rules.move32_from_move(frame::to_rules(mv))
    }

    pub(super) fn forget_history(&mut self) {
        let state = PositionState {
            board: self.rules.board_array(),
            hands: self.rules.hands_array(),
            side_to_move: self.rules.turn(),
            ply: 1,
        };
        self.rules.set_position_state(&state);
    }
}

impl fmt::Debug for ShogiPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShogiPosition({})", self.to_text())
    }
}
