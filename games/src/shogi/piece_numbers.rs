//! Squares and pieces as numbers: those of Apery, YaneuraOu and rsshogi.

use super::Shogi;
use crate::position::Game as _;
use shogi_core::{Color, Piece, PieceKind};

pub(super) const SQUARES: usize = Shogi::GEOMETRY.squares();
pub(super) const FILES: usize = Shogi::GEOMETRY.files();
pub(super) const RANKS: usize = Shogi::GEOMETRY.ranks();

/// The content of a square: 0 for an empty one, 1 to 14 for Black's pawn, lance, knight, silver, bishop, rook, gold,
/// king and the six promoted kinds in the same order, plus 16 for White's.
pub(super) type Man = u8;

pub(super) const EMPTY: Man = 0;
pub(super) const KING: Man = 8;
/// Added to Black's number for White's piece.
pub(super) const WHITE: Man = 16;
/// Added to an unpromoted piece's number for the promoted one.
pub(super) const PROMOTED: Man = 8;

/// Black's number of each kind, in shogi_core's order, which has the gold before the bishop.
const MEN: [Man; PieceKind::NUM] = [1, 2, 3, 4, 7, 5, 6, KING, 9, 10, 11, 12, 13, 14];

/// The same of the pieces that can be in hand, in the order of [`HAND`](super::frame::HAND).
pub(super) const HAND_MEN: [Man; 7] = *MEN.first_chunk().expect("seven kinds can be in hand");

/// shogi_core's number of each of Black's pieces; 0 for an empty square. Also the piece code of the side to move.
pub(super) const CODES: [u8; 1 + PieceKind::NUM] = [0, 1, 2, 3, 4, 6, 7, 5, 8, 9, 10, 11, 12, 13, 14];

pub(super) fn color(man: Man) -> Color {
    if man >= WHITE { Color::White } else { Color::Black }
}

/// The kind of a number, without its colour.
pub(super) fn kind(man: Man) -> Option<PieceKind> {
    CODES.get(usize::from(man & !WHITE)).and_then(|&code| PieceKind::from_u8(code))
}

pub(super) fn piece(man: Man) -> Option<Piece> {
    Some(Piece::new(kind(man)?, color(man)))
}

/// The number of a kind, as Black's.
pub(super) fn man_of_kind(kind: PieceKind) -> Man {
    MEN[kind.array_index()]
}

/// The number of a piece.
pub(super) fn man(piece: Piece) -> Man {
    let (kind, color) = piece.to_parts();
    man_of_kind(kind) + side(color)
}

/// The number added for a colour.
pub(super) fn side(color: Color) -> Man {
    match color {
        Color::Black => 0,
        Color::White => WHITE,
    }
}
