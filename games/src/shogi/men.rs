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

/// Black's number of each hand piece, in the order of [`HAND`](super::frame::HAND).
pub(super) const HAND_MEN: [Man; 7] = [1, 2, 3, 4, 7, 5, 6];

pub(super) fn color(man: Man) -> Color {
    if man >= WHITE { Color::White } else { Color::Black }
}

const KINDS: [PieceKind; 14] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Gold,
    PieceKind::King,
    PieceKind::ProPawn,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::ProSilver,
    PieceKind::ProBishop,
    PieceKind::ProRook,
];

/// The kind of a number, without its colour.
pub(super) fn kind(man: Man) -> Option<PieceKind> {
    KINDS.get(usize::from(man & !WHITE).wrapping_sub(1)).copied()
}

pub(super) fn piece(man: Man) -> Option<Piece> {
    Some(Piece::new(kind(man)?, color(man)))
}

/// The number of a kind, as Black's.
pub(super) fn man_of_kind(kind: PieceKind) -> Man {
    match kind {
        PieceKind::Pawn => 1,
        PieceKind::Lance => 2,
        PieceKind::Knight => 3,
        PieceKind::Silver => 4,
        PieceKind::Bishop => 5,
        PieceKind::Rook => 6,
        PieceKind::Gold => 7,
        PieceKind::King => KING,
        PieceKind::ProPawn => 9,
        PieceKind::ProLance => 10,
        PieceKind::ProKnight => 11,
        PieceKind::ProSilver => 12,
        PieceKind::ProBishop => 13,
        PieceKind::ProRook => 14,
    }
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
