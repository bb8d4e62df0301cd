//! A position of minishogi, and its legal moves: what pieces can do, less what leaves the king attacked and pawns dropped to
//! give mate.

use super::board::{BOARD, Board, CODES, HANDS, PieceKind, SQUARES, ranks_left};
use super::moves::MinishogiMove as Move;
use crate::attacks::SquareSet;
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
    /// The piece code of a square for a viewer, whose pieces are coded as the first player's.
    pub(super) fn code(&self, square: usize, viewer: Side) -> u8 {
        let seen = |side| if side == viewer { Side::First } else { Side::Second };
        self.board.0[square].map_or(0, |(side, kind)| CODES.code(seen(side), kind as usize))
    }

    /// The piece codes of the squares for the first player.
    pub(super) fn codes(&self) -> impl Iterator<Item = u8> {
        (0..SQUARES).map(move |square| self.code(square, Side::First))
    }

    /// Adds the moves of pieces on the board, whatever becomes of the king.
    pub(super) fn board_moves(&self, out: &mut Vec<Move>) {
        for (from, (side, kind)) in self.board.pieces().filter(|&(_, (side, _))| side == self.turn) {
            let is_own = |square: usize| self.board.0[square].is_some_and(|(owner, _)| owner == side);
            for to in self.board.attacks(from).iter().filter(|&to| !is_own(to)) {
                let is_last = ranks_left(to, side) == 0;
                let mut push = |promotes| out.push(Move::Board { from: from as u8, to: to as u8, promotes });
                if !(kind == PieceKind::Pawn && is_last) {
                    push(false);
                }
                if kind.promoted().is_some() && (is_last || ranks_left(from, side) == 0) {
                    push(true);
                }
            }
        }
    }

    /// Adds the drops, whatever becomes of either king.
    pub(super) fn drops(&self, out: &mut Vec<Move>) {
        let own_pawn = Some((self.turn, PieceKind::Pawn));
        let has_pawn = |file| (0..BOARD.ranks()).any(|rank| self.board.0[BOARD.square(file, rank)] == own_pawn);
        for kind in (0..HANDS).filter(|&kind| self.hands[self.turn as usize][kind] > 0) {
            for to in (0..SQUARES).filter(|&to| self.board.0[to].is_none()) {
                let is_pawn = kind == PieceKind::Pawn as usize;
                if !(is_pawn && (ranks_left(to, self.turn) == 0 || has_pawn(BOARD.file_of(to)))) {
                    out.push(Move::Drop { kind: kind as u8, to: to as u8 });
                }
            }
        }
    }

    /// Keeps the legal ones of [`Self::board_moves`] and [`Self::drops`]. Out of check only the king and pinned pieces can leave
    /// the king attacked, so that few moves are tried.
    pub(super) fn retain_legal(&self, moves: &mut Vec<Move>) {
        let in_check = self.in_check();
        let king: SquareSet = self.board.king(self.turn).into_iter().collect();
        let bound = self.board.pinned(self.turn).or(king);
        let is_tried = |mv| in_check || matches!(mv, Move::Board { from, .. } if bound.contains(usize::from(from)));
        let is_illegal = |mv| (is_tried(mv) && self.after(mv).board.is_in_check(self.turn)) || self.mates_by_pawn(mv);
        moves.retain(|&mv| !is_illegal(mv));
    }

    /// Whether a move drops a pawn that gives mate.
    fn mates_by_pawn(&self, mv: Move) -> bool {
        let Move::Drop { kind: 0, to } = mv else { return false };
        let Some(king) = self.board.king(self.turn.other()) else { return false };
        let after = self.after(mv);
        after.board.attacks(usize::from(to)).contains(king) && after.has_no_board_move()
    }

    /// Whether no piece on the board has a legal move. A dropped pawn gives check from the next square, so that no drop helps.
    fn has_no_board_move(&self) -> bool {
        let mut moves = Vec::new();
        self.board_moves(&mut moves);
        moves.into_iter().all(|mv| self.after(mv).board.is_in_check(self.turn))
    }
}

impl fmt::Debug for MinishogiPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MinishogiPosition({})", self.to_text())
    }
}

const _: () = assert!(PieceKind::Pawn as usize == 0);
