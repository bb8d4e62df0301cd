//! Legality of one move, on an array board.

use super::attacks::{attacked, attacks};
use super::{Board, IMMOBILE};
use crate::shogi::frame::HAND;
use crate::shogi::piece_numbers::{EMPTY, HAND_MEN, KING, Man, PROMOTED, RANKS, WHITE, color, man, man_of_kind, side};
use shogi_core::{Color, Move, PieceKind, Square};

/// The number of promotion ranks.
const ZONE: u8 = 3;

impl Board {
    /// Whether a move is legal. The board must be a legal position, see [`Board::check`].
    pub fn is_legal(&self, mv: Move) -> bool {
        match mv {
            Move::Normal { from, to, promote } => self.can_move(index(from), index(to), promote),
            Move::Drop { piece, to } => {
                piece.color() == self.turn
                    && self.can_drop(piece.piece_kind(), index(to))
                    // Only a pawn drop can be illegal because it mates, and only rsshogi detects mates.
                    && (!self.checks_by_pawn(man(piece), index(to)) || self.unchecked_position(1).is_legal(mv))
            }
        }
    }

    fn can_move(&self, from: u8, to: u8, promote: bool) -> bool {
        let moved = self.squares[usize::from(from)];
        let taken = self.squares[usize::from(to)];
        if moved == EMPTY || color(moved) != self.turn || (taken != EMPTY && color(taken) == self.turn) {
            return false;
        }
        let may_promote = moved & !WHITE < 7 && (self.in_zone(from) || self.in_zone(to));
        let after = if promote { moved + PROMOTED } else { moved };
        (may_promote || !promote)
            && !is_immobile(after, to)
            && attacks(&self.squares, from, to)
            && self.king_is_safe_after(Some(from), to, after)
    }

    fn can_drop(&self, kind: PieceKind, to: u8) -> bool {
        let Some(held) = HAND.iter().position(|&(k, _)| k == kind) else { return false };
        let dropped = HAND_MEN[held] + side(self.turn);
        self.hands[self.turn.array_index()][held] > 0
            && self.squares[usize::from(to)] == EMPTY
            && !is_immobile(dropped, to)
            && !(kind == PieceKind::Pawn && self.has_on_file(dropped, to))
            && self.king_is_safe_after(None, to, dropped)
    }

    /// Whether a square is in the promotion zone of the side to move.
    fn in_zone(&self, square: u8) -> bool {
        let rank = square % RANKS as u8;
        match self.turn {
            Color::Black => rank < ZONE,
            Color::White => rank >= RANKS as u8 - ZONE,
        }
    }

    fn has_on_file(&self, pawn: Man, square: u8) -> bool {
        let start = usize::from(square) / RANKS * RANKS;
        self.squares[start..start + RANKS].contains(&pawn)
    }

    fn king_is_safe_after(&self, from: Option<u8>, to: u8, man: Man) -> bool {
        let mut squares = self.squares;
        if let Some(from) = from {
            squares[usize::from(from)] = EMPTY;
        }
        squares[usize::from(to)] = man;
        let king = if man & !WHITE == KING { to } else { self.kings[self.turn.array_index()] };
        !attacked(&squares, king, self.turn.flip())
    }

    fn checks_by_pawn(&self, dropped: Man, to: u8) -> bool {
        let king = self.kings[self.turn.flip().array_index()];
        let ahead = match self.turn {
            Color::Black => to.checked_sub(1),
            Color::White => Some(to + 1),
        };
        dropped & !WHITE == man_of_kind(PieceKind::Pawn) && ahead == Some(king)
    }
}

fn is_immobile(man: Man, square: u8) -> bool {
    IMMOBILE[usize::from(square) % RANKS] >> man & 1 == 1
}

fn index(square: Square) -> u8 {
    square.array_index() as u8
}
