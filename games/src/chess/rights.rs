//! Castling and en passant as thirteen binary labels, which the input `cls_tokens` shows and a head can predict.
//!
//! The order is that of the tokens in Sid3024/Chess-AI: four castling rights (the viewer's king side and queen side,
//! then the other player's), whether en passant can be captured, and the eight files of its square. Deviation: as
//! everywhere in posenc, an en-passant square counts only if the capture is legal; that project takes it from the FEN.

use super::{Chess, ChessPosition, moves};
use crate::geometry::Frame;
use crate::position::Game;
use shakmaty::{CastlingSide, Color, Position as _};

const CASTLING: usize = 4;
/// The number of labels.
pub const RIGHTS: usize = CASTLING + 1 + Chess::GEOMETRY.files();

/// Their names, in order.
pub const NAMES: [&str; RIGHTS] = [
    "castling.own.king_side",
    "castling.own.queen_side",
    "castling.opponent.king_side",
    "castling.opponent.queen_side",
    "en_passant",
    "en_passant.a",
    "en_passant.b",
    "en_passant.c",
    "en_passant.d",
    "en_passant.e",
    "en_passant.f",
    "en_passant.g",
    "en_passant.h",
];

/// The player whose view a frame shows.
pub(super) fn viewer(turn: Color, frame: Frame) -> Color {
    match frame {
        Frame::SideToMove => turn,
        Frame::FirstPlayer => Color::White,
    }
}

/// The labels of a position, 0 or 1, "own" being `viewer`.
pub(super) fn of(rules: &shakmaty::Chess, viewer: Color) -> [u8; RIGHTS] {
    let mut rights = [0; RIGHTS];
    rights.iter_mut().zip(castling(rules, viewer)).for_each(|(right, has)| *right = u8::from(has));
    if let Some(square) = rules.legal_ep_square() {
        rights[CASTLING] = 1;
        rights[CASTLING + 1 + square.file().to_usize()] = 1;
    }
    rights
}

pub(super) fn castling(rules: &shakmaty::Chess, viewer: Color) -> impl Iterator<Item = bool> {
    [viewer, !viewer].into_iter().flat_map(move |color| {
        [CastlingSide::KingSide, CastlingSide::QueenSide].map(|side| rules.castles().has(color, side))
    })
}

/// The square that a pawn could enter by a legal en-passant capture, plus 1; 0 for none.
pub(super) fn en_passant(rules: &shakmaty::Chess) -> u8 {
    rules.legal_ep_square().map_or(0, |square| moves::in_frame(square, rules.turn()) as u8 + 1)
}

/// The labels after a move, the first as the lowest bit. "Own" is the mover, or White.
pub(super) fn after(position: &ChessPosition, mv: shakmaty::Move, frame: Frame) -> u16 {
    let mut rules = position.as_shakmaty().clone();
    let viewer = viewer(rules.turn(), frame);
    rules.play_unchecked(mv);
    of(&rules, viewer).into_iter().enumerate().map(|(bit, right)| u16::from(right) << bit).sum()
}
