//! Legal moves: what pieces can do, less what leaves the king attacked and pawns dropped to give mate.

use super::board::{BOARD, HANDS, Kind, SQUARES, contains, members, ranks_left};
use super::moves::MinishogiMove as Move;
use super::position::MinishogiPosition;
use crate::position::Position as _;

impl MinishogiPosition {
    /// Adds the moves of pieces on the board, whatever becomes of the king.
    pub(super) fn board_moves(&self, out: &mut Vec<Move>) {
        for (from, (side, kind)) in self.board.pieces().filter(|&(_, (side, _))| side == self.turn) {
            let is_own = |square: usize| self.board.0[square].is_some_and(|(owner, _)| owner == side);
            for to in members(self.board.attacks(from)).filter(|&to| !is_own(to)) {
                let is_last = ranks_left(to, side) == 0;
                let mut push = |promotes| out.push(Move::Board { from: from as u8, to: to as u8, promotes });
                if !(kind == Kind::Pawn && is_last) {
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
        let own_pawn = Some((self.turn, Kind::Pawn));
        let has_pawn = |file| (0..BOARD.ranks()).any(|rank| self.board.0[BOARD.square(file, rank)] == own_pawn);
        for kind in (0..HANDS).filter(|&kind| self.hands[self.turn as usize][kind] > 0) {
            for to in (0..SQUARES).filter(|&to| self.board.0[to].is_none()) {
                let is_pawn = kind == Kind::Pawn as usize;
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
        let bound = self.board.pinned(self.turn) | self.board.king(self.turn).map_or(0, |king| 1 << king);
        let is_tried = |mv| in_check || matches!(mv, Move::Board { from, .. } if contains(bound, usize::from(from)));
        let is_illegal = |mv| (is_tried(mv) && self.after(mv).board.is_in_check(self.turn)) || self.mates_by_pawn(mv);
        moves.retain(|&mv| !is_illegal(mv));
    }

    /// Whether a move drops a pawn that gives mate.
    fn mates_by_pawn(&self, mv: Move) -> bool {
        let Move::Drop { kind: 0, to } = mv else { return false };
        let Some(king) = self.board.king(self.turn.other()) else { return false };
        let after = self.after(mv);
        contains(after.board.attacks(usize::from(to)), king) && after.has_no_board_move()
    }

    /// Whether no piece on the board has a legal move. A dropped pawn gives check from the next square, so that no drop helps.
    fn has_no_board_move(&self) -> bool {
        let mut moves = Vec::new();
        self.board_moves(&mut moves);
        moves.into_iter().all(|mv| self.after(mv).board.is_in_check(self.turn))
    }
}

const _: () = assert!(Kind::Pawn as usize == 0);
