//! The pieces of chess and shogi on a board of any size: names and movements.

use crate::attacks::{SquareSet, reached};
use crate::geometry::Geometry;
use crate::movement::{AROUND, DIAGONALS, GOLD_STEPS, LINES, SILVER_STEPS, Step};
use crate::placement::Codes;

/// Kinds of pieces: indices into [`NAMES`] and [`LETTERS`].
pub(super) const PAWN: usize = 0;
const KNIGHT: usize = 1;
const BISHOP: usize = 2;
const ROOK: usize = 3;
pub(super) const QUEEN: usize = 4;
const KING: usize = 5;
const LANCE: usize = 6;
const SHOGI_KNIGHT: usize = 7;
const SILVER: usize = 8;
const GOLD: usize = 9;
const SHOGI_PAWN: usize = 10;
const HORSE: usize = 11;
const DRAGON: usize = 12;

pub(super) const KINDS: usize = NAMES.len();

pub(super) const NAMES: [&str; 13] = [
    "pawn",
    "knight",
    "bishop",
    "rook",
    "queen",
    "king",
    "lance",
    "shogi_knight",
    "silver",
    "gold",
    "shogi_pawn",
    "horse",
    "dragon",
];

/// As in FEN and SFEN; C and F are the Japanese names of shogi's knight and pawn, keima (cassia horse) and fu.
pub(super) const LETTERS: [&str; KINDS] = ["P", "N", "B", "R", "Q", "K", "L", "C", "S", "G", "F", "+B", "+R"];

pub(super) const CODES: Codes<KINDS> = Codes(LETTERS);

pub(super) const WORTH: [u8; KINDS] = [2, 6, 7, 10, 18, 100, 4, 4, 8, 9, 1, 14, 16];

pub(super) const SLIDERS: [&str; 6] = ["B", "R", "Q", "L", "+B", "+R"];

const JUMPS: &[Step] = &[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// Single steps, and directions in which a piece moves until something stands in its way. A chess pawn captures so.
const fn steps(kind: usize) -> [&'static [Step]; 2] {
    match kind {
        PAWN => [&[(-1, 1), (1, 1)], &[]],
        KNIGHT => [JUMPS, &[]],
        BISHOP => [&[], DIAGONALS],
        ROOK => [&[], LINES],
        QUEEN => [&[], AROUND],
        KING => [AROUND, &[]],
        LANCE => [&[], &[(0, 1)]],
        SHOGI_KNIGHT => [&[(-1, 2), (1, 2)], &[]],
        SILVER => [SILVER_STEPS, &[]],
        GOLD => [GOLD_STEPS, &[]],
        SHOGI_PAWN => [&[(0, 1)], &[]],
        HORSE => [LINES, DIAGONALS],
        DRAGON => [DIAGONALS, LINES],
        _ => [&[], &[]],
    }
}

/// The squares that the piece on a square attacks. `codes` are those of all squares.
pub(super) fn attacks(board: Geometry, codes: &[u8], from: usize) -> SquareSet {
    let Some((side, kind)) = CODES.piece(codes[from]) else { return SquareSet::default() };
    reached(board, from, side, steps(kind), |square| codes[square] == 0)
}
