//! The common content of shogi's inputs: the pieces on the board and in the hands.

use super::Shogi;
use super::frame::{HAND, IN_FRAME};
use crate::named::prefixed;
use crate::position::Game;
use rsshogi::board::Position as Rules;
use rsshogi::types::{Color, PieceType};

/// Names of the hands' bytes: the side to move's, then the opponent's.
pub(super) const HAND_NAMES: [[&str; 7]; 2] = [
    prefixed!("hand.own.": "pawn" "lance" "knight" "silver" "gold" "bishop" "rook"),
    prefixed!("hand.opponent.": "pawn" "lance" "knight" "silver" "gold" "bishop" "rook"),
];

/// Piece code of the side to move by rsshogi's raw piece type, which has the gold after the rook.
const CODES: [u8; 15] = [0, 1, 2, 3, 4, 6, 7, 5, 8, 9, 10, 11, 12, 13, 14];

/// Writes the piece codes from the side to move's view.
pub(super) fn pack_board(rules: &Rules, out: &mut [u8]) {
    let turn = rules.turn();
    let in_frame = &IN_FRAME[turn.to_index()];
    for (square, piece) in rules.board_array().iter() {
        let own = CODES[piece.piece_type().to_index()];
        let code = if own == 0 || piece.color() == turn { own } else { own + Shogi::PIECES.len() as u8 };
        out[usize::from(in_frame[square.to_board_index()])] = code;
    }
}

/// The number of pieces of each kind in hand: the side to move's, then the opponent's.
pub(super) fn hands(rules: &Rules) -> impl Iterator<Item = u8> {
    let turn = rules.turn();
    [turn, turn.flip()].into_iter().flat_map(|side| HAND.map(|(_, piece)| rules.hand(side).count(piece) as u8))
}

const _: () = assert!(CODES[PieceType::GOLD.to_index()] == 5 && CODES[PieceType::DRAGON.to_index()] == 14);
const _: () = assert!(Color::BLACK.to_index() == 0 && Color::WHITE.to_index() == 1);
