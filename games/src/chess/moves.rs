//! Chess moves as indices: the 1,858 entries of Lc0's policy, in its order.
//!
//! 1,792 pairs of squares connected by a queen's ray or a knight's jump, ascending by from and to; then 66 promotions
//! to queen, rook or bishop, by the file of origin, the file of the target and the piece. A knight promotion is the
//! plain pair, castling is the king capturing its own rook. Reference: lc0 `src/neural/encoder.cc` (`moves` table),
//! which lists the same moves as text; e1a1 is 97, e1h1 is 103, a7a8q is 1792.

use super::Chess;
use crate::geometry::Relation;
use crate::move_text::MoveText;
use crate::position::Game;
use crate::vocabulary::{Entry, FromTo};
use shakmaty::{CastlingSide, Color, Move, Role, Square};
use std::sync::LazyLock;

const PROMOTIONS: &[&str] = &["queen", "rook", "bishop"];

pub(super) fn vocabulary() -> &'static FromTo {
    static VOCABULARY: LazyLock<FromTo> = LazyLock::new(|| {
        let joined = |relation| !matches!(relation, Relation::Same | Relation::Other);
        let plain = Chess::GEOMETRY.pairs(joined).map(Entry::plain);
        FromTo::new("from_to_chess_1858", Chess::GEOMETRY, PROMOTIONS, &[], plain.chain(promotions()).collect())
    });
    &VOCABULARY
}

fn promotions() -> impl Iterator<Item = Entry> {
    let board = Chess::GEOMETRY;
    let last = board.ranks() - 1;
    (0..board.files()).flat_map(move |file| {
        let targets = file.saturating_sub(1)..=(file + 1).min(board.files() - 1);
        targets.flat_map(move |target| {
            let pair = (board.square(file, last - 1), board.square(target, last));
            (0..PROMOTIONS.len()).map(move |kind| Entry::promotion(pair, kind))
        })
    })
}

pub(super) fn in_frame(square: Square, turn: Color) -> usize {
    match turn {
        Color::White => square.to_usize(),
        Color::Black => Chess::GEOMETRY.mirror_ranks(square.to_usize()),
    }
}

/// The index of a move that `turn` could make.
pub(super) fn index(mv: Move, turn: Color) -> u16 {
    let index = vocabulary().index_of(entry(mv, turn)).expect("every chess move has an entry");
    index as u16
}

pub(super) fn entry(mv: Move, turn: Color) -> Entry {
    let (from, to, promotion) = match mv {
        Move::Castle { king, rook } => (king, rook, None),
        _ => steps(mv),
    };
    let (from, to) = (in_frame(from, turn) as u8, in_frame(to, turn) as u8);
    match promotion {
        Some(Role::Queen) => Entry::Promotion { from, to, kind: 0 },
        Some(Role::Rook) => Entry::Promotion { from, to, kind: 1 },
        Some(Role::Bishop) => Entry::Promotion { from, to, kind: 2 },
        _ => Entry::Plain { from, to },
    }
}

/// A move's squares and its promotion as in UCI: castling is the king's own step.
pub(super) fn steps(mv: Move) -> (Square, Square, Option<Role>) {
    match mv {
        Move::Normal { from, to, promotion, .. } => (from, to, promotion),
        Move::EnPassant { from, to } => (from, to, None),
        Move::Castle { king, rook } => {
            let file = CastlingSide::from_queen_side(rook < king).king_to_file();
            (king, Square::from_coords(file, king.rank()), None)
        }
        Move::Put { .. } => panic!("standard chess has no drops"),
    }
}

pub(super) fn write(mv: Move) -> MoveText {
    let (from, to, promotion) = steps(mv);
    let letters = |square: Square| [square.file().char() as u8, square.rank().char() as u8];
    MoveText::of_parts(letters(from), letters(to), promotion.map(|role| role.char() as u8))
}
