//! Shogi moves as indices: 3,781 entries in the side to move's frame, the counterpart of Lc0's 1,858.
//!
//! - 2,192 plain pairs, ascending by from and to: every queen's ray, and the knight's jumps forward that need not
//!   promote (those that do not land on the last two ranks);
//! - 1,058 promoting pairs, ascending: the rays and jumps that start or end in the last three ranks;
//! - 531 drops in the order pawn, lance, knight, silver, gold, bishop, rook, each by square: pawns and lances not on
//!   the last rank, knights not on the last two.
//!
//! dlshogi's 2,187 labels (direction × target) name the same moves differently; this vocabulary has a query square and
//! a key square for every board move, which the attention policy needs.

use super::{Shogi, frame};
use crate::move_text::MoveText;
use crate::position::Game;
use crate::vocabulary::{Entry, FromTo};
use shogi_core::{Color, Move, PieceKind, Square};
use std::sync::LazyLock;

const PROMOTIONS: &[&str] = &["promote"];
const DROPS: &[&str] = &["pawn", "lance", "knight", "silver", "gold", "bishop", "rook"];

/// The number of promotion ranks.
const ZONE: usize = 3;

pub(super) fn vocabulary() -> &'static FromTo {
    static VOCABULARY: LazyLock<FromTo> = LazyLock::new(|| {
        let plain = pairs().filter(|&(from, to)| !(jumps(from, to) && ranks_left(to) < 2)).map(Entry::plain);
        let promoting = pairs().filter(|&(from, to)| ranks_left(from) < ZONE || ranks_left(to) < ZONE);
        let promoting = promoting.map(|pair| Entry::promotion(pair, 0));
        // A piece must be able to move: the ranks it needs ahead of it, in the order of DROPS.
        let drops = [1, 1, 2, 0, 0, 0, 0].into_iter().enumerate().flat_map(|(kind, ahead)| {
            let targets = (0..Shogi::GEOMETRY.squares()).filter(move |&to| ranks_left(to) >= ahead);
            targets.map(move |to| Entry::Drop { kind: kind as u8, to: to as u8 })
        });
        let entries = plain.chain(promoting).chain(drops).collect();
        FromTo::new("from_to_shogi_3781", Shogi::GEOMETRY, PROMOTIONS, DROPS, entries)
    });
    &VOCABULARY
}

/// The pairs of squares connected by a queen's ray or a forward knight's jump, ascending.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    let board = Shogi::GEOMETRY;
    board.pairs(|_| true).filter(move |&(from, to)| board.relation(from, to).is_line() || jumps(from, to))
}

/// Whether a shogi knight jumps from `from` to `to`: two ranks ahead, one file aside.
fn jumps(from: usize, to: usize) -> bool {
    let board = Shogi::GEOMETRY;
    board.rank_of(to) == board.rank_of(from) + 2 && board.file_of(to).abs_diff(board.file_of(from)) == 1
}

/// The number of ranks ahead of a square.
fn ranks_left(square: usize) -> usize {
    Shogi::GEOMETRY.ranks() - 1 - Shogi::GEOMETRY.rank_of(square)
}

/// The index of a move that `turn` could make. Panics if no piece could ever make the move.
pub(super) fn index(mv: Move, turn: Color) -> u16 {
    let entry = entry(mv, turn);
    let index = vocabulary().index_of(entry).unwrap_or_else(|| panic!("{mv:?} is not a move of shogi"));
    index as u16
}

fn entry(mv: Move, turn: Color) -> Entry {
    let in_frame = |square: Square| frame::IN_FRAME[turn.array_index()][square.array_index()];
    match mv {
        Move::Normal { from, to, promote: false } => Entry::Plain { from: in_frame(from), to: in_frame(to) },
        Move::Normal { from, to, promote: true } => {
            Entry::Promotion { from: in_frame(from), to: in_frame(to), kind: 0 }
        }
        // DROPS has shogi_core's order, whose first kind is the pawn.
        Move::Drop { piece, to } => {
            let kind = piece.piece_kind().array_index() - PieceKind::Pawn.array_index();
            Entry::Drop { kind: kind as u8, to: in_frame(to) }
        }
    }
}

pub(super) fn write(mv: Move) -> MoveText {
    let letters = |square: Square| {
        let index = square.array_index();
        let (file, rank) = (index / Shogi::GEOMETRY.ranks(), index % Shogi::GEOMETRY.ranks());
        [b'1' + file as u8, b'a' + rank as u8]
    };
    match mv {
        Move::Normal { from, to, promote } => MoveText::of_parts(letters(from), letters(to), promote.then_some(b'+')),
        Move::Drop { piece, to } => {
            let kind = piece.piece_kind().array_index() - PieceKind::Pawn.array_index();
            MoveText::of_parts([Shogi::DROPS[kind], b'*'], letters(to), None)
        }
    }
}
