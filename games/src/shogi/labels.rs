//! dlshogi's policy labels: direction of the move × target square, 27 · 81 = 2,187.
//!
//! The label is `class · 81 + target`, the target counted file by file from 1a on a board rotated by 180° for White.
//! Classes 0 to 9 are the directions forward, forward to the left and right, left, right, backward, backward to the
//! left and right, and the knight's jumps to the left and right, from the side to move's view; 10 to 19 the same with
//! promotion; 20 to 26 drops of pawn, lance, knight, silver, bishop, rook, gold. The gold is last here: python-dlshogi2
//! numbers drops pawn, lance, knight, silver, gold, bishop, rook, so their labels are incompatible.
//!
//! A label does not include the distance: of two pieces on one line to a square, the nearer blocks the other, so legal
//! moves of a position have different labels. Reference: `cppshogi/cppshogi.cpp` in TadaoYamaoka/DeepLearningShogi;
//! checked against cshogi.

use super::Shogi;
use super::men::{self, SQUARES};
use crate::position::Game as _;
use shogi_core::{Color, Move, Square};

/// The number of labels.
pub(super) const LABELS: usize = CLASSES * SQUARES;

pub(super) const CLASSES: usize = 27;
/// The first direction of the knight.
pub(super) const KNIGHT: usize = 8;
/// The first class of promotions.
pub(super) const PROMOTIONS: usize = 10;
/// The first class of drops, one before the pawn's number.
pub(super) const DROPS: usize = 2 * PROMOTIONS - 1;
/// The number of promotion ranks.
pub(super) const ZONE: usize = 3;

/// The label of a move that `turn` makes.
///
/// # Panics
/// If no piece of shogi can move so.
pub(super) fn label(mv: Move, turn: Color) -> u16 {
    let (class, to) = match mv {
        Move::Drop { piece, to } => (DROPS + usize::from(men::man_of_kind(piece.piece_kind())), to),
        Move::Normal { from, to, promote } => {
            let direction = direction(coordinates(from, turn), coordinates(to, turn))
                .unwrap_or_else(|| panic!("{mv:?} is not a move of shogi"));
            (direction + if promote { PROMOTIONS } else { 0 }, to)
        }
    };
    (class * SQUARES + seen(to, turn)) as u16
}

/// The square's number from the side to move's view.
fn seen(square: Square, turn: Color) -> usize {
    match turn {
        Color::Black => square.array_index(),
        Color::White => Shogi::GEOMETRY.rotate(square.array_index()),
    }
}

/// File, counted from the right, and rank, counted from the far end, from the side to move's view.
fn coordinates(square: Square, turn: Color) -> (i32, i32) {
    let square = seen(square, turn) as i32;
    let ranks = Shogi::GEOMETRY.ranks() as i32;
    (square / ranks, square % ranks)
}

/// The direction from one square (file from the right, rank from the far end) to another, if a piece can move so.
pub(super) fn direction(from: (i32, i32), to: (i32, i32)) -> Option<usize> {
    let (left, down) = (to.0 - from.0, to.1 - from.1);
    if down == -2 && left.abs() == 1 {
        return Some(if left > 0 { KNIGHT } else { KNIGHT + 1 });
    }
    if left != 0 && down != 0 && left.abs() != down.abs() {
        return None;
    }
    Some(match (left.signum(), down.signum()) {
        (0, -1) => 0,
        (1, -1) => 1,
        (-1, -1) => 2,
        (1, 0) => 3,
        (-1, 0) => 4,
        (0, 1) => 5,
        (1, 1) => 6,
        (-1, 1) => 7,
        _ => return None,
    })
}
