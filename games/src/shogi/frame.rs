//! Conversion of squares and pieces between shogi_core's types, rsshogi's types, and the frame of the side to move.
//!
//! shogi_core and rsshogi both number squares file by file from 1a (`(file − 1)·9 + rank − 1`); the frame numbers them
//! rank by rank from the side to move's own left corner (9i for Black, 1a for White).

use super::Shogi;
use super::piece_numbers::{self, SQUARES};
use crate::position::Game;
use rsshogi::types as rules;
use shogi_core::{Color, Move, Piece, PieceKind, Square};

/// rsshogi's board index → square in the frame, per side to move (Black, White).
pub(super) const IN_FRAME: [[u8; SQUARES]; 2] = {
    let board = Shogi::GEOMETRY;
    let mut tables = [[0; SQUARES]; 2];
    let mut index = 0;
    while index < SQUARES {
        let (file, rank) = (index / board.ranks(), index % board.ranks());
        let white = board.square(file, rank);
        tables[0][index] = board.rotate(white) as u8;
        tables[1][index] = white as u8;
        index += 1;
    }
    tables
};

/// The pieces that can be in hand, in the order of vocabulary and features, as shogi_core and rsshogi name them.
pub(super) const HAND: [(PieceKind, rules::HandPiece); 7] = [
    (PieceKind::Pawn, rules::HandPiece::PAWN),
    (PieceKind::Lance, rules::HandPiece::LANCE),
    (PieceKind::Knight, rules::HandPiece::KNIGHT),
    (PieceKind::Silver, rules::HandPiece::SILVER),
    (PieceKind::Gold, rules::HandPiece::GOLD),
    (PieceKind::Bishop, rules::HandPiece::BISHOP),
    (PieceKind::Rook, rules::HandPiece::ROOK),
];

/// rsshogi's hand with these numbers of pieces, in [`HAND`]'s order.
pub(super) fn hand(counts: [u8; HAND.len()]) -> rules::Hand {
    HAND.iter().zip(counts).fold(rules::Hand::ZERO, |mut hand, (&(_, piece), count)| {
        hand.add(piece, u32::from(count));
        hand
    })
}

/// The number of each hand piece (in [`HAND`]'s order) in a set.
pub(super) const HAND_TOTALS: [u8; 7] = [18, 4, 4, 4, 4, 2, 2];

/// shogi_core's squares by board index.
const SQUARE_BY_INDEX: [Square; SQUARES] = {
    let mut squares = [Square::SQ_1A; SQUARES];
    let mut index = 0;
    while index < SQUARES {
        let (file, rank) = (index / 9, index % 9);
        squares[index] = Square::new(file as u8 + 1, rank as u8 + 1).expect("file and rank lie between 1 and 9");
        index += 1;
    }
    squares
};

pub(super) fn color(color: rules::Color) -> Color {
    if color == rules::Color::BLACK { Color::Black } else { Color::White }
}

pub(super) fn rules_color(color: Color) -> rules::Color {
    match color {
        Color::Black => rules::Color::BLACK,
        Color::White => rules::Color::WHITE,
    }
}

pub(super) fn square(square: rules::Square) -> Square {
    SQUARE_BY_INDEX[square.to_board_index()]
}

pub(super) fn rules_square(square: Square) -> rules::Square {
    rules::Square::from_index(square.array_index())
}

/// The piece on a square of rsshogi's board.
pub(super) fn piece(piece: rules::Piece) -> Option<Piece> {
    let kind = piece_numbers::kind(piece.piece_type().to_index() as u8)?;
    Some(Piece::new(kind, color(piece.color())))
}

fn rules_kind(kind: PieceKind) -> rules::PieceType {
    rules::PieceType::new(piece_numbers::man_of_kind(kind) as i8)
}

pub(super) fn rules_piece(piece: Piece) -> rules::Piece {
    rules::Piece::from_parts(rules_color(piece.color()), rules_kind(piece.piece_kind()))
}

/// shogi_core's move for rsshogi's move of `mover`.
pub(super) fn from_rules(mv: rules::Move, mover: Color) -> Move {
    let to = square(mv.to_sq());
    match mv.dropped_piece() {
        Some(kind) => {
            let kind = piece_numbers::kind(kind.to_index() as u8).expect("a dropped piece has a kind");
            Move::Drop { piece: Piece::new(kind, mover), to }
        }
        None => Move::Normal { from: square(mv.from_sq()), to, promote: mv.is_promotion() },
    }
}

pub(super) fn to_rules(mv: Move) -> rules::Move {
    match mv {
        Move::Normal { from, to, promote: false } => rules::Move::normal(rules_square(from), rules_square(to)),
        Move::Normal { from, to, promote: true } => rules::Move::promotion(rules_square(from), rules_square(to)),
        Move::Drop { piece, to } => rules::Move::drop(rules_kind(piece.piece_kind()), rules_square(to)),
    }
}
